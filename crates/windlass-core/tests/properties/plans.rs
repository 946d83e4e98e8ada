//! Random plans: acyclic, with groups, gates, routes, `when`s and every policy.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use windlass_core::id::{ContentHash, RunId, StepIndex};
use windlass_core::judgement::ReportKind;
use windlass_core::plan::{
    Backoff, BaselinePolicy, Check, CheckId, CheckKind, CommitPolicy, Criterion, Exhausted,
    FailedRoute, FailedTo, Foreach, GatePolicy, Limits, Plan, PlanParts, PlanStep, Publish,
    PullRequest, ReportEvery, Rollback, Route, Skip, StepKind, StepNetwork, Strength, ValueType,
};
use windlass_core::run::RunFacts;
use windlass_core::time::Span;

/// The group number of steps that are repeated.
const REPEATED: u8 = 3;

/// What one step is made from.
#[derive(Clone, Debug)]
pub(crate) struct Genes {
    needs: u8,
    group: u8,
    criterion: u8,
    policy: u16,
    retries: u32,
    route: u8,
}

fn genes() -> impl Strategy<Value = Genes> {
    (any::<u8>(), 0..4u8, 0..6u8, any::<u16>(), 1..4u32, any::<u8>()).prop_map(
        |(needs, group, criterion, policy, retries, route)| Genes {
            needs,
            group,
            criterion,
            policy,
            retries,
            route,
        },
    )
}

/// Plans of up to eight steps and what is around them: groups, and steps that repeat over items.
pub(crate) fn plans(attempts: u64) -> impl Strategy<Value = Plan> {
    prop::collection::vec(genes(), 1..8).prop_map(move |genes| plan(&genes, attempts))
}

/// Neighbours with the same group number, which is not 0, are one group.
fn plan(genes: &[Genes], attempts: u64) -> Plan {
    let mut steps: Vec<PlanStep> = Vec::new();
    let mut position = 0;
    while position < genes.len() {
        let group = genes[position].group;
        let end = genes[position..].iter().position(|other| group == 0 || other.group != group);
        let end = end.map_or(genes.len(), |length| position + length.max(1));
        if group == REPEATED {
            let foreach = foreach(&steps, &genes[position..end], format!("g{position}"));
            steps.push(foreach);
            position = end;
            continue;
        }
        let first = steps.len();
        let in_group = group != 0;
        if in_group && genes[position].policy >> 15 & 1 == 1 {
            let foreach = foreach(&steps, &genes[position..=position], format!("g{position}/f"));
            steps.push(foreach);
        }
        for (number, genes) in genes.iter().enumerate().take(end).skip(position) {
            let id = if in_group { format!("g{position}/s{number}") } else { format!("s{number}") };
            let step = step(&steps, genes, id, false);
            steps.push(step);
        }
        if in_group && end - position > 1 && genes[position].policy >> 13 & 1 == 1 {
            make_team(&mut steps, first);
        }
        if in_group {
            let mut step = step(&steps, &genes[end - 1], format!("g{position}"), true);
            step.needs = (first..steps.len()).map(index).collect();
            let parent = index(steps.len());
            for nested in &mut steps[first..] {
                nested.parent = Some(parent);
            }
            steps.push(step);
        }
        position = end;
    }
    add_routes(&mut steps, genes);
    if genes.last().is_some_and(|last| last.route & 1 == 1) {
        let gated = genes.last().is_some_and(|last| last.route & 2 == 2);
        steps.push(publish(&steps, gated));
    }
    let limits = Limits { cost_usd: 50.0, wall: Span::hours(10_000), attempts };
    let mut plan = chain(steps, limits);
    plan.cold = genes.first().is_some_and(|first| first.route & 24 != 24);
    plan
}

/// All steps from `first` on but the last become spokes, and the last one their hub.
fn make_team(steps: &mut [PlanStep], first: usize) {
    let (hub, spokes) = steps[first..].split_last_mut().unwrap();
    for spoke in spokes {
        let plain = plain(spoke.id.to_string());
        let outside = spoke.needs.iter().copied().filter(|need| need.get() < first);
        *spoke = PlanStep {
            needs: outside.collect(),
            when: spoke.when.take(),
            retries: spoke.retries.max(2),
            writes: vec![format!("{}.md", spoke.id)],
            ..plain
        };
        hub.needs.retain(|need| need.get() < first);
    }
    let last = first + steps[first..].len() - 1;
    steps[last].needs.extend((first..last).map(index));
}

