//! A run's events with their numbers and times, and the state after each of them.

use crate::run::{Event, IllegalEvent, RunState};
use crate::time::Timestamp;

/// One event of a run, with its position in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The number of its record.
    pub seq: u64,
    /// When it was recorded.
    pub at: Timestamp,
    /// Who caused it.
    pub actor: String,
    /// What happened.
    pub event: Event,
}

/// Why a trail cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum TrailError {
    /// There is no first event.
    #[error("the journal has no events up to there")]
    Empty,
    /// An event does not fit what happened before it.
    #[error("the journal is inconsistent at record {seq}")]
    Illegal {
        /// The record.
        seq: u64,
        /// What does not fit.
        #[source]
        source: IllegalEvent,
    },
}

/// Folds a trail, and shows each event with the state before (none for the first) and after it.
///
/// # Errors
/// The trail is empty, or does not make sense.
pub fn follow(
    trail: &[Told],
    mut show: impl FnMut(&Told, Option<&RunState>, &RunState),
) -> Result<RunState, TrailError> {
    let mut state: Option<RunState> = None;
    for told in trail {
        let illegal = |source| TrailError::Illegal { seq: told.seq, source };
        let after = match &state {
            // A copy is cheap: states share what they have in common.
            Some(before) => {
                let mut after = before.clone();
                after.apply(told.at, &told.event).map_err(illegal)?;
                after
            }
            None => RunState::begin(told.at, &told.event).map_err(illegal)?,
        };
        show(told, state.as_ref(), &after);
        state = Some(after);
    }
    state.ok_or(TrailError::Empty)
}
