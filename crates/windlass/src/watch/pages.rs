//! Pages: evidence, prompt, diff, output, log, and what a gate shows.

use std::sync::Arc;

use windlass_core::id::{AttemptId, ObjectId, StepId};
use windlass_core::plan::Holds;
use windlass_core::prompt::prompt;
use windlass_core::proof::Blob;
use windlass_core::run::GateKind;
use windlass_core::snapshot::Snapshot;
use windlass_core::view::{
    AttemptEntry, Lines, ProofEntry, StepHistory, plain_line, plain_lines, printable,
};
use windlass_engine::git::EngineRepository;
use windlass_engine::launcher::launched;
use windlass_engine::process::activity::output_tail;

use super::pager::{LineKind, Page, PageLine, Subject};
use super::source::Source;
use crate::commands::{newest_proofs, proof_line};
use crate::render::Paint;

/// How much of one blob, diff or output is shown.
const MOST_BYTES: u64 = 512 * 1024;

/// How many lines a page has; nobody scrolls further, and the command line shows the rest.
const MOST_LINES: usize = 20_000;

impl Source {
    /// Writes a page.
    pub(super) fn page(&self, subject: &Subject) -> Page {
        let mut attempt = None;
        let (title, mut lines) = match subject {
            Subject::Evidence(step) => (format!("evidence of `{step}`"), self.evidence(step)),
            Subject::Prompt(step, number) => {
                attempt = self.shown(step, *number);
                let id = attempt_name(step, attempt);
                (format!("prompt of {id}"), self.prompt(step, attempt))
            }
            Subject::Diff(step, number) => {
                attempt = self.shown(step, *number);
                let title = match number {
                    Some(number) => format!("what `{step}` had changed after attempt {number}"),
                    None => format!("what `{step}` changed"),
                };
                (title, self.diff(step, *number))
            }
            Subject::Output(step, number) => {
                attempt = self.shown(step, *number);
                let id = attempt_name(step, attempt);
                (format!("output of {id}"), self.output(step, attempt))
            }
            Subject::Log => ("log".to_owned(), self.log_lines()),
            Subject::Gate(step) => (format!("`{step}` waits for you"), self.gate(step)),
        };
        if lines.len() > MOST_LINES {
            lines.truncate(MOST_LINES);
            lines.push(dim("… and more: the command line shows all of it"));
        }
        let grows = matches!(subject, Subject::Log | Subject::Output(..));
        Page { subject: subject.clone(), title, lines: Arc::new(lines), attempt, grows }
    }

    fn step(&self, step: &StepId) -> Option<&StepHistory> {
        self.history.steps.get(step)
    }

    /// The number of the attempt that is shown, and how many there are.
    fn shown(&self, step: &StepId, number: Option<u32>) -> Option<(u32, u32)> {
        let count = u32::try_from(self.step(step)?.attempts.len()).unwrap_or(u32::MAX);
        (count > 0).then(|| (number.unwrap_or(count).min(count), count))
    }

    fn attempt(&self, step: &StepId, shown: Option<(u32, u32)>) -> Option<&AttemptEntry> {
        let index = usize::try_from(shown?.0.checked_sub(1)?).ok()?;
        self.step(step)?.attempts.get(index)
    }

    fn evidence(&self, step: &StepId) -> Vec<PageLine> {
        let mut lines = Vec::new();
        let proofs = self.step(step).map_or(Vec::new(), |step| newest_proofs(&step.proofs, false));
        if proofs.is_empty() {
            lines.push(dim("Nothing was verified yet."));
        }
        for entry in proofs {
            lines.push(proof(entry));
            if let Some(evidence) = &entry.proof.evidence {
                let text = self.blob(evidence);
                lines.extend(text.into_iter().map(|line| plain(format!("    {line}"))));
                lines.push(plain(""));
            }
        }
        for attempt in self.step(step).into_iter().flat_map(|step| &step.attempts) {
            if let Some(failure) = &attempt.failure {
                let text = format!("{} was not proven: {}", attempt.id, plain_line(failure));
                lines.push(PageLine::new(LineKind::Dim, text));
            }
        }
        lines
    }

