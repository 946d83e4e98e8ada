//! The keys of a file of questions, as tables; reader and schema use the same rows.

use crate::source::key::{Key, Mapping, Rule, Takes};

/// The most questions of one file: people answer a few.
pub const MAX_QUESTIONS: usize = 7;

/// The choices that an agent offers.
pub(super) const LEAST_OPTIONS: usize = 2;
pub(super) const MOST_OPTIONS: usize = 4;

/// What questions before the analysis are about.
pub(super) const ANALYSIS: [&str; 8] =
    ["scope", "priority", "constraints", "integration", "users", "data", "errors", "external"];

/// What questions before the design are about.
pub(super) const PLANNING: [&str; 5] = ["order", "preferences", "careful", "missing", "external"];

/// What questions while something is built are about.
pub(super) const DEVELOPMENT: [&str; 5] = ["approach", "careful", "data", "errors", "external"];

pub(crate) static QUESTION_FILE: Mapping = Mapping {
    name: "questions",
    of: "a file of questions",
    doc: "What an agent wants to know first; nothing, when the goal says everything.",
    keys: &[Key::new(
        "questions",
        Takes::List { of: &Takes::Mapping(&QUESTION), least: 0, most: Some(MAX_QUESTIONS) },
        "The questions; `[]` when nothing is unclear.",
    )
    .required()],
    not_yet: &[],
    rule: Rule::None,
};

pub(super) static QUESTION: Mapping = Mapping {
    name: "question",
    of: "a question",
    doc: "One question. Windlass itself adds the choice to leave it to the agents.",
    keys: &[
        Key::new("id", Takes::Text, "Its name: `Q` and a number.").required().example("Q1"),
        Key::new(
            "category",
            Takes::Either(&[
                Takes::Word(&ANALYSIS),
                Takes::Word(&PLANNING),
                Takes::Word(&DEVELOPMENT),
            ]),
            "What it is about; the first list belongs to `analysis`, the second to `planning`, the third to `development`. `external` is a service outside the repository.",
        )
        .required()
        .example("scope"),
        Key::new("question", Takes::Text, "What is asked.")
            .required()
            .example("Which answer should a missing user give?"),
        Key::new(
            "options",
            Takes::List {
                of: &Takes::Either(&[Takes::Text, Takes::Mapping(&OPTION)]),
                least: LEAST_OPTIONS,
                most: Some(MOST_OPTIONS),
            },
            "What can be chosen.",
        )
        .required()
        .example("[{id: a, text: 404}, {id: b, text: an empty list}]"),
        Key::new("recommended", Takes::Text, "The id of the option that you would take.")
            .required()
            .example("a"),
        Key::new("rationale", Takes::Text, "Why you ask, and what the answer changes.")
            .example("The two answers need different tables."),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(super) static OPTION: Mapping = Mapping {
    name: "option",
    of: "an option",
    doc: "One choice.",
    keys: &[
        Key::new("id", Takes::Text, "Its name within the question.")
            .otherwise("`a`, `b`, `c`, `d`, in order")
            .example("a"),
        Key::new("text", Takes::Text, "What it is, in one line.")
            .required()
            .example("404 with a message"),
    ],
    not_yet: &[],
    rule: Rule::None,
};
