//! What a team and a user have set.
//!
//! A repository has `.windlass/config.yaml`, a user one of the same form. [`Config::parse`] reads
//! the text of either with the machinery of workflow files: every mistake at once, each with its
//! place. [`Settings::of`] puts the two together and remembers where each value comes from, because
//! a repository that names a command chooses what runs.
//!
//! Only keys that something uses are known here.

mod commits;
mod confinement;
mod failures;
mod file;
mod notify;
mod pass_env;
mod quiet;
mod services;
mod settings;

pub use commits::{CommitConfig, Style};
pub use confinement::{Confinement, ConfinementConfig, Sandbox, Unheeded};
pub use file::Config;
pub use notify::Notify;
pub use pass_env::{PassEnv, PassEnvError, is_never_passed, looks_like_key};
pub use quiet::{QuietHours, is_quiet};
pub use settings::{Origin, Setting, Settings};
