//! Errors as people see them: what failed, why, what to do next.

use std::error::Error;

use windlass_engine::dispatch::{ClientError, DriveError, StartError};
use windlass_engine::forge::ForgeError;
use windlass_engine::git::DiscoverError;
use windlass_engine::journal::LoadError;
use windlass_engine::plugin::PluginError;
use windlass_engine::store::OpenError;

/// Windlass could not do its work.
pub(crate) const EXIT_FAILURE: u8 = 1;
/// The command line or a definition is wrong.
pub(crate) const EXIT_USAGE: u8 = 2;
/// The run waits for a person.
pub(crate) const EXIT_PERSON: u8 = 3;
/// The run is paused or waits for a moment.
pub(crate) const EXIT_PAUSED: u8 = 4;
/// The run was aborted.
pub(crate) const EXIT_ABORTED: u8 = 5;

/// Whose turn it is to do something about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The user's: the command line or a definition is wrong.
    Usage,
    /// Whoever looks after the machine, or nobody: windlass could not do its work.
    Failure,
}

/// An error on its way to a person.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) kind: Kind,
    pub(crate) error: Box<dyn Error + Send + Sync>,
    pub(crate) hints: Vec<String>,
}

impl CommandError {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, error: message.into().into(), hints: Vec::new() }
    }

    pub(crate) fn failure(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { kind: Kind::Failure, error: error.into(), hints: Vec::new() }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Returns the error with its causes, on one line.
    pub(crate) fn in_one_line(&self) -> String {
        let mut text = self.error.to_string();
        let mut cause = self.error.source();
        while let Some(source) = cause {
            text.push_str(": ");
            text.push_str(&source.to_string());
            cause = source.source();
        }
        for hint in &self.hints {
            text.push_str(&format!(" ({hint})"));
        }
        text
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::Usage => EXIT_USAGE,
            Kind::Failure => EXIT_FAILURE,
        }
    }
}

impl From<DiscoverError> for CommandError {
    fn from(error: DiscoverError) -> Self {
        let kind = match &error {
            DiscoverError::Git(_) | DiscoverError::Io(_) => Kind::Failure,
            DiscoverError::NotARepository { .. }
            | DiscoverError::Bare { .. }
            | DiscoverError::InsideGitDirectory { .. }
            | DiscoverError::NoCommit { .. }
            | DiscoverError::Partial { .. }
            | DiscoverError::OldGit { .. } => Kind::Usage,
        };
        Self { kind, error: error.into(), hints: Vec::new() }
    }
}

impl From<OpenError> for CommandError {
    fn from(error: OpenError) -> Self {
        let hint = error.hint();
        Self::failure(error).hint(hint)
    }
}

impl From<LoadError> for CommandError {
    fn from(error: LoadError) -> Self {
        Self::failure(error).hint("`windlass audit` shows what is wrong with the journal")
    }
}

impl From<ForgeError> for CommandError {
    fn from(error: ForgeError) -> Self {
        let kind = match &error {
            ForgeError::Io { .. } | ForgeError::Git(_) => Kind::Failure,
            ForgeError::Unreachable { .. } | ForgeError::TimedOut { .. } => Kind::Failure,
            ForgeError::Garbage { .. } | ForgeError::TooMuch { .. } => Kind::Failure,
            ForgeError::Gh { .. } | ForgeError::Push { .. } => Kind::Failure,
            _ => Kind::Usage,
        };
        let hint = error.hint();
        Self { kind, error: error.into(), hints: vec![hint] }
    }
}

impl From<PluginError> for CommandError {
    fn from(error: PluginError) -> Self {
        let kind = if error.is_usage() { Kind::Usage } else { Kind::Failure };
        let hint = error.hint();
        Self { kind, error: error.into(), hints: vec![hint] }
    }
}

