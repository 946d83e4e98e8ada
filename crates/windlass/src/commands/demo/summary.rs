//! What the demo leaves behind: a branch, evidence, a journal, and commands to look around.

use std::fmt::Write as _;

use serde_json::json;
use windlass_core::run::{Event, GateKind, RunStatus};
use windlass_core::view::{StatusView, status_view};
use windlass_engine::dispatch::Ended;
use windlass_engine::journal::{AuditReport, Entry, entry};
use windlass_engine::store::{Seq, Store};

use super::scratch::{Scratch, quoted};
use super::tour::Looked;
use crate::commands::{audit, report};
use crate::error::CommandError;
use crate::render::Paint;
use crate::surroundings::Surroundings;

/// The line above the commands.
const PASTE: &str = "look around yourself: these can be pasted";

/// Longer commands do not move the remarks of the others.
const COMMAND: usize = 42;

pub(super) struct Summary<'a> {
    scratch: &'a Scratch,
    status: RunStatus,
    view: StatusView,
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
    stopped_at: Option<u64>,
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
            .ok_or_else(|| CommandError::failure("the demo's journal is missing"))?;
        let facts = &ended.state.facts;
        // There is a branch once a step with code is proven.
        let branch = format!("refs/heads/{}", facts.branch);
        let commits = match scratch.git(&["for-each-ref", &branch])?.is_empty() {
            true => String::new(),
            false => {
                let range = format!("{}..{branch}", facts.base);
                scratch.git(&["log", "--reverse", "--format=%h %s", &range])?
            }
        };
        let history = report::history(&store, run)?;
        let last = history.ended_at.unwrap_or(ended.state.now);
        Ok(Self {
            scratch,
            status: ended.status,
            view: status_view(&ended.state),
            took: last.since(ended.state.started_at),
            audit: audit::look(&store, run)?,
            commits: commits.lines().map(str::to_owned).collect(),
            counts: Counts::read(&store, ended)?,
        })
    }

    /// Whether the journal is what it says.
    pub(super) fn is_clean(&self) -> bool {
        self.audit.ok
    }

    pub(super) fn json(&self, looked: &[Looked]) -> serde_json::Value {
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
            "looked_at": looked.iter().map(Looked::json).collect::<Vec<_>>(),
            "report": Some(self.scratch.report()).filter(|report| report.is_file()),
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
            "\n{} after {}: {} steps, {} attempts",
            paint.bold(&words),
            self.took,
            self.view.steps.iter().filter(|step| step.depth == 0).count(),
            self.view.budget.attempts
        );
        if let Some(detail) = &self.view.run.detail {
            let _ = writeln!(text, "  {detail}");
        }
        let counts = &self.counts;
        let _ = writeln!(
            text,
            "  caught on the way: {}, {}, {}",
            times(counts.not_proven, "claim that was not true", "claims that were not true"),
            times(counts.protected_gates, "change to the judge", "changes to the judge"),
            times(counts.rollbacks, "flaw found in review", "flaws found in review"),
        );
        let branch = &self.view.run.branch;
        if !self.commits.is_empty() {
            let _ = writeln!(text, "\n{} {branch}", paint.bold("the branch"));
        }
        for commit in &self.commits {
            let _ = writeln!(text, "  {commit}");
        }
        text.trim_end().to_owned()
    }

    /// What comes last: where everything is, and what to do with it.
    pub(super) fn farewell(&self, colour: bool) -> String {
        let mut text = String::new();
        if self.scratch.report().is_file() {
            let _ = writeln!(text, "\nthe report: file://{}", self.scratch.report().display());
        }
        self.commands(&mut text, Paint::new(colour));
        text.trim_end().to_owned()
    }

    /// The event that stopped the run at the rigged test.
    pub(super) fn stopped_at(&self) -> Option<u64> {
        self.counts.stopped_at
    }

    fn commands(&self, text: &mut String, paint: Paint) {
        let root = quoted(self.scratch.root());
        let branch = &self.view.run.branch;
        let mut rows = vec![(format!("cd {root}"), "where it is kept")];
        if self.status == RunStatus::Completed {
            rows.push(("./windlass watch".to_owned(), "the live view"));
        } else {
            rows.push(("./windlass status".to_owned(), "where it stands"));
            rows.push(("./windlass resume".to_owned(), "go on, and answer the gates yourself"));
        }
        rows.extend([
            ("./windlass log".to_owned(), "everything that happened"),
            ("./windlass proofs --all --output".to_owned(), "every check and what it printed"),
        ]);
        if !self.commits.is_empty() {
            rows.push((format!("git -C repo log -p {branch}"), "the work"));
        }
        rows.extend([
            ("cat repo/.windlass/workflows/greet.yaml".to_owned(), "the workflow"),
            (format!("cd / && rm -rf {root}"), "removes it all"),
        ]);
        let width = rows.iter().map(|(command, _)| command.chars().count());
        let width = width.filter(|width| *width <= COMMAND).max().unwrap_or(0);
        let _ = writeln!(text, "\n{}", paint.bold(PASTE));
        for (command, does) in rows {
            let _ = writeln!(text, "  {command:width$}  {}", paint.dim(&format!("# {does}")));
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
                counts.add(record.seq.0, &event);
            }
        }
        Ok(counts)
    }

    fn add(&mut self, seq: u64, event: &Event) {
        match event {
            Event::StepNotProven { .. } => self.not_proven += 1,
            Event::GateOpened { gate } if matches!(gate.kind, GateKind::Protected { .. }) => {
                self.protected_gates += 1;
                self.stopped_at.get_or_insert(seq);
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
