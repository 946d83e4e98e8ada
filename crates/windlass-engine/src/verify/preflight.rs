//! Whether a plan can be verified at all, found out before anything is spent.

use std::path::Path;

use windlass_core::id::ObjectId;
use windlass_core::plan::Plan;

use super::cancel::Cancel;
use super::prepared::Warmth;
use super::verifier::{Broken, Verifier};
use crate::git::{EngineRepository, Place};
use crate::level::Level;

/// Why a plan cannot be verified here.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum PreflightError {
    #[error("the program `{program}` of the check `{command}` in step `{step}` is not there")]
    MissingProgram { step: String, command: String, program: String },
    #[error(
        "the program `{program}` of the check `{command}` in step `{step}` is not shown to checks: add \
         its folder to `expose` in your configuration, or pass `--expose`"
    )]
    Hidden { step: String, command: String, program: String },
    #[error("`{command}` failed in a clean tree: {how}")]
    Prepare { command: String, how: String, output: String },
    #[error("the room for checks could not be made")]
    Layers(#[source] Broken),
}

/// Words of the shell itself, and what needs more than a look to find.
const SHELL_WORDS: &[&str] = &[
    "!", ".", ":", "[", "[[", "{", "case", "cd", "command", "echo", "eval", "exec", "exit",
    "export", "false", "for", "if", "printf", "pwd", "read", "return", "set", "shift", "source",
    "test", "time", "trap", "true", "type", "ulimit", "umask", "unset", "until", "wait", "while",
];

/// Runs `prepare` in a clean tree and looks for the program of every check.
///
/// # Errors
/// Something is missing or fails; nothing has been spent yet.
pub fn preflight(
    verifier: &Verifier,
    place: &Place,
    engine: &EngineRepository,
    plan: &Plan,
    base_tree: &ObjectId,
) -> Result<(), PreflightError> {
    let path = verifier.env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_str());
    let mut commands = Vec::new();
    let repeated = plan.foreaches().filter_map(|index| plan.foreach(index));
    for step in plan.steps.iter().chain(repeated.flat_map(|foreach| &foreach.steps)) {
        for check in step.done.iter().flat_map(|criterion| criterion.checks()) {
            if let Some(command) = check.kind.command() {
                commands.push((step.id.to_string(), command.command.to_owned()));
            }
        }
    }
    for prepare in &plan.prepare {
        commands.push(("prepare".to_owned(), prepare.run.clone()));
    }
    for (step, command) in commands {
        if let Some(program) = first_program(&command)
            && !is_found(&program, path.unwrap_or_default())
        {
            return Err(PreflightError::MissingProgram { step, command, program });
        }
        if let Some(program) = first_program(&command).filter(|program| verifier.hides(program)) {
            return Err(PreflightError::Hidden { step, command, program });
        }
    }
    verifier.ensure_layers(place).map_err(PreflightError::Layers)?;
    if !plan.prepare.is_empty() {
        let prepared = verifier.prepared(engine, plan, base_tree, Warmth::Warm, &Cancel::default());
        if let Err((command, ran)) = prepared.map_err(PreflightError::Layers)? {
            let how = ran.words(windlass_core::time::Span::minutes(30));
            return Err(PreflightError::Prepare { command, how, output: ran.excerpt });
        }
    }
    Ok(())
}

impl Verifier {
    /// Whether a program is on this machine and not in its rooms.
    fn hides(&self, program: &str) -> bool {
        let path = Path::new(program);
        let outside = path.is_absolute() && !path.starts_with(&self.rooms.root);
        *self.rooms.level() == Level::Namespaces && outside && !self.rooms.exposed().covers(path)
    }
}

/// The program that a command starts with, where that can be told without running it.
pub fn first_program(command: &str) -> Option<String> {
    let words = shlex::split(command)?;
    let word = words.into_iter().find(|word| !is_assignment(word))?;
    let dynamic = word.contains(['$', '`', '*', '?', '(', ')', '<', '>', ';', '&', '|', '~', '{']);
    (!dynamic && !SHELL_WORDS.contains(&word.as_str())).then_some(word)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// A program with a path may be made by the agent, so only bare names can be missing.
pub fn is_found(program: &str, path: &str) -> bool {
    if program.contains('/') {
        return !Path::new(program).is_absolute() || is_executable(Path::new(program));
    }
    path.split(':').any(|folder| is_executable(&Path::new(folder).join(program)))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_command_is_found_where_that_can_be_told() {
        let program = |command| first_program(command);
        assert_eq!(program("mvn -q verify").as_deref(), Some("mvn"));
        assert_eq!(program("CI=1 npm test && echo ok").as_deref(), Some("npm"));
        assert_eq!(program("./gradlew test").as_deref(), Some("./gradlew"));
        for unclear in ["cd app && npm test", "$TOOL x", "if true; then x; fi", "(make)", "! x", ""]
        {
            assert_eq!(program(unclear), None, "{unclear}");
        }
    }

    #[test]
    fn only_bare_names_can_be_missing() {
        assert!(is_found("sh", "/usr/bin:/bin"));
        assert!(!is_found("no-such-program-here", "/usr/bin:/bin"));
        assert!(is_found("./made-by-the-agent.sh", ""));
        assert!(!is_found("/no/such/program", ""));
    }
}
