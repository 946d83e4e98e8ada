//! Spokes side by side, and their hub.

use windlass_testkit::model::{Lane, Part, Script, say};
use windlass_testkit::wait;

use super::support::{Session, attempt, obeying, starts};

/// Two spokes of the same role: the host does not say which call a subagent came of.
const TEAM: &str = r#"
workflow: team
steps:
  - id: plan
    team:
      spokes:
        - {id: one, agent: planner, task: "Plan one.", writes: "{specs}/one.md"}
        - {id: two, agent: planner, task: "Plan two.", writes: "{specs}/two.md"}
      hub: {agent: planner, task: "Join them."}
    done: {file: "{specs}/both.md"}
"#;

fn spoke(name: &str, together: &std::path::Path) -> Lane {
    let acts = say("I plan.")
        .write(&format!("<<place>>/.windlass/run/specs/{name}.md"), name)
        .until_file(together);
    attempt(&format!("plan/{name}#1"), [acts])
        .capture(Part::FirstUser, "Work in the folder `(?<place>[^`]+)`")
}

fn script(together: &std::path::Path) -> Script {
    let hub = say("I join.").shell(
        "cat .windlass/run/specs/one.md .windlass/run/specs/two.md > .windlass/run/specs/both.md",
    );
    obeying([
        spoke("one", together),
        spoke("two", together),
        attempt("plan/hub#1", [hub]),
        starts(2),
    ])
}

#[test]
fn spokes_of_the_same_role_work_at_the_same_time_and_then_their_hub() {
    let folder = tempfile::tempdir().expect("a folder");
    let together = folder.path().join("together");
    for session in Session::each(|| script(&together)) {
        let _ = fs_err::remove_file(&together);
        let session = session.with_workflow("team", TEAM);
        let prompt = "/windlass:run --workflow team 'Plan it'";
        let mut running =
            session.env.start(session.command(&["--session-id", &session.id], prompt));
        for spoke in ["plan/one#1", "plan/two#1"] {
            // None of them is answered before both have asked.
            session.server.wait_for(spoke, |request| request.lane.as_deref() == Some(spoke));
        }
        fs_err::write(&together, "").expect("a file");
        running.wait(wait::DEADLINE).expect("an end");
        session.assert_status("completed");
        assert_eq!(session.env.repository.read(".windlass/run/specs/both.md"), "onetwo");
        let journal = session.env.log_json();
        assert_eq!(journal.count("attempt_handed_over"), 3, "{}", session.story());
        assert_eq!(journal.count("attempt_ended"), 3, "{}", session.story());
        session.assert_clean();
    }
}
