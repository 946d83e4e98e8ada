//! The terminal: taken over, and given back however the view ends.

use std::io::{self, Stdout, stdout};
use std::sync::mpsc::Sender;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::{Position, Rect};
use rustix::process::{Signal, kill_current_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::screen::Message;

/// The terminal while the view has it. Dropping it gives it back.
pub(super) struct Taken {
    pub(super) terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Taken {
    pub(super) fn take() -> io::Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        enter()?;
        let taken = Self { terminal: Terminal::new(CrosstermBackend::new(stdout()))? };
        Ok(taken)
    }

    /// Gives the terminal back to the shell until the person returns.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        give_back();
        // Stops here, and goes on when the shell continues this process.
        kill_current_process_group(Signal::TSTP)?;
        enter()?;
        self.forget_drawn()
    }

    /// Makes the next drawing a whole one. `clear` would ask the terminal where its cursor is, and the
    /// answer would go to the thread that reads keys.
    pub(super) fn forget_drawn(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from((Position::ORIGIN, size)))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    let entered = execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste);
    if entered.is_err() {
        give_back();
    }
    entered
}

/// Makes the terminal as it was; a terminal that is gone needs nothing.
fn give_back() {
    let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// Sends what is typed, until the terminal is gone.
pub(super) fn hear_keys(messages: &Sender<Message>) {
    loop {
        let message = match event::read() {
            Ok(Event::Key(key)) => Message::Key(key),
            Ok(Event::Paste(text)) => Message::Pasted(text),
            Ok(Event::Resize(width, height)) => Message::Resized(width, height),
            Ok(Event::FocusGained | Event::FocusLost | Event::Mouse(_)) => continue,
            Err(_) => Message::Leave,
        };
        let last = matches!(message, Message::Leave);
        if messages.send(message).is_err() || last {
            return;
        }
    }
}

/// Leaves when asked to, and at once when asked twice.
pub(super) fn hear_signals(messages: Sender<Message>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT])?;
    std::thread::spawn(move || {
        let mut before = false;
        for _ in signals.forever() {
            if before || messages.send(Message::Leave).is_err() {
                leave_at_once();
            }
            before = true;
        }
    });
    Ok(())
}

#[expect(clippy::exit, reason = "a terminal that takes no more output would hold this process")]
fn leave_at_once() {
    give_back();
    std::process::exit(130);
}
