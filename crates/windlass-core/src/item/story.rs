//! What makes an item a story.

use serde::{Deserialize, Serialize};

use crate::id::ItemId;

/// What makes an item a story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    /// How large it is; it decides how much coverage is asked for.
    pub size: Size,
    /// What has to be true for users when it is done.
    pub criteria: Vec<AcceptanceCriterion>,
    /// Whether somebody has to look at its security.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub security: bool,
    /// Stories that have to be done first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<ItemId>,
    /// Files that it is expected to touch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How it is to be built, in a few sentences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<String>,
}

/// One thing that has to be true for users when a story is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptanceCriterion {
    /// Its name within the story, such as `AC1`.
    pub id: String,
    /// What has to be true.
    pub text: String,
}

/// How large a story is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the documented list")]
pub enum Size {
    S,
    M,
    L,
    XL,
}

impl Size {
    /// Every size, the smallest first.
    pub const ALL: [Self; 4] = [Self::S, Self::M, Self::L, Self::XL];

    /// Returns the size as it stands in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::M => "M",
            Self::L => "L",
            Self::XL => "XL",
        }
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
