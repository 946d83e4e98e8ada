//! Driving a run from the command line: progress, Ctrl-C, questions at gates.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use windlass_core::config::{Notify, Setting};
use windlass_core::id::RunId;
use windlass_core::proof::Outcome;
use windlass_core::run::{Event, RunState, RunStatus};
use windlass_core::time::Timestamp;
use windlass_core::view::{
    Lines, StepLine, StepLines, Tone, complete_view, describe, failing, help_block, plain_lines,
    printable, status_view,
};
use windlass_engine::dispatch::{DriveOptions, Driver, Ended, Observer, now};
use windlass_engine::store::blobs::Blobs;

use crate::ask;
use crate::clock::Clock;
use crate::commands::history;
use crate::error::{CommandError, EXIT_ABORTED, EXIT_PAUSED, EXIT_PERSON};
use crate::interrupts::Interrupts;
use crate::notify::{Bearer, Notifier};
use crate::output::{Output, Verbosity, note, show_live};
use crate::render::{self, Driving, Paint, Screen};
use crate::surroundings::{Surroundings, person};
use crate::watch::Below;

/// How long something may take before a line says that it is still going on.
const STILL_RUNNING: Duration = Duration::from_secs(30);

/// How often the compact view is drawn anew, so that its spinner turns.
pub(crate) const REDRAWN: Duration = Duration::from_millis(200);

/// The last line of the compact view.
const HINT: &str = "Ctrl-C pauses the run; `windlass watch` elsewhere shows more";

/// How much of the end of an agent's output is shown that ended with an error.
const LAST_WORDS: usize = 5;
const MAX_SAID: u64 = 256 << 10;

/// How a run is driven.
pub(crate) struct DriveHow {
    /// Leave instead of waiting.
    pub(crate) no_wait: bool,
    /// How people are told.
    pub(crate) notify: Option<Setting<Notify>>,
}

/// Drives a run until it ends or waits for somebody who is not at this terminal.
pub(crate) fn drive(
    surroundings: &Surroundings,
    run: &RunId,
    how: DriveHow,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let ended = drive_until_it_stops(surroundings, run, how, output)?;
    stopped(surroundings, &ended, output)
}

/// Says where a run stands that stopped.
pub(crate) fn stopped(
    surroundings: &Surroundings,
    ended: &Ended,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    finish(ended, surroundings.unfinished()?.len() > 1, output);
    Ok(exit_code(ended.status))
}

/// How long a run that waited here waits for whoever answered elsewhere, and is about to leave.
const ANSWERED_ELSEWHERE: Duration = Duration::from_secs(10);

/// Drives a run until it ends or waits for somebody who is not at this terminal, and says nothing about
/// the end.
pub(crate) fn drive_until_it_stops(
    surroundings: &Surroundings,
    run: &RunId,
    how: DriveHow,
    output: &mut Output,
) -> Result<Ended, CommandError> {
    let can_ask =
        !output.is_json() && std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let signals = Interrupts::listen()?;
    let notifier = Notifier::start(&surroundings.site, how.notify);
    let told = match surroundings.store()? {
        Some(store) => StepLines::after(&history(&store, run)?),
        None => StepLines::default(),
    };
    let told = Arc::new(Mutex::new(told));
    let mut patience = Duration::ZERO;
    loop {
        let bearer = notifier.bearer();
        let options = DriveOptions::local(how.no_wait).leaving_for_questions(can_ask);
        let options = options.patient(patience);
        let told = Arc::clone(&told);
        let ended = drive_once(surroundings, run, options, &signals, (bearer, told), output)?;
        patience = ANSWERED_ELSEWHERE;
        if ended.status == RunStatus::AwaitingApproval
            && can_ask
            && ask::at_gate(surroundings, &ended.state, output)?
        {
            continue;
        }
        if ended.status == RunStatus::AwaitingUser
            && can_ask
            && ask::questions(surroundings, &ended.state)?
        {
            continue;
        }
        return Ok(ended);
    }
}

/// The exit code that tells where a run stands.
pub(crate) fn exit_code(status: RunStatus) -> ExitCode {
    match status {
        RunStatus::Completed => ExitCode::SUCCESS,
        RunStatus::AwaitingApproval | RunStatus::AwaitingUser => ExitCode::from(EXIT_PERSON),
        RunStatus::Paused | RunStatus::Waiting | RunStatus::Active => ExitCode::from(EXIT_PAUSED),
        RunStatus::Aborted => ExitCode::from(EXIT_ABORTED),
    }
}

fn drive_once(
    surroundings: &Surroundings,
    run: &RunId,
    options: DriveOptions,
    signals: &Interrupts,
    (bearer, told): (Bearer, Arc<Mutex<StepLines>>),
    output: &Output,
) -> Result<Ended, CommandError> {
    let verbosity = if output.is_json() { Verbosity::Quiet } else { output.verbosity() };
    let live = Below::where_it_can_be_seen(surroundings, run, output, HINT);
    let tick = if live.is_some() { REDRAWN } else { STILL_RUNNING };
    let paint = Paint::new(output.has_colour());
    let blobs = surroundings.site.blobs();
    let progress = Progress { verbosity, live, paint, told, blobs, began: None, running: None };
    let progress = Arc::new(Mutex::new(progress));
    let observer: Observer = {
        let progress = Arc::clone(&progress);
        Box::new(move |step, state| {
            let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            for event in &step.events {
                progress.tell(step.input.at, event, state);
            }
            bearer.tell(&step.events, state);
            if let Some(live) = &mut progress.live {
                live.take(state);
            }
        })
    };
    let (done, waiting) = channel::<()>();
    let ticker = std::thread::spawn(move || {
        while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(tick) {
            progress.lock().unwrap_or_else(PoisonError::into_inner).still();
        }
        show_live(Vec::new());
    });
    let ended = drive_watched(surroundings, run, options, signals, observer);
    drop(done);
    let _ = ticker.join();
    ended
}

