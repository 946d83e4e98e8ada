//! The keys of a file of stories, as tables; reader and schema use the same rows.

use crate::source::key::{Key, Mapping, Rule, Takes};

/// The most stories of one file: as many as a `foreach` repeats over by default.
pub const MAX_STORIES: usize = 50;

/// The most criteria of one story; one with more is several stories.
pub(super) const MAX_CRITERIA: usize = 30;

/// The most files of one story.
pub(super) const MAX_FILES: usize = 200;

/// The most open questions of one file.
pub(super) const MAX_OPEN_QUESTIONS: usize = 50;

pub(super) const SIZES: [&str; 4] = ["S", "M", "L", "XL"];

const fn list(of: &'static Takes, least: usize, most: usize) -> Takes {
    Takes::List { of, least, most: Some(most) }
}

pub(crate) static STORY_FILE: Mapping = Mapping {
    name: "stories",
    of: "a file of stories",
    doc: "What is to be built, story by story.",
    keys: &[
        Key::new("stories", list(&Takes::Mapping(&STORY), 1, MAX_STORIES), "The stories.")
            .required(),
        Key::new(
            "open_questions",
            list(&Takes::Text, 0, MAX_OPEN_QUESTIONS),
            "What nobody has answered yet; a design is done when there is none.",
        )
        .otherwise("none"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(super) static STORY: Mapping = Mapping {
    name: "story",
    of: "a story",
    doc: "One story.",
    keys: &[
        Key::new("id", Takes::Text, "Its name: `S` and a number.").required().example("S1"),
        Key::new("title", Takes::Text, "What it is, in one line.")
            .required()
            .example("Show the health of the service"),
        Key::new("size", Takes::Word(&SIZES), "How large it is.").required().example("S"),
        Key::new(
            "criteria",
            list(&Takes::Either(&[Takes::Text, Takes::Mapping(&CRITERION)]), 1, MAX_CRITERIA),
            "What has to be true when it is done, each so that a test can show it.",
        )
        .required()
        .example("[\"GET /health answers 200 within a second\"]"),
        Key::new("security", Takes::Boolean, "Whether needs a security review.").default("false"),
        Key::new(
            "depends_on",
            list(&Takes::Text, 0, MAX_STORIES),
            "Stories that have to be done first. A design states it, if only as `[]`.",
        )
        .otherwise("none")
        .example("[]"),
        Key::new(
            "files",
            list(&Takes::Text, 0, MAX_FILES),
            "Files that it is expected to touch, relative to the repository.",
        )
        .otherwise("not known yet")
        .example("[src/health.rs, tests/health.rs]"),
        Key::new("design", Takes::Text, "How it is to be built, in a few sentences.")
            .otherwise("not known yet"),
        Key::new("description", Takes::Text, "What is asked for, in Markdown.")
            .otherwise("nothing more than the title"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(super) static CRITERION: Mapping = Mapping {
    name: "acceptance_criterion",
    of: "a criterion",
    doc: "One acceptance criterion with a name of its own.",
    keys: &[
        Key::new("id", Takes::Text, "Its name within the story.")
            .otherwise("`AC1`, `AC2` and so on, in order")
            .example("AC1"),
        Key::new("text", Takes::Text, "What has to be true.")
            .required()
            .example("GET /health answers 200 within a second"),
    ],
    not_yet: &[],
    rule: Rule::None,
};
