//! Large plans: work is counted, never timed.

use windlass_core::id::Fence;
use windlass_core::plan::{Holds, Limits, Plan};
use windlass_core::proof::Outcome;
use windlass_core::run::{Actor, Effect, Input, InputKind, RunStatus, decide, outstanding, start};
use windlass_core::snapshot::Snapshot;
use windlass_core::time::{Span, Timestamp};

use crate::edge::{baseline, cold_report, ended, report};
use crate::plans::{chain, facts, index, plain};

fn limits() -> Limits {
    Limits { cost_usd: 1.0, wall: Span::hours(9), attempts: 1_000_000 }
}

/// Each step needs the one before.
fn chain_of(count: usize) -> Plan {
    let steps = (0..count).map(|number| {
        let mut step = plain(format!("s{number}"));
        step.needs = number.checked_sub(1).map(index).into_iter().collect();
        step
    });
    chain(steps.collect(), limits())
}

/// All steps need the first, and the last needs all of them.
fn fan_of(count: usize) -> Plan {
    let steps = (0..count).map(|number| {
        let mut step = plain(format!("s{number}"));
        step.needs = match number {
            0 => Vec::new(),
            last if last == count - 1 => (0..last).map(index).collect(),
            _ => vec![index(0)],
        };
        step
    });
    chain(steps.collect(), limits())
}

/// Runs the plan to its end; returns decisions, events, and the most effects at one time.
fn run(plan: Plan) -> (usize, usize, usize) {
    let at = Timestamp(1_700_000_000_000);
    let kind = InputKind::Start { plan: Box::new(plan), facts: Box::new(facts(false)) };
    let (mut state, events) = start(&Input { at, actor: Actor::engine(), kind }).unwrap();
    let kind = InputKind::DriverTookOver { driver: Fence(1), session: None, boxes: None };
    let took_over = decide(&state, &Input { at, actor: Actor::engine(), kind }).unwrap();
    for event in &took_over {
        state.apply(at, event).unwrap();
    }
    let (mut decisions, mut count, mut most) = (2, events.len() + took_over.len(), 0);
    let files = || Snapshot { code: "c1".into(), papers: "papers".into() };
    loop {
        let effects = outstanding(&state);
        most = most.max(effects.len());
        let Some(effect) = effects.into_iter().next() else { break };
        let kind = match effect {
            Effect::TakeBaseline(request) => InputKind::BaselineTaken {
                step: request.step,
                epoch: request.epoch,
                baseline: baseline(files()),
            },
            Effect::EnsureAttempt { attempt } => InputKind::AttemptEnded {
                attempt,
                report: Box::new(ended(Outcome::Exited { code: 0 })),
                snapshot: files(),
                jitter: windlass_core::run::EVEN_CHANCE,
            },
            Effect::Verify { verification, step, .. } => {
                let plan = state.plan.step(state.plan.find(&step).unwrap());
                let report = Box::new(report(plan, Holds::Yes, "passed"));
                InputKind::Verified { verification, report, jitter: 0 }
            }
            Effect::ProveCold { proof, .. } => {
                let report = Box::new(cold_report(&state, |_, wanted| wanted));
                InputKind::ColdProved { proof, report }
            }
            other => panic!("{other}"),
        };
        let events = decide(&state, &Input { at, actor: Actor::engine(), kind }).unwrap();
        for event in &events {
            state.apply(at, event).unwrap();
        }
        decisions += 1;
        count += events.len();
    }
    assert_eq!(state.status(), RunStatus::Completed);
    (decisions, count, most)
}

#[test]
fn a_run_takes_three_decisions_per_step_and_has_one_thing_in_flight() {
    for count in [1_000, 20_000] {
        // Start and take-over, then baseline, attempt and verification of each step, and the last
        // proof.
        let decisions = 3 + 3 * count;
        // Start, take-over, the last proof and end, then: taken, began, attempt started and ended,
        // verification started, proven, done.
        let events = 5 + 7 * count;
        assert_eq!(run(chain_of(count)), (decisions, events, 1));
        assert_eq!(run(fan_of(count)), (decisions, events, 1));
    }
}