    fn prompt(&self, step: &StepId, shown: Option<(u32, u32)>) -> Vec<PageLine> {
        let Some(attempt) = self.attempt(step, shown) else {
            return vec![dim("No attempt has started yet.")];
        };
        // The prompt is a function of the state, so it can be written again at any time.
        let state = self.prompts.get(&attempt.id);
        let text = state.and_then(|state| {
            let index = state.plan.find(step)?;
            Some(prompt(state, index, &attempt.id))
        });
        let text = text.unwrap_or_default();
        plain_lines(&text).into_iter().map(heading_or_plain).collect()
    }

    fn output(&self, step: &StepId, shown: Option<(u32, u32)>) -> Vec<PageLine> {
        let Some(attempt) = self.attempt(step, shown) else {
            return vec![dim("No attempt has started yet.")];
        };
        let lines = match (&attempt.output, attempt.took) {
            (Some(output), _) => self.blob(output),
            (None, Some(_)) => Vec::new(),
            (None, None) => self.live_output(&attempt.id),
        };
        if lines.is_empty() {
            return vec![dim("Nothing was printed.")];
        }
        lines.into_iter().map(plain).collect()
    }

    fn live_output(&self, attempt: &AttemptId) -> Vec<String> {
        let scratch = self.site.home.run(&self.run).scratch;
        let living = launched(&self.site.home.registry(), &scratch);
        let name = attempt.to_string();
        let ours = living.iter().find(|launched| launched.attempt.as_ref() == Some(&name));
        let text = ours.map(|launched| output_tail(&launched.output, MOST_BYTES));
        let text = text.unwrap_or_default();
        if text.is_empty() { Vec::new() } else { plain_lines(text.trim_end()) }
    }

    fn log_lines(&self) -> Vec<PageLine> {
        let began = self.log.first().map(|line| line.at).unwrap_or_default();
        let line = |line: &super::source::LogLine| {
            let elapsed = line.at.since(began).to_string();
            plain(format!("{:>5}  {elapsed:>8}  {}", line.seq, line.text))
        };
        let skipped = self.log.len().saturating_sub(MOST_LINES);
        self.log.iter().skip(skipped).map(line).collect()
    }

    fn gate(&self, step: &StepId) -> Vec<PageLine> {
        let mut lines = Vec::new();
        let gate = self.state.as_ref().and_then(|state| state.gate());
        let proofs = self.step(step).map_or(Vec::new(), |step| newest_proofs(&step.proofs, false));
        if let Some(GateKind::Protected { changes, diff }) = gate.map(|gate| &gate.kind) {
            lines.push(heading("Files that judge the work were changed:"));
            lines.extend(changes.iter().map(|change| {
                PageLine::new(LineKind::Bad, format!("  {}", plain_line(&change.called())))
            }));
            lines.extend(diff.iter().flat_map(|diff| self.blob(diff)).map(patch_line));
            lines.push(plain(""));
        }
        // A proof of other files says nothing about these.
        let here = |entry: &&ProofEntry| gate.is_none_or(|gate| gate.snapshot == entry.snapshot);
        let judged: Vec<PageLine> = proofs.into_iter().filter(here).map(proof).collect();
        if judged.is_empty() {
            lines.push(dim("No check has judged these files yet."));
        }
        lines.extend(judged);
        lines.push(plain(""));
        lines.extend(self.diff(step, None));
        lines
    }

    /// What a step changed: since it began, up to what the gate shows, what was proven, or what the
    /// last attempt left.
    fn diff(&self, step: &StepId, number: Option<u32>) -> Vec<PageLine> {
        let Some(history) = self.step(step) else {
            return vec![dim("The step has not begun yet.")];
        };
        let left = |attempt: &AttemptEntry| attempt.snapshot.clone();
        let gate = self.state.as_ref().and_then(|state| state.gate());
        let gate = gate.filter(|gate| gate.step == *step).map(|gate| gate.snapshot.clone());
        let shown = self.shown(step, number);
        let tree = match number {
            Some(_) => self.attempt(step, shown).and_then(left),
            None => gate
                .or_else(|| history.attempts.iter().rev().find_map(left))
                .or_else(|| history.proven.clone()),
        };
        let (Some(base), Some(tree)) = (&history.base, tree) else {
            return vec![dim("No attempt of it has ended yet, so there is nothing to compare.")];
        };
        let mut lines = Vec::new();
        if history.attempts.last().is_some_and(|attempt| attempt.took.is_none()) {
            lines.push(dim("The running attempt's changes are shown when it has ended."));
        }
        match self.compare(base, &tree) {
            Ok(more) => lines.extend(more),
            Err(message) => lines.push(PageLine::new(LineKind::Bad, message)),
        }
        lines
    }

