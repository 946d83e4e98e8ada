//! Asking a person at the terminal.

use std::io::BufRead as _;

use windlass_core::id::{RunId, StepId};
use windlass_core::run::{GateKind, RunState};
use windlass_engine::dispatch::{Request, send};

use crate::commands::{decide_answer, history, proof_line};
use crate::error::CommandError;
use crate::output::{note, prompt};
use crate::render::Paint;
use crate::surroundings::{self, Surroundings, person};

/// Shows the gate and takes an answer. Returns whether the run can go on.
pub(crate) fn at_gate(surroundings: &Surroundings, state: &RunState) -> Result<bool, CommandError> {
    let Some(gate) = state.gate() else { return Ok(false) };
    note("");
    match &gate.kind {
        GateKind::Approval => {
            note(&format!("`{}` is proven. Accept it?", gate.step));
            for line in proofs_of(surroundings, &state.facts.run, &gate.step)? {
                note(&line);
            }
        }
        GateKind::Protected { changes, diff } => {
            note(&format!("`{}` changed files that judge the work:", gate.step));
            for change in changes {
                note(&format!("  {}", change.path));
            }
            if let Some(diff) = diff
                && let Ok(bytes) = surroundings.site.blobs().get(&diff.hash, 64 << 10)
            {
                note(&String::from_utf8_lossy(&bytes));
            }
        }
    }
    note("  look at it: `windlass proofs`, `windlass place`");
    loop {
        prompt("[a]pprove, [f]eedback TEXT, [r]ollback STEP TEXT, [q]uit: ");
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).map_err(CommandError::failure)? == 0 {
            return Ok(false);
        }
        let request = match parse(&line, state) {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(false),
            Err(message) => {
                note(&message);
                continue;
            }
        };
        let sent = send(&surroundings.site, &state.facts.run, &person(), &request)?;
        match decide_answer(&sent.answer) {
            Ok(()) => return Ok(true),
            Err(error) => note(&error.error.to_string()),
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
            Ok(Some(Request::Feedback { message: rest.to_owned() }))
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
            }))
        }
        "q" | "quit" => Ok(None),
        "" => Err("an empty answer decides nothing".to_owned()),
        _ => Err("answer with `a`, `f TEXT`, `r STEP TEXT` or `q`".to_owned()),
    }
}
