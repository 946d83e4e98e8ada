//! What people ask of a run, as it travels through the inbox.

use serde::{Deserialize, Serialize};
use windlass_core::id::{GateId, ItemId, StepId};
use windlass_core::item::{ItemChange, NewItem};
use windlass_core::question::Phase;
use windlass_core::run::{
    About, Category, Control, Decision, NewBlocker, PlayedBy, Presence, Raise, Rejected, RunState,
};
use windlass_core::snapshot::Snapshot;

/// What a person asks of a run.
///
/// It becomes a [`Decision`] where it is taken up, because some decisions need to know what the
/// files are at that moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of `Decision`")]
pub enum Request {
    /// See [`Decision::Approve`].
    Approve { gate: GateId, message: Option<String> },
    /// See [`Decision::Feedback`]; to what this gate shows, where one was shown.
    Feedback {
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gate: Option<GateId>,
    },
    /// See [`Decision::Rollback`].
    Rollback {
        step: StepId,
        message: String,
        reset_code: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        checkpoint: Option<String>,
    },
    /// See [`Decision::Checkpoint`].
    Checkpoint { name: Option<String> },
    /// See [`Decision::PublishDraft`].
    PublishDraft,
    /// See [`Decision::Answer`].
    Answer { question: String, choice: Option<String>, text: Option<String> },
    /// See [`Decision::Clarify`].
    Clarify { phase: Phase, category: String, question: String, text: String },
    /// See [`Decision::Skip`].
    Skip {
        step: StepId,
        reason: String,
        #[serde(default)]
        keep: bool,
    },
    /// See [`Decision::Pause`].
    Pause { now: bool },
    /// See [`Decision::Resume`].
    Resume { raise: Raise },
    /// See [`Decision::PlayBy`].
    PlayBy { played_by: PlayedBy },
    /// See [`Decision::WaiveCold`].
    WaiveCold { reason: String },
    /// See [`Decision::RetryReset`].
    RetryReset { step: Option<StepId> },
    /// See [`Decision::AddItem`].
    AddItem { item: NewItem },
    /// See [`Decision::UpdateItem`].
    UpdateItem { item: ItemId, change: ItemChange },
    /// See [`Decision::MoveItem`].
    MoveItem { item: ItemId, before: Option<ItemId> },
    /// See [`Decision::Block`].
    Block { blocker: NewBlocker },
    /// See [`Decision::Fixed`].
    Fixed { what: Option<String>, notes: Option<String> },
    /// See [`Decision::NoteFailure`].
    NoteFailure { about: About, category: Category, summary: String },
    /// See [`Decision::Abort`].
    Abort { reason: Option<String> },
}

impl Request {
    /// Returns whether the decision is about the files as they are.
    pub(super) fn needs_files(&self) -> bool {
        matches!(
            self,
            Self::Approve { .. }
                | Self::Feedback { .. }
                | Self::Rollback { .. }
                | Self::Checkpoint { .. }
        )
    }

    /// Returns whether this accepts work, lets it pass or directs it: what a person has to say in person
    /// where an agent could have said it too. Stopping a run and noting something is no such thing.
    pub(super) fn needs_person(&self, state: &RunState) -> bool {
        match self {
            Self::Approve { .. }
            | Self::Feedback { .. }
            | Self::Rollback { .. }
            | Self::Skip { .. }
            | Self::PlayBy { .. }
            | Self::WaiveCold { .. }
            | Self::RetryReset { .. }
            | Self::PublishDraft
            | Self::Answer { .. }
            | Self::Clarify { .. }
            | Self::UpdateItem { .. }
            | Self::Fixed { .. } => true,
            // It says that something was solved, or accepts settings that were told about.
            Self::Resume { raise } => {
                *raise != Raise::default() || matches!(state.control, Control::Obstructed { .. })
            }
            Self::Checkpoint { .. }
            | Self::Pause { .. }
            | Self::AddItem { .. }
            | Self::MoveItem { .. }
            | Self::Block { .. }
            | Self::NoteFailure { .. }
            | Self::Abort { .. } => false,
        }
    }

    /// Says why feedback to a gate cannot be taken: what it was about is over.
    pub(super) fn stale(&self, open: Option<GateId>) -> Option<Rejected> {
        match (self, open) {
            (Self::Feedback { gate: Some(shown), .. }, Some(now)) if *shown != now => {
                Some(Rejected::StaleGate { shown: *shown, now })
            }
            (Self::Feedback { gate: Some(_), .. }, None) => Some(Rejected::NoGate),
            _ => None,
        }
    }

