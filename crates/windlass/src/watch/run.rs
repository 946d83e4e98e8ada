//! The loop: gather what happened, update, draw, do what is to be done.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use windlass_core::id::RunId;
use windlass_core::time::Span;
use windlass_engine::dispatch::{Request, Site, now, send_shown};
use windlass_engine::store::{Life, Store};

use super::draw::draw;
use super::look::Look;
use super::screen::{Action, Message, Notice, Screen};
use super::shown::SETTLE;
use super::source::{Ask, Source};
use super::terminal::{self, Taken};
use super::update::update;
use crate::commands::decide_answer;
use crate::error::CommandError;
use crate::surroundings::person;

/// How often the screen is drawn when nothing happens: elapsed times have seconds.
const TICK: Duration = Duration::from_secs(1);

/// Shows a run until the person leaves.
pub(crate) fn watch(site: &Arc<Site>, run: &RunId, colour: bool) -> Result<(), CommandError> {
    let (sender, messages) = channel();
    let (asks, questions) = channel();
    terminal::hear_signals(sender.clone()).map_err(CommandError::failure)?;
    let mut taken = Taken::take().map_err(CommandError::failure)?;
    let source = Source::new(Arc::clone(site), run.clone());
    let seen = sender.clone();
    std::thread::spawn(move || source.follow(&questions, &seen));
    let keys = sender.clone();
    std::thread::spawn(move || terminal::hear_keys(&keys));
    let size = taken.terminal.size().map_err(CommandError::failure)?;
    let mut watching = Watching {
        site: Arc::clone(site),
        run: run.clone(),
        screen: Screen::new((size.width, size.height), now()),
        look: Look::new(colour),
        sender,
        asks,
    };
    watching.until_left(&mut taken, &messages);
    Ok(())
}

struct Watching {
    site: Arc<Site>,
    run: RunId,
    screen: Screen,
    look: Look,
    sender: Sender<Message>,
    asks: Sender<Ask>,
}

impl Watching {
    fn until_left(&mut self, taken: &mut Taken, messages: &Receiver<Message>) {
        let began = Instant::now();
        let since =
            |began: Instant| Span(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        loop {
            update(&mut self.screen, Message::Tick(now(), since(began)));
            let (screen, look) = (&self.screen, self.look);
            // A terminal that takes no output is gone, and nobody can be told.
            if taken.terminal.draw(|frame| draw(frame, screen, look)).is_err() {
                return;
            }
            update(&mut self.screen, Message::Drawn(since(began)));
            let tick = if self.screen.is_settling() { SETTLE.to_duration() } else { TICK };
            let first = match messages.recv_timeout(tick) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            update(&mut self.screen, Message::Tick(now(), since(began)));
            for message in std::iter::once(first).chain(messages.try_iter()) {
                // A terminal that shrank and grew between two drawings has the size that it had, but not
                // what was drawn on it.
                if matches!(message, Message::Resized(..)) && taken.forget_drawn().is_err() {
                    return;
                }
                for action in update(&mut self.screen, message) {
                    match action {
                        Action::Leave => return,
                        Action::Suspend if taken.suspend().is_err() => return,
                        Action::Suspend => self.measure(taken),
                        // The source ends only with the loop.
                        Action::Ask(subject) => drop(self.asks.send(Ask::Page(subject))),
                        Action::StopAsking => drop(self.asks.send(Ask::Nothing)),
                        Action::Decide(request, said) => self.decide(request, said),
                    }
                }
            }
        }
    }

    /// The terminal may have another size after a suspension, which nobody announced, and what was typed
    /// meanwhile was for the shell.
    fn measure(&mut self, taken: &Taken) {
        self.screen.forget_shown();
        if let Ok(size) = taken.terminal.size() {
            update(&mut self.screen, Message::Resized(size.width, size.height));
        }
    }

    /// Asks something of the run, without holding up the screen.
    fn decide(&self, request: Request, said: String) {
        let (site, run) = (Arc::clone(&self.site), self.run.clone());
        let (messages, asks) = (self.sender.clone(), self.asks.clone());
        let shown = self.screen.gate_shown_for();
        std::thread::spawn(move || {
            let notice = ask_of_run(&site, &run, &request, shown, said);
            let _ = messages.send(Message::Answered(notice));
            let _ = asks.send(Ask::Look);
        });
    }
}

/// Sends a decision the way all commands do, and says what became of it.
fn ask_of_run(
    site: &Arc<Site>,
    run: &RunId,
    request: &Request,
    shown: Option<Span>,
    said: String,
) -> Notice {
    let answered = send_shown(site, run, &person(site), request, shown).map_err(CommandError::from);
    let answered = answered.and_then(|sent| {
        decide_answer(&sent.answer)?;
        Ok(sent.driven)
    });
    match answered {
        Ok(true) => Notice { text: said, bad: false },
        Ok(false) => {
            let ended = Store::open_read_only(&site.home.state)
                .ok()
                .and_then(|store| store.run(run).ok())
                .is_some_and(|run| run.life == Life::Finished);
            let more = match request {
                // The answer to the last gate completes the run.
                _ if ended => "; the run is complete",
                Request::Pause { .. } => "",
                _ => "; the run is idle; continue with `windlass resume`",
            };
            Notice { text: format!("{said}{more}"), bad: false }
        }
        Err(error) => {
            let hint = error.hints.first().map(|hint| format!(" ({hint})")).unwrap_or_default();
            Notice { text: format!("refused: {}{hint}", error.error), bad: true }
        }
    }
}
