//! What was seen of one check, before it becomes a proof.

use std::time::Instant;

use windlass_core::failure_rules::Cause;
use windlass_core::plan::{Check, Holds};
use windlass_core::proof::{Blob, Proof};
use windlass_core::time::Span;

use super::causes::Ended;
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
    /// How its command ended, where it has one.
    ended: Option<Box<Ended>>,
    cause: Option<Box<Cause>>,
}

impl Seen {
    pub(super) fn of(holds: bool, summary: String) -> Self {
        let holds = if holds { Holds::Yes } else { Holds::No };
        Self { holds, summary, excerpt: None, evidence: None, ended: None, cause: None }
    }

    /// Nobody can say whether it holds, so it does not count either way, also not under `not`.
    pub(super) fn unanswered(summary: String) -> Self {
        Self { holds: Holds::Unknown, ..Self::of(false, summary) }
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

    pub(super) fn fails(&self) -> bool {
        self.holds == Holds::No
    }

    /// Adds to what was seen.
    pub(super) fn but(self, what: &str) -> Self {
        Self { summary: format!("{}; {what}", self.summary), ..self }
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
        let ended = Some(Box::new(Ended::of(&ran.report)));
        let (excerpt, evidence) = (Some(ran.excerpt), ran.evidence);
        Self { holds, summary, excerpt, evidence, ended, cause: None }
    }

    /// What was seen of commands, whose output is kept.
    pub(super) fn kept(holds: Holds, summary: String, kept: (Option<Blob>, String)) -> Self {
        Self { holds, excerpt: Some(kept.1), evidence: kept.0, ..Self::of(false, summary) }
    }

    pub(super) fn that_ended(self, ended: Option<Ended>) -> Self {
        Self { ended: ended.map(Box::new), ..self }
    }

    pub(super) fn because(self, cause: Cause) -> Self {
        Self { cause: Some(Box::new(cause)), ..self }
    }

    pub(super) fn ended(&self) -> Option<&Ended> {
        self.ended.as_deref()
    }

    pub(super) fn evidence(&self) -> Option<&Blob> {
        self.evidence.as_ref()
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
            cause: self.cause.filter(|_| self.holds != Holds::Yes).map(|cause| *cause),
        }
    }
}
