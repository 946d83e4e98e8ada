//! The compact view below what `run` and `resume` print.

use windlass_testkit::{Terminal, test_env, wait};

use crate::support::{asks, go, run_arguments, still};

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn a_run_at_a_terminal_shows_where_it_is_and_leaves_only_lines() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let arguments = run_arguments(&env, &["--yes"]);
    let terminal = Terminal::windlass(&env, (80, 24), &words(&arguments));
    let screen = terminal.wait_for("waiting for the word");
    insta::assert_snapshot!(still(&env, &screen));
    terminal.resize(50, 15);
    // A terminal that breaks long lines keeps the first part of the wide view above the narrow one.
    terminal.wait_until("a narrow view", |screen| {
        screen
            .lines()
            .rfind(|line| line.contains("steps done"))
            .is_some_and(|line| line.chars().count() == 49 && screen.contains("2 of 60 attempts"))
    });
    terminal.resize(80, 24);
    fs_err::write(go(&env), "").unwrap();
    terminal.wait_for("[exit 0]");
    let all = terminal.with_history();
    // No line was lost, whatever the terminal did with its size.
    for line in ["✓ plan", "✓ build", "✓ review", "completed, "] {
        assert!(all.contains(line), "{line}: {all}");
    }
    assert!(!terminal.screen().contains("shows more"), "{all}");
}

#[test]
fn ctrl_c_stays_a_signal_and_pauses_the_run() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let arguments = run_arguments(&env, &["--yes"]);
    let terminal = Terminal::windlass(&env, (80, 24), &words(&arguments));
    terminal.wait_for("waiting for the word");
    terminal.keys(&["C-c"]);
    let screen = terminal.wait_for("[exit 4]");
    assert!(screen.contains("stopping: the running attempt is ended"), "{screen}");
    assert_eq!(env.status(), "paused");
}

#[test]
fn the_gate_is_asked_about_at_the_terminal_as_before() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let arguments = run_arguments(&env, &[]);
    let terminal = Terminal::windlass(&env, (80, 24), &words(&arguments));
    let screen = terminal.wait_for("[a]pprove, [f]eedback TEXT");
    assert!(!screen.contains("shows more"), "{screen}");
    terminal.text("a");
    terminal.keys(&["Enter"]);
    terminal.wait_for("waiting for the word");
    fs_err::write(go(&env), "").unwrap();
    terminal.wait_for("`review` passed 1 check. Accept it?");
    terminal.wait_until("the question", asks);
    terminal.text("q");
    terminal.keys(&["Enter"]);
    // The prompt may have scrolled; the end is the same as without a terminal.
    terminal.wait_for("windlass approve");
}

#[test]
fn a_gate_that_is_answered_in_a_view_lets_the_waiting_run_go_on() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let arguments = run_arguments(&env, &[]);
    let driver = Terminal::windlass(&env, (80, 24), &words(&arguments));
    driver.wait_for("[a]pprove, [f]eedback TEXT");
    let view = Terminal::windlass(&env, (80, 24), &["watch"]);
    view.wait_for("Changed code");
    view.wait_for("a approve");
    view.keys(&["a"]);
    view.wait_for("y yes");
    view.keys(&["y"]);
    driver.wait_for("the gate is not open any more: the run continues");
    driver.wait_for("waiting for the word");
    view.wait_for("build#1 running");
}

#[test]
fn without_a_terminal_and_on_a_dumb_one_there_are_plain_lines() {
    let env = test_env!();
    fs_err::write(go(&env), "").unwrap();
    let arguments = run_arguments(&env, &["--yes"]);
    let finished = env.windlass(&words(&arguments));
    finished.assert_code(0);
    assert!(!finished.stderr.contains('\x1b'), "{finished}");
    assert!(!finished.stderr.contains("steps done"), "{finished}");
    if Terminal::is_there() {
        let env = test_env!();
        let arguments = run_arguments(&env, &["--yes"]);
        let dumb = [("TERM", "dumb")];
        let terminal = Terminal::windlass_with(&env, (80, 24), &dumb, &words(&arguments));
        terminal.wait_for("✓ plan");
        wait::for_fact("the word", || fs_err::write(go(&env), "").is_ok());
        terminal.wait_for("[exit 0]");
        assert!(!terminal.with_history().contains("steps done"));
    }
}
