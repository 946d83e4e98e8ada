//! Where the story is shown: the live view below the lines, the pauses, and the viewer's Enter.
//!
//! Nothing here waits where nobody looks: without a terminal there is no view, no pause and no
//! question. The terminal is only read and written, never set, so there is nothing to give back.

use std::io::{BufRead as _, IsTerminal as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use windlass_core::id::RunId;
use windlass_core::run::RunState;
use windlass_engine::dispatch::now;

use crate::cli::{DemoArguments, Pace};
use crate::commands::is_dumb;
use crate::drive::REDRAWN;
use crate::interrupts::Interrupts;
use crate::output::{Output, line_up, live_size, show_live};
use crate::surroundings::Surroundings;
use crate::watch::{Below, LastLine};

/// The last line of the live view while the story goes on.
const HINT: &str = "Enter goes on at once; Ctrl-C leaves";

/// How long a wait goes on before Ctrl-C is looked at.
const SLICE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// A person reads about so fast.
const READING: Duration = Duration::from_millis(32);

/// How long the viewer has to answer a gate.
const ANSWERING: Duration = Duration::from_secs(9);

/// The width of lines where there is no terminal.
const PLAIN_WIDTH: usize = 100;

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    TimeUp,
    Enter,
    Interrupted,
}

/// What the story is told on.
#[derive(Clone)]
pub(super) struct Stage {
    pace: Pace,
    terminal: bool,
    viewer: bool,
    signals: Arc<Interrupts>,
    view: Arc<Mutex<Option<Below>>>,
}

impl Stage {
    pub(super) fn new(
        arguments: &DemoArguments,
        output: &Output,
        signals: Arc<Interrupts>,
    ) -> Self {
        let shown = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        let terminal = shown && !is_dumb() && !output.is_json();
        let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        let pace = match arguments.pace {
            Some(pace) => pace,
            None if terminal && !ci => Pace::Story,
            None => Pace::Fast,
        };
        let viewer = terminal && pace == Pace::Story && std::io::stdin().is_terminal();
        signals.heed();
        Self { pace, terminal, viewer, signals, view: Arc::default() }
    }

    pub(super) fn pace(&self) -> Pace {
        self.pace
    }

    /// Whether somebody may look at it.
    pub(super) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Whether the viewer wants to leave.
    pub(super) fn is_left(&self) -> bool {
        self.signals.is_asked()
    }

    pub(super) fn signals(&self) -> &Interrupts {
        &self.signals
    }

    /// How wide lines may be.
    pub(super) fn width(&self) -> usize {
        let width = live_size().filter(|_| self.terminal).map(|(width, _)| width - 1);
        width.unwrap_or(PLAIN_WIDTH)
    }

    /// Shows the live view until what is returned is dropped.
    pub(super) fn raise(
        &self,
        surroundings: &Surroundings,
        run: &RunId,
        output: &Output,
    ) -> Raised {
        if self.terminal {
            *self.view() = Below::where_it_can_be_seen(surroundings, run, output, HINT);
        }
        let (done, waiting) = channel::<()>();
        let stage = self.clone();
        let ticker = std::thread::spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(REDRAWN) {
                if let Some(view) = stage.view().as_mut() {
                    view.draw();
                }
            }
        });
        Raised { stage: self.clone(), ticking: Some((done, ticker)) }
    }

    /// Shows a new state in the live view.
    pub(super) fn take(&self, state: &RunState) {
        if let Some(view) = self.view().as_mut() {
            view.take(state);
        }
    }

    /// Leaves time to read this many characters.
    pub(super) fn rest_for(&self, characters: usize) {
        self.rest(READING.saturating_mul(u32::try_from(characters).unwrap_or(u32::MAX)));
    }

    /// Leaves some time, at a terminal.
    pub(super) fn rest(&self, time: Duration) {
        if self.pace == Pace::Story {
            self.wait(time, |_| {});
        }
    }

    /// Lets the viewer answer with Enter, if there is one. Other words are no answer.
    pub(super) fn ask(&self, question: &str) -> Waited {
        if !self.viewer {
            return if self.is_left() { Waited::Interrupted } else { Waited::TimeUp };
        }
        // What was typed before the question was no answer to it.
        let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
        let answered = self.wait(ANSWERING, |left| {
            let question = format!("{question}; the demo answers in {left} s");
            self.last_line(LastLine::Question(question));
        });
        self.last_line(LastLine::Hint(HINT.to_owned()));
        answered
    }

    fn last_line(&self, last: LastLine) {
        if let Some(view) = self.view().as_mut() {
            view.last_line(last);
        }
    }

    /// Waits for the time, an Enter or Ctrl-C, and tells the seconds that are left.
    fn wait(&self, time: Duration, mut tell: impl FnMut(u64)) -> Waited {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let began = now();
        loop {
            if self.is_left() {
                return Waited::Interrupted;
            }
            let left = millis.saturating_sub(now().since(began).0);
            if left == 0 {
                return Waited::TimeUp;
            }
            tell(left.div_ceil(1000));
            if self.slice(left) {
                return Waited::Enter;
            }
        }
    }

    /// Waits a moment, and returns whether Enter was pressed in it.
    fn slice(&self, left_ms: u64) -> bool {
        let short = i64::try_from(left_ms).unwrap_or(i64::MAX).saturating_mul(1_000_000);
        let slice = Timespec { tv_sec: 0, tv_nsec: SLICE.tv_nsec.min(short) };
        let stdin = std::io::stdin();
        let mut typed = [PollFd::new(&stdin, PollFlags::IN)];
        let looked_at = if self.viewer { &mut typed[..] } else { &mut [] };
        match poll(looked_at, Some(&slice)) {
            Ok(0) | Err(Errno::INTR) => false,
            Err(_) => true,
            Ok(_) => {
                let mut line = String::new();
                let read = stdin.lock().read_line(&mut line);
                // The terminal itself has shown the Enter, which moved what is drawn below.
                line_up();
                // A terminal that is gone sends a signal too.
                read.is_ok_and(|bytes| bytes > 0) && line.trim().is_empty()
            }
        }
    }

    fn view(&self) -> std::sync::MutexGuard<'_, Option<Below>> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The live view, as long as this lives.
pub(super) struct Raised {
    stage: Stage,
    ticking: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Drop for Raised {
    fn drop(&mut self) {
        if let Some((done, ticker)) = self.ticking.take() {
            drop(done);
            let _ = ticker.join();
        }
        if self.stage.view().take().is_some() {
            show_live(Vec::new());
        }
    }
}
