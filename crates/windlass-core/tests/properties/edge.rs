//! What the outside world answers: at random, or as a pure function of what is asked.

use std::hash::{DefaultHasher, Hash, Hasher};

use windlass_core::failure_rules::{Cause, Missing, MissingKind};
use windlass_core::id::{AttemptId, ContentHash, Fence, GateId, ItemId, ObjectId, StepId};
use windlass_core::item::{ItemChange, NewItem, Task, Wanted};
use windlass_core::plan::{CheckId, Criterion, Holds, PlanStep, Strength};
use windlass_core::proof::{
    AttemptReport, Outcome, Proof, ProtectedChange, Trouble, Usage, VerifyReport,
};
use windlass_core::question::{Choice, Phase, Question};
use windlass_core::run::{
    BlockerCheck, Category, Decision, Effect, InputKind, NewBlocker, Publication, PushSettings,
    Raise, RunState, Severity,
};
use windlass_core::snapshot::{Baseline, Snapshot};
use windlass_core::story::{AcceptanceCriterion, Size, Story};
use windlass_core::time::{Span, Timestamp};

/// Numbers that decide what happens. When they run out all goes well, unless they go round.
#[derive(Clone, Debug)]
pub(crate) struct Dice {
    numbers: Vec<u16>,
    next: usize,
    round: bool,
}

impl Dice {
    pub(crate) fn new(numbers: Vec<u16>) -> Self {
        Self { numbers, next: 0, round: false }
    }

    /// Dice that never run out.
    pub(crate) fn endless(numbers: Vec<u16>) -> Self {
        Self { numbers, next: 0, round: true }
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.next >= self.numbers.len() && !self.round
    }

    /// Returns a number below `sides`; 0 is what goes well.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        if self.is_calm() || self.numbers.is_empty() {
            return 0;
        }
        let number = self.numbers[self.next % self.numbers.len()];
        // Going round, the same numbers must not give the same story for ever.
        let turn = self.next / self.numbers.len();
        self.next += 1;
        (usize::from(number) + turn * 7) % sides
    }
}

/// The place that a run works in.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) code: ObjectId,
    changes: u32,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { code: "c0".into(), changes: 0 }
    }

    pub(crate) fn observe(&self) -> Snapshot {
        Snapshot { code: self.code.clone(), papers: "papers".into() }
    }

    pub(crate) fn change(&mut self) {
        self.changes += 1;
        self.code = format!("c{}", self.changes).as_str().into();
    }
}

