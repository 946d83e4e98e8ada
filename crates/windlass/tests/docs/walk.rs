//! A run of a built-in workflow without files and programs: what every agent on its way is told.

use std::collections::BTreeMap;

use windlass_core::id::{AttemptId, ContentHash, Fence, ObjectId, RunId, StepId};
use windlass_core::item::{NewItem, Task};
use windlass_core::judgement::{Level, Remark};
use windlass_core::plan::{
    Check, CheckId, Criterion, Holds, Issue, PlanRequest, Publish, StepKind, Strength, ValueType,
};
use windlass_core::platform::{CommandName, PinnedPlatform};
use windlass_core::prompt::prompt;
use windlass_core::proof::{AttemptReport, Blob, Outcome, Proof, Usage, VerifyReport};
use windlass_core::run::{
    Actor, Decision, Effect, Input, InputKind, RunFacts, RunState, decide, outstanding, start,
};
use windlass_core::snapshot::{Baseline, Snapshot};
use windlass_core::story::{AcceptanceCriterion, Size, Story};
use windlass_core::time::{Span, Timestamp};
use windlass_core::workflow::Workflow;

use crate::pages;

/// What becomes of an attempt.
pub(crate) enum Answer {
    /// Everything that is asked of the step holds.
    Holds,
    /// A command fails, and prints this.
    Fails(&'static str),
    /// The judge sends the work back, and finds this.
    SendsBack(&'static str, &'static str),
}

/// What an agent was told.
pub(crate) struct Told {
    pub(crate) attempt: AttemptId,
    pub(crate) prompt: String,
    pub(crate) state: RunState,
}

pub(crate) struct Walk {
    state: RunState,
    now: Timestamp,
    trees: u32,
    told: Vec<Told>,
}

/// The built-in workflows that agents work in, each with its inputs.
pub(crate) const BUILT_IN: [(&str, &[(&str, &str)]); 7] = [
    ("change", &[("test", "npm test")]),
    ("fix", &[("test", "npm test")]),
    ("docs", &[]),
    ("review", &[("files", "src/cart.js")]),
    ("story", &[("refactor", "true")]),
    ("feature", &[("ui_designer", "true"), ("api_architect", "true")]),
    ("autonomous", &[("refactor", "true"), ("devops", "always")]),
];

impl Walk {
    /// Goes through a built-in workflow from its start to its end; `answer` says what becomes of each
    /// attempt.
    pub(crate) fn through(
        workflow: &str,
        inputs: &[(&str, &str)],
        answer: &dyn Fn(&AttemptId) -> Answer,
    ) -> Vec<Told> {
        let mut walk = Self::begin(workflow, inputs);
        for _ in 0..2000 {
            if !walk.step(answer) {
                return walk.told;
            }
        }
        panic!("`{workflow}` does not end");
    }

