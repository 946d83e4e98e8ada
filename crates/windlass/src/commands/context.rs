//! `windlass context`: the agent's side of a run.

use std::process::ExitCode;

use super::speaker::Speaker;
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
            let Some(speaker) = Speaker::find(cli)? else {
                return Err(CommandError::usage(
                    "only the agent of a running attempt can set context",
                )
                .hint("a person decides with `windlass feedback`, `rollback` or `skip` instead"));
            };
            for pair in pairs {
                set(&speaker, pair)?;
            }
        }
        ContextCommand::Get { key } => {
            let seen = match Speaker::find(cli)? {
                Some(speaker) => speaker.get()?,
                None => None,
            };
            let context = match seen {
                Some(context) => context,
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

fn set(speaker: &Speaker, pair: &str) -> Result<(), CommandError> {
    let Some((key, value)) = pair.split_once('=').filter(|(key, _)| !key.is_empty()) else {
        return Err(CommandError::usage(format!("`{pair}` has no value"))
            .hint("write `windlass context set KEY=VALUE`"));
    };
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    speaker.set(key, value)
}

fn lookup<'a>(context: &'a serde_json::Value, key: &str) -> Option<&'a serde_json::Value> {
    key.split('.').try_fold(context, |value, part| value.get(part))
}
