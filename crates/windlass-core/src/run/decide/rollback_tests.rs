//! Back to an earlier step.

use serde_json::json;

use crate::plan::ValueType;
use crate::run::testing::*;
use crate::run::*;

fn route_taken(step: &str, verdict: &str, target: &str) -> Event {
    let (step, verdict) = (step.into(), verdict.to_owned());
    Event::RouteTaken { step, verdict, target: target.into() }
}

fn routed(target: &str, by: &str, verdict: &str, paths: &[&str], code: &str) -> Event {
    Event::RolledBack {
        target: target.into(),
        by: by.to_owned(),
        message: format!("`{by}` said {verdict}"),
        files: paths.iter().map(|path| (*path).to_owned()).collect(),
        reset_code: false,
        code: None,
        observed: files(code),
        failure: None,
        presence: None,
    }
}

fn reviewed() -> Run {
    let by_path = [("**/*.sql", "sql"), ("**/*.java", "java")];
    let mut run = Run::of([
        agent("sql"),
        agent("java"),
        agent("tests"),
        agent("review").route("CHANGES", by_path, "tests", 2),
    ]);
    for (step, code) in [("sql", "c1"), ("java", "c2"), ("tests", "c3")] {
        run.proves(step, code);
    }
    run.begins("review");
    run
}

#[test]
fn a_verdict_leads_to_the_earliest_step_that_a_file_belongs_to() {
    let mut run = reviewed();
    run.ends("review#1", "c3");
    let paths = ["src/B.java", "db/V1.sql", "README"];
    assert_eq!(
        run.verifies(says("CHANGES", paths)),
        [
            route_taken("review", "CHANGES", "sql"),
            routed("sql", "review", "CHANGES", &paths, "c3"),
            taken("sql"),
        ]
    );
    assert_eq!(run.step("sql").hotfix.as_ref().unwrap().files, paths);
    for step in ["java", "tests", "review"] {
        assert_eq!(run.status_of(step), StepStatus::Invalidated, "{step}");
    }
}

#[test]
fn a_star_in_a_route_stays_inside_a_folder() {
    let review = agent("review").route("CHANGES", [("db/*.sql", "sql")], "code", 2);
    let mut run = Run::of([agent("sql"), agent("code"), review]);
    run.proves("sql", "c1");
    run.proves("code", "c2");
    run.begins("review");
    run.ends("review#1", "c2");
    let events = run.verifies(says("CHANGES", ["db/old/V1.sql"]));
    assert_eq!(events[0], route_taken("review", "CHANGES", "code"));
}

#[test]
fn the_reopened_step_is_handed_what_the_judge_published() {
    let review = agent("review").sets("review", ValueType::Object).route("CHANGES", [], "code", 2);
    let mut run = Run::of([agent("code"), review]);
    run.proves("code", "c1");
    run.begins("review");
    run.sets("review#1", "review", json!({"status": "CHANGES", "why": "no limits"})).unwrap();
    run.ends("review#1", "c1");
    run.verifies(says("CHANGES", []));
    let message = &run.step("code").hotfix.as_ref().unwrap().message;
    assert_eq!(message, "`review` said CHANGES\nreview.why: no limits");
    assert_eq!(*run.state.context, json!({}));
}

#[test]
fn a_verdict_without_a_known_file_leads_to_the_step_for_all_others() {
    let mut run = reviewed();
    run.ends("review#1", "c3");
    assert_eq!(
        run.verifies(says("CHANGES", ["README"]))[0],
        route_taken("review", "CHANGES", "tests")
    );
    assert_eq!(run.status_of("java"), StepStatus::Done);
    assert_eq!(run.status_of("tests"), StepStatus::Running);
}

#[test]
fn a_verdict_without_a_route_fails_the_try() {
    let mut run = reviewed();
    run.ends("review#1", "c3");
    let events = run.verifies(says("WHATEVER", []));
    assert!(matches!(events[0], Event::StepNotProven { costs_try: true, .. }));
}

#[test]
fn a_route_is_taken_at_most_as_often_as_it_says_whatever_happens_in_between() {
    let mut run = reviewed();
    for attempt in ["review#1", "review#2"] {
        run.ends(attempt, "c3");
        run.verifies(says("CHANGES", []));
        run.proves("tests", "c3");
        run.begins("review");
    }
    run.ends("review#3", "c3");
    let detail = "`review` said CHANGES more than 2 times";
    assert_eq!(
        run.verifies(says("CHANGES", [])),
        [
            route_taken("review", "CHANGES", "tests"),
            failed("review"),
            paused(PauseReason::RollbackLimit, detail),
        ]
    );
    assert_eq!(run.status_of("tests"), StepStatus::Done);
    run.decides(feedback("approve it", "c3"));
    run.begins("review");
    run.ends("review#4", "c3");
    let events = run.verifies(says("CHANGES", []));
    assert_eq!(events[1], failed("review"), "the count is never reset");
}

