//! What a repository is checked with, and workflows filled in for it.
//!
//! What is found is what [`crate::platform`] detects: there is one detector. [`Found`] takes from it what
//! a workflow without a platform needs. [`trial`] is a workflow that only tries the commands of one
//! project, [`Tried`] what came of it and [`Found::keep`] what is taken then. [`fill`] puts the commands
//! into a workflow in place of its `test` input, and [`config`] writes the configuration file.

mod config;
mod fill;
mod found;
mod tried;

pub use config::config;
pub use fill::{fill, trial};
pub use found::{Dropped, Found, FoundCheck, Project, Purpose};
pub use tried::{Tried, Verdict, line};