/// Performs an effect at random and reports.
#[expect(clippy::too_many_lines, reason = "one answer for each effect")]
pub(crate) fn answer(
    state: &RunState,
    world: &mut World,
    dice: &mut Dice,
    effect: &Effect,
    now: &mut Timestamp,
) -> InputKind {
    match effect {
        Effect::EvaluateWhen { step, epoch } => InputKind::WhenEvaluated {
            step: step.clone(),
            epoch: *epoch,
            value: match dice.roll(6) {
                0..=2 => Ok(true),
                3 | 4 => Ok(false),
                _ => Err("no value".to_owned()),
            },
        },
        Effect::ReadTasks { step, epoch } => InputKind::TasksRead {
            step: step.clone(),
            epoch: *epoch,
            file: "TASKS.md".to_owned(),
            tasks: match dice.roll(5) {
                4 => Err("there is no such file".to_owned()),
                count => Ok((0..=count).map(|number| task(step, number)).collect()),
            },
        },
        Effect::TakeBaseline(request) => {
            if let Some(code) = &request.reset_code {
                world.code = code.clone();
            }
            InputKind::BaselineTaken {
                step: request.step.clone(),
                epoch: request.epoch,
                baseline: baseline(world.observe()),
            }
        }
        Effect::EnsureAttempt { attempt } | Effect::StopAttempt { attempt } => {
            let index = state.plan.find(&attempt.step).unwrap();
            let mut snapshot = world.observe();
            if state.plan.step(index).is_spoke() {
                snapshot.code = format!("aside {}", dice.roll(5)).as_str().into();
            } else if dice.roll(3) == 1 {
                world.change();
                snapshot = world.observe();
            }
            let (attempt, dies) = (attempt.clone(), dice.roll(10) == 9);
            if dies || ran_by(state, &attempt) != state.driver {
                let trouble = if dice.roll(8) == 7 { trouble() } else { Vec::new() };
                return InputKind::lost(attempt, snapshot, trouble);
            }
            let report = Box::new(attempt_report(dice, *now));
            InputKind::AttemptEnded {
                attempt,
                report,
                snapshot,
                jitter: windlass_core::run::EVEN_CHANCE,
            }
        }
        Effect::Verify { verification, step, .. } => {
            let plan = state.plan.step(state.plan.find(step).unwrap());
            InputKind::Verified {
                verification: *verification,
                report: Box::new(with_questions(verify_report(plan, dice, state), dice)),
                jitter: u16::try_from(dice.roll(1001)).unwrap(),
            }
        }
        Effect::Publish { step, epoch, commit, .. } => {
            let (step, epoch) = (step.clone(), *epoch);
            match dice.roll(4) {
                3 => InputKind::PublishRefused {
                    step,
                    epoch,
                    message: "no network".to_owned(),
                    settings: (dice.roll(2) == 1).then(PushSettings::default),
                },
                _ => InputKind::Published { step, epoch, publication: publication(commit) },
            }
        }
        Effect::EnsureCommit { step, code, parent, .. } => {
            let (step, code, parent) = (step.clone(), code.clone(), parent.clone());
            match dice.roll(6) {
                5 => {
                    let message = "refused".to_owned();
                    InputKind::CommitRefused { step, code, parent, message }
                }
                _ => {
                    let commit = commit(&code, &parent);
                    InputKind::Committed { step, code, parent, commit }
                }
            }
        }
        Effect::Adopt { step, epoch, .. } => {
            if dice.roll(4) == 3 {
                world.change();
            }
            let untouched = dice.roll(3) != 2;
            let (step, epoch, snapshot) = (step.clone(), *epoch, world.observe());
            InputKind::Adopted { step, epoch, snapshot, untouched }
        }
        Effect::LookAtBlocker { blocker, look, .. } => {
            let broken = (dice.roll(3) == 2).then(|| "no".to_owned());
            let report = VerifyReport { broken, ..VerifyReport::empty() };
            InputKind::BlockerLookedAt { blocker: *blocker, look: *look, report: Box::new(report) }
        }
        Effect::ProveCold { proof, .. } => {
            let report = Box::new(looked_at_cold(state, dice));
            InputKind::ColdProved { proof: *proof, report }
        }
        Effect::Wake { key, at } => {
            if dice.roll(4) != 3 {
                *now = (*now).max(*at);
            }
            InputKind::TimerFired { key: key.clone() }
        }
    }
}

fn looked_at_cold(state: &RunState, dice: &mut Dice) -> VerifyReport {
    match dice.roll(12) {
        0..=6 => cold_report(state, |_, wanted| wanted),
        7..=9 => {
            let fails = dice.roll(3);
            cold_report(state, |position, wanted| match (position == fails, wanted) {
                (false, wanted) => wanted,
                (true, Holds::No) => Holds::Yes,
                (true, Holds::Yes | Holds::Unknown) => Holds::No,
            })
        }
        10 => cold_report(state, |_, _| Holds::Unknown),
        _ => VerifyReport { broken: Some("no disk".to_owned()), ..VerifyReport::empty() },
    }
}

/// What is seen on a fresh clone of what has to hold, by its place in the list and what is wanted of it.
pub(crate) fn cold_report(state: &RunState, holds: impl Fn(usize, Holds) -> Holds) -> VerifyReport {
    let checks = state.cold_checks().into_iter().enumerate();
    let proofs = checks.map(|(position, check)| Proof {
        check: CheckId(u32::try_from(position).unwrap()),
        holds: holds(position, check.sign.wanted()),
        strength: Strength::Observed,
        summary: format!("check {position}"),
        excerpt: None,
        evidence: None,
        cached: false,
        took: Span(0),
        cause: None,
    });
    VerifyReport { proofs: proofs.collect(), ..VerifyReport::empty() }
}

/// An entry of the task list of a step; the third is ticked.
pub(crate) fn task(step: &StepId, number: usize) -> Task {
    Task {
        id: format!("{step}-T{number}").as_str().into(),
        title: format!("Task {number}"),
        body: String::new(),
        story: None,
        ticked: number == 2,
    }
}

