//! What a report, a pull request and a progress report say of stories, also of hostile ones.

use windlass_core::id::ContentHash;
use windlass_core::item::{ItemChange, NewItem, Wanted};
use windlass_core::judgement::{CriterionResult, CriterionVerdict, Level, Remark};
use windlass_core::plan::{CheckId, Holds, Strength};
use windlass_core::proof::{Blob, Proof, VerifyReport};
use windlass_core::run::{Decision, InputKind};
use windlass_core::story::{AcceptanceCriterion, Size, Story as StoryFacts};
use windlass_core::time::Span;
use windlass_core::view::{
    self, Changes, Difference, FileChange, MAX_PULL_REQUEST_BYTES, ReportFacts, ReportView,
    complete_view, progress_markdown, progress_view, pull_request_body,
};

use crate::story::{Story, holds};

pub(crate) const WORKFLOW: &str = r#"
workflow: stories
title: A goal in stories
steps:
  - {id: implement, agent: planner, publishes: {items: array}, commit: never, done: {diff: any}}
  - id: stories
    foreach: items
    steps:
      - {id: green, agent: developer, commit: never, done: {junit: "*.xml", run: make test}}
      - {id: verify, agent: tester, commit: never, done: {verdict_in: "{specs}/{item.id}.md", kind: tests}}
      - {id: review, agent: reviewer, commit: never, done: {verdict_in: "{specs}/{item.id}-r.md", kind: review}}
"#;

pub(crate) fn facts(depends_on: &[&str], text: &str, criteria: usize) -> StoryFacts {
    let criterion =
        |number: usize| AcceptanceCriterion { id: format!("AC{number}"), text: text.to_owned() };
    StoryFacts {
        size: Size::M,
        criteria: (1..=criteria).map(criterion).collect(),
        security: false,
        depends_on: depends_on.iter().map(|id| (*id).into()).collect(),
        files: Vec::new(),
        design: None,
    }
}

pub(crate) fn add(story: &mut Story, id: &str, title: &str, facts: StoryFacts) {
    let attempt = story.state().running_attempts().next().unwrap();
    let (title, body) = (title.to_owned(), String::new());
    let item = NewItem { id: id.into(), title, body, story: Some(facts), step: None };
    story.feed(InputKind::ItemAsked { attempt, item });
}

fn proven(summary: &str, cached: bool) -> VerifyReport {
    let proof = Proof {
        check: CheckId(0),
        holds: Holds::Yes,
        strength: Strength::Observed,
        summary: summary.to_owned(),
        excerpt: None,
        evidence: Some(Blob { hash: ContentHash::of(summary.as_bytes()), bytes: 3 }),
        cached,
        took: Span::seconds(90),
        cause: None,
    };
    VerifyReport { proofs: vec![proof], ..VerifyReport::empty() }
}

/// Builds a story; `criteria` are what the tester says, `remarks` what the reviewer found.
pub(crate) fn build(
    story: &mut Story,
    id: &str,
    criteria: Vec<CriterionResult>,
    remarks: Vec<Remark>,
) {
    for (step, report) in [
        ("green", proven("junit `*.xml`: 12 tests ran, 0 failed, 0 skipped", id == "S2")),
        ("verify", VerifyReport { criteria, ..proven("verdict_in `v` is PASSED", false) }),
        ("review", VerifyReport { remarks, ..proven("verdict_in `r` is APPROVED", false) }),
    ] {
        story.begin_step(&format!("stories/{id}/{step}"), "c2");
        story.attempt("c2");
        story.verified(report);
    }
}

pub(crate) fn said(id: &str, verdict: CriterionVerdict, test: &str) -> CriterionResult {
    CriterionResult { id: id.to_owned(), verdict, tests: vec![test.to_owned()] }
}

fn remark(level: Level, text: &str) -> Remark {
    Remark { level, text: text.to_owned(), file: Some("src/a.rs".to_owned()), line: Some(7) }
}

pub(crate) fn skip(story: &mut Story, id: &str, reason: &str) {
    let wanted = Some(Wanted::Skip { reason: reason.to_owned() });
    let change = ItemChange { wanted, ..ItemChange::default() };
    story.feed(InputKind::Decided(Decision::UpdateItem { item: id.into(), change }));
}

fn report(story: &Story) -> ReportView {
    let file = |path: &str, lines: u64| FileChange {
        path: path.to_owned(),
        status: Difference::Modified,
        added: Some(lines),
        deleted: Some(1),
    };
    let code = vec![file("src/a.rs", 3), file("src/b.rs", 4), file("README.md", 1)];
    let changes = Some(Changes { code, ..Changes::default() });
    let facts = ReportFacts { head: "0123abcd".to_owned(), changes, ..ReportFacts::default() };
    view::report_view(story.state(), &story.history, &facts)
}