/// A step that repeats over items; about half of them have a task list.
fn foreach(earlier: &[PlanStep], genes: &[Genes], id: String) -> PlanStep {
    let mut steps: Vec<PlanStep> = Vec::new();
    for (number, genes) in genes.iter().enumerate() {
        let step = step(&steps, genes, format!("{id}/s{number}"), false);
        steps.push(step);
    }
    add_routes(&mut steps, genes);
    let last = &genes[genes.len() - 1];
    let mut around = step(earlier, last, id, true);
    around.when = (last.policy & 3 == 3).then(|| ".inputs.x".to_owned());
    let tasks = (last.policy >> 14 & 1 == 1).then(|| "TASKS.md".to_owned());
    around.kind = StepKind::Foreach(Box::new(Foreach {
        max: 3,
        tasks,
        stories: None,
        report: (last.policy & 4 == 4)
            .then_some(ReportEvery { items: Some(1), time: Some(Span::minutes(3)) }),
        checkpoint: (last.policy & 8 == 8).then_some(1),
        steps,
    }));
    around
}

/// Wraps steps into a plan.
pub(crate) fn chain(steps: Vec<PlanStep>, limits: Limits) -> Plan {
    Plan::from(PlanParts {
        workflow: "random".to_owned(),
        title: "Random".to_owned(),
        source: ContentHash::of(b"random"),
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
        steps,
    })
}

fn step(earlier: &[PlanStep], genes: &Genes, id: String, is_group: bool) -> PlanStep {
    let policy = |bit: u16| genes.policy >> bit & 1 == 1;
    let both = |bit: u16| policy(bit) && policy(bit + 1);
    let needs = earlier.iter().enumerate().filter(|(position, _)| {
        let back = earlier.len() - position;
        back <= 8 && genes.needs >> (back - 1) & 1 == 1
    });
    let kind = match is_group {
        true => StepKind::Group,
        false => StepKind::Agent { agent: "developer".to_owned(), backend: None, model: None },
    };
    PlanStep {
        needs: needs.map(|(position, _)| index(position)).collect(),
        when: (both(0) && !is_group).then(|| ".inputs.x".to_owned()),
        retries: genes.retries,
        gate: both(2).then_some(GatePolicy::Approval),
        exhausted: match genes.policy >> 4 & 3 {
            0 | 1 => Exhausted::Pause,
            2 => Exhausted::Block,
            _ => Exhausted::Waive,
        },
        commit: if policy(6) { CommitPolicy::Wip } else { CommitPolicy::Never },
        skip: if policy(7) { Skip::Allowed } else { Skip::Never },
        satisfied_ok: both(8),
        done: criterion(if is_group { genes.criterion.wrapping_add(1) } else { genes.criterion })
            .filter(|_| !is_group || policy(10)),
        publishes: publishes(&id, genes.policy),
        keeps: genes.criterion == 1 && policy(14) && !is_group,
        kind,
        ..plain(id)
    }
}

/// Windlass publishes at the end.
fn publish(earlier: &[PlanStep], gated: bool) -> PlanStep {
    let request = PullRequest { title: "Work".to_owned(), base: None, draft: false };
    PlanStep {
        kind: StepKind::PullRequest(request),
        needs: (0..earlier.len()).map(index).collect(),
        gate: gated.then_some(GatePolicy::Approval),
        commit: CommitPolicy::Wip,
        ..plain("publish".to_owned())
    }
}

/// An agent's step without anything special, proven by one command.
pub(crate) fn plain(id: String) -> PlanStep {
    PlanStep {
        title: id.clone(),
        id: id.as_str().into(),
        kind: StepKind::Agent { agent: "developer".to_owned(), backend: None, model: None },
        parent: None,
        task: String::new(),
        needs: Vec::new(),
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
        done: criterion(0),
        satisfied_ok: false,
        trust_agent: false,
        keeps: false,
        fix: None,
        failed: None,
    }
}