/// Now and then an agent wants to know something; silence may answer one of the two questions.
fn with_questions(report: VerifyReport, dice: &mut Dice) -> VerifyReport {
    if dice.roll(8) != 7 {
        return report;
    }
    let texts = ["Which format?", "Which password?"];
    let questions =
        texts.iter().take(1 + dice.roll(2)).enumerate().map(|(number, text)| Question {
            id: format!("Q{number}"),
            phase: Phase::Analysis,
            category: "scope".to_owned(),
            question: (*text).to_owned(),
            options: vec![Choice { id: "a".to_owned(), text: "This".to_owned() }],
            recommended: "a".to_owned(),
            rationale: None,
        });
    VerifyReport { questions: questions.collect(), ..report }
}

/// Something that could be an item, known or not, of a step or of whichever takes it.
pub(crate) fn some_item(state: &RunState, dice: &mut Dice) -> NewItem {
    let steps: Vec<StepId> =
        state.plan.foreaches().map(|index| state.plan.step(index).id.clone()).collect();
    let step = match dice.roll(3) {
        0 if !steps.is_empty() => Some(steps[dice.roll(steps.len())].clone()),
        _ => None,
    };
    let number = dice.roll(4);
    let title = if dice.roll(9) == 8 { String::new() } else { format!("Item {number}") };
    let body = "words".repeat(dice.roll(2));
    let story = (dice.roll(2) == 1).then(|| story(dice));
    NewItem { id: format!("I{number}").as_str().into(), title, body, story, step }
}

/// A story that may depend on others.
fn story(dice: &mut Dice) -> Story {
    let criteria = vec![AcceptanceCriterion { id: "AC1".to_owned(), text: "It is so".to_owned() }];
    let needs = (dice.roll(3) == 2).then(|| format!("I{}", dice.roll(4)).as_str().into());
    let depends_on = needs.into_iter().collect();
    let (size, security) = (Size::M, dice.roll(2) == 1);
    Story { size, criteria, security, depends_on, files: Vec::new(), design: None }
}

/// Help that somebody asks for.
pub(crate) fn some_help(dice: &mut Dice) -> NewBlocker {
    let check = BlockerCheck { command: "true".to_owned(), timeout: Span::seconds(5) };
    let check = (dice.roll(2) == 1).then_some(check);
    NewBlocker { message: format!("help {}", dice.roll(3)), severity: Severity::High, check }
}

/// Something that could be different about an item, known or not.
pub(crate) fn some_change(state: &RunState, dice: &mut Dice) -> (ItemId, ItemChange) {
    let known = state.items.len();
    let item = match dice.roll(known + 1) {
        number if number < known => state.items[number].item.id.clone(),
        _ => "nobody".into(),
    };
    let mut change = ItemChange::default();
    match dice.roll(4) {
        0 => change.title = Some("Another title".to_owned()),
        1 => change.wanted = Some(Wanted::Skip { reason: "not needed".to_owned() }),
        2 => change.wanted = Some(Wanted::Reopen),
        _ => change.body = Some("another body".to_owned()),
    }
    (item, change)
}

/// Returns the driver that started an attempt that is running.
pub(crate) fn ran_by(state: &RunState, attempt: &AttemptId) -> Option<Fence> {
    use windlass_core::run::Phase;
    let step = state.step(state.plan.find(&attempt.step)?);
    if let Phase::Running { driver, .. } | Phase::Stopping { driver, .. } = step.phase {
        return Some(driver);
    }
    None
}

pub(crate) fn baseline(snapshot: Snapshot) -> Baseline {
    Baseline { snapshot, files: ContentHash::of(b"{}") }
}

pub(crate) fn commit(code: &ObjectId, parent: &ObjectId) -> ObjectId {
    ContentHash::of(format!("{code} {parent}").as_bytes()).as_str()[..12].into()
}

pub(crate) fn trouble() -> Vec<Trouble> {
    vec![Trouble::HeadMoved { expected: "run".to_owned(), found: "main".to_owned() }]
}

pub(crate) fn publication(commit: &ObjectId) -> Publication {
    Publication {
        remote: "origin".to_owned(),
        pushed: commit.clone(),
        number: Some(7),
        url: None,
        compare_url: None,
        body_file: None,
        notes: Vec::new(),
    }
}

pub(crate) fn ended(outcome: Outcome) -> AttemptReport {
    AttemptReport {
        outcome,
        usage: Usage::default(),
        result: None,
        output: None,
        left_behind: 0,
        trouble: Vec::new(),
        confinement: "none".to_owned(),
        escalation: None,
    }
}

