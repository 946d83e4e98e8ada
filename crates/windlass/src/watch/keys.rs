//! What keys do: in the overview, in a page, in a question.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use windlass_core::run::RunStatus;

use super::decide;
use super::pager::{Pager, Subject};
use super::screen::{Action, Dialog, Screen};
use super::text_input::TextInput;
use super::update::page_size;

/// Takes in a key.
pub(super) fn key(screen: &mut Screen, key: KeyEvent) -> Vec<Action> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    if key.modifiers.contains(KeyModifiers::ALT) {
        return after_escape(screen, key);
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        match key.code {
            KeyCode::Char('c') => return vec![Action::Leave],
            KeyCode::Char('z') => return vec![Action::Suspend],
            _ => {}
        }
    }
    screen.notice = None;
    if screen.dialog.is_some() {
        return decide::key(screen, key);
    }
    if screen.pager.is_some() {
        return in_page(screen, key);
    }
    in_overview(screen, key)
}

/// An escape that a key follows at once looks like that key with Alt. It is taken as both, one after
/// the other, except where text is typed: there Alt is a habit and must not lose the text.
fn after_escape(screen: &mut Screen, pressed: KeyEvent) -> Vec<Action> {
    let searches = screen.pager.as_ref().is_some_and(|pager| pager.typing.is_some());
    if searches || decide::typing(screen.dialog.as_mut()).is_some() {
        return Vec::new();
    }
    let mut actions = key(screen, KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
    actions.extend(key(screen, KeyEvent::new(pressed.code, KeyModifiers::NONE)));
    actions
}

/// Asks what a person decides, once the gate has been there to be looked at.
fn asks(screen: &mut Screen, question: fn(&mut Screen)) {
    if screen.hears_gate() { question(screen) } else { screen.too_early() }
}

/// Takes in text that was pasted: only where text is asked for.
pub(super) fn paste(screen: &mut Screen, text: &str) {
    let typing = screen.pager.as_mut().and_then(|pager| pager.typing.as_mut());
    if let Some(input) = decide::typing(screen.dialog.as_mut()).or(typing) {
        input.paste(text);
    }
}

fn in_overview(screen: &mut Screen, key: KeyEvent) -> Vec<Action> {
    let page = isize::try_from(page_size(screen.size).1 / 2).unwrap_or(1).max(1);
    match key.code {
        KeyCode::Char('q') => return vec![Action::Leave],
        KeyCode::Char('?') | KeyCode::F(1) => screen.dialog = Some(Dialog::Help),
        KeyCode::Up | KeyCode::Char('k') => choose(screen, -1),
        KeyCode::Down | KeyCode::Char('j') => choose(screen, 1),
        KeyCode::PageUp if screen.shows_gate() => scroll_gate(screen, -page),
        KeyCode::PageDown if screen.shows_gate() => scroll_gate(screen, page),
        KeyCode::PageUp => choose(screen, -page),
        KeyCode::PageDown => choose(screen, page),
        KeyCode::Home => choose(screen, isize::MIN),
        KeyCode::End => choose(screen, isize::MAX),
        KeyCode::Esc => screen.chosen = None,
        KeyCode::Enter if screen.shows_gate() => return open(screen, Subject::Gate),
        KeyCode::Enter | KeyCode::Char('e') => return open(screen, Subject::Evidence),
        KeyCode::Char('p') => return open(screen, |step| Subject::Prompt(step, None)),
        KeyCode::Char('d') => return open(screen, |step| Subject::Diff(step, None)),
        KeyCode::Char('o') => return open(screen, |step| Subject::Output(step, None)),
        KeyCode::Char('l') => return open(screen, |_| Subject::Log),
        KeyCode::Char('a') => asks(screen, decide::approve),
        KeyCode::Char('f') => asks(screen, decide::feedback),
        KeyCode::Char('r') => asks(screen, decide::rollback),
        KeyCode::Char('s') => decide::pause_or_resume(screen),
        _ => {}
    }
    Vec::new()
}

fn choose(screen: &mut Screen, by: isize) {
    let count = screen.steps().len();
    let Some(selected) = screen.selected() else { return };
    let next = selected.saturating_add_signed(by).min(count.saturating_sub(1));
    screen.chosen = screen.steps().get(next).map(|step| step.id.clone());
}

fn scroll_gate(screen: &mut Screen, by: isize) {
    let lines = screen.gate.as_ref().map_or(0, |(_, lines)| lines.len());
    screen.gate_top = screen.gate_top.saturating_add_signed(by).min(lines.saturating_sub(1));
}

/// Opens a page about the step that is looked at.
pub(super) fn open(
    screen: &mut Screen,
    subject: impl FnOnce(windlass_core::id::StepId) -> Subject,
) -> Vec<Action> {
    let Some(step) = screen.selected_step() else { return Vec::new() };
    let subject = subject(step.id.clone());
    let (width, height) = page_size(screen.size);
    screen.pager = Some(Pager::new(subject.clone(), width, height));
    vec![Action::Ask(subject)]
}

fn in_page(screen: &mut Screen, key: KeyEvent) -> Vec<Action> {
    let Some(pager) = &mut screen.pager else { return Vec::new() };
    if pager.typing.is_some() {
        search(screen, key);
        return Vec::new();
    }
    let page = isize::try_from(pager.height.saturating_sub(1)).unwrap_or(1).max(1);
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => {
            screen.pager = None;
            return vec![Action::StopAsking];
        }
        KeyCode::Up | KeyCode::Char('k') => pager.scroll(-1),
        KeyCode::Down | KeyCode::Char('j') | KeyCode::Enter => pager.scroll(1),
        KeyCode::PageUp | KeyCode::Char('b') => pager.scroll(-page),
        KeyCode::PageDown | KeyCode::Char(' ') => pager.scroll(page),
        KeyCode::Home | KeyCode::Char('g') => pager.go_to(0),
        KeyCode::End | KeyCode::Char('G') => pager.end(),
        KeyCode::Char('/') => pager.typing = Some(TextInput::default()),
        KeyCode::Char('n') => find(screen, true),
        KeyCode::Char('N') => find(screen, false),
        KeyCode::Char('[') | KeyCode::Left => return other_attempt(screen, -1),
        KeyCode::Char(']') | KeyCode::Right => return other_attempt(screen, 1),
        KeyCode::Char('e') => return open(screen, Subject::Evidence),
        KeyCode::Char('p') => return open(screen, |step| Subject::Prompt(step, None)),
        KeyCode::Char('d') => return open(screen, |step| Subject::Diff(step, None)),
        KeyCode::Char('o') => return open(screen, |step| Subject::Output(step, None)),
        KeyCode::Char('l') => return open(screen, |_| Subject::Log),
        KeyCode::Char('a') => asks(screen, decide::approve),
        KeyCode::Char('f') => asks(screen, decide::feedback),
        KeyCode::Char('r') => asks(screen, decide::rollback),
        KeyCode::Char('?') | KeyCode::F(1) => screen.dialog = Some(Dialog::Help),
        _ => {}
    }
    Vec::new()
}

