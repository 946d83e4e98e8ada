//! The conversation is compacted in the middle of a run.

use serde_json::json;
use windlass_testkit::model::{Lane, Part, Script, say, tool};

use super::support::{PROMPT, Session, TWO_STEPS, attempt, obeying_after};

/// A model that dawdles until its conversation is too long, and then does as it is told again.
fn dawdling() -> Script {
    let plan = say("I plan.").write(".windlass/run/specs/plan.md", "the plan\n");
    let summary = "<analysis>It was long.</analysis>\n<summary>SUMMED-UP</summary>";
    let sums_up = Lane::when(Part::LastUser, "CRITICAL: Respond with TEXT ONLY")
        .named("sums up")
        .then_always(say(summary));
    let look = || tool("Read", json!({"file_path": "<<cwd>>/README.md"}));
    let mut dawdles = Lane::when_first_user_has("/windlass:run").named("dawdles");
    for _ in 0..7 {
        dawdles = dawdles.turn(look());
    }
    let dawdles = dawdles.turn(look().usage(190_000, 10));
    obeying_after([sums_up, attempt("plan#1", [plan])], [dawdles])
}

#[test]
fn after_a_compaction_the_rules_are_told_again_and_the_run_goes_on() {
    let Some(session) = Session::newest(dawdling()) else { return };
    let session = session.with_workflow("two", TWO_STEPS);
    let command = session.command(&["--session-id", &session.id, "--autocompact", "100k"], PROMPT);
    session.told(command);
    session.assert_status("awaiting_approval");
    let summed_up = session.server.requests_of("sums up").len();
    assert_eq!(summed_up, 1, "{}", session.story());
    // The history is gone, and with it what the model was told at first.
    let after = &session.server.requests_of("starts")[0];
    assert!(after.user_texts().join("\n").contains("SUMMED-UP"), "{}", session.story());
    let told = after.last_said();
    assert!(told.contains("You are the transport of windlass"), "{told}");
    assert!(!told.contains("/windlass:run"), "the command is not given again: {told}");
    let hooks = session.hooks();
    let at = |event: &str| hooks.iter().position(|line| line["event"] == event).expect("a hook");
    // The compaction stops as a subagent does, which none of windlass's has started before.
    let stray = &hooks[at("SubagentStop")];
    assert!(at("PreCompact") < at("SubagentStop") && at("SubagentStop") < at("SubagentStart"));
    assert_eq!(stray["decision"], "nothing");
    let journal = session.env.log_json();
    assert_eq!(journal.last("session_noted").expect("a note")["event"], "PreCompact");
    assert_eq!(journal.count("attempt_started"), 1);
    session.assert_clean();
}
