//! The journal of one run: the typed layer over the store's bytes.
//!
//! A decision is appended as one batch of records: the input, with the version of the decider, and
//! then the events that it caused. State is a fold over the events. Every so often the fold itself
//! is stored in the same transaction, so that opening a long run does not read all of it.

mod audit;
mod elsewhere;
mod load;
mod record;
mod trail;
mod write;

pub use audit::{AuditReport, audit};
pub use elsewhere::elsewhere;
pub use load::{LoadError, Loaded, fold, load};
pub use record::{Entry, INPUT_KIND, InputRecord, RecordError, entry};
pub use trail::trail;
pub use write::{DecideError, Journal, Step, create};
