//! A run that is told what happens, from a workflow file on.

use windlass_core::id::{AttemptId, ContentHash, Fence, ObjectId, RunId, StepId};
use windlass_core::plan::{Holds, Issue, PlanRequest, Strength};
use windlass_core::prompt::prompt;
use windlass_core::proof::{AttemptReport, Blob, Outcome, Proof, Usage, VerifyReport};
use windlass_core::run::{
    Actor, ColdCheck, Decision, Effect, Event, Input, InputKind, Presence, RunFacts, RunState,
    decide, outstanding, start,
};
use windlass_core::snapshot::{Baseline, Snapshot};
use windlass_core::time::{Span, Timestamp};
use windlass_core::view::{History, Told};
use windlass_core::workflow::Workflow;

pub(crate) const WORKFLOW: &str = r#"
workflow: change
title: A small change
inputs:
  coverage: {type: integer, default: 70}
protect: ["tests/**"]
steps:
  - id: implement
    title: Implementation
    agent: developer
    task: Make `sum` add. Aim at {inputs.coverage} percent.
    reads:
      - {file: docs/spec.md, as: The specification}
      - {file: docs/style.md, as: Conventions, optional: true}
    may_write: ["src/**"]
    publishes:
      tests.passed: boolean
      implementation.report: "{specs}/implementation.md"
    done:
      all:
        - {file: "{specs}/implementation.md", min_bytes: 10}
        - any:
            - {run: make test}
            - {diff: {only: ["src/**"], max_lines: 200}}
    gate: approval
  - id: docs
    agent: writer
    task: Write it down.
    done: {file: docs/sum.md}
"#;

pub(crate) struct Story {
    state: RunState,
    pub(crate) history: History,
    pub(crate) trail: Vec<Told>,
    now: Timestamp,
}

impl Story {
    pub(crate) fn begin() -> Self {
        Self::with("Fix the sum", WORKFLOW)
    }

    pub(crate) fn with(goal: &str, workflow: &str) -> Self {
        Self::planned(goal, workflow, true)
    }

    /// A run whose last proof is cold, or left out.
    pub(crate) fn planned(goal: &str, workflow: &str, cold: bool) -> Self {
        let workflow = Workflow::parse(workflow, "change.yaml").unwrap();
        let issue =
            Some(Issue { number: 42, title: "Sums are off by one".to_owned(), ..Issue::default() });
        let request = PlanRequest { goal: goal.to_owned(), issue, ..PlanRequest::default() };
        let mut plan = workflow.plan(request).unwrap();
        plan.cold = cold;
        let facts = RunFacts {
            run: RunId::new("k3v9x2ab"),
            branch: "windlass/fix-the-sum-k3v9x2ab".to_owned(),
            base_name: "main".to_owned(),
            base: "base".into(),
            base_tree: "c0".into(),
            place: "/place".to_owned(),
            here: false,
            approved_in_advance: None,
            backend: "command".to_owned(),
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
        };
        let now = Timestamp(1_800_000_000_000);
        let kind = InputKind::Start { plan: Box::new(plan), facts: Box::new(facts) };
        let (state, events) = start(&Input { at: now, actor: Actor::person("ann"), kind }).unwrap();
        let mut story = Self { state, history: History::default(), trail: Vec::new(), now };
        for event in &events {
            story.tell("person:ann", event);
        }
        story.feed(InputKind::DriverTookOver { driver: Fence(1), session: None, boxes: None });
        story.begin_step("implement", "c0");
        story
    }

    pub(crate) fn state(&self) -> &RunState {
        &self.state
    }

    pub(crate) fn prompt(&self, step: &str) -> String {
        let index = self.state.plan.find(&StepId::from(step)).unwrap();
        let number = self.state.step(index).attempts;
        prompt(&self.state, index, &AttemptId { step: step.into(), number })
    }

    pub(crate) fn feed(&mut self, kind: InputKind) {
        self.now = self.now.plus(Span::seconds(5));
        let person = matches!(kind, InputKind::Decided(_) | InputKind::DecidedAt { .. });
        let actor = if person { Actor::person("ann") } else { Actor::engine() };
        let input = Input { at: self.now, actor, kind };
        for event in decide(&self.state, &input).unwrap() {
            self.state.apply(self.now, &event).unwrap();
            self.tell(&input.actor.to_string(), &event);
        }
    }

    fn tell(&mut self, actor: &str, event: &Event) {
        self.history.add(self.now, actor, event);
        let seq = self.trail.len() as u64 + 2;
        let (at, actor, event) = (self.now, actor.to_owned(), event.clone());
        self.trail.push(Told { seq, at, actor, event });
    }

    pub(crate) fn begin_step(&mut self, step: &str, code: &str) {
        let epoch = self.state.step(self.state.plan.find(&step.into()).unwrap()).epoch;
        let baseline = Baseline { snapshot: files(code), files: ContentHash::of(b"{}") };
        self.feed(InputKind::BaselineTaken { step: step.into(), epoch, baseline });
    }

