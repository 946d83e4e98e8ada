//! Words for tests of the machine: a plan as a list of steps, and a run that is told what happens.
//!
//! ```text
//! let mut run = Run::of([agent("code"), agent("review").gated()]);
//! run.begins("code");
//! assert_eq!(run.ends("code#1", "c1"), [ended("code#1", "c1"), verification(1, "code", "c1", …)]);
//! ```

mod cold;
mod items;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::id::{
    AttemptId, ContentHash, Fence, GateId, ObjectId, RunId, StepId, StepIndex, VerificationId,
};
use crate::plan::{
    Backoff, BaselinePolicy, Check, CheckId, CheckKind, CommitPolicy, Criterion, Exhausted,
    FailedRoute, FailedTo, GatePolicy, Holds, Limits, Plan, PlanParts, PlanStep, Publish, Rollback,
    Route, Skip, StepKind, StepNetwork, Strength, Suite, ValueType,
};
use crate::proof::{
    AttemptReport, Outcome, Proof, ProtectedChange, RedSuite, Trouble, Usage, VerifyReport,
};
use crate::run::*;
use crate::snapshot::{Baseline, Snapshot};
use crate::time::{Span, Timestamp};

pub(crate) use cold::*;
pub(crate) use items::*;

/// When every test run starts.
pub(crate) const START: Timestamp = Timestamp(1_000_000);

/// The driver of every test run.
pub(crate) const DRIVER: Fence = Fence(0);

/// One step in the making; it needs the step above unless it says otherwise.
#[derive(Clone)]
pub(crate) struct Draft {
    step: PlanStep,
    parent: Option<&'static str>,
    needs: Option<Vec<&'static str>>,
    routes: Vec<NamedRoute>,
    blocks: bool,
}

#[derive(Clone)]
struct NamedRoute {
    verdict: &'static str,
    by_path: Vec<(&'static str, &'static str)>,
    otherwise: &'static str,
    max: u32,
}

/// A step that an agent works on, proven by one command.
pub(crate) fn agent(id: &'static str) -> Draft {
    let kind = StepKind::Agent { agent: "developer".to_owned(), backend: None, model: None };
    Draft {
        step: PlanStep {
            id: id.into(),
            title: id.to_owned(),
            kind,
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
            backoff: Backoff { initial: Span::seconds(40), max: Span::minutes(10) },
            gate: None,
            on: BTreeMap::new(),
            skip: Skip::Never,
            exhausted: Exhausted::Pause,
            waive_keeps: false,
            commit: CommitPolicy::Never,
            done: Some(command()),
            satisfied_ok: false,
            trust_agent: false,
            keeps: false,
            fix: None,
            failed: None,
        },
        parent: None,
        needs: None,
        routes: Vec::new(),
        blocks: false,
    }
}

/// A group of the steps that name it as their parent, without a criterion of its own.
pub(crate) fn group(id: &'static str) -> Draft {
    let mut draft = agent(id);
    draft.step.kind = StepKind::Group;
    draft.step.done = None;
    draft
}

fn command() -> Criterion {
    Criterion::Check(Check {
        id: CheckId(0),
        kind: CheckKind::Run {
            command: "make test".to_owned(),
            folder: None,
            timeout: Span::minutes(5),
            cache: true,
            env: Vec::new(),
            room: Box::default(),
        },
    })
}

/// The tests of `red` and `green` checks.
pub(crate) fn suite() -> Suite {
    Suite {
        command: "make test".to_owned(),
        folder: None,
        timeout: Span::minutes(5),
        cache: true,
        env: Vec::new(),
        room: Box::default(),
        tests: vec!["tests/**".to_owned()],
        report: None,
    }
}

/// The verifier saw that the tests fail, as they should.
pub(crate) fn fail_as_they_should() -> VerifyReport {
    let suite =
        RedSuite { command: String::new(), folder: None, ran: 0, failing: None, passed: false };
    VerifyReport { red: vec![suite], ..holds() }
}

