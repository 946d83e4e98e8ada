//! How the commits of a run are written.

use serde::{Deserialize, Serialize};

/// How the commits of a run are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitStyle {
    /// Whether subjects begin with a type: `feat: …`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conventional: bool,
    /// A template for subjects, instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What becomes one commit where the run is published.
    #[serde(default, skip_serializing_if = "Squash::is_none")]
    pub squash: Squash,
}

impl CommitStyle {
    /// Whether everything is as it is unless somebody says otherwise.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// What becomes one commit where a run is published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Squash {
    /// Every proven step is a commit of its own.
    #[default]
    None,
    /// The steps of a story are one commit.
    Story,
    /// All of the run is one commit.
    Run,
}

impl Squash {
    /// The words for it.
    pub const WORDS: [(&str, Self); 3] =
        [("none", Self::None), ("story", Self::Story), ("run", Self::Run)];

    fn is_none(&self) -> bool {
        *self == Self::None
    }
}
