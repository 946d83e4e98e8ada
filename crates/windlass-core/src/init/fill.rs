//! A built-in workflow with a repository's own checks in place of its `test` input.
//!
//! It works on lines, so that the comments, from which a user learns, stay where they are. The
//! built-in workflows keep to the few forms that are looked for; a test fills every one of them for
//! every tool and reads the result.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::found::{Found, FoundCheck, Project, Purpose};
use crate::hint::Opening;
use crate::source::quote::{comment, quoted};

/// The check that stands for all of the repository's own.
const TEST: &str = "- {run: \"sh -c {inputs.test}\"";

/// The check that the tests fail.
const FAILING: &str = "- {not: {run: \"sh -c {inputs.test}\"";

/// How long one command may take.
const TIMEOUT: &str = "20m";

/// Returns the text of a workflow for this repository.
pub fn fill(builtin: &str, found: &Found) -> String {
    let uses_test = builtin.contains("{inputs.test}");
    let mut text = header(found, uses_test);
    // Comments wait until it is known whether what they are about stays.
    let mut comments: Vec<&str> = Vec::new();
    for line in builtin.lines().skip_while(|line| line.starts_with('#')) {
        let words = line.trim_start();
        if words.starts_with('#') {
            comments.push(line);
            continue;
        }
        let indent = &line[..line.len() - words.len()];
        let replaced = if line.starts_with("protect:") {
            Some(protect(found))
        } else if line.starts_with("  test:") {
            Some(String::new())
        } else if words == "before:" && found.projects.iter().all(|p| p.checks.is_empty()) {
            // What is below it becomes a comment, and a list of nothing is no list.
            Some(format!("{indent}# before:\n"))
        } else if words.starts_with(TEST) {
            Some(checks(found, indent))
        } else if words.starts_with(FAILING) {
            Some(failing(found, indent))
        } else {
            None
        };
        let keeps_comments = replaced.as_deref() != Some("");
        for comment in comments.drain(..).filter(|_| keeps_comments) {
            let _ = writeln!(text, "{comment}");
        }
        if uses_test && line == "steps:" {
            text.push_str(baseline(found));
            text.push_str(&prepare(&found.projects));
            text.push_str(&carry(&found.projects));
        }
        match replaced {
            Some(replaced) => text.push_str(&replaced),
            None => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    without_empty_blocks(&text)
}

fn header(found: &Found, uses_test: bool) -> String {
    let mut text = String::new();
    let tools: Vec<String> = found
        .projects
        .iter()
        .map(|project| format!("{} ({})", comment(&project.tool), comment(&project.file)))
        .collect();
    let tools = if tools.is_empty() { "no known build tool".to_owned() } else { tools.join(", ") };
    let _ = writeln!(text, "# Written by `windlass init`, which found: {tools}.");
    text.push_str("# It is yours: change it as you like, and look at it with `windlass check`.\n");
    text.push_str("# Editors complete it with the schema that `windlass schema` prints.\n");
    for one in found.left_out.iter().filter(|_| uses_test) {
        let _ = writeln!(text, "#\n# Not tested, {}: {}.", comment(&one.folder), comment(&one.why));
    }
    for one in found.dropped.iter().filter(|_| uses_test) {
        let (command, why) = (comment(&one.command), comment(&one.why));
        let _ = writeln!(text, "#\n# Left out after a trial: `{command}` {why}.");
    }
    if uses_test && !found.has_tests() {
        let why = match found.dropped.is_empty() {
            true => "No test command was found.",
            false => "No test command that works was found.",
        };
        let _ = write!(text, "#\n# {why}");
        text.push_str(
            " Until you add one where it says so below, only that\n\
             # something changed is observed, and nothing shows that it works.\n",
        );
    }
    text
}

fn protect(found: &Found) -> String {
    let rules = found.protect();
    if rules.is_empty() {
        return String::new();
    }
    let mut text = "# What the commands below run is found and protected as well; `windlass check` names it.\n\
                    protect:\n"
        .to_owned();
    for rule in rules {
        let keys: Vec<String> = rule.keys.iter().map(|key| quoted(key)).collect();
        let _ = match keys.is_empty() {
            true => writeln!(text, "  - {}", quoted(&rule.file)),
            false => {
                writeln!(text, "  - {{file: {}, keys: [{}]}}", quoted(&rule.file), keys.join(", "))
            }
        };
    }
    text
}

/// Tests that fail already would keep every step from being proven.
fn baseline(found: &Found) -> &'static str {
    match found.fails_already {
        true => {
            "# Tests failed already when this was written, so only new failures count.\n\
             baseline: no_new_failures\n\n"
        }
        false => "",
    }
}

/// Returns a workflow whose only step has the checks of one project, to try them; none if it has none.
pub fn trial(project: &Project) -> Option<String> {
    if project.checks.is_empty() {
        return None;
    }
    let mut text = "workflow: trial\n".to_owned();
    text.push_str(&prepare(std::slice::from_ref(project)));
    text.push_str(&carry(std::slice::from_ref(project)));
    text.push_str("steps:\n  - id: try\n    agent: developer\n    done:\n      all:\n");
    for check in project.checks.iter().chain(&project.coverage) {
        let _ = writeln!(text, "        - {}", judged(&project.folder, check));
    }
    Some(text)
}

/// Ignored files that the checks need.
fn carry(projects: &[Project]) -> String {
    let carried: BTreeSet<&str> = projects.iter().flat_map(Project::carries).collect();
    if carried.is_empty() {
        return String::new();
    }
    let carried: Vec<String> = carried.into_iter().map(quoted).collect();
    format!(
        "# Files that git ignores and checks need, as they are when a run begins.\n\
         carry: [{}]\n\n",
        carried.join(", ")
    )
}

fn prepare(projects: &[Project]) -> String {
    let mut list = String::new();
    for project in projects {
        let Some((run, lock)) = &project.prepare else { continue };
        if project.checks.is_empty() {
            continue;
        }
        let _ = write!(list, "  - {{run: {}", quoted(run));
        if !project.folder.is_empty() {
            let _ = write!(list, ", in: {}", quoted(&project.folder));
        }
        if let Some(lock) = lock {
            let _ = write!(list, ", lock: {}", quoted(lock));
        }
        list.push_str("}\n");
    }
    if list.is_empty() {
        return list;
    }
    format!(
        "# What a clean copy of the files needs before checks can run in it; again when its lock changes.\n\
         prepare:\n{list}\n"
    )
}

/// A command as a check.
fn run(folder: &str, check: &FoundCheck) -> String {
    let folder =
        if folder.is_empty() { String::new() } else { format!("in: {}, ", quoted(folder)) };
    format!("{{run: {}, {folder}{}timeout: {TIMEOUT}}}", quoted(&check.command), opened(check))
}

/// What the room of a check opens besides.
fn opened(check: &FoundCheck) -> String {
    let mut text = String::new();
    if check.opens.contains(&Opening::HostNetwork) {
        text.push_str("network: host, ");
    }
    let paths: Vec<String> = check
        .opens
        .iter()
        .filter_map(|opening| match opening {
            Opening::Expose { path, .. } => Some(quoted(path)),
            Opening::HostNetwork | Opening::Carry { .. } => None,
        })
        .collect();
    if !paths.is_empty() {
        let _ = write!(text, "room: {{expose: [{}]}}, ", paths.join(", "));
    }
    text
}

/// A check: by its report where the command writes one.
fn judged(folder: &str, check: &FoundCheck) -> String {
    let run = run(folder, check);
    let rest = run.trim_start_matches('{');
    match (&check.report, check.purpose) {
        (None, _) => run,
        (Some(glob), Purpose::Coverage) => {
            format!("{{coverage: {}, min: 0, {rest}", quoted(glob))
        }
        (Some(glob), _) => format!("{{junit: {}, min: 1, {rest}", quoted(glob)),
    }
}

fn checks(found: &Found, indent: &str) -> String {
    let mut text = String::new();
    if !found.has_tests() {
        let _ = writeln!(text, "{indent}# Put your test command here: {{run: \"make test\"}}");
    }
    for project in &found.projects {
        for check in &project.checks {
            let _ = writeln!(text, "{indent}- {}", judged(&project.folder, check));
        }
    }
    text
}

fn failing(found: &Found, indent: &str) -> String {
    let tests: Vec<String> = found
        .projects
        .iter()
        .flat_map(|project| {
            let tests = project.checks.iter().filter(|check| check.purpose == Purpose::Test);
            tests.map(|check| run(&project.folder, check))
        })
        .collect();
    match tests.as_slice() {
        [] => {
            let hint = "Put your test command here: {not: {run: \"make test\"}}";
            format!("{indent}# {hint}\n")
        }
        [test] => format!("{indent}- {{not: {test}}}\n"),
        [_, ..] => format!("{indent}- {{not: {{all: [{}]}}}}\n", tests.join(", ")),
    }
}

/// Takes out an `inputs:` that has none left, and blank lines after blank lines.
fn without_empty_blocks(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let next_is_blank = lines.peek().is_none_or(|next| next.is_empty());
        let is_second_blank = line.is_empty() && kept.last().is_some_and(|last| last.is_empty());
        if (line == "inputs:" && next_is_blank) || is_second_blank {
            continue;
        }
        kept.push(line);
    }
    kept.join("\n") + "\n"
}
