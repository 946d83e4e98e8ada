//! `windlass take`: the work of a run, brought into the checkout.

use std::process::ExitCode;

use windlass_core::proof::ProtectedChange;
use windlass_core::run::RunStatus;
use windlass_core::view::{Lines, count, printable};
use windlass_engine::git::{TakeError, TakenHow, take as take_branch};

use crate::cli::{Cli, TakeArguments};
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn take(
    cli: &Cli,
    arguments: &TakeArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    surroundings.refuse_agents()?;
    let (run, loaded, _) = surroundings.loaded()?;
    let (state, branch) = (&loaded.state, &loaded.state.facts.branch);
    if state.status() != RunStatus::Completed && !arguments.unfinished {
        let status = state.status().words();
        return Err(CommandError::usage(format!("run `{}` is not finished: {status}", run.id))
            .hint("`windlass resume` continues it, `windlass status` says what it waits for")
            .hint("`windlass take --unfinished` takes the steps that are proven so far"));
    }
    if state.head == state.facts.base {
        return Err(CommandError::usage(format!("run `{}` has changed no files", run.id))
            .hint("`windlass report` says what it did"));
    }
    if let Some(unseen) = state.unseen_in(&state.head_code) {
        let paths = printable(&ProtectedChange::all_called(&unseen.changes), Lines::One);
        return Err(CommandError::usage(format!("nobody has seen what changed in {paths}")).hint(
            "these files are protected: `windlass resume` asks about them at the next gate",
        ));
    }
    let user = &surroundings.site.user;
    let taken = take_branch(user, branch).map_err(|error| refused(error, branch))?;
    let into = taken.into.as_deref().unwrap_or("HEAD");
    if output.is_json() {
        output.json(&serde_json::json!({
            "run": run.id, "branch": branch, "into": taken.into, "how": taken.how.as_str(),
            "commits": taken.commits, "head": taken.head,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    let commits = count(usize::try_from(taken.commits).unwrap_or(usize::MAX), "commit");
    output.screen(&match taken.how {
        TakenHow::Nothing => format!("nothing to take: `{into}` has all of `{branch}`"),
        TakenHow::FastForward => format!("`{into}` is now at `{branch}`: {commits}, fast-forward"),
        TakenHow::Merge => format!("`{branch}` is merged into `{into}`: {commits}"),
    });
    if taken.how != TakenHow::Nothing {
        output.remark("take it back with `git reset --keep ORIG_HEAD`");
    }
    Ok(ExitCode::SUCCESS)
}

fn refused(error: TakeError, branch: &str) -> CommandError {
    let hints = match &error {
        TakeError::Dirty { .. } => {
            vec!["commit them, or set them aside with `git stash`, and take it then".to_owned()]
        }
        TakeError::Conflicts { .. } => vec![
            format!("`git merge {branch}` lets you resolve them"),
            "or start a run on top of what you have now".to_owned(),
        ],
        TakeError::NoBranch { .. } => {
            vec!["`windlass status` names the branch of the run".to_owned()]
        }
        TakeError::Untracked { .. } => {
            vec!["move these files away and call `windlass take` again".to_owned()]
        }
        TakeError::Refused { .. } => vec![format!("`git merge {branch}` says more")],
        TakeError::Git(_) => Vec::new(),
    };
    let usage = !matches!(error, TakeError::Git(_));
    let text = printable(&error.to_string(), Lines::One);
    let error = if usage { CommandError::usage(text) } else { CommandError::failure(error) };
    hints.into_iter().fold(error, CommandError::hint)
}
