//! The grammar as a page for people, in Markdown.

use super::grammar::{
    BACKOFF, CHECKS, DEFAULTS, DIFF, FAILED, HUB, INPUT, LIMITS, PLATFORM_FIX, PREPARE, PROTECT,
    PULL_REQUEST, READ, REPORT, ROLLBACK, ROOM, ROUTE, SERVER, SPOKE, STEP, TEAM, WORKFLOW,
};
use crate::source::key::{Initial, Key, Mapping, Names, Takes};

/// What the page begins with.
const HEAD: &str = "\
# The workflow reference

Every key of a workflow file. This page is generated from the tables that the parser reads by, so it is complete and
true of this version; `windlass schema --markdown > docs/workflow-reference.md` makes it anew. [The workflow
file](workflow.md) explains how the parts work together, and `windlass schema` prints the same as a JSON Schema for
editors.

Times are written `90s`, `30m`, `8h`, `2d`, `500ms` or as a sum such as `1h30m`. An id has lower-case letters, digits,
`-` and `_`, begins with a letter or a digit and has at most 64 of them. Paths and globs are relative to the repository
and stay inside it; in globs `*` stays inside a folder and `**` does not. Expressions are jq over the run's document.
Unknown keys are errors.
";

/// What stands above the kinds of check.
const CRITERION: &str = "
## A criterion

What must hold for a step to be done: one check, or a list that must all hold. A check is a mapping, and the word that
it begins with is its kind. Proofs are *observed*, seen from outside, or *claimed*, the word of an agent; claims of the
step's own agent alone complete nothing unless the step says `trust: agent`.
";

/// Returns the reference of the workflow file.
pub fn reference() -> String {
    let mut page = HEAD.to_owned();
    let sections: [&Mapping; 19] = [
        &WORKFLOW,
        &INPUT,
        &DEFAULTS,
        &LIMITS,
        &PREPARE,
        &PROTECT,
        &SERVER,
        &BACKOFF,
        &STEP,
        &READ,
        &ROUTE,
        &ROLLBACK,
        &PULL_REQUEST,
        &FAILED,
        &REPORT,
        &PLATFORM_FIX,
        &TEAM,
        &SPOKE,
        &HUB,
    ];
    for table in sections {
        section(table, "##", &mut page);
    }
    page.push_str(CRITERION);
    for table in CHECKS {
        section(table, "###", &mut page);
    }
    section(&DIFF, "###", &mut page);
    section(&ROOM, "###", &mut page);
    page
}

fn section(table: &Mapping, level: &str, page: &mut String) {
    page.push_str(&format!("\n{level} {}\n\n{}\n\n", heading(table), table.doc));
    page.push_str("| key | takes | default | meaning |\n|---|---|---|---|\n");
    for key in table.keys {
        page.push_str(&format!(
            "| `{}` | {} | {} | {} |\n",
            key.name,
            takes(key.takes),
            default(key),
            meaning(key),
        ));
    }
    let groups: Vec<_> =
        table.keys.iter().filter(|key| key.on_groups).map(|k| format!("`{}`", k.name)).collect();
    if !groups.is_empty() {
        page.push_str(&format!("\nA group has only {}.\n", groups.join(", ")));
    }
}

fn heading(table: &Mapping) -> String {
    let words = if std::ptr::eq(table, &raw const DIFF) { "bounds of a `diff`" } else { table.of };
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

/// Returns the anchor that Markdown gives to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

fn default(key: &Key) -> String {
    match key.initial {
        Initial::Required => "required".to_owned(),
        Initial::None => String::new(),
        Initial::Value(text) => format!("`{}`", text.replace('"', "")),
        Initial::Words(words) => words.to_owned(),
    }
}

fn meaning(key: &Key) -> String {
    match key.example {
        None => key.doc.to_owned(),
        Some(example) => {
            let example = format!("{}: {example}", key.name).replace('|', "\\|");
            format!("{} Example: `{example}`", key.doc)
        }
    }
}

fn takes(what: Takes) -> String {
    match what {
        Takes::Text | Takes::Literal => "text".to_owned(),
        Takes::Template => "text with [placeholders](workflow.md#placeholders)".to_owned(),
        Takes::Id => "an id".to_owned(),
        Takes::StepName => "a step".to_owned(),
        Takes::Variable => "a variable".to_owned(),
        Takes::Expression => "a jq expression".to_owned(),
        Takes::Command => "a shell command".to_owned(),
        Takes::Path => "a path".to_owned(),
        Takes::Glob => "a glob".to_owned(),
        Takes::MachinePath => "a path of the machine".to_owned(),
        Takes::Host => "a host".to_owned(),
        Takes::Time => "a time".to_owned(),
        Takes::Boolean => "`true` or `false`".to_owned(),
        Takes::Count { least, .. } => format!("a whole number, at least {least}"),
        Takes::Amount => "a number above 0".to_owned(),
        Takes::Percent => "a percentage, or `\"{inputs.NAME}\"`".to_owned(),
        Takes::Value => "a value of the type".to_owned(),
        Takes::Word(words) => one_of(words),
        Takes::Mapping(table) => {
            let heading = heading(table);
            let words = if std::ptr::eq(table, &raw const DIFF) { "bounds" } else { table.of };
            format!("[{words}](#{})", anchor(&heading))
        }
        Takes::Criterion => "[a criterion](#a-criterion)".to_owned(),
        Takes::OneOrMore { of, .. } => format!("{}, or a list", takes(*of)),
        Takes::List { of, most: Some(most), .. } => {
            format!("a list of at most {most}: {}", takes(*of))
        }
        Takes::List { of, .. } => format!("a list: {}", takes(*of)),
        Takes::Named { names, of } => {
            let name = match names {
                Names::Inputs => "NAME",
                Names::ContextKeys => "KEY",
                Names::Verdicts => "VERDICT",
                Names::Globs => "GLOB",
                Names::Servers | Names::Variables | Names::CheckVariables => "NAME",
            };
            format!("`{name}`: {}", takes(*of))
        }
        Takes::Either(choices) => {
            choices.iter().map(|choice| takes(*choice)).collect::<Vec<_>>().join(", or ")
        }
    }
}

fn one_of(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match &words[..] {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
