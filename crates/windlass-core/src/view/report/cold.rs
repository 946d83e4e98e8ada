//! What the report says about the last proof: on a fresh clone, or left out.

use serde::Serialize;

use crate::plan::Holds;
use crate::run::RunState;
use crate::view::history::History;

/// The last proof of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportCold {
    /// Whether the workflow says `cold: false`, or a person let the run end without it.
    pub left_out: bool,
    /// Why a person did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waived: Option<String>,
    /// What the last proof on a fresh clone came to.
    pub holds: Option<Holds>,
    /// How many checks it had.
    pub checks: usize,
    /// The code.
    pub code: Option<String>,
    /// What did not hold, or was not answered.
    pub failed: Vec<String>,
    /// Whether the code has changed since.
    pub stale: bool,
}

impl ReportCold {
    /// Returns it in a sentence.
    pub fn words(&self) -> String {
        if let Some(reason) = &self.waived {
            return match self.failed.first() {
                Some(_) => format!("left out by a person ({reason}); before that {}", self.seen()),
                None => format!("left out by a person: {reason}"),
            };
        }
        if self.left_out {
            return "left out: the workflow says `cold: false`, so nothing was proven on a fresh clone"
                .to_owned();
        }
        match self.stale {
            true => format!("of earlier code: {}", self.seen()),
            false => self.seen(),
        }
    }

    /// What the last proof came to.
    fn seen(&self) -> String {
        let checks = match self.checks {
            1 => "1 check".to_owned(),
            count => format!("{count} checks"),
        };
        let failed = || match self.failed.first() {
            Some(first) => format!(": {first}"),
            None => String::new(),
        };
        match self.holds {
            Some(Holds::Yes) => {
                format!("all checks passed once more on a fresh clone: {checks}")
            }
            Some(Holds::No) => format!("it failed on a fresh clone{}", failed()),
            Some(Holds::Unknown) | None => {
                format!("the checks on a fresh clone could not run{}", failed())
            }
        }
    }
}

/// Projects the last proof; none where there was none yet, or nothing to prove.
pub(super) fn report_cold(state: &RunState, history: &History) -> Option<ReportCold> {
    let waived = state.facts.no_cold.clone().or_else(|| state.cold.waived.clone());
    let last = history.cold.last();
    if last.is_none() && state.plan.cold && waived.is_none() {
        return None;
    }
    let proofs = last.map_or(&[][..], |last| &last.proofs);
    let failed = proofs.iter().filter(|proof| proof.holds != Holds::Yes);
    let mut failed: Vec<String> = failed.map(|proof| proof.summary.clone()).collect();
    if failed.is_empty() {
        failed.extend(last.and_then(|last| last.why.clone()));
    }
    Some(ReportCold {
        left_out: !state.plan.cold || waived.is_some(),
        waived,
        holds: last.map(|last| last.holds),
        checks: proofs.len(),
        code: last.map(|last| last.code.as_str().to_owned()),
        failed,
        stale: last.is_some_and(|last| last.code != state.proven_code),
    })
}
