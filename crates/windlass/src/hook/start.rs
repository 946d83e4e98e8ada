//! Starting a run from within a session.
//!
//! The person's prompt claims the session. Where the workflow asks for inputs and somebody is there to
//! answer, the session's model asks them with the host's own tool and then runs the one command that it
//! is given; all that it can add are those inputs. Otherwise the hook starts the run itself.

use clap::Parser as _;
use windlass_core::hook::{Answer, GuardedRun, transport_rules};
use windlass_core::run::{HostKind, HostProcess, RunState};
use windlass_core::view::{Lines, printable};
use windlass_engine::dispatch::HostedDriver;
use windlass_engine::home::RepositoryHome;
use windlass_engine::hosted::desk::{Desk, Starting};
use windlass_engine::process_table::ancestry;

use super::turn::is_attended;
use super::who::Asked;
use super::wish::{Wish, wish};
use super::{PATIENCE, shell_file};
use crate::cli::{Cli, Command, RunArguments};
use crate::commands::{inputs_to_ask, prepare_run, start_prepared, story_alone};
use crate::error::CommandError;
use crate::notify::at_once;
use crate::output::{Colour, Output, Verbosity};
use crate::surroundings::{Surroundings, person};

/// A person asks for a run.
pub(super) fn asked_for(asked: &Asked, command: &str, words: &str) -> Result<Answer, CommandError> {
    if let Some(run) = &asked.run {
        return Ok(unfinished(run));
    }
    let session = match asked.session() {
        Ok((session, _)) => session,
        Err(unknown) => return Ok(not_here(&unknown.to_string())),
    };
    let live = Desk::of_machine(&asked.home).live(&session.id);
    if live.is_none_or(|live| live.session != session) {
        return Ok(not_here("this session's SessionStart hook did not reach windlass"));
    }
    let Wish { workflow, arguments, story } = wish(command, words, &asked.checkout.top_level)?;
    let starting = Starting { session, workflow, arguments, story, reminded: 0 };
    let surroundings = asked.surroundings()?;
    let arguments = parsed(&starting, &[])?;
    let questions = inputs_to_ask(&arguments, &surroundings, &quiet())?;
    // Codex has no tool for questions: inputs come with the prompt, or are the recommended ones.
    let asks = asked.host == HostKind::Claude && is_attended();
    if questions.is_empty() || !asks {
        let state = begin(&surroundings, &asked.repository, arguments, &starting)?;
        return Ok(Answer::Context(begun(asked, &state)));
    }
    Desk::of(&asked.repository).note_start(&starting).map_err(CommandError::failure)?;
    let mut text = format!(
        "{}\n\nThe person asks for a windlass run. First ask the person these, with AskUserQuestion (each \
         has a recommended answer):\n",
        transport_rules()
    );
    for question in &questions {
        text.push_str(&format!("- {question}\n"));
    }
    text.push_str(&format!(
        "\nThen run this one command, with their answers:\n\n{}\n",
        command_line(&starting)
    ));
    Ok(Answer::Context(text))
}

fn unfinished(run: &GuardedRun) -> Answer {
    Answer::Context(format!(
        "windlass: nothing was started. Run {} in this checkout is unfinished ({}). Tell the person that \
         `/windlass:resume` goes on with it and `/windlass:abort` ends it (its work is kept), and stop.",
        run.run, run.status
    ))
}

fn not_here(why: &str) -> Answer {
    Answer::Context(format!(
        "windlass: nothing was started, because this session cannot host a run: {why}. Tell the person to \
         start a new session with the plugin enabled (`windlass plugin validate` looks at it), or to use \
         `windlass run` in a terminal, and stop."
    ))
}

/// What a session is told that stops before its run exists.
pub(super) fn incomplete(starting: &Starting) -> String {
    format!(
        "windlass: the start is not complete, there is no run yet. When the person has answered the \
         questions, run this one command:\n\n{}\n",
        command_line(starting)
    )
}

fn command_line(starting: &Starting) -> String {
    let workflow = starting.workflow.as_deref().unwrap_or("the default workflow");
    format!(
        "windlass run --hosted --input NAME=VALUE …    (workflow: {})",
        printable(workflow, Lines::One)
    )
}

/// `windlass run --hosted`: the session's model completes the start.
pub(crate) fn begin_hosted(
    surroundings: &Surroundings,
    given: &RunArguments,
) -> Result<String, CommandError> {
    let repository = &surroundings.site.home;
    let desk = Desk::of(repository);
    let names = ["CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CODEX_THREAD_ID"];
    let sessions = names.iter().filter_map(|name| std::env::var(name).ok());
    let Some(starting) = sessions.into_iter().find_map(|session| desk.starting(&session)) else {
        return Err(CommandError::usage("no person has asked for a run in this session").hint(
            "a person starts one with `/windlass:workflow` or `/windlass:run` in the session, or with `windlass run` in a terminal",
        ));
    };
    let HostProcess { pid, start } = starting.session.process;
    let me = i32::try_from(std::process::id()).unwrap_or(-1);
    if !ancestry::descends_from(me, pid, start).map_err(CommandError::failure)? {
        return Err(CommandError::usage("this was not called from the session that was asked"));
    }
    let arguments = parsed(&starting, &given.inputs)?;
    let state = begin(surroundings, repository, arguments, &starting)?;
    desk.end_start(&starting.session.id);
    Ok(format!(
        "{}. Stop now: windlass then says what is next.",
        windlass_core::hook::one_line(&state)
    ))
}

/// Starts the run, and has the session drive it.
fn begin(
    surroundings: &Surroundings,
    repository: &RepositoryHome,
    mut arguments: RunArguments,
    starting: &Starting,
) -> Result<RunState, CommandError> {
    let session = &starting.session;
    let mut items = Vec::new();
    if let Some(story) = &starting.story {
        let (item, goal) = story_alone(surroundings, story, &quiet())?;
        arguments.goal = Some(goal);
        items.push(item);
    }
    let prepared = prepare_run(&arguments, items, surroundings, session.host.as_str(), &quiet())?;
    let run = start_prepared(surroundings, prepared)?;
    let site = &surroundings.site;
    let mut driver =
        HostedDriver::claim(site, &run, session, (&person(site), at_once(site)), PATIENCE)?;
    shell_file::write(repository, site, driver.state())?;
    driver.settle()?;
    Ok(driver.leave())
}

fn begun(asked: &Asked, state: &RunState) -> String {
    asked.session_start(state)
}

fn parsed(starting: &Starting, inputs: &[String]) -> Result<RunArguments, CommandError> {
    let mut line = vec!["windlass".to_owned(), "run".to_owned(), "--here".to_owned()];
    if let Some(workflow) = &starting.workflow {
        line.extend(["--workflow".to_owned(), workflow.clone()]);
    }
    line.extend(inputs.iter().flat_map(|input| ["--input".to_owned(), input.clone()]));
    line.extend(starting.arguments.iter().cloned());
    let cli = Cli::try_parse_from(line)
        .map_err(|error| CommandError::usage(error.to_string().trim_end().to_owned()))?;
    match cli.command {
        Some(Command::Run(arguments)) => Ok(*arguments),
        _ => Err(CommandError::usage("that is no run")),
    }
}

fn quiet() -> Output {
    Output::new(false, Colour::Never, Verbosity::Quiet)
}
