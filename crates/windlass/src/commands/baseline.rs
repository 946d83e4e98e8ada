//! What a person sees of the baseline while a run starts, and is asked after it.

use std::io::{BufRead as _, IsTerminal as _};

use windlass_core::run::{BaseOutcome, BaseRecord, BaseResult};
use windlass_core::time::Span;
use windlass_core::view::{Lines, printable};
use windlass_engine::dispatch::{AfterBaseline, StartWatcher};
use windlass_engine::verify::BaseProgress;

use crate::ask::keyboard;
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
            BaseProgress::Preparing(commands) => {
                if std::io::stderr().is_terminal() {
                    let commands = printable(&commands.join("`, `"), Lines::One);
                    self.output.remark(&format!("preparing: `{commands}` …"));
                }
            }
            BaseProgress::Begins(command, number, count) => {
                if std::io::stderr().is_terminal() {
                    let command = printable(command, Lines::One);
                    self.output.remark(&format!("baseline {number}/{count}: `{command}` …"));
                }
            }
            BaseProgress::Ended(result) => {
                if result.took > SHORT || result.outcome != BaseOutcome::Passed {
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
        // Commands without names of tests have been told, each when it ended.
        if !record.all_failing().is_empty()
            && let Some(words) = record.in_words()
        {
            self.output.remark(&printable(&words, Lines::One));
        }
        if !self.attended {
            return AfterBaseline::Continue;
        }
        let choice = match record.all_failing().is_empty() {
            // A command that fails may be what the work is about.
            true => AfterBaseline::Continue,
            false => ask(
                "[c]ontinue, count only [n]ew failures, or [s]top: ",
                &[("c", AfterBaseline::Continue), ("n", AfterBaseline::OnlyNewFailures)],
            ),
        };
        if record.only_warm.is_empty() || choice == AfterBaseline::Stop {
            return choice;
        }
        let without = AfterBaseline::WithoutCold(format!(
            "chosen after the baseline: {}",
            record.notes.first().map_or("a fresh clone cannot run the checks", String::as_str)
        ));
        ask("go on [w]ithout the proof on a fresh clone, or [s]top: ", &[("w", without)])
    }
}

/// Asks until the first letter of an answer is given; `s` and the end of input stop.
fn ask(question: &str, answers: &[(&str, AfterBaseline)]) -> AfterBaseline {
    loop {
        // The checks took their time, and what was typed meanwhile is no answer.
        if keyboard::settle(|| Ok(true)).is_err() {
            return AfterBaseline::Stop;
        }
        prompt(question);
        let mut line = String::new();
        match std::io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => return AfterBaseline::Stop,
            Ok(_) => {}
        }
        let said = line.trim().to_ascii_lowercase();
        if said == "s" || said == "stop" || said == "q" {
            return AfterBaseline::Stop;
        }
        if let Some((_, choice)) = answers.iter().find(|(letter, _)| *letter == said) {
            return choice.clone();
        }
        let letters: Vec<&str> = answers.iter().map(|(letter, _)| *letter).collect();
        note(&format!("please answer {} or s", letters.join(", ")));
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
