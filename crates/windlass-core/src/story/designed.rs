//! Whether stories can be built: gate G1.

use super::testable::{placeholder, substance};
use super::{StoryEntry, StoryFile, StoryMistake};

/// The least number of words of a design: what goes where.
const LEAST_DESIGN_WORDS: usize = 6;

/// Returns what is missing before the stories can be built: each has a design of some substance, its
/// files and its dependencies, and nothing is left to be asked.
pub fn designed(file: &StoryFile) -> Vec<StoryMistake> {
    let mut missing: Vec<StoryMistake> = file.stories.iter().flat_map(of_story).collect();
    missing.extend(file.open_questions.iter().map(|question| {
        StoryMistake::new(
            file.open_questions_line,
            format!("a question is open: {question}"),
            "decide it, say so in the design, and take it out of `open_questions`",
        )
    }));
    missing
}

fn of_story(entry: &StoryEntry) -> Vec<StoryMistake> {
    let StoryEntry { line, id, story, .. } = entry;
    let mut missing = Vec::new();
    let mut add = |message: String, help: &str| {
        missing.push(StoryMistake::new(*line, message, help));
    };
    let design = story.design.as_deref().unwrap_or_default();
    if let Some(placeholder) = placeholder(design) {
        let message = format!("the design of {id} has the placeholder `{placeholder}`");
        add(message, "decide it, or put it under `open_questions` and ask");
    } else if substance(design) < LEAST_DESIGN_WORDS {
        let what = if design.is_empty() { "has no `design`" } else { "has hardly a `design`" };
        add(format!("{id} {what}"), "say in a few sentences what is built where, and why so");
    }
    if story.files.is_empty() {
        add(format!("{id} has no `files`"), "name the files that it will touch, tests included");
    }
    if !entry.dependencies_stated {
        let message = format!("{id} does not say what it depends on");
        add(message, "write `depends_on: [S1]`, or `depends_on: []` if it is nothing");
    }
    missing
}
