//! What a person sees while a run starts, and is asked after its baseline.

use std::io::IsTerminal as _;

use windlass_core::id::RunId;
use windlass_core::run::{BaseOutcome, BaseRecord, BaseResult};
use windlass_core::time::Span;
use windlass_core::view::{Lines, count, one_line, printable};
use windlass_engine::dispatch::{AfterBaseline, Site, StartWatcher};
use windlass_engine::verify::BaseProgress;

use crate::ask::keyboard::{self, Typed};
use crate::error::CommandError;
use crate::interrupts::BeforeStart;
use crate::output::{Output, note, prompt};
use crate::spinner::Spinner;

/// A command that takes no longer than this need not be told about.
const SHORT: Span = Span(1000);

/// The last line while nothing is started yet.
const HINT: &str = "Ctrl-C stops; no run has started yet";

/// Tells about the start of a run, and asks after its baseline.
pub(crate) struct AtStart<'o> {
    output: &'o Output,
    site: &'o Site,
    /// Whether somebody is there to be asked.
    attended: bool,
    spinner: Spinner,
    _signals: BeforeStart,
}

impl<'o> AtStart<'o> {
    pub(crate) fn new(
        output: &'o Output,
        site: &'o Site,
        attended: bool,
    ) -> Result<Self, CommandError> {
        let spinner = Spinner::new(output, HINT);
        Ok(Self { output, site, attended, spinner, _signals: BeforeStart::listen()? })
    }
}

/// Shows what goes on to somebody who waits for commands that are only tried.
pub(crate) struct Trying<'o> {
    output: &'o Output,
    site: &'o Site,
    spinner: Spinner,
}

impl<'o> Trying<'o> {
    pub(crate) fn new(output: &'o Output, site: &'o Site) -> Self {
        Self { output, site, spinner: Spinner::new(output, "Ctrl-C stops; nothing is changed") }
    }
}

impl StartWatcher for Trying<'_> {
    fn begins(&mut self, run: &RunId) {
        self.spinner.look_at(self.site, run);
        self.spinner.doing("copying the repository");
    }

    fn baseline(&mut self, progress: &BaseProgress) {
        let what = going_on(progress).map(|what| what.replacen("baseline ", "trying ", 1));
        if let Some(what) = &what {
            self.spinner.doing(what.clone());
        }
        // At a terminal it is seen while it goes on.
        if self.output.is_json() || std::io::stderr().is_terminal() {
            return;
        }
        match progress {
            BaseProgress::Prepares(_) | BaseProgress::Begins(..) => {
                note(&format!("{} …", what.unwrap_or_default()));
            }
            BaseProgress::Prepared(took) => note(&format!("prepare: done, {took}")),
            BaseProgress::Ended(result) => {
                note(&line_of(result).replacen("baseline: ", "tried: ", 1));
            }
        }
    }

    fn choose(&mut self, _record: &BaseRecord) -> AfterBaseline {
        AfterBaseline::Stop
    }
}

/// What goes on, for a spinner; none when something ended.
fn going_on(progress: &BaseProgress) -> Option<String> {
    let quoted = |command: &String| format!("`{}`", one_line(command));
    match progress {
        BaseProgress::Prepares(commands) => {
            let commands: Vec<String> = commands.iter().map(quoted).collect();
            Some(format!("prepare: {}", commands.join(", ")))
        }
        BaseProgress::Begins(command, number, count) => {
            Some(format!("baseline {number}/{count}: {}", quoted(command)))
        }
        BaseProgress::Prepared(_) | BaseProgress::Ended(_) => None,
    }
}

impl StartWatcher for AtStart<'_> {
    fn begins(&mut self, run: &RunId) {
        self.spinner.look_at(self.site, run);
        self.spinner.doing("copying the repository");
    }

    fn baseline(&mut self, progress: &BaseProgress) {
        if let Some(what) = going_on(progress) {
            self.spinner.doing(what);
        }
        match progress {
            BaseProgress::Prepares(_) => {
                // At a terminal it is seen while it goes on.
                if !std::io::stderr().is_terminal()
                    && let Some(what) = going_on(progress)
                {
                    self.output.remark(&format!("{what} …"));
                }
            }
            BaseProgress::Prepared(took) => self.output.remark(&format!("prepare: done, {took}")),
            BaseProgress::Begins(..) => {}
            BaseProgress::Ended(result) => {
                if result.took > SHORT || result.outcome != BaseOutcome::Passed {
                    self.output.remark(&line_of(result));
                }
                for hint in &result.hints {
                    self.output.remark(&format!("  {}", printable(&hint.words(), Lines::One)));
                }
            }
        }
    }

    fn choose(&mut self, record: &BaseRecord) -> AfterBaseline {
        self.spinner.rest();
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
        let _marked = keyboard::Marked::begin();
        prompt(question);
        let line = match keyboard::read() {
            Ok(Typed::Line(line)) => line,
            Ok(Typed::Void(why)) => {
                note(why);
                continue;
            }
            Ok(Typed::End) | Err(_) => return AfterBaseline::Stop,
        };
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
    let command = one_line(&result.command);
    let how = match (result.outcome, result.ran) {
        (BaseOutcome::Passed, Some(ran)) => {
            format!("passed, {} ran", count(ran.try_into().unwrap_or(usize::MAX), "test"))
        }
        (BaseOutcome::Passed, None) => "passed".to_owned(),
        (BaseOutcome::Failed, _) if !result.failing.is_empty() => {
            format!("failed: {}", count(result.failing.len(), "test"))
        }
        (BaseOutcome::Failed, _) => format!("failed ({})", result.words),
        (BaseOutcome::NoAnswer, _) => format!("could not run ({})", result.words),
    };
    format!("baseline: `{command}` {how}, {}", result.took)
}