fn verdict_check() -> Criterion {
    Criterion::Check(Check {
        id: CheckId(0),
        kind: CheckKind::Verdict {
            expr: ".context.review.status".to_owned(),
            accept: vec!["APPROVED".to_owned()],
            strength: Strength::Observed,
        },
    })
}

impl Draft {
    pub(crate) fn inside(mut self, parent: &'static str) -> Self {
        self.parent = Some(parent);
        self
    }

    pub(crate) fn needs<const N: usize>(mut self, needs: [&'static str; N]) -> Self {
        self.needs = Some(needs.to_vec());
        self
    }

    pub(crate) fn when(mut self, expression: &str) -> Self {
        self.step.when = Some(expression.to_owned());
        self
    }

    pub(crate) fn task(mut self, task: &str) -> Self {
        self.step.task = task.to_owned();
        self
    }

    pub(crate) fn retries(mut self, retries: u32) -> Self {
        self.step.retries = retries;
        self
    }

    pub(crate) fn exhausted(mut self, policy: Exhausted) -> Self {
        self.step.exhausted = policy;
        self
    }

    pub(crate) fn gated(mut self) -> Self {
        self.step.gate = Some(GatePolicy::Approval);
        self
    }

    /// Windlass itself does the step.
    pub(crate) fn of_kind(mut self, kind: StepKind) -> Self {
        self.step.kind = kind;
        self
    }

    pub(crate) fn commits(mut self) -> Self {
        self.step.commit = CommitPolicy::Wip;
        self
    }

    pub(crate) fn proven_by_command(mut self) -> Self {
        self.step.done = Some(command());
        self
    }

    /// The step is proven by tests that fail.
    pub(crate) fn red(mut self) -> Self {
        let kind = CheckKind::Red(suite());
        self.step.done = Some(Criterion::Check(Check { id: CheckId(0), kind }));
        self
    }

    /// The step is proven by those tests, which pass.
    pub(crate) fn green(mut self) -> Self {
        let kind = CheckKind::Green(suite());
        self.step.done = Some(Criterion::Check(Check { id: CheckId(0), kind }));
        self
    }

    /// Nobody works on the step: it only proves its command, and goes back where that fails.
    pub(crate) fn verifies(mut self, failed: Option<(FailedTo, u32)>) -> Self {
        self.step.kind = StepKind::Group;
        self.step.failed = failed.map(|(to, max)| FailedRoute { to, max });
        self
    }

    /// Another command besides, which no try may break.
    pub(crate) fn keeps(mut self) -> Self {
        let Criterion::Check(check) = command() else { return self };
        let done = Criterion::Check(Check { id: CheckId(1), ..check });
        (self.step.keeps, self.step.done) = (true, Some(Criterion::All(vec![command(), done])));
        self
    }

    pub(crate) fn satisfied_ok(mut self) -> Self {
        self.step.satisfied_ok = true;
        self
    }

    /// The step is a spoke, which works in a place of its own.
    pub(crate) fn writes(mut self, file: &str) -> Self {
        self.step.writes = vec![file.to_owned()];
        self
    }

    pub(crate) fn waive_keeps(mut self) -> Self {
        self.step.waive_keeps = true;
        self
    }

    pub(crate) fn may_be_skipped(mut self) -> Self {
        self.step.skip = Skip::Allowed;
        self
    }

    pub(crate) fn sets(mut self, key: &str, kind: ValueType) -> Self {
        self.step.publishes.insert(key.to_owned(), Publish::Value(kind));
        self
    }

    pub(crate) fn publishes(mut self, key: &str, path: &str) -> Self {
        self.step.publishes.insert(key.to_owned(), Publish::Path(path.to_owned()));
        self
    }

    /// Its routes wait for a person.
    pub(crate) fn blocking(mut self) -> Self {
        self.blocks = true;
        self
    }

    /// The step is judged by a verdict; `verdict` leads back by path, else to `otherwise`.
    pub(crate) fn route<const N: usize>(
        mut self,
        verdict: &'static str,
        by_path: [(&'static str, &'static str); N],
        otherwise: &'static str,
        max: u32,
    ) -> Self {
        self.step.done = Some(verdict_check());
        let by_path = by_path.to_vec();
        self.routes.push(NamedRoute { verdict, by_path, otherwise, max });
        self
    }
}

/// Makes a plan with a budget that no test reaches by accident.
pub(crate) fn plan(drafts: impl IntoIterator<Item = Draft>) -> Plan {
    let drafts: Vec<Draft> = drafts.into_iter().collect();
    let find = |name: &str| {
        let position = drafts.iter().position(|draft| draft.step.id.as_str() == name);
        StepIndex(u32::try_from(position.expect("the plan has the step")).unwrap())
    };
    let steps = drafts.iter().enumerate().map(|(position, draft)| {
        let mut step = draft.step.clone();
        step.parent = draft.parent.map(find);
        step.needs = match (&draft.needs, position) {
            (Some(names), _) => names.iter().map(|name| find(name)).collect(),
            (None, 0) => Vec::new(),
            (None, _) => vec![StepIndex(u32::try_from(position - 1).unwrap())],
        };
        for NamedRoute { verdict, by_path, otherwise, max } in &draft.routes {
            let by_path =
                by_path.iter().map(|(glob, name)| ((*glob).to_owned(), find(name))).collect();
            let rollback = Rollback {
                files: None,
                by_path,
                types: None,
                by_type: Vec::new(),
                otherwise: find(otherwise),
            };
            step.on
                .insert((*verdict).to_owned(), Route { rollback, max: *max, block: draft.blocks });
        }
        step
    });
    Plan::from(PlanParts {
        workflow: "test".to_owned(),
        title: "Test".to_owned(),
        source: ContentHash::of(b"test"),
        goal: "a goal".to_owned(),
        issue: None,
        inputs: BTreeMap::new(),
        limits: Limits { cost_usd: 1e6, wall: Span::hours(1000), attempts: 1000 },
        prepare: Vec::new(),
        carry: Vec::new(),
        protect: Vec::new(),
        recheck: None,
        baseline: BaselinePolicy::Strict,
        // Most tests end with the last step; those of the cold proof turn it on.
        cold: false,
        worst_case_attempts: 0,
        roles: BTreeMap::new(),
        mcp: BTreeMap::new(),
        platforms: Vec::new(),
        unchecked: Vec::new(),
        items: Vec::new(),
        steps: steps.collect(),
    })
}

fn facts() -> RunFacts {
    RunFacts {
        run: RunId::new("testrun0"),
        branch: "windlass/test".to_owned(),
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
        version: "test".to_owned(),
        failure_rules: Vec::new(),
        services: Vec::new(),
        push_settings: None,
        questions_wait: None,
        base_record: None,
        no_cold: None,
        commits: crate::plan::CommitStyle::default(),
    }
}

/// A run that is told what happens and answers with the events that follow.
///
/// After every input it checks that a replay of the journal gives the same state.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) state: RunState,
    pub(crate) first: Vec<Event>,
    /// When the next input happens.
    pub(crate) at: Timestamp,
    journal: Vec<(Timestamp, Event)>,
}

