//! The live view in a real terminal, at three sizes and in bad conditions.

mod deciding;
mod driving;
mod looking;
mod robust;
mod screens;
mod showing;
mod support;
mod typed;
