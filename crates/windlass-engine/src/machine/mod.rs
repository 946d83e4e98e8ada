//! What all runs on this machine share: `machine.db`, with the limits of accounts and what attempts
//! cost.
//!
//! Nothing in it is the only copy of anything that matters. Spending is an *index* over the
//! journals: each run has a mark up to which its journal was read, rows and mark are written in one
//! transaction, and whoever comes next (the driver after a decision or when it takes a run over,
//! `windlass cost`) reads on from there. A crash in between loses and doubles nothing, and a file
//! that is gone is filled again. Limits are a courtesy: without them a run finds out by itself.
//!
//! So no trouble with this file ever stops a run. It is opened per use, with short transactions;
//! a damaged one is moved aside, and that is said.

mod account;
mod catch_up;
mod house;
mod limits;
mod open;
mod schema;
mod spend;

pub use account::account_of;
pub use catch_up::CatchUpError;
pub use house::HouseRules;
pub use limits::Limit;
pub use open::{Machine, MachineError};
pub use spend::{Spend, SpendFilter};