impl From<StartError> for CommandError {
    fn from(error: StartError) -> Self {
        let (kind, hint) = match &error {
            StartError::Unfinished { run } => (
                Kind::Usage,
                Some(format!("continue with `windlass resume --run {run}`, or end it with `windlass abort --run {run}`")),
            ),
            StartError::Preflight(preflight) => (Kind::Usage, preflight_hint(preflight)),
            StartError::NothingToCarry { pattern } => (
                Kind::Usage,
                Some(format!("create it, or take `{pattern}` out of the workflow's `carry`")),
            ),
            StartError::Carry { path, .. } => {
                (Kind::Usage, Some(format!("create `{path}`, or take it out of the workflow's `carry`")))
            }
            StartError::Place(windlass_engine::git::PlaceError::Dirty { .. }) => (
                Kind::Usage,
                Some("commit or stash them; in a terminal, `windlass run` without --here starts from the commit in a private clone".to_owned()),
            ),
            StartError::MissingProgram { program, .. } => (
                Kind::Usage,
                Some(format!("install `{program}`, or change the check; nothing was started")),
            ),
            StartError::OnlyWarm { .. } => (
                Kind::Usage,
                Some(
                    "the last proof runs on a fresh clone: say in the workflow how it is made ready \
                     (`prepare: [{run: …}]` with the command that installs what is missing, such as `npm ci` or \
                     `python3 -m venv .venv && .venv/bin/pip install -e .`), or do without that proof \
                     (`--no-cold \"why\"`); nothing was started"
                        .to_owned(),
                ),
            ),
            StartError::Sandbox { .. } => (
                Kind::Usage,
                Some("`windlass doctor` says what to install or allow".to_owned()),
            ),
            StartError::Stopped => (Kind::Usage, None),
            StartError::Open(open) => (Kind::Failure, Some(open.hint().to_owned())),
            _ => (Kind::Failure, None),
        };
        let error = Self { kind, error: error.into(), hints: Vec::new() };
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

fn preflight_hint(error: &windlass_engine::verify::PreflightError) -> Option<String> {
    use windlass_engine::verify::PreflightError;
    match error {
        PreflightError::MissingProgram { program, .. } => {
            Some(format!("install `{program}`, or change the check; nothing was started"))
        }
        PreflightError::Prepare { output, .. } => {
            Some(format!("nothing was started. The command said:\n{output}"))
        }
        PreflightError::Layers(_) | PreflightError::Hidden { .. } => None,
    }
}

impl From<DriveError> for CommandError {
    fn from(error: DriveError) -> Self {
        let hint = match &error {
            DriveError::Driven { run } => {
                format!(
                    "watch it with `windlass watch --run {run}`, or stop it with `windlass pause --run {run}`"
                )
            }
            DriveError::Hosted { host, .. } => format!(
                "answer there, or end that session of {}: then `windlass resume` continues",
                host.words()
            ),
            _ => "the run continues from its last decision with `windlass resume`".to_owned(),
        };
        Self::failure(error).hint(hint)
    }
}

impl From<ClientError> for CommandError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::BelowLauncher => Self {
                kind: Kind::Usage,
                error: Box::new(ClientError::BelowLauncher),
                hints: vec!["only people decide, in a terminal of their own".to_owned()],
            },
            host @ (ClientError::BelowHost { .. } | ClientError::NoTerminal { .. }) => Self {
                kind: Kind::Usage,
                error: Box::new(host),
                hints: vec![
                    "the person answers in the session (`approve`, `/windlass:feedback …`) or in a \
                     terminal of their own"
                        .to_owned(),
                ],
            },
            unboxed @ ClientError::Unboxed { .. } => Self {
                kind: Kind::Usage,
                error: Box::new(unboxed),
                hints: vec![
                    "an agent that is not confined could have caused this call: decide in a \
                     terminal of your own, with `windlass watch` or this command; `windlass doctor` says what a \
                     box needs"
                        .to_owned(),
                ],
            },
            ClientError::Drive(drive) => Self::from(*drive),
            other => Self::failure(other),
        }
    }
}
