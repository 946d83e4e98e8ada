//! Questions to the person, and what the answers ask of the run.

use ratatui::crossterm::event::{KeyCode, KeyEvent};
use windlass_core::run::{Raise, RunStatus};
use windlass_engine::dispatch::Request;

use super::keys::can_pause;
use super::screen::{Action, Dialog, Screen};
use super::text_input::TextInput;

/// Asks whether the gate that is shown is to be approved.
pub(super) fn approve(screen: &mut Screen) {
    let gate = screen.seen.as_ref().and_then(|seen| seen.view.gate.as_ref());
    match gate {
        Some(gate) => {
            let (gate, step) = (gate.id, gate.step.clone());
            ask(screen, Dialog::Approve { gate, step, message: None });
        }
        None => refuse(screen, "no gate waits for an answer"),
    }
}

/// Asks what should be different.
pub(super) fn feedback(screen: &mut Screen) {
    let Some(seen) = &screen.seen else { return };
    let gate = seen.view.gate.as_ref().map(|gate| gate.step.clone());
    let failed = seen.view.steps.iter().find(|step| step.failure.is_some());
    let stopped = matches!(seen.view.run.status, RunStatus::Paused | RunStatus::AwaitingUser);
    let failed = failed.filter(|_| stopped).map(|step| step.id.clone());
    match gate.or(failed) {
        Some(step) => ask(
            screen,
            Dialog::Feedback { step, gate: screen.open_gate(), text: TextInput::default() },
        ),
        None => refuse(screen, "no gate waits for an answer, and no step has failed"),
    }
}

/// Asks which step to go back to, the suggested one first.
pub(super) fn rollback(screen: &mut Screen) {
    let Some(seen) = &screen.seen else { return };
    let targets = seen.targets.clone();
    if targets.is_empty() {
        return refuse(screen, "no step has begun that the run could go back to");
    }
    let at = targets.iter().position(|target| target.suggested).unwrap_or(0);
    ask(screen, Dialog::Rollback { targets, at, reset_code: false, why: None });
}

/// Asks whether the run is to stop, or to go on.
pub(super) fn pause_or_resume(screen: &mut Screen) {
    let Some(status) = screen.seen.as_ref().map(|seen| seen.view.run.status) else { return };
    match status {
        status if can_pause(status) => ask(screen, Dialog::Pause),
        RunStatus::Paused | RunStatus::AwaitingUser => ask(screen, Dialog::Resume),
        _ => refuse(screen, "the run has ended"),
    }
}

fn ask(screen: &mut Screen, dialog: Dialog) {
    if screen.deciding {
        return refuse(screen, "an answer is on its way");
    }
    screen.dialog = Some(dialog);
}

fn refuse(screen: &mut Screen, text: &str) {
    screen.say(text, true);
}

/// Returns the text that is being typed.
pub(super) fn typing(dialog: Option<&mut Dialog>) -> Option<&mut TextInput> {
    match dialog? {
        Dialog::Approve { message, .. } => message.as_mut(),
        Dialog::Feedback { text, .. } => Some(text),
        Dialog::Rollback { why, .. } => why.as_mut(),
        Dialog::Help | Dialog::Pause | Dialog::Resume => None,
    }
}

/// Takes in a key while something is asked. Only what was asked for decides; noise does not.
pub(super) fn key(screen: &mut Screen, key: KeyEvent) -> Vec<Action> {
    if key.code == KeyCode::Esc {
        screen.dialog = None;
        return Vec::new();
    }
    if let Some(input) = typing(screen.dialog.as_mut()) {
        if key.code != KeyCode::Enter {
            input.key(key);
            return Vec::new();
        }
        if !screen.hears_question() {
            screen.too_early();
            return Vec::new();
        }
        return send_text(screen);
    }
    if is_answer(screen.dialog.as_ref(), key.code) && !screen.hears_question() {
        screen.too_early();
        return Vec::new();
    }
    let Some(dialog) = &mut screen.dialog else { return Vec::new() };
    match (dialog, key.code) {
        (Dialog::Help, _) => screen.dialog = None,
        (Dialog::Approve { gate, step, .. }, KeyCode::Char('y')) => {
            let request = Request::Approve { gate: *gate, message: None };
            let said = format!("`{step}` is approved");
            return send(screen, request, said);
        }
        (Dialog::Approve { message, .. }, KeyCode::Char('m')) => {
            *message = Some(TextInput::default());
        }
        (Dialog::Rollback { at, .. }, KeyCode::Up | KeyCode::Char('k')) => {
            *at = at.saturating_sub(1);
        }
        (Dialog::Rollback { at, targets, .. }, KeyCode::Down | KeyCode::Char('j')) => {
            *at = (*at + 1).min(targets.len().saturating_sub(1));
        }
        (Dialog::Rollback { reset_code, .. }, KeyCode::Char('c')) => *reset_code = !*reset_code,
        (Dialog::Rollback { why, .. }, KeyCode::Enter) => *why = Some(TextInput::default()),
        (Dialog::Pause, KeyCode::Char('y')) => {
            return send(screen, Request::Pause { now: false }, "nothing new starts".to_owned());
        }
        (Dialog::Pause, KeyCode::Char('x')) => {
            return send(screen, Request::Pause { now: true }, "the run stops".to_owned());
        }
        (Dialog::Resume, KeyCode::Char('y')) => {
            let request = Request::Resume { raise: Raise::default() };
            return send(screen, request, "the run may go on".to_owned());
        }
        (Dialog::Approve { .. } | Dialog::Pause | Dialog::Resume, KeyCode::Char('n' | 'q'))
        | (Dialog::Rollback { .. }, KeyCode::Char('q')) => screen.dialog = None,
        _ => {}
    }
    Vec::new()
}

/// Whether a key answers what is asked, or is noise where an answer is expected. Leaving is neither.
fn is_answer(dialog: Option<&Dialog>, key: KeyCode) -> bool {
    let asks = matches!(dialog, Some(Dialog::Approve { .. } | Dialog::Pause | Dialog::Resume));
    asks && !matches!(key, KeyCode::Char('n' | 'q' | 'm'))
}

/// Sends what was typed; nothing typed decides nothing.
fn send_text(screen: &mut Screen) -> Vec<Action> {
    let (request, said) = match &screen.dialog {
        Some(Dialog::Approve { gate, step, message: Some(message) }) => {
            let message = (!message.is_blank()).then(|| message.text());
            (Request::Approve { gate: *gate, message }, format!("`{step}` is approved"))
        }
        Some(Dialog::Feedback { text, step, gate }) if !text.is_blank() => {
            let said = format!("`{step}` is open again, with your feedback");
            (Request::Feedback { message: text.text(), gate: *gate }, said)
        }
        Some(Dialog::Rollback { targets, at, reset_code, why: Some(why) }) if !why.is_blank() => {
            let Some(target) = targets.get(*at) else { return Vec::new() };
            let request = Request::Rollback {
                step: target.step.clone(),
                message: why.text(),
                reset_code: *reset_code,
                checkpoint: None,
            };
            (request, format!("the run goes back to `{}`", target.step))
        }
        _ => {
            refuse(screen, "say something, or press Esc");
            return Vec::new();
        }
    };
    send(screen, request, said)
}

fn send(screen: &mut Screen, request: Request, said: String) -> Vec<Action> {
    screen.dialog = None;
    screen.deciding = true;
    vec![Action::Decide(request, said)]
}
