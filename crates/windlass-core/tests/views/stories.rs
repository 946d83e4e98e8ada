//! How far stories have come, and what an agent is told that goes on with them.

use windlass_core::hook;
use windlass_core::item::NewItem;
use windlass_core::plan::Holds;
use windlass_core::proof::VerifyReport;
use windlass_core::run::{About, Category, Decision, InputKind};
use windlass_core::story::{AcceptanceCriterion, PlannedStory, Size, Story as StoryFacts};
use windlass_core::view::{
    Failures, MAX_COMPACT_BYTES, StoryChecks, StoryStatus, TddPhase, compact_view, status_view,
    story_view,
};

use crate::story::{Story, holds};

const WORKFLOW: &str = r#"
workflow: stories
title: A goal in stories
steps:
  - {id: implement, agent: planner, publishes: {items: array}, commit: never, done: {diff: any}}
  - id: stories
    foreach: items
    steps:
      - {id: red, agent: developer, commit: never, done: {run: "! make test"}}
      - {id: green, agent: developer, commit: never, done: {junit: "*.xml", run: make test}}
      - {id: verify, agent: tester, commit: never, done: {coverage: lcov.info, run: make coverage, min: 70}}
      - id: review
        agent: reviewer
        commit: never
        publishes: {review: object}
        done: {verdict: .context.review.status, accept: OK}
        on: {NO: {rollback: green, max: 1}}
"#;

fn story_of(design: Option<&str>, text: &str) -> StoryFacts {
    let criteria = vec![AcceptanceCriterion { id: "AC1".to_owned(), text: text.to_owned() }];
    StoryFacts {
        size: Size::M,
        criteria,
        security: false,
        depends_on: Vec::new(),
        files: Vec::new(),
        design: design.map(str::to_owned),
    }
}

fn begun(title: &str, facts: Option<StoryFacts>) -> Story {
    let mut story = Story::with("A shop", WORKFLOW);
    let attempt = story.state().running_attempts().next().unwrap();
    let (id, title, body) = ("S1".into(), title.to_owned(), String::new());
    let item = NewItem { id, title, body, story: facts, step: None };
    story.feed(InputKind::ItemAsked { attempt, item });
    story.attempt("c1");
    story.verified(holds());
    story
}

fn look(story: &Story) -> (StoryStatus, Option<TddPhase>, StoryChecks) {
    let view = story_view(story.state(), &story.state().items[0]);
    (view.status, view.tdd_phase, view.checks)
}

fn prove(story: &mut Story, step: &str, code: &str) {
    story.begin_step(&format!("stories/S1/{step}"), code);
    story.attempt(code);
    story.verified(holds());
}

#[test]
fn status_phase_and_checks_follow_the_steps_and_fall_back_with_them() {
    let mut story = begun("Log in", None);
    let none = StoryChecks::default();
    assert_eq!(look(&story), (StoryStatus::InProgress, Some(TddPhase::Red), none));
    prove(&mut story, "red", "c1");
    assert_eq!(look(&story), (StoryStatus::InProgress, Some(TddPhase::Green), none));
    prove(&mut story, "green", "c2");
    let tests = StoryChecks { tests_pass: true, ..none };
    assert_eq!(look(&story), (StoryStatus::InProgress, Some(TddPhase::Verify), tests));
    prove(&mut story, "verify", "c2");
    let covered = StoryChecks { coverage_met: true, ..tests };
    assert_eq!(look(&story), (StoryStatus::Review, Some(TddPhase::Verify), covered));
    story.begin_step("stories/S1/review", "c2");
    story.feed(InputKind::Decided(Decision::Pause { now: true }));
    story.attempt("c2");
    story.roll_back("stories/S1/verify", "measure again", "c2");
    assert!(!look(&story).2.coverage_met, "opened again");
    assert!(look(&story).2.tests_pass, "and nothing else");
    prove(&mut story, "verify", "c2");
    story.begin_step("stories/S1/review", "c2");
    let attempt = story.state().running_attempts().next().unwrap();
    let value = serde_json::json!({"status": "OK"});
    story.feed(InputKind::ContextSet { attempt, key: "review".to_owned(), value });
    story.attempt("c2");
    story.verified(holds());
    let approved = StoryChecks { review_approved: true, ..covered };
    assert_eq!(look(&story), (StoryStatus::Completed, None, approved));
}

#[test]
fn a_step_that_is_not_proven_leaves_its_check_false() {
    let mut story = begun("Log in", None);
    prove(&mut story, "red", "c1");
    story.begin_step("stories/S1/green", "c1");
    story.attempt("c2");
    let mut report = holds();
    report.proofs.iter_mut().for_each(|proof| proof.holds = Holds::No);
    story.verified(report);
    assert!(!look(&story).2.tests_pass);
}