    pub(crate) fn attempt(&mut self, code: &str) {
        let attempt = self.state.running_attempts().next().unwrap();
        let report = AttemptReport {
            outcome: Outcome::Exited { code: 0 },
            usage: Usage {
                cost_usd: Some(0.25),
                input_tokens: Some(1200),
                output_tokens: Some(340),
                model: Some("small-model".to_owned()),
                ..Usage::default()
            },
            result: None,
            output: None,
            left_behind: 1,
            trouble: Vec::new(),
            confinement: "landlock".to_owned(),
            escalation: None,
        };
        let (report, snapshot) = (Box::new(report), files(code));
        self.feed(InputKind::AttemptEnded {
            attempt,
            report,
            snapshot,
            jitter: windlass_core::run::EVEN_CHANCE,
        });
    }

    pub(crate) fn verified(&mut self, report: VerifyReport) {
        let effect = outstanding(&self.state).into_iter().next().unwrap();
        let Effect::Verify { verification, .. } = effect else { panic!("{effect}") };
        self.feed(InputKind::Verified { verification, report: Box::new(report), jitter: 0 });
    }

    /// What has to hold at the end was looked at on a fresh clone.
    pub(crate) fn proved_cold(&mut self, holds: Holds, excerpt: &str) {
        let effect = outstanding(&self.state).into_iter().next().unwrap();
        let Effect::ProveCold { proof: number, .. } = effect else { panic!("{effect}") };
        let evidence = Blob { hash: ContentHash::of(excerpt.as_bytes()), bytes: 27 };
        // Files are as they should be.
        let seen = |check: &ColdCheck| match check.kind.command() {
            Some(_) => holds,
            None => check.sign.wanted(),
        };
        let proofs = (0..).zip(self.state.cold_checks()).map(|(id, check)| Proof {
            excerpt: Some(excerpt.to_owned()),
            evidence: Some(evidence.clone()),
            ..proof(id, seen(&check), "run `make test` exited with 2")
        });
        let report = VerifyReport { proofs: proofs.collect(), ..VerifyReport::empty() };
        self.feed(InputKind::ColdProved { proof: number, report: Box::new(report) });
    }

    pub(crate) fn committed(&mut self) {
        let effect = outstanding(&self.state).into_iter().next().unwrap();
        let Effect::EnsureCommit { step, code, parent, .. } = effect else { panic!("{effect}") };
        let commit = ObjectId::new("c0ffee00c0ffee00c0ffee00");
        self.feed(InputKind::Committed { step, code, parent, commit });
    }

    pub(crate) fn feedback(&mut self, message: &str, code: &str) {
        let (message, observed) = (message.to_owned(), files(code));
        self.feed(InputKind::Decided(Decision::Feedback { message, observed }));
    }

    pub(crate) fn roll_back(&mut self, step: &str, message: &str, code: &str) {
        self.feed(InputKind::Decided(Decision::Rollback {
            step: step.into(),
            message: message.to_owned(),
            reset_code: false,
            checkpoint: None,
            observed: files(code),
        }));
    }

    pub(crate) fn approve(&mut self, code: &str) {
        let decision = self.approval(code);
        self.feed(InputKind::Decided(decision));
    }

    pub(crate) fn approve_from(&mut self, presence: Presence, code: &str) {
        let decision = self.approval(code);
        self.feed(InputKind::DecidedAt { presence, decision });
    }

    fn approval(&self, code: &str) -> Decision {
        let gate = self.state.gate().unwrap().id;
        let (observed, changed) = (files(code), Vec::new());
        let message = Some("looks right".to_owned());
        Decision::Approve { gate, message, observed, changed }
    }
}

fn files(code: &str) -> Snapshot {
    Snapshot { code: code.into(), papers: "papers".into() }
}

fn proof(check: u32, holds: Holds, summary: &str) -> Proof {
    Proof {
        check: windlass_core::plan::CheckId(check),
        holds,
        strength: Strength::Observed,
        summary: summary.to_owned(),
        excerpt: None,
        evidence: None,
        cached: false,
        took: Span(1200),
        cause: None,
    }
}

pub(crate) fn holds() -> VerifyReport {
    let proofs = vec![
        proof(0, Holds::Yes, "file `.windlass/run/specs/implementation.md`: 120 bytes"),
        proof(1, Holds::Yes, "run `make test` exited with 0"),
    ];
    let papers = vec![".windlass/run/specs/implementation.md".to_owned()];
    VerifyReport { proofs, papers, ..VerifyReport::empty() }
}

pub(crate) fn fails(summary: &str, excerpt: &str) -> VerifyReport {
    let evidence = Blob { hash: ContentHash::of(excerpt.as_bytes()), bytes: 27 };
    let failed = Proof {
        excerpt: Some(excerpt.to_owned()),
        evidence: Some(evidence),
        ..proof(1, Holds::No, summary)
    };
    let proofs = vec![proof(0, Holds::Yes, "file is there"), failed, proof(2, Holds::No, "diff")];
    VerifyReport { proofs, ..VerifyReport::empty() }
}
