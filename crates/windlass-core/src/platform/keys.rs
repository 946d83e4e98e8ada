//! The keys of a pack, as tables.

use crate::source::key::{Key, Mapping, Rule, Takes};

/// Enough for a key that is only read here; no schema is made of these rows.
const fn key(name: &'static str, doc: &'static str) -> Key {
    Key::new(name, Takes::Text, doc)
}

const fn mapping(name: &'static str, of: &'static str, keys: &'static [Key]) -> Mapping {
    Mapping { name, of, doc: "", keys, not_yet: &[], rule: Rule::None }
}

pub(super) static PACK: Mapping = mapping(
    "platform",
    "a platform",
    &[
        key("$schema", "For editors."),
        key("name", "What workflows call it."),
        key("displayName", "What people call it."),
        key("version", "Its version."),
        key("family", "Packs of one family share their folders."),
        key("markers", "Files that it is known by."),
        key("matchMode", "Whether any or all markers have to be there."),
        key("priority", "The highest one wins."),
        key("commands", "What is run for what."),
        key("conventions", "How people write code there."),
        key("qualityGates", "What is asked of the work."),
        key("projectStructure", "Folders, and what belongs into each."),
        key("skills", "What an agent should know its way around in."),
        key("reports", "Where reports land."),
        key("testFiles", "Which files hold tests."),
        key("protect", "Files that judge the work."),
        key("named", "Files under a name, for `{\"is\": NAME}`."),
        key("members", "Files that say that what lies below belongs to the root."),
        key("wraps", "Whether it only runs what others build."),
    ],
);

pub(super) static FILE_TEST: Mapping = mapping(
    "file",
    "a file",
    &[
        key("file", "The file, relative to the root."),
        key("contains", "Text that it has to contain."),
        key("lacks", "Text that it must not contain."),
        key("key", "A key that it has to have as JSON or TOML."),
        key("calls", "A program that the key's command ends in a call of."),
        key("depends", "A package that it has to name as a dependency."),
        key("target", "A target that it has to have as a Makefile or justfile."),
        key("any", "Files of which one is enough, in place of `file`."),
    ],
);

pub(super) static WAY: Mapping = mapping(
    "way",
    "a command",
    &[
        key("run", "The shell command."),
        key("if", "What has to be there."),
        key("needs", "Programs that the machine has to have."),
        key("unless", "Programs that the machine must not have."),
        key("report", "The reports that it writes."),
        key("lock", "The file that decides whether to run again."),
        key("protect", "Files that judge the work when this is run."),
        key("timeout", "How long it may take."),
    ],
);

pub(super) static PROTECT: Mapping = mapping(
    "protect",
    "an entry of `protect`",
    &[
        key("file", "The files."),
        key("keys", "The keys of them that count."),
        key("only", "Whether only existing or only new files count."),
        key("later", "Whether a person is asked at the next gate, and not at once."),
    ],
);

pub(super) static QUALITY_GATES: Mapping = mapping(
    "qualityGates",
    "`qualityGates`",
    &[
        key("coverage", "The least line coverage, by the size of a story."),
        key("required", "Commands that have to be there."),
    ],
);

pub(super) static COVERAGE: Mapping = mapping(
    "coverage",
    "`qualityGates.coverage`",
    &[key("S", "Small."), key("M", "Middling."), key("L", "Large."), key("XL", "Very large.")],
);

pub(super) static REPORTS: Mapping = mapping(
    "reports",
    "`reports`",
    &[key("test", "JUnit's XML."), key("coverage", "lcov, Cobertura or JaCoCo.")],
);