fn attempt_report(dice: &mut Dice, now: Timestamp) -> AttemptReport {
    let limit = |resets_at| Outcome::ProviderLimit { resets_at, message: "limit".to_owned() };
    let failed = |category| Outcome::AgentFailed { category, message: "no".to_owned() };
    let (kind, cost) = (dice.roll(26), dice.roll(30));
    let outcome = match kind {
        0..=8 => Outcome::Exited { code: 0 },
        9 => Outcome::Exited { code: 1 },
        10 | 11 => Outcome::TimedOut,
        12 => Outcome::Idle,
        13 => limit(Some(now.plus(Span::minutes(3)))),
        14 => limit(None),
        15 => Outcome::CouldNotStart { message: "no program".to_owned() },
        16 => Outcome::Cancelled,
        17 => Outcome::Signalled { signal: 9 },
        18 => Outcome::OverLimit { what: "memory".to_owned() },
        19 => Outcome::Held { until: now.plus(Span::minutes(2)), why: "quiet".to_owned() },
        20 | 21 => Outcome::Interrupted { message: "died".to_owned() },
        22 => failed(Category::Infra),
        23 => failed(Category::External),
        24 => Outcome::OverBudget { message: "spent".to_owned() },
        _ => {
            return AttemptReport { trouble: trouble(), ..ended(Outcome::Exited { code: 0 }) };
        }
    };
    // Sevenths of a dollar have no end in decimals: money must survive the journal all the same.
    let cost_usd = (cost > 3).then(|| f64::from(u32::try_from(cost).unwrap()) / 7.0);
    let session = (cost > 10).then(|| format!("session-{cost}"));
    AttemptReport { usage: Usage { cost_usd, session, ..Usage::default() }, ..ended(outcome) }
}

fn verify_report(plan: &PlanStep, dice: &mut Dice, state: &RunState) -> VerifyReport {
    let passes = || report(plan, Holds::Yes, "passed");
    match dice.roll(14) {
        0 => {
            // The same content is the same object, and what a person accepted is not reported again.
            let path = format!("l{}", dice.roll(2));
            let now = Some(["one", "two"][dice.roll(2)].into());
            let seen = state.pins.get(&path) == Some(&now);
            let change = ProtectedChange::of_file(path, now);
            VerifyReport { later: if seen { Vec::new() } else { vec![change] }, ..passes() }
        }
        1..=4 => passes(),
        5 | 6 => report(plan, Holds::No, "failed"),
        7 => report(plan, Holds::No, &"x".repeat(dice.roll(3))),
        8 => VerifyReport { broken: Some("no disk".to_owned()), ..passes() },
        9 => {
            let path = format!("p{}", dice.roll(3));
            let pinned = state.pins.contains_key(&path);
            let change = ProtectedChange::of_file(path, Some("blob".into()));
            VerifyReport { protected: if pinned { Vec::new() } else { vec![change] }, ..passes() }
        }
        10 => VerifyReport { outside_may_write: vec!["x".to_owned()], ..passes() },
        11 | 12 => {
            let files = [vec![], vec!["a/x"], vec!["b/x"], vec!["a/x", "b/y"]];
            let files = files[dice.roll(4)].iter().map(|file| (*file).to_owned()).collect();
            says(plan, "CHANGES", files)
        }
        _ => {
            let mut report = passes();
            for proof in &mut report.proofs {
                proof.holds = [Holds::Yes, Holds::No, Holds::Unknown][dice.roll(3)];
                proof.cause = (dice.roll(2) == 0).then(|| cause(dice));
            }
            report
        }
    }
}

/// Why a check may have failed.
fn cause(dice: &mut Dice) -> Cause {
    let tool = Missing { kind: MissingKind::Tool, name: "frob".to_owned() };
    Cause {
        missing: (dice.roll(3) == 0).then_some(tool),
        without_work: [None, Some(true), Some(false)][dice.roll(3)],
        since_start: dice.roll(5) == 0,
        ..Cause::of(Category::ALL[dice.roll(Category::ALL.len())])
    }
}

/// All checks but the verdict are as they should be.
pub(crate) fn says(plan: &PlanStep, verdict: &str, route_files: Vec<String>) -> VerifyReport {
    let mut report = report(plan, Holds::Yes, "passed");
    let checks = plan.done.as_ref().map(Criterion::checks).unwrap_or_default();
    for check in checks {
        if check.kind.accepts().is_some() {
            let mut proofs = report.proofs.iter_mut();
            proofs.find(|proof| proof.check == check.id).unwrap().holds = Holds::No;
        }
    }
    report.verdict = Some(verdict.to_owned());
    report.route_files = route_files;
    report
}

