//! The workflows in the documentation can run, each as it stands there.

use std::process::Command;

use crate::pages;

/// Steps before the one that an example is about.
const BEFORE: &str = "\
workflow: example
steps:
  - {id: migrations, agent: a, done: {diff: any}}
  - {id: implement, agent: b, done: {diff: any}}
  - id: last
    agent: c
";

/// Makes a whole workflow of an example: it is one, or it is a key of a step.
fn whole(example: &str) -> String {
    if example.starts_with("workflow:") {
        return example.to_owned();
    }
    let mut text = BEFORE.to_owned();
    if example.starts_with("on:") {
        text.push_str("    done: {verdict: .context.review.status, accept: [APPROVED]}\n");
    }
    for line in example.lines() {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    text
}

#[test]
fn every_workflow_in_the_documentation_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for page in ["README.md", "docs/stacks.md", "docs/workflow.md", "docs/platforms.md"] {
        for example in pages::blocks(&pages::read(page), "yaml") {
            let file = folder.path().join("example.yaml");
            fs_err::write(&file, whole(&example)).unwrap();
            let checked = Command::new(env!("CARGO_BIN_EXE_windlass"))
                .arg("check")
                .arg(&file)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&checked.stderr);
            assert!(checked.status.success() && said.is_empty(), "{page}:\n{example}\n{said}");
            count += 1;
        }
    }
    assert!(count > 20, "only {count} examples were found");
}

#[test]
fn the_reference_is_the_one_that_this_version_prints() {
    let page = "docs/workflow-reference.md";
    let written = pages::read(page);
    let printed = Command::new(env!("CARGO_BIN_EXE_windlass"))
        .args(["schema", "--markdown"])
        .output()
        .unwrap();
    assert!(
        written.as_bytes() == printed.stdout,
        "`{page}` is not up to date: run `cargo run -p windlass -- schema --markdown > {page}`"
    );
}

#[test]
fn every_exit_code_and_every_kind_of_error_is_in_the_documentation() {
    let source = pages::read("crates/windlass/src/error.rs");
    let page = pages::read("docs/errors.md");
    let (codes, _) =
        page.split_once("\n## What an error looks like").expect("the codes come first");
    let mut count = 0;
    for line in source.lines().filter(|line| line.contains("const EXIT_")) {
        let (_, code) = line.trim_end_matches(';').rsplit_once(" = ").expect("a value");
        assert!(codes.contains(&format!("\n| {code} |")), "exit code {code}: {line}");
        count += 1;
    }
    assert!(count >= 5, "only {count} codes were found");
    let (_, kinds) = source.split_once("pub(crate) enum Kind {").expect("the kinds");
    let (kinds, _) = kinds.split_once("\n}").expect("their end");
    let names = kinds.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    for name in names.filter_map(|line| line.strip_suffix(',')) {
        assert!(codes.contains(&format!("`{}`", name.to_lowercase())), "kind {name}");
        count += 1;
    }
    assert!(count >= 7, "only {count} were found");
    // Help and page say the same about what codes there are.
    let help = Command::new(env!("CARGO_BIN_EXE_windlass")).arg("--help").output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    for code in 0..=5 {
        assert!(help.contains(&format!("{code} ")) && codes.contains(&format!("\n| {code} |")));
    }
}
