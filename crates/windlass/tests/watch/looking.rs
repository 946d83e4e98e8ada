//! What is shown.

use windlass_testkit::{Terminal, test_env, wait};

use crate::support::{SIZES, at_the_gate, building, go, still};

#[test]
fn a_running_attempt_is_shown_with_its_signs_of_life_and_its_last_lines() {
    if !Terminal::is_there() {
        return;
    }
    let (env, mut driver) = building();
    for (width, height) in SIZES {
        let terminal = Terminal::windlass(&env, (width, height), &["watch"]);
        let screen = terminal.wait_until("the last line", |screen| {
            ["waiting for the word", "1 process, CPU", "q quit"].iter().all(|w| screen.contains(w))
        });
        // What a carriage return overwrites and what colours a text is not shown.
        assert!(screen.contains("│ compiling 20%"), "{screen}");
        insta::assert_snapshot!(format!("running_{width}x{height}"), still(&env, &screen));
    }
    fs_err::write(go(&env), "").unwrap();
    driver.wait(wait::DEADLINE).expect("the run ends").assert_code(0);
}

#[test]
fn a_gate_shows_what_is_to_be_decided() {
    if !Terminal::is_there() {
        return;
    }
    let env = at_the_gate();
    for (width, height) in SIZES {
        let terminal = Terminal::windlass(&env, (width, height), &["watch"]);
        let screen = terminal.wait_until("the diff", |screen| {
            screen.contains("Changed code: 1 file, +2 −0")
                && screen.contains("a approve")
                && screen.contains("q quit")
        });
        insta::assert_snapshot!(format!("gate_{width}x{height}"), still(&env, &screen));
    }
}

#[test]
fn evidence_prompt_diff_output_log_and_help_are_one_key_away() {
    if !Terminal::is_there() {
        return;
    }
    let env = at_the_gate();
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    terminal.wait_for("Changed code");
    let pages = [
        ("e", "evidence of `plan`", "observed"),
        ("p", "prompt of `plan#1`", "Plan the change."),
        ("d", "what `plan` changed", "+1. do it"),
        ("o", "output of `plan#1`", "Reading the README."),
        ("l", " log ", "`plan` waits for a person"),
    ];
    for (key, title, content) in pages {
        terminal.keys(&[key]);
        terminal.wait_until(content, |screen| screen.contains(title) && screen.contains(content));
        terminal.keys(&["Escape"]);
        terminal.wait_for("accept it?");
    }
    terminal.keys(&["?"]);
    let help = terminal.wait_for("the run continues without you");
    assert!(help.contains("approve, feedback, rollback"), "{help}");
    terminal.keys(&["Escape"]);
    terminal.keys(&["l"]);
    terminal.wait_for("run started");
    terminal.keys(&["/"]);
    terminal.text("no such words");
    terminal.keys(&["Enter"]);
    terminal.wait_for("`no such words` is not found");
    terminal.keys(&["q"]);
    terminal.keys(&["q"]);
    terminal.wait_for("[exit 0]");
}

#[test]
fn a_finished_run_is_shown_and_stays() {
    if !Terminal::is_there() {
        return;
    }
    let (env, mut driver) = building();
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    terminal.wait_for("build#1 running");
    fs_err::write(go(&env), "").unwrap();
    driver.wait(wait::DEADLINE).expect("the run ends").assert_code(0);
    let ended = terminal.wait_for("completed");
    assert!(ended.contains("steps: 3 of 3 done"), "{ended}");
    // One that is opened afterwards shows the same.
    let later = Terminal::windlass(&env, (80, 24), &["watch"]);
    let screen = later.wait_for("windlass report");
    insta::assert_snapshot!(still(&env, &screen));
    later.keys(&["Up", "Up", "e"]);
    later.wait_for("evidence of `plan`");
}

#[test]
fn two_views_of_one_run_do_not_disturb_each_other_or_the_run() {
    if !Terminal::is_there() {
        return;
    }
    let (env, mut driver) = building();
    let first = Terminal::windlass(&env, (80, 24), &["watch"]);
    let second = Terminal::windlass(&env, (120, 40), &["watch"]);
    first.wait_for("waiting for the word");
    second.wait_for("waiting for the word");
    first.keys(&["q"]);
    first.wait_for("[exit 0]");
    fs_err::write(go(&env), "").unwrap();
    driver.wait(wait::DEADLINE).expect("the run ends").assert_code(0);
    second.wait_for("completed");
    env.assert_audit();
}

#[test]
fn five_hundred_steps_scroll() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let step = |n| {
        format!(
            "  - {{id: s{n}, title: \"Step number {n}\", agent: a, task: Do., done: {{file: f{n}}}}}\n"
        )
    };
    let steps: String = (1..=500).map(step).collect();
    let workflow = format!("workflow: large\ndefaults: {{retries: 1}}\nsteps:\n{steps}");
    let finished = env.run(&workflow, "false", &[]);
    finished.assert_code(4);
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    terminal.wait_for("Step number 1 ");
    terminal.keys(&["End"]);
    let screen = terminal.wait_for("Step number 500");
    assert!(screen.contains("to 500 shown"), "{screen}");
    terminal.keys(&["Home"]);
    terminal.wait_for("1 to ");
}
