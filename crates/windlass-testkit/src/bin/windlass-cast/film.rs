//! The screens of a demo, and how long each was seen.

use std::path::Path;
use std::time::{Duration, Instant};

use windlass_testkit::{Layout, Terminal, TestEnv, wait};

use crate::cells::{Line, lines};
use crate::names::Names;

/// Screens that stood shorter than this are the terminal in the middle of drawing.
const SHORTEST: Duration = Duration::from_millis(120);

/// Nothing happens for longer than this in the film.
const LONGEST: Duration = Duration::from_millis(2200);

/// How long the end can be looked at before it begins again.
const END: Duration = Duration::from_millis(5000);

/// How long the viewer thinks before answering a gate.
const THINKING: Duration = Duration::from_millis(2400);

/// What the last screen shows below the demo's own words.
const EXIT: &str = "[exit ";

/// What the first screen of the film shows: a reader of the README sees at once that a lie is caught.
const OPENING: &str = "NOT PROVEN";

/// How long the first screen can be looked at.
const OPENING_LASTS: Duration = Duration::from_millis(4000);

/// What a gate asks.
const QUESTION: &str = "Your turn:";

/// A screen, and how long it is shown.
pub(crate) struct Frame {
    pub(crate) lines: Vec<Line>,
    pub(crate) lasts: Duration,
}

/// The screens in order. The first one is also what is shown where nothing moves.
pub(crate) struct Film {
    pub(crate) frames: Vec<Frame>,
}

impl Film {
    pub(crate) fn seconds(&self) -> f64 {
        self.frames.iter().map(|frame| frame.lasts).sum::<Duration>().as_secs_f64()
    }
}

/// Plays the demo and looks at it until it has ended.
pub(crate) fn play(windlass: &Path, size: (u16, u16)) -> Result<Film, Box<dyn std::error::Error>> {
    let exe = windlass.to_str().ok_or("the program's path is not UTF-8")?;
    let env = TestEnv::new(exe, "/tmp", Layout::Home);
    let terminal = Terminal::windlass(&env, size, &["demo", "--pace", "story"]);
    let mut seen: Vec<(Instant, String)> = Vec::new();
    let mut asked: Option<Instant> = None;
    let ended = wait::until(wait::DEADLINE * 2, || {
        let (now, screen) = (Instant::now(), terminal.with_colours());
        // A gate is answered once, some time after it asked.
        match asked {
            Some(since) if screen.contains(QUESTION) && since.elapsed() > THINKING => {
                terminal.keys(&["Enter"]);
                asked = Some(now + wait::DEADLINE);
            }
            Some(_) if !screen.contains(QUESTION) => asked = None,
            None if screen.contains(QUESTION) => asked = Some(now),
            Some(_) | None => {}
        }
        let end = screen.contains(EXIT);
        if seen.last().is_none_or(|(_, before)| *before != screen) {
            seen.push((now, screen));
        }
        end.then_some(now)
    });
    let ended = ended.ok_or("the demo did not end")?;
    if !terminal.screen().contains("[exit 0]") {
        return Err(format!("the demo failed:\n{}", terminal.screen()).into());
    }
    Ok(cut(&seen, ended, &mut Names::new(env.root())))
}

/// Leaves out what came before the opening and what was too short to be seen, and shortens what was
/// long.
fn cut(seen: &[(Instant, String)], ended: Instant, names: &mut Names) -> Film {
    let mut film = Film { frames: Vec::new() };
    for (index, (since, screen)) in seen.iter().enumerate() {
        let last = index + 1 == seen.len();
        let until = seen.get(index + 1).map_or(ended, |(next, _)| *next);
        let stood = until.duration_since(*since);
        // Names are counted from the beginning, also on screens that are left out.
        let text: Vec<&str> = screen.lines().take_while(|line| !line.contains(EXIT)).collect();
        let text = names.replaced(&text.join("\n"));
        if screen.trim().is_empty() || (stood < SHORTEST && !last) {
            continue;
        }
        if film.frames.is_empty() && !screen.contains(OPENING) {
            continue;
        }
        let lasts = match (film.frames.is_empty(), last) {
            (true, _) => OPENING_LASTS,
            (false, true) => END,
            (false, false) => stood.min(LONGEST),
        };
        film.frames.push(Frame { lines: lines(&text), lasts });
    }
    film
}
