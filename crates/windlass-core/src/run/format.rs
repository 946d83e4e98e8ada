//! The versions of what is stored.
//!
//! A newer program reads what an older one wrote. An older program must refuse what a newer one wrote
//! instead of dropping what it does not know, so the numbers are raised on the day a shape changes.
//! `tests/journals/shape.rs` fails when a shape changes and its number does not.

/// The version of inputs and events. A store that has a newer one is refused.
///
/// - 1: the first.
/// - 2: roles, findings, publications, conversations that go on.
/// - 3: sessions, stories, blockers, questions, cold proofs, held tests, boxes, pauses by a fault.
/// - 4: where other runs failed in the same way, who plays the agents since a person chose anew.
pub const JOURNAL_FORMAT: u32 = 4;

/// The version of the stored fold. A fold of another version is ignored, and the journal is read from
/// its first record.
pub const FOLD_FORMAT: u32 = 7;
