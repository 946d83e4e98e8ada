//! Development only: records `windlass demo` in a terminal as an animated SVG, for the README.
//!
//! `windlass-cast FILE.svg` plays the demo of the `windlass` beside this program in tmux, answers its
//! gates with Enter, and writes what was seen. The names of folders, commits and runs are replaced by
//! others, which are the same in every recording.
//!
//! - [`film`]: the screens and how long each was seen.
//! - [`cells`]: a screen's colours, read back from tmux.
//! - [`names`]: what differs from recording to recording.
//! - [`svg`]: the picture.
#![expect(clippy::print_stderr, reason = "a program for developers says what it does")]

mod cells;
mod film;
mod names;
mod svg;

use std::path::Path;
use std::process::ExitCode;

use windlass_testkit::Terminal;

/// The size of the terminal: it fits the width of a README.
const SIZE: (u16, u16) = (100, 30);

/// The largest picture that a README should load.
const MAX_BYTES: usize = 300_000;

fn main() -> ExitCode {
    let Some(target) = std::env::args_os().nth(1) else {
        eprintln!("usage: windlass-cast FILE.svg");
        return ExitCode::from(2);
    };
    match record(Path::new(&target)) {
        Ok(said) => {
            eprintln!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn record(target: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let windlass = std::env::current_exe()?.with_file_name("windlass");
    if !windlass.is_file() {
        return Err(format!("`{}` is missing: build it first", windlass.display()).into());
    }
    if !Terminal::is_there() {
        return Err("tmux is missing: install it".into());
    }
    let film = film::play(&windlass, SIZE)?;
    let picture = svg::draw(&film, SIZE);
    let (frames, seconds, bytes) = (film.frames.len(), film.seconds(), picture.len());
    if bytes > MAX_BYTES {
        return Err(format!("the picture has {bytes} bytes, {MAX_BYTES} are the most").into());
    }
    fs_err::write(target, picture)?;
    Ok(format!("{}: {frames} screens, {seconds:.1} s, {bytes} bytes", target.display()))
}