impl Run {
    /// Starts a run over these items.
    pub(crate) fn over(
        items: impl IntoIterator<Item = crate::item::NewItem>,
        drafts: impl IntoIterator<Item = Draft>,
    ) -> Self {
        let mut plan = plan(drafts);
        plan.items = items.into_iter().collect();
        Self::start(plan, facts())
    }

    pub(crate) fn of(drafts: impl IntoIterator<Item = Draft>) -> Self {
        Self::start(plan(drafts), facts())
    }

    /// A run whose gates somebody approved with `--yes`.
    pub(crate) fn approved_in_advance(drafts: impl IntoIterator<Item = Draft>) -> Self {
        let facts = RunFacts { approved_in_advance: Some("ann".to_owned()), ..facts() };
        Self::start(plan(drafts), facts)
    }

    pub(crate) fn limited(drafts: impl IntoIterator<Item = Draft>, limits: Limits) -> Self {
        let mut plan = plan(drafts);
        plan.limits = limits;
        Self::start(plan, facts())
    }

    fn start(plan: Plan, facts: RunFacts) -> Self {
        let kind = InputKind::Start { plan: Box::new(plan), facts: Box::new(facts) };
        let input = Input { at: START, actor: Actor::person("ann"), kind };
        let (state, events) = start(&input).expect("a start starts");
        let journal = events.iter().map(|event| (START, event.clone())).collect();
        let mut run = Self { state, first: events[1..].to_vec(), at: START, journal };
        if run.state.is_ended() {
            return run;
        }
        run.first =
            run.expect(InputKind::DriverTookOver { driver: DRIVER, session: None, boxes: None })
                [1..]
                .to_vec();
        run
    }

