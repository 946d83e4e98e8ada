//! PreToolUse of a subagent's shell: it speaks to windlass for its attempt.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use windlass_core::guard;
use windlass_core::hook::{Answer, GuardedAgent, GuardedRun};
use windlass_core::run::HostKind;
use windlass_engine::hosted::desk::{Badge, Desk};

use super::who::Asked;
use crate::error::CommandError;

/// How many calls of windlass in one command get a token.
const MAX_BADGES: usize = 16;

/// The variable that carries a subagent's tokens to `windlass context set` and its like.
pub(crate) const BADGES_VARIABLE: &str = "WINDLASS_BADGES";

/// By these an agent speaks for its attempt.
const WORDS: [&[&str]; 7] = [
    &["context", "set"],
    &["item", "add"],
    &["item", "update"],
    &["story", "add"],
    &["story", "update"],
    &["failure", "add"],
    &["block"],
];

/// Whether a command speaks for an attempt.
pub(super) fn speaks(command: &str) -> bool {
    WORDS.iter().any(|words| guard::calls_windlass(command, words))
}

/// Gives the command tokens by which windlass knows whose attempt it speaks for.
pub(super) fn answer(
    asked: &Asked,
    run: &GuardedRun,
    agent: &GuardedAgent,
    input: &Value,
    command: &str,
) -> Result<Answer, CommandError> {
    let desk = Desk::of(&asked.repository);
    let badge = Badge { run: run.run.clone(), attempt: agent.attempt.clone() };
    let calls = command.matches("windlass").count().clamp(1, MAX_BADGES);
    let mut tokens = Vec::with_capacity(calls);
    for _ in 0..calls {
        tokens.push(desk.make_badge(&badge).map_err(CommandError::failure)?);
    }
    let tokens = tokens.join(",");
    let alone = alone(command);
    if let Some(words) = alone.as_ref().filter(|_| asked.host == HostKind::Codex) {
        return said_here(asked, words, &tokens, input);
    }
    let mut input = input.clone();
    input["command"] = json!(format!("export {BADGES_VARIABLE}={tokens}; {command}"));
    // Windlass's own command, alone, needs nobody's permission.
    Ok(match alone {
        Some(_) => Answer::Allow(Some(input)),
        None => Answer::Rewrite(input),
    })
}

/// Returns the words of a command that speaks for an attempt and does nothing else.
fn alone(command: &str) -> Option<Vec<String>> {
    let plain = !command.contains(|c: char| ";&|<>$`()\n\\".contains(c));
    let words = shlex::split(command).filter(|_| plain)?;
    let speaks = |spoken: &&[&str]| {
        words[1..].iter().take(spoken.len()).map(String::as_str).eq(spoken.iter().copied())
    };
    (words.first()? == "windlass" && WORDS.iter().any(speaks)).then_some(words)
}

/// Codex's shell has a sandbox in which windlass's folders cannot be written. So the hook, which is
/// outside of it, says it for the subagent, and the shell only shows what was answered.
fn said_here(
    asked: &Asked,
    words: &[String],
    tokens: &str,
    input: &Value,
) -> Result<Answer, CommandError> {
    let exe = std::env::current_exe().map_err(CommandError::failure)?;
    let mut command = Command::new(exe);
    command.args(&words[1..]).current_dir(&asked.call.folder).stdin(Stdio::null());
    let output = command.env(BADGES_VARIABLE, tokens).output().map_err(CommandError::failure)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    if !output.status.success() {
        return Ok(Answer::Deny(text(&output.stderr)));
    }
    let shown = text(&output.stdout).replace('\'', r"'\''");
    let mut input = input.clone();
    input["command"] = json!(format!("printf '%s' '{shown}'"));
    Ok(Answer::Allow(Some(input)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_windlass_itself_without_the_shells_help_is_alone() {
        let words = alone(r#"windlass context set 'a={"b": [1]}'"#).unwrap();
        assert_eq!(words[3], r#"a={"b": [1]}"#);
        for command in [
            "windlass context set a=$(id)",
            "cd x; windlass context set a=1",
            "A=1 windlass x",
            "'",
        ] {
            assert_eq!(alone(command), None, "{command}");
        }
    }
}
