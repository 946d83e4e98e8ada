//! What the run changed, and what was thrown away and was not.

use insta::assert_snapshot;

use crate::support::{GATED, eventful, shown};

#[test]
fn every_attempt_is_listed_with_what_became_of_it() {
    let env = eventful();
    let list = env.windlass(&["trash", "list"]);
    list.assert_code(0);
    assert_snapshot!(shown(&env, &list.stdout));
    let json = env.json(&["trash", "list", "--json"]);
    let rows = json.as_array().unwrap();
    assert_eq!(rows[0]["name"], "plan#1");
    assert_eq!(rows[0]["fate"], "superseded");
    assert_eq!(rows[1]["fate"], "sent_back");
}

#[test]
fn kept_files_are_shown_against_what_the_run_has_now() {
    let env = eventful();
    let show = env.windlass(&["trash", "show", "build#1"]);
    assert_snapshot!(shown(&env, &show.stdout), @r"
     M answer.txt |     2 +-
     D odd.txt    |     1 -
     2 files, +1 -2
    ");
    let patch = env.windlass(&["trash", "show", "build#1", "answer.txt"]);
    assert!(patch.stdout.contains("-right\n+wrong\n"), "{patch}");
    assert!(!patch.stdout.contains("odd.txt"), "{patch}");
    let start = env.windlass(&["trash", "show", "build#1", "--against", "start", "--patch"]);
    assert!(start.stdout.contains("+wrong"), "{start}");
    let unknown = env.windlass(&["trash", "show", "build#11"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("did you mean `build#1`?"), "{unknown}");
}

#[test]
fn a_restore_writes_a_new_folder_and_overwrites_nothing() {
    let env = eventful();
    let restored = env.windlass(&["trash", "restore", "build#1"]);
    restored.assert_code(0);
    let folder = env.repository.root().join("windlass-restored-build-1");
    assert_eq!(fs_err::read_to_string(folder.join("answer.txt")).unwrap(), "wrong\n");
    assert_eq!(fs_err::read_to_string(folder.join("README.md")).unwrap(), "A project.\n");
    assert!(!folder.join("odd.txt").exists());
    // Again: beside it. Into a folder that is there: not at all.
    env.windlass(&["trash", "restore", "build#1"]).assert_code(0);
    assert!(env.repository.root().join("windlass-restored-build-1-2").is_dir());
    let there = env.windlass(&["trash", "restore", "build#1", "--to", &folder.to_string_lossy()]);
    there.assert_code(2);
    assert_snapshot!(shown(&env, &there.stderr), @r"
    error: `[ROOT]/home/project/windlass-restored-build-1` exists already; nothing is overwritten

    hint: name a folder that is not there yet
    ");
    let some = env.root().join("some");
    let to = some.to_string_lossy().into_owned();
    env.windlass(&["trash", "restore", "plan#1", "plan.md", "--to", &to]).assert_code(0);
    assert_eq!(fs_err::read_dir(&some).unwrap().count(), 1);
    let wrong = env.windlass(&["trash", "restore", "plan#1", "plam.md"]);
    wrong.assert_code(2);
    assert!(wrong.stderr.contains("did you mean `plan.md`?"), "{wrong}");
}

#[test]
fn kept_files_outlive_the_place() {
    let env = eventful();
    env.windlass(&["place", "prune"]).assert_code(0);
    assert!(!env.place().exists());
    let to = env.root().join("back");
    env.windlass(&["trash", "restore", "plan#1", "--to", &to.to_string_lossy()]).assert_code(0);
    assert_eq!(fs_err::read_to_string(to.join("plan.md")).unwrap(), "plan one\n");
}

#[test]
fn a_restored_branch_is_new_or_not_made() {
    let env = eventful();
    let head = env.repository.git(&["rev-parse", "HEAD"]);
    env.windlass(&["trash", "restore", "build#1", "--branch", "first-try"]).assert_code(0);
    assert_eq!(env.repository.git(&["show", "first-try:answer.txt"]), "wrong");
    for taken in ["first-try", "main", "first-try/sub", "a..b", "-x"] {
        let flag = format!("--branch={taken}");
        let refused = env.windlass(&["trash", "restore", "build#2", &flag]);
        assert!(matches!(refused.code, Some(1 | 2)), "{refused}");
    }
    assert_eq!(env.repository.git(&["show", "first-try:answer.txt"]), "wrong");
    assert_eq!(env.repository.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(env.repository.git(&["status", "--porcelain"]), "");
    env.assert_audit();
}

#[test]
fn an_agent_cannot_bring_files_back() {
    let env = windlass_testkit::test_env!();
    let said = env.root().join("tmp/said");
    let agent = format!(
        "windlass trash list > /dev/null; windlass -C '{}' trash restore plan#1 2> '{}' && touch restored; echo plan > plan.md",
        env.repository.root().display(),
        said.display()
    );
    env.run(GATED, &agent, &[]).assert_code(3);
    assert!(!env.place().join("restored").exists());
    let said = fs_err::read_to_string(said).unwrap();
    assert!(said.contains("an agent or a check cannot"), "{said}");
}

#[test]
fn a_diff_shows_the_run_a_step_or_an_attempt() {
    let env = eventful();
    let whole = env.windlass(&["diff", "--stat"]);
    assert_snapshot!(shown(&env, &whole.stdout), @r"
     A answer.txt |     1 +
     A odd.txt    |     1 +
     A plan.md    |     1 +
     3 files, +3 -0
    ");
    // The rework after feedback belongs to the step.
    let plan = env.windlass(&["diff", "plan"]);
    assert!(plan.stdout.contains("+plan two") && !plan.stdout.contains("plan one"), "{plan}");
    let second = env.windlass(&["diff", "plan#2"]);
    assert!(second.stdout.contains("-plan one\n+plan two\n"), "{second}");
    assert_eq!(env.windlass(&["diff", "build#1", "--name-only"]).stdout, "answer.txt\n");
    let json = env.json(&["diff", "build", "--json"]);
    assert_eq!(json["code"][0]["path"], "answer.txt");
    assert_eq!(
        (&json["code"][0]["added"], &json["code"][0]["status"]),
        (&1.into(), &"added".into())
    );
    let unknown = env.windlass(&["diff", "biuld"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("did you mean `build`?"), "{unknown}");
}

#[test]
fn at_a_gate_the_diff_of_its_step_is_pointed_out() {
    let env = crate::support::at_the_gate();
    let diff = env.windlass(&["diff"]);
    assert!(diff.stderr.contains("`windlass diff plan` shows what the gate is about"), "{diff}");
    assert!(diff.stdout.contains("+plan plan#1"), "{diff}");
    let early = env.windlass(&["diff", "build"]);
    early.assert_code(0);
    assert!(early.stderr.contains("not left any files"), "{early}");
}

#[test]
fn control_characters_of_an_agent_do_not_reach_the_terminal() {
    let env = eventful();
    for arguments in [&["diff", "build"][..], &["trash", "show", "build#2", "--patch"]] {
        let shown = env.windlass(arguments);
        assert!(!shown.stdout.contains('\x1b'), "{shown}");
    }
    assert!(env.windlass(&["diff", "build"]).stdout.contains("odd \\x1b[31m name"));
    let colours = env.windlass(&["--color", "always", "diff", "build"]).stdout;
    assert!(colours.contains("\x1b[32m+right\x1b[0m"), "{colours}");
    assert!(colours.contains("odd \\x1b[31m name"), "{colours}");
}

#[test]
fn links_of_an_agent_come_back_as_links_and_lead_nothing_outside() {
    let env = windlass_testkit::test_env!();
    let outside = env.root().join("tmp/outside");
    fs_err::create_dir(&outside).unwrap();
    let agent = format!(
        "test -L sub || ln -s '{}' sub; echo plan > plan.md; chmod +x plan.md",
        outside.display()
    );
    // The engine does not accept such a link; the attempt's files are kept all the same.
    env.run(GATED, &agent, &[]).assert_code(4);
    let to = env.root().join("back");
    env.windlass(&["trash", "restore", "plan#1", "--to", &to.to_string_lossy()]).assert_code(0);
    assert_eq!(fs_err::read_link(to.join("sub")).unwrap(), outside);
    assert_eq!(fs_err::read_dir(&outside).unwrap().count(), 0);
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs_err::metadata(to.join("plan.md")).unwrap().permissions().mode();
    assert_ne!(mode & 0o111, 0, "an executable file stays one");
}