/// A report on which the criterion as a whole is judged as wanted.
pub(crate) fn report(plan: &PlanStep, wanted: Holds, summary: &str) -> VerifyReport {
    let mut proofs = Vec::new();
    if let Some(criterion) = &plan.done {
        satisfy(criterion, wanted, summary, &mut proofs);
    }
    let papers = vec!["specs/x.md".to_owned()];
    VerifyReport { proofs, papers, ..VerifyReport::empty() }
}

fn satisfy(criterion: &Criterion, wanted: Holds, summary: &str, proofs: &mut Vec<Proof>) {
    match criterion {
        Criterion::All(parts) | Criterion::Any(parts) => {
            parts.iter().for_each(|part| satisfy(part, wanted, summary, proofs));
        }
        Criterion::Not(part) => {
            let other = if wanted == Holds::Yes { Holds::No } else { Holds::Yes };
            satisfy(part, other, summary, proofs);
        }
        Criterion::Check(check) => proofs.push(proof(check.id, wanted, summary)),
    }
}

fn proof(check: CheckId, holds: Holds, summary: &str) -> Proof {
    Proof {
        check,
        holds,
        strength: Strength::Observed,
        summary: summary.to_owned(),
        excerpt: None,
        evidence: None,
        cached: false,
        took: Span(1),
        cause: None,
    }
}

/// Something that a person may decide, sensible or not.
pub(crate) fn decision(state: &RunState, world: &mut World, dice: &mut Dice) -> Decision {
    if dice.roll(6) == 5 {
        world.change();
    }
    let observed = world.observe();
    let some_step = |dice: &mut Dice| {
        let steps = &state.plan.steps;
        steps[dice.roll(steps.len())].id.clone()
    };
    match dice.roll(37) {
        33 | 34 => Decision::Answer {
            question: format!("Q{}", dice.roll(2)),
            choice: (dice.roll(3) != 2).then(|| "a".to_owned()),
            text: (dice.roll(3) == 2).then(|| "that".to_owned()),
        },
        35 => Decision::Checkpoint { name: None, observed },
        36 => match dice.roll(4) {
            0 => Decision::WaiveCold { reason: "no network".to_owned() },
            _ => Decision::PublishDraft,
        },
        29 => Decision::MoveItem {
            item: some_change(state, dice).0,
            before: (dice.roll(2) == 1).then(|| some_change(state, dice).0),
        },
        30 => Decision::Block { blocker: some_help(dice) },
        31 | 32 => Decision::Fixed {
            what: (dice.roll(3) == 2).then(|| some_change(state, dice).0.to_string()),
            notes: Some("put right".to_owned()),
        },
        24 | 25 => Decision::AddItem { item: some_item(state, dice) },
        26..=28 => {
            let (item, change) = some_change(state, dice);
            Decision::UpdateItem { item, change }
        }
        0..=5 => {
            let gate = state.gate().map_or(GateId(1), |gate| gate.id);
            let gate = if dice.roll(8) == 7 { GateId(gate.0.wrapping_sub(1)) } else { gate };
            let observed = match state.gate() {
                Some(gate) if dice.roll(3) != 2 => gate.snapshot.clone(),
                Some(_) | None => observed,
            };
            Decision::Approve { gate, message: None, observed, changed: Vec::new() }
        }
        6..=8 => Decision::Feedback { message: "again".to_owned(), observed },
        9..=11 => Decision::Rollback {
            step: some_step(dice),
            message: "again".to_owned(),
            reset_code: dice.roll(2) == 1,
            checkpoint: None,
            observed,
        },
        12 | 13 => {
            let keep = dice.roll(3) == 2;
            Decision::Skip { step: some_step(dice), reason: "not needed".to_owned(), keep }
        }
        14 => Decision::Pause { now: false },
        15 => Decision::Pause { now: true },
        16..=19 => {
            let raise = Raise { attempts: 2, cost_usd: 1.0 / 3.0, wall: Span::minutes(9) };
            Decision::Resume { raise }
        }
        20 | 21 => Decision::RetryReset { step: None },
        22 => Decision::RetryReset { step: Some(some_step(dice)) },
        _ if dice.roll(2) == 1 => Decision::Abort { reason: None },
        _ => Decision::Pause { now: true },
    }
}

/// Returns a number below `sides` that depends on nothing but `what`.
pub(crate) fn pure(seed: u64, what: impl Hash, sides: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, what).hash(&mut hasher);
    hasher.finish() % sides
}