    /// Makes the decision; `observed` and `changed` are the files now and what differs from what
    /// was shown.
    pub(super) fn decide(self, observed: Snapshot, changed: Vec<String>) -> Decision {
        match self {
            Self::Approve { gate, message } => {
                Decision::Approve { gate, message, observed, changed }
            }
            Self::Feedback { message, .. } => Decision::Feedback { message, observed },
            Self::Rollback { step, message, reset_code, checkpoint } => {
                Decision::Rollback { step, message, reset_code, checkpoint, observed }
            }
            Self::Checkpoint { name } => Decision::Checkpoint { name, observed },
            Self::PublishDraft => Decision::PublishDraft,
            Self::Answer { question, choice, text } => Decision::Answer { question, choice, text },
            Self::Clarify { phase, category, question, text } => {
                Decision::Clarify { phase, category, question, text }
            }
            Self::Skip { step, reason, keep } => Decision::Skip { step, reason, keep },
            Self::Pause { now } => Decision::Pause { now },
            Self::Resume { raise } => Decision::Resume { raise },
            Self::PlayBy { played_by } => Decision::PlayBy { played_by },
            Self::WaiveCold { reason } => Decision::WaiveCold { reason },
            Self::RetryReset { step } => Decision::RetryReset { step },
            Self::AddItem { item } => Decision::AddItem { item },
            Self::UpdateItem { item, change } => Decision::UpdateItem { item, change },
            Self::MoveItem { item, before } => Decision::MoveItem { item, before },
            Self::Block { blocker } => Decision::Block { blocker },
            Self::Fixed { what, notes } => Decision::Fixed { what, notes },
            Self::NoteFailure { about, category, summary } => {
                Decision::NoteFailure { about, category, summary }
            }
            Self::Abort { reason } => Decision::Abort { reason },
        }
    }
}

/// A request as it lies in the inbox, with from where it came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Posted {
    pub(super) request: Request,
    pub(super) presence: Presence,
}

impl Posted {
    pub(super) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads a request; one that an earlier version left in the inbox does not say from where it came.
    pub(super) fn read(bytes: &[u8]) -> Result<(Request, Option<Presence>), serde_json::Error> {
        match serde_json::from_slice::<Self>(bytes) {
            Ok(Self { request, presence }) => Ok((request, Some(presence))),
            Err(_) => serde_json::from_slice(bytes).map(|request| (request, None)),
        }
    }
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// It was taken.
    Accepted,
    /// It was not taken, and why.
    Rejected {
        /// The reason, in a sentence.
        message: String,
        /// What to do next.
        hint: Option<String>,
    },
    /// The files changed since they were shown; the step is verified again.
    Changed {
        /// The paths that changed.
        paths: Vec<String>,
    },
}

/// An answer of another version of windlass.
#[derive(Debug, thiserror::Error)]
#[error("the answer to the request cannot be read; `windlass status` says what became of it")]
pub struct UnreadableAnswer(#[source] serde_json::Error);

impl Answer {
    /// Reads an answer as it stands in the inbox.
    ///
    /// # Errors
    /// It was written by another version. It may be a refusal, so nobody is told that it was accepted.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, UnreadableAnswer> {
        serde_json::from_slice(bytes).map_err(UnreadableAnswer)
    }

    /// Says why the core did not take a request, and what to do next.
    pub fn rejected(rejected: &Rejected) -> Self {
        if let Some(hint) = about_items(rejected) {
            return Self::Rejected { message: rejected.to_string(), hint: Some(hint) };
        }
        let hint = match rejected {
            Rejected::Bug { .. } => Some(
                "this is a fault of windlass: `windlass doctor --bundle FILE` collects a report",
            ),
            Rejected::NoGate => Some("`windlass status` says what the run waits for"),
            Rejected::StaleGate { .. } => Some("look at `windlass status` and answer again"),
            Rejected::Busy { .. } => Some("wait for it, or stop it with `windlass pause --now`"),
            Rejected::Exhausted { .. } => Some(
                "give it new tries with `windlass retry-reset`, say what to do differently with \
                 `windlass feedback`, or skip it with `windlass skip`",
            ),
            Rejected::NotPublished { published, .. } if published.is_empty() => {
                Some("the step publishes nothing; add the key to its `publishes`")
            }
            Rejected::NotPublished { .. } => {
                Some("only keys with a type in the step's `publishes` can be set")
            }
            Rejected::PublishedTooOften { .. } => Some("publish what is known at the end, once"),
            Rejected::TooLarge { .. } => {
                Some("write a file into `.windlass/run/reports` and publish its path")
            }
            Rejected::NobodyWorks { .. } => Some(
                "send the step that has to be done again back with `windlass rollback STEP MSG`",
            ),
            Rejected::NotYourWork { .. } => {
                Some("an agent notes failures of its own story or step")
            }
            Rejected::NoteTooLong => {
                Some("write the rest into `.windlass/run/reports` and name the file")
            }
            Rejected::UnknownStep { .. } => Some("`windlass status` lists the steps"),
            Rejected::NoReason => Some("say why, so that it can be read in the report"),
            Rejected::Ended
            | Rejected::AlreadyStarted
            | Rejected::StaleAttempt { .. }
            | Rejected::StaleVerification
            | Rejected::NotExpected
            | Rejected::NoSession
            | Rejected::Taken { .. }
            | Rejected::WrongType { .. }
            | Rejected::StepFinished { .. }
            | Rejected::NotBegun { .. }
            | Rejected::NotPaused
            | Rejected::AlreadyPaused
            | Rejected::NoColdProof
            | Rejected::NotAPerson
            | Rejected::NoItems
            | Rejected::NoForeach { .. }
            | Rejected::WhichForeach { .. }
            | Rejected::UnknownItem { .. }
            | Rejected::ItemTaken { .. }
            | Rejected::ItemBegun { .. }
            | Rejected::ItemSkipped { .. }
            | Rejected::ItemNotSkipped { .. }
            | Rejected::NotYourItem { .. }
            | Rejected::MayNotAddItems { .. }
            | Rejected::TooManyItems { .. }
            | Rejected::ItemsTooLarge
            | Rejected::ItemsAreAdded
            | Rejected::BadItem(_)
            | Rejected::DependencyCycle { .. }
            | Rejected::BeforeItself { .. }
            | Rejected::AlreadyOver { .. }
            | Rejected::NothingFailed => None,
            Rejected::UnknownCheckpoint { .. } => Some("`windlass checkpoint list` shows them"),
            Rejected::CheckpointTaken { .. } => Some("give it another name"),
            Rejected::UnknownQuestion { .. } | Rejected::UnknownChoice { .. } => {
                Some("`windlass clarify list` shows what is asked, and the choices")
            }
            Rejected::NothingToPublish
            | Rejected::NothingLeftOut
            | Rejected::BadCheckpoint
            | Rejected::TooManyClarifications { .. }
            | Rejected::AnswerTooLong => None,
            Rejected::UnknownCategory { .. } => Some(
                "before analysis: scope, priority, constraints, integration, users, data, errors; before \
                 planning: order, preferences, careful, missing",
            ),
            Rejected::BadBlocker => Some("say the rest in a file and name its path"),
            Rejected::TooManyBlockers { .. } | Rejected::WhichBlocker { .. } => {
                Some("`windlass blocker list` shows them; name one: `windlass fixed 1`")
            }
            Rejected::WhichBlocked { .. } => {
                Some("`windlass status` shows them; name one: `windlass fixed STORY`")
            }
            Rejected::NothingBlocked { .. } => {
                Some("`windlass status` says what the run waits for")
            }
        };
        Self::Rejected { message: rejected.to_string(), hint: hint.map(str::to_owned) }
    }
}

