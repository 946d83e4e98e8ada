//! The store: journals, inbox, folds and passed checks of one repository, in SQLite.
//!
//! It keeps bytes and knows nothing of the machine: the typed layer above turns events into
//! records and records into state. One [`Store`] is one connection; a process that needs two
//! opens two. Everything here is synchronous.
//!
//! # What is promised
//!
//! - **A decision is all or nothing.** [`Store::append`] is one transaction. Once it returned,
//!   its records survive the death of the process and of the machine; when it failed, a person
//!   or a caller finds the run as it was. (One exception is known: when the *sync* itself fails,
//!   the records may turn up after a restart. Nothing was done on their strength, and the
//!   driver reads the journal before it goes on, so that is harmless.)
//! - **One writer per run.** Each append names the fence it was given by [`Store::raise_fence`]
//!   and the record it builds on. An overtaken driver gets [`AppendError::Fenced`], two equal
//!   ones [`AppendError::Conflict`]. Fences need no clock: whoever raised last writes.
//! - **One sync per append**: that of the write-ahead log at commit. The checkpoint, about once
//!   in a thousand pages and when the last connection closes, adds two. The anchor is never
//!   synced. (A closed store is therefore one complete file; a process that opens it for a
//!   single append while no driver lives pays three syncs.)
//!
//! # Which fault is noticed by what
//!
//! | fault | noticed by | when |
//! |---|---|---|
//! | torn or flipped bytes in the write-ahead log | SQLite's frame checksums: the log ends before the torn transaction; the anchor, when that transaction had been durable | open |
//! | a flipped byte in a record or one of its columns | the chain covers the bytes; the columns are compared with the bytes | every read, audit |
//! | a flipped byte in a run's row, an inbox item, a fold or a pass | the seal beside it | every read; a fold or pass is then ignored |
//! | records removed from the end | the run's row says where the journal ends | open (newest runs), append, audit |
//! | records removed from the middle, reordered, exchanged | gap in the numbers, chain | every read, audit |
//! | an older copy of the database put back | the anchor is ahead of it | open, append |
//! | another database put in its place | the anchor names another store; while open, the inode | open, append |
//! | the file deleted, cut or exchanged while open | `stat` against what was opened | before each write and again before its commit |
//! | the file deleted or cut to nothing while closed | an anchor without a database | open |
//! | malformed pages | SQLite | any use |
//! | an index that disagrees with its table | [`Store::verify_pages`] | audit |
//!
//! What is not noticed: a whole folder restored with its anchor (see the anchor's own page), and
//! a history rewritten with all its hashes by someone who may write the folder. The head hash in
//! commits and pull requests is for both.
//!
//! # Map
//!
//! `open` and `read_only` open, `schema` has the tables, `append` and `links` write, `runs` and
//! `read` read, `inbox` takes inputs from other processes, `passes` remembers checks, `audit`
//! recomputes everything, `anchor`, `rollback` and `identity` watch the file, `record` is the
//! format. [`blobs`] keeps large bytes beside the journal and [`lock`] says who drives; neither
//! touches the database.

mod anchor;
mod append;
mod audit;
pub mod blobs;
mod error;
mod identity;
mod inbox;
mod links;
pub mod lock;
mod open;
mod passes;
mod read;
mod read_only;
mod record;
mod rollback;
mod runs;
mod schema;

pub use append::{Append, AppendError, CreateRunError, Created, Listing, NewFold, NewRun};
pub use audit::{ChainReport, Problem, ProblemKind};
pub use error::{Fault, Part, ReadError};
pub use inbox::{InboxId, InboxItem, SettleError};
pub use open::{OpenError, Store};
pub use passes::{NewPass, Pass, PassKey};
pub use read::{Fold, Records};
pub use record::{ChainHash, Head, NewRecord, Record, Seq};
pub use runs::{Life, StoredRun};