fn search(screen: &mut Screen, key: KeyEvent) {
    let Some(pager) = &mut screen.pager else { return };
    match key.code {
        KeyCode::Esc => pager.typing = None,
        KeyCode::Enter => {
            let typed = pager.typing.take().map(|input| input.text()).unwrap_or_default();
            pager.search = (!typed.is_empty()).then_some(typed);
            if pager.search.is_some() {
                find(screen, true);
            }
        }
        _ => {
            if let Some(input) = &mut pager.typing {
                input.key(key);
            }
        }
    }
}

fn find(screen: &mut Screen, forward: bool) {
    let Some(pager) = &mut screen.pager else { return };
    let Some(search) = pager.search.clone() else { return };
    if !pager.find(forward) {
        screen.say(format!("`{search}` is not found"), true);
    }
}

/// Shows the same of the attempt before or after.
fn other_attempt(screen: &mut Screen, by: i32) -> Vec<Action> {
    let Some(pager) = &screen.pager else { return Vec::new() };
    let Some((shown, count)) = pager.attempt else { return Vec::new() };
    let Some(wanted) = shown.checked_add_signed(by).filter(|n| (1..=count).contains(n)) else {
        return Vec::new();
    };
    let subject = match &pager.subject {
        Subject::Prompt(step, _) => Subject::Prompt(step.clone(), Some(wanted)),
        Subject::Diff(step, _) => Subject::Diff(step.clone(), Some(wanted)),
        Subject::Output(step, _) => Subject::Output(step.clone(), Some(wanted)),
        Subject::Evidence(_) | Subject::Log | Subject::Gate(_) => return Vec::new(),
    };
    let (width, height) = page_size(screen.size);
    screen.pager = Some(Pager::new(subject.clone(), width, height));
    vec![Action::Ask(subject)]
}

/// Whether a run in this status can be paused.
pub(super) fn can_pause(status: RunStatus) -> bool {
    match status {
        RunStatus::Active | RunStatus::Waiting | RunStatus::AwaitingApproval => true,
        RunStatus::AwaitingUser | RunStatus::Paused | RunStatus::Completed | RunStatus::Aborted => {
            false
        }
    }
}
