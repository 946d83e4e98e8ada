//! `windlass run`: start a run and drive it.

mod ask;
mod issue;
mod target;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use serde_json::Value;
use windlass_core::config::{CommitConfig, Notify, Setting, Settings};
use windlass_core::id::RunId;
use windlass_core::item::NewItem;
use windlass_core::plan::{BaselinePolicy, Issue, Plan, PlanRequest, StepKind, StepNetwork};
use windlass_core::time::Span;
use windlass_core::view::{Lines, count, printable};
use windlass_engine::dispatch::{
    IssueBranch, Site, StartRequest, Unwatched, clear_unstarted, start,
};
use windlass_engine::forge::{ForgeError, Remote};
use windlass_engine::git::UserRepository;
use windlass_engine::journal::load;
use windlass_engine::level::Level;
use windlass_engine::store::Life;

use super::baseline::AtStart;
use crate::backend;
use crate::cli::{Cli, RunArguments};
use crate::commands::{place, platform, workflow_file};
use crate::config;
use crate::drive::{DriveHow, drive};
use crate::error::CommandError;
use crate::hook;
use crate::judges;
use crate::output::Output;
use crate::roles;
use crate::surroundings::{Surroundings, account, person};

pub(crate) fn run(
    cli: &Cli,
    arguments: &RunArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = look_around(cli, arguments, output)?;
    if arguments.hosted {
        let told = hook::begin_hosted(&surroundings, arguments)?;
        output.data(&told);
        return Ok(ExitCode::SUCCESS);
    }
    let (surroundings, run, how) = begin(surroundings, arguments, Vec::new(), output)?;
    drive(&surroundings, &run, how, output)
}

/// Starts a run of a workflow of windlass's own, over these items.
pub(crate) fn begin_own(
    cli: &Cli,
    arguments: &RunArguments,
    items: Vec<NewItem>,
    output: &mut Output,
) -> Result<(Surroundings, RunId, DriveHow), CommandError> {
    let surroundings = look_around(cli, arguments, output)?;
    begin(surroundings, arguments, items, output)
}

/// Starts a run; nobody drives it yet.
fn begin(
    mut surroundings: Surroundings,
    arguments: &RunArguments,
    items: Vec<NewItem>,
    output: &mut Output,
) -> Result<(Surroundings, RunId, DriveHow), CommandError> {
    let settings = config::load(&surroundings.site.user.top_level)?;
    surroundings.pass_env(&settings, &arguments.drive.pass_env, output)?;
    surroundings.confine(&settings.confinement, &arguments.drive, output)?;
    let mut plan = plan(arguments, items, &settings, &surroundings, output)?;
    if arguments.no_baseline {
        plan.baseline = BaselinePolicy::Off;
    }
    let chosen = backend::choose(arguments, &settings, &surroundings.site.env, output)?;
    backend::of_steps(&plan, &chosen, &surroundings.site.env)?;
    let user = &surroundings.site.user;
    if !arguments.here && !user.dirty.is_empty() {
        output.remark(&format!(
            "your uncommitted changes stay yours: the run starts from commit {}",
            user.commit.as_str().get(..12).unwrap_or(user.commit.as_str())
        ));
    }
    say_where_it_stops(&plan, user, output);
    say_which_network_stays_open(&plan, &surroundings.site, output);
    let request = StartRequest {
        branch: branch(&plan, arguments, &surroundings, output)?,
        plan,
        here: arguments.here,
        approved_in_advance: arguments.yes.then(|| person(&surroundings.site)),
        person: person(&surroundings.site),
        backend: chosen.name,
        command: chosen.command,
        command_from_repository: chosen.from_repository,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        failure_rules: settings.failures.clone(),
        questions_wait: questions_wait(unattended(arguments), &settings),
        services: settings.services.clone(),
        commits: settings.commits.clone(),
        no_cold: no_cold(arguments)?,
    };
    let notify = arguments.drive.notify.as_deref().map(Notify::of);
    let notify = Setting::or_flag(notify, settings.notify);
    say_whose_command(notify.as_ref(), output);
    let attended = !unattended(arguments) && !output.is_json();
    // What an earlier run left is no reason not to begin.
    match place::prune_old(&surroundings) {
        Ok(removed) if !removed.is_empty() => output.remark(&format!(
            "removed the places of {} that ended long ago or used too much disk; their work stays in git refs",
            count(removed.len(), "run")
        )),
        Ok(_) => {}
        Err(error) => output.remark(&format!(
            "warning: places of ended runs could not be removed: {}",
            error.in_one_line()
        )),
    }
    let mut watcher = AtStart::new(output, &surroundings.site, attended)?;
    let run = start(&surroundings.site, request, &mut watcher)?;
    drop(watcher);
    Ok((surroundings, run, DriveHow { no_wait: arguments.drive.no_wait, notify }))
}

