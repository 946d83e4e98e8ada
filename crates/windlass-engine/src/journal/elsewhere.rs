//! Where other runs of the repository failed in the same way, and what became of it there.

use windlass_core::id::{ContentHash, RunId, StepId};
use windlass_core::proof::VerifyReport;
use windlass_core::run::{Event, FailedElsewhere, MAX_ELSEWHERE, MAX_ELSEWHERE_PATHS};
use windlass_core::time::Timestamp;

use super::record::{Entry, entry};
use crate::store::{Seq, Store};

/// Looks up failures with this signature in other runs than `run`, the newest first.
///
/// It is a hint for the next attempt and nothing that the run rests on: a run whose journal cannot be read
/// gives none, and `audit` is what tells of its damage.
pub fn elsewhere(store: &Store, run: &RunId, signature: &ContentHash) -> Vec<FailedElsewhere> {
    let kinds = ["step_not_proven", "round_failed"];
    let most = u32::try_from(MAX_ELSEWHERE).unwrap_or(u32::MAX);
    let found = store.find_in_others(run, kinds, signature.as_str(), most).unwrap_or_default();
    found.iter().filter_map(|(other, seq)| became(store, other, *seq, signature)).collect()
}

/// Reads on from a failure to the proof of its step, if there is one.
fn became(
    store: &Store,
    run: &RunId,
    seq: Seq,
    signature: &ContentHash,
) -> Option<FailedElsewhere> {
    let mut failed: Option<FailedElsewhere> = None;
    for record in store.records(run, seq).ok()? {
        let record = record.ok()?;
        let Entry::Event(event) = entry(&record).ok()? else { continue };
        match &mut failed {
            None => {
                let step = failed_so(&event, signature)?;
                failed = Some(new(run, step, record.time));
            }
            Some(failed) => {
                if let Some(report) = proven(&event, &failed.step) {
                    failed.proven = true;
                    let changed = report.changed.iter().take(MAX_ELSEWHERE_PATHS);
                    failed.changed = changed.cloned().collect();
                    break;
                }
            }
        }
    }
    failed
}

fn new(run: &RunId, step: StepId, at: Timestamp) -> FailedElsewhere {
    FailedElsewhere { run: run.clone(), step, at, proven: false, changed: Vec::new() }
}

/// The step that failed in this way, if the event says so.
#[expect(clippy::wildcard_enum_match_arm, reason = "the other events are no failures")]
fn failed_so(event: &Event, signature: &ContentHash) -> Option<StepId> {
    let (step, failure) = match event {
        Event::StepNotProven { step, failure, .. } => (step, failure),
        Event::RoundFailed { attempt, failure, .. } => (&attempt.step, failure),
        _ => return None,
    };
    (failure.signature == *signature).then(|| step.clone())
}

fn proven<'e>(event: &'e Event, failed: &StepId) -> Option<&'e VerifyReport> {
    match event {
        Event::StepProven { step, report, .. } if step == failed => Some(report),
        _ => None,
    }
}
