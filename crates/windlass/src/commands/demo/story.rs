//! The run as a story, told as it happens.
//!
//! Each line follows from an event of the journal. The captions say what is to be learned from it,
//! and leave time to read where somebody looks.

use std::time::Duration;

use windlass_core::id::StepId;
use windlass_core::plan::{PlanStep, StepKind, Strength};
use windlass_core::proof::{Blob, Proof, ProtectedChange};
use windlass_core::run::{Event, FailedCheck, Gate, GateKind, RunState};
use windlass_engine::dispatch::Request;
use windlass_engine::store::blobs::Blobs;

use super::stage::Stage;
use crate::lines::{cut, wrap};
use crate::output::Output;
use crate::render::Paint;

/// The column in which what happened begins.
const MARGIN: usize = 12;

/// How much of a diff or an output is shown.
const MAX_LINES: usize = 8;

/// How much of an agent's output is looked at.
const MAX_BYTES: u64 = 64 << 10;

/// How long what an agent said stands alone.
const SAID: Duration = Duration::from_millis(900);

/// The step whose agent lies and cheats.
const IMPLEMENT: &str = "implement";

pub(super) struct Story {
    output: Output,
    paint: Paint,
    blobs: Blobs,
    stage: Stage,
    /// The heading that was told last.
    heading: String,
    /// Whether these captions were told.
    verified: bool,
    passed: bool,
}

impl Story {
    pub(super) fn new(output: Output, blobs: Blobs, stage: Stage) -> Self {
        let paint = Paint::new(output.has_colour());
        Self { output, paint, blobs, stage, heading: String::new(), verified: false, passed: false }
    }

    pub(super) fn begin(&mut self, goal: &str) {
        let first = "Agents do the work. Windlass accepts a step only on proof it has seen.";
        self.line(&self.paint.bold(first));
        let second = "In this demo the agents follow a script. One of them lies, then cheats, and \
                      only then does its job. Everything else is real: the processes, the checks, \
                      the commits, the journal.";
        for line in wrap(second, self.stage.width().min(80)) {
            self.line(&line);
        }
        self.line("");
        self.line(&format!("goal: {}", self.paint.bold(goal)));
        self.stage.rest_for(first.len());
    }

    /// Tells one event, if it is part of the story.
    pub(super) fn event(&mut self, event: &Event, state: &RunState) {
        // What an agent said before it was stopped is no claim.
        if self.stage.is_left() {
            return;
        }
        match event {
            Event::AttemptStarted { attempt, .. } => {
                self.heading(&attempt.step, attempt.number, state);
            }
            Event::AttemptEnded { attempt, report, .. } => {
                let agent = agent(step(&attempt.step, state));
                if let Some(said) = self.last_line(report.output.as_ref()) {
                    self.tell(agent, &format!("“{said}”"));
                    self.stage.rest(SAID);
                }
            }
            Event::VerificationStarted { step, .. } if self.is_first_verified(step) => {
                self.verified = true;
                self.caption(
                    "It says it is done. Windlass runs the tests itself, where no agent can write.",
                );
            }
            Event::StepProven { report, .. } => {
                for proof in &report.proofs {
                    self.proof(proof);
                }
            }
            Event::StepNotProven { failure, .. } => {
                self.bad("NOT PROVEN", &failure.summary);
                self.excerpt(&failure.checks);
                self.caption(
                    "An agent's word proves nothing. It tries again, and is told what failed.",
                );
            }
            Event::StepCommitted { step, commit, .. } => {
                let short = commit.as_str().get(..10).unwrap_or(commit.as_str());
                self.tell("kept", &format!("commit {short} on the run's branch"));
                if step.as_str() == IMPLEMENT && !std::mem::replace(&mut self.passed, true) {
                    self.caption("The same tests, and this time they pass: now the step is done.");
                }
            }
            Event::GateOpened { gate } => self.gate(gate),
            Event::RouteTaken { verdict, target, .. } => {
                self.bad("SENT BACK", &format!("{verdict}, so the run goes back to `{target}`"));
                self.caption("Another agent's verdict can send work back. It cannot skip a proof.");
            }
            _ => {}
        }
    }

    fn is_first_verified(&self, step: &StepId) -> bool {
        step.as_str() == IMPLEMENT && !self.verified
    }

    /// Tells what is answered at a gate, and by whom.
    pub(super) fn answer(&mut self, request: &Request, person: &str) {
        let label = self.paint.busy(&label("person"));
        let (command, caption) = match request {
            Request::Feedback { message, .. } => (
                format!("windlass feedback \"{message}\""),
                "The next attempt has these words in its prompt.",
            ),
            Request::Approve { message, .. } => (
                match message {
                    Some(message) => format!("windlass approve -m \"{message}\""),
                    None => "windlass approve".to_owned(),
                },
                "An approval counts only for exactly the files that were shown.",
            ),
            other => (format!("{other:?}"), ""),
        };
        self.broken(&label, &command);
        self.caption(&format!("{caption} The journal has it from `{person}`."));
    }

