use super::*;

#[test]
fn what_would_tell_more_is_asked_for() {
    let source = "workflow: w\nsteps: [{id: s, agent: a, task: t, done: {all: [{run: npm test}, \
                  {run: make}, {run: sh test.sh}]}}]\n";
    let plan = Workflow::parse(source, "w.yaml").unwrap().plan(PlanRequest::default()).unwrap();
    let paths = ["Makefile", "package.json", "test.sh", "src/main.js"];
    let paths = paths.into_iter().map(str::to_owned).collect();
    let found = find(&plan, &Files { paths, ..Files::default() }, &[]);
    let wants: Vec<&str> = found.wants.iter().map(String::as_str).collect();
    assert_eq!(wants, ["Makefile", "package.json", "test.sh"]);
}

fn unfollowed(command: &str, all: &[(&str, &str)]) -> Vec<String> {
    find_in(command, all).unfollowed.into_iter().collect()
}

#[test]
fn what_is_computed_is_said_not_to_be_followed() {
    assert_eq!(unfollowed("sh \"$SCRIPT\"", &[]), ["`work`: `$SCRIPT` is computed"]);
    let text = [("tests/run.sh", ". \"$(pick)\"")];
    assert_eq!(unfollowed("sh tests/run.sh", &text), ["`work`: `$(pick)` is computed"]);
    let none: [&str; 0] = [];
    assert_eq!(
        unfollowed("sh tests/run.sh", &[("tests/run.sh", "sh \"$0.x\"; true")]),
        ["`work`: `$0.x` is computed"]
    );
    assert_eq!(unfollowed("sh tests/run.sh", &[("tests/run.sh", "true")]), none);
}

#[test]
fn what_is_too_far_away_is_said_not_to_be_followed() {
    let names: Vec<(String, String)> = (0..MAX_LEVEL + 3)
        .map(|number| (format!("ci/s{number}.sh"), format!("sh ci/s{}.sh", number + 1)))
        .collect();
    let all: Vec<(&str, &str)> =
        names.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let told = unfollowed("sh ci/s0.sh", &all);
    assert!(!told.is_empty() && told.iter().all(|one| one.contains("too far away")), "{told:?}");
    asks("sh ci/s0.sh", &all, &["ci/s10.sh"]);
    let round = [("ci/a.sh", "sh ci/b.sh"), ("ci/b.sh", "sh ci/a.sh")];
    let none: [&str; 0] = [];
    assert_eq!(unfollowed("sh ci/a.sh", &round), none, "a circle has an end");
}

#[test]
fn many_scripts_do_not_hide_what_comes_after_them() {
    let names: Vec<String> = (0..300).map(|number| format!("tests/c/a{number}.sh")).collect();
    let runs: String = names.iter().map(|name| format!("sh {name} || exit 1\n")).collect();
    let mut all: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "true")).collect();
    all.push(("tests/run.sh", &runs));
    all.push(("Makefile", "zz:\n\ttrue\n"));
    asks("sh tests/run.sh && make zz", &all, &["Makefile", "tests/c/a299.sh"]);
}

#[test]
fn a_file_that_cannot_be_read_is_said_not_to_be_followed() {
    let mut files = files(&[]);
    files.paths.insert("tests/run.sh".to_owned());
    files.unread.insert("tests/run.sh".to_owned());
    let found = find(&plan_of("sh tests/run.sh"), &files, &[]);
    assert_eq!(found.unfollowed.len(), 1, "{found:?}");
    assert!(found.rules.iter().any(|rule| rule.file == "tests/run.sh"), "and counts all the same");
}

#[test]
fn steps_are_judged_each_by_its_own_commands() {
    let source = "workflow: w\nsteps:\n  - {id: a, agent: a, task: t, done: {run: sh tests/run.sh}}\n  \
                  - {id: b, agent: a, task: t, done: {run: grep -q x y}}\n  \
                  - {id: c, agent: a, task: t, done: {run: sh tests/run.sh}}\n";
    let plan = Workflow::parse(source, "w.yaml").unwrap().plan(PlanRequest::default()).unwrap();
    let found = find(&plan, &files(&[("tests/run.sh", "true")]), &[]);
    assert_eq!(found.judged.iter().map(String::as_str).collect::<Vec<_>>(), ["a", "c"]);
}

#[test]
fn what_is_not_listed_is_counted() {
    let lines: Vec<String> = (0..32).map(|number| format!("sh \"$SCRIPT{number:02}\"")).collect();
    let text = [("tests/run.sh", lines.join("\n"))];
    let all: Vec<(&str, &str)> = text.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let told = unfollowed("sh tests/run.sh", &all);
    assert_eq!(told.len(), 21, "{told:?}");
    assert_eq!(told.last().map(String::as_str), Some("and 12 more"));
}
