//! Words of the grammar that this version does not run yet.
//!
//! A workflow that uses one is refused: a key that were read over would promise a check or a limit
//! that nobody keeps. Whoever builds one of these deletes its row.

/// Keys of a step.
pub(super) const STEP_KEYS: [&str; 2] = ["concurrency", "may_read"];

/// Kinds of check.
pub(super) const CHECKS: [&str; 0] = [];
