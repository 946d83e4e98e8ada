//! Who plays the agents of a run: what was asked for, else what is there.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_core::config::{Origin, Setting, Settings};
use windlass_core::id::StepId;
use windlass_core::plan::{Plan, PlanStep, StepKind};
use windlass_engine::agent::{self, KNOWN, Script};

use crate::agent_command;
use crate::cli::RunArguments;
use crate::commands::backends::{self, BackendView};
use crate::error::CommandError;
use crate::output::Output;

/// A backend by its name, and what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) name: String,
    pub(crate) command: Option<String>,
    /// Whether the repository chose the command, and not whoever runs windlass.
    pub(crate) from_repository: bool,
}

/// What was asked for.
enum Wish {
    Command(Setting<String>),
    Agent(Setting<String>),
}

/// Chooses the backend of a run, and says which one unless the command line did.
pub(crate) fn choose(
    arguments: &RunArguments,
    settings: &Settings,
    env: &[(String, String)],
    output: &Output,
) -> Result<Chosen, CommandError> {
    let (mut chosen, from_repository) = match wish(arguments, settings)? {
        Some(Wish::Command(Setting { value, origin })) => {
            (command(&value, &origin, env, output)?, origin.is_repository())
        }
        Some(Wish::Agent(Setting { value, origin })) => {
            (named(&value, &origin, env, output)?, origin.is_repository())
        }
        None => (auto(env, output)?, false),
    };
    chosen.from_repository = from_repository && chosen.command.is_some();
    Ok(chosen)
}

/// Returns the backend that the command line names, where it names one.
pub(crate) fn by_flags(
    agent_command: Option<&str>,
    agent: Option<&str>,
    env: &[(String, String)],
    output: &Output,
) -> Result<Option<Chosen>, CommandError> {
    let flag = |value: Option<&str>| Setting::or_flag(value.map(str::to_owned), None);
    if let Some(Setting { value, origin }) = flag(agent_command) {
        return command(&value, &origin, env, output).map(Some);
    }
    match flag(agent) {
        Some(Setting { value, origin }) => named(&value, &origin, env, output).map(Some),
        None => Ok(None),
    }
}

/// Looks at the backends that steps name for themselves: a run should not find out half-way that one
/// is not there.
pub(crate) fn of_steps(
    plan: &Plan,
    chosen: &Chosen,
    env: &[(String, String)],
) -> Result<(), CommandError> {
    let mut named: BTreeMap<&str, &StepId> = BTreeMap::new();
    for step in plan.steps.iter().flat_map(with_repeated) {
        if let StepKind::Agent { backend: Some(backend), .. } = &step.kind {
            named.entry(backend).or_insert(&step.id);
        }
    }
    for (name, step) in named.into_iter().filter(|(name, _)| *name != chosen.name) {
        let Some(known) = KNOWN.iter().find(|known| **known == name) else {
            return Err(CommandError::usage(format!(
                "`{step}` asks for the backend `{name}`, which is not a backend of this version"
            ))
            .hint(format!("a step can name one of `{}`", KNOWN.join("`, `"))));
        };
        let why = backends::look_at(known, env).and_then(|found| backends::unusable(&found.survey));
        if let Some(why) = why {
            return Err(CommandError::usage(format!("`{name}`, which plays `{step}`: {why}"))
                .hint("`windlass agent list` says what is there; nothing was started"));
        }
    }
    Ok(())
}

fn with_repeated(step: &PlanStep) -> Vec<&PlanStep> {
    match &step.kind {
        StepKind::Foreach(foreach) => foreach.steps.iter().collect(),
        StepKind::Agent { .. } | StepKind::Group | StepKind::PullRequest(_) => vec![step],
    }
}

/// The flag, else the nearer of the two files.
fn wish(arguments: &RunArguments, settings: &Settings) -> Result<Option<Wish>, CommandError> {
    let flag = |value: &Option<String>| Setting::or_flag(value.clone(), None);
    if let Some(command) = flag(&arguments.agent_command) {
        return Ok(Some(Wish::Command(command)));
    }
    if let Some(agent) = flag(&arguments.agent) {
        return Ok(Some(Wish::Agent(agent)));
    }
    match (&settings.agent_command, &settings.agent) {
        (Some(command), Some(agent)) if command.origin == agent.origin => {
            let file = agent.origin.file().unwrap_or_default();
            let message = format!("both `agent` and `agent_command` are set in {file}");
            Err(CommandError::usage(message).hint("keep one of them"))
        }
        (Some(command), Some(agent)) if command.origin < agent.origin => {
            Ok(Some(Wish::Command(command.clone())))
        }
        (_, Some(agent)) => Ok(Some(Wish::Agent(agent.clone()))),
        (Some(command), None) => Ok(Some(Wish::Command(command.clone()))),
        (None, None) => Ok(None),
    }
}

