//! Two sessions in one repository.

use windlass_testkit::model::{Lane, say};
use windlass_testkit::wait;

use super::support::{PROMPT, Session, TWO_STEPS, attempt, obeying_after};

#[test]
fn a_session_beside_the_owner_is_left_alone_and_the_owner_does_not_notice() {
    let folder = tempfile::tempdir().expect("a folder");
    let go_on = folder.path().join("go-on");
    let script = || {
        let plan = say("I plan.").write(".windlass/run/specs/plan.md", "the plan\n");
        let other = Lane::when_first_user_has("OTHER-TASK")
            .turn(
                say("I write.").write("src/other.rs", "fn other() {}\n").shell("cat src/other.rs"),
            )
            .then_always(say("Done."));
        obeying_after([attempt("plan#1", [plan.until_file(&go_on)])], [other])
    };
    for session in Session::each(script) {
        let _ = fs_err::remove_file(&go_on);
        let session = session.with_workflow("two", TWO_STEPS);
        let mut owner = session.env.start(session.command(&["--session-id", &session.id], PROMPT));
        session.server.wait_for("the agent", |request| request.lane.as_deref() == Some("plan#1"));
        let before = session.env.log_json().lines.len();

        let id = uuid::Uuid::new_v4().to_string();
        session.told(session.command(&["--session-id", &id], "OTHER-TASK"));
        let asked = session.server.requests_of("OTHER-TASK");
        assert_eq!(asked.len(), 2, "it stops when it wants to: {}", session.story());
        let failed: Vec<_> = asked[1].tool_results().into_iter().filter(|r| r.failed).collect();
        assert!(failed.is_empty(), "{failed:#?}");
        session.told(session.command(&["--resume", &id], "approve"));
        assert_eq!(session.env.log_json().lines.len(), before, "nothing was journalled");

        fs_err::write(&go_on, "").expect("a file");
        owner.wait(wait::DEADLINE).expect("an end");
        session.assert_status("awaiting_approval");
        session.assert_clean();
    }
}
