//! Stories before anybody builds them: what a person decides about.

use serde::{Deserialize, Serialize};

use super::{Size, StoryEntry, StoryFile, StoryMistake};
use crate::id::ItemId;

/// A story that is to be built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedStory {
    /// Its name.
    pub id: ItemId,
    /// What it is, in one line.
    pub title: String,
    /// How large it is.
    pub size: Size,
    /// How many criteria it has.
    pub criteria: u32,
    /// Whether somebody looks at its security.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub security: bool,
    /// Stories that come before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<ItemId>,
}

/// Returns the stories of a file in the order in which they come up: that of the file, but each after
/// those that it depends on.
pub fn planned(file: &StoryFile) -> Vec<PlannedStory> {
    let mut waiting: Vec<&StoryEntry> = file.stories.iter().collect();
    let mut order: Vec<PlannedStory> = Vec::new();
    while !waiting.is_empty() {
        let in_file = |id: &ItemId| file.stories.iter().any(|entry| entry.id == *id);
        let comes_up = |entry: &&StoryEntry| {
            let mut needs = entry.story.depends_on.iter().filter(|need| in_file(need));
            needs.all(|need| order.iter().any(|before| before.id == *need))
        };
        // A file with a circle is refused before; its stories would stand in the order of the file.
        let next = waiting.iter().position(comes_up).unwrap_or(0);
        order.push(PlannedStory::of(waiting.remove(next)));
    }
    order
}

/// Returns what is missing in a file: stories that people only named, by id and title.
pub fn unwritten(file: &StoryFile, named: &[(String, String)]) -> Vec<StoryMistake> {
    let is_written = |id: &str| file.stories.iter().any(|entry| entry.id.as_str() == id);
    let missing = named.iter().filter(|(id, _)| !is_written(id));
    missing
        .map(|(id, title)| {
            let message = format!("the story {id} ({title}), which a person added, is not there");
            StoryMistake::new(1, message, "add it under this id, with criteria, size and the rest")
        })
        .collect()
}

impl PlannedStory {
    fn of(entry: &StoryEntry) -> Self {
        let StoryEntry { id, title, story, .. } = entry;
        Self {
            id: id.clone(),
            title: title.clone(),
            size: story.size,
            criteria: u32::try_from(story.criteria.len()).unwrap_or(u32::MAX),
            security: story.security,
            depends_on: story.depends_on.clone(),
        }
    }

    /// Returns it in one line.
    pub fn words(&self) -> String {
        let criteria = match self.criteria {
            1 => "1 criterion".to_owned(),
            count => format!("{count} criteria"),
        };
        let mut about = vec![self.size.as_str().to_owned(), criteria];
        if self.security {
            about.push("security".to_owned());
        }
        if !self.depends_on.is_empty() {
            let needs: Vec<&str> = self.depends_on.iter().map(ItemId::as_str).collect();
            about.push(format!("after {}", needs.join(", ")));
        }
        format!("{}: {} ({})", self.id, self.title, about.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_that_somebody_only_named_has_to_be_written() {
        let text = "stories: [{id: S1, title: One, size: S, criteria: [two and two give four]}]";
        let file = crate::story::parse(text).unwrap();
        let named = |id: &str| vec![(id.to_owned(), "Links expire".to_owned())];
        assert_eq!(unwritten(&file, &named("S1")), []);
        let missing = unwritten(&file, &named("S101"));
        assert!(missing[0].message.contains("S101 (Links expire)"), "{missing:?}");
    }

    #[test]
    fn stories_come_after_those_that_they_depend_on() {
        let story = |id: &str, needs: &str| {
            format!(
                "  - {{id: {id}, title: Title of {id}, size: S, criteria: [two and two give four], \
                 depends_on: [{needs}]}}\n"
            )
        };
        let text = format!(
            "stories:\n{}{}{}",
            story("S1", "S3"),
            story("S2", ""),
            story("S3", "").replace("{id", "{security: true, id")
        );
        let file = crate::story::parse(&text).unwrap();
        let words: Vec<String> = planned(&file).iter().map(PlannedStory::words).collect();
        assert_eq!(
            words,
            [
                "S2: Title of S2 (S, 1 criterion)",
                "S3: Title of S3 (S, 1 criterion, security)",
                "S1: Title of S1 (S, 1 criterion, after S3)",
            ]
        );
    }
}
