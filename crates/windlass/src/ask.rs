//! Asking a person at the terminal.

pub(crate) mod keyboard;
mod questions;
mod showing;

use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use windlass_core::id::{RunId, StepId};
use windlass_core::plan::StepKind;
use windlass_core::run::{Gate, GateKind, RunState};
use windlass_core::time::{Span, Timestamp};
use windlass_core::view::{GateView, Lines, count, plain_lines, printable, status_view};
use windlass_engine::dispatch::{Request, now, send_shown};
use windlass_engine::journal::load;
use windlass_engine::store::Store;

use crate::changes;
use crate::commands::{decide_answer, history, newest_proofs, proof_line};
use crate::error::CommandError;
use crate::gate_brief::GateBrief;
use crate::lines::fitted;
use crate::output::{Output, live_size, note, prompt};
use crate::render::Paint;
use crate::surroundings::{self, Surroundings, person};
use keyboard::Typed;
use showing::Showing;

pub(crate) use questions::questions;
pub(crate) use showing::{not_shown, only_grew};

/// How often the journal is looked at while nobody types.
const INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };

/// With more checks than this, their number has to do; `e` shows all.
const MOST_CHECKS: usize = 4;

/// How much of the evidence of one check is shown.
const MOST_EVIDENCE: u64 = 512 << 10;

/// How many files behind a verdict are shown.
const MOST_FILES: usize = 20;

