//! Many things at once.

use serde_json::{Value, json};
use windlass_testkit::model::{Lane, Part, say};
use windlass_testkit::wait;

use super::support::{Session, TWO_STEPS, attempt, obeying_after};

#[test]
fn of_twenty_calls_in_one_message_the_refused_are_refused_while_the_agent_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let seen = folder.path().join("seen");
    let script = || {
        let plan = say("I plan.").write(".windlass/run/specs/plan.md", "the plan\n");
        let offered =
            r"subagent_type: (?<kind>\S+)\ndescription: (?<name>.+)\nprompt: (?<words>.+)";
        let agent = |kind: &str, words: &str| json!({"subagent_type": kind, "description": "<<name>>", "prompt": words});
        let read = |path: &str| json!({"file_path": format!("<<cwd>>/{path}")});
        let mut turn = say("All at once.").tool("Agent", agent("<<kind>>", "<<words>>"));
        for _ in 0..5 {
            turn = turn.tool("Read", read("README.md")).tool("Read", read("src/lib.rs"));
        }
        turn = turn
            .tool("Grep", json!({"pattern": "fn", "output_mode": "content"}))
            .tool("Glob", json!({"pattern": "**/*.rs"}))
            .tool("Agent", agent("general-purpose", "Look around"))
            .tool("Agent", agent("<<kind>>", "Do something else"))
            .tool("Agent", agent("<<kind>>", "<<words>>"))
            .write("src/cheat.rs", "x")
            .write("notes.md", "x")
            .shell("git push")
            .shell("windlass approve");
        let all = Lane::when(Part::Last, offered).named("all").then_always(turn);
        obeying_after([attempt("plan#1", [plan.until_file(&seen)])], [all])
    };
    for session in Session::each(script) {
        let _ = fs_err::remove_file(&seen);
        session.env.repository.write("src/lib.rs", "fn secret() {}\n");
        let session = session.with_workflow("two", TWO_STEPS);
        let prompt = "/windlass:run --workflow two 'Write something'";
        let mut running =
            session.env.start(session.command(&["--session-id", &session.id], prompt));
        let refused =
            |hooks: &[Value]| hooks.iter().filter(|line| line["decision"] == "deny").count();
        // The host does beside the agent what changes nothing; the rest comes when it has ended.
        wait::for_fact("nine refusals", || refused(&session.hooks()) == 9);
        fs_err::write(&seen, "").expect("a file");
        running.wait(wait::DEADLINE).expect("an end");
        let hooks = session.hooks();
        assert_eq!(refused(&hooks), 12, "{}", session.story());
        let answers = session.server.requests_of("rests")[0].tool_results();
        assert_eq!(answers.len(), 20, "{}", session.story());
        assert_eq!(answers.iter().filter(|answer| answer.failed).count(), 12, "{answers:#?}");
        let journal = session.env.log_json();
        assert_eq!(journal.count("attempt_handed_over"), 1, "{}", session.story());
        let started = hooks.iter().filter(|line| line["event"] == "SubagentStart").count();
        assert_eq!(started, 1, "{}", session.story());
        assert!(!session.env.repository.root().join("src/cheat.rs").exists());
        session.assert_status("awaiting_approval");
        session.assert_clean();
    }
}
