//! The agent's side of a run: who speaks for an attempt, and how it is heard.
//!
//! An agent that windlass started speaks through the driver's socket, with its token. A subagent of a
//! hosting session has tokens that the session's hook put into its command, each good for one thing.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::time::Duration;

use windlass_core::id::AttemptId;
use windlass_core::run::{Actor, InputKind, Rejected};
use windlass_engine::dispatch::{
    AgentAnswer, AgentCall, Answer, HostedJournal, context_get, context_set, item_call,
};
use windlass_engine::home::RepositoryHome;
use windlass_engine::hosted::desk::{Badge, Desk};

use crate::cli::Cli;
use crate::error::CommandError;
use crate::hook::BADGES_VARIABLE;
use crate::surroundings::Surroundings;

/// How long a subagent waits while a hook is at work on the run.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who speaks for an attempt.
pub(super) enum Speaker {
    /// An agent that windlass started, by what its launcher put into its environment.
    Launched { socket: PathBuf, token: String, attempt: AttemptId },
    /// A subagent of a hosting session.
    Hosted { home: Box<RepositoryHome>, tokens: Vec<String>, badge: OnceCell<Badge> },
}

impl Speaker {
    /// Finds out for whom this process speaks; none for a person.
    pub(super) fn find(cli: &Cli) -> Result<Option<Self>, CommandError> {
        if let Some(launched) = Self::launched() {
            return Ok(Some(launched));
        }
        let Ok(tokens) = std::env::var(BADGES_VARIABLE) else { return Ok(None) };
        let home = Box::new(Surroundings::find(cli)?.site.home.clone());
        let tokens = tokens.split(',').map(str::to_owned).collect();
        Ok(Some(Self::Hosted { home, tokens, badge: OnceCell::new() }))
    }

    fn launched() -> Option<Self> {
        Some(Self::Launched {
            socket: std::env::var_os("WINDLASS_SOCKET")?.into(),
            token: std::env::var("WINDLASS_TOKEN").ok()?,
            attempt: std::env::var("WINDLASS_ATTEMPT").ok()?.parse().ok()?,
        })
    }

    /// Takes one of the tokens: it is good for this one command.
    fn badge(&self) -> Result<&Badge, CommandError> {
        let Self::Hosted { home, tokens, badge } = self else {
            return Err(CommandError::usage("no session hosts this attempt"));
        };
        if let Some(badge) = badge.get() {
            return Ok(badge);
        }
        let desk = Desk::of(home);
        match tokens.iter().find_map(|token| desk.take_badge(token)) {
            Some(taken) => Ok(badge.get_or_init(|| taken)),
            None => Err(CommandError::usage("this command's token for its attempt is used up")
                .hint("call it again, alone and without pipes or variables: windlass gives each command a token of its own")),
        }
    }

    /// Sets a context key.
    pub(super) fn set(&self, key: &str, value: serde_json::Value) -> Result<(), CommandError> {
        let key = key.to_owned();
        match self {
            Self::Launched { socket, token, attempt } => {
                let answer = context_set(socket, token.clone(), attempt.clone(), key, value);
                done(answer.map_err(CommandError::failure)?).map(drop)
            }
            Self::Hosted { home, .. } => {
                let badge = self.badge()?;
                say(home, badge, |attempt| InputKind::ContextSet { attempt, key, value })
            }
        }
    }

    /// Reads the context that the attempt sees; none where the run's own is meant.
    pub(super) fn get(&self) -> Result<Option<serde_json::Value>, CommandError> {
        match self {
            Self::Launched { socket, token, attempt } => {
                let answer = context_get(socket, token.clone(), attempt.clone());
                done(answer.map_err(CommandError::failure)?).map(Some)
            }
            Self::Hosted { .. } => Ok(None),
        }
    }

    /// Adds, changes or lists items, or notes a failure; none where the list is to be read as people read it.
    pub(super) fn item(&self, call: AgentCall) -> Result<Option<serde_json::Value>, CommandError> {
        match (self, call) {
            (Self::Launched { socket, token, attempt }, call) => {
                let answer = item_call(socket, token.clone(), attempt.clone(), call);
                done(answer.map_err(CommandError::failure)?).map(Some)
            }
            (Self::Hosted { home, .. }, AgentCall::Add { item }) => {
                say(home, self.badge()?, |attempt| InputKind::ItemAsked { attempt, item })?;
                Ok(Some(serde_json::Value::Null))
            }
            (Self::Hosted { home, .. }, AgentCall::Update { item, change }) => {
                say(home, self.badge()?, |attempt| InputKind::ItemChanged {
                    attempt,
                    item,
                    change,
                })?;
                Ok(Some(serde_json::Value::Null))
            }
            (Self::Hosted { home, .. }, AgentCall::Block { blocker }) => {
                say(home, self.badge()?, |attempt| InputKind::HelpAsked { attempt, blocker })?;
                Ok(Some(serde_json::Value::Null))
            }
            (Self::Hosted { home, .. }, AgentCall::Note { about, category, summary }) => {
                say(home, self.badge()?, |attempt| InputKind::FailureNoted {
                    attempt,
                    about,
                    category,
                    summary,
                })?;
                Ok(Some(serde_json::Value::Null))
            }
            (Self::Hosted { .. }, AgentCall::List) => Ok(None),
        }
    }
}

/// Says one thing for an attempt.
fn say(
    home: &RepositoryHome,
    badge: &Badge,
    input: impl FnOnce(AttemptId) -> InputKind,
) -> Result<(), CommandError> {
    let mut journal = HostedJournal::open(home, &badge.run, PATIENCE)?;
    let actor = Actor::agent(&badge.attempt);
    journal.feed(input(badge.attempt.clone()), actor)?.map_err(|rejected| refused(&rejected))
}

fn refused(rejected: &Rejected) -> CommandError {
    match Answer::rejected(rejected) {
        Answer::Rejected { message, hint: Some(hint) } => CommandError::usage(message).hint(hint),
        Answer::Rejected { message, hint: None } => CommandError::usage(message),
        Answer::Accepted | Answer::Changed { .. } => CommandError::usage(rejected.to_string()),
    }
}

fn done(answer: AgentAnswer) -> Result<serde_json::Value, CommandError> {
    match answer {
        AgentAnswer::Done => Ok(serde_json::Value::Null),
        AgentAnswer::Context(value) | AgentAnswer::Items(value) => Ok(value),
        AgentAnswer::Refused { message, hint } => {
            let error = CommandError::usage(message);
            Err(match hint {
                Some(hint) => error.hint(hint),
                None => error,
            })
        }
    }
}