#[test]
fn a_person_rolls_back_to_a_step_and_all_that_depends_on_it() {
    let mut run = Run::of([
        agent("a").sets("a.fact", ValueType::Integer),
        agent("b").needs(["a"]).publishes("b", "b.md"),
        agent("free").needs([]).publishes("free", "free.md"),
        agent("c").needs(["b", "free"]).gated(),
    ]);
    run.begins("a");
    run.sets("a#1", "a.fact", json!(1)).unwrap();
    run.proves("a", "c1");
    run.proves("b", "c2");
    run.proves("free", "c3");
    run.proves("c", "c4");
    assert_eq!(run.decides(rollback("a", "c4")), [rolled_back("a", "c4"), taken("a")]);
    assert_eq!(*run.state.context, json!({"free": "free.md"}));
    assert_eq!(run.status_of("free"), StepStatus::Done, "it does not depend on a");
    for step in ["b", "c"] {
        assert_eq!(run.status_of(step), StepStatus::Invalidated, "{step}");
        assert_eq!(run.step(step).hotfix, None, "{step}");
    }
    assert_eq!(run.step("a").hotfix.as_ref().unwrap().message, "again");
    assert_eq!((run.state.remaining, run.step("c").unmet), (3, 1));
    assert_eq!(run.outstanding(), [take_baseline("a", 1)], "the code stays");
    assert_eq!(run.begins("a"), [began("a", "c4"), started("a#2", 1)]);
    assert_eq!(run.ends("a#2", "c5").len(), 2);
    assert_eq!(run.verifies(holds())[1..], [done("a"), taken("b")]);
    run.proves("b", "c5");
    assert_eq!(run.proves("c", "c6"), [proven("c", "c6"), gate(2, "c", "c6")]);
}

#[test]
fn a_rollback_with_code_sets_the_place_to_what_the_step_began_from() {
    let mut run = Run::of([agent("a"), agent("b"), agent("c").gated()]);
    run.proves("a", "c1");
    run.proves("b", "c2");
    run.proves("c", "c3");
    let events = run.decides(rollback_with_code("b", "c3"));
    assert!(matches!(events[0], Event::RolledBack { reset_code: true, code: None, .. }));
    assert_eq!(
        run.outstanding(),
        [Effect::TakeBaseline(BaselineRequest {
            step: "b".into(),
            epoch: 1,
            set_aside: Vec::new(),
            reset_code: Some("c1".into()),
        })]
    );
    run.begins_from("b", "c1");
    assert_eq!(run.state.reset_code, None);
}

#[test]
fn a_rollback_is_refused_while_something_is_in_flight_or_has_not_begun() {
    let mut run = Run::of([agent("a"), agent("b").gated(), agent("c")]);
    run.proves("a", "c1");
    let busy = Rejected::Busy { what: "`b` is being worked on".to_owned() };
    assert_eq!(run.refuses(rollback("a", "c1")), busy);
    run.proves("b", "c2");
    assert_eq!(run.refuses(rollback("c", "c1")), Rejected::NotBegun { step: "c".into() });
    assert_eq!(run.refuses(rollback("x", "c1")), Rejected::UnknownStep { step: "x".into() });
    let silent = Decision::Rollback {
        step: "a".into(),
        message: String::new(),
        reset_code: false,
        checkpoint: None,
        observed: files("c2"),
    };
    assert_eq!(run.refuses(silent), Rejected::NoReason);
}

#[test]
fn a_rollback_gives_a_failed_step_new_tries_and_lets_the_run_go_on() {
    let mut run = Run::of([agent("a"), agent("b").retries(1)]);
    run.proves("a", "c1");
    run.begins("b");
    run.fails("b#1", "c2");
    assert_eq!(run.decides(rollback("a", "c2")), [rolled_back("a", "c2"), resumed(), taken("a")]);
    run.proves("a", "c3");
    assert_eq!(run.begins("b"), [began("b", "c3"), started("b#2", 1)]);
}

