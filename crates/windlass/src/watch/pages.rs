//! Pages: evidence, prompt, output and log; `diff_pages` writes the diff and what a gate shows.

use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_core::id::{AttemptId, StepId};
use windlass_core::plan::Holds;
use windlass_core::prompt::prompt;
use windlass_core::proof::Blob;
use windlass_core::view::{AttemptEntry, ProofEntry, Room, StepHistory, plain_line, plain_lines};
use windlass_engine::launcher::launched;
use windlass_engine::process::activity::output_tail;

use super::pager::{LineKind, Page, PageLine, Subject};
use super::source::Source;
use crate::clock::Clock;
use crate::commands::{newest_proofs, proof_line};
use crate::render::Paint;

/// How much of one blob or output is shown.
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
                let (mut lines, left_out) =
                    self.diff(step, *number, (Room::ENDLESS, BTreeSet::new()));
                let words = left_out.words("`windlass diff` with a path shows more");
                lines.extend(words.map(|words| PageLine::new(LineKind::Bad, words)));
                (title, lines)
            }
            Subject::Output(step, number) => {
                attempt = self.shown(step, *number);
                let id = attempt_name(step, attempt);
                (format!("output of {id}"), self.output(step, attempt))
            }
            Subject::Log => ("log".to_owned(), self.log_lines()),
            Subject::Gate(step) => (format!("`{step}` waits for you"), self.gate(step)),
        };
        // What a person decides about has no end that is not said.
        let whole = matches!(subject, Subject::Gate(_) | Subject::Diff(..));
        if lines.len() > MOST_LINES && !whole {
            lines.truncate(MOST_LINES);
            lines.push(dim("… and more: the command line shows all of it"));
        }
        let grows = matches!(subject, Subject::Log | Subject::Output(..));
        Page { subject: subject.clone(), title, lines: Arc::new(lines), attempt, grows }
    }

    pub(super) fn step(&self, step: &StepId) -> Option<&StepHistory> {
        self.history.steps.get(step)
    }

    /// The number of the attempt that is shown, and how many there are.
    pub(super) fn shown(&self, step: &StepId, number: Option<u32>) -> Option<(u32, u32)> {
        let count = u32::try_from(self.step(step)?.attempts.len()).unwrap_or(u32::MAX);
        (count > 0).then(|| (number.unwrap_or(count).min(count), count))
    }

    pub(super) fn attempt(
        &self,
        step: &StepId,
        shown: Option<(u32, u32)>,
    ) -> Option<&AttemptEntry> {
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
        let clock = Clock::here();
        let line = |line: &super::source::LogLine| {
            let elapsed = line.at.since(began).to_string();
            let (at, text) = (clock.to_the_second(line.at), clock.localised(&line.text));
            plain(format!("{:>5}  {at}  {elapsed:>8}  {text}", line.seq))
        };
        let skipped = self.log.len().saturating_sub(MOST_LINES);
        self.log.iter().skip(skipped).map(line).collect()
    }

    fn blob(&self, blob: &Blob) -> Vec<String> {
        match self.site.blobs().get(&blob.hash, MOST_BYTES) {
            Ok(bytes) => plain_lines(String::from_utf8_lossy(&bytes).trim_end()),
            Err(error) => vec![format!("it cannot be shown here: {error}")],
        }
    }
}

pub(super) fn proof(entry: &ProofEntry) -> PageLine {
    let kind = match entry.proof.holds {
        Holds::Yes => LineKind::Good,
        Holds::No => LineKind::Bad,
        Holds::Unknown => LineKind::Dim,
    };
    PageLine::new(kind, plain_line(&proof_line(entry, Paint::new(false))).trim_start().to_owned())
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

pub(super) fn plain(text: impl Into<String>) -> PageLine {
    PageLine::new(LineKind::Plain, text)
}

pub(super) fn dim(text: impl Into<String>) -> PageLine {
    PageLine::new(LineKind::Dim, text)
}

pub(super) fn heading(text: impl Into<String>) -> PageLine {
    PageLine::new(LineKind::Heading, text)
}
