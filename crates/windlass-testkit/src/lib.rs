//! What tests of the `windlass` command share: a world of their own, and looks at what it left.
//!
//! [`TestEnv`] is hermetic by construction: it clears the environment, has its own home, temporary
//! folder and git configuration, and a scratch repository. Nothing here sleeps: [`wait`] waits for
//! facts, with a deadline whose failure shows the journal.

#![expect(clippy::expect_used, reason = "a test that cannot set up its world fails")]
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a failed test panics")]

mod apart;
pub mod cli;
mod command;
mod environment;
mod gh;
mod host;
mod journal;
pub mod model;
mod normalise;
mod parallel;
mod processes;
mod random;
mod remote;
mod repository;
mod skips;
mod terminal;
pub mod wait;
mod workspace;

pub use apart::{AGENTS, MARKS};
pub use command::{Background, Finished};
pub use environment::{Layout, TestEnv};
pub use gh::{Gh, GhCall};
pub use host::{HookAnswer, Host};
pub use journal::Journal;
pub use normalise::normalise;
pub use parallel::in_parallel;
pub use processes::left_behind;
pub use random::Random;
pub use remote::Remote;
pub use repository::Repository;
pub use skips::skip;
pub use terminal::{Client, Terminal};
pub use workspace::root;

/// Makes a [`TestEnv`] around the `windlass` of the calling test's package.
#[macro_export]
macro_rules! test_env {
    () => {
        $crate::test_env!($crate::Layout::Home)
    };
    ($layout:expr) => {
        $crate::TestEnv::new(env!("CARGO_BIN_EXE_windlass"), env!("CARGO_TARGET_TMPDIR"), $layout)
    };
}
