//! What is found, as tables by topic: a command, the texts of some files, and the rules that come of them.

mod commands;
mod limits;
mod lists;
mod makefiles;
mod manifests;
mod python;
mod scripts;

use super::*;
use crate::plan::PlanRequest;
use crate::workflow::Workflow;

/// A repository: files by their texts, and links by `-> target`.
fn files(all: &[(&str, &str)]) -> Files {
    let mut files = Files::default();
    for (path, text) in all {
        match text.strip_prefix("-> ") {
            Some(target) => drop(files.links.insert((*path).into(), target.into())),
            None => drop(files.texts.insert((*path).into(), (*text).into())),
        }
        files.paths.insert((*path).into());
    }
    files
}

fn plan_of(command: &str) -> Plan {
    let quoted = serde_json::to_string(command).unwrap();
    let source =
        format!("workflow: w\nsteps: [{{id: work, agent: a, task: t, done: {{run: {quoted}}}}}]\n");
    Workflow::parse(&source, "w.yaml").unwrap().plan(PlanRequest::default()).unwrap()
}

fn find_in(command: &str, all: &[(&str, &str)]) -> Found {
    find(&plan_of(command), &files(all), &[])
}

/// What is protected wholly or as a test.
fn protected(command: &str, all: &[(&str, &str)]) -> Vec<String> {
    find_in(command, all).rules.iter().map(Protected::called).collect()
}

/// Asserts that a change to each of these files would ask.
#[track_caller]
fn asks(command: &str, all: &[(&str, &str)], changed: &[&str]) {
    let found = find_in(command, all);
    let rules = crate::protect::Rules::new(&found.rules);
    let there = files(all).paths;
    for path in changed {
        let was = there.contains(*path).then_some(crate::protect::Entry::File);
        let seen = crate::protect::Seen { path, was, now: Some(crate::protect::Entry::File) };
        assert!(rules.look(seen).is_some(), "{command}: {path} in {:?}", found.rules);
    }
}

/// Asserts that none of them would.
#[track_caller]
fn leaves(command: &str, all: &[(&str, &str)], changed: &[&str]) {
    let found = find_in(command, all);
    let rules = crate::protect::Rules::new(&found.rules);
    let there = files(all).paths;
    for path in changed {
        let was = there.contains(*path).then_some(crate::protect::Entry::File);
        let seen = crate::protect::Seen { path, was, now: Some(crate::protect::Entry::File) };
        assert!(rules.look(seen).is_none(), "{command}: {path} in {:?}", found.rules);
    }
}
