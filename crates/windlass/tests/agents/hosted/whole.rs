//! Whole runs, with the oldest and the newest Claude Code.

use serde_json::json;
use windlass_testkit::model::{Lane, Part, Script, say, tool};

use super::support::{Session, TWO_STEPS, attempt, obeying, starts};
use crate::feature::team::{self, paper};
use crate::feature::{BRANCH, stack, tracker};

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
        session.begins("/windlass:run --workflow two 'Write something'");
        session.assert_status("awaiting_approval");
        session.says("approve");
        session.assert_status("completed");
        assert_eq!(session.env.repository.git(&["show", "HEAD:src/code.txt"]), "1\n2\n3");
        session.assert_clean();
    }
}

/// A part of the plan, in the place that the spoke is told.
fn spoke(name: &str) -> Lane {
    let text = format!("# plan-{name}\n\n{}: a part of the plan\n", team::IN_PAPERS);
    let acts = say("I plan.")
        .write(&format!("<<place>>/.windlass/run/specs/issue-42-plan-{name}.md"), &text);
    attempt(&format!("plan/{name}#1"), [acts])
        .capture(Part::FirstUser, "Work in the folder `(?<place>[^`]+)`")
}

/// The agents of the shipped `feature`. One lies, and is sent back to its own work.
fn feature() -> Script {
    let lie = paper(say("All tests pass."), "ph02-spring-boot-developer", "`mvn verify` is green")
        .shell("echo \"key=[$GH_TOKEN]\"");
    let code = "class Health {\n  // GET \"/health\"\n}\n";
    let truth = say("Now really.").write("backend/src/main/java/Health.java", code);
    let shown = "ph03-angular-frontend-developer";
    let page = "<p data-testid=\"health\">ok</p>\n";
    let first = say("I show it.").write("frontend/src/health.html", page);
    let again = say("I put it right.")
        .shell("sed -i 's/<p /<p aria-live=\"polite\" /' frontend/src/health.html");
    let done = || say("Done.");
    let mut lanes = vec![spoke("backend"), spoke("frontend"), spoke("quality"), team::hub()];
    lanes.push(attempt("backend#1", [lie, done(), truth]));
    lanes.push(attempt("frontend#1", [paper(first, shown, "the page")]));
    lanes.push(attempt("frontend#2", [paper(again, shown, "the page, spoken aloud")]));
    // The oldest Claude Code writes over no file that it has not read.
    let read = tool(
        "Read",
        json!({"file_path": "<<cwd>>/.windlass/run/specs/issue-42-ph06-code-reviewer.md"}),
    );
    let review = paper(say("I review."), "ph06-code-reviewer", "round 2")
        .shell(r#"windlass context set 'reviewFeedback={"status":"APPROVED","fixes":[]}'"#);
    lanes.push(attempt("review#2", [read, review]));
    let [tests, audit, _] = team::judging(2);
    lanes.extend(team::judging(1).into_iter().chain([tests, audit]));
    lanes.push(starts(3));
    obeying(lanes)
}

#[test]
fn an_issue_becomes_a_pull_request_with_a_person_at_six_gates() {
    for mut session in Session::each(feature) {
        stack::lay_out(&session.env);
        let (gh, remote) = tracker(&session.env);
        session.more = gh.variables(&session.env);
        session.more.push(("GH_TOKEN".to_owned(), stack::KEY.to_owned()));
        let session = session.with_plugin();
        let version = session.version();
        session.begins("/windlass:feature 42");
        for (step, verdict) in [
            ("plan/hub", None),
            ("security", None),
            ("review", Some("CHANGES_REQUESTED")),
            ("security", None),
            ("review", None),
            ("publish", None),
        ] {
            session.assert_status("awaiting_approval");
            let gate = session.env.status_json()["gate"].clone();
            assert_eq!(gate["step"], step, "{version}: {gate:#}");
            assert_eq!(gate["route"]["verdict"].as_str(), verdict, "{version}: {gate:#}");
            assert_eq!(remote.branch(BRANCH), None, "{version}: nobody has agreed to it yet");
            session.says("approve");
        }
        session.assert_status("completed");
        assert_eq!(gh.pull_requests().len(), 1, "{version}");
        let head = session.env.repository.git(&["rev-parse", BRANCH]);
        assert_eq!(remote.branch(BRANCH), Some(head), "{version}");
        let body = gh.pull_requests()[0]["body"].as_str().unwrap().to_owned();
        assert!(body.contains("| Backend (`backend`) | done | 1 | observed |"), "{body}");
        assert_eq!(session.server.unplayed(), Vec::new(), "{version}");
        let lied = &session.server.requests_of("backend#1")[2];
        assert!(lied.last_said().contains("round 1 of 5"), "{}", lied.last_said());
        assert!(lied.tool_results().iter().any(|result| result.text == "key=[]"), "no key");
        let report = session.windlass(&["report"]).assert_code(0).stdout.clone();
        assert!(report.contains("confinement: none: it was a subagent of"), "{report}");
        session.assert_clean();
    }
}
