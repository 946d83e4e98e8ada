//! Stories: items with acceptance criteria, a size, and stories that they depend on.
//!
//! - [`Story`] is what an item carries besides its id, title and body.
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
mod planned;
mod testable;
#[cfg(test)]
mod tests;
mod words;

pub use crate::item::{AcceptanceCriterion, Size, Story};
pub use designed::designed;
pub use grammar::MAX_STORIES;
pub use order::circle;
pub use parse::{StoryEntry, StoryFile, is_story_id, parse};
pub use planned::{PlannedStory, planned, unwritten};
pub use words::{StoryWords, WordMistake};

/// One thing that is wrong with a file of stories.
pub type StoryMistake = crate::paper::Mistake;
