//! What is there of an agent on this machine.

use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags};

use super::super::{Account, Survey};
use super::known::{Known, variable};

/// How long an agent may take to tell its version. Some are slow to start.
const VERSION_DEADLINE: Duration = Duration::from_secs(10);

/// Looks for an agent, without using the network.
pub(super) fn look(known: &Known, argv: &[String], env: &[(String, String)]) -> Survey {
    let name = argv.first().map(String::as_str).unwrap_or_default();
    let program = find(name, variable(env, "PATH").unwrap_or_default());
    // What the option would do in a program that nobody knows cannot be known either.
    let known_program = program.as_deref().filter(|_| !known.argv.is_empty());
    Survey {
        version: known_program.and_then(|program| version(program, env)),
        account: account(known, env),
        trouble: program.is_none().then(|| not_found(name)),
        program,
    }
}

/// What a person is told about a program that is missing.
pub(super) fn not_found(program: &str) -> String {
    format!("`{program}` is not on PATH: install it, or name another agent with `--agent`")
}

/// Finds a program as a shell would.
pub(super) fn find(program: &str, path: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|program| program.is_file());
    }
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(program)).find(|program| program.is_file())
}

fn account(known: &Known, env: &[(String, String)]) -> Account {
    if let Some(key) = known.keys.iter().find(|key| variable(env, key).is_some()) {
        return Account::SignedIn { by: (*key).to_owned() };
    }
    let folders = known.folders(env);
    let file = known.account_file.and_then(|name| {
        folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file())
    });
    match file {
        Some(file) => Account::SignedIn { by: file.display().to_string() },
        // Their settings have further ways, which only they understand.
        None => Account::Unknown,
    }
}

fn version(program: &Path, env: &[(String, String)]) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").env_clear();
    for name in ["PATH", "HOME", "LANG"] {
        command.envs(variable(env, name).map(|value| (name, value)));
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let ended = ends_within(&child, VERSION_DEADLINE).unwrap_or(false);
    if !ended {
        // It has ended by itself in between, or it ends now.
        let _ = child.kill();
    }
    let status = child.wait().ok().filter(|_| ended)?;
    let mut text = String::new();
    // A version is a line; a pipe holds more than that, so nothing was in its way.
    child.stdout.take()?.take(4096).read_to_string(&mut text).ok()?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    status.success().then(|| line.to_owned())
}

/// Waits for the end of a process, no longer than this; says whether it came.
pub(super) fn ends_within(child: &Child, deadline: Duration) -> std::io::Result<bool> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else { return Ok(true) };
    let descriptor = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    let mut waited_for = [PollFd::from_borrowed_fd(descriptor.as_fd(), PollFlags::IN)];
    let timeout = Timespec::try_from(deadline).map_err(std::io::Error::other)?;
    Ok(rustix::event::poll(&mut waited_for, Some(&timeout))? > 0)
}