    /// The top-level step, and for a team whose work it is.
    fn heading(&mut self, id: &StepId, attempt: u32, state: &RunState) {
        let Some(step) = step(id, state) else { return };
        let top = step.parent.map_or(step, |parent| state.plan.step(parent));
        let tops: Vec<&PlanStep> =
            state.plan.steps.iter().filter(|step| step.parent.is_none()).collect();
        let number = tops.iter().position(|other| other.id == top.id).map_or(0, |index| index + 1);
        let again = if attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
        let heading = format!("{number}/{} {}{again}", tops.len(), top.title);
        // The members of a team share one.
        if self.heading == heading {
            return;
        }
        self.line("");
        self.line(&self.paint.bold(&heading));
        self.heading = heading;
        if step.parent.is_some() {
            // Told while they work: nothing is held up for it.
            self.remark(
                "Two agents work side by side, each in a clone of its own, each on one document.",
            );
        }
    }

    fn gate(&mut self, gate: &Gate) {
        match &gate.kind {
            GateKind::Protected { changes, diff, .. } => {
                let paths = ProtectedChange::all_called(changes);
                self.bad("GATE", &format!("the agent changed what judges it: {paths}"));
                self.diff(diff.as_ref());
                self.caption("It edited the test that judges it. A rigged judge is not even run: windlass stops, and a person decides.");
            }
            GateKind::Route { verdict, target, .. } => {
                let what = format!("the reviewer said {verdict}; back to `{target}`?");
                let label = self.paint.busy(&label("GATE"));
                self.broken(&label, &what);
            }
            GateKind::Approval => {
                let label = self.paint.busy(&label("GATE"));
                self.broken(&label, "all of it is proven; a person has to accept it");
            }
        }
    }

    fn proof(&mut self, proof: &Proof) {
        let strength = match proof.strength {
            Strength::Observed => "(observed)",
            Strength::Claimed => "(claimed)",
        };
        let label = self.paint.good(&label("proven"));
        self.line(&format!("  {label}{} {}", proof.summary, self.paint.dim(strength)));
    }

    fn excerpt(&mut self, checks: &[FailedCheck]) {
        let lines = checks.iter().filter_map(|check| check.excerpt.as_deref()).flat_map(str::lines);
        for line in lines.take(MAX_LINES) {
            self.quote(line);
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
            self.quote(&line);
        }
    }

    /// The last thing that an agent of the script said before its closing word: what it claims.
    fn last_line(&self, output: Option<&Blob>) -> Option<String> {
        let text = self.read(output?);
        text.lines().rfind(|line| *line != "Done.").map(str::to_owned)
    }

    fn read(&self, blob: &Blob) -> String {
        let bytes = self.blobs.get(&blob.hash, MAX_BYTES).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn tell(&mut self, who: &str, text: &str) {
        self.line(&format!("  {}{text}", self.paint.dim(&label(who))));
    }

    fn bad(&mut self, what: &str, text: &str) {
        self.line(&format!("  {}{text}", self.paint.bad(&label(what))));
    }

    fn quote(&mut self, line: &str) {
        self.line(&format!("  {}{} {line}", label(""), self.paint.dim("|")));
    }

    /// A text that goes on below itself.
    fn broken(&mut self, coloured_label: &str, text: &str) {
        let width = self.stage.width().saturating_sub(MARGIN + 2);
        for (index, line) in wrap(text, width).iter().enumerate() {
            let first = if index == 0 { coloured_label } else { &label("") };
            self.line(&format!("  {first}{line}"));
        }
    }

    /// What is to be learned from what just happened, and time to read it.
    fn caption(&mut self, text: &str) {
        self.remark(text);
        self.stage.rest_for(text.len());
    }

    /// A caption that needs no time of its own.
    fn remark(&mut self, text: &str) {
        let width = self.stage.width().saturating_sub(MARGIN + 4);
        for (index, line) in wrap(text, width).iter().enumerate() {
            let arrow = if index == 0 { "→" } else { " " };
            let line = self.paint.bold(&format!("{arrow} {line}"));
            self.line(&format!("  {}{line}", label("")));
        }
    }

    fn line(&mut self, text: &str) {
        if self.output.is_json() {
            return;
        }
        if self.stage.is_terminal() {
            self.output.data(&cut(text, self.stage.width()));
        } else {
            self.output.data(text);
        }
    }
}

fn step<'s>(id: &StepId, state: &'s RunState) -> Option<&'s PlanStep> {
    state.plan.find(id).map(|index| state.plan.step(index))
}

fn agent(step: Option<&PlanStep>) -> &str {
    match step.map(|step| &step.kind) {
        Some(StepKind::Agent { agent, .. }) => agent.as_str(),
        Some(StepKind::Group | StepKind::Foreach(_) | StepKind::PullRequest(_)) | None => "agent",
    }
}

fn label(text: &str) -> String {
    format!("{text:MARGIN$}")
}