    fn compare(&self, base: &Snapshot, tree: &Snapshot) -> Result<Vec<PageLine>, String> {
        let engine = EngineRepository::open(&self.site.home.engine_git());
        let engine = engine.map_err(|error| error.to_string())?;
        let engine = engine.ok_or("the engine's repository is gone, so nothing can be compared")?;
        let mut lines = changes(&engine, "code", &base.code, &tree.code)?;
        let tests = engine.tests_changed(&base.code, &tree.code).map_err(|e| e.to_string())?;
        if let Some(tests) = tests {
            let kind = if tests.removed_count > 0 { LineKind::Bad } else { LineKind::Plain };
            // Below the heading, above the patch: nobody should have to scroll for it.
            lines.insert(1, PageLine::new(kind, format!("tests: {}", plain_line(&tests.words()))));
        }
        if base.papers != tree.papers {
            lines.push(plain(""));
            lines.extend(changes(&engine, "papers", &base.papers, &tree.papers)?);
        }
        Ok(lines)
    }

    fn blob(&self, blob: &Blob) -> Vec<String> {
        match self.site.blobs().get(&blob.hash, MOST_BYTES) {
            Ok(bytes) => plain_lines(String::from_utf8_lossy(&bytes).trim_end()),
            Err(error) => vec![format!("it cannot be shown here: {error}")],
        }
    }
}

/// Counts and shows the changes between two trees.
fn changes(
    engine: &EngineRepository,
    what: &str,
    base: &ObjectId,
    tree: &ObjectId,
) -> Result<Vec<PageLine>, String> {
    let (changed, counts) = engine.diff_with_lines(base, tree).map_err(|e| e.to_string())?;
    if changed.is_empty() {
        return Ok(vec![dim(format!("No {what} changed."))]);
    }
    let (added, removed) = counts
        .iter()
        .filter_map(|count| count.lines)
        .fold((0, 0), |(added, removed), (more, less)| (added + more, removed + less));
    let files =
        if changed.len() == 1 { "1 file".to_owned() } else { format!("{} files", changed.len()) };
    let mut lines = vec![heading(format!("Changed {what}: {files}, +{added} −{removed}"))];
    let most = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    let patch = engine.patch(base, tree, &[], most).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&patch);
    // What is decided about is shown as it is: control characters too.
    let text = printable(text.trim_end(), Lines::Many).replace('\t', "    ");
    lines.extend(text.lines().map(|line| patch_line(line.to_owned())));
    if patch.len() >= most {
        lines.push(dim("… cut off here"));
    }
    Ok(lines)
}

fn proof(entry: &ProofEntry) -> PageLine {
    let kind = match entry.proof.holds {
        Holds::Yes => LineKind::Good,
        Holds::No => LineKind::Bad,
        Holds::Unknown => LineKind::Dim,
    };
    PageLine::new(kind, plain_line(&proof_line(entry, Paint::new(false))).trim_start().to_owned())
}

fn patch_line(line: String) -> PageLine {
    let kind = match line.as_str() {
        line if line.starts_with("diff --git") => LineKind::Heading,
        line if line.starts_with("+++") || line.starts_with("---") => LineKind::Dim,
        line if line.starts_with("index ") || line.starts_with("@@") => LineKind::Dim,
        line if line.starts_with('+') => LineKind::Added,
        line if line.starts_with('-') => LineKind::Removed,
        _ => LineKind::Plain,
    };
    PageLine::new(kind, line)
}

fn heading_or_plain(line: String) -> PageLine {
    let kind = if line.starts_with('#') { LineKind::Heading } else { LineKind::Plain };
    PageLine::new(kind, line)
}

fn attempt_name(step: &StepId, shown: Option<(u32, u32)>) -> String {
    match shown {
        Some((number, _)) => format!("`{step}#{number}`"),
        None => format!("`{step}`"),
    }
}

fn plain(text: impl Into<String>) -> PageLine {
    PageLine::new(LineKind::Plain, text)
}

fn dim(text: impl Into<String>) -> PageLine {
    PageLine::new(LineKind::Dim, text)
}

fn heading(text: impl Into<String>) -> PageLine {
    PageLine::new(LineKind::Heading, text)
}
