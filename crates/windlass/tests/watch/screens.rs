//! Whole screens of `run` at the widths that people have.

use windlass_testkit::{Terminal, TestEnv, test_env};

use crate::support::{asks, go, still};

const WIDTHS: [(u16, u16); 2] = [(80, 50), (120, 50)];

/// A preparation that waits, a step that fails first, and one behind a gate that is told to be skipped.
const WORKFLOW: &str = r#"
workflow: greet
title: A small change that a test proves
prepare: [{run: "echo fetching package one; PREPARED"}]
steps:
  - id: implement
    agent: developer
    task: Write the right answer into answer.txt, and nothing else, as the goal of the run says it should be written there.
    done: {run: "echo a suite with a rather long name that says many words about what it does and why; grep -qx right answer.txt"}
  - id: notes
    agent: writer
    task: Say in NOTES.md what changed.
    done: {file: NOTES.md}
    gate: approval
"#;

const AGENT: &str = r#"
case $WINDLASS_ATTEMPT in
  implement#1) echo wrong > answer.txt ;;
  implement*) echo right > answer.txt ;;
  notes*) echo "The answer is right." > NOTES.md; echo "Done, and all tests pass." ;;
esac
"#;

fn start(env: &TestEnv, size: (u16, u16), prepare: &str) -> Terminal {
    let workflow = env.workflow(WORKFLOW.replace("PREPARED", prepare).as_str());
    let agent = env.agent(AGENT);
    let words = ["run", "Greet people", "--workflow", &workflow, "--agent-command", &agent];
    Terminal::windlass(env, size, &words)
}

#[test]
fn nothing_is_silent_before_the_run_begins_and_ctrl_c_says_what_happened() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let terminal = start(&env, (80, 24), "sleep 600");
    let screen = terminal.wait_for("│ fetching package one");
    insta::assert_snapshot!(still(&env, &screen));
    terminal.keys(&["C-c"]);
    let screen = terminal.wait_for("[exit 130]");
    assert!(screen.contains("stopped: no run was started"), "{screen}");
    assert!(env.windlass(&["status"]).stderr.contains("there is no run"));
}

#[test]
fn a_whole_run_is_readable_at_every_width() {
    if !Terminal::is_there() {
        return;
    }
    for size in WIDTHS {
        let env = test_env!();
        fs_err::write(go(&env), "").unwrap();
        let terminal = start(&env, size, "true");
        terminal.wait_until("the question", asks);
        let screen = terminal.screen();
        insta::assert_snapshot!(format!("gate_{}", size.0), still(&env, &screen));
        terminal.text("e");
        terminal.keys(&["Enter"]);
        terminal.wait_until("the evidence", |screen| screen.matches("file `NOTES.md`").count() > 1);
        terminal.wait_until("the question again", asks);
        terminal.text("a");
        terminal.keys(&["Enter"]);
        let screen = terminal.wait_for("[exit 0]");
        assert!(screen.contains("windlass take"), "{screen}");
        let wide = screen.lines().find(|line| line.chars().count() > usize::from(size.0));
        assert_eq!(wide, None);
    }
}

/// A gate about more than fits on a small screen.
const MANY: &str = r#"
workflow: many
title: Many files at once
steps:
  - id: write
    agent: writer
    task: Write twenty pages, one for each part of the manual, so that nobody has to guess any more what a part does.
    done: {diff: any}
    gate: approval
"#;

const MANY_FILES: &str = r#"
mkdir -p manual
for n in $(seq 10 29); do echo "Part $n does what it says." > "manual/part-with-a-rather-long-name-$n.md"; done
echo "I wrote all twenty pages, and read each of them once more before I finished."
"#;

#[test]
fn the_question_and_its_keys_are_on_the_screen_however_small_it_is() {
    if !Terminal::is_there() {
        return;
    }
    for size in [(80, 24), (120, 40)] {
        let env = test_env!();
        let (workflow, agent) = (env.workflow(MANY), env.agent(MANY_FILES));
        let words = ["run", "Pages", "--workflow", &workflow, "--agent-command", &agent];
        let terminal = Terminal::windlass(&env, size, &words);
        terminal.wait_until("the question", asks);
        let screen = terminal.screen();
        assert!(screen.contains("`write` passed 1 check. Accept it?"), "{screen}");
        assert!(screen.contains("[a]pprove, [f]eedback TEXT"), "{screen}");
        insta::assert_snapshot!(format!("gate_{}x{}", size.0, size.1), still(&env, &screen));
    }
}

const REVIEWED: &str = r#"
workflow: reviewed
steps:
  - {id: code, agent: developer, task: Write the answer., done: {file: answer.txt}}
  - id: review
    agent: reviewer
    task: Review it.
    done: {verdict_in: "{specs}/review.md", kind: review, accept: [APPROVED]}
    on: {CHANGES_REQUESTED: {rollback: code, max: 1}}
    gate: approval
"#;

const REVIEWER: &str = r#"
specs=.windlass/run/specs
case $WINDLASS_STEP in
  code) echo right > answer.txt ;;
  review)
    mkdir -p $specs
    printf '# Review\n\nThe answer is not explained.\n\n[BLOCKING] no comment answer.txt:1\n\nCHANGES_REQUESTED\n' > $specs/review.md ;;
esac
"#;

#[test]
fn a_finding_can_be_accepted_as_a_risk_and_the_reason_is_kept() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let (workflow, agent) = (env.workflow(REVIEWED), env.agent(REVIEWER));
    let words = ["run", "Answer", "--workflow", &workflow, "--agent-command", &agent];
    let terminal = Terminal::windlass(&env, (100, 40), &words);
    let screen = terminal.wait_until("the question", asks);
    for shown in [
        "`review` said CHANGES_REQUESTED. Go back to `code`?",
        "has 1 blocking",
        "- [BLOCKING] no comment answer.txt:1",
        ".windlass/run/specs/review.md",
        "The answer is not explained.",
    ] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    terminal.text("x");
    terminal.keys(&["Enter"]);
    terminal.wait_for("say why the risk is accepted");
    terminal.wait_until("the question again", asks);
    terminal.text("x it explains itself");
    terminal.keys(&["Enter"]);
    terminal.wait_for("[exit 0]");
    let report = env.windlass(&["report"]).stdout;
    assert!(report.contains("the risk is accepted: it explains itself"), "{report}");
}
