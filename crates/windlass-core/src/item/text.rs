//! What an item asks for, as whoever works on it reads it.

use std::fmt::Write as _;

use super::Item;
use super::Story;

impl Item {
    /// Returns all that is known of the item, in Markdown.
    pub fn text(&self) -> String {
        let mut text = format!("# {}: {}\n", self.id, self.title);
        if !self.body.is_empty() {
            let _ = writeln!(text, "\n{}", self.body.trim_end());
        }
        if let Some(story) = &self.story {
            describe(&mut text, story);
        }
        text
    }
}

fn describe(text: &mut String, story: &Story) {
    let security = if story.security { ", security is looked at" } else { "" };
    let _ = writeln!(text, "\nSize {}{security}.", story.size);
    text.push_str("\n## Acceptance criteria\n\n");
    for criterion in &story.criteria {
        let _ = writeln!(text, "- {}: {}", criterion.id, criterion.text);
    }
    if let Some(design) = &story.design {
        let _ = writeln!(text, "\n## Design\n\n{}", design.trim_end());
    }
    list(text, "Files", story.files.iter().map(String::as_str));
    list(text, "Depends on", story.depends_on.iter().map(crate::id::ItemId::as_str));
}

fn list<'l>(text: &mut String, title: &str, entries: impl Iterator<Item = &'l str>) {
    let entries: Vec<&str> = entries.collect();
    if !entries.is_empty() {
        let _ = writeln!(text, "\n## {title}\n\n- {}", entries.join("\n- "));
    }
}

#[cfg(test)]
mod tests {
    use crate::item::{AcceptanceCriterion, Size, Story};
    use crate::item::{Item, ItemSource};

    #[test]
    fn a_story_is_told_with_its_criteria_and_its_design() {
        let criterion = AcceptanceCriterion { id: "AC1".to_owned(), text: "It says so".to_owned() };
        let item = Item {
            id: "S1".into(),
            step: "stories".into(),
            title: "Say it".to_owned(),
            body: "Once.".to_owned(),
            story: Some(Story {
                size: Size::L,
                criteria: vec![criterion],
                security: true,
                depends_on: vec!["S0".into()],
                files: vec!["src/say.rs".to_owned()],
                design: Some("In `say`.".to_owned()),
            }),
            source: ItemSource::Person { name: "ann".to_owned() },
            skipped: None,
        };
        assert_eq!(
            item.text(),
            "# S1: Say it\n\nOnce.\n\nSize L, security is looked at.\n\n## Acceptance criteria\n\n\
             - AC1: It says so\n\n## Design\n\nIn `say`.\n\n## Files\n\n- src/say.rs\n\n\
             ## Depends on\n\n- S0\n"
        );
        let plain = Item { story: None, ..item };
        assert_eq!(plain.text(), "# S1: Say it\n\nOnce.\n");
    }
}
