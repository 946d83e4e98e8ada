//! A real SIGKILL at every point that a run passes, and at random moments: each time the same end.

#![expect(clippy::print_stdout, reason = "a seed that nobody sees cannot be used again")]

mod at_a_gate;
mod blockers;
mod every_point;
mod in_items;
mod layers;
mod publishing;
mod random_moments;
mod scenario;
mod skipped;
mod starting;
mod stories;
mod tdd;
mod teams;
mod while_recovering;
