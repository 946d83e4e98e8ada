//! The documentation is true: its workflows are accepted, its tutorial runs as it is written, its
//! messages are in the source, its links lead somewhere.

mod commands;
mod links;
mod messages;
mod pages;
mod platforms;
mod transcript;
mod tutorial;
mod workflows;
