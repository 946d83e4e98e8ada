//! What whoever tries again knows besides the last failure.

use windlass_core::judgement::{Level, Remark};
use windlass_core::proof::VerifyReport;
use windlass_core::run::{FailedElsewhere, InputKind};
use windlass_core::time::Timestamp;

use crate::story::{Story, fails, holds};

const WORKFLOW: &str = r#"
workflow: change
title: A change
steps:
  - id: implement
    agent: developer
    publishes: {work.file: "{specs}/work.md"}
    done: {all: [{file: "{specs}/work.md"}, {run: make test}]}
  - id: review
    agent: reviewer
    publishes: {review.status: string}
    done: {all: [{file: "{specs}/review.md"}, {verdict: .context.review.status, accept: [APPROVED]}]}
    on: {CHANGES_REQUESTED: {rollback: implement, max: 2}}
    gate: approval
"#;

/// A work that failed once, then was proven.
fn at_review() -> Story {
    let mut story = Story::planned("A sum", WORKFLOW, false);
    story.attempt("c1");
    let report = fails("run `make test` exited with 2", "FAIL product");
    story.verified(VerifyReport { changed: vec!["src/product.c".to_owned()], ..report });
    story.attempt("c2");
    story.verified(holds());
    story.committed();
    story.begin_step("review", "c2");
    story
}

fn judged(story: &mut Story, suggests: &str, code: &str) {
    let verdict = "APPROVED";
    let attempt = story.state().running_attempts().next().unwrap();
    let (key, value) = ("review.status".to_owned(), verdict.into());
    story.feed(InputKind::ContextSet { attempt, key, value });
    story.attempt(code);
    let proofs = holds().proofs;
    let text = suggests.to_owned();
    let remark = Remark { level: Level::Suggestion, text, file: None, line: None };
    let verdict = Some(verdict.to_owned());
    story.verified(VerifyReport {
        proofs,
        verdict,
        remarks: vec![remark],
        ..VerifyReport::empty()
    });
}

#[test]
fn a_step_that_is_sent_back_still_knows_how_it_failed_before() {
    let mut story = at_review();
    judged(&mut story, "a shorter name", "c2");
    story.feedback("Handle the empty list.", "c2");
    story.begin_step("implement", "c2");
    let prompt = story.prompt("implement");
    assert!(prompt.contains("ann asks:\n\nHandle the empty list."), "{prompt}");
    assert!(
        prompt.contains(
            "Earlier tries failed; do not bring these back:\n\
             - run `make test` exited with 2; tried in `src/product.c`\n"
        ),
        "{prompt}"
    );
    assert!(prompt.contains("Suggested earlier; take what fits:\n- `review`:"), "{prompt}");
    assert!(prompt.contains("a shorter name"), "{prompt}");
}

#[test]
fn what_a_person_asks_at_a_judges_gate_reaches_both_who_did_the_work_and_the_judge() {
    let mut story = at_review();
    judged(&mut story, "nothing", "c2");
    story.feedback("Handle the empty list.", "c2");
    story.begin_step("implement", "c2");
    story.attempt("c3");
    story.verified(holds());
    story.committed();
    story.begin_step("review", "c3");
    let prompt = story.prompt("review");
    assert!(
        prompt.contains(
            "## Asked of the work\n\nPeople saw the work and asked for this. Look whether it is \
             done:\n\n- ann: Handle the empty list."
        ),
        "{prompt}"
    );
}

#[test]
fn what_was_asked_for_in_an_earlier_life_is_not_forgotten_in_the_next() {
    let mut story = at_review();
    judged(&mut story, "nothing", "c2");
    story.feedback("Handle the empty list.", "c2");
    story.begin_step("implement", "c2");
    story.attempt("c3");
    story.verified(holds());
    story.committed();
    story.begin_step("review", "c3");
    judged(&mut story, "nothing", "c3");
    story.feedback("And negative numbers.", "c3");
    story.begin_step("implement", "c3");
    let prompt = story.prompt("implement");
    assert!(prompt.contains("ann asks:\n\nAnd negative numbers."), "{prompt}");
    assert!(
        prompt.contains("Asked for earlier, and to stay so:\n- ann: Handle the empty list."),
        "{prompt}"
    );
}

#[test]
fn the_same_failure_of_other_runs_is_told_with_what_became_of_it() {
    let mut story = Story::planned("A sum", WORKFLOW, false);
    story.attempt("c1");
    let found = |run: &str, proven, changed: &[&str]| FailedElsewhere {
        run: windlass_core::id::RunId::new(run),
        step: "implement".into(),
        at: Timestamp(1_799_000_000_000),
        proven,
        changed: changed.iter().map(|path| (*path).to_owned()).collect(),
    };
    let elsewhere = vec![found("k1", true, &["Makefile", "src/a.c"]), found("k2", false, &[])];
    story.verified(VerifyReport { elsewhere, ..fails("run `make test` exited with 2", "FAIL") });
    let prompt = story.prompt("implement");
    let told = prompt.split("Other runs of this repository failed in the same way:\n").nth(1);
    let told = told.unwrap_or_else(|| panic!("{prompt}"));
    let lines: Vec<&str> = told.lines().take(2).collect();
    assert!(lines[0].starts_with("- run `k1`, step `implement`, 2027-"), "{told}");
    assert!(lines[0].ends_with("solved there with changes in `Makefile`, `src/a.c`"), "{told}");
    assert!(lines[1].ends_with("not solved there"), "{told}");
}
