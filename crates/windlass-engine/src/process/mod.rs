//! Children of the engine: started, watched, stopped, and told apart from strangers.
//!
//! Every attempt and every check runs as a [`RunningUnit`]: a launcher (see [`crate::launcher`])
//! that owns whatever is below it. This module is the engine's side of that bond; what the kernel says
//! about processes is read by [`crate::process_table`].
//!
//! - `unit`: one launcher's life, from [`spawn`] to its report.
//! - `orphans`: what is left when a launcher itself was killed.
//! - `probe`: what version a program says it has.
//! - [`activity`]: signs of life, for people who watch.
//!
//! Invariant: nothing that was started through [`spawn`] outlives its [`RunningUnit`]. Design page:
//! `docs/design/launcher.md`.

pub mod activity;
pub mod orphans;
pub mod probe;
pub mod unit;

pub use orphans::become_subreaper;
pub use unit::{LauncherCommand, RunningUnit, SpawnError, StopHandle, spawn};
