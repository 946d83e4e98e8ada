//! `windlass context`: the agent's side of a run.

use std::path::PathBuf;
use std::process::ExitCode;

use windlass_core::id::AttemptId;
use windlass_engine::dispatch::{AgentAnswer, context_get, context_set};

use crate::cli::{Cli, ContextArguments, ContextCommand};
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn context(
    cli: &Cli,
    arguments: &ContextArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        ContextCommand::Set { pairs } => {
            for pair in pairs {
                set(pair)?;
            }
        }
        ContextCommand::Get { key } => {
            let context = match Speaker::find() {
                Some(speaker) => speaker.get()?,
                None => (*Surroundings::find(cli)?.loaded()?.1.state.context).clone(),
            };
            let value = match key {
                None => &context,
                Some(key) => lookup(&context, key).ok_or_else(|| {
                    CommandError::usage(format!("the context has no key `{key}`"))
                })?,
            };
            output.json(value);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn set(pair: &str) -> Result<(), CommandError> {
    let Some((key, value)) = pair.split_once('=').filter(|(key, _)| !key.is_empty()) else {
        return Err(CommandError::usage(format!("`{pair}` has no value"))
            .hint("write `windlass context set KEY=VALUE`"));
    };
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    let Some(speaker) = Speaker::find() else {
        return Err(CommandError::usage("only the agent of a running attempt can set context")
            .hint("a person decides with `windlass feedback`, `rollback` or `skip` instead"));
    };
    match context_set(&speaker.socket, speaker.token, speaker.attempt, key.to_owned(), value) {
        Ok(answer) => done(answer).map(drop),
        Err(error) => Err(CommandError::failure(error)),
    }
}

/// The agent of a running attempt, by what its launcher put into its environment.
pub(super) struct Speaker {
    pub(super) socket: PathBuf,
    pub(super) token: String,
    pub(super) attempt: AttemptId,
}

impl Speaker {
    pub(super) fn find() -> Option<Self> {
        Some(Self {
            socket: std::env::var_os("WINDLASS_SOCKET")?.into(),
            token: std::env::var("WINDLASS_TOKEN").ok()?,
            attempt: std::env::var("WINDLASS_ATTEMPT").ok()?.parse().ok()?,
        })
    }

    fn get(self) -> Result<serde_json::Value, CommandError> {
        let answer = context_get(&self.socket, self.token, self.attempt);
        done(answer.map_err(CommandError::failure)?)
    }
}

pub(super) fn done(answer: AgentAnswer) -> Result<serde_json::Value, CommandError> {
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

fn lookup<'a>(context: &'a serde_json::Value, key: &str) -> Option<&'a serde_json::Value> {
    key.split('.').try_fold(context, |value, part| value.get(part))
}