    /// Feeds an input and applies what follows.
    pub(crate) fn feed(&mut self, kind: InputKind) -> Result<Vec<Event>, Rejected> {
        let asked = matches!(kind, InputKind::Decided(_) | InputKind::DecidedAt { .. });
        let actor = if asked { Actor::person("ann") } else { Actor::engine() };
        self.told(actor, kind)
    }

    fn told(&mut self, actor: Actor, kind: InputKind) -> Result<Vec<Event>, Rejected> {
        let events = decide(&self.state, &Input { at: self.at, actor, kind })?;
        for event in &events {
            self.state.apply(self.at, event).expect("what was decided can be applied");
            self.journal.push((self.at, event.clone()));
        }
        let mut replayed = RunState::begin(START, &self.journal[0].1).unwrap();
        for (at, event) in &self.journal[1..] {
            replayed.apply(*at, event).unwrap();
        }
        assert_eq!(replayed, self.state, "a replay gives the live state");
        Ok(events)
    }

    /// Feeds an input that is taken.
    pub(crate) fn expect_fed(&mut self, kind: InputKind) -> Vec<Event> {
        self.expect(kind)
    }

    pub(crate) fn planned(plan: Plan) -> Self {
        Self::start(plan, facts())
    }

    fn expect(&mut self, kind: InputKind) -> Vec<Event> {
        let shown = format!("{kind:?}");
        self.feed(kind).unwrap_or_else(|rejected| panic!("{shown}: {rejected}"))
    }

    pub(crate) fn later(&mut self, span: Span) -> &mut Self {
        self.at = self.at.plus(span);
        self
    }

    pub(crate) fn index(&self, step: &str) -> StepIndex {
        self.state.plan.find(&step.into()).expect("the plan has the step")
    }

    pub(crate) fn step(&self, step: &str) -> &StepState {
        self.state.step(self.index(step))
    }

    pub(crate) fn status_of(&self, step: &str) -> StepStatus {
        self.state.step_status(self.index(step))
    }

    pub(crate) fn outstanding(&self) -> Vec<Effect> {
        outstanding(&self.state).into_iter().collect()
    }

    pub(crate) fn when(&mut self, step: &str, value: Result<bool, &str>) -> Vec<Event> {
        let epoch = self.step(step).epoch;
        let value = value.map_err(str::to_owned);
        self.expect(InputKind::WhenEvaluated { step: step.into(), epoch, value })
    }

    /// The files that the step begins from are those that were last seen.
    pub(crate) fn begins(&mut self, step: &str) -> Vec<Event> {
        let code = self.state.latest.as_ref().map_or("c0", |files| files.code.as_str()).to_owned();
        self.begins_from(step, &code)
    }