#[test]
fn a_prompt_tells_which_services_the_words_of_a_story_name() {
    let mut story = begun("Pay by card", Some(story_of(Some("Use Stripe."), "texts by Twilio")));
    story.begin_step("stories/S1/red", "c1");
    let prompt = story.prompt("stories/S1/red");
    let (_, services) = prompt.split_once("## Outside services\n").unwrap();
    let (services, _) = services.split_once("\n## ").unwrap();
    insta::assert_snapshot!(services.trim());
    let mut plain = begun("Log in", Some(story_of(None, "a page")));
    plain.begin_step("stories/S1/red", "c1");
    assert!(!plain.prompt("stories/S1/red").contains("Outside services"));
}

#[test]
fn a_noted_failure_is_told_in_the_next_prompt_and_listed() {
    let mut story = begun("Log in", None);
    let about = About::Item("S1".into());
    let (category, summary) = (Category::External, "the bank is down".to_owned());
    story.feed(InputKind::Decided(Decision::NoteFailure { about, category, summary }));
    story.begin_step("stories/S1/red", "c1");
    let prompt = story.prompt("stories/S1/red");
    assert!(prompt.contains("Noted by ann (external): the bank is down"), "{prompt}");
    story.attempt("c1");
    let mut report = holds();
    report.proofs.iter_mut().for_each(|proof| proof.holds = Holds::No);
    story.verified(report);
    let prompt = story.prompt("stories/S1/red");
    assert!(prompt.contains("Story: `S1` Log in\n"), "{prompt}");
    assert!(prompt.contains("Noted by ann (external): the bank is down"), "{prompt}");
    assert!(prompt.contains("Advice: a person has to help: ann noted"), "{prompt}");
    let mut failures = Failures::default();
    for told in &story.trail {
        failures.add(told.at, &told.event);
    }
    let list = failures.clone().finish(story.state(), Some(&About::Item("S1".into())));
    insta::assert_json_snapshot!(list);
    assert_eq!(failures.finish(story.state(), Some(&About::Step("implement".into()))), []);
}

#[test]
fn what_an_agent_needs_to_go_on_is_short_whatever_the_lengths() {
    for piece in ["x", "\u{1}", "\"\\", "é😀", "word \n"] {
        let workflow = WORKFLOW.replace("A goal in stories", "t");
        let goal = format!("g{}", piece.repeat(5000));
        let mut story = Story::with(&goal, &workflow);
        let attempt = story.state().running_attempts().next().unwrap();
        let item = NewItem {
            id: "S".repeat(64).as_str().into(),
            title: "t".repeat(200),
            body: String::new(),
            story: None,
            step: None,
        };
        story.feed(InputKind::ItemAsked { attempt, item });
        story.attempt("c1");
        story.verified(holds());
        let step = format!("stories/{}/red", "S".repeat(64));
        story.begin_step(&step, "c1");
        story.attempt("c1");
        let mut report = holds();
        for proof in &mut report.proofs {
            (proof.holds, proof.summary) = (Holds::No, piece.repeat(3000));
        }
        story.verified(report);
        let view = compact_view(story.state());
        let json = serde_json::to_string(&view).unwrap();
        assert!(json.len() < MAX_COMPACT_BYTES, "{}", json.len());
        assert!(view.resume_instructions.len() > 2 && view.goal.starts_with('g'), "{json}");
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["current_story"]["tdd_phase"], "RED");
    }
}

#[test]
fn the_gate_of_the_design_shows_the_stories_and_a_session_too() {
    let mut story = Story::with(
        "A shop",
        "workflow: w\ntitle: T\nsteps:\n  - {id: implement, agent: architect, commit: never, done: {stories: s.yaml}, gate: approval}\n",
    );
    story.attempt("c0");
    let planned = |id: &str, criteria, needs: &[&str]| PlannedStory {
        id: id.into(),
        title: format!("Title of {id}"),
        size: Size::M,
        criteria,
        security: false,
        depends_on: needs.iter().map(|need| (*need).into()).collect(),
    };
    let stories = vec![planned("S1", 2, &[]), planned("S2", 1, &["S1"])];
    story.verified(VerifyReport { stories, ..holds() });
    let gate = status_view(story.state()).gate.unwrap();
    assert_eq!(
        gate.story_lines(),
        [
            "2 stories will be built, in this order:",
            "  1. S1: Title of S1 (M, 2 criteria)",
            "  2. S2: Title of S2 (M, 1 criterion, after S1)",
        ]
    );
    let told = hook::let_go(story.state());
    assert!(told.contains("  2. S2: Title of S2 (M, 1 criterion, after S1)\n"), "{told}");
}

#[test]
fn a_session_is_told_how_far_the_stories_have_come() {
    let story = begun("Log in", None);
    let told = hook::progress(story.state()).unwrap();
    assert!(told.contains("0 of 1 stories completed, 1 in progress"), "{told}");
    assert!(hook::progress(Story::begin().state()).is_none(), "a run without stories");
}
