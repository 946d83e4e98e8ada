//! One story as somebody writes it on a command line, by the rules of a file of stories.

use serde_json::json;

use super::grammar::STORY_FILE;
use super::parse::{StoryEntry, read_alone};
use super::{AcceptanceCriterion, Story};
use crate::paper;

/// The words of one story, none of them checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryWords {
    /// Its name.
    pub id: String,
    /// What it is, in one line.
    pub title: String,
    /// How large it is.
    pub size: String,
    /// What has to be true when it is done; an id where it has one already.
    pub criteria: Vec<(Option<String>, String)>,
    /// Whether needs a security review.
    pub security: bool,
    /// Stories that have to be done first.
    pub depends_on: Vec<String>,
    /// Files that it is expected to touch.
    pub files: Vec<String>,
    /// How it is to be built.
    pub design: Option<String>,
    /// What is asked for, in Markdown.
    pub body: Option<String>,
}

/// One thing that is wrong with the words of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordMistake {
    /// The option that holds it.
    pub option: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl std::fmt::Display for WordMistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`: {}", self.option, self.message)?;
        match &self.help {
            Some(help) => write!(f, ": {help}"),
            None => Ok(()),
        }
    }
}

impl StoryWords {
    /// Returns the words of a story that is there already.
    pub fn of(id: &str, title: &str, story: Option<&Story>) -> Self {
        let words = Self { id: id.to_owned(), title: title.to_owned(), ..Self::default() };
        let Some(story) = story else { return Self { size: "M".to_owned(), ..words } };
        let criterion = |AcceptanceCriterion { id, text }: &AcceptanceCriterion| {
            (Some(id.clone()), text.clone())
        };
        Self {
            size: story.size.to_string(),
            criteria: story.criteria.iter().map(criterion).collect(),
            security: story.security,
            depends_on: story.depends_on.iter().map(ToString::to_string).collect(),
            files: story.files.clone(),
            design: story.design.clone(),
            ..words
        }
    }

    /// Reads them as a story.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn read(&self) -> Result<StoryEntry, Vec<WordMistake>> {
        let (text, options) = self.written();
        paper::read(&text, &STORY_FILE, read_alone).map_err(|mistakes| {
            let named = mistakes.into_iter().map(|mistake| {
                let line = usize::try_from(mistake.line).unwrap_or_default().saturating_sub(1);
                let option = options.get(line).copied().unwrap_or("story");
                WordMistake { option, message: mistake.message, help: mistake.help }
            });
            named.collect()
        })
    }

    /// Writes the file that has this story alone, each word on a line of its own, and says which
    /// option each line is from.
    fn written(&self) -> (String, Vec<&'static str>) {
        let (mut lines, mut options) = (Vec::new(), Vec::new());
        let mut line = |option: &'static str, text: String| {
            lines.push(text);
            options.push(option);
        };
        line("story", "{\"stories\": [{".to_owned());
        line("--id", format!("\"id\": {},", json!(self.id)));
        line("TITLE", format!("\"title\": {},", json!(self.title)));
        line("--size", format!("\"size\": {},", json!(self.size)));
        line("--criterion", "\"criteria\": [".to_owned());
        for (id, text) in &self.criteria {
            let criterion = match id {
                Some(id) => json!({"id": id, "text": text}),
                None => json!(text),
            };
            line("--criterion", format!("{criterion},"));
        }
        line("--criterion", "],".to_owned());
        line("--depends-on", format!("\"depends_on\": {},", json!(self.depends_on)));
        line("--file", "\"files\": [".to_owned());
        for file in &self.files {
            line("--file", format!("{},", json!(file)));
        }
        line("--file", "],".to_owned());
        if let Some(design) = &self.design {
            line("--design", format!("\"design\": {},", json!(design)));
        }
        if let Some(body) = &self.body {
            line("--body", format!("\"description\": {},", json!(body)));
        }
        line("story", format!("\"security\": {}}}]}}", self.security));
        (lines.join("\n"), options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::Size;

    fn words() -> StoryWords {
        StoryWords {
            id: "S4".to_owned(),
            title: "Reset the password: by \"mail\"".to_owned(),
            size: "M".to_owned(),
            criteria: vec![(None, "POST /reset answers 202: within a second".to_owned())],
            ..StoryWords::default()
        }
    }

    #[test]
    fn words_are_read_as_a_file_would_be() {
        let body = Some("Two\n\n- lines\t# with signs: {a} 😀 \u{1}".to_owned());
        let given = StoryWords {
            security: true,
            depends_on: vec!["S1".to_owned(), "S2".to_owned()],
            files: vec!["src/reset.rs".to_owned()],
            design: Some("One handler beside the others, nothing new".to_owned()),
            body: body.clone(),
            ..words()
        };
        let entry = given.read().unwrap();
        assert_eq!(entry.title, "Reset the password: by \"mail\"");
        assert_eq!(Some(entry.body), body);
        let story = entry.story;
        assert_eq!((story.size, story.security), (Size::M, true));
        assert_eq!(story.criteria[0].id, "AC1");
        assert_eq!(story.criteria[0].text, "POST /reset answers 202: within a second");
        assert_eq!(story.depends_on, ["S1".into(), "S2".into()]);
        assert_eq!(story.files, ["src/reset.rs"]);
        let again = StoryWords::of("S4", "Reset", Some(&story)).read().unwrap();
        assert_eq!(again.story, story);
    }

    #[test]
    fn all_mistakes_are_said_at_once_with_the_options_that_hold_them() {
        let bad = StoryWords {
            id: "reset".to_owned(),
            title: " ".to_owned(),
            size: "huge".to_owned(),
            criteria: vec![(None, "It is fast".to_owned()), (None, "x".repeat(600))],
            depends_on: vec!["one".to_owned()],
            files: vec!["../away".to_owned(), ".git/config".to_owned()],
            ..StoryWords::default()
        };
        let mistakes = bad.read().unwrap_err();
        let options: Vec<&str> = mistakes.iter().map(|mistake| mistake.option).collect();
        assert_eq!(
            options,
            [
                "--id",
                "TITLE",
                "--size",
                "--criterion",
                "--criterion",
                "--depends-on",
                "--file",
                "--file"
            ]
        );
        let none = StoryWords { criteria: Vec::new(), ..words() }.read().unwrap_err();
        assert_eq!(none.len(), 1);
        assert!(none[0].message.contains("1 to 30 criteria, this one 0"), "{}", none[0]);
    }
}
