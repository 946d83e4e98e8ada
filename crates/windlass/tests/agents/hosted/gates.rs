//! What a person says at a gate.

use windlass_testkit::model::{Lane, Part, Script, say, shell};

use super::support::{PROMPT, Session, TWO_STEPS, attempt, obeying_after};

/// A model that hands feedback on, and proposes an approval.
fn listening() -> Script {
    let plan =
        |text: &str| say("I plan.").shell(&format!("echo '{text}' > .windlass/run/specs/plan.md"));
    let shorter =
        Lane::when(Part::Last, "(?s)make it shorter.*feedback --token (?<token>[0-9a-f]+)")
            .named("shorter")
            .then_always(shell(
                "windlass feedback --token <<token>>; windlass feedback --token <<token>>",
            ));
    let fine = Lane::when(Part::Last, "(?s)looks fine.*windlass propose approve")
        .named("fine")
        .then_always(shell("windlass propose approve"));
    let code = say("I write.")
        .write("src/code.txt", "1\n2\n3\n")
        .shell("windlass context set code.lines=3");
    obeying_after(
        [
            attempt("plan#1", [plan("a long plan")]),
            attempt("plan#2", [plan("a plan")]),
            attempt("code#1", [code]),
        ],
        [shorter, fine],
    )
}

#[test]
fn feedback_is_handed_on_by_a_token_and_a_proposal_needs_its_code() {
    let Some(session) = Session::newest(listening()) else { return };
    let session = session.with_workflow("two", TWO_STEPS);
    session.begins(PROMPT);
    session.assert_status("awaiting_approval");

    session.says("Please make it shorter");
    session.assert_status("awaiting_approval");
    let journal = session.env.log_json();
    let given = journal.last("feedback_given").unwrap_or_else(|| panic!("{}", session.story()));
    assert_eq!(given["message"], "Please make it shorter");
    assert_eq!(journal.count("feedback_given"), 1, "a token is good once");
    let prompt = session.server.requests_of("plan#2")[0].user_texts().join("\n");
    assert!(prompt.contains("Please make it shorter"), "{prompt}");

    session.says("Well, that looks fine to me");
    session.assert_status("awaiting_approval");
    let requests = session.server.requests();
    let printed = requests.last().expect("a request").last_results().join("\n");
    let (_, code) =
        printed.rsplit_once("approve ").unwrap_or_else(|| panic!("{}", session.story()));
    let code = code.trim();
    session.says("approve BCDFGH");
    session.assert_status("awaiting_approval");
    assert_eq!(session.env.log_json().count("gate_approved"), 0);
    session.says(&format!("approve {code}"));
    session.assert_status("completed");
    assert_eq!(session.env.log_json().count("gate_approved"), 1);
    session.assert_clean();
}

#[test]
fn a_person_answers_at_a_terminal_of_their_own_and_nobody_without_one() {
    let Some(session) = Session::newest(listening()) else { return };
    let session = session.with_workflow("two", TWO_STEPS);
    session.begins(PROMPT);
    session.assert_status("awaiting_approval");
    let mut without = session.env.command("setsid");
    without.arg("--wait").arg(session.env.exe()).arg("approve");
    let refused = session.env.finish(without);
    assert!(refused.stderr.contains("not called at a terminal of a person"), "{refused}");
    session.assert_status("awaiting_approval");
    session.env.windlass_elsewhere(&["approve"]).assert_code(0);
    assert_eq!(session.env.log_json().count("gate_approved"), 1);
    session.says("Go on");
    session.assert_status("completed");
    session.assert_clean();
}
