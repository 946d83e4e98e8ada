//! Spokes side by side, and their hub.

use std::path::Path;

use serde_json::json;
use windlass_testkit::model::{Lane, Part, Script, say};
use windlass_testkit::wait;

use super::super::support::attempt;
use super::support::{AGENTS, Session, obeying};

/// Two spokes of different roles: to Codex all agents are of one kind.
const TEAM: &str = r#"
workflow: two
steps:
  - id: plan
    team:
      spokes:
        - {id: one, agent: planner, task: "Plan one.", writes: "{specs}/one.md"}
        - {id: two, agent: architect, task: "Plan two.", writes: "{specs}/two.md"}
      hub: {agent: planner, task: "Join them."}
    done: {file: "{specs}/both.md"}
"#;

fn spoke(name: &str, together: &Path) -> Lane {
    let acts = say("I plan.")
        .write(&format!("<<place>>/.windlass/run/specs/{name}.md"), name)
        .until_file(together);
    attempt(&format!("plan/{name}#1"), [acts])
        .capture(Part::FirstUser, "Work in the folder `(?<place>[^`]+)`")
}

fn script(together: &Path) -> Script {
    let both = "cat .windlass/run/specs/one.md .windlass/run/specs/two.md";
    let hub = say("I join.").shell(&format!("{both} > .windlass/run/specs/both.md"));
    let words = |name: &str| format!(r"message: (?<{name}>windlass attempt [^\n]+)");
    let call = |name: &str| json!({"message": format!("<<{name}>>")});
    let starts = Lane::when(Part::Last, &format!("(?s){}.*?{}", words("one"), words("two")))
        .named("starts both")
        .then_always(say("As I was told.").tool_of(AGENTS, "spawn_agent", call("one")).tool_of(
            AGENTS,
            "spawn_agent",
            call("two"),
        ));
    let subagents = [spoke("one", together), spoke("two", together), attempt("plan/hub#1", [hub])];
    obeying(subagents, [starts])
}

#[test]
fn spokes_of_codex_work_at_the_same_time_and_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let together = folder.path().join("together");
    let Some(session) = Session::of(script(&together), TEAM) else { return };
    let prompt = "/windlass:run --workflow two -- Plan it";
    let mut running = session.env.start(session.command(&[prompt]));
    for spoke in ["plan/one#1", "plan/two#1"] {
        // None of them is answered before both have asked.
        session.server.wait_for(spoke, |request| request.lane.as_deref() == Some(spoke));
    }
    fs_err::write(&together, "").expect("a file");
    running.wait(wait::DEADLINE).expect("an end").assert_code(0);
    session.assert_status("completed");
    assert_eq!(session.env.repository.read(".windlass/run/specs/both.md"), "onetwo");
    let journal = session.env.log_json();
    assert_eq!(journal.count("attempt_handed_over"), 3, "{}", session.story());
    assert_eq!(journal.count("attempt_ended"), 3, "{}", session.story());
    session.assert_clean();
}
