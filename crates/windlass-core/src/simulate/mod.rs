//! A workflow walked with stub agents: every route, exhaustion and answer at least once.
//!
//! The walk drives the real machine ([`start`](crate::run::start), [`decide`](crate::run::decide),
//! `apply`, [`outstanding`](crate::run::outstanding)) and plays everything outside it: whether a
//! check holds, what a judge says, what a person answers. Nothing is looked at, so a path says
//! what windlass does *if* things happen that way, and never that they will. `when` expressions
//! are not evaluated: each is taken both ways, and one way within a path.
//!
//! - `moves` tells what happened from events; the same telling fits the journal of a real run.
//! - `target` is what can happen; `cover` lists what there is to cover in a plan.
//! - `items` are those that there are; what is repeated is covered for the first one.
//! - `choice` says what could happen next; `report` makes the input of it.
//! - `walk` is one run, `notice` sees what it covers; `search` finds a small set of paths that covers all targets, within bounds.

mod choice;
mod cover;
mod items;
mod moves;
mod notice;
mod report;
mod sample;
mod search;
mod target;
mod walk;

pub use moves::{Move, Teller};
pub use search::{Missed, Path, Simulation, simulate};
pub use target::{Answer, Covered, Target, TargetKind};