/// Drives a run with somebody watching, until it ends or waits for a person.
pub(crate) fn drive_watched(
    surroundings: &Surroundings,
    run: &RunId,
    options: DriveOptions,
    signals: &Interrupts,
    observer: Observer,
) -> Result<Ended, CommandError> {
    let driver =
        Driver::take_over(&surroundings.site, run, &person(&surroundings.site), options, observer)?;
    signals.send_to(Some(driver.handle()));
    let ended = driver.drive();
    signals.send_to(None);
    Ok(ended?)
}

/// Says where the run stands; `beside` others that are unfinished, what to do next names it.
fn finish(ended: &Ended, beside: bool, output: &mut Output) {
    let view = status_view(&ended.state);
    let view = if beside { view.naming_run() } else { view };
    if output.is_json() {
        output.json(&view);
    } else {
        let paint = Paint::new(output.has_colour());
        let verbosity = output.verbosity();
        if verbosity == Verbosity::Quiet {
            output.data(&render::last_line(&view));
            return;
        }
        output.data("");
        let failing = failing(&ended.state);
        if !failing.is_empty() {
            let lines: Vec<String> = failing.iter().map(|line| painted(line, paint)).collect();
            output.screen(&format!("{}\n", lines.join("\n")));
        }
        let screen = Screen { driving: Driving::Nobody, now: now(), paint, verbosity };
        output.screen(&Clock::here().localised(&render::status(&view, screen)));
        if let Some(block) = help_block(&ended.state) {
            output.data(&format!("\n{}", printable(&block, Lines::Many)));
        }
        if let Some(complete) = complete_view(&ended.state) {
            output.data("");
            output.data(&complete.block());
        }
    }
}

/// Lines about what happens: one for each step, or with `--verbose` one for each event.
struct Progress {
    verbosity: Verbosity,
    live: Option<Below>,
    paint: Paint,
    told: Arc<Mutex<StepLines>>,
    blobs: Blobs,
    began: Option<Timestamp>,
    running: Option<(String, Timestamp)>,
}

impl Progress {
    fn tell(&mut self, at: Timestamp, event: &Event, state: &RunState) {
        let began = *self.began.get_or_insert(state.started_at);
        match event {
            Event::AttemptStarted { attempt, .. } => {
                self.running = Some((format!("attempt {attempt} is still running"), at));
            }
            Event::VerificationStarted { step, .. } => {
                self.running = Some((format!("`{step}` is still being verified"), at));
            }
            Event::ColdProofBegan { .. } => {
                let what = "everything is still being checked on a fresh clone";
                self.running = Some((what.to_owned(), at));
            }
            Event::AttemptEnded { .. }
            | Event::AttemptLost { .. }
            | Event::StepProven { .. }
            | Event::VerificationHindered { .. }
            | Event::StepNotProven { .. }
            | Event::ColdProofHeld { .. }
            | Event::ColdProofFailed { .. }
            | Event::ColdProofBroken { .. } => self.running = None,
            _ => {}
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = told.tell(at, event, state);
        match self.verbosity {
            Verbosity::Quiet => {}
            Verbosity::Normal => {
                let clock = Clock::here();
                lines.iter().for_each(|line| note(&clock.localised(&painted(line, self.paint))));
                for line in self.last_words(event) {
                    note(&self.paint.dim(&format!("    │ {line}")));
                }
            }
            Verbosity::Verbose => {
                let words = printable(&describe(event).replace('\n', " "), Lines::One);
                let words = Clock::here().localised(&words).into_owned();
                note(&format!("{:>8}  {words}", at.since(began).to_string()));
                for line in details(event) {
                    note(&format!("{:>8}    {}", "", printable(&line, Lines::One)));
                }
            }
        }
    }

    /// What an agent said last that ended with an error: that is the reason, whatever its checks say.
    fn last_words(&self, event: &Event) -> Vec<String> {
        let Event::AttemptEnded { report, .. } = event else { return Vec::new() };
        let (Outcome::Exited { code: 1.. }, Some(output)) = (&report.outcome, &report.output)
        else {
            return Vec::new();
        };
        let Ok(bytes) = self.blobs.get(&output.hash, MAX_SAID) else { return Vec::new() };
        let lines = plain_lines(String::from_utf8_lossy(&bytes).trim_end());
        let mut lines: Vec<String> =
            lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
        lines.split_off(lines.len().saturating_sub(LAST_WORDS))
    }

    fn still(&mut self) {
        if let Some(live) = &mut self.live {
            return live.draw();
        }
        if let (Some((what, since)), Some(began)) = (&self.running, self.began) {
            if self.verbosity == Verbosity::Quiet {
                return;
            }
            let now = now();
            note(&format!("{:>8}  {what} ({})", now.since(began).to_string(), now.since(*since)));
        }
    }
}

/// What stands behind an event, for those who asked for more.
fn details(event: &Event) -> Vec<String> {
    match event {
        Event::StepProven { report, .. } | Event::StepNotProven { report: Some(report), .. } => {
            let proofs = report.proofs.iter();
            proofs.map(|proof| format!("{} ({})", proof.summary, proof.took)).collect()
        }
        Event::AttemptEnded { report, .. } => vec![format!("confinement: {}", report.confinement)],
        _ => Vec::new(),
    }
}

/// A line in the colour of its tone.
fn painted(line: &StepLine, paint: Paint) -> String {
    match line.tone {
        Tone::Good => paint.good(&line.text),
        Tone::Bad => paint.bad(&line.text),
        Tone::Plain => line.text.clone(),
        Tone::Dim => paint.dim(&line.text),
    }
}
