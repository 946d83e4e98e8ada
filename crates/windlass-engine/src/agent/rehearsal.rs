//! The built-in agent that plays a script: honest, lying, stalling, crashing or cheating.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use windlass_core::id::AttemptId;
use windlass_core::proof::{Outcome, Usage};

use super::script::{Act, Script};
use super::{
    Account, AgentCommand, AgentResult, AttemptRequest, Backend, BackendError, Capabilities,
    Printed, Survey,
};

/// A script that cannot be played, as an exit code that no real agent uses.
const EXIT_BAD_SCRIPT: u8 = 64;

/// Plays every agent by a script.
#[derive(Clone, Debug)]
pub struct RehearsalBackend {
    exe: PathBuf,
    script: PathBuf,
}

impl RehearsalBackend {
    /// Plays agents by `EXE __rehearse SCRIPT`.
    pub fn new(exe: PathBuf, script: PathBuf) -> Self {
        Self { exe, script }
    }
}

impl Backend for RehearsalBackend {
    fn name(&self) -> &'static str {
        "rehearsal"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { cost: true, ..Capabilities::default() }
    }

    fn survey(&self, _env: &[(String, String)]) -> Survey {
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        let program = Some(self.exe.clone());
        Survey { program, version, account: Account::Unknown, trouble: None }
    }

    fn command(&self, request: &AttemptRequest<'_>) -> Result<AgentCommand, BackendError> {
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| BackendError {
                backend: self.name().to_owned(),
                agent: request.agent.to_owned(),
                message: format!("the path `{}` is not UTF-8", path.display()),
            })
        };
        Ok(AgentCommand {
            argv: vec![text(&self.exe)?, "__rehearse".to_owned(), text(&self.script)?],
            programs: vec![self.script.clone()],
            stdin: Some(request.prompt_file.to_owned()),
            ..AgentCommand::default()
        })
    }

    fn result(&self, outcome: Outcome, _printed: Printed<'_>) -> AgentResult {
        // A rehearsal costs nothing, and that is known.
        let usage = Usage { cost_usd: Some(0.0), ..Usage::default() };
        AgentResult { outcome, usage, result: None }
    }
}

/// The agent's own `main`.
pub fn main_rehearse(script: &Path) -> ExitCode {
    let played = fs_err::read_to_string(script)
        .map_err(|error| error.to_string())
        .and_then(|text| Script::parse(&text).map_err(|error| error.to_string()))
        .and_then(|script| play(&script));
    played.unwrap_or_else(|message| {
        tell(&format!("rehearsal: {message}"));
        ExitCode::from(EXIT_BAD_SCRIPT)
    })
}

fn play(script: &Script) -> Result<ExitCode, String> {
    let attempt = std::env::var("WINDLASS_ATTEMPT").map_err(|_| "no attempt is named")?;
    let attempt: AttemptId = attempt.parse().map_err(|error| format!("{error}"))?;
    let acts = script
        .acts(attempt.step.as_str(), attempt.number)
        .ok_or_else(|| format!("the script has no section for `{attempt}`"))?;
    for act in acts {
        if let Some(code) = perform(act).map_err(|error| format!("{act:?}: {error}"))? {
            return Ok(code);
        }
    }
    tell("Done.");
    Ok(ExitCode::SUCCESS)
}

fn perform(act: &Act) -> std::io::Result<Option<ExitCode>> {
    match act {
        Act::Say(text) => tell(text),
        Act::Write { path, text } | Act::Cheat { path, text } => write(path, text)?,
        Act::Append { path, text } => {
            let before = fs_err::read_to_string(path).unwrap_or_default();
            write(path, &format!("{before}{text}"))?;
        }
        Act::Remove(path) => fs_err::remove_file(path)?,
        Act::Run(command) => {
            let status = Command::new("sh").args(["-c", command]).status()?;
            tell(&format!("`{command}`: {status}"));
        }
        Act::Context(pair) => {
            let status = Command::new("windlass").args(["context", "set", pair]).status()?;
            tell(&format!("context set {pair}: {status}"));
        }
        Act::Lie => tell("All tests pass. Everything is implemented as specified. Done."),
        Act::Stall => loop {
            pause(Duration::from_secs(3600));
        },
        Act::Spin => loop {
            std::hint::spin_loop();
        },
        Act::Crash => {
            let me = rustix::process::getpid();
            rustix::process::kill_process(me, rustix::process::Signal::KILL)?;
        }
        Act::ForkAndLinger => linger()?,
        Act::IgnoreTerm => ignore_term()?,
        Act::Think(milliseconds) => pause(Duration::from_millis(*milliseconds)),
        Act::WaitFor(path) => {
            while !Path::new(path).exists() {
                pause(Duration::from_millis(20));
            }
        }
        Act::Chatter(bytes) => chatter(*bytes)?,
        Act::Exit(code) => return Ok(Some(ExitCode::from(*code))),
    }
    Ok(None)
}

fn write(path: &str, text: &str) -> std::io::Result<()> {
    if let Some(parent) = Path::new(path).parent() {
        fs_err::create_dir_all(parent)?;
    }
    fs_err::write(path, text)
}

/// Leaves a process behind that nothing ties to this one any more.
fn linger() -> std::io::Result<()> {
    Command::new("env")
        .args(["-i", "setsid", "sleep", "3600"])
        .process_group(0)
        .spawn()
        .map(|child| tell(&format!("left {} behind", child.id())))
}

fn ignore_term() -> std::io::Result<()> {
    // Registering a flag replaces the default action; nobody ever looks at the flag.
    let ignored = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGTERM, ignored)?;
    Ok(())
}

fn chatter(bytes: u64) -> std::io::Result<()> {
    let line = [b'x'; 64 * 1024];
    let mut left = bytes;
    let mut out = std::io::stdout().lock();
    while left > 0 {
        let now = usize::try_from(left).unwrap_or(usize::MAX).min(line.len());
        out.write_all(&line[..now])?;
        left -= now as u64;
    }
    out.flush()
}

#[expect(clippy::disallowed_methods, reason = "an agent that stalls has to pass time")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// Speaks as agents do: on standard output, and nobody minds if no one listens.
fn tell(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
