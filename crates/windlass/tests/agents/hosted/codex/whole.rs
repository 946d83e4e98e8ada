//! From the prompt to the end.

use serde_json::json;
use windlass_testkit::model::{Script, say};

use super::super::support::{TWO_STEPS, attempt};
use super::support::{Session, obeying};

fn honest() -> Script {
    let plan = say("I plan.").write(".windlass/run/specs/plan.md", "the plan\n");
    let code = say("I write.")
        .write("src/code.txt", "1\n2\n3\n")
        .shell("windlass context set code.lines=3");
    obeying([attempt("plan#1", [plan]), attempt("code#1", [code])], [])
}

#[test]
fn codex_drives_a_run_and_the_person_decides_at_a_terminal() {
    let Some(session) = Session::of(honest(), TWO_STEPS) else { return };
    session.begins("/windlass:run --workflow two -- Write something");
    session.assert_status("awaiting_approval");

    // Codex does not tell its person's words from those that its shell makes up.
    session.says("approve");
    session.assert_status("awaiting_approval");
    let told = session.server.requests().pop().expect("a request").last_said();
    assert!(told.contains("it was ignored"), "{told}");
    assert!(told.contains("Answer in a terminal: `windlass approve`"), "{told}");
    session.says("Looks fine to me, only make it shorter");
    let told = session.server.requests().pop().expect("a request").last_said();
    assert!(told.contains("Answer in a terminal"), "{told}");
    assert!(!told.contains("--token"), "{told}");

    session.env.windlass_elsewhere(&["approve"]).assert_code(0);
    session.told(session.command(&["resume", "--last", "go on"]));
    session.assert_status("completed");
    let journal = session.env.log_json();
    assert_eq!(journal.count("gate_approved"), 1);
    assert_eq!(journal.count("attempt_started"), 2, "{:?}", journal.kinds());
    assert_eq!(journal.count("attempt_lost"), 0, "{:?}", journal.kinds());
    // Each `exec` is a process of its own that goes on with the same conversation.
    assert_eq!(journal.count("driver_took_over"), 4, "{:?}", journal.kinds());
    let prompt = session.server.requests_of("code#1")[0].user_texts().join("\n");
    assert!(prompt.contains("This is attempt `code#1`"), "{prompt}");
    session.assert_clean();
    let outcomes = session.outcomes();
    for wanted in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"] {
        let wanted = format!("{wanted} Completed");
        assert!(outcomes.contains(&wanted), "{wanted}: {outcomes:?}");
    }
}

/// Without this the other tests could not fail for an answer that Codex refuses.
#[test]
fn codex_says_when_it_does_not_understand_an_answer() {
    let Some(session) = Session::of(honest(), TWO_STEPS) else { return };
    let answer =
        r#"echo '{"systemMessage": "x", "hookSpecificOutput": {"hookEventName": "Stop"}}'"#;
    let hook = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": answer}]}]}});
    session.env.repository.write(".codex/hooks.json", hook.to_string());
    session.begins("Hello");
    assert_eq!(session.outcomes(), ["Stop Failed"]);
}

#[test]
fn a_subagent_publishes_from_within_the_sandbox_of_codex() {
    let Some(mut session) = Session::of(honest(), TWO_STEPS) else { return };
    session.sandbox = "workspace-write";
    session.begins("/windlass:run --workflow two -- Write something");
    session.env.windlass_elsewhere(&["approve"]).assert_code(0);
    session.says("go on");
    session.assert_status("completed");
    let journal = session.env.log_json();
    assert_eq!(journal.count("attempt_started"), 2, "{:?}", journal.kinds());
    session.assert_clean();
}
