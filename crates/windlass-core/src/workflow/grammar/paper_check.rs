//! Checks that read what an agent wrote as data.

use super::words::{PHASES, REPORT_KINDS, alone};
use crate::source::key::{Key, Mapping, Rule, Takes};

const PHASE_WORDS: [&str; 3] = alone(&PHASES);
const REPORT_KIND_WORDS: [&str; 3] = alone(&REPORT_KINDS);

pub(in crate::workflow) static STORIES: Mapping = Mapping {
    name: "stories_check",
    of: "a `stories` check",
    doc: "Observed. The file holds stories that can be worked with; `windlass schema stories` prints \
          what it looks like. What is wrong with it goes back to the agent, line by line.",
    keys: &[
        Key::new("stories", Takes::Path, "The file, in YAML or JSON.")
            .required()
            .example("\"{specs}/stories.yaml\""),
        Key::new(
            "designed",
            Takes::Boolean,
            "Whether each story also has a design, files and stated dependencies, and no question is open.",
        )
        .default("false"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static QUESTIONS: Mapping = Mapping {
    name: "questions_check",
    of: "a `questions` check",
    doc: "Observed. The file holds at most 7 questions with 2 to 4 options each and a recommendation, \
          or none; `windlass schema questions` prints what it looks like.",
    keys: &[
        Key::new("questions", Takes::Path, "The file, in YAML or JSON.")
            .required()
            .example("\"{specs}/questions.yaml\""),
        Key::new("phase", Takes::Word(&PHASE_WORDS), "What the questions stand before.")
            .default("analysis"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static VERDICT_IN: Mapping = Mapping {
    name: "verdict_in_check",
    of: "a `verdict_in` check",
    doc: "Observed when another agent gives it than those whose work it judges, else claimed. A \
          Markdown report, new or changed since the step began, comes to the verdict that `kind` \
          accepts; the other one can be a route of `on`. A step has at most one verdict. \
          `review` (`APPROVED` or `CHANGES_REQUESTED`) and `security` (`CLEARED` or \
          `REMEDIATION_NEEDED`) want a line with only that word, and no line `[BLOCKING] text \
          file:line`. `tests` (`PASSED` or `FAILED`) wants a line `AC1: PASS tests/file::name` for \
          each acceptance criterion of the story, with a test that exists, or \
          `AC1: MANUAL_VERIFICATION_REQUIRED`. What cannot be read is not accepted.",
    keys: &[
        Key::new("verdict_in", Takes::Path, "The report.")
            .required()
            .example("\"{specs}/review.md\""),
        Key::new("kind", Takes::Word(&REPORT_KIND_WORDS), "What it judges.")
            .required()
            .example("review"),
        Key::new("accept", Takes::OneOrMore { of: &Takes::Text, least: 1 }, "What is accepted.")
            .otherwise("`APPROVED`, `PASSED` or `CLEARED`, as the kind has it")
            .example("[APPROVED]"),
    ],
    not_yet: &[],
    rule: Rule::None,
};
