//! Text that people and agents write, read with its places.
//!
//! Whoever reads a file of YAML uses these, so that every mistake is named with its line and a
//! suggestion, in the same words:
//!
//! - [`yaml`] builds a bounded tree of nodes that know their place.
//! - [`key`] is a row of a grammar: one table per mapping, one row per key.
//! - [`fields`] reads typed values out of nodes by such a table.
//! - [`diagnostic`] collects what is wrong; [`suggest`] finds the name that was meant, and [`quote`]
//!   writes text as YAML.
//! - [`name`] says what can be a name.

pub(crate) mod diagnostic;
pub(crate) mod fields;
pub(crate) mod key;
pub(crate) mod name;
pub(crate) mod quote;
pub(crate) mod suggest;
pub(crate) mod yaml;

pub use diagnostic::{At, Diagnostic, Severity};
pub use suggest::nearest;
pub use yaml::MAX_SOURCE_BYTES;

pub(crate) use diagnostic::Located;
