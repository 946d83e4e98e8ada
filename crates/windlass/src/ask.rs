//! Asking a person at the terminal.

pub(crate) mod keyboard;
mod questions;
mod showing;

use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use windlass_core::id::{RunId, StepId};
use windlass_core::run::{GateKind, RunState};
use windlass_core::time::{Span, Timestamp};
use windlass_core::view::{Lines, printable, status_view};
use windlass_engine::dispatch::{Request, now, send_shown};
use windlass_engine::journal::load;
use windlass_engine::store::Store;

use crate::changes;
use crate::commands::{decide_answer, history, proof_line};
use crate::error::CommandError;
use crate::output::{note, prompt};
use crate::render::Paint;
use crate::surroundings::{self, Surroundings, person};
use keyboard::Typed;
use showing::Showing;

pub(crate) use questions::questions;
pub(crate) use showing::{not_shown, only_grew};

/// How often the journal is looked at while nobody types.
const INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };

/// How many files behind a verdict are shown.
const MOST_FILES: usize = 20;

/// Shows the gate and takes an answer. Returns whether the run can go on.
pub(crate) fn at_gate(surroundings: &Surroundings, state: &RunState) -> Result<bool, CommandError> {
    let Some(gate) = state.gate() else { return Ok(false) };
    note("");
    match &gate.kind {
        GateKind::Approval => {
            note(&format!("`{}` is proven. Accept it?", gate.step));
            for line in proofs_of(surroundings, &state.facts.run, &gate.step)? {
                note(&printable(&line, Lines::One));
            }
            for skip in status_view(state).gate.into_iter().flat_map(|gate| gate.skips) {
                let reason = printable(&skip.reason, Lines::One);
                note(&format!("  then `{}` is skipped: {reason}", skip.step));
            }
        }
        GateKind::Route { verdict, target, files, told } => {
            note(&format!("`{}` said {verdict}. Go back to `{target}`?", gate.step));
            for line in told.lines() {
                note(&format!("  {}", printable(line, Lines::One)));
            }
            for file in files.iter().take(MOST_FILES) {
                note(&format!("  {}", printable(file, Lines::One)));
            }
            if files.len() > MOST_FILES {
                note(&format!("  and {} more", files.len() - MOST_FILES));
            }
            note("  [a] goes back there, [r]ollback STEP goes elsewhere, [f]eedback reviews again");
        }
        GateKind::Protected { changes, .. } => {
            note(&format!("`{}` changed files that judge the work:", gate.step));
            for change in changes {
                note(&format!("  {}", printable(&change.called(), Lines::One)));
            }
        }
    }
    if let Some(tests) = changes::tests(surroundings, state) {
        note(&format!("  {tests}"));
    }
    let showing = Showing::of(surroundings, state, gate);
    showing.print();
    note("  look at it elsewhere: `windlass watch`, `windlass proofs`, `windlass place`");
    let shown = Instant::now();
    // Also after an answer that was refused because the files changed: they are verified again.
    let open = |state: &RunState| state.gate().is_some_and(|open| open.id == gate.id);
    let mut asked = Asked::new(surroundings, &state.facts.run, open, None)?;
    loop {
        keyboard::settle(|| asked.is_wanted())?;
        let _marked = keyboard::Marked::begin();
        prompt("[a]pprove, [f]eedback TEXT, [r]ollback STEP TEXT, [d]iff, [q]uit: ");
        if asked.wait()? != Answered::Here {
            note("\nthe gate is not open any more: the run goes on");
            return Ok(true);
        }
        let line = match keyboard::read()? {
            Typed::Line(line) => line,
            Typed::Void(why) => {
                note(why);
                continue;
            }
            Typed::End => return Ok(false),
        };
        if matches!(line.trim(), "d" | "diff") {
            showing.print_all();
            continue;
        }
        let request = match parse(&line, state) {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(false),
            Err(message) => {
                note(&message);
                continue;
            }
        };
        let after = Some(Span(u64::try_from(shown.elapsed().as_millis()).unwrap_or(u64::MAX)));
        let (site, run) = (&surroundings.site, &state.facts.run);
        let sent = send_shown(site, run, &person(), &request, after)?;
        match decide_answer(&sent.answer) {
            Ok(()) => return Ok(true),
            Err(error) => note(&error.error.to_string()),
        }
    }
}

