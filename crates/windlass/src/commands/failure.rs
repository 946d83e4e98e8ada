//! `windlass failure`: what failed, whether trying again is worth it, and what windlass cannot see.

use std::process::ExitCode;

use windlass_core::failure_rules::{FailureRule, category_of};
use windlass_core::run::{About, Category, RunState, advice};
use windlass_core::view::{FailureView, Failures};
use windlass_core::workflow::nearest;
use windlass_engine::dispatch::{AgentCall, Request, now};
use windlass_engine::journal::{Entry, entry};
use windlass_engine::store::{Seq, Store};

use crate::cli::{
    Cli, FailureAddArguments, FailureAdviceArguments, FailureArguments, FailureCommand,
    FailureListArguments,
};
use crate::clock::Clock;
use crate::commands::speaker::Speaker;
use crate::commands::{decide, item};
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn failure(
    cli: &Cli,
    arguments: &FailureArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        FailureCommand::List(arguments) => list(cli, arguments, output),
        FailureCommand::Advice(arguments) => advise(cli, arguments, output),
        FailureCommand::Add(arguments) => add(cli, arguments, output),
    }
}

fn list(
    cli: &Cli,
    arguments: &FailureListArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (run, loaded, store) = Surroundings::find(cli)?.loaded()?;
    let about = arguments.about.as_deref().map(|name| find(&loaded.state, name)).transpose()?;
    let views = of_journal(&store, &run.id)?.finish(&loaded.state, about.as_ref());
    if output.is_json() {
        output.json(&views);
    } else if views.is_empty() {
        output.data("nothing has failed");
    }
    if !output.is_json() {
        for view in &views {
            let text = output.foreign(&line(view)).into_owned();
            output.data(&text);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn of_journal(store: &Store, run: &windlass_core::id::RunId) -> Result<Failures, CommandError> {
    let mut failures = Failures::default();
    for record in store.records(run, Seq(1)).map_err(CommandError::failure)? {
        let record = record.map_err(CommandError::failure)?;
        if let Entry::Event(event) = entry(&record).map_err(CommandError::failure)? {
            failures.add(record.time, &event);
        }
    }
    Ok(failures)
}

fn line(view: &FailureView) -> String {
    let FailureView { step, item, attempt, category, summary, at, by } = view;
    let what = match (attempt, step, item) {
        (Some(attempt), ..) => attempt.to_string(),
        (None, Some(step), _) => step.to_string(),
        (None, None, item) => item.as_ref().map(ToString::to_string).unwrap_or_default(),
    };
    let by = by.as_ref().map(|by| format!(" (noted by {by})")).unwrap_or_default();
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = Clock::here().localised(at).into_owned();
    format!("{at}  {what}  {category}: {summary}{by}")
}

fn advise(
    cli: &Cli,
    arguments: &FailureAdviceArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (_, loaded, _) = Surroundings::find(cli)?.loaded()?;
    let about = find(&loaded.state, &arguments.about)?;
    let advice = advice(&loaded.state, &about, now());
    if output.is_json() {
        output.json(&advice);
        return Ok(ExitCode::SUCCESS);
    }
    let what = match (advice.should_retry, advice.backoff_seconds, advice.escalate) {
        (true, 0, _) => "try again".to_owned(),
        (true, seconds, _) => format!("try again in {seconds} s"),
        (false, _, true) => "a person has to help".to_owned(),
        (false, _, false) => "nothing to do".to_owned(),
    };
    let text = format!("{what}: {}", advice.reason);
    let text = output.foreign(&text).into_owned();
    output.data(&text);
    Ok(ExitCode::SUCCESS)
}

fn add(
    cli: &Cli,
    arguments: &FailureAddArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let summary = arguments.text.clone();
    let what = format!("a failure of `{}` is noted", arguments.about);
    if let Some(speaker) = Speaker::find(cli)? {
        // An agent may not read the store: what it names is looked up where it is heard.
        let category = category(arguments, &[])?;
        let call = AgentCall::Note { about: arguments.about.clone(), category, summary };
        return item::say(&speaker, call, &what, output);
    }
    let surroundings = Surroundings::find(cli)?;
    let (_, loaded, _) = surroundings.loaded()?;
    let about = find(&loaded.state, &arguments.about)?;
    let category = category(arguments, &loaded.state.facts.failure_rules)?;
    decide::ask(&surroundings, &Request::NoteFailure { about, category, summary }, &what, output)
}

/// The category that was named, else the one that a failure rule gives to what happened.
fn category(
    arguments: &FailureAddArguments,
    rules: &[FailureRule],
) -> Result<Category, CommandError> {
    if let Some(category) = arguments.category.or_else(|| category_of(rules, &arguments.text)) {
        return Ok(category);
    }
    let all: Vec<String> = Category::ALL.iter().map(ToString::to_string).collect();
    Err(CommandError::usage("which category? no failure rule fits what happened")
        .hint(format!("name one with --category: {}", all.join(", "))))
}

/// Finds a story or a step of the run, or says which one was meant.
fn find(state: &RunState, name: &str) -> Result<About, CommandError> {
    if let Some(about) = state.about(name) {
        return Ok(about);
    }
    let items = state.items.iter().map(|item| item.item.id.as_str());
    let steps = state.plan.steps.iter().map(|step| step.id.as_str());
    let message = format!("there is no story or step `{name}` in run `{}`", state.facts.run);
    let error = CommandError::usage(message);
    Err(match nearest(name, items.chain(steps)) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`windlass status` lists the steps, `windlass story list` the stories"),
    })
}
