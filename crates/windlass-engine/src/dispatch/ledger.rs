//! What other runs should know of a decision: limits, and what attempts used.
//!
//! It is written after the decision is durable. What a crash keeps from being written is read from
//! the journal by whoever comes next; a limit that is lost that way is met again.

use windlass_core::id::StepId;
use windlass_core::proof::Outcome;
use windlass_core::run::{Category, Event, Phase, RunState, limit_without_reset};
use windlass_core::time::Timestamp;

use super::site::Site;
use crate::fault;
use crate::journal::{Journal, Step};
use crate::machine::Limit;

/// Takes note of one decision.
pub(super) fn note(site: &Site, journal: &Journal, step: &Step) {
    let mut ended = false;
    for event in &step.events {
        match event {
            Event::AttemptEnded { attempt, report, .. } => {
                ended = true;
                let (now, outcome) = (step.input.at, &report.outcome);
                if let Some((_, account)) = site.account(journal.state(), &attempt.step) {
                    note_limit(site, journal.state(), &attempt.step, &account, outcome, now);
                }
            }
            Event::AttemptLost { .. } => ended = true,
            _ => {}
        }
    }
    if ended {
        fault::point("before-ledger");
        catch_up(site, journal);
    }
}

/// Adds what the attempts of the run used and nobody has added yet.
pub(super) fn catch_up(site: &Site, journal: &Journal) {
    let caught = site.machine.catch_up(journal.stored(), &site.user.key, journal.state());
    if let Err(error) = caught {
        site.machine.warn("what attempts used is not added up yet", &error);
    }
}

fn note_limit(
    site: &Site,
    state: &RunState,
    step: &StepId,
    account: &str,
    outcome: &Outcome,
    now: Timestamp,
) {
    // Other runs wait as long as this one was told to.
    let phase = state.plan.find(step).map(|index| &state.step(index).phase);
    let no_end = match phase {
        Some(Phase::Waiting { until, limit: true }) => *until,
        _ => now.plus(limit_without_reset(1)),
    };
    let noted = match outcome {
        Outcome::ProviderLimit { resets_at, message } => {
            let (until, seen_by) = (resets_at.unwrap_or(no_end), state.facts.run.clone());
            site.machine.note_limit(
                account,
                &Limit { until, message: message.clone(), seen_by },
                now,
            )
        }
        Outcome::AgentFailed { category: Category::Limit, message } => {
            let (until, seen_by) = (no_end, state.facts.run.clone());
            site.machine.note_limit(
                account,
                &Limit { until, message: message.clone(), seen_by },
                now,
            )
        }
        Outcome::Exited { code: 0 } => site.machine.clear_limit(account, now),
        _ => return,
    };
    if let Err(error) = noted {
        site.machine.warn("other runs do not learn of the account's limit", &error);
    }
}
