//! A model that does not do as it is told.

use windlass_testkit::model::{Part, Script, say};

use super::support::{PROMPT, Session, TWO_STEPS, attempt, rests, starts};

/// How often in a row the host lets itself be sent on.
const HOSTS_CAP: usize = 8;

#[test]
fn a_session_that_only_stops_is_paused_before_its_host_would_let_it_go() {
    let script = || {
        let plan = say("I plan.").write(".windlass/run/specs/plan.md", "the plan\n");
        Script::new()
            .lane(attempt("plan#2", [plan]))
            .lane(starts(1).and(Part::LastUser, "(?m)^resume$"))
            .lane(rests())
    };
    for session in Session::each(script) {
        let session = session.with_workflow("two", TWO_STEPS);
        session.begins(PROMPT);
        session.assert_status("paused");
        let hooks = session.hooks();
        let stops: Vec<_> = hooks.iter().filter(|line| line["event"] == "Stop").collect();
        let (last, sent_on) = stops.split_last().expect("a stop");
        assert_eq!(last["decision"], "let_go", "{}", session.story());
        assert!(sent_on.len() < HOSTS_CAP, "{}", session.story());
        for stop in sent_on {
            assert_eq!(stop["decision"], "send_on", "{}", session.story());
            assert_eq!(stop["reason"], sent_on[0]["reason"], "an offer is repeated word for word");
        }
        assert_eq!(session.env.log_json().count("attempt_started"), 1, "it costs no try");
        // What was offered to the process that ended is offered again, by another number.
        session.says("resume");
        session.assert_status("awaiting_approval");
        session.assert_clean();
    }
}
