//! What a person needs to know at a gate before they look closer: at the terminal and in a session.

use windlass_core::id::StepId;
use windlass_core::judgement::{Level, Remark};
use windlass_core::run::{GateKind, Phase, RunState};
use windlass_core::view::{
    Changes, History, Lines, StatusView, gist, plain_lines, printable, status_view,
};
use windlass_engine::git::EngineRepository;

use crate::changes;
use crate::commands::history;
use crate::error::CommandError;
use crate::render::Paint;
use crate::surroundings::Surroundings;

/// How many lines the summary has.
const SUMMARY: usize = 3;

/// How many files, findings and skipped steps are named; the rest is counted.
const MOST_FILES: usize = 12;
const MOST_FINDINGS: usize = 8;
const MOST_SKIPPED: usize = 6;

/// How much of what was asked is shown.
const ASKED: usize = 240;

/// How much of an agent's output is looked at for its last words.
const MAX_SAID: u64 = 1 << 20;

/// What a gate is about, in short.
pub(crate) struct GateBrief {
    asked: String,
    summary: Vec<String>,
    /// Whose words the summary is.
    from: &'static str,
    changes: Option<Changes>,
    findings: Vec<(StepId, Remark)>,
    documents: Vec<String>,
    skipped: Vec<(StepId, String)>,
    then_skipped: Vec<(StepId, String)>,
}

impl GateBrief {
    /// Gathers it; none without a gate.
    pub(crate) fn of(
        surroundings: &Surroundings,
        state: &RunState,
    ) -> Result<Option<Self>, CommandError> {
        let (Some(gate), Some(store)) = (state.gate(), surroundings.store()?) else {
            return Ok(None);
        };
        let Some(index) = state.plan.find(&gate.step) else { return Ok(None) };
        let history = history(&store, &state.facts.run)?;
        let plan = state.plan.step(index);
        let view = status_view(state);
        let engine = changes::engine(surroundings)?;
        let base = history.steps.get(&gate.step).and_then(|step| step.base.clone());
        let since_step =
            base.and_then(|base| engine.changes(&base, &gate.snapshot).ok()).unwrap_or_default();
        let documents: Vec<String> =
            since_step.papers.iter().map(|file| file.path.clone()).collect();
        // What an agent says of its work is marked as its words.
        let (from, summary) = match written(&engine, state, &documents) {
            Some(lines) => ("summary", lines),
            None => {
                let said = last_words(surroundings, &history, &gate.step);
                ("the agent says", said.unwrap_or_default())
            }
        };
        let all = || {
            let mut base = gate.snapshot.clone();
            base.code = state.facts.base_tree.clone();
            engine.changes(&base, &gate.snapshot).ok()
        };
        let changes = match &gate.kind {
            GateKind::Protected { .. } => Some(since_step),
            GateKind::Approval | GateKind::Route { .. } => all(),
        };
        let asked = match plan.task.trim() {
            "" => state.plan.goal.clone(),
            task => task.to_owned(),
        };
        Ok(Some(Self {
            asked: beginning(&asked),
            summary,
            from,
            changes,
            findings: findings(state, &history),
            documents,
            skipped: skipped(state),
            then_skipped: then_skipped(&view),
        }))
    }

    /// Returns it as lines for a terminal.
    pub(crate) fn lines(&self, paint: Paint) -> Vec<String> {
        let mut lines = vec![format!("{} {}", paint.bold("asked:"), self.asked)];
        if !self.summary.is_empty() {
            lines.push(paint.bold(&format!("{}:", self.from)));
            lines.extend(self.summary.iter().map(|line| format!("  {line}")));
        }
        if let Some(changes) = self.changes.as_ref().filter(|changes| !changes.is_empty()) {
            lines.push(paint.bold("files:"));
            let stat = changes::stat(changes, paint);
            let all: Vec<&str> = stat.lines().collect();
            let files = all.len().saturating_sub(1);
            lines.extend(all.iter().take(files.min(MOST_FILES)).map(|line| format!(" {line}")));
            if files > MOST_FILES {
                lines.push(format!("  … and {} more", files - MOST_FILES));
            }
            lines.extend(all.last().map(|sum| format!(" {sum}")));
        }
        lines.extend(self.short_lists().into_iter().map(|(name, rows)| {
            let rows: String = rows.iter().map(|row| format!("\n  {row}")).collect();
            format!("{}{rows}", paint.bold(&format!("{name}:")))
        }));
        lines
    }

    /// Returns it as few lines for a session.
    pub(crate) fn for_a_session(&self) -> Vec<String> {
        let mut lines = vec![format!("Asked: {}", self.asked)];
        lines.extend(self.summary.iter().map(|line| format!("> {line}")));
        if let Some(changes) = self.changes.as_ref().filter(|changes| !changes.code.is_empty()) {
            let names = changes.code.iter().take(MOST_FILES);
            let names: Vec<String> = names.map(|file| printable(&file.path, Lines::One)).collect();
            let more = changes.code.len().saturating_sub(MOST_FILES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!("Files: {}: {}{more}", changes.sum(), names.join(", ")));
        }
        for (name, rows) in self.short_lists() {
            lines.push(format!("{}{}: {}", name[..1].to_uppercase(), &name[1..], rows.join("; ")));
        }
        lines
    }

