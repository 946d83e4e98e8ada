//! From the prompt to the end.

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
    assert!(told.contains("it was not taken"), "{told}");
    assert!(told.contains("Answer in a terminal: `windlass approve`"), "{told}");
    session.says("Looks fine to me, only make it shorter");
    let told = session.server.requests().pop().expect("a request").last_said();
    assert!(told.contains("Answer in a terminal"), "{told}");
    assert!(!told.contains("--token"), "{told}");

    session.env.windlass_elsewhere(&["approve"]).assert_code(0);
    session.says("go on");
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
}

#[test]
fn what_codex_says_of_the_hooks_is_that_they_worked() {
    let Some(session) = Session::of(honest(), TWO_STEPS) else { return };
    let shown = session.shows("windlass:run --workflow two -- Write something");
    session.assert_status("awaiting_approval");
    panic!("{}", shown.stderr);
}
