//! What follows from what happened: pure, so that it can be tested without a terminal.

use std::sync::Arc;

use windlass_core::time::Span;

use super::keys;
use super::pager::{Page, Subject};
use super::screen::{Action, Dialog, Message, Screen, Seen};

/// How long good news stays; what it says may be old after that.
const NOTICE: Span = Span::seconds(10);

/// Takes in what happened and says what is to be done.
pub(super) fn update(screen: &mut Screen, message: Message) -> Vec<Action> {
    match message {
        Message::Key(key) => keys::key(screen, key),
        Message::Pasted(text) => {
            keys::paste(screen, &text);
            Vec::new()
        }
        Message::Resized(width, height) => {
            screen.size = (width, height);
            if let Some(pager) = &mut screen.pager {
                let (width, height) = page_size(screen.size);
                pager.resize(width, height);
            }
            Vec::new()
        }
        Message::Tick(now, moment) => {
            screen.now = screen.now.max(now);
            screen.moment = screen.moment.max(moment);
            let old = screen.now.since(screen.notice_since) > NOTICE;
            if old && screen.notice.as_ref().is_some_and(|notice| !notice.bad) {
                screen.notice = None;
            }
            Vec::new()
        }
        Message::Drawn(moment) => {
            screen.drawn(moment);
            Vec::new()
        }
        Message::Seen(seen) => take_in(screen, seen),
        Message::Page(page) => {
            show(screen, page);
            Vec::new()
        }
        Message::Answered(notice) => {
            screen.deciding = false;
            screen.say(notice.text, notice.bad);
            Vec::new()
        }
        Message::Leave => vec![Action::Leave],
    }
}

/// The room for the text of a page: all but its title and the line of keys.
pub(super) fn page_size(size: (u16, u16)) -> (usize, usize) {
    (usize::from(size.0.max(1)), usize::from(size.1.saturating_sub(2).max(1)))
}

/// Takes in what the source saw; a gate that is new is asked about at once.
fn take_in(screen: &mut Screen, seen: Arc<Seen>) -> Vec<Action> {
    let mut actions = Vec::new();
    let gate = seen.view.gate.as_ref();
    let known = screen.seen.as_ref().and_then(|seen| seen.view.gate.as_ref());
    if let Some(gate) = gate
        && known.is_none_or(|known| known.id != gate.id)
    {
        actions.push(Action::Ask(Subject::Gate(gate.step.clone())));
        screen.gate = None;
        screen.gate_top = 0;
    }
    if gate.is_none() {
        screen.gate = None;
    }
    // An answer to a gate that is gone could only be refused.
    if let Some(Dialog::Approve { gate: asked, .. }) = &screen.dialog
        && gate.is_none_or(|gate| gate.id != *asked)
        && !screen.deciding
    {
        screen.dialog = None;
        screen.say("the gate was answered elsewhere", true);
    }
    screen.seen = Some(seen);
    actions
}

fn show(screen: &mut Screen, page: Page) {
    if let Subject::Gate(step) = &page.subject {
        let gate = screen.seen.as_ref().and_then(|seen| seen.view.gate.as_ref());
        if let Some(gate) = gate.filter(|gate| gate.step == *step) {
            screen.gate = Some((gate.id, Arc::clone(&page.lines)));
        }
    }
    // A page that came after its pager was closed, or another opened, is not wanted any more.
    if let Some(pager) = screen.pager.as_mut().filter(|pager| pager.subject == page.subject) {
        pager.show(page);
    }
}
