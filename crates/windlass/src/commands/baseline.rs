//! What a person sees of the baseline while a run starts, and is asked after it.

use std::io::{BufRead as _, IsTerminal as _};

use windlass_core::run::{BaseOutcome, BaseRecord, BaseResult};
use windlass_core::time::Span;
use windlass_core::view::{Lines, printable};
use windlass_engine::dispatch::{AfterBaseline, StartWatcher};
use windlass_engine::verify::BaseProgress;

use crate::output::{Output, note, prompt};

/// A command that takes no longer than this need not be told about.
const SHORT: Span = Span(1000);

/// Tells about the baseline at a terminal.
pub(crate) struct AtTerminal<'o> {
    pub(crate) output: &'o Output,
    /// Whether somebody is there to be asked.
    pub(crate) attended: bool,
}

impl StartWatcher for AtTerminal<'_> {
    fn baseline(&mut self, progress: &BaseProgress) {
        match progress {
            BaseProgress::Begins(command, number, count) => {
                if std::io::stderr().is_terminal() {
                    let command = printable(command, Lines::One);
                    self.output.remark(&format!("baseline {number}/{count}: `{command}` …"));
                }
            }
            BaseProgress::Ended(result) => {
                let told = result.took > SHORT
                    || !result.hints.is_empty()
                    || result.outcome == BaseOutcome::NoAnswer;
                if told || !result.failing.is_empty() {
                    self.output.remark(&line_of(result));
                }
                for hint in &result.hints {
                    self.output.remark(&format!("  {}", printable(hint, Lines::One)));
                }
            }
        }
    }

    fn choose(&mut self, record: &BaseRecord) -> AfterBaseline {
        for note in &record.notes {
            self.output.remark(&printable(note, Lines::One));
        }
        let failing = record.all_failing();
        if failing.is_empty() {
            return AfterBaseline::Continue;
        }
        if let Some(words) = record.in_words() {
            self.output.remark(&printable(&words, Lines::One));
        }
        if !self.attended {
            return AfterBaseline::Continue;
        }
        loop {
            prompt("[c]ontinue, count only [n]ew failures, or [s]top: ");
            let mut line = String::new();
            match std::io::stdin().lock().read_line(&mut line) {
                Ok(0) | Err(_) => return AfterBaseline::Stop,
                Ok(_) => {}
            }
            match line.trim().to_ascii_lowercase().as_str() {
                "c" | "continue" => return AfterBaseline::Continue,
                "n" | "new" => return AfterBaseline::OnlyNewFailures,
                "s" | "stop" | "q" => return AfterBaseline::Stop,
                _ => note("please answer c, n or s"),
            }
        }
    }
}

/// Says how a command ended on the base commit.
pub(crate) fn line_of(result: &BaseResult) -> String {
    let command = printable(&result.command, Lines::One);
    let how = match (result.outcome, result.ran) {
        (BaseOutcome::Passed, Some(ran)) => format!("passed, {ran} tests ran"),
        (BaseOutcome::Passed, None) => "passed".to_owned(),
        (BaseOutcome::Failed, _) if !result.failing.is_empty() => {
            format!("failed: {} of the tests", result.failing.len())
        }
        (BaseOutcome::Failed, _) => format!("failed ({})", result.words),
        (BaseOutcome::NoAnswer, _) => format!("could not run ({})", result.words),
    };
    format!("baseline: `{command}` {how}, {}", result.took)
}
