//! Development only: an agent that speaks the Agent Client Protocol by a script, strictly.
//!
//! `windlass-fake-acp SCRIPT.json` performs a list of acts, one key each:
//!
//! - `expect`: a method. Reads a line; it must be a request or notification of that method.
//! - `has`: a text that the line read last must contain.
//! - `reply`: an id. Reads a line; it must be the answer to that request.
//! - `answer`, `error`: answers the request read last.
//! - `send`: a message. `raw`: a line as it is. `long`: a line of so many bytes, with that `start`.
//! - `exit`: a code. `crash`: kills itself. `say`: a line on standard error.
//! - `end`: waits for the end of its input, then exits. `linger`: never exits.
//!
//! Whatever does not fit the script ends it with code 64, and it says so on standard error.
#![expect(clippy::print_stderr, reason = "a scripted agent says what did not fit")]

use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;

use serde_json::{Value, json};

/// The client did something that is not in the script.
const EXIT_NOT_IN_SCRIPT: u8 = 64;

fn main() -> ExitCode {
    let script = std::env::args_os().nth(1).ok_or_else(|| "no script is named".to_owned());
    let played = script
        .and_then(|path| fs_err::read_to_string(path).map_err(|error| error.to_string()))
        .and_then(|text| {
            serde_json::from_str::<Vec<Value>>(&text).map_err(|error| error.to_string())
        })
        .and_then(|acts| Agent::default().play(&acts));
    played.unwrap_or_else(|message| {
        eprintln!("windlass-fake-acp: {message}");
        ExitCode::from(EXIT_NOT_IN_SCRIPT)
    })
}

#[derive(Default)]
struct Agent {
    line: String,
    id: Value,
}

impl Agent {
    fn play(&mut self, acts: &[Value]) -> Result<ExitCode, String> {
        for act in acts {
            let done = self.perform(act).map_err(|error| format!("at {act}: {error}"))?;
            if let Some(code) = done {
                return Ok(code);
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn perform(&mut self, act: &Value) -> Result<Option<ExitCode>, String> {
        let acts = act.as_object().ok_or("an act is an object")?;
        let (name, value) = acts.iter().next().ok_or("an empty act")?;
        match name.as_str() {
            "expect" => {
                let message = self.read()?;
                if message["method"] != *value {
                    return Err(format!("got {}", self.line));
                }
                self.id = message["id"].clone();
            }
            "has" => {
                let text = value.as_str().ok_or("a text")?;
                if !self.line.contains(text) {
                    return Err(format!("not in {}", self.line));
                }
            }
            "reply" => {
                let message = self.read()?;
                if message["id"] != *value || message.get("method").is_some() {
                    return Err(format!("got {}", self.line));
                }
            }
            "answer" => {
                say(&json!({"jsonrpc": "2.0", "id": self.id, "result": value}).to_string())?
            }
            "error" => say(&json!({"jsonrpc": "2.0", "id": self.id, "error": value}).to_string())?,
            "send" => say(&value.to_string())?,
            "raw" => say(value.as_str().ok_or("a text")?)?,
            "long" => {
                let (bytes, start) = (&value["bytes"], value["start"].as_str());
                long(bytes.as_u64().ok_or("a number")?, start.unwrap_or_default())?;
            }
            "say" => eprintln!("{}", value.as_str().ok_or("a text")?),
            "exit" => {
                let code = value.as_u64().and_then(|code| u8::try_from(code).ok());
                return Ok(Some(ExitCode::from(code.ok_or("a code")?)));
            }
            "crash" => {
                let me = rustix::process::getpid();
                let killed = rustix::process::kill_process(me, rustix::process::Signal::KILL);
                killed.map_err(|error| error.to_string())?;
            }
            "end" => {
                let mut rest = String::new();
                while io::stdin().lock().read_line(&mut rest).map_err(|error| error.to_string())?
                    > 0
                {}
                if !rest.is_empty() {
                    return Err(format!("got {rest}"));
                }
            }
            "linger" => loop {
                std::thread::park();
            },
            other => return Err(format!("there is no act `{other}`")),
        }
        Ok(None)
    }

    fn read(&mut self) -> Result<Value, String> {
        self.line.clear();
        io::stdin().lock().read_line(&mut self.line).map_err(|error| error.to_string())?;
        let message: Value = serde_json::from_str(&self.line).map_err(|error| error.to_string())?;
        if message["jsonrpc"] == "2.0" { Ok(message) } else { Err(format!("got {}", self.line)) }
    }
}

fn say(line: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}

fn long(bytes: u64, start: &str) -> Result<(), String> {
    let piece = [b'x'; 64 * 1024];
    let mut out = io::stdout().lock();
    let mut write = |bytes: &[u8]| out.write_all(bytes).map_err(|error| error.to_string());
    write(start.as_bytes())?;
    let mut left = bytes.saturating_sub(start.len() as u64);
    while left > 0 {
        let now = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
        write(&piece[..now])?;
        left -= now as u64;
    }
    write(b"\n")?;
    out.flush().map_err(|error| error.to_string())
}