    fn short_lists(&self) -> Vec<(&'static str, Vec<String>)> {
        let bounded = |rows: Vec<String>, most: usize| -> Vec<String> {
            let more = rows.len().saturating_sub(most);
            let mut rows: Vec<String> = rows.into_iter().take(most).collect();
            rows.extend((more > 0).then(|| format!("… and {more} more")));
            rows
        };
        let of = |pairs: &[(StepId, String)]| -> Vec<String> {
            let row = |(step, why): &(StepId, String)| {
                format!("`{step}`: {}", printable(&one_line(why), Lines::One))
            };
            bounded(pairs.iter().map(row).collect(), MOST_SKIPPED)
        };
        let findings = self.findings.iter().map(|(step, remark)| {
            format!("{} (`{step}`)", printable(&one_line(&remark.words()), Lines::One))
        });
        let documents = self.documents.iter().map(|path| printable(path, Lines::One)).collect();
        let lists = [
            ("findings", bounded(findings.collect(), MOST_FINDINGS)),
            ("documents", bounded(documents, MOST_FILES)),
            ("skipped", of(&self.skipped)),
            ("skipped after this, if you approve", of(&self.then_skipped)),
        ];
        lists.into_iter().filter(|(_, rows)| !rows.is_empty()).collect()
    }
}

/// The first lines of the document that the step wrote.
fn written(
    engine: &EngineRepository,
    state: &RunState,
    documents: &[String],
) -> Option<Vec<String>> {
    let gate = state.gate()?;
    let mut texts = documents.iter().filter(|path| path.ends_with(".md")).filter_map(|path| {
        let bytes = engine.read_file(&gate.snapshot, path).ok()??;
        let lines = gist(&String::from_utf8_lossy(&bytes), SUMMARY);
        (!lines.is_empty()).then_some(lines)
    });
    Some(texts.next()?.iter().map(|line| printable(line, Lines::One)).collect())
}

/// What the agent said last.
fn last_words(
    surroundings: &Surroundings,
    history: &History,
    step: &StepId,
) -> Option<Vec<String>> {
    let output = history.steps.get(step)?.attempts.last()?.output.clone()?;
    let bytes = surroundings.site.blobs().get(&output.hash, MAX_SAID).ok()?;
    let lines = plain_lines(String::from_utf8_lossy(&bytes).trim_end());
    let lines: Vec<String> = lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
    // A stream of JSON is for programs.
    if lines.last().is_some_and(|line| line.starts_with('{')) {
        return None;
    }
    let first = lines.len().saturating_sub(SUMMARY);
    let said = lines.into_iter().skip(first).map(|line| cut(&line));
    Some(said.collect()).filter(|said: &Vec<String>| !said.is_empty())
}

/// What judges found: the step's own findings first.
fn findings(state: &RunState, history: &History) -> Vec<(StepId, Remark)> {
    let gate = state.gate().map(|gate| gate.step.clone());
    let mut found: Vec<(StepId, Remark)> = Vec::new();
    for (step, known) in &history.steps {
        let counts = state.plan.find(step).is_some_and(|index| {
            !matches!(state.step(index).phase, Phase::Pending | Phase::Skipped)
        });
        if counts {
            found.extend(known.remarks.iter().map(|remark| (step.clone(), remark.clone())));
        }
    }
    found.retain(|(_, remark)| remark.level != Level::Info);
    found.sort_by_key(|(step, remark)| (Some(step) != gate.as_ref(), remark.level));
    found
}

fn skipped(state: &RunState) -> Vec<(StepId, String)> {
    let steps = state.plan.in_reading_order().into_iter();
    let skipped = steps.filter(|index| matches!(state.step(*index).phase, Phase::Skipped));
    let why = |index| {
        let note =
            state.step(index).note.clone().unwrap_or_else(|| "no reason was given".to_owned());
        (state.plan.step(index).id.clone(), note)
    };
    skipped.map(why).collect()
}

fn then_skipped(view: &StatusView) -> Vec<(StepId, String)> {
    let skips = view.gate.iter().flat_map(|gate| &gate.skips);
    skips.map(|skip| (skip.step.clone(), skip.reason.clone())).collect()
}

/// The beginning of what was asked, on one line.
fn beginning(text: &str) -> String {
    cut(&one_line(text))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str) -> String {
    let short: String = text.chars().take(ASKED).collect();
    let text = if short.len() < text.len() { format!("{}…", short.trim_end()) } else { short };
    printable(&text, Lines::One)
}
