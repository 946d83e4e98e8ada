//! A subagent that says it is done.

use windlass_testkit::model::say;

use super::super::support::{TWO_STEPS, attempt};
use super::support::{Session, obeying};

#[test]
fn a_subagent_of_codex_that_lies_is_sent_back_and_after_the_last_round_another_one_is_told_why() {
    let truth = say("I write it.").write(".windlass/run/specs/plan.md", "the plan\n");
    let script = obeying([attempt("plan#1", []), attempt("plan#2", [truth])], []);
    let Some(session) = Session::of(script, TWO_STEPS) else { return };
    session.begins("windlass:run --workflow two -- Write something");
    session.assert_status("awaiting_approval");
    let told: Vec<_> =
        session.server.requests_of("plan#1").iter().map(|request| request.last_said()).collect();
    assert_eq!(told.len(), 4, "{}", session.story());
    for (round, told) in (1..).zip(&told[1..]) {
        assert!(told.contains(&format!("round {round} of 4")), "{told}");
        assert!(told.contains("no such file"), "{told}");
    }
    let journal = session.env.log_json();
    assert_eq!(journal.count("round_failed"), 3);
    assert_eq!(journal.count_of_step("step_not_proven", "plan"), 1);
    let prompt = session.server.requests_of("plan#2")[0].user_texts().join("\n");
    assert!(prompt.contains("was not accepted"), "{prompt}");
    let outcomes = session.outcomes();
    assert!(outcomes.contains(&"Stop Blocked".to_owned()), "{outcomes:?}");
    session.assert_clean();
}
