//! What the report says about the last proof: on a fresh clone, or left out.

use serde::Serialize;

use crate::plan::Holds;
use crate::run::RunState;
use crate::view::history::History;

/// The last proof of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportCold {
    /// Whether the workflow says `cold: false`.
    pub left_out: bool,
    /// What the last proof on a fresh clone came to.
    pub holds: Option<Holds>,
    /// How many checks it had.
    pub checks: usize,
    /// The code.
    pub code: Option<String>,
    /// What did not hold, or was not answered.
    pub failed: Vec<String>,
}

impl ReportCold {
    /// Returns it in a sentence.
    pub fn words(&self) -> String {
        let checks = match self.checks {
            1 => "1 check".to_owned(),
            count => format!("{count} checks"),
        };
        let failed = || match self.failed.first() {
            Some(first) => format!(": {first}"),
            None => String::new(),
        };
        match self.holds {
            _ if self.left_out => {
                "left out: the workflow says `cold: false`, so nothing was proven on a fresh clone"
                    .to_owned()
            }
            Some(Holds::Yes) => {
                format!(
                    "everything that has to hold was proven once more on a fresh clone: {checks}"
                )
            }
            Some(Holds::No) => format!("it did not hold on a fresh clone{}", failed()),
            Some(Holds::Unknown) | None => format!("on a fresh clone it has no answer{}", failed()),
        }
    }
}

/// Projects the last proof; none where there was none yet, or nothing to prove.
pub(super) fn report_cold(state: &RunState, history: &History) -> Option<ReportCold> {
    if !state.plan.cold {
        return Some(ReportCold {
            left_out: true,
            holds: None,
            checks: 0,
            code: None,
            failed: Vec::new(),
        });
    }
    let last = history.cold.last()?;
    let failed = last.proofs.iter().filter(|proof| proof.holds != Holds::Yes);
    Some(ReportCold {
        left_out: false,
        holds: Some(last.holds),
        checks: last.proofs.len(),
        code: Some(last.code.as_str().to_owned()),
        failed: failed.map(|proof| proof.summary.clone()).collect(),
    })
}
