//! The same agents in a workflow that comes with windlass, as people run it.

use serde_json::Value;
use windlass_testkit::{Finished, Journal, Random, TestEnv};

use super::agents::Agent;
use super::judge::{self, Tally};

/// Commands that a person could name for `change`; both hold only with the right answer.
const COMMANDS: [&str; 2] = ["sh judge.sh", "grep -qx right src/answer.txt"];

/// Plays `change` with one command: its developer is the drawn agent, the others do what they are asked.
pub(super) fn play(
    env: &TestEnv,
    random: &mut Random,
    agent: &Agent,
    tally: &mut Tally,
    told: &str,
) {
    let command = *random.pick(&COMMANDS);
    let script = format!(
        "case $WINDLASS_STEP in
plan) head -c 300 /dev/zero | tr '\\0' x > .windlass/run/specs/plan.md; exit 0;;
test) echo fine > .windlass/run/specs/tests.md; exit 0;;
review) echo fine > .windlass/run/specs/review.md; windlass context set review.status=APPROVED; exit 0;;
esac
{}",
        agent.script
    );
    // Word for word but for its times: agents that stall would take ten minutes each.
    let stock = env.windlass(&["workflow", "show", "change"]).stdout;
    let hurried = "defaults: {retries: 2, timeout: 30s, idle_timeout: 500ms, \
                   backoff: {initial: 1ms, max: 5ms}}\nsteps:\n";
    let workflow = stock.replacen("steps:\n", hurried, 1);
    assert_ne!(workflow, stock);
    let test = format!("test={command}");
    let more = ["--json", "--yes", "--input", &test, "--input", "publish=false"];
    let finished = env.run(&workflow, &script, &more);
    judge(env, command, &finished, &format!("change, {told}\n{finished}"), tally);
}

fn judge(env: &TestEnv, command: &str, finished: &Finished, told: &str, tally: &mut Tally) {
    assert!(matches!(finished.code, Some(0 | 3 | 4)), "windlass failed: {told}");
    let status: Value = serde_json::from_str(&finished.stdout).expect(told);
    let run = status["run"]["id"].as_str().expect("a run").to_owned();
    let log = Journal::parse(&env.windlass(&["log", "--inputs", "--json", "--run", &run]).stdout);
    let audit = env.json(&["audit", "--json", "--run", &run]);
    assert_eq!(audit["ok"], true, "{audit:#}\n{told}");
    assert_eq!(log.count("protected_pinned"), 0, "nobody pinned anything: {told}");
    assert_eq!(env.repository.git(&["status", "--porcelain"]), "", "the user's checkout: {told}");
    if status["run"]["status"] == "completed" {
        let branch = status["run"]["branch"].as_str().expect("a branch");
        judge::the_branch_is_proven(env, &log, branch, told);
        // Only the command that runs it makes a judge of the script.
        let judges: &[&str] = if command.contains("judge.sh") { &["judge.sh"] } else { &[] };
        judge::nothing_that_judges_changed(env, &log, branch, judges, told);
        assert!(judge::passes_in_a_clone(env, branch, command), "`{command}` in a clone: {told}");
        tally.stock_done += 1;
    } else {
        tally.stock_refused += 1;
        env.windlass(&["abort", "--run", &run]).assert_code(0);
    }
}
