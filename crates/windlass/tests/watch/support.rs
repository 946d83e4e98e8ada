//! What these tests have in common.

use std::path::PathBuf;

use windlass_testkit::{Background, TestEnv, test_env, wait};

/// The sizes that are looked at: a terminal over ssh, a large one, a small pane.
pub(super) const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (50, 15)];

/// A plan with a gate, work that is checked by a command, a review with a gate.
pub(super) const WORKFLOW: &str = r#"
workflow: change
title: A change
defaults: {retries: 3}
steps:
  - id: plan
    title: Planning
    agent: planner
    task: Plan the change.
    done: {file: plan.md}
    gate: approval
  - id: build
    title: Building
    agent: developer
    task: Build what the plan says.
    done: {run: "echo checking the answer; grep -qx right answer.txt"}
  - id: review
    title: Review
    agent: reviewer
    task: Review it.
    done: {file: review.md}
    gate: approval
"#;

/// An agent that prints odd bytes and builds only when it is told to.
pub(super) fn script(env: &TestEnv) -> String {
    let go = go(env);
    let script = format!(
        "\
[plan]
say Reading the README.
write plan.md
| # Plan
| 1. do it
[plan#2]
write plan.md
| # Another plan
[build]
run printf '\\033[31mcompiling\\033[0m \\344\\270\\255\\346\\226\\207 10%%\\rcompiling 20%%\\n'
say waiting for the word
wait-for {}
write answer.txt
| right
[review]
write review.md
| fine
",
        go.display()
    );
    format!("rehearsal:{}", env.file("script", script).display())
}

/// Whether the last thing on the screen is the question about a gate. Nothing that is typed before it
/// stands there is heard.
pub(super) fn asks(screen: &str) -> bool {
    screen.trim_end().ends_with("[q]uit:")
}

/// The file whose presence lets the agent go on.
pub(super) fn go(env: &TestEnv) -> PathBuf {
    env.root().join("tmp/go")
}

/// The arguments that start the run.
pub(super) fn run_arguments(env: &TestEnv, more: &[&str]) -> Vec<String> {
    let (workflow, agent) = (env.workflow(WORKFLOW), script(env));
    let words = ["run", "Add a health endpoint", "--workflow", &workflow, "--agent", &agent];
    words.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

/// A run that stands at its first gate, with nobody driving it.
pub(super) fn at_the_gate() -> TestEnv {
    let env = test_env!();
    let arguments = run_arguments(&env, &[]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    env.windlass(&arguments).assert_code(3);
    env
}

/// A run whose `build` is running, and its driver.
pub(super) fn building() -> (TestEnv, Background) {
    let env = test_env!();
    let arguments = run_arguments(&env, &["--yes"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let driver = env.start(env.windlass_command(&arguments));
    wait::for_fact("the running step", || {
        env.windlass(&["log"]).stdout.contains("attempt build#1 started")
    });
    (env, driver)
}

/// The screen without what differs from test to test. Runs of spaces and rules are made short, since
/// their length follows from the words between them.
pub(super) fn still(env: &TestEnv, screen: &str) -> String {
    let text = env.normalise(screen).replace("[DURATION]", "[TIME]");
    let mut lines: Vec<String> = text.lines().map(still_line).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.join("\n")
}

fn still_line(line: &str) -> String {
    // The branch holds the run's name and is cut where the line ends; counters never stand still.
    let line = match line.split_once("branch windlass/") {
        Some((before, _)) => format!("{before}branch [BRANCH]"),
        None => line.to_owned(),
    };
    let line = match line.split_once(", CPU") {
        Some((before, _)) => {
            format!("{}[COUNTERS]", before.split("alive: ").next().unwrap_or_default())
        }
        None => line,
    };
    // A spinner turns.
    let line: String =
        line.chars().map(|c| if ('⠀'..='⣿').contains(&c) { '⠿' } else { c }).collect();
    squeezed(&line).trim_end().to_owned()
}

fn squeezed(line: &str) -> String {
    let mut out = String::new();
    for word in line.split(' ') {
        let word = word.split('/').map(numbers).collect::<Vec<_>>().join("/");
        let gap = word.is_empty() && out.ends_with("  ");
        if !gap {
            out.push_str(&word);
            out.push(' ');
        }
    }
    for _ in 0..8 {
        out = out.replace("────", "──").replace("───", "──");
    }
    out
}

/// Times and counters: `48s`, `1m02s`, `17`.
fn numbers(word: &str) -> String {
    let bare = word.trim_end_matches([',', ':', ')']);
    let time = |text: &str| {
        text.ends_with(['s', 'm'])
            && text.len() > 1
            && text.bytes().all(|b| b.is_ascii_digit() || b"hms.".contains(&b))
            && text.starts_with(|c: char| c.is_ascii_digit())
    };
    let hex = matches!(bare.len(), 7 | 10) && bare.bytes().all(|b| b.is_ascii_hexdigit());
    if hex {
        word.replacen(bare, "[HEX]", 1)
    } else if time(bare) {
        word.replacen(bare, "[TIME]", 1)
    } else {
        word.to_owned()
    }
}