/// Where an answer came from.
#[derive(PartialEq, Eq)]
pub(crate) enum Answered {
    Here,
    Elsewhere,
    /// From nobody, in the time that there was.
    Nowhere,
}

/// Something that is asked, and that may be answered elsewhere or too late.
struct Asked<F> {
    store: Option<Store>,
    run: RunId,
    is_open: F,
    until: Option<Timestamp>,
    mark: Option<i64>,
}

impl<F: Fn(&RunState) -> bool> Asked<F> {
    fn new(
        surroundings: &Surroundings,
        run: &RunId,
        is_open: F,
        until: Option<Timestamp>,
    ) -> Result<Self, CommandError> {
        let (store, run) = (surroundings.store()?, run.clone());
        Ok(Self { store, run, is_open, until, mark: None })
    }

    /// Whether an answer is still wanted; else where it came from.
    fn look(&mut self) -> Result<Option<Answered>, CommandError> {
        let Some(store) = &self.store else { return Ok(Some(Answered::Here)) };
        let seen = store.change_mark().map_err(CommandError::failure)?;
        if self.mark.replace(seen) != Some(seen) && !(self.is_open)(&load(store, &self.run)?.state)
        {
            // Whoever asks again hears the same.
            self.mark = None;
            return Ok(Some(Answered::Elsewhere));
        }
        let late = self.until.is_some_and(|until| until <= now());
        Ok(late.then_some(Answered::Nowhere))
    }

    fn is_wanted(&mut self) -> Result<bool, CommandError> {
        Ok(self.look()?.is_none())
    }

    /// Waits until something was typed, until nothing is open any more (whoever answers in a live view
    /// wants the run to go on), or until it is too late.
    fn wait(&mut self) -> Result<Answered, CommandError> {
        loop {
            if let Some(answered) = self.look()? {
                return Ok(answered);
            }
            let stdin = std::io::stdin();
            // A terminal gives one line at a time, so nothing waits in a buffer of this process.
            let mut typed = [PollFd::new(&stdin, PollFlags::IN)];
            match poll(&mut typed, Some(&INTERVAL)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(Answered::Here),
                Err(error) => return Err(CommandError::failure(std::io::Error::from(error))),
            }
        }
    }
}

fn proofs_of(
    surroundings: &Surroundings,
    run: &RunId,
    step: &StepId,
) -> Result<Vec<String>, CommandError> {
    let Some(store) = surroundings.store()? else { return Ok(Vec::new()) };
    let history = history(&store, run)?;
    let proofs = history.steps.get(step).map(|step| &step.proofs);
    let decisive = proofs.into_iter().flatten().filter(|entry| entry.decisive);
    Ok(decisive.map(|entry| proof_line(entry, Paint::new(false))).collect())
}

/// Reads an answer; silence and noise approve nothing.
fn parse(line: &str, state: &RunState) -> Result<Option<Request>, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "a" | "approve" if rest.is_empty() => {
            let gate = state.gate().ok_or("the gate is gone")?;
            Ok(Some(Request::Approve { gate: gate.id, message: None }))
        }
        "f" | "feedback" if !rest.is_empty() => {
            let gate = state.gate().map(|gate| gate.id);
            Ok(Some(Request::Feedback { message: rest.to_owned(), gate }))
        }
        "r" | "rollback" => {
            let (step, message) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let step = surroundings::step(state, step).map_err(|error| error.error.to_string())?;
            if message.trim().is_empty() {
                return Err("say why: `r STEP TEXT`".to_owned());
            }
            Ok(Some(Request::Rollback {
                step,
                message: message.trim().to_owned(),
                reset_code: false,
                checkpoint: None,
            }))
        }
        "q" | "quit" => Ok(None),
        "" => Err("an empty answer decides nothing".to_owned()),
        _ => Err("answer with `a`, `f TEXT`, `r STEP TEXT`, `d` or `q`".to_owned()),
    }
}