/// Shows the gate and takes an answer. Returns whether the run can go on.
pub(crate) fn at_gate(
    surroundings: &Surroundings,
    state: &RunState,
    output: &Output,
) -> Result<bool, CommandError> {
    let Some(gate) = state.gate() else { return Ok(false) };
    let brief = GateBrief::of(surroundings, state)?;
    let paint = Paint::new(output.has_colour());
    note("");
    let showing = Showing::of(surroundings, state, gate);
    showing.print();
    note("");
    let mut lines = question(surroundings, state, gate, paint)?;
    let asked = lines.first().cloned().unwrap_or_default();
    lines.extend(changes::tests(surroundings, state).map(|tests| format!("  {tests}")));
    lines.extend(brief.iter().flat_map(|brief| brief.lines(paint)));
    lines.push(
        paint.dim("for a closer look: `windlass watch`, `windlass proofs`, `windlass place`"),
    );
    lines.iter().for_each(|line| note(line));
    if live_size().is_some_and(|size| is_taller(&lines, size)) {
        // The question has scrolled away; whoever answers has to see it.
        note(&asked);
    }
    let shown = Instant::now();
    // Also after an answer that was refused because the files changed: they are verified again.
    let open = |state: &RunState| state.gate().is_some_and(|open| open.id == gate.id);
    let mut asked = Asked::new(surroundings, &state.facts.run, open, None)?;
    loop {
        keyboard::settle(|| asked.is_wanted())?;
        let _marked = keyboard::Marked::begin();
        prompt("[a]pprove, [f]eedback TEXT, [r]ollback STEP TEXT, [d]iff, [e]vidence, [q]uit: ");
        if asked.wait()? != Answered::Here {
            note("\nthe gate is not open any more: the run continues");
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
        if matches!(line.trim(), "e" | "evidence") {
            evidence(surroundings, state, &gate.step)?;
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
        let sent = send_shown(site, run, &person(site), &request, after)?;
        match decide_answer(&sent.answer) {
            Ok(()) => return Ok(true),
            Err(error) => note(&error.error.to_string()),
        }
    }
}

/// Whether lines and the keys below them do not fit on one screen.
fn is_taller(lines: &[String], (width, height): (usize, usize)) -> bool {
    let rows: usize = lines.iter().map(|line| fitted(line, width).lines().count()).sum();
    rows + 1 > height
}

/// Returns what is to be decided, in its first line, and what it is about.
fn question(
    surroundings: &Surroundings,
    state: &RunState,
    gate: &Gate,
    paint: Paint,
) -> Result<Vec<String>, CommandError> {
    let mut lines = Vec::new();
    match &gate.kind {
        GateKind::Approval => {
            let proofs = proofs_of(surroundings, &state.facts.run, &gate.step)?;
            let passed = match proofs.len() {
                0 => "is done".to_owned(),
                checks => format!("passed {}", count(checks, "check")),
            };
            let step = state.plan.find(&gate.step).map(|index| &state.plan.step(index).kind);
            let asked = match step {
                Some(StepKind::PullRequest(_)) => {
                    format!("Push `{}` and open the pull request?", state.facts.branch)
                }
                _ => "Accept it?".to_owned(),
            };
            let asked = format!("`{}` {passed}. {asked}", gate.step);
            lines.push(paint.bold(&printable(&asked, Lines::One)));
            if proofs.len() <= MOST_CHECKS {
                lines.extend(proofs.iter().map(|line| printable(line, Lines::One)));
            }
            if let Some(unseen) = state.asked_about(gate) {
                lines.push(
                    "  it includes changes to protected files that no person has seen yet:"
                        .to_owned(),
                );
                for change in &unseen.changes {
                    lines.push(format!("  {}", printable(&change.called(), Lines::One)));
                }
            }
            for line in status_view(state).gate.iter().flat_map(GateView::story_lines) {
                lines.push(format!("  {line}"));
            }
        }
        GateKind::Route { verdict, target, files, told } => {
            let question = format!("`{}` said {verdict}. Go back to `{target}`?", gate.step);
            lines.push(paint.bold(&printable(&question, Lines::One)));
            for line in told.lines() {
                lines.push(format!("  {}", printable(line, Lines::One)));
            }
            for file in files.iter().take(MOST_FILES) {
                lines.push(format!("  {}", printable(file, Lines::One)));
            }
            if files.len() > MOST_FILES {
                lines.push(format!("  and {} more", files.len() - MOST_FILES));
            }
            let keys =
                "  [a] goes back there, [r]ollback STEP goes elsewhere, [f]eedback reviews again";
            lines.push(keys.to_owned());
            let risk = "  [x] WHY accepts the risk: the run continues, and the report says why";
            lines.push(risk.to_owned());
        }
        GateKind::Protected { changes, late, .. } => {
            let question = match late {
                false => format!("`{}` changed files that judge the work:", gate.step),
                true => {
                    "Protected files were changed, and no person has seen how. May these changes be published?".to_owned()
                }
            };
            lines.push(paint.bold(&question));
            for change in changes {
                lines.push(format!("  {}", printable(&change.called(), Lines::One)));
            }
        }
    }
    Ok(lines)
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

/// Prints what each check of the step printed.
fn evidence(
    surroundings: &Surroundings,
    state: &RunState,
    step: &StepId,
) -> Result<(), CommandError> {
    let Some(store) = surroundings.store()? else { return Ok(()) };
    let history = history(&store, &state.facts.run)?;
    let known = history.steps.get(step);
    let proofs = known.map_or(Vec::new(), |step| newest_proofs(&step.proofs, false));
    if proofs.is_empty() {
        note("no check has judged these files");
    }
    for entry in proofs {
        note(&printable(&proof_line(entry, Paint::new(false)), Lines::One));
        let Some(blob) = &entry.proof.evidence else { continue };
        match surroundings.site.blobs().get(&blob.hash, MOST_EVIDENCE) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                plain_lines(text.trim_end()).iter().for_each(|line| note(&format!("    │ {line}")));
            }
            Err(error) => note(&format!("    it cannot be read: {error}")),
        }
    }
    Ok(())
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
        "x" => {
            let gate = state.gate().ok_or("the gate is gone")?;
            if !matches!(gate.kind, GateKind::Route { .. }) {
                return Err("there is no verdict to overrule: `a` approves".to_owned());
            }
            if rest.is_empty() {
                return Err("say why the risk is accepted: `x WHY`; the report keeps it".to_owned());
            }
            let reason = format!("the risk is accepted: {rest}");
            Ok(Some(Request::Skip { step: gate.step.clone(), reason, keep: true }))
        }
        "q" | "quit" => Ok(None),
        "" => Err("an empty answer decides nothing".to_owned()),
        _ => Err("answer with `a`, `f TEXT`, `r STEP TEXT`, `d`, `e` or `q`".to_owned()),
    }
}
