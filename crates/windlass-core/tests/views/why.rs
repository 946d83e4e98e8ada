//! Why a step is where it is.

use windlass_core::id::StepId;
use windlass_core::run::RunState;
use windlass_core::view::{follow, why};

use super::story::{Story, fails, holds};

/// A failed try, feedback, a rollback, and the run stands at its gate again.
pub(super) fn long_story() -> Story {
    let mut story = Story::begin();
    story.attempt("c1");
    story.verified(fails("run `make test` exited with 2", "FAIL sum"));
    story.attempt("c2");
    story.verified(holds());
    story.committed();
    story.feedback("Use the existing helper.", "c2");
    story.begin_step("implement", "c2");
    story.attempt("c3");
    story.verified(holds());
    story.committed();
    story.approve("c3");
    story.begin_step("docs", "c3");
    for _ in 0..3 {
        story.attempt("c3");
        let mut report = fails("file `docs/sum.md` is not there", "");
        report.proofs.drain(..1);
        report.proofs.truncate(1);
        report.proofs[0].check = windlass_core::plan::CheckId(0);
        story.verified(report);
    }
    story.roll_back("implement", "Sums of nothing are wrong.", "c3");
    story.begin_step("implement", "c3");
    story.attempt("c4");
    story.verified(holds());
    story.committed();
    story
}

fn told(story: &Story, step: &str) -> String {
    let why = why(&story.trail, &StepId::from(step)).unwrap().unwrap();
    let mut text = format!("{} is {}\n", why.step, why.status.as_str());
    for said in why.sentences {
        text.push_str(&format!("#{} {} {}\n", said.seq, &said.time[11..19], said.text));
    }
    text.push_str(&why.moves_on);
    for next in why.next {
        text.push_str(&format!("\n  {}", next.command));
    }
    text
}

#[test]
fn every_turn_of_a_step_is_told_with_its_event() {
    insta::assert_snapshot!(told(&long_story(), "implement"));
}

#[test]
fn a_step_that_waits_says_for_what_and_that_it_was_opened_again() {
    insta::assert_snapshot!(told(&long_story(), "docs"));
}

#[test]
fn no_change_of_a_step_goes_untold() {
    let story = long_story();
    for step in ["implement", "docs"] {
        let step = StepId::from(step);
        let mut changes = Vec::new();
        follow(&story.trail, |told, before: Option<&RunState>, after| {
            let index = after.plan.find(&step).unwrap();
            let was = before.map(|state| state.step_status(index));
            if was.is_some_and(|was| was != after.step_status(index)) {
                changes.push(told.seq);
            }
        })
        .unwrap();
        assert!(!changes.is_empty());
        let why = why(&story.trail, &step).unwrap().unwrap();
        let told: Vec<u64> = why.sentences.iter().map(|said| said.seq).collect();
        assert!(changes.iter().all(|seq| told.contains(seq)), "{changes:?} {told:?}");
    }
}

#[test]
fn the_past_is_told_as_it_was() {
    let story = long_story();
    let first = &story.trail[..4];
    let why = why(first, &StepId::from("implement")).unwrap().unwrap();
    assert!(why.sentences.iter().all(|said| said.seq <= first.last().unwrap().seq));
    assert!(windlass_core::view::why(first, &StepId::from("nothing")).unwrap().is_none());
    assert!(windlass_core::view::why(&[], &StepId::from("implement")).is_err());
}