fn publishes(id: &str, policy: u16) -> BTreeMap<String, Publish> {
    let key = id.replace('/', "_");
    let mut publishes = BTreeMap::new();
    if policy >> 11 & 1 == 1 {
        publishes.insert(format!("{key}.spec"), Publish::Path(format!("{key}.md")));
    }
    if policy >> 12 & 1 == 1 {
        publishes.insert(format!("{key}.skip"), Publish::Value(ValueType::Object));
    }
    if policy >> 13 & 1 == 1 {
        publishes.insert("items".to_owned(), Publish::Value(ValueType::Array));
    }
    publishes
}

fn criterion(kind: u8) -> Option<Criterion> {
    let check = |id, kind| Criterion::Check(Check { id: CheckId(id), kind });
    let run = || CheckKind::Run {
        command: "make".to_owned(),
        folder: None,
        timeout: Span::minutes(1),
        cache: true,
        env: Vec::new(),
        room: Box::default(),
    };
    let state = || CheckKind::State { expr: ".context.x".to_owned() };
    let verdict = || CheckKind::Verdict {
        expr: ".context.verdict".to_owned(),
        accept: vec!["APPROVED".to_owned()],
        strength: Strength::Observed,
    };
    let report = || CheckKind::VerdictIn {
        file: ".windlass/run/specs/review.md".to_owned(),
        kind: ReportKind::Review,
        accept: vec!["APPROVED".to_owned()],
        strength: Strength::Observed,
    };
    Some(match kind % 7 {
        0 => check(0, run()),
        1 => Criterion::All(vec![check(0, run()), check(1, state())]),
        2 => Criterion::Any(vec![check(0, run()), check(1, state())]),
        3 => Criterion::All(vec![check(0, run()), Criterion::Not(Box::new(check(1, state())))]),
        4 => check(0, verdict()),
        5 => check(0, report()),
        _ => Criterion::All(vec![check(0, verdict()), check(1, run())]),
    })
}

/// Steps that are judged by a verdict may lead back to what they depend on, or to themselves.
fn add_routes(steps: &mut [PlanStep], genes: &[Genes]) {
    for position in 0..steps.len() {
        let gene = &genes[position % genes.len()];
        let judged = steps[position].done.as_ref().is_some_and(|done| {
            let mut checks = done.checks().into_iter();
            checks.any(|check| check.kind.accepts().is_some())
        });
        let nobody_works = steps[position].kind.is_group() && steps[position].done.is_some();
        if nobody_works && gene.route & 4 != 0 {
            let worked = |need: &&StepIndex| !steps[need.get()].kind.is_group();
            let to = steps[position].needs.iter().find(worked).copied().map(FailedTo::Step);
            steps[position].failed = to.map(|to| FailedRoute { to, max: 1 });
        }
        if !judged || gene.route & 1 == 0 {
            continue;
        }
        let mut targets = BTreeSet::from([index(position)]);
        let mut queue = vec![index(position)];
        while let Some(next) = queue.pop() {
            queue.extend(steps[next.get()].needs.iter().filter(|need| targets.insert(**need)));
        }
        let targets: Vec<StepIndex> = targets.into_iter().collect();
        let pick = |salt: usize| targets[(usize::from(gene.route) + salt) % targets.len()];
        let by_path = vec![("a/**".to_owned(), pick(1)), ("b/**".to_owned(), pick(2))];
        let rollback =
            Rollback { files: None, by_path, types: None, by_type: Vec::new(), otherwise: pick(0) };
        let route = Route { rollback, max: u32::from(gene.route >> 1 & 1) + 1, block: false };
        steps[position].on.insert("CHANGES".to_owned(), route);
    }
}

/// Returns a position as the plan counts it.
pub(crate) fn index(position: usize) -> StepIndex {
    StepIndex(u32::try_from(position).unwrap())
}

/// What every random run is about.
pub(crate) fn facts(in_advance: bool) -> RunFacts {
    RunFacts {
        run: RunId::new("property"),
        branch: "windlass/property".to_owned(),
        base_name: "main".to_owned(),
        base: "base".into(),
        base_tree: "c0".into(),
        place: "/place".to_owned(),
        here: false,
        approved_in_advance: in_advance.then(|| "ann".to_owned()),
        backend: "rehearsal".to_owned(),
        command: None,
        command_from_repository: false,
        carried: Vec::new(),
        version: "test".to_owned(),
        failure_rules: Vec::new(),
        services: Vec::new(),
        push_settings: None,
        questions_wait: None,
        base_record: None,
        no_cold: None,
        commits: windlass_core::commit::CommitStyle::default(),
    }
}
