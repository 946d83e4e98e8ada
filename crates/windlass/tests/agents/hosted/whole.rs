//! Whole runs.

use windlass_testkit::model::{Script, say};

use super::support::{Session, TWO_STEPS, attempt, obeying};

fn two() -> Script {
    let plan = say("I plan.").write(".windlass/run/specs/plan.md", "the plan\n");
    let code = say("I write.")
        .write("src/code.txt", "1\n2\n3\n")
        .shell("windlass context set code.lines=3");
    obeying([attempt("plan#1", [plan]), attempt("code#1", [code])])
}

#[test]
fn a_run_of_two_steps_goes_from_a_prompt_over_a_gate_to_its_end() {
    for session in Session::each(two) {
        let session = session.with_workflow("two", TWO_STEPS);
        let begun = session.begins("/windlass:run --workflow two 'Write something'");
        if std::env::var_os("SHOW").is_some() {
            println!("{}", begun.finished);
            for r in session.server.requests() {
                println!("== {:?} {} users {:#?} results {:#?}", r.lane, r.turn, r.user_texts().last(), r.tool_results());
            }
            println!("{:#?}", session.hooks());
        }
        assert_eq!(session.env.status(), "awaiting_approval", "{}", session.version());
        session.says("approve");
        if std::env::var_os("SHOW").is_some() {
            for r in session.server.requests() {
                println!("== {:?} {} users {:#?} results {:#?}", r.lane, r.turn, r.user_texts().last(), r.tool_results());
            }
            println!("{:#?}", session.hooks());
        }
        assert_eq!(session.env.status(), "completed", "{}", session.version());
        session.assert_clean();
    }
}