fn three() -> Story {
    let mut story = Story::with("A shop", WORKFLOW);
    add(&mut story, "S1", "Log in", facts(&[], "POST /login answers 200", 2));
    add(&mut story, "S2", "Pay @ada #1", facts(&["S1"], "POST /pay answers 200", 1));
    add(&mut story, "S3", "Print", facts(&[], "GET /print answers 200", 1));
    story.attempt("c1");
    story.verified(holds());
    story
}

#[test]
fn a_pull_request_of_stories_says_what_stands_behind_it_and_what_a_person_has_to_do() {
    let mut story = three();
    let criteria = vec![
        said("AC1", CriterionVerdict::Pass, "tests/login.rs::answers"),
        said("AC2", CriterionVerdict::ManualVerificationRequired, "look at the page"),
    ];
    let remarks = vec![remark(Level::Info, "tidy"), remark(Level::Suggestion, "a shorter name")];
    build(&mut story, "S1", criteria, remarks);
    skip(&mut story, "S3", "not now");
    let passed = vec![said("AC1", CriterionVerdict::Pass, "tests/pay.rs::pays")];
    build(&mut story, "S2", passed, Vec::new());
    story.proved_cold(Holds::Yes, "");
    let view = report(&story);
    assert_eq!(view.saved, Span::seconds(90));
    for text in [pull_request_body(&view), view::markdown(&view), view::html(&view)] {
        assert!(text.contains(&view.counts.words()), "the same figures everywhere: {text}");
    }
    insta::assert_snapshot!(pull_request_body(&view));
    insta::assert_snapshot!(complete_view(story.state()).unwrap().block());
    assert_eq!(view.progress, None, "a run that is over has come as far as it will");
    let page = view::html(&view);
    for words in ["a shorter name", "tests/pay.rs::pays", "G3 test", "not now", "Time saved"] {
        assert!(page.contains(words), "{words}");
        let written = view::markdown(&view);
        assert!(written.contains(words), "{words}: {written}");
    }
}

#[test]
fn progress_says_what_is_finished_in_hand_and_next() {
    let mut story = three();
    let passed = vec![said("AC1", CriterionVerdict::Pass, "t")];
    build(&mut story, "S1", passed, Vec::new());
    story.begin_step("stories/S2/green", "c2");
    story.attempt("c2");
    story.verified(proven("junit `*.xml`: 12 tests ran, 0 failed, 0 skipped", false));
    let view = progress_view(story.state()).unwrap();
    assert_eq!((view.counts.completed, view.counts.in_progress, view.counts.pending), (1, 1, 1));
    insta::assert_snapshot!(progress_markdown(&view));
    assert_eq!(report(&story).progress.as_ref(), Some(&view));
    assert!(complete_view(story.state()).is_none());
    assert!(progress_view(Story::begin().state()).is_none(), "a run without items has none");
}

#[test]
fn however_long_the_words_of_others_are_a_pull_request_stays_below_its_bound() {
    for nasty in ["@a#1", "|`<b>", "é😀\u{202e}", "\u{1b}[31m", "[x](y)"] {
        let long = |most: usize| nasty.repeat(most / nasty.len());
        let mut story = Story::with(&long(100_000), WORKFLOW);
        let count = 30;
        for number in 1..=count {
            let id = format!("S{number}");
            let title: String = long(200).chars().filter(|sign| !sign.is_control()).collect();
            add(&mut story, &id, &title, facts(&[], &long(500), 30));
        }
        story.attempt("c1");
        story.verified(holds());
        for number in 1..=count {
            let id = format!("S{number}");
            let manual = CriterionVerdict::ManualVerificationRequired;
            let criteria = (1..=30).map(|n| said(&format!("AC{n}"), manual, &long(400))).collect();
            let remarks = (0..100).map(|_| remark(Level::Suggestion, &long(500))).collect();
            build(&mut story, &id, criteria, remarks);
        }
        let body = pull_request_body(&report(&story));
        assert!(body.len() <= MAX_PULL_REQUEST_BYTES, "{nasty}: {}", body.len());
        assert!(body.contains("\nCloses #42."), "what closes the issue is never cut off");
        for section in ["Stories", "Checklist", "To be checked by a person", "Cost and time"] {
            assert!(body.contains(&format!("\n## {section}\n")), "{nasty}: {section}");
        }
    }
}