#[test]
fn a_rollback_to_a_group_reopens_what_is_nested_in_it() {
    let mut run = Run::of([
        agent("g/x").inside("g"),
        agent("g/y").inside("g").needs([]),
        group("g").needs(["g/x", "g/y"]),
        agent("last").gated(),
    ]);
    run.proves("g/x", "c1");
    run.proves("g/y", "c2");
    run.proves("last", "c3");
    assert_eq!(run.decides(rollback("g", "c3")), [rolled_back("g", "c3"), taken("g/x")]);
    for step in ["g/x", "g/y"] {
        assert_eq!(run.step(step).hotfix.as_ref().unwrap().message, "again");
    }
    assert_eq!(run.state.remaining, 4);
    run.proves("g/x", "c3");
    assert_eq!(
        run.proves("g/y", "c3"),
        [proven("g/y", "c3"), done("g/y"), taken("g"), done("g"), taken("last")]
    );
}

#[test]
fn a_group_can_be_rolled_back_to_as_soon_as_a_step_in_it_has_begun() {
    let mut run = Run::of([
        agent("a"),
        agent("g/x").inside("g"),
        agent("g/y").inside("g").gated(),
        group("g").needs(["g/x", "g/y"]),
    ]);
    run.begins("a");
    run.decides(PAUSE_NOW);
    run.ends("a#1", "c1");
    assert_eq!(run.refuses(rollback("g", "c1")), Rejected::NotBegun { step: "g".into() });
    run.decides(RESUME);
    run.verifies(holds());
    run.proves("g/x", "c2");
    run.proves("g/y", "c3");
    let events = run.decides(rollback_with_code("g", "c3"));
    assert_eq!(events[1..], [taken("g/x")]);
    assert_eq!(run.state.reset_code, Some("c1".into()), "what the first step in it began from");
}

#[test]
fn a_rollback_beside_a_failed_step_leaves_the_run_paused_until_that_is_answered() {
    let mut run = Run::of([agent("a"), agent("b").needs([]).retries(1)]);
    run.proves("a", "c1");
    run.begins("b");
    run.fails("b#1", "c2");
    assert_eq!(run.decides(rollback("a", "c2")), [rolled_back("a", "c2")]);
    assert_eq!(run.state.status(), RunStatus::Paused);
    assert_eq!(run.state.reason(), Some("retries_exhausted"));
    assert_eq!(run.decides(skip("b"))[1..], [resumed(), taken("a")]);
}

fn reviewed_at_a_gate() -> Run {
    let review = agent("review").route("CHANGES", [("**/*.sql", "sql")], "code", 2).gated();
    let mut run = Run::of([agent("sql"), agent("code"), review]);
    run.proves("sql", "c1");
    run.proves("code", "c2");
    run.begins("review");
    run.ends("review#1", "c2");
    run
}

fn asks(id: u32, target: &str, paths: &[&str], code: &str) -> Event {
    let kind = GateKind::Route {
        verdict: "CHANGES".to_owned(),
        target: target.into(),
        files: paths.iter().map(|path| (*path).to_owned()).collect(),
        told: String::new(),
    };
    let (id, step) = (crate::id::GateId(id), "review".into());
    Event::GateOpened { gate: Gate { id, step, kind, snapshot: files(code) } }
}

#[test]
fn at_a_gate_a_person_confirms_where_a_verdict_leads() {
    let mut run = reviewed_at_a_gate();
    let paths = ["db/V1.sql"];
    assert_eq!(run.verifies(says("CHANGES", paths)), [asks(1, "sql", &paths, "c2")]);
    assert_eq!(run.state.status(), RunStatus::AwaitingApproval);
    assert_eq!(
        run.decides(approve(1, "c2")),
        [
            approved(1),
            route_taken("review", "CHANGES", "sql"),
            routed("sql", "review", "CHANGES", &paths, "c2"),
            taken("sql"),
        ]
    );
}

#[test]
fn at_a_gate_a_person_can_send_a_verdict_elsewhere_or_have_the_review_done_again() {
    let mut run = reviewed_at_a_gate();
    run.verifies(says("CHANGES", ["db/V1.sql"]));
    let mut elsewhere = run.clone();
    elsewhere.decides(rollback("code", "c2"));
    assert_eq!(elsewhere.status_of("sql"), StepStatus::Done);
    assert_eq!(elsewhere.step("review").routes.len(), 0, "a person's own way counts for no route");
    run.decides(feedback("look again", "c2"));
    assert_eq!(run.status_of("code"), StepStatus::Done);
    assert_eq!(run.step("review").hotfix.as_ref().unwrap().message, "look again");
}

