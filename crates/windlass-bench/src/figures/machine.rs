//! What one decision costs, whatever the size of the plan.

use std::collections::BTreeMap;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use windlass_core::id::{ContentHash, Fence, RunId, StepIndex};
use windlass_core::plan::{
    Backoff, BaselinePolicy, Check, CheckId, CheckKind, CommitPolicy, Criterion, Exhausted, Holds,
    Limits, Plan, PlanParts, PlanStep, Skip, StepKind, StepNetwork, Strength,
};
use windlass_core::proof::{AttemptReport, Outcome, Proof, Usage, VerifyReport};
use windlass_core::run::{
    Actor, Input, InputKind, RunFacts, RunState, RunStatus, decide, outstanding, start,
};
use windlass_core::snapshot::{Baseline, Snapshot};
use windlass_core::time::{Span, Timestamp};

use crate::edge::Edge;
use crate::measure::median;
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

/// Flat means: a plan a hundred times as large costs at most this much more per decision.
const FLAT: f64 = 2.0;

const AT: Timestamp = Timestamp(1_700_000_000_000);

pub(super) fn measure(effort: Effort) -> BenchResult<Vec<Figure>> {
    let sizes: &[usize] = effort.pick(&[1_000, 10_000], &[1_000, 10_000, 100_000]);
    let mut costs = Vec::with_capacity(sizes.len());
    for &steps in sizes {
        // Small plans are run more often, so that every size makes about as many decisions.
        let repetitions = effort.pick(3, (100_000 / steps).clamp(3, 25));
        let runs: BenchResult<Vec<f64>> = (0..repetitions).map(|_| per_decision(steps)).collect();
        costs.push((steps, median(runs?)));
    }
    let base = costs[0];
    let figures = costs.iter().map(|&(steps, cost)| {
        let name = format!("machine: a decision in a plan of {steps} steps");
        let figure = Figure::new(name, Unit::Nanoseconds, cost);
        if steps == base.0 {
            return figure;
        }
        figure.beside(format!("{} steps", base.0), base.1).at_most(base.1 * FLAT)
    });
    Ok(figures.collect())
}

/// Runs a chain to its end; returns what `decide`, `apply` and `outstanding` took per decision.
///
/// The time is that of the processor: what else the machine does would lengthen the longer runs
/// more often than the shorter ones. What the edge takes to answer is in it, at every size.
fn per_decision(steps: usize) -> BenchResult<f64> {
    let edge = edge();
    let kind = InputKind::Start { plan: Box::new(chain(steps)), facts: Box::new(facts()) };
    let (mut state, _) = start(&Input { at: AT, actor: Actor::engine(), kind })?;
    let begun = computed()?;
    let mut decisions = 0_u32;
    let mut next = Some(InputKind::DriverTookOver { driver: Fence(1), session: None, boxes: None });
    while let Some(kind) = next {
        let input = Input { at: AT, actor: Actor::engine(), kind };
        let events = decide(&state, &input)?;
        for event in &events {
            state.apply(AT, event)?;
        }
        let effects = outstanding(&state);
        decisions += 1;
        let effect = effects.into_iter().next();
        next = effect.map(|effect| edge.answer(effect, |_| Some(proven()))).transpose()?;
    }
    let spent = computed()? - begun;
    completed(&state)?;
    Ok(spent.as_secs_f64() * 1e9 / f64::from(decisions))
}

/// Returns how long this thread has computed so far.
fn computed() -> BenchResult<Duration> {
    Ok(clock_gettime(ClockId::ThreadCPUTime).try_into()?)
}

fn completed(state: &RunState) -> BenchResult<()> {
    match state.status() {
        RunStatus::Completed => Ok(()),
        other => Err(format!("the simulated run is {}", other.as_str()).into()),
    }
}

/// Each step needs the one before.
fn chain(count: usize) -> Plan {
    let limits = Limits { cost_usd: 1.0, wall: Span::hours(9), attempts: 1_000_000 };
    Plan::from(PlanParts {
        workflow: "chain".to_owned(),
        title: "Chain".to_owned(),
        source: ContentHash::of(b"chain"),
        goal: "a goal".to_owned(),
        issue: None,
        inputs: BTreeMap::new(),
        limits,
        prepare: Vec::new(),
        carry: Vec::new(),
        protect: Vec::new(),
        recheck: None,
        baseline: BaselinePolicy::Strict,
        cold: true,
        worst_case_attempts: 0,
        roles: BTreeMap::new(),
        mcp: BTreeMap::new(),
        platforms: Vec::new(),
        unchecked: Vec::new(),
        items: Vec::new(),
        steps: (0_u32..).take(count).map(step).collect(),
    })
}

fn step(number: u32) -> PlanStep {
    let id = format!("s{number}");
    let command = CheckKind::Run {
        command: "make".to_owned(),
        folder: None,
        timeout: Span::minutes(1),
        cache: true,
        env: Vec::new(),
        room: Box::default(),
    };
    PlanStep {
        title: id.clone(),
        id: id.as_str().into(),
        kind: StepKind::Agent { agent: "developer".to_owned(), backend: None, model: None },
        parent: None,
        task: String::new(),
        needs: number.checked_sub(1).map(StepIndex).into_iter().collect(),
        when: None,
        reads: Vec::new(),
        publishes: BTreeMap::new(),
        may_write: Vec::new(),
        writes: Vec::new(),
        retries: 3,
        timeout: Span::minutes(30),
        idle_timeout: Span::minutes(10),
        network: StepNetwork::On,
        hosts: Vec::new(),
        backoff: Backoff { initial: Span::seconds(30), max: Span::minutes(10) },
        gate: None,
        on: BTreeMap::new(),
        skip: Skip::Never,
        exhausted: Exhausted::Pause,
        waive_keeps: false,
        commit: CommitPolicy::Never,
        done: Some(Criterion::Check(Check { id: CheckId(0), kind: command })),
        satisfied_ok: false,
        trust_agent: false,
        keeps: false,
        fix: None,
        failed: None,
    }
}

fn facts() -> RunFacts {
    RunFacts {
        run: RunId::new("bench"),
        branch: "windlass/bench".to_owned(),
        base_name: "main".to_owned(),
        base: "base".into(),
        base_tree: "c0".into(),
        place: "/place".to_owned(),
        here: false,
        approved_in_advance: None,
        backend: "rehearsal".to_owned(),
        command: None,
        command_from_repository: false,
        carried: Vec::new(),
        version: "bench".to_owned(),
        failure_rules: Vec::new(),
        services: Vec::new(),
        push_settings: None,
        questions_wait: None,
        base_record: None,
        no_cold: None,
        commits: windlass_core::commit::CommitStyle::default(),
    }
}

fn edge() -> Edge {
    Edge {
        files: Baseline {
            snapshot: Snapshot { code: "c1".into(), papers: "papers".into() },
            files: ContentHash::of(b"{}"),
        },
        ended: AttemptReport {
            outcome: Outcome::Exited { code: 0 },
            usage: Usage::default(),
            result: None,
            output: None,
            left_behind: 0,
            trouble: Vec::new(),
            confinement: "none".to_owned(),
            escalation: None,
        },
    }
}

fn proven() -> VerifyReport {
    VerifyReport {
        proofs: vec![Proof {
            check: CheckId(0),
            holds: Holds::Yes,
            strength: Strength::Observed,
            summary: "passed".to_owned(),
            excerpt: None,
            evidence: None,
            cached: false,
            took: Span(1),
            cause: None,
        }],
        ..VerifyReport::empty()
    }
}
