//! Clarifications: what agents asked before they went on, and what they were told.

use serde::{Deserialize, Serialize};

use crate::id::StepId;
use crate::question::{Answer, AnsweredBy, Phase, Question};
use crate::time::{Span, Timestamp};

/// How long questions wait for an answer unless the configuration says otherwise.
pub const QUESTIONS_WAIT: Span = Span::minutes(5);

/// One question and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clarification {
    /// The step that asked; none when a person said it unasked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// What was asked.
    pub question: Question,
    /// When silence answers it, where silence may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// What was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

impl Clarification {
    /// Returns the answer in words.
    pub fn words(&self) -> Option<String> {
        let answer = self.answer.as_ref()?;
        let chosen = answer.choice.as_deref().and_then(|id| self.question.choice(id));
        Some(match (chosen, &answer.text) {
            (Some(choice), Some(text)) => format!("{} ({text})", choice.text),
            (Some(choice), None) => choice.text.clone(),
            (None, Some(text)) => text.clone(),
            (None, None) => String::new(),
        })
    }

    /// Returns whether nobody answered and the recommendation was taken.
    pub fn is_assumed(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.by == AnsweredBy::Assumed)
    }

    /// Returns what it stands before.
    pub fn phase(&self) -> Phase {
        self.question.phase
    }
}
