//! Real children through real launchers.
//!
//! The test binary is its own launcher: `launcher_entry` turns into one when an environment variable
//! says so. In the same way `engine_entry` plays an engine that gets killed, and `caller_entry` a program
//! in a view.
//!
//! No test waits for time: each waits for a fact, with a deadline.

mod bounds;
mod confinement;
mod crash;
mod ending;
mod starting;
mod support;
mod views;

#[test]
fn launcher_entry() {
    support::act_as_launcher();
}

#[test]
fn engine_entry() {
    support::act_as_engine();
}

#[test]
fn caller_entry() {
    support::act_as_caller();
}
