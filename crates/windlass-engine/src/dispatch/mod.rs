//! Driving a run: one thread owns the state, one performs effects, others only report.
//!
//! ```text
//!  inbox, socket, signals, timers ──► driver ──► decide, append ──► outstanding effects
//!                                       ▲                                  │ jobs
//!                                       └───────── reports ◄──── worker ◄──┘
//! ```
//!
//! The [`Driver`] gathers messages, turns each into one input, and appends what follows before
//! anything is done about it. The worker has the place to itself, because a place has one writing
//! attempt at a time; it takes jobs in order and reports what came of them. If the process dies on
//! any line, a new driver folds the journal and ensures what is outstanding.

mod aside;
mod at_once;
mod attempt;
mod blocker;
mod boxed;
mod branch;
mod client;
mod driver;
mod held;
mod hosted;
mod hosted_journal;
mod ledger;
mod message;
mod mirror;
mod notify;
mod pins;
mod publish;
mod request;
mod servers;
mod site;
mod socket;
mod squash;
mod start;
mod tasks;
mod unstarted;
mod worker;
mod workers;

pub use crate::clock::now;
pub use blocker::{BlockerLook, check_blocker};
pub use branch::IssueBranch;
pub use client::{ClientError, Sent, send, send_on_behalf, send_played, send_shown};
pub use driver::{DriveError, DriveOptions, Driver, DriverHandle, Ended, Observer};
pub use hosted::{HostedDriver, Stopped};
pub use hosted_journal::{HostedJournal, attempt_of};
pub use notify::{NotifyError, NotifyRequest, notify};
pub use request::{Answer, Request, UnreadableAnswer};
pub use site::{OpenMachine, Site};
pub use socket::{AgentAnswer, AgentCall, SocketError, context_get, context_set, item_call};
pub use start::{
    AfterBaseline, StartError, StartRequest, StartWatcher, Unwatched, baseline_alone, start,
};
pub use unstarted::{UnstartedError, clear_unstarted};
pub use worker::WorkerError;
