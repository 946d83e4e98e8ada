//! Stories: items with acceptance criteria, a size, and stories that they depend on.
//!
//! - `Story` is what an item carries besides its id, title and body.
//! - [`parse`] reads the file that an agent wrote, or says everything that is wrong with it;
//!   [`designed`] says what is missing before the stories can be built.
//! - [`StoryWords`] are those of one story on a command line, read by the same rules.
//! - `testable` knows words that no test can show, [`circle`] finds stories that wait for each other.
//!
//! What a story claims about itself decides only what is asked of it; whether it is done is proven by
//! the steps that are repeated for it.

mod designed;
pub(crate) mod grammar;
mod order;
mod parse;
mod testable;
#[cfg(test)]
mod tests;
mod words;

pub use designed::designed;
pub use grammar::MAX_STORIES;
pub use order::circle;
pub use parse::{StoryEntry, StoryFile, is_story_id, parse};
pub use words::{StoryWords, WordMistake};

use serde::{Deserialize, Serialize};

use crate::id::ItemId;

/// One thing that is wrong with a file of stories.
pub type StoryMistake = crate::paper::Mistake;

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
