//! The documentation is true: its workflows are accepted, its tutorial runs as it is written, its
//! messages are in the source, its links lead somewhere.

mod commands;
mod contributing;
mod links;
mod messages;
mod modules;
mod pages;
mod platforms;
mod prompts;
mod transcript;
mod tutorial;
mod walk;
mod workflows;
