//! Driving a run from the command line: progress, Ctrl-C, questions at gates.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use windlass_core::config::{Notify, Setting};
use windlass_core::id::RunId;
use windlass_core::run::{Event, RunState, RunStatus};
use windlass_core::time::Timestamp;
use windlass_core::view::{Lines, complete_view, describe, help_block, printable, status_view};
use windlass_engine::dispatch::{DriveOptions, Driver, DriverHandle, Ended, Observer, now};

use crate::ask;
use crate::error::{CommandError, EXIT_ABORTED, EXIT_PAUSED, EXIT_PERSON};
use crate::notify::{Bearer, Notifier};
use crate::output::{Output, Verbosity, note, show_live};
use crate::render::{self, Driving, Paint, Screen};
use crate::surroundings::{Surroundings, person};
use crate::watch::Below;

/// How long something may take before a line says that it is still going on.
const STILL_RUNNING: Duration = Duration::from_secs(30);

/// How often the compact view is drawn anew: elapsed times have seconds.
pub(crate) const REDRAWN: Duration = Duration::from_secs(1);

/// The last line of the compact view.
const HINT: &str = "Ctrl-C pauses the run; `windlass watch` elsewhere shows more";

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
    loop {
        let bearer = notifier.bearer();
        let options = DriveOptions::local(how.no_wait).leaving_for_questions(can_ask);
        let ended = drive_once(surroundings, run, options, &signals, bearer, output)?;
        if ended.status == RunStatus::AwaitingApproval
            && can_ask
            && ask::at_gate(surroundings, &ended.state)?
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
    bearer: Bearer,
    output: &Output,
) -> Result<Ended, CommandError> {
    let verbosity = if output.is_json() { Verbosity::Quiet } else { output.verbosity() };
    let live = Below::where_it_can_be_seen(surroundings, run, output, HINT);
    let tick = if live.is_some() { REDRAWN } else { STILL_RUNNING };
    let progress = Arc::new(Mutex::new(Progress::new(verbosity, live)));
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
    let driver = Driver::take_over(&surroundings.site, run, &person(), options, observer)?;
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
        let screen = Screen { driving: Driving::Nobody, now: now(), paint, verbosity };
        output.data(&render::status(&view, screen));
        if let Some(block) = help_block(&ended.state) {
            output.data(&format!("\n{}", printable(&block, Lines::Many)));
        }
        if let Some(complete) = complete_view(&ended.state) {
            output.data("");
            output.data(&complete.block());
        }
    }
}

/// Lines about what happens, with the time since the run began.
struct Progress {
    verbosity: Verbosity,
    live: Option<Below>,
    began: Option<Timestamp>,
    running: Option<(String, Timestamp)>,
}

impl Progress {
    fn new(verbosity: Verbosity, live: Option<Below>) -> Self {
        Self { verbosity, live, began: None, running: None }
    }

    fn tell(&mut self, at: Timestamp, event: &Event, state: &RunState) {
        let began = *self.began.get_or_insert(state.started_at);
        match event {
            Event::AttemptStarted { attempt, .. } => {
                self.running = Some((format!("attempt {attempt} is still running"), at));
            }
            Event::VerificationStarted { step, .. } => {
                self.running = Some((format!("`{step}` is still being verified"), at));
            }
            Event::AttemptEnded { .. }
            | Event::AttemptLost { .. }
            | Event::StepProven { .. }
            | Event::StepNotProven { .. } => self.running = None,
            _ => {}
        }
        // What only the machine needs to know would hide what people want to see.
        let noise = matches!(
            event,
            Event::StepReady { .. }
                | Event::StepTaken { .. }
                | Event::DriverTookOver { .. }
                | Event::DriverLeft
                | Event::WaitEnded { .. }
        );
        let wanted = match self.verbosity {
            Verbosity::Quiet => false,
            Verbosity::Normal => !noise,
            Verbosity::Verbose => true,
        };
        if wanted {
            let words = printable(&describe(event), Lines::One);
            note(&format!("{:>8}  {words}", at.since(began).to_string()));
        }
        if self.verbosity == Verbosity::Verbose {
            for line in details(event) {
                note(&format!("{:>8}    {}", "", printable(&line, Lines::One)));
            }
        }
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

/// Ctrl-C: once stops cleanly, twice now.
pub(crate) struct Interrupts {
    driver: Arc<Mutex<Option<DriverHandle>>>,
    asked: Arc<AtomicBool>,
    heeded: Arc<AtomicBool>,
}

impl Interrupts {
    pub(crate) fn listen() -> Result<Self, CommandError> {
        let driver: Arc<Mutex<Option<DriverHandle>>> = Arc::default();
        let (asked, heeded) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(CommandError::failure)?;
        let interrupts = Self { driver, asked, heeded };
        let (target, asked) = (Arc::clone(&interrupts.driver), Arc::clone(&interrupts.asked));
        let heeded = Arc::clone(&interrupts.heeded);
        std::thread::spawn(move || {
            for _ in signals.forever() {
                let before = asked.swap(true, Ordering::SeqCst);
                let handle = target.lock().unwrap_or_else(PoisonError::into_inner).clone();
                match handle {
                    Some(handle) if !before => {
                        note("stopping; press Ctrl-C again to stop at once");
                        handle.interrupt();
                    }
                    None if !before && heeded.load(Ordering::SeqCst) => {}
                    // Everything below dies with this process: the launchers see to it.
                    _ => leave_at_once(),
                }
            }
        });
        Ok(interrupts)
    }

    /// From here on the caller asks [`Interrupts::is_asked`] also while nothing is driven, so the
    /// first Ctrl-C is left to it.
    pub(crate) fn heed(&self) {
        self.heeded.store(true, Ordering::SeqCst);
    }

    /// Whether somebody wants an end.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// A Ctrl-C from before counts for the driver too.
    fn send_to(&self, driver: Option<DriverHandle>) {
        let mut target = self.driver.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(driver) = driver.as_ref().filter(|_| self.is_asked()) {
            driver.interrupt();
        }
        *target = driver;
    }
}

#[expect(
    clippy::exit,
    reason = "a second Ctrl-C means now; the journal is consistent at any instant"
)]
fn leave_at_once() {
    ask::keyboard::leave();
    std::process::exit(130);
}