/// Why the run may end without a proof on a fresh clone.
fn no_cold(arguments: &RunArguments) -> Result<Option<String>, CommandError> {
    match arguments.no_cold.as_deref().map(str::trim) {
        Some("") => Err(CommandError::usage("`--no-cold` needs a reason")
            .hint("say why, so that it can be read in the report")),
        reason => Ok(reason.map(str::to_owned)),
    }
}

/// Whether nobody is there to answer: silence answers questions at once.
fn unattended(arguments: &RunArguments) -> bool {
    arguments.yes || !std::io::stdin().is_terminal()
}

/// How long questions wait: not at all where nobody is there, else as it is configured.
fn questions_wait(unattended: bool, settings: &Settings) -> Option<Span> {
    let set = settings.questions_wait.as_ref().map(|setting| setting.value);
    if unattended { Some(Span(0)) } else { set }
}

/// Makes everything that a run needs that a session is to drive.
pub(crate) fn prepare_run(
    arguments: &RunArguments,
    items: Vec<NewItem>,
    surroundings: &Surroundings,
    backend: &str,
    output: &Output,
) -> Result<StartRequest, CommandError> {
    let settings = config::load(&surroundings.site.user.top_level)?;
    let mut plan = plan(arguments, items, &settings, surroundings, output)?;
    // A hook has seconds, and suites take minutes. Nothing else makes the warm layer, so checks of such a
    // run start from the copied folders and what `prepare` makes.
    plan.baseline = BaselinePolicy::Off;
    Ok(StartRequest {
        branch: branch(&plan, arguments, surroundings, output)?,
        plan,
        here: true,
        approved_in_advance: arguments.yes.then(|| person(&surroundings.site)),
        person: person(&surroundings.site),
        backend: backend.to_owned(),
        command: None,
        command_from_repository: false,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        questions_wait: questions_wait(arguments.yes || !hook::is_attended(), &settings),
        failure_rules: settings.failures,
        services: settings.services,
        commits: settings.commits,
        no_cold: no_cold(arguments)?,
    })
}

/// Makes everything that the baseline of a workflow needs; nobody works, so there is no backend.
pub(crate) fn prepare_baseline(
    arguments: &RunArguments,
    surroundings: &mut Surroundings,
    output: &Output,
) -> Result<StartRequest, CommandError> {
    let settings = config::load(&surroundings.site.user.top_level)?;
    surroundings.confine(&settings.confinement, &arguments.drive, output)?;
    let plan = plan(arguments, Vec::new(), &settings, surroundings, output)?;
    let no_cold = no_cold(arguments)?;
    Ok(StartRequest { no_cold, services: settings.services, ..baseline_of(plan) })
}

/// A request that only looks at the checks of a plan.
pub(crate) fn baseline_of(mut plan: Plan) -> StartRequest {
    if plan.baseline == BaselinePolicy::Off {
        plan.baseline = BaselinePolicy::Strict;
    }
    StartRequest {
        branch: None,
        plan,
        here: false,
        approved_in_advance: None,
        person: account(),
        backend: "command".to_owned(),
        command: None,
        command_from_repository: false,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        failure_rules: Vec::new(),
        questions_wait: None,
        services: Vec::new(),
        commits: CommitConfig::default(),
        no_cold: None,
    }
}

/// Starts it.
pub(crate) fn start_prepared(
    surroundings: &Surroundings,
    request: StartRequest,
) -> Result<RunId, CommandError> {
    clear_unstarted(&surroundings.site).map_err(CommandError::failure)?;
    Ok(start(&surroundings.site, request, &mut Unwatched)?)
}

