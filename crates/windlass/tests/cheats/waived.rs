//! Unproven work of steps that are waived, skipped or blocked: none of it lands.

use windlass_testkit::{TestEnv, test_env};

use crate::support::published;

const EVIL: &str = "echo right > src/a.txt; echo evil > core.txt; echo never > src/backdoor.txt";

fn world() -> TestEnv {
    let env = test_env!();
    env.repository.write("src/a.txt", "wrong\n");
    env.repository.write("core.txt", "fine\n");
    env.repository.commit("a project");
    env
}

fn workflow(lint: &str) -> String {
    format!(
        "
workflow: waived
defaults: {{retries: 1, timeout: 20s, idle_timeout: 10s}}
steps:
  - {{id: work, agent: developer, done: {{run: 'grep -q right src/a.txt'}}}}
  - {{id: lint, agent: developer, done: {{run: 'false'}}, {lint}}}
  - {{id: notes, agent: writer, done: {{file: notes.md}}}}
"
    )
}

fn agent(lint: &str) -> String {
    format!(
        "case $WINDLASS_STEP in work) echo right > src/a.txt;; lint) {lint};; \
         notes) ls src core.txt > notes.md; cat core.txt >> notes.md;; esac"
    )
}

#[track_caller]
fn nothing_landed(env: &TestEnv) {
    assert_eq!(published(env, "core.txt"), "fine");
    let branch = env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned();
    let files = env.repository.git(&["ls-tree", "-r", "--name-only", &branch]);
    assert!(!files.contains("backdoor"), "it never had a proof: {files}");
    let notes = published(env, "notes.md");
    assert!(!notes.contains("backdoor") && !notes.contains("evil"), "{notes}");
    env.assert_audit();
}

#[test]
fn waived_work_is_not_on_the_branch_and_the_report_says_where_it_is() {
    for may_write in ["", ", may_write: ['src/**']", ", may_write: ['src/**'], waive: keep"] {
        let env = world();
        let workflow = workflow(&format!("exhausted: waive{may_write}"));
        let finished = env.run(&workflow, &agent(EVIL), &["--yes"]);
        assert_eq!(finished.code, Some(0), "{finished}");
        nothing_landed(&env);
        let report = env.windlass(&["report"]).stdout;
        assert!(report.contains("its work is not part of the result"), "{report}");
        assert!(report.contains("windlass diff lint#1"), "{report}");
        let kept = env.windlass(&["diff", "lint#1"]);
        assert!(kept.stdout.contains("+never"), "{kept}");
    }
}

#[test]
fn waived_work_stays_where_the_workflow_says_so_and_it_is_within_bounds() {
    let env = world();
    let workflow = workflow("exhausted: waive, may_write: ['src/**'], waive: keep");
    let finished = env.run(&workflow, &agent("echo more > src/b.txt"), &["--yes"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    assert_eq!(published(&env, "src/b.txt"), "more");
    let report = env.windlass(&["report"]).stdout;
    assert!(report.contains("**waived**"), "{report}");
}

#[test]
fn work_of_a_skipped_step_lands_only_if_a_person_wants_it() {
    for (keep, more) in [(false, None), (true, Some("--keep"))] {
        let env = world();
        let finished = env.run(&workflow("exhausted: pause"), &agent(EVIL), &["--yes"]);
        assert_eq!(finished.code, Some(4), "{finished}");
        let mut words = vec!["skip", "lint", "--reason", "not now"];
        words.extend(more);
        let skipped = env.windlass(&words);
        assert_eq!(skipped.code, Some(0), "{skipped}");
        let resumed = env.windlass(&["resume"]);
        assert_eq!(resumed.code, Some(0), "{resumed}");
        if keep {
            assert_eq!(published(&env, "core.txt"), "evil");
        } else {
            nothing_landed(&env);
        }
    }
}

/// A step that is committed and waits at its gate.
const GATED: &str = "
workflow: gated
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
steps:
  - {id: work, agent: developer, done: {run: 'grep -q right src/a.txt'}}
  - {id: lint, agent: developer, done: {run: 'true'}, gate: approval}
";

#[test]
fn committed_work_of_a_step_that_is_skipped_at_its_gate_leaves_the_branch() {
    let notes = "  - {id: notes, agent: writer, done: {file: notes.md}}\n";
    for (more, keep) in [("", false), (notes, false), (notes, true)] {
        let env = world();
        let finished = env.run(&format!("{GATED}{more}"), &agent(EVIL), &[]);
        assert_eq!(finished.code, Some(3), "{finished}");
        assert_eq!(published(&env, "core.txt"), "evil", "it is committed before a person looks");
        let mut words = vec!["skip", "lint", "--reason", "not now"];
        words.extend(keep.then_some("--keep"));
        let said = env.windlass(&words).assert_code(0).stdout.clone();
        let expected = match keep {
            true => "its work stays",
            false => "its work is set aside: `windlass diff lint#1` shows it",
        };
        assert!(said.contains(expected), "{said}");
        let resumed = env.windlass(&["resume"]);
        assert_eq!(resumed.code, Some(0), "{resumed}");
        env.assert_audit();
        if keep {
            assert_eq!(published(&env, "core.txt"), "evil");
            continue;
        }
        assert_eq!(
            (published(&env, "core.txt"), published(&env, "src/a.txt")),
            ("fine".to_owned(), "right".to_owned())
        );
        if !more.is_empty() {
            nothing_landed(&env);
        }
        let report = env.windlass(&["report"]).stdout;
        assert!(report.contains("its work is not part of the result"), "{report}");
        let kept = env.windlass(&["diff", "lint#1"]);
        assert!(kept.stdout.contains("+never"), "{kept}");
    }
}

#[test]
fn work_that_was_sent_back_and_then_blocked_leaves_nothing() {
    let env = world();
    let workflow = "
workflow: blocked
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
steps:
  - {id: lint, agent: developer, done: {run: 'false'}, exhausted: block}
  - {id: notes, agent: writer, needs: [], done: {file: notes.md}}
";
    env.run(workflow, &agent(EVIL), &["--yes"]);
    let again = env.windlass(&["retry-reset", "lint"]);
    assert_eq!(again.code, Some(0), "{again}");
    env.windlass(&["resume"]);
    nothing_landed(&env);
}
