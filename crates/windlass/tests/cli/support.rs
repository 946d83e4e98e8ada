//! What these tests have in common.

use serde_json::Value;
use windlass_testkit::{Finished, TestEnv, test_env};

/// Two steps, a gate after the first.
pub(super) const GATED: &str = r#"
workflow: gated
defaults: {retries: 2}
steps:
  - id: plan
    title: Planning
    agent: planner
    task: Plan.
    publishes: {plan.size: integer, plan.note: string, plan.parts: array}
    done: {file: plan.md}
    gate: approval
    commit: wip
  - id: build
    title: Building
    agent: developer
    task: Build.
    done: {run: "grep -qx right answer.txt"}
    commit: wip
"#;

/// Does what is asked, with new content at every attempt.
pub(super) const HONEST: &str = r#"
case $WINDLASS_STEP in
  plan) echo "plan $WINDLASS_ATTEMPT" > plan.md ;;
  build) echo right > answer.txt ;;
esac
"#;

/// A run that stands at its gate.
pub(super) fn at_the_gate() -> TestEnv {
    let env = test_env!();
    env.run(GATED, HONEST, &[]).assert_code(3);
    env
}

/// One step whose agent says `ready` in a file outside the place and then waits for ever.
pub(super) fn waiting(env: &TestEnv) -> String {
    format!("touch '{}'; exec sleep 600", env.root().join("tmp/ready").display())
}

/// Fails its first try at each step, and does what is asked afterwards.
pub(super) const SECOND_TIME: &str = r#"
case $WINDLASS_ATTEMPT in
  plan#1) echo "plan one" > plan.md ;;
  plan*) echo "plan two" > plan.md ;;
  build#1) echo wrong > answer.txt ;;
  build*) echo right > answer.txt; printf 'odd \033[31m name' > 'odd.txt' ;;
esac
"#;

/// A completed run with feedback at its gate and a failed try.
pub(super) fn eventful() -> TestEnv {
    let env = test_env!();
    env.run(GATED, SECOND_TIME, &[]).assert_code(3);
    env.windlass(&["feedback", "say more"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(3);
    env.windlass(&["approve", "-m", "good"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    env
}

/// What a person sees, without what differs from run to run: also times of day and short spans.
pub(super) fn shown(env: &TestEnv, text: &str) -> String {
    let text = env.normalise(text);
    let is_clock = |word: &str| {
        matches!(word.len(), 5 | 8)
            && word.bytes().enumerate().all(|(at, byte)| match at {
                2 | 5 => byte == b':',
                _ => byte.is_ascii_digit(),
            })
    };
    let line = |line: &str| {
        let words = line.split(' ').map(|word| {
            let bare = word.trim_end_matches(',');
            if is_clock(bare) { word.replace(bare, "[CLOCK]") } else { word.to_owned() }
        });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What a command printed for other programs.
pub(super) fn json(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished}"))
}
