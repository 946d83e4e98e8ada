//! What a repository is built with, and workflows filled in for it.
//!
//! The edge lists the repository's folders ([`Folder`]) and hands over the few files whose content
//! matters ([`wants`]). [`detect`] finds the tools by their files and returns only commands that
//! these files speak of: a script that is there, a wrapper that is there, a tool's own test command.
//! [`fill`] puts them into a workflow in place of its `test` input, and [`config`] writes the
//! configuration file. Nothing of the repository is run, and nothing of it but these fixed commands
//! gets into what is written.

mod config;
mod detect;
mod fill;
mod folder;
mod runners;
mod scripts;
mod tools;

pub use config::config;
pub use detect::{Found, Project, Purpose, detect};
pub use fill::fill;
pub use folder::{Folder, wants};
