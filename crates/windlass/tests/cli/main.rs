//! The command line as people and programs use it: exit codes, shapes, messages.

mod bad_input;
mod contracts;
mod damage;
mod decisions;
mod driving;
mod measured;
mod places;
mod support;
mod teams;