    pub(crate) fn begins_from(&mut self, step: &str, code: &str) -> Vec<Event> {
        let epoch = self.step(step).epoch;
        let baseline = baseline(code);
        self.expect(InputKind::BaselineTaken { step: step.into(), epoch, baseline })
    }

    pub(crate) fn ends(&mut self, attempt: &str, code: &str) -> Vec<Event> {
        self.ends_with(attempt, code, Outcome::Exited { code: 0 })
    }

    pub(crate) fn ends_with(&mut self, attempt: &str, code: &str, how: Outcome) -> Vec<Event> {
        self.reports(attempt, code, report(how))
    }

    pub(crate) fn reports(
        &mut self,
        attempt: &str,
        code: &str,
        report: AttemptReport,
    ) -> Vec<Event> {
        self.expect(InputKind::AttemptEnded {
            attempt: attempt_id(attempt),
            report: Box::new(report),
            snapshot: files(code),
            jitter: EVEN_CHANCE,
        })
    }

    pub(crate) fn loses(&mut self, attempt: &str, code: &str) -> Vec<Event> {
        self.loses_with(attempt, code, Vec::new())
    }

    pub(crate) fn loses_with(
        &mut self,
        attempt: &str,
        code: &str,
        trouble: Vec<Trouble>,
    ) -> Vec<Event> {
        let attempt = attempt_id(attempt);
        self.expect(InputKind::lost(attempt, files(code), trouble))
    }

    pub(crate) fn verifies(&mut self, report: VerifyReport) -> Vec<Event> {
        let verification = VerificationId(self.state.verifications);
        let report = Box::new(report);
        self.expect(InputKind::Verified { verification, report, jitter: 1000 })
    }

    /// What the spoke wrote is brought over, and the place is as `code` says.
    pub(crate) fn adopts(&mut self, step: &str, code: &str) -> Vec<Event> {
        self.adopted(step, code, true)
    }

    /// Like [`Self::adopts`], after somebody else had changed the place.
    pub(crate) fn adopts_touched(&mut self, step: &str, code: &str) -> Vec<Event> {
        self.adopted(step, code, false)
    }

    fn adopted(&mut self, step: &str, code: &str, untouched: bool) -> Vec<Event> {
        let (epoch, snapshot) = (self.step(step).epoch, files(code));
        self.expect(InputKind::Adopted { step: step.into(), epoch, snapshot, untouched })
    }

    /// What is outstanding, by name.
    pub(crate) fn effects(&self) -> Vec<String> {
        self.outstanding().iter().map(ToString::to_string).collect()
    }

    pub(crate) fn commits(&mut self, step: &str, commit: &str) -> Vec<Event> {
        let (code, parent) = self.commit_asked_for();
        let commit = commit.into();
        self.expect(InputKind::Committed { step: step.into(), code, parent, commit })
    }

    pub(crate) fn refuses_commit(&mut self, step: &str, message: &str) -> Vec<Event> {
        let (code, parent) = self.commit_asked_for();
        let message = message.to_owned();
        self.expect(InputKind::CommitRefused { step: step.into(), code, parent, message })
    }

    fn commit_asked_for(&self) -> (ObjectId, ObjectId) {
        let effects = self.outstanding();
        let [Effect::EnsureCommit { code, parent, .. }] = &effects[..] else {
            panic!("no commit is outstanding: {effects:?}")
        };
        (code.clone(), parent.clone())
    }

    pub(crate) fn timer(&mut self, step: &str) -> Vec<Event> {
        self.expect(InputKind::TimerFired { key: TimerKey::Wait(step.into()) })
    }

    pub(crate) fn sets(
        &mut self,
        attempt: &str,
        key: &str,
        value: Value,
    ) -> Result<Vec<Event>, Rejected> {
        let attempt = attempt_id(attempt);
        self.feed(InputKind::ContextSet { attempt, key: key.to_owned(), value })
    }

