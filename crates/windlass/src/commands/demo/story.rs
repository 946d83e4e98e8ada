//! The run as a story, told as it happens.

use windlass_core::plan::{StepKind, Strength};
use windlass_core::proof::{Blob, Proof};
use windlass_core::run::{Event, FailedCheck, GateKind, RunState};
use windlass_engine::dispatch::Request;
use windlass_engine::store::blobs::Blobs;

use crate::output::Output;
use crate::render::Paint;

/// The column in which what happened begins.
const MARGIN: usize = 12;

/// How much of a diff or an output is shown.
const MAX_LINES: usize = 14;

/// How much of an agent's output is looked at.
const MAX_BYTES: u64 = 64 << 10;

pub(super) struct Story {
    output: Output,
    paint: Paint,
    blobs: Blobs,
}

impl Story {
    pub(super) fn new(output: Output, blobs: Blobs) -> Self {
        let paint = Paint::new(output.has_colour());
        Self { output, paint, blobs }
    }

    pub(super) fn begin(&mut self, goal: &str) {
        let paint = self.paint;
        self.line(
            &paint.bold("Agents do the work. Windlass accepts a step only on proof it has seen."),
        );
        self.line(
            "In this demo the agents follow a script. One of them lies, then cheats, and only",
        );
        self.line(
            "then does its job. The gates, where a person decides, are answered by the demo.",
        );
        self.line("");
        self.line(&format!("goal: {}", self.paint.bold(goal)));
    }

    /// Tells one event, if it is part of the story.
    pub(super) fn event(&mut self, event: &Event, state: &RunState) {
        match event {
            Event::AttemptStarted { attempt, .. } => {
                let Some(index) = state.plan.find(&attempt.step) else { return };
                let step = state.plan.step(index);
                let (number, of) = (index.0 + 1, state.plan.steps.len());
                let again = match attempt.number {
                    1 => String::new(),
                    number => format!(", attempt {number}"),
                };
                self.line("");
                let title = self.paint.bold(&format!("{number}/{of} {}{again}", step.title));
                self.line(&title);
            }
            Event::AttemptEnded { attempt, report, .. } => {
                let step = state.plan.find(&attempt.step).map(|index| state.plan.step(index));
                let agent = match step.map(|step| &step.kind) {
                    Some(StepKind::Agent { agent, .. }) => agent.as_str(),
                    Some(StepKind::Group | StepKind::Foreach(_)) | None => "agent",
                };
                if let Some(said) = self.first_line(report.output.as_ref()) {
                    self.tell(agent, &format!("“{said}”"));
                }
            }
            Event::StepProven { report, .. } => {
                for proof in &report.proofs {
                    self.proof(proof);
                }
            }
            Event::StepNotProven { failure, .. } => {
                let label = self.paint.bad(&label("NOT PROVEN"));
                self.line(&format!("  {label}{}", failure.summary));
                self.excerpt(&failure.checks);
                self.caption("An agent's word proves nothing. Windlass ran the tests itself, in a tree of its own.");
            }
            Event::StepCommitted { commit, .. } => {
                let short = commit.as_str().get(..10).unwrap_or(commit.as_str());
                self.tell("kept", &format!("commit {short} on the run's branch"));
            }
            Event::GateOpened { gate } => match &gate.kind {
                GateKind::Protected { changes, diff } => {
                    let paths: Vec<&str> = changes.iter().map(|c| c.path.as_str()).collect();
                    let label = self.paint.bad(&label("GATE"));
                    let paths = paths.join(", ");
                    self.line(&format!("  {label}the agent changed what judges it: {paths}"));
                    self.diff(diff.as_ref());
                    self.caption(
                        "A rigged judge is not even run. A person decides what becomes of it.",
                    );
                }
                GateKind::Approval => {
                    let label = self.paint.busy(&label("GATE"));
                    self.line(&format!("  {label}all of it is proven; a person has to accept it"));
                }
            },
            Event::RouteTaken { verdict, target, .. } => {
                let label = self.paint.bad(&label("SENT BACK"));
                self.line(&format!("  {label}{verdict}, so the run goes back to `{target}`"));
                self.caption("Another agent's verdict can send work back. It cannot skip a proof.");
            }
            _ => {}
        }
    }

    /// Tells what the demo's person answers.
    pub(super) fn answer(&mut self, request: &Request) {
        let command = match request {
            Request::Feedback { message } => format!("windlass feedback \"{message}\""),
            Request::Approve { message, .. } => match message {
                Some(message) => format!("windlass approve -m \"{message}\""),
                None => "windlass approve".to_owned(),
            },
            other => format!("{other:?}"),
        };
        let label = self.paint.busy(&label("person"));
        self.line(&format!("  {label}{command}"));
        if let Request::Approve { .. } = request {
            self.caption("An approval counts only for exactly the files that were shown.");
        }
    }

    fn proof(&mut self, proof: &Proof) {
        let strength = match proof.strength {
            Strength::Observed => "observed",
            Strength::Claimed => "claimed",
        };
        let label = self.paint.good(&label("proven"));
        self.line(&format!(
            "  {label}{} {}",
            proof.summary,
            self.paint.dim(&format!("({strength})"))
        ));
    }

    fn excerpt(&mut self, checks: &[FailedCheck]) {
        let lines = checks.iter().filter_map(|check| check.excerpt.as_deref()).flat_map(str::lines);
        for line in lines.take(MAX_LINES) {
            self.line(&format!("  {}{} {line}", label(""), self.paint.dim("|")));
        }
    }

    fn diff(&mut self, diff: Option<&Blob>) {
        let text = diff.map(|blob| self.read(blob)).unwrap_or_default();
        let changed = text.lines().filter(|line| {
            line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
        });
        for line in changed.take(MAX_LINES) {
            let line = match line.starts_with('+') {
                true => self.paint.good(line),
                false => self.paint.bad(line),
            };
            self.line(&format!("  {}{} {line}", label(""), self.paint.dim("|")));
        }
    }

    /// The first thing that an agent said.
    fn first_line(&self, output: Option<&Blob>) -> Option<String> {
        let text = self.read(output?);
        text.lines().next().map(str::to_owned)
    }

    fn read(&self, blob: &Blob) -> String {
        let bytes = self.blobs.get(&blob.hash, MAX_BYTES).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn tell(&mut self, who: &str, text: &str) {
        self.line(&format!("  {}{text}", self.paint.dim(&label(who))));
    }

    /// What is to be learned from what just happened.
    fn caption(&mut self, text: &str) {
        self.line(&format!("  {}{}", label(""), self.paint.bold(&format!("→ {text}"))));
    }

    fn line(&mut self, text: &str) {
        if !self.output.is_json() {
            self.output.data(text);
        }
    }
}

fn label(text: &str) -> String {
    format!("{text:MARGIN$}")
}