/// Returns the questions that the workflow has and the arguments do not answer, in words.
pub(crate) fn inputs_to_ask(
    arguments: &RunArguments,
    surroundings: &Surroundings,
    output: &Output,
) -> Result<Vec<String>, CommandError> {
    let settings = config::load(&surroundings.site.user.top_level)?;
    let workflow = workflow_file::read(&find(arguments, &settings, surroundings, output)?)?;
    let given = workflow_file::inputs(&arguments.inputs)?;
    Ok(ask::questions(&workflow, &given))
}

/// Tells about steps whose network cannot be closed on this machine.
fn say_which_network_stays_open(plan: &Plan, site: &Site, output: &Output) {
    let (why, keeps_off) = match site.level(&site.home.cache) {
        Level::Namespaces => return,
        Level::Landlock { why } => (why, true),
        Level::None { why } => (why, false),
    };
    let open = plan.steps.iter().find_map(|step| match step.network {
        StepNetwork::On => None,
        StepNetwork::Provider => Some((&step.id, "provider")),
        StepNetwork::Off => (!keeps_off).then_some((&step.id, "off")),
    });
    let Some((step, network)) = open else { return };
    output.remark(&format!(
        "`{step}` asks for `network: {network}`, which cannot be enforced here: its attempts reach \
         everything that you reach ({why}); `--sandbox require` would not start it"
    ));
}

/// Says before anything is spent that the run cannot be published as the repository is now.
fn say_where_it_stops(plan: &Plan, user: &UserRepository, output: &Output) {
    let publishes = plan.steps.iter().find(|step| matches!(step.kind, StepKind::PullRequest(_)));
    let Some(step) = publishes.filter(|_| plan.inputs.get("publish") != Some(&false.into())) else {
        return;
    };
    let remote = Remote::of(user, None);
    if let Ok(remote) = &remote
        && let Ok(Some(count @ 1..)) = remote.unknown_commits(&user.commit)
    {
        output.remark(&format!(
            "{count} of your commits are not at `{}`, as far as this checkout knows: they would be \
             part of the pull request",
            remote.name()
        ));
    }
    if let Err(ForgeError::NoRemote) = remote {
        let without = match plan.inputs.get("publish") {
            Some(Value::Bool(true)) => "`--input publish=false` turns publishing off".to_owned(),
            _ => format!("`windlass skip {} --reason WHY` skips it", step.id),
        };
        output.remark(&format!(
            "the repository has no remote: `{}` will stop for you (`git remote add origin URL` \
             gives it one; {without})",
            step.id
        ));
    }
}

/// Looks around, after what killed starts left behind is taken back: HEAD may stand elsewhere then.
pub(crate) fn look_around(
    cli: &Cli,
    arguments: &RunArguments,
    output: &Output,
) -> Result<Surroundings, CommandError> {
    let find = || Surroundings::find_to_drive(cli, &arguments.drive.allow_write);
    let surroundings = find()?;
    surroundings.refuse_agents()?;
    let cleared = clear_unstarted(&surroundings.site).map_err(CommandError::failure)?;
    for run in &cleared {
        output.remark(&format!(
            "run `{run}` was killed before it started; what it had made is removed"
        ));
    }
    if cleared.is_empty() { Ok(surroundings) } else { find() }
}

/// Says which file a command comes from, so that nobody runs a stranger's command unknowingly.
fn say_whose_command(notify: Option<&Setting<Notify>>, output: &Output) {
    if let Some(Setting { value: Notify::Command(command), origin }) = notify
        && let Some(file) = origin.file()
    {
        output.remark(&format!("notifications are sent by `{command}` (`notify` in {file})"));
    }
}

/// The workflow of a run for which nobody named one.
const DEFAULT: &str = "change";

/// Finds the workflow: the one that was named, else the configured one, else the default.
fn find(
    arguments: &RunArguments,
    settings: &Settings,
    surroundings: &Surroundings,
    output: &Output,
) -> Result<workflow_file::Found, CommandError> {
    let top_level = &surroundings.site.user.top_level;
    let Some(setting) = Setting::or_flag(arguments.workflow.clone(), settings.workflow.clone())
    else {
        output.remark(&format!("workflow `{DEFAULT}` (`--workflow` names another)"));
        return workflow_file::find(DEFAULT, top_level);
    };
    workflow_file::set(&setting, top_level, output)
}

