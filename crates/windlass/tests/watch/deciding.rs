//! Gates answered in place, and the run paused and resumed.

use windlass_testkit::{Terminal, TestEnv, test_env, wait};

use crate::support::{at_the_gate, building, go};

fn watched() -> Option<(TestEnv, Terminal)> {
    if !Terminal::is_there() {
        return None;
    }
    let env = at_the_gate();
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    terminal.wait_for("Changed code: 1 file");
    terminal.wait_for("a approve");
    Some((env, terminal))
}

#[test]
fn a_gate_is_approved_with_a_message() {
    let Some((env, terminal)) = watched() else { return };
    terminal.keys(&["a"]);
    terminal.wait_for("Accept exactly what is shown?");
    terminal.keys(&["m"]);
    terminal.wait_for("A message to keep with it");
    terminal.text("looks right");
    terminal.wait_for("Enter approves");
    terminal.keys(&["Enter"]);
    let screen = terminal.wait_for("`plan` is approved");
    assert!(screen.contains("windlass resume"), "{screen}");
    let log = env.log_json();
    let approved = log.last("gate_approved").unwrap();
    assert_eq!(approved["message"], "looks right");
    let presence = &approved["presence"];
    let terminal_of = presence["from"]["terminal"].as_str().unwrap();
    assert!(terminal_of.starts_with("/dev/pts/"), "{presence}");
    assert!(presence["shown"].as_u64() <= presence["open"].as_u64(), "{presence}");
    let report = env.windlass(&["report"]).stdout;
    let words = format!(" on {}, ", terminal_of.trim_start_matches("/dev/"));
    assert!(
        report.contains(&words) && report.contains(" after it was shown: looks right"),
        "{report}"
    );
    terminal.wait_for("nobody drives this run");
}

#[test]
fn nothing_but_a_clear_yes_approves() {
    let Some((env, terminal)) = watched() else { return };
    terminal.keys(&["a"]);
    terminal.wait_for("Accept exactly what is shown?");
    terminal.keys(&["Enter", "Space", "x", "a", "n"]);
    terminal.wait_until("no question", |screen| !screen.contains("Accept exactly"));
    terminal.keys(&["y", "Enter", "Escape", "Escape"]);
    terminal.keys(&["f"]);
    terminal.wait_for("Enter sends it back");
    terminal.keys(&["Enter"]);
    terminal.wait_for("say something, or press Esc");
    terminal.keys(&["Escape"]);
    let log = env.log_json();
    assert_eq!(log.count("gate_approved") + log.count("feedback_given"), 0);
}

#[test]
fn feedback_is_typed_and_reaches_the_next_prompt() {
    let Some((env, terminal)) = watched() else { return };
    terminal.keys(&["f"]);
    terminal.wait_for("What should be different?");
    terminal.text("name the füls: 漢字");
    terminal.wait_for("name the füls: 漢字");
    terminal.wait_for("Enter sends it back");
    terminal.keys(&["Enter"]);
    terminal.wait_for("open again, with your feedback");
    assert_eq!(env.log_json().last("feedback_given").unwrap()["message"], "name the füls: 漢字");
    env.windlass(&["resume"]).assert_code(3);
    // The gate is another one by now, and shows the new files.
    terminal.wait_for("+# Another plan");
    terminal.keys(&["p"]);
    terminal.wait_for("prompt of `plan#2`");
    terminal.keys(&["End"]);
    terminal.wait_for("name the füls");
}

#[test]
fn a_rollback_offers_the_likely_step_first() {
    let Some((env, terminal)) = watched() else { return };
    terminal.keys(&["a"]);
    terminal.wait_for("y yes");
    terminal.keys(&["y"]);
    terminal.wait_for("`plan` is approved");
    fs_err::write(go(&env), "").unwrap();
    env.windlass(&["resume"]).assert_code(3);
    terminal.wait_for("`review` is proven: accept it?");
    terminal.wait_for("a approve");
    terminal.keys(&["r"]);
    let screen = terminal.wait_for("(suggested)");
    assert!(screen.contains("Building (build)  (suggested)"), "{screen}");
    terminal.keys(&["Up", "Enter"]);
    terminal.wait_for("roll back to `plan`");
    terminal.text("the plan misses deletion");
    terminal.wait_for("Enter rolls back");
    terminal.keys(&["Enter"]);
    terminal.wait_for("the run goes back to `plan`");
    let log = env.log_json();
    let back = log.last("rolled_back").unwrap();
    assert_eq!((&back["target"], &back["reset_code"]), (&"plan".into(), &false.into()));
}

#[test]
fn an_approval_of_something_else_is_refused_in_place() {
    let Some((env, terminal)) = watched() else { return };
    fs_err::write(env.place().join("plan.md"), "another plan\n").unwrap();
    terminal.keys(&["a"]);
    terminal.wait_for("y yes");
    terminal.keys(&["y"]);
    let screen = terminal.wait_for("refused: files changed since they were shown: plan.md");
    assert!(!screen.contains("is approved"), "{screen}");
    assert_eq!(env.log_json().count("gate_approved"), 0);
}

#[test]
fn changed_judges_are_shown_with_their_diff_and_without_proofs_of_other_files() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let workflow = "
workflow: judged
protect: [\"tests/**\"]
steps:
  - {id: code, agent: developer, task: Do it., done: {run: \"grep -q right a.txt\"}}
";
    let agent = "
case $WINDLASS_ATTEMPT in
  code#1) echo wrong > a.txt ;;
  *) mkdir -p tests; echo 'exit 0' > tests/judge.sh ;;
esac
";
    env.run(workflow, agent, &[]).assert_code(3);
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    let screen = terminal.wait_for("No check has judged these files yet.");
    assert!(screen.contains("changed files that judge the work"), "{screen}");
    assert!(screen.contains("+exit 0") && !screen.contains("failed"), "{screen}");
    terminal.keys(&["e"]);
    terminal.wait_for("code#1 was not proven");
}

#[test]
fn a_running_run_is_paused_and_its_driver_hears_it() {
    if !Terminal::is_there() {
        return;
    }
    let (env, mut driver) = building();
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    terminal.wait_for("waiting for the word");
    terminal.keys(&["a"]);
    terminal.wait_for("no gate waits for an answer");
    terminal.keys(&["s"]);
    terminal.wait_for("Start nothing new?");
    terminal.wait_for("x stop it now");
    terminal.keys(&["x"]);
    terminal.wait_for("paused");
    driver.wait(wait::DEADLINE).expect("the driver stops").assert_code(4);
    terminal.keys(&["s"]);
    terminal.wait_for("Let the run go on?");
    terminal.wait_for("y yes");
    terminal.keys(&["y"]);
    terminal.wait_for("the run may go on");
    terminal.wait_for("nobody drives this run");
    assert_eq!(env.status(), "active");
}
