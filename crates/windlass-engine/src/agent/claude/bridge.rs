//! `windlass __claude`: stands between the launcher and Claude Code.
//!
//! It starts the program with pipes, hands over the prompt, answers what it is asked, and passes on
//! everything else as it comes. It runs inside the confinement of the attempt and needs nothing
//! beyond it. When it dies, the program finds nobody to ask and does nothing more.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use serde_json::Value;
use windlass_core::guard::Grounds;

use super::conversation::{Act, Conversation};
use crate::agent::{MAY_WRITE, publishing};
use crate::home::canonical;

/// A longer line is not looked into, and only its beginning passed on. No message is that long; a
/// question that is gets no for an answer.
const MAX_LINE_BYTES: usize = 4 << 20;

/// How much of a longer line is passed on.
const MAX_BEGINNING_BYTES: usize = 4096;

/// How many lines may wait; the program waits when there are more.
const MAX_WAITING: usize = 16;

/// A background task that ends without a turn of its own would keep the conversation open for ever.
const NOTHING_MORE: Duration = Duration::from_secs(30);

/// The program could not be started, as shells say it.
const EXIT_NOT_STARTED: u8 = 127;

/// A line as far as it is looked into.
struct Line {
    bytes: Vec<u8>,
    /// How many bytes of it are not there.
    left_out: u64,
}

/// The bridge's own `main`: a file with the prompt, the program, its arguments.
pub fn main_claude(prompt: &Path, program: &OsString, arguments: &[OsString]) -> ExitCode {
    let played =
        fs_err::read_to_string(prompt).and_then(|prompt| play(&prompt, program, arguments));
    played.unwrap_or_else(|error| {
        let mut errors = io::stderr().lock();
        // Nobody else could be told.
        let _ = writeln!(errors, "windlass: claude cannot be started: {error}");
        ExitCode::from(EXIT_NOT_STARTED)
    })
}

fn play(prompt: &str, program: &OsString, arguments: &[OsString]) -> io::Result<ExitCode> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let input = child.stdin.take();
    let output = child.stdout.take();
    let (Some(mut input), Some(output)) = (input, output) else {
        return Err(io::Error::other("it has no pipes"));
    };
    // One that ended already says why on standard error.
    let opened = Conversation::opening(prompt).iter().try_for_each(|line| send(&mut input, line));
    let input = opened.ok().map(|()| input);
    let (lines, waiting) = sync_channel(MAX_WAITING);
    let reader = std::thread::spawn(move || {
        let mut output = BufReader::with_capacity(64 * 1024, output);
        while let Ok(Some(line)) = next_line(&mut output) {
            if lines.send(line).is_err() {
                break;
            }
        }
    });
    let conversation = Conversation::new(grounds()?);
    converse(conversation, input, &waiting);
    drop(waiting);
    let _ = reader.join();
    code(&mut child)
}

/// Where the agent may write, by what the launcher set.
fn grounds() -> io::Result<Grounds> {
    let temporary = [std::env::var_os("TMPDIR").map(PathBuf::from), Some(PathBuf::from("/tmp"))];
    let allowed = std::env::var_os(MAY_WRITE).unwrap_or_default();
    let allowed = std::env::split_paths(&allowed).filter(|path| path.is_absolute());
    let temporary = temporary.into_iter().flatten().chain(allowed);
    let temporary = temporary.map(|path| canonical(&path)).collect();
    let mut grounds = Grounds::of_attempt(canonical(&std::env::current_dir()?), temporary);
    grounds.publishing = publishing()?;
    Ok(grounds)
}

/// Talks until the program closes its output.
fn converse(mut conversation: Conversation, input: Option<ChildStdin>, lines: &Receiver<Line>) {
    let mut input = input;
    loop {
        let line = match lines.recv_timeout(NOTHING_MORE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => {
                if conversation.idle && conversation.has_no_tasks() {
                    input = None;
                }
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let act = match line.left_out {
            0 => conversation.take(&line.bytes),
            _ => Conversation::take_cut(&line.bytes),
        };
        let passed = match act {
            Act::Pass => pass(&line.bytes).and_then(|()| note(line.left_out)),
            Act::Drop => Ok(()),
            Act::Answer { line, record } => {
                // Without a way to answer, the program finds nobody and refuses the call itself.
                if input.as_mut().is_some_and(|input| send(input, &line).is_err()) {
                    input = None;
                }
                record.map_or(Ok(()), |record| pass(record.to_string().as_bytes()))
            }
        };
        if passed.is_err() {
            // The launcher is gone, and this attempt with it.
            return;
        }
        if conversation.over {
            input = None;
        }
    }
}

fn send(input: &mut ChildStdin, line: &Value) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    input.write_all(&bytes)?;
    input.flush()
}

fn note(left_out: u64) -> io::Result<()> {
    match left_out {
        0 => Ok(()),
        bytes => pass(format!("[windlass: {bytes} bytes of this line left out]").as_bytes()),
    }
}

fn pass(line: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(line)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Reads a line; of one that is too long only the beginning is ever held.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX);
    if input.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.ends_with(b"\n") {
        bytes.pop();
        return Ok(Some(Line { bytes, left_out: 0 }));
    }
    // What is shorter is the last line, without an end.
    let mut left_out = 0;
    while bytes.len() == MAX_LINE_BYTES {
        let part = input.fill_buf()?;
        let end = part.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(part.len());
        left_out += taken as u64;
        let last = end.is_some() || part.is_empty();
        input.consume(taken + usize::from(end.is_some()));
        if last {
            break;
        }
    }
    if left_out > 0 {
        left_out += (bytes.len() - MAX_BEGINNING_BYTES) as u64;
        bytes.truncate(MAX_BEGINNING_BYTES);
    }
    Ok(Some(Line { bytes, left_out }))
}

/// Ends as the program did.
fn code(child: &mut Child) -> io::Result<ExitCode> {
    let status = child.wait()?;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<(usize, u64)> {
        let mut input = BufReader::new(text);
        let next = || next_line(&mut input).unwrap().map(|line| (line.bytes.len(), line.left_out));
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn of_a_line_beyond_the_bound_only_the_beginning_is_held() {
        let long = vec![b'x'; 3 * MAX_LINE_BYTES];
        let left_out = (long.len() - MAX_BEGINNING_BYTES) as u64;
        let text = [&long[..], b"\n{\"type\":\"result\"}\nlast"].concat();
        assert_eq!(lines(&text), [(MAX_BEGINNING_BYTES, left_out), (17, 0), (4, 0)]);
        assert_eq!(lines(&long), [(MAX_BEGINNING_BYTES, left_out)]);
        assert_eq!(
            lines(&[&long[..MAX_LINE_BYTES], b"\nx"].concat()),
            [(MAX_LINE_BYTES, 0), (1, 0)]
        );
        assert_eq!(lines(b"\n\na"), [(0, 0), (0, 0), (1, 0)]);
    }
}
