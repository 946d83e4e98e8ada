//! What an agent wants to know before it goes on, and what it was told.
//!
//! - [`parse`] reads the file that an agent wrote, or says everything that is wrong with it.
//! - [`is_assumable`] says whether silence may answer a question with its recommendation.
//!
//! Windlass itself adds the last choice of every question: to leave it to the agents.

mod assume;
pub(crate) mod grammar;
mod parse;
#[cfg(test)]
mod tests;

pub use assume::is_assumable;
pub use grammar::MAX_QUESTIONS;
pub use parse::{parse, valid_categories};

use serde::{Deserialize, Serialize};

/// One thing that is wrong with a file of questions.
pub type QuestionMistake = crate::paper::Mistake;

/// The id of the choice that windlass adds.
pub const JUDGMENT: &str = "judgment";

/// The text of the choice that windlass adds.
pub const JUDGMENT_TEXT: &str = "use your judgment";

/// What the questions stand before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The goal is broken into stories.
    Analysis,
    /// The stories are designed.
    Planning,
    /// A story is built.
    Development,
}

impl Phase {
    /// Every phase, in order.
    pub const ALL: [Self; 3] = [Self::Analysis, Self::Planning, Self::Development];

    /// Returns the phase as it stands in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Analysis => "analysis",
            Self::Planning => "planning",
            Self::Development => "development",
        }
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One question with its choices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its name within its phase, such as `Q1`.
    pub id: String,
    /// What it stands before.
    pub phase: Phase,
    /// What it is about, such as `scope`.
    pub category: String,
    /// What is asked, in one line.
    pub question: String,
    /// What can be chosen; the last one is [`JUDGMENT`].
    pub options: Vec<Choice>,
    /// The choice that the agent recommends.
    pub recommended: String,
    /// Why it asks, and what the answer changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
}

/// One choice of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Its name within the question, such as `a`.
    pub id: String,
    /// What it is, in one line.
    pub text: String,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The question.
    pub question: String,
    /// The choice, if one was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    /// Own words, if somebody used them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Who answered.
    pub by: AnsweredBy,
}

/// Who answered a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AnsweredBy {
    /// A person of this name.
    Person(String),
    /// Nobody: the recommendation was taken.
    Assumed,
}

impl Question {
    /// Returns the choice with this id.
    pub fn choice(&self, id: &str) -> Option<&Choice> {
        self.options.iter().find(|choice| choice.id.eq_ignore_ascii_case(id))
    }

    /// Returns the recommendation as an answer that nobody gave, where silence may answer.
    pub fn assumed(&self) -> Option<Answer> {
        is_assumable(self).then(|| Answer {
            question: self.id.clone(),
            choice: Some(self.recommended.clone()),
            text: None,
            by: AnsweredBy::Assumed,
        })
    }
}
