//! The engine's git against real git, with agents that do their worst.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its world up has failed")]

mod borrowing;
mod checkout;
mod here;
mod hostile;
mod large_files;
mod publishing;
mod repositories;
mod shown;
mod snapshots;
mod world;