fn command(
    written: &str,
    origin: &Origin,
    env: &[(String, String)],
    output: &Output,
) -> Result<Chosen, CommandError> {
    let variable = |wanted: &str| {
        env.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value.as_str())
    };
    // An attempt has a home of its own, and whoever writes `~` means theirs.
    let command = agent_command::with_home(written, variable("HOME"));
    agent_command::refuse_missing(&command, variable("PATH"))?;
    if let Some(file) = origin.file() {
        output.remark(&format!("agents run with `{command}` (`agent_command` in {file})"));
    }
    if command.trim().is_empty() {
        return Err(CommandError::usage("the agent command is empty"));
    }
    Ok(Chosen { name: "command".to_owned(), command: Some(command), from_repository: false })
}

fn named(
    name: &str,
    origin: &Origin,
    env: &[(String, String)],
    output: &Output,
) -> Result<Chosen, CommandError> {
    if name == "auto" {
        return auto(env, output);
    }
    if let Some(script) = name.strip_prefix("rehearsal:") {
        return rehearsal(script);
    }
    if let Some(command) = name.strip_prefix("acp:") {
        return by_protocol(command, origin, env, output);
    }
    let Some(known) = KNOWN.iter().find(|known| **known == name) else {
        let known = KNOWN.join("`, `");
        return Err(CommandError::usage(format!("`{name}` is not a backend of this version"))
            .hint(format!(
                "use `auto`, `{known}`, `acp:COMMAND`, or any other program by \
                 `--agent-command CMD`; `--agent rehearsal:SCRIPT` tries a workflow"
            )));
    };
    let Some(found) = backends::look_at(known, env) else {
        return Err(CommandError::usage(format!("`{name}` is not a backend of this version")));
    };
    if let Some(why) = backends::unusable(&found.survey) {
        return Err(CommandError::usage(format!("`{name}` cannot run agents: {why}"))
            .hint("`windlass agent list` says what is there; nothing was started"));
    }
    if let Some(file) = origin.file() {
        let version = found.survey.version.as_deref().unwrap_or_default();
        output.remark(&format!("agents run with {name} {version} (`agent` in {file})"));
    }
    Ok(Chosen { name: name.to_owned(), command: None, from_repository: false })
}

/// Any program that speaks the Agent Client Protocol.
fn by_protocol(
    command: &str,
    origin: &Origin,
    env: &[(String, String)],
    output: &Output,
) -> Result<Chosen, CommandError> {
    let Some(backend) = agent::open("acp", Some(command), Path::new("windlass")) else {
        return Err(CommandError::usage(format!("`acp:{command}` names no program"))
            .hint("write it as on a command line, for example `--agent \"acp:my-agent --acp\"`"));
    };
    if let Some(why) = backends::unusable(&backend.survey(env)) {
        return Err(CommandError::usage(format!("`acp:{command}` cannot run agents: {why}"))
            .hint("nothing was started"));
    }
    if let Some(file) = origin.file() {
        output.remark(&format!("agents run with `{command}` (`agent` in {file})"));
    }
    Ok(Chosen { name: "acp".to_owned(), command: Some(command.to_owned()), from_repository: false })
}

/// The first that is there and signed in.
fn auto(env: &[(String, String)], output: &Output) -> Result<Chosen, CommandError> {
    let mut looked_at: Vec<BackendView> = Vec::new();
    for name in KNOWN {
        let Some(found) = backends::look_at(name, env) else { continue };
        if found.usable {
            let version = found.survey.version.as_deref().unwrap_or_default();
            output.remark(&format!("agents run with {name} {version} (`--agent` chooses another)"));
            return Ok(Chosen { name: (*name).to_owned(), command: None, from_repository: false });
        }
        looked_at.push(found);
    }
    // One that is there and not signed in is nearer than one to install.
    looked_at.sort_by_key(|found| found.survey.program.is_none());
    let mut error = CommandError::usage(format!(
        "no agent program is ready: none of {} can be used",
        KNOWN.join(", ")
    ));
    for trouble in backends::troubles(&looked_at) {
        error = error.hint(trouble);
    }
    Err(error.hint(
        "or pass `--agent-command 'CMD'`: any command that does what the prompt on its stdin says",
    ))
}

fn rehearsal(script: &str) -> Result<Chosen, CommandError> {
    let text =
        fs_err::read_to_string(script).map_err(|error| CommandError::usage(error.to_string()))?;
    Script::parse(&text).map_err(|error| CommandError::usage(format!("`{script}`: {error}")))?;
    let absolute = std::path::absolute(script).map_err(CommandError::failure)?;
    let command = Some(absolute.to_string_lossy().into_owned());
    Ok(Chosen { name: "rehearsal".to_owned(), command, from_repository: false })
}
