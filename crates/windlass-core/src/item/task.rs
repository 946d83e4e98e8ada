//! What becomes an item.

use crate::id::ItemId;

/// One entry of a task list.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its name.
    pub id: ItemId,
    /// Its first line.
    pub title: String,
    /// What is indented below it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// What makes it a story.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<super::Story>,
    /// Whether its box is ticked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ticked: bool,
}
