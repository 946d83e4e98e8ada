//! Codex's process is killed while its subagent works.

use windlass_testkit::model::say;

use super::super::support::{TWO_STEPS, attempt};
use super::support::{Session, obeying};

#[test]
fn a_session_of_codex_that_was_killed_goes_on_and_so_does_the_work_that_was_cut_off() {
    let plan = || say("I plan.").write(".windlass/run/specs/plan.md", "the plan\n");
    let cut_off = attempt("plan#1", [plan(), say("Done.").until_file("/nowhere/never")]);
    let again = attempt("plan#2", [plan()]);
    let Some(session) = Session::of(obeying([cut_off, again], []), TWO_STEPS) else { return };
    let prompt = "/windlass:run --workflow two -- Write something";
    let mut running = session.env.start(session.command(&[prompt]));
    session.server.wait_for("the agent's second turn", |request| {
        request.lane.as_deref() == Some("plan#1") && request.turn == 1
    });
    running.kill();
    session.assert_status("active");
    session.says("Go on");
    session.assert_status("awaiting_approval");
    let journal = session.env.log_json();
    assert_eq!(journal.count("attempt_lost"), 1, "{:?}", journal.kinds());
    assert_eq!(journal.count("attempt_started"), 2, "{:?}", journal.kinds());
    session.assert_clean();
}
