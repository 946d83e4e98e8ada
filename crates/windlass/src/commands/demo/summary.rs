//! What the demo leaves behind: a branch, evidence, a journal, and commands to look around.

use std::fmt::Write as _;

use serde_json::json;
use windlass_core::plan::Strength;
use windlass_core::run::{Event, GateKind, RunStatus};
use windlass_core::view::{History, StatusView, status_view};
use windlass_engine::dispatch::Ended;
use windlass_engine::journal::{AuditReport, Entry, entry};
use windlass_engine::store::{Seq, Store};

use super::scratch::{Scratch, quoted};
use crate::commands::{audit, report};
use crate::error::CommandError;
use crate::render::Paint;
use crate::surroundings::Surroundings;

pub(super) struct Summary<'a> {
    scratch: &'a Scratch,
    status: RunStatus,
    view: StatusView,
    history: History,
    audit: AuditReport,
    commits: Vec<String>,
    counts: Counts,
    took: windlass_core::time::Span,
}

/// What happened in the run, counted in its journal.
#[derive(Default)]
struct Counts {
    not_proven: u64,
    protected_gates: u64,
    feedback: u64,
    rollbacks: u64,
    approvals: u64,
}

impl<'a> Summary<'a> {
    pub(super) fn read(
        surroundings: &Surroundings,
        scratch: &'a Scratch,
        ended: &Ended,
    ) -> Result<Self, CommandError> {
        let run = &ended.state.facts.run;
        let store = surroundings
            .store()?
            .ok_or_else(|| CommandError::failure("the demo's journal is gone"))?;
        let facts = &ended.state.facts;
        let range = format!("{}..{}", facts.base, facts.branch);
        let commits = scratch.git(&["log", "--reverse", "--format=%h %s", &range])?;
        let history = report::history(&store, run)?;
        let last = history.ended_at.unwrap_or(ended.state.now);
        Ok(Self {
            scratch,
            status: ended.status,
            view: status_view(&ended.state),
            took: last.since(ended.state.started_at),
            history,
            audit: audit::look(&store, run)?,
            commits: commits.lines().map(str::to_owned).collect(),
            counts: Counts::read(&store, ended)?,
        })
    }

    /// Whether the journal is what it says.
    pub(super) fn is_clean(&self) -> bool {
        self.audit.ok
    }

    pub(super) fn json(&self) -> serde_json::Value {
        let counts = &self.counts;
        json!({
            "completed": self.status == RunStatus::Completed,
            "run": self.view.run,
            "attempts": self.view.budget.attempts,
            "commits": self.commits,
            "audit": self.audit,
            "story": {
                "not_proven": counts.not_proven,
                "protected_gates": counts.protected_gates,
                "feedback": counts.feedback,
                "rollbacks": counts.rollbacks,
                "approvals": counts.approvals,
            },
            "took_ms": self.took,
            "folder": self.scratch.root(),
            "repository": self.scratch.repository(),
            "windlass": self.scratch.command(),
        })
    }

    pub(super) fn text(&self, colour: bool) -> String {
        let paint = Paint::new(colour);
        let mut text = String::new();
        let words = self.status.words();
        let words = match self.status {
            RunStatus::Completed => paint.good(words),
            _ => paint.bad(words),
        };
        let _ = writeln!(
            text,
            "\n{} in {}: {} steps, {} attempts",
            paint.bold(&words),
            self.took,
            self.view.steps.len(),
            self.view.budget.attempts
        );
        if let Some(detail) = &self.view.run.detail {
            let _ = writeln!(text, "  {detail}");
        }
        let counts = &self.counts;
        let _ = writeln!(
            text,
            "  caught on the way: {}, {}, {}",
            times(counts.not_proven, "claim that did not hold", "claims that did not hold"),
            times(counts.protected_gates, "change to the judge", "changes to the judge"),
            times(counts.rollbacks, "flaw found in review", "flaws found in review"),
        );
        let branch = &self.view.run.branch;
        let _ = writeln!(text, "\n{} {branch}", paint.bold("the branch"));
        for commit in &self.commits {
            let _ = writeln!(text, "  {commit}");
        }
        self.evidence(&mut text, paint);
        self.journal(&mut text, paint);
        self.commands(&mut text, paint);
        text.trim_end().to_owned()
    }

    fn evidence(&self, text: &mut String, paint: Paint) {
        let mut rows = Vec::new();
        for step in &self.view.steps {
            let Some(history) = self.history.steps.get(&step.id) else { continue };
            for entry in history.proofs.iter().filter(|entry| entry.decisive) {
                rows.push((step.id.as_str(), entry));
            }
        }
        let width = rows.iter().map(|(_, e)| e.proof.summary.chars().count()).max().unwrap_or(0);
        let _ = writeln!(text, "\n{}", paint.bold("what each step rests on"));
        for (step, entry) in rows {
            let code = entry.snapshot.code.as_str();
            let _ = writeln!(
                text,
                "  {step:10} {:width$}  {}  {}",
                entry.proof.summary,
                match entry.proof.strength {
                    Strength::Observed => paint.good("observed"),
                    Strength::Claimed => paint.bad("claimed "),
                },
                paint.dim(&format!("on code {}", code.get(..8).unwrap_or(code))),
            );
        }
    }

    fn journal(&self, text: &mut String, paint: Paint) {
        let _ = writeln!(text, "\n{}", paint.bold("the journal"));
        if self.audit.ok {
            let _ = writeln!(
                text,
                "  audit: {}; {} records, chained; {} decisions, decided again with the same result",
                paint.good("ok"),
                self.audit.events,
                self.audit.redecided
            );
        }
        for problem in &self.audit.problems {
            let _ = writeln!(text, "  {} {problem}", paint.bad("problem:"));
        }
    }

    fn commands(&self, text: &mut String, paint: Paint) {
        let windlass = quoted(&self.scratch.command());
        let repository = quoted(&self.scratch.repository());
        let branch = &self.view.run.branch;
        let rows = [
            (format!("{windlass} log"), "everything that happened"),
            (format!("{windlass} proofs --all --output"), "every check and what it printed"),
            (format!("{windlass} report"), "the report, as Markdown"),
            (format!("git -C {repository} log -p {branch}"), "the work"),
            (format!("cat {repository}/.windlass/workflows/greet.yaml"), "the workflow"),
            (format!("rm -rf {}", quoted(self.scratch.root())), "when you have seen enough"),
        ];
        let _ = writeln!(text, "\n{}", paint.bold("look around: these can be pasted"));
        for (command, does) in rows {
            let _ = writeln!(text, "  {command}  {}", paint.dim(&format!("# {does}")));
        }
    }
}

impl Counts {
    fn read(store: &Store, ended: &Ended) -> Result<Self, CommandError> {
        let mut counts = Self::default();
        let run = &ended.state.facts.run;
        for record in store.records(run, Seq(1)).map_err(CommandError::failure)? {
            let record = record.map_err(CommandError::failure)?;
            if let Entry::Event(event) = entry(&record).map_err(CommandError::failure)? {
                counts.add(&event);
            }
        }
        Ok(counts)
    }

    fn add(&mut self, event: &Event) {
        match event {
            Event::StepNotProven { .. } => self.not_proven += 1,
            Event::GateOpened { gate } if matches!(gate.kind, GateKind::Protected { .. }) => {
                self.protected_gates += 1;
            }
            Event::FeedbackGiven { .. } => self.feedback += 1,
            Event::RolledBack { .. } => self.rollbacks += 1,
            Event::GateApproved { in_advance: false, .. } => self.approvals += 1,
            _ => {}
        }
    }
}

fn times(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