    pub(crate) fn decides(&mut self, decision: Decision) -> Vec<Event> {
        self.expect(InputKind::Decided(decision))
    }

    pub(crate) fn refuses(&mut self, decision: Decision) -> Rejected {
        self.feed(InputKind::Decided(decision)).expect_err("the decision is refused")
    }

    /// The step begins, its first open attempt leaves `code`, and the verifier says yes.
    pub(crate) fn proves(&mut self, step: &str, code: &str) -> Vec<Event> {
        if matches!(self.step(step).phase, Phase::Beginning) {
            self.begins(step);
        }
        let attempt = format!("{step}#{}", self.step(step).attempts);
        self.ends(&attempt, code);
        self.verifies(holds())
    }

    /// The attempt that runs leaves `code`, and the verifier says no, in other words each time.
    pub(crate) fn fails(&mut self, attempt: &str, code: &str) -> Vec<Event> {
        self.ends(attempt, code);
        let verification = self.state.verifications;
        let word = char::from(b'a' + u8::try_from(verification % 26).unwrap());
        self.verifies(fails(&format!("broke {word}")))
    }
}

pub(crate) fn files(code: &str) -> Snapshot {
    Snapshot { code: code.into(), papers: "papers".into() }
}

pub(crate) fn baseline(code: &str) -> Baseline {
    Baseline { snapshot: files(code), files: ContentHash::of(b"{}") }
}

pub(crate) fn attempt_id(text: &str) -> AttemptId {
    text.parse().expect("`step#number`")
}

