//! A built-in workflow with a repository's own checks in place of its `test` input.
//!
//! It works on lines, so that the comments, from which a user learns, stay where they are. The
//! built-in workflows keep to the few forms that are looked for; a test fills every one of them for
//! every tool and reads the result.

use std::fmt::Write as _;

use super::detect::{Found, Purpose};
use crate::workflow::modeline;
use crate::workflow::quote::{comment, quoted};

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
            text.push_str(&prepare(found));
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
    let mut text = modeline();
    let tools: Vec<String> = found
        .projects
        .iter()
        .map(|project| format!("{} ({})", project.tool, comment(&project.path(&project.file))))
        .collect();
    let tools = if tools.is_empty() { "no known build tool".to_owned() } else { tools.join(", ") };
    let _ = writeln!(text, "#\n# Written by `windlass init`, which found: {tools}.");
    text.push_str("# It is yours: change it as you like, and look at it with `windlass check`.\n");
    if uses_test && !found.has_tests() {
        text.push_str(
            "#\n# No test command was found. Until you add one where it says so below, only that\n\
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

fn prepare(found: &Found) -> String {
    let mut list = String::new();
    for project in &found.projects {
        let Some((run, lock)) = &project.prepare else { continue };
        if project.checks.is_empty() {
            continue;
        }
        let _ = write!(list, "  - {{run: {}", quoted(run));
        if !project.folder.is_empty() {
            let _ = write!(list, ", in: {}", quoted(&project.folder));
        }
        if let Some(lock) = lock {
            let _ = write!(list, ", lock: {}", quoted(&project.path(lock)));
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

/// A command as a check, without the brackets around it.
fn run(folder: &str, command: &str) -> String {
    let folder =
        if folder.is_empty() { String::new() } else { format!("in: {}, ", quoted(folder)) };
    format!("{{run: {}, {folder}timeout: {TIMEOUT}}}", quoted(command))
}

fn checks(found: &Found, indent: &str) -> String {
    let mut text = String::new();
    if !found.has_tests() {
        let _ = writeln!(text, "{indent}# Put your test command here: {{run: \"make test\"}}");
    }
    for project in &found.projects {
        for (_, command) in &project.checks {
            let _ = writeln!(text, "{indent}- {}", run(&project.folder, command));
        }
    }
    text
}

fn failing(found: &Found, indent: &str) -> String {
    let tests: Vec<String> = found
        .projects
        .iter()
        .flat_map(|project| {
            let tests = project.checks.iter().filter(|(purpose, _)| *purpose == Purpose::Test);
            tests.map(|(_, command)| run(&project.folder, command))
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
