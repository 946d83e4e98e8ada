//! What goes on before there is a run to be shown: copying, preparing, checks on the base commit.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use windlass_core::id::RunId;
use windlass_core::time::Span;
use windlass_core::view::plain_lines;
use windlass_engine::dispatch::Site;
use windlass_engine::launcher::launched;
use windlass_engine::process::activity::output_tail;

use crate::commands::is_dumb;
use crate::lines::cut;
use crate::output::{Output, Verbosity, live_size, note, show_live};
use crate::render::Paint;

/// How often a spinner turns.
const TURN: Duration = Duration::from_millis(120);

/// How often somebody who reads a file or a pipe is told that it still goes on.
const STILL: Duration = Duration::from_secs(30);

/// How much of the end of an output is looked at for its last line.
const TAIL_BYTES: u64 = 4 * 1024;

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The picture of a spinner after this time.
pub(crate) fn frame(elapsed: Duration) -> &'static str {
    let turns = elapsed.as_millis() / TURN.as_millis();
    FRAMES[usize::try_from(turns % FRAMES.len() as u128).unwrap_or(0)]
}

/// Shows what goes on, for how long and the last line of its output, until it is dropped.
pub(crate) struct Spinner {
    shared: Arc<Mutex<Shared>>,
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    what: Option<String>,
    since: Instant,
    /// Where programs that were started note themselves, and where those of this run print.
    outputs: Option<(PathBuf, PathBuf)>,
    hint: &'static str,
    paint: Paint,
}

impl Spinner {
    /// One that says nothing where nobody wants to be told.
    pub(crate) fn new(output: &Output, hint: &'static str) -> Self {
        let paint = Paint::new(output.has_colour());
        let shared = Shared { what: None, since: Instant::now(), outputs: None, hint, paint };
        let shared = Arc::new(Mutex::new(shared));
        if output.is_json() || output.verbosity() == Verbosity::Quiet {
            return Self { shared, done: None, thread: None };
        }
        let draws = std::io::stderr().is_terminal() && !is_dumb();
        let (done, waiting) = channel::<()>();
        let seen = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let tick = if draws { TURN } else { STILL };
            while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(tick) {
                let shared = seen.lock().unwrap_or_else(PoisonError::into_inner);
                if draws { shared.draw() } else { shared.still() }
            }
            if draws {
                show_live(Vec::new());
            }
        });
        Self { shared, done: Some(done), thread: Some(thread) }
    }

    /// Says what goes on from now on.
    pub(crate) fn doing(&self, what: impl Into<String>) {
        let mut shared = self.shared();
        (shared.what, shared.since) = (Some(what.into()), Instant::now());
    }

    /// Nothing goes on: the screen is for something else.
    pub(crate) fn rest(&self) {
        self.shared().what = None;
        if self.thread.is_some() {
            show_live(Vec::new());
        }
    }

    /// Says whose programs print.
    pub(crate) fn look_at(&self, site: &Site, run: &RunId) {
        self.shared().outputs = Some((site.home.registry(), site.home.run(run).scratch));
    }

    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.done = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn draw(&self) {
        let (Some(what), Some((width, _))) = (&self.what, live_size()) else { return };
        let width = width.saturating_sub(1);
        let elapsed = self.since.elapsed();
        let head = format!("{} {what}  {}", frame(elapsed), seconds(elapsed));
        let mut lines = vec![self.paint.busy(&cut(&head, width))];
        if let Some(last) = self.last_line() {
            lines.push(self.paint.dim(&cut(&format!("  │ {last}"), width)));
        }
        lines.push(self.paint.dim(&cut(self.hint, width)));
        show_live(lines);
    }

    fn still(&self) {
        if let Some(what) = &self.what {
            note(&format!("  still: {what}  {}", seconds(self.since.elapsed())));
        }
    }

    fn last_line(&self) -> Option<String> {
        let (registry, scratch) = self.outputs.as_ref()?;
        let newest = launched(registry, scratch).pop()?;
        let tail = output_tail(&newest.output, TAIL_BYTES);
        plain_lines(tail.trim_end()).into_iter().rev().find(|line| !line.trim().is_empty())
    }
}

/// Whole seconds: fractions would only flicker.
fn seconds(elapsed: Duration) -> String {
    match elapsed.as_secs() {
        seconds @ 0..10 => format!("{seconds}s"),
        seconds => Span::seconds(seconds).to_string(),
    }
}