pub(crate) fn report(outcome: Outcome) -> AttemptReport {
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

pub(crate) fn head_moved() -> Vec<Trouble> {
    vec![Trouble::HeadMoved { expected: "run".to_owned(), found: "main".to_owned() }]
}

/// The verifier saw that the check holds.
pub(crate) fn holds() -> VerifyReport {
    VerifyReport {
        proofs: vec![proof(Holds::Yes, "`make test` passed")],
        changed: Vec::new(),
        changed_count: 0,
        outside_may_write: Vec::new(),
        protected: Vec::new(),
        protected_diff: None,
        later: Vec::new(),
        later_diff: None,
        verdict: None,
        route_files: Vec::new(),
        route_findings: Vec::new(),
        remarks: Vec::new(),
        criteria: Vec::new(),
        red: Vec::new(),
        papers: Vec::new(),
        questions: Vec::new(),
        stories: Vec::new(),
        elsewhere: Vec::new(),
        moved_on: None,
        broken: None,
    }
}

/// The verifier saw that the check does not hold.
pub(crate) fn fails(why: &str) -> VerifyReport {
    VerifyReport { proofs: vec![proof(Holds::No, why)], ..holds() }
}

/// The verifier saw that what the step keeps holds, or not, and that the rest does not.
pub(crate) fn fails_and_keeps(kept: Holds) -> VerifyReport {
    let rest = Proof { check: CheckId(1), ..proof(Holds::No, "lint") };
    VerifyReport { proofs: vec![proof(kept, "tests"), rest], ..holds() }
}

/// The verifier saw that both hold.
pub(crate) fn holds_and_keeps() -> VerifyReport {
    let rest = Proof { check: CheckId(1), ..proof(Holds::Yes, "lint") };
    VerifyReport { proofs: vec![proof(Holds::Yes, "tests"), rest], ..holds() }
}

/// The verifier could not do its work.
pub(crate) fn broken() -> VerifyReport {
    VerifyReport { broken: Some("no disk".to_owned()), proofs: Vec::new(), ..holds() }
}

/// The judge said something that is not accepted.
pub(crate) fn says<const N: usize>(verdict: &str, files: [&str; N]) -> VerifyReport {
    VerifyReport {
        verdict: Some(verdict.to_owned()),
        route_files: files.map(str::to_owned).to_vec(),
        ..fails(verdict)
    }
}

/// A protected file is not as pinned.
pub(crate) fn protected() -> VerifyReport {
    VerifyReport { protected: changes(), ..holds() }
}

pub(crate) fn changes() -> Vec<ProtectedChange> {
    vec![ProtectedChange::of_file("Makefile".to_owned(), Some("blob".into()))]
}

fn proof(holds: Holds, summary: &str) -> Proof {
    Proof {
        check: CheckId(0),
        holds,
        strength: Strength::Observed,
        summary: summary.to_owned(),
        excerpt: None,
        evidence: None,
        cached: false,
        took: Span(0),
        cause: None,
    }
}

pub(crate) fn test_failure(why: &str) -> Failure {
    let check = FailedCheck { summary: why.to_owned(), excerpt: None, evidence: None, cause: None };
    Failure::new(Category::Test, why.to_owned(), vec![check])
}

// Decisions.

pub(crate) fn approve(gate: u32, code: &str) -> Decision {
    let (observed, changed) = (files(code), Vec::new());
    Decision::Approve { gate: GateId(gate), message: None, observed, changed }
}

pub(crate) fn feedback(message: &str, code: &str) -> Decision {
    Decision::Feedback { message: message.to_owned(), observed: files(code) }
}

pub(crate) fn rollback(step: &str, code: &str) -> Decision {
    let (step, message) = (step.into(), "again".to_owned());
    Decision::Rollback { step, message, reset_code: false, checkpoint: None, observed: files(code) }
}

pub(crate) fn rollback_with_code(step: &str, code: &str) -> Decision {
    let (step, message) = (step.into(), "again".to_owned());
    Decision::Rollback { step, message, reset_code: true, checkpoint: None, observed: files(code) }
}

pub(crate) fn skip(step: &str) -> Decision {
    Decision::Skip { step: step.into(), reason: "not needed".to_owned(), keep: false }
}

pub(crate) const PAUSE: Decision = Decision::Pause { now: false };
pub(crate) const PAUSE_NOW: Decision = Decision::Pause { now: true };
pub(crate) const ABORT: Decision = Decision::Abort { reason: None };
pub(crate) const RESUME: Decision =
    Decision::Resume { raise: Raise { attempts: 0, cost_usd: 0.0, wall: Span(0) } };

pub(crate) fn retry(step: &str) -> Decision {
    Decision::RetryReset { step: Some(step.into()) }
}

// Events.

pub(crate) fn taken(step: &str) -> Event {
    Event::StepTaken { step: step.into() }
}

pub(crate) fn began(step: &str, code: &str) -> Event {
    Event::StepBegan { step: step.into(), baseline: baseline(code) }
}

pub(crate) fn started(attempt: &str, try_number: u32) -> Event {
    Event::AttemptStarted {
        attempt: attempt_id(attempt),
        try_number,
        driver: DRIVER,
        resumes: None,
        boxed: None,
    }
}

pub(crate) fn ended(attempt: &str, code: &str) -> Event {
    ended_with(attempt, code, Outcome::Exited { code: 0 })
}

pub(crate) fn ended_with(attempt: &str, code: &str, outcome: Outcome) -> Event {
    let (attempt, report) = (attempt_id(attempt), Box::new(report(outcome)));
    Event::AttemptEnded { attempt, report, snapshot: files(code) }
}

pub(crate) fn lost(attempt: &str, code: &str) -> Event {
    let attempt = attempt_id(attempt);
    Event::AttemptLost {
        attempt,
        snapshot: files(code),
        trouble: Vec::new(),
        usage: crate::proof::Usage::default(),
        last_seen: None,
        boxed: None,
    }
}

pub(crate) fn verification(id: u32, step: &str, code: &str, reason: VerifyReason) -> Event {
    let verification = VerificationId(id);
    Event::VerificationStarted { verification, step: step.into(), snapshot: files(code), reason }
}

pub(crate) fn proven(step: &str, code: &str) -> Event {
    Event::StepProven { step: step.into(), snapshot: files(code), report: Box::new(holds()) }
}

/// The check failed, which costs a try.
pub(crate) fn not_proven(step: &str, why: &str) -> Event {
    let (failure, report) = (test_failure(why), Some(Box::new(fails(why))));
    Event::StepNotProven {
        step: step.into(),
        failure,
        report,
        costs_try: true,
        of_surroundings: false,
    }
}

/// The check failed, which costs no try.
pub(crate) fn not_proven_for_free(step: &str, why: &str) -> Event {
    let (failure, report) = (test_failure(why), Some(Box::new(fails(why))));
    Event::StepNotProven {
        step: step.into(),
        failure,
        report,
        costs_try: false,
        of_surroundings: false,
    }
}

pub(crate) fn done(step: &str) -> Event {
    Event::StepDone { step: step.into() }
}

pub(crate) fn skipped(step: &str, reason: &str) -> Event {
    Event::StepSkipped { step: step.into(), reason: reason.to_owned(), kept: true }
}

pub(crate) fn waits(step: &str, until: Timestamp, limit: bool) -> Event {
    Event::WaitStarted { step: step.into(), until, limit }
}

pub(crate) fn failed(step: &str) -> Event {
    Event::StepFailed { step: step.into() }
}

pub(crate) fn paused(reason: PauseReason, detail: &str) -> Event {
    Event::RunPaused { reason, detail: detail.to_owned() }
}

pub(crate) fn resumed() -> Event {
    Event::RunResumed { raise: Raise::default() }
}

pub(crate) fn gate(id: u32, step: &str, code: &str) -> Event {
    let (id, kind) = (GateId(id), GateKind::Approval);
    Event::GateOpened { gate: Gate { id, step: step.into(), kind, snapshot: files(code) } }
}

pub(crate) fn protected_gate(id: u32, step: &str, code: &str) -> Event {
    let (id, kind) =
        (GateId(id), GateKind::Protected { changes: changes(), diff: None, late: false });
    Event::GateOpened { gate: Gate { id, step: step.into(), kind, snapshot: files(code) } }
}

pub(crate) fn approved(gate: u32) -> Event {
    let (gate, by) = (GateId(gate), "ann".to_owned());
    Event::GateApproved { gate, by, message: None, in_advance: false, presence: None }
}

pub(crate) fn approved_by_yes(gate: u32) -> Event {
    let (gate, by) = (GateId(gate), "ann".to_owned());
    Event::GateApproved { gate, by, message: None, in_advance: true, presence: None }
}

pub(crate) fn stop(attempt: &str, reason: StopReason) -> Event {
    Event::StopRequested { attempt: attempt_id(attempt), reason }
}

pub(crate) fn rolled_back(target: &str, code: &str) -> Event {
    Event::RolledBack {
        target: target.into(),
        by: "ann".to_owned(),
        message: "again".to_owned(),
        files: Vec::new(),
        reset_code: false,
        code: None,
        observed: files(code),
        failure: None,
        presence: None,
    }
}

// Effects.

pub(crate) fn take_baseline(step: &str, epoch: u32) -> Effect {
    Effect::TakeBaseline(BaselineRequest {
        step: step.into(),
        epoch,
        set_aside: Vec::new(),
        reset_code: None,
    })
}

pub(crate) fn ensure(attempt: &str) -> Effect {
    Effect::EnsureAttempt { attempt: attempt_id(attempt) }
}

pub(crate) fn verify(id: u32, step: &str, code: &str) -> Effect {
    Effect::Verify { verification: VerificationId(id), step: step.into(), snapshot: files(code) }
}

/// The ids of a set of steps, for comparing indexes.
pub(crate) fn ids<'a>(
    state: &RunState,
    set: impl IntoIterator<Item = &'a StepIndex>,
) -> BTreeSet<StepId> {
    set.into_iter().map(|index| state.plan.step(*index).id.clone()).collect()
}
