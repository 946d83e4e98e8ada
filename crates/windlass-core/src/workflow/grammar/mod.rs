//! The grammar of a workflow file, as tables.
//!
//! One table per mapping, one row per key. The readers know a key because it has a row here, and
//! the JSON Schema and the reference are built from the same rows: a key cannot be accepted and
//! undocumented, nor documented and refused. Whoever adds a key adds its row and reads it; whoever
//! adds a kind of check adds its table to [`CHECKS`].

mod check;
mod file;
mod paper_check;
mod step;
mod team;
mod words;

pub(super) use check::{
    CHECKLIST, CHECKS, COVERAGE, DIFF, FILE, GREEN, JUNIT, RED, ROOM, RUN, VERDICT, check_kinds,
};
pub(super) use file::{BACKOFF, DEFAULTS, INPUT, LIMITS, PREPARE, PROTECT, SERVER, WORKFLOW};
pub(super) use paper_check::{QUESTIONS, STORIES, VERDICT_IN};
pub(super) use step::{FAILED, PLATFORM_FIX, PULL_REQUEST, READ, REPORT, ROLLBACK, ROUTE, STEP};
pub(super) use team::{HUB, SPOKE, TEAM};
pub(super) use words::{
    BASELINE, BUILTIN, Builtin, COMMIT, EXHAUSTED, FIXES, FOREACH, GATE, INPUT_TYPES, NETWORK, OK,
    ONLY, PHASES, PLATFORM_CHECKS, PUBLISHED_TYPES, REPORT_KINDS, ROOM_NETWORK, SKIP, TRUST, WAIVE,
    WHOLE_DIFF,
};
