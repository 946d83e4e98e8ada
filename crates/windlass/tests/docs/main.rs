//! The documentation is true: its workflows are accepted, and its tutorial runs as it is written.

mod pages;
mod transcript;
mod tutorial;
mod workflows;