#[test]
fn feedback_where_a_judges_approval_waits_goes_to_whoever_did_the_work() {
    let mut run = reviewed_at_a_gate();
    run.verifies(holds());
    assert_eq!(run.state.status(), RunStatus::AwaitingApproval);
    let events = run.decides(feedback("use the helper", "c2"));
    assert!(
        matches!(&events[0], Event::RolledBack { target, by, message, failure: None, .. }
            if target.as_str() == "code" && by == "ann" && message == "use the helper"),
        "{events:?}"
    );
    assert_eq!(run.step("code").hotfix.as_ref().unwrap().message, "use the helper");
    assert_ne!(run.status_of("review"), StepStatus::Done, "it judges what becomes of it");
    assert_eq!(run.step("review").routes.len(), 0, "a person's own way counts for no route");
}

#[test]
fn what_a_person_said_when_a_verdict_was_judged_again_goes_on_with_the_findings() {
    let mut run = reviewed_at_a_gate();
    run.verifies(says("CHANGES", ["db/V1.sql"]));
    run.decides(feedback("look at the index too", "c2"));
    run.begins("review");
    run.ends("review#2", "c2");
    run.verifies(says("CHANGES", ["db/V1.sql"]));
    run.decides(approve(2, "c2"));
    let asked = run.step("sql").hotfix.as_ref().unwrap();
    assert!(asked.message.contains("ann, at the gate: look at the index too"), "{asked:?}");
}

#[test]
fn a_verdict_is_not_confirmed_on_files_that_changed_since() {
    let mut run = reviewed_at_a_gate();
    run.verifies(says("CHANGES", []));
    let events = run.decides(approve(1, "c9"));
    assert!(matches!(events[0], Event::GateAnswerRefused { .. }), "{events:?}");
    assert!(matches!(events[1], Event::VerificationStarted { .. }), "{events:?}");
}

#[test]
fn who_approved_in_advance_is_not_asked_where_a_verdict_leads() {
    let review = agent("review").route("CHANGES", [], "code", 2).gated();
    let mut run = Run::approved_in_advance([agent("code"), review]);
    run.proves("code", "c1");
    run.begins("review");
    run.ends("review#1", "c1");
    assert_eq!(
        run.verifies(says("CHANGES", [])),
        [
            route_taken("review", "CHANGES", "code"),
            routed("code", "review", "CHANGES", &[], "c1"),
            taken("code"),
        ]
    );
}

#[test]
fn a_gate_does_not_widen_how_often_a_route_may_be_taken() {
    let mut run = reviewed_at_a_gate();
    for (gate, attempt) in [(1, "review#2"), (2, "review#3")] {
        run.verifies(says("CHANGES", []));
        run.decides(approve(gate, "c2"));
        run.proves("code", "c2");
        run.begins("review");
        run.ends(attempt, "c2");
    }
    let events = run.verifies(says("CHANGES", []));
    assert_eq!(events[1], failed("review"));
}

#[test]
fn what_no_glob_matches_leads_by_its_type() {
    let mut plan =
        plan([agent("sql"), agent("code"), agent("review").route("CHANGES", [], "code", 2)]);
    let review = plan.find(&"review".into()).unwrap();
    let sql = plan.find(&"sql".into()).unwrap();
    let code = plan.find(&"code".into()).unwrap();
    let route = plan.steps[review.get()].on.get_mut("CHANGES").unwrap();
    route.rollback.by_path = vec![("**/*.java".to_owned(), code)];
    route.rollback.by_type = vec![("database".to_owned(), sql)];
    let found = |file: Option<&str>, kind: Option<&str>| crate::proof::Finding {
        file: file.map(str::to_owned),
        kind: kind.map(str::to_owned),
    };
    let target = |findings| {
        let mut run = Run::planned(plan.clone());
        run.proves("sql", "c1");
        run.proves("code", "c2");
        run.begins("review");
        run.ends("review#1", "c2");
        let report = crate::proof::VerifyReport { route_findings: findings, ..says("CHANGES", []) };
        run.verifies(report)[0].clone()
    };
    let taken = |target| route_taken("review", "CHANGES", target);
    let java_of_type_database = found(Some("A.java"), Some("database"));
    assert_eq!(target(vec![java_of_type_database.clone()]), taken("code"), "the file counts first");
    assert_eq!(target(vec![java_of_type_database, found(None, Some("database"))]), taken("sql"));
    assert_eq!(target(vec![found(Some("README"), Some("database"))]), taken("sql"));
    assert_eq!(target(vec![found(None, Some("other"))]), taken("code"));
}
