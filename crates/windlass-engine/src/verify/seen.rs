//! What was seen of one check, before it becomes a proof.

use std::time::Instant;

use windlass_core::plan::{Check, Holds};
use windlass_core::proof::{Blob, Proof};
use windlass_core::time::Span;

use super::commands::Ran;
use super::verifier::cut;

/// What was seen of one check.
#[derive(Clone)]
pub(super) struct Seen {
    holds: Holds,
    summary: String,
    /// What explains a failure, where no command does.
    excerpt: Option<String>,
    evidence: Option<Blob>,
}

impl Seen {
    pub(super) fn of(holds: bool, summary: String) -> Self {
        let holds = if holds { Holds::Yes } else { Holds::No };
        Self { holds, summary, excerpt: None, evidence: None }
    }

    /// Nobody can say whether it holds, so it does not count either way, also not under `not`.
    pub(super) fn unanswered(summary: String) -> Self {
        Self { holds: Holds::Unknown, summary, excerpt: None, evidence: None }
    }

    pub(super) fn yes(summary: String) -> Self {
        Self::of(true, summary)
    }

    pub(super) fn no(summary: String) -> Self {
        Self::of(false, summary)
    }

    pub(super) fn without_answer(self) -> Self {
        Self { holds: Holds::Unknown, ..self }
    }

    pub(super) fn explained(self, excerpt: String) -> Self {
        Self { excerpt: Some(excerpt), ..self }
    }

    pub(super) fn holds(&self) -> bool {
        self.holds == Holds::Yes
    }

    /// Says what another check saw under the name of this one.
    pub(super) fn renamed(self, check: &str) -> Self {
        let summary = match self.summary.strip_prefix("file ") {
            Some(rest) => format!("{check} {rest}"),
            None => self.summary,
        };
        Self { summary, ..self }
    }

    pub(super) fn with_evidence(self, evidence: Blob) -> Self {
        Self { evidence: Some(evidence), ..self }
    }

    pub(super) fn from_command(holds: bool, summary: String, ran: Ran) -> Self {
        let holds = match holds {
            true => Holds::Yes,
            false if ran.answered() => Holds::No,
            false => Holds::Unknown,
        };
        Self { holds, summary, excerpt: Some(ran.excerpt), evidence: ran.evidence }
    }

    /// What was seen of commands, whose output is kept.
    pub(super) fn kept(holds: Holds, summary: String, kept: (Option<Blob>, String)) -> Self {
        Self { holds, summary, excerpt: Some(kept.1), evidence: kept.0 }
    }

    pub(super) fn summary(&self) -> &str {
        &self.summary
    }

    pub(super) fn proof(self, check: &Check, began: Instant) -> Proof {
        let excerpt = self.excerpt.filter(|_| self.holds != Holds::Yes);
        Proof {
            check: check.id,
            holds: self.holds,
            strength: check.strength(),
            summary: cut(&self.summary, 400),
            excerpt: excerpt.filter(|text| !text.is_empty()),
            evidence: self.evidence,
            cached: false,
            took: Span(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)),
        }
    }
}