    fn begin(name: &str, inputs: &[(&str, &str)]) -> Self {
        let text = pages::read(&format!("crates/windlass/workflows/{name}.yaml"));
        let workflow = Workflow::parse(&text, name).expect("a workflow");
        let pairs = inputs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let number = 42;
        let issue = Issue {
            number,
            title: "A discount code can be used twice".to_owned(),
            body: "Enter SPRING twice in the cart: 20 % are taken off instead of 10 %.".to_owned(),
            ..Issue::default()
        };
        let request = PlanRequest {
            goal: issue.goal(),
            issue: Some(issue),
            inputs: pairs.collect(),
            platforms: vec![platform()],
            items: if name == "story" { vec![item()] } else { Vec::new() },
            ..PlanRequest::default()
        };
        let plan = workflow.plan(request).expect("a plan");
        let facts = RunFacts {
            run: RunId::new("k3v9x2ab"),
            branch: "windlass/discount-k3v9x2ab".to_owned(),
            base_name: "main".to_owned(),
            base: "4b825dc642cb6eb9a060e54bf8d69288fbee4904".into(),
            base_tree: "t0".into(),
            place: "/place".to_owned(),
            here: false,
            approved_in_advance: None,
            backend: "claude".to_owned(),
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
        let input = Input { at: now, actor: Actor::person("ann"), kind };
        let (state, _) = start(&input).expect("a run");
        let mut walk = Self { state, now, trees: 0, told: Vec::new() };
        walk.feed(InputKind::DriverTookOver { driver: Fence(1), session: None, boxes: None });
        walk
    }

    fn feed(&mut self, kind: InputKind) {
        self.now = self.now.plus(Span::seconds(5));
        let person = matches!(kind, InputKind::Decided(_));
        let actor = if person { Actor::person("ann") } else { Actor::engine() };
        let input = Input { at: self.now, actor, kind };
        let events = decide(&self.state, &input).unwrap_or_else(|why| panic!("{why}"));
        for event in events {
            self.state.apply(self.now, &event).expect("a legal event");
        }
    }

    /// Does what is to be done next; returns whether there was anything.
    fn step(&mut self, answer: &dyn Fn(&AttemptId) -> Answer) -> bool {
        if let Some(gate) = self.state.gate() {
            let (gate, observed) = (gate.id, gate.snapshot.clone());
            let decision = Decision::Approve { gate, message: None, observed, changed: Vec::new() };
            self.feed(InputKind::Decided(decision));
            return true;
        }
        outstanding(&self.state).into_iter().any(|effect| self.perform(effect, answer))
    }

    /// Does what an effect asks for; returns whether it is anything of this walk's.
    fn perform(&mut self, effect: Effect, answer: &dyn Fn(&AttemptId) -> Answer) -> bool {
        match effect {
            Effect::EvaluateWhen { step, epoch } => {
                // Agents may ask nothing here, and the pull request is somebody else's page.
                let asks = ["clarify", "clarify-plan", "publish"].contains(&step.as_str());
                self.feed(InputKind::WhenEvaluated { step, epoch, value: Ok(!asks) });
            }
            Effect::ReadTasks { step, epoch } => {
                let file = ".windlass/run/specs/stories.yaml".to_owned();
                self.feed(InputKind::TasksRead { step, epoch, file, tasks: Ok(vec![story()]) });
            }
            Effect::TakeBaseline(request) => {
                let baseline = Baseline { snapshot: self.files(), files: ContentHash::of(b"{}") };
                let (step, epoch) = (request.step, request.epoch);
                self.feed(InputKind::BaselineTaken { step, epoch, baseline });
            }
            Effect::EnsureAttempt { attempt } => self.attempt(attempt, answer),
            Effect::Verify { verification, step, .. } => {
                let number = self.state.step(self.index(&step)).attempts;
                let report = self.report(&AttemptId { step, number }, answer);
                let report = Box::new(report);
                self.feed(InputKind::Verified { verification, report, jitter: 0 });
            }
            Effect::EnsureCommit { step, code, parent, .. } => {
                let commit =
                    ObjectId::new(&ContentHash::of(code.as_str().as_bytes()).as_str()[..40]);
                self.feed(InputKind::Committed { step, code, parent, commit });
            }
            Effect::Adopt { step, epoch, .. } => {
                let (snapshot, untouched) = (self.files(), true);
                self.feed(InputKind::Adopted { step, epoch, snapshot, untouched });
            }
            _ => return false,
        }
        true
    }

    fn attempt(&mut self, attempt: AttemptId, answer: &dyn Fn(&AttemptId) -> Answer) {
        let index = self.index(&attempt.step);
        let text = prompt(&self.state, index, &attempt);
        let state = self.state.clone();
        self.told.push(Told { attempt: attempt.clone(), prompt: text, state });
        let publishes = self.state.plan.step(index).publishes.clone();
        for (key, publish) in publishes {
            if let Publish::Value(kind) = publish {
                let value = published(&key, kind, &answer(&attempt));
                self.feed(InputKind::ContextSet { attempt: attempt.clone(), key, value });
            }
        }
        if self.state.plan.step(index).may_write.is_empty() {
            self.trees += 1;
        }
        let report = AttemptReport {
            outcome: Outcome::Exited { code: 0 },
            usage: Usage::default(),
            result: None,
            output: None,
            left_behind: 0,
            trouble: Vec::new(),
            confinement: String::new(),
            escalation: None,
        };
        let (report, snapshot) = (Box::new(report), self.files());
        let jitter = windlass_core::run::EVEN_CHANCE;
        self.feed(InputKind::AttemptEnded { attempt, report, snapshot, jitter });
    }

    fn report(&self, attempt: &AttemptId, answer: &dyn Fn(&AttemptId) -> Answer) -> VerifyReport {
        let plan = self.state.plan.step(self.index(&attempt.step));
        let works = matches!(plan.kind, StepKind::Agent { .. });
        let answer = if works { answer(attempt) } else { Answer::Holds };
        let mut checks = Vec::new();
        plan.done.iter().for_each(|done| wanted(done, Holds::Yes, &mut checks));
        let mut report = VerifyReport::empty();
        report.changed = vec!["src/cart.js".to_owned(), "test/cart.test.js".to_owned()];
        report.changed_count = 2;
        for (check, wanted) in checks {
            let (holds, excerpt) = match &answer {
                Answer::Fails(excerpt) if check.kind.command().is_some() => {
                    (Holds::No, Some(*excerpt))
                }
                Answer::SendsBack(..) if check.kind.accepts().is_some() => (Holds::No, None),
                Answer::Holds | Answer::Fails(_) | Answer::SendsBack(..) => (wanted, None),
            };
            report.proofs.push(proof(check.id, holds, excerpt));
        }
        if let Answer::SendsBack(verdict, found) = answer {
            report.verdict = Some(verdict.to_owned());
            let (file, line) = (Some("src/cart.js".to_owned()), Some(31));
            let (level, text) = (Level::Blocking, found.to_owned());
            report.remarks = vec![Remark { level, text, file, line }];
        }
        report
    }

    fn index(&self, step: &StepId) -> windlass_core::id::StepIndex {
        self.state.plan.find(step).expect("a step")
    }

    fn files(&self) -> Snapshot {
        let code = format!("t{}", self.trees);
        Snapshot { code: code.as_str().into(), papers: "papers".into() }
    }
}

/// How each check has to stand for the criterion to hold.
fn wanted<'c>(criterion: &'c Criterion, holds: Holds, into: &mut Vec<(&'c Check, Holds)>) {
    match criterion {
        Criterion::All(parts) | Criterion::Any(parts) => {
            parts.iter().for_each(|part| wanted(part, holds, into));
        }
        Criterion::Not(part) => wanted(part, Holds::No, into),
        Criterion::Check(check) => into.push((check, holds)),
    }
}

fn proof(check: CheckId, holds: Holds, excerpt: Option<&str>) -> Proof {
    let evidence = |text: &str| Blob { hash: ContentHash::of(text.as_bytes()), bytes: 120 };
    Proof {
        check,
        holds,
        strength: Strength::Observed,
        summary: match holds {
            Holds::Yes => "it holds".to_owned(),
            Holds::No | Holds::Unknown => "run `npm test` exited with 1".to_owned(),
        },
        excerpt: excerpt.map(str::to_owned),
        evidence: excerpt.map(evidence),
        cached: false,
        took: Span(1200),
        cause: None,
    }
}

/// What an agent publishes that does as it is asked.
fn published(key: &str, kind: ValueType, answer: &Answer) -> serde_json::Value {
    let verdict = match answer {
        Answer::SendsBack(verdict, _) => verdict,
        Answer::Holds | Answer::Fails(_) => "APPROVED",
    };
    let judges = key.ends_with("status");
    match kind {
        ValueType::Boolean => true.into(),
        ValueType::Object if key.ends_with("skip") => serde_json::json!({}),
        ValueType::Object => {
            let fix = serde_json::json!({"type": "backend", "issue": "an order can be paid twice",
                "file": "backend/src/main/java/app/OrderService.java"});
            let fixes = if verdict == "APPROVED" { vec![] } else { vec![fix] };
            serde_json::json!({"status": verdict, "fixes": fixes, "findings": fixes})
        }
        _ if judges => verdict.into(),
        _ => "a value".into(),
    }
}

fn platform() -> PinnedPlatform {
    let mut platform = PinnedPlatform::stand_in();
    platform.pack.display_name = "Node with npm".to_owned();
    platform.pack.test_files = vec!["**/*.test.js".to_owned()];
    let commands = BTreeMap::from([
        (CommandName::Build, "npm run build"),
        (CommandName::Test, "npm test"),
        (CommandName::Lint, "npm run lint"),
        (CommandName::Coverage, "npm run coverage"),
    ]);
    for (name, run) in commands {
        for way in platform.pack.commands.get_mut(&name).into_iter().flatten() {
            run.clone_into(&mut way.run);
        }
    }
    platform
}

/// The story of a run that builds it alone.
fn item() -> NewItem {
    let Task { id, title, body, story, .. } = story();
    NewItem { id, title, body, story, step: None }
}

fn story() -> Task {
    let criterion = |id: &str, text: &str| {
        let (id, text) = (id.to_owned(), text.to_owned());
        AcceptanceCriterion { id, text }
    };
    Task {
        id: "S1".into(),
        title: "A discount code counts once".to_owned(),
        body: "Whoever enters a code twice pays what is asked after the first.".to_owned(),
        story: Some(Story {
            size: Size::S,
            criteria: vec![criterion("AC1", "A code that is entered twice takes off 10 % once")],
            security: true,
            depends_on: Vec::new(),
            files: vec!["src/cart.js".to_owned()],
            design: Some("`addCode` keeps the codes in a set.".to_owned()),
        }),
        ticked: false,
    }
}
