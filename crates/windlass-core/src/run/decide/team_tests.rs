//! Spokes work side by side, and what they wrote is brought over.

use crate::plan::Exhausted;
use crate::proof::Outcome;
use crate::run::testing::*;

/// Two spokes and their hub.
fn team() -> Run {
    Run::of([
        agent("plan/one").inside("plan").writes("one.md").needs([]),
        agent("plan/two").inside("plan").writes("two.md").needs([]),
        agent("plan/hub").inside("plan").needs(["plan/one", "plan/two"]),
        group("plan").needs(["plan/hub"]),
    ])
}

#[test]
fn spokes_begin_together_and_the_hub_when_all_are_brought_over() {
    let mut run = team();
    run.begins("plan/one");
    run.begins("plan/two");
    assert_eq!(run.effects(), ["ensure-attempt plan/one#1", "ensure-attempt plan/two#1"]);
    run.ends("plan/two#1", "t1");
    assert_eq!(run.effects(), ["ensure-attempt plan/one#1", "verify 1 of plan/two"]);
    run.verifies(holds());
    assert_eq!(run.effects(), ["ensure-attempt plan/one#1", "adopt plan/two 0"]);
    run.adopts("plan/two", "c0");
    assert_eq!(run.status_of("plan/two").as_str(), "done");
    assert_eq!(run.status_of("plan/hub").as_str(), "pending");
    run.ends("plan/one#1", "o1");
    run.verifies(holds());
    run.adopts("plan/one", "c1");
    assert_eq!(run.effects(), ["take-baseline plan/hub 0"]);
    assert_eq!(run.state.proven_code, "c1".into());
}

#[test]
fn what_others_changed_meanwhile_is_not_proven_by_a_spoke() {
    let mut run = team();
    run.begins("plan/one");
    run.begins("plan/two");
    run.ends("plan/two#1", "t1");
    run.verifies(holds());
    let before = run.state.proven_code.clone();
    run.adopts_touched("plan/two", "somebody else's");
    assert_eq!(run.state.proven_code, before);
}

#[test]
fn nobody_else_takes_the_place_while_spokes_are_at_work() {
    let mut run = Run::of([
        agent("plan/one").inside("plan").writes("one.md").needs([]),
        agent("plan/hub").inside("plan").needs(["plan/one"]),
        group("plan").needs(["plan/hub"]),
        agent("beside").needs([]),
    ]);
    run.begins("plan/one");
    assert_eq!(run.effects(), ["ensure-attempt plan/one#1"]);
    assert_eq!(run.status_of("beside").as_str(), "ready");
}

#[test]
fn a_spoke_that_gives_up_pauses_the_run_and_the_others_finish() {
    let mut run = Run::of([
        agent("plan/one")
            .inside("plan")
            .writes("one.md")
            .needs([])
            .retries(1)
            .exhausted(Exhausted::Pause),
        agent("plan/two").inside("plan").writes("two.md").needs([]),
        agent("plan/hub").inside("plan").needs(["plan/one", "plan/two"]),
        group("plan").needs(["plan/hub"]),
    ]);
    run.begins("plan/one");
    run.begins("plan/two");
    run.fails("plan/one#1", "o1");
    assert_eq!(run.state.status().as_str(), "active", "the other spoke is at work");
    run.ends("plan/two#1", "t1");
    run.verifies(holds());
    run.adopts("plan/two", "c0");
    assert_eq!(run.state.status().as_str(), "paused");
    assert_eq!(run.status_of("plan/two").as_str(), "done");
    run.decides(feedback("shorter", "c0"));
    assert_eq!(run.effects(), ["take-baseline plan/one 1"]);
}

#[test]
fn a_pause_stops_every_spoke() {
    let mut run = team();
    run.begins("plan/one");
    run.begins("plan/two");
    run.decides(PAUSE_NOW);
    assert_eq!(run.effects(), ["stop-attempt plan/one#1", "stop-attempt plan/two#1"]);
    run.ends_with("plan/one#1", "o1", Outcome::Cancelled);
    assert_eq!(run.state.status().as_str(), "active");
    run.ends_with("plan/two#1", "t1", Outcome::Cancelled);
    assert_eq!(run.state.status().as_str(), "paused");
    run.decides(RESUME);
    assert_eq!(run.effects(), ["ensure-attempt plan/one#2", "ensure-attempt plan/two#2"]);
}

#[test]
fn a_rollback_to_the_group_opens_spokes_and_hub() {
    let mut run = team();
    run.begins("plan/one");
    run.begins("plan/two");
    for (attempt, step) in [("plan/one#1", "plan/one"), ("plan/two#1", "plan/two")] {
        run.ends(attempt, "x1");
        run.verifies(holds());
        run.adopts(step, "c0");
    }
    run.begins("plan/hub");
    run.decides(PAUSE_NOW);
    run.ends_with("plan/hub#1", "c1", Outcome::Cancelled);
    run.decides(rollback("plan", "c1"));
    assert_eq!(run.effects(), ["take-baseline plan/one 1", "take-baseline plan/two 1"]);
}