fn plan(
    arguments: &RunArguments,
    items: Vec<NewItem>,
    settings: &Settings,
    surroundings: &Surroundings,
    output: &Output,
) -> Result<Plan, CommandError> {
    let found = find(arguments, settings, surroundings, output)?;
    let workflow = workflow_file::read(&found)?;
    let roles = workflow_file::roles(&found, &workflow, &surroundings.site.user.top_level)?;
    let mut inputs = workflow_file::inputs(&arguments.inputs)?;
    if let Some(number) = arguments.issue
        && !arguments.again
    {
        refuse_second_run_for(number, surroundings)?;
    }
    let purpose = issue::purpose(arguments, &surroundings.site.user, output)?;
    ask::missing(&workflow, arguments, &mut inputs, output)?;
    let platforms = platform::for_run(
        &workflow,
        &arguments.wanted,
        settings,
        &surroundings.site.user.top_level,
        ask::can_ask(arguments, output),
        output,
    )?;
    let request =
        PlanRequest { goal: purpose.goal, issue: purpose.issue, inputs, roles, platforms, items };
    let mut plan = workflow_file::plan(&workflow, request)?;
    let top_level = &surroundings.site.user.top_level;
    judges::protect(&mut plan, &workflow, &found, top_level, judges::Base::Needed)?;
    target::pin(&mut plan, arguments.base.as_deref(), &surroundings.site.user, output)?;
    roles::say_whose(&plan.roles, output);
    for unchecked in &plan.unchecked {
        output.remark(&format!("not checked: {unchecked}"));
    }
    for unfollowed in &plan.unfollowed {
        output.remark(&format!("could not be followed: {}", printable(unfollowed, Lines::One)));
    }
    Ok(plan)
}

/// Refuses to begin with an issue that an unfinished run is about.
fn refuse_second_run_for(number: u64, surroundings: &Surroundings) -> Result<(), CommandError> {
    let unfinished = unfinished(surroundings)?;
    let same = |run: &&Unfinished| run.issue.as_ref().is_some_and(|issue| issue.number == number);
    let Some(Unfinished { run, .. }) = unfinished.iter().find(same) else { return Ok(()) };
    Err(CommandError::usage(format!("run `{run}` is unfinished, and is for issue {number} too"))
        .hint(format!(
            "continue with `windlass resume --run {run}`, or end it with `windlass abort --run {run}`"
        ))
        .hint("a second run for the same issue starts with `--again`"))
}

/// Picks the branch of a run: the wished one, or one that is named by the issue.
fn branch(
    plan: &Plan,
    arguments: &RunArguments,
    surroundings: &Surroundings,
    output: &Output,
) -> Result<Option<String>, CommandError> {
    if let Some(wished) = &arguments.branch {
        target::refuse_branch(wished, &surroundings.site.user)?;
        return Ok(Some(wished.clone()));
    }
    let Some(issue) = &plan.issue else { return Ok(None) };
    let in_use: Vec<String> = unfinished(surroundings)?.into_iter().map(|run| run.branch).collect();
    let picked = IssueBranch::pick(&surroundings.site.user, issue, &plan.goal, &in_use)
        .map_err(CommandError::failure)?;
    if let Some(taken) = &picked.taken {
        output.remark(&format!("`{taken}` is taken: the run's branch is `{}`", picked.name));
    }
    Ok(Some(picked.name))
}

/// A run that has not ended.
struct Unfinished {
    run: String,
    issue: Option<Issue>,
    branch: String,
}

fn unfinished(surroundings: &Surroundings) -> Result<Vec<Unfinished>, CommandError> {
    let Some(store) = surroundings.store()? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for run in store.runs().map_err(CommandError::failure)? {
        if run.life == Life::Unfinished {
            // A run that cannot be read is no reason not to begin another one.
            let Ok(loaded) = load(&store, &run.id) else { continue };
            found.push(Unfinished {
                run: run.id.to_string(),
                issue: loaded.state.plan.issue.clone(),
                branch: loaded.state.facts.branch.clone(),
            });
        }
    }
    Ok(found)
}
