//! The branch that a run's pull request is for: known, and there, before anything is spent.

use std::time::Duration;

use windlass_core::plan::{Plan, StepKind};
use windlass_engine::forge::{ForgeError, Remote, Targets};
use windlass_engine::git::{Head, UserRepository, branch_is_there};

use crate::error::CommandError;
use crate::output::Output;

/// How long the remote is waited for: a start must not hang because somebody is on a train.
const QUICK: Duration = Duration::from_secs(5);

/// Writes into the plan which branch its pull request is for: the one that was asked for, else that of
/// the workflow, else the one that is checked out, else the remote's default.
pub(super) fn pin(
    plan: &mut Plan,
    asked: Option<&str>,
    user: &UserRepository,
    output: &Output,
) -> Result<(), CommandError> {
    let publishes = plan.inputs.get("publish") != Some(&false.into());
    let requests = plan.steps.iter_mut().filter_map(|step| match &mut step.kind {
        StepKind::PullRequest(request) => Some(request),
        StepKind::Agent { .. } | StepKind::Group | StepKind::Foreach(_) => None,
    });
    let mut requests: Vec<_> = requests.collect();
    if requests.is_empty() {
        return match asked {
            Some(_) => Err(CommandError::usage(
                "`--base` says what a pull request is for, and this workflow opens none",
            )),
            None => Ok(()),
        };
    }
    let remote = match Remote::of(user, None) {
        Ok(remote) => remote,
        // Without one the step that publishes stops; what is said about that is said elsewhere.
        Err(ForgeError::NoRemote | ForgeError::SeveralRemotes { .. }) => {
            if let Some(asked) = asked {
                requests.iter_mut().for_each(|request| request.base = Some(asked.to_owned()));
            }
            return Ok(());
        }
        Err(error) => return Err(CommandError::failure(error)),
    };
    for request in requests {
        let wished = asked.map(str::to_owned).or_else(|| request.base.clone());
        if !publishes && wished.is_none() {
            continue;
        }
        request.base = Some(chosen(wished, &remote, user, publishes, output)?);
    }
    Ok(())
}

fn chosen(
    wished: Option<String>,
    remote: &Remote,
    user: &UserRepository,
    publishes: bool,
    output: &Output,
) -> Result<String, CommandError> {
    if !publishes && let Some(wished) = wished {
        return Ok(wished);
    }
    let current = match &user.head {
        Head::Branch(name) => Some(name.clone()),
        Head::Detached => None,
    };
    let candidate = wished.clone().or(current);
    let asked = candidate.as_deref().unwrap_or("HEAD");
    let targets = remote.targets_within(asked, QUICK).map_err(CommandError::failure)?;
    let name = remote.name();
    match (candidate, targets) {
        (Some(branch), Targets { has_branch: true, .. }) => Ok(branch),
        // Nobody answers, and nothing was ever fetched: what is there cannot be known.
        (Some(branch), Targets { answered: false, default: None, .. }) => Ok(branch),
        (Some(branch), Targets { default, .. }) if wished.is_some() => {
            let error = CommandError::usage(format!(
                "there is no branch `{branch}` at `{name}`: nothing could be merged into it"
            ));
            let error = match default {
                Some(default) => error.hint(format!("`--base {default}` is its default branch")),
                None => error,
            };
            Err(error.hint(format!("`git push {name} {branch}` makes it")))
        }
        (branch, Targets { default: Some(default), .. }) => {
            let why = match branch {
                Some(branch) => format!("`{branch}` is not at `{name}`"),
                None => "no branch is checked out".to_owned(),
            };
            output.remark(&format!(
                "the pull request will be for `{default}`, the default of `{name}`: {why} (`--base` \
                 says otherwise)"
            ));
            Ok(default)
        }
        (Some(branch), Targets { default: None, .. }) => {
            output.remark(&format!(
                "`{name}` has no branch `{branch}` yet, and no default: push it before the run \
                 publishes (`git push {name} {branch}`)"
            ));
            Ok(branch)
        }
        (None, Targets { default: None, .. }) => {
            Err(CommandError::usage("no branch is checked out, and the remote names no default")
                .hint("say what the pull request is for with `--base BRANCH`"))
        }
    }
}

/// Refuses a name that the run's own branch cannot have.
pub(super) fn refuse_branch(wished: &str, user: &UserRepository) -> Result<(), CommandError> {
    match branch_is_there(user, wished) {
        Ok(false) => Ok(()),
        Ok(true) => Err(CommandError::usage(format!("the branch `{wished}` is there already"))
            .hint("a run makes a branch of its own; give it another name")),
        Err(error) => Err(CommandError::usage(format!("`{wished}` is not a name for a branch"))
            .hint(error.to_string())),
    }
}