/// What to do when something about items was not taken.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are not about items")]
fn about_items(rejected: &Rejected) -> Option<String> {
    let hint = match rejected {
        Rejected::NoItems | Rejected::NoForeach { .. } => {
            "a step with `foreach: items` does; its workflow says so".to_owned()
        }
        Rejected::WhichForeach { steps } => {
            let names: Vec<&str> = steps.iter().map(StepId::as_str).collect();
            format!("name one of them with `--step`: {}", names.join(", "))
        }
        Rejected::UnknownItem { item, known } => {
            let names = known.iter().map(ItemId::as_str);
            match windlass_core::workflow::nearest(item.as_str(), names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`windlass item list` shows them".to_owned(),
            }
        }
        Rejected::ItemTaken { item } => {
            format!("give another id with `--id`, or change it: `windlass item update {item}`")
        }
        Rejected::ItemBegun { .. } => {
            "its steps are part of the run: send one back with `windlass rollback`, or do without \
             it with `windlass item update ID --skip REASON`"
                .to_owned()
        }
        Rejected::ItemSkipped { item } => {
            format!("`windlass item update {item} --reopen` takes it up again")
        }
        Rejected::NotYourItem { .. } => {
            "an agent changes only what its own step asked for".to_owned()
        }
        Rejected::MayNotAddItems { .. } => {
            "only a step that publishes `items: array` may".to_owned()
        }
        Rejected::TooManyItems { .. } => {
            "skip one with `windlass item update ID --skip REASON`, or raise `max` for the next run"
                .to_owned()
        }
        Rejected::ItemsTooLarge => "write a document and name its path in the body".to_owned(),
        Rejected::ItemsAreAdded => "add them with `windlass item add TITLE`".to_owned(),
        Rejected::BadItem(bad) => bad.help(),
        _ => return None,
    };
    Some(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_from_before_it_was_told_from_where_it_came_can_be_read() {
        let request = Request::Pause { now: true };
        let old = serde_json::to_vec(&request).unwrap();
        assert_eq!(Posted::read(&old).unwrap(), (request.clone(), None));
        let presence = Presence::from(windlass_core::run::DecidedFrom::NoTerminal);
        let new = Posted { request: request.clone(), presence: presence.clone() }.bytes();
        assert_eq!(Posted::read(&new).unwrap(), (request, Some(presence)));
        assert!(Posted::read(b"{}").is_err());
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_no_acceptance() {
        let accepted = serde_json::to_vec(&Answer::Accepted).unwrap();
        assert_eq!(Answer::read(&accepted).unwrap(), Answer::Accepted);
        for unknown in [&b""[..], b"{}", b"\"postponed\"", br#"{"rejected":{"because":"no"}}"#] {
            assert!(Answer::read(unknown).is_err());
        }
    }
}
