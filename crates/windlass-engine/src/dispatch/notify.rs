//! Telling people by a command of theirs.
//!
//! What happened is in the command's environment and never in its text: a goal or a failure may
//! contain anything an agent can write. The command runs below a launcher, so it is bounded in time
//! and leaves nothing behind, and so `windlass approve` refuses it: a notification decides nothing.
//!
//! A command that the repository chose is confined as agents are, and sees no more of the user's
//! environment than they do: with `--here` an agent can write the file that names it.

use std::path::{Path, PathBuf};

use thiserror::Error;
use windlass_core::proof::Outcome;
use windlass_core::time::Span;
use windlass_core::view::{Lines, printable};

use super::attempt::Scratch;
use super::site::Site;
use crate::agent::check_environment;
use crate::launcher::view::{Mount, Rights, Upper, View, ViewNetwork};
use crate::launcher::{Confinement, ConfinementMode, LaunchPolicy};
use crate::level::Level;
use crate::process::{self, LauncherCommand, SpawnError};

/// How long a notification may take: whoever sends one over the network needs a second or two.
const TIMEOUT: Span = Span::seconds(10);

/// How long it gets between TERM and KILL.
const GRACE: Span = Span::seconds(1);

/// How much of its output is kept, to say why it failed.
const MAX_OUTPUT_BYTES: u64 = 8 << 10;

/// The longest value of a variable; more is of no use in a notification.
const MAX_VALUE_CHARS: usize = 2000;

/// What to run.
#[derive(Clone, Debug)]
pub struct NotifyRequest {
    /// The shell command.
    pub command: String,
    /// Whether the repository chose it, and not whoever runs windlass.
    pub from_repository: bool,
    /// What happened, as variables.
    pub variables: Vec<(String, String)>,
}

/// Why nobody was told.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum NotifyError {
    #[error("failed to make a folder for its output")]
    Io(#[from] std::io::Error),
    #[error("failed to start it")]
    Spawn(#[from] SpawnError),
    #[error("{how}{said}")]
    Failed { how: String, said: String },
}

/// Runs a notify command to its end.
///
/// # Errors
/// It could not be started, took too long, or did not exit with 0.
pub fn notify(site: &Site, request: &NotifyRequest) -> Result<(), NotifyError> {
    let temporary = tempfile::Builder::new().prefix("windlass-notify-").tempdir()?;
    let scratch = Scratch::new(temporary.path().join("n"))?;
    let policy = policy(site, request, scratch.path())?;
    let report = process::spawn(&LauncherCommand::new(&site.exe), &policy)?.wait();
    let how = match report.outcome {
        Outcome::Exited { code: 0 } => return Ok(()),
        Outcome::Exited { code } => format!("it exited with {code}"),
        Outcome::Signalled { signal } => format!("it was ended by signal {signal}"),
        Outcome::TimedOut => format!("it took longer than {TIMEOUT}"),
        Outcome::CouldNotStart { message } => format!("it could not start: {message}"),
        Outcome::OverLimit { what } => format!("it exceeded its limit: {what}"),
        Outcome::Idle
        | Outcome::Cancelled
        | Outcome::ProviderLimit { .. }
        | Outcome::Held { .. }
        | Outcome::Interrupted { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::OverBudget { .. } => "it was stopped".to_owned(),
    };
    let output = fs_err::read(scratch.path().join("output")).unwrap_or_default();
    let last = String::from_utf8_lossy(&output);
    let last = last.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let said = if last.is_empty() { String::new() } else { format!(": {}", value(last)) };
    Err(NotifyError::Failed { how, said })
}

fn policy(
    site: &Site,
    request: &NotifyRequest,
    scratch: &Path,
) -> Result<LaunchPolicy, std::io::Error> {
    let argv = ["sh", "-c", &request.command].map(str::to_owned).to_vec();
    let output = scratch.join("output");
    let mut policy = LaunchPolicy::new(argv, site.user.top_level.clone(), output);
    policy.env = if request.from_repository {
        check_environment(&site.env, &site.home.data)
    } else {
        site.env.clone()
    };
    policy.env.retain(|(name, _)| !request.variables.iter().any(|(set, _)| set == name));
    let variables = request.variables.iter();
    policy.env.extend(variables.map(|(name, text)| (name.clone(), value(text))));
    policy.max_output_bytes = MAX_OUTPUT_BYTES;
    policy.timeout = Some(TIMEOUT);
    policy.grace = GRACE;
    policy.registry = Some(site.home.registry());
    if request.from_repository && site.level(scratch) == Level::Namespaces {
        policy.view = Some(throw_away(site, scratch)?);
    } else if request.from_repository {
        policy.confinement = Confinement {
            mode: ConfinementMode::Prefer,
            write: vec![std::env::temp_dir()],
            never: site.out_of_reach(false),
            within: vec![scratch.to_owned()],
            read: Some(readable(site, scratch)),
            ..Confinement::default()
        };
    }
    Ok(policy)
}

/// What it may read without a box: tools, the checkout, and what windlass wrote for it.
fn readable(site: &Site, scratch: &Path) -> Vec<PathBuf> {
    let mut read = site.exposed().readable();
    read.extend([site.user.top_level.clone(), site.user.common_dir.clone(), scratch.to_owned()]);
    read
}

/// A box with the checkout as it is; what is written in it is thrown away.
fn throw_away(site: &Site, scratch: &Path) -> Result<View, std::io::Error> {
    let mut mounts = site.exposed().mounts(&scratch.join("home"), &[])?;
    let (writes, upper) =
        (Upper::below(&scratch.join("root"), true), Upper::below(&scratch.join("tree"), true));
    writes.make()?;
    upper.make()?;
    fs_err::create_dir_all(scratch.join("stage"))?;
    let to = site.user.top_level.clone();
    mounts.push(Mount::Overlay { layers: vec![to.clone()], upper: Some(upper), to });
    let (network, rights) = (ViewNetwork::Host, Rights::None);
    Ok(View { stage: scratch.join("stage"), writes, mounts, network, rights })
}

/// A value as a variable can hold it: bounded, on one line, without control characters and without
/// marks that change the order in which it is read.
fn value(text: &str) -> String {
    let line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_VALUE_CHARS).collect();
    printable(line.trim(), Lines::One)
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_are_one_bounded_line() {
        assert_eq!(super::value(" a\nb\0\x1b[31m\u{85} "), "a b  [31m");
        assert_eq!(super::value("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(super::value(&"x".repeat(9000)).len(), super::MAX_VALUE_CHARS);
    }
}
