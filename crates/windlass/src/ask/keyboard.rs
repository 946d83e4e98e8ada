//! The keyboard of the person who is asked.
//!
//! What was typed before a question could be read is no answer to it, and neither is what was pasted:
//! the clipboard may hold anything. So the question stands there first, without echo, until nothing has
//! come from the terminal for a moment; all that came is thrown away. Only then it is asked, and one
//! line that somebody typed answers. More lines at once are no answer either.

use std::io::BufRead as _;
use std::sync::{Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr,
};

use crate::error::CommandError;
use crate::output::{bracket_pastes, note};

/// How long nothing may have been typed before a question is asked: more than there is between two keys
/// of somebody who types into the wrong window, and too short to be waited for.
const QUIET: Timespec = Timespec { tv_sec: 0, tv_nsec: 400_000_000 };

/// How long what was sent at once may take to arrive: nobody types another line in that time.
const BURST: Timespec = Timespec { tv_sec: 0, tv_nsec: 30_000_000 };

/// What a terminal puts around a text that is pasted, where it was asked to.
const PASTE: (&str, &str) = ("\u{1b}[200~", "\u{1b}[201~");

/// How the terminal was before it was made quiet; for whoever has to leave at once.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Throws away what was typed so far, and goes on with that until nothing comes for a moment, or until
/// nobody wants an answer any more. Whoever typed is told.
pub(crate) fn settle(
    mut is_wanted: impl FnMut() -> Result<bool, CommandError>,
) -> Result<(), CommandError> {
    let Some(_quiet) = Quiet::begin() else { return Ok(()) };
    let stdin = std::io::stdin();
    let mut dropped = has_keys();
    let mut settled = || loop {
        // Also within the loop: what did not fit into the terminal's queue comes after it.
        let _ = tcflush(&stdin, QueueSelector::IFlush);
        let mut typed = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut typed, Some(&QUIET)) {
            Ok(0) => return Ok(()),
            Ok(_) if !typed[0].revents().contains(PollFlags::IN) => return Ok(()),
            Ok(_) => dropped = true,
            Err(Errno::INTR) => {}
            Err(error) => return Err(CommandError::failure(std::io::Error::from(error))),
        }
        if is_gone() || !is_wanted()? {
            return Ok(());
        }
    };
    let settled = settled();
    if dropped && !is_gone() {
        note("keys typed before the question were ignored");
    }
    settled
}

/// Whether something was typed that nobody has read.
fn has_keys() -> bool {
    let stdin = std::io::stdin();
    let mut typed = [PollFd::new(&stdin, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut typed, Some(&now)).is_ok_and(|count| count > 0)
        && typed[0].revents().contains(PollFlags::IN)
}

/// Whether the terminal has nothing more to say: its end can be read for ever.
fn is_gone() -> bool {
    tcgetattr(std::io::stdin()).is_err()
}

/// What was answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Line(String),
    /// Nothing that counts, and why.
    Void(&'static str),
    /// The input has ended.
    End,
}

/// Reads the line that was typed.
pub(crate) fn read() -> Result<Typed, CommandError> {
    let mut line = String::new();
    let stdin = std::io::stdin();
    if stdin.lock().read_line(&mut line).map_err(CommandError::failure)? == 0 {
        return Ok(Typed::End);
    }
    // A terminal gives one line at a time, so whatever else came lies in its queue and not in a buffer.
    let mut more = [PollFd::new(&stdin, PollFlags::IN)];
    let more = poll(&mut more, Some(&BURST)).is_ok_and(|count| count > 0);
    let typed = typed(&line, more);
    if matches!(typed, Typed::Void(_)) {
        let _ = tcflush(&stdin, QueueSelector::IFlush);
    }
    Ok(typed)
}

/// Tells what a person typed from what came in another way. Pasted words may stand within an answer, as
/// feedback does; they do not begin one.
fn typed(line: &str, more: bool) -> Typed {
    if more {
        return Typed::Void("several lines came at once, so none of them counts: answer again");
    }
    let (begin, end) = PASTE;
    if line.trim_start().starts_with(begin) {
        return Typed::Void("what is pasted decides nothing: type the answer");
    }
    if line.matches(begin).count() != line.matches(end).count() {
        return Typed::Void("only one line can be pasted into an answer: answer again");
    }
    Typed::Line(line.replace(begin, "").replace(end, ""))
}

/// Pasted texts are marked as long as this lives.
pub(crate) struct Marked;

impl Marked {
    pub(crate) fn begin() -> Self {
        bracket_pastes(true);
        Self
    }
}

impl Drop for Marked {
    fn drop(&mut self) {
        bracket_pastes(false);
    }
}

/// The terminal shows nothing of what is typed, and gives each key at once, as long as this lives.
struct Quiet;

impl Quiet {
    /// Makes the terminal quiet; none where there is none.
    fn begin() -> Option<Self> {
        let stdin = std::io::stdin();
        let before = tcgetattr(&stdin).ok()?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        // What lies there is thrown away after somebody has looked whether there is anything.
        tcsetattr(&stdin, OptionalActions::Now, &quiet).ok()?;
        Some(Self)
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        give_back();
    }
}

/// Makes the terminal as it was, without what was typed meanwhile.
fn give_back() {
    if let Some(before) = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Flush, &before);
    }
}

/// Makes the terminal as it was, for a process that ends without tidying up.
pub(crate) fn leave() {
    give_back();
    bracket_pastes(false);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pasted_begins_no_answer_and_may_stand_in_one() {
        let pasted = |text: &str| format!("{}{text}{}", PASTE.0, PASTE.1);
        for void in [pasted("a"), format!("  {}\n", pasted("a")), format!("{}a\n", PASTE.0)] {
            assert!(matches!(typed(&void, false), Typed::Void(_)), "{void:?}");
        }
        let feedback = format!("f {}\n", pasted("name it better"));
        assert_eq!(typed(&feedback, false), Typed::Line("f name it better\n".to_owned()));
        let lines = format!("f {}name it\n", PASTE.0);
        assert!(matches!(typed(&lines, false), Typed::Void(_)));
    }

    #[test]
    fn of_several_lines_none_counts() {
        assert!(matches!(typed("a\n", true), Typed::Void(_)));
        assert_eq!(typed("a\n", false), Typed::Line("a\n".to_owned()));
    }
}
