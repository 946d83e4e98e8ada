//! `windlass story implement`: one story alone, in a run of its own.

use std::path::Path;
use std::process::ExitCode;

use windlass_core::id::{ItemId, RunId};
use windlass_core::item::NewItem;
use windlass_core::paper::MAX_PAPER_BYTES;
use windlass_core::story::{Story, StoryEntry, parse};
use windlass_core::view::{StoryStatus, story_status};
use windlass_core::workflow::nearest;
use windlass_engine::journal::load;
use windlass_engine::store::Life;

use crate::cli::{Cli, StoryImplementArguments};
use crate::commands::run::begin_own;
use crate::drive::drive;
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

/// The workflow that builds one story.
const WORKFLOW: &str = "story";

pub(super) fn implement(
    cli: &Cli,
    arguments: &StoryImplementArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let item = story_item(&Surroundings::find(cli)?, cli.run.as_deref(), arguments, output)?;
    let run = arguments.start.for_run(WORKFLOW, goal_of(&item));
    let (surroundings, run, how) = begin_own(cli, &run, vec![item], output)?;
    drive(&surroundings, &run, how, output)
}

/// Returns what the run of one story is for.
fn goal_of(item: &NewItem) -> String {
    format!("{}: {}", item.id, item.title)
}

/// Returns a story of an earlier run, to be built alone in a session, and what the run is for.
pub(crate) fn story_alone(
    surroundings: &Surroundings,
    id: &str,
    output: &Output,
) -> Result<(NewItem, String), CommandError> {
    let known = known(surroundings, None, output)?;
    let item = checked(&known, from_runs(&known, id)?, false, output)?;
    let goal = goal_of(&item);
    Ok((item, goal))
}

fn story_item(
    surroundings: &Surroundings,
    run: Option<&str>,
    arguments: &StoryImplementArguments,
    output: &Output,
) -> Result<NewItem, CommandError> {
    let known = known(surroundings, run, output)?;
    let wanted = match &arguments.file {
        Some(file) => from_file(file, &arguments.id)?,
        None => from_runs(&known, &arguments.id)?,
    };
    checked(&known, wanted, arguments.again, output)
}

/// Refuses a story that is done already, or whose dependencies are not.
fn checked(
    known: &[Known],
    wanted: Wanted,
    again: bool,
    output: &Output,
) -> Result<NewItem, CommandError> {
    if !again {
        refuse_second(known, &wanted)?;
    }
    refuse_unmet(known, &wanted, output)?;
    let Wanted { id, title, body, mut story, .. } = wanted;
    // What it depends on is done, and no part of this run.
    story.depends_on = Vec::new();
    Ok(NewItem { id, title, body, story: Some(story), step: None })
}

/// The story that is to be built, and the titles of those around it.
struct Wanted {
    id: ItemId,
    title: String,
    body: String,
    story: Story,
    titles: Vec<(ItemId, String)>,
}

/// A story of a run.
struct Known {
    run: RunId,
    unfinished: bool,
    branch: String,
    id: ItemId,
    title: String,
    body: String,
    story: Story,
    status: StoryStatus,
}

/// Returns the stories of every run, those of the newest first.
fn known(
    surroundings: &Surroundings,
    wanted: Option<&str>,
    output: &Output,
) -> Result<Vec<Known>, CommandError> {
    let Some(store) = surroundings.store()? else { return Ok(Vec::new()) };
    let mut known = Vec::new();
    for run in store.runs().map_err(CommandError::failure)? {
        if wanted.is_some_and(|wanted| !run.id.as_str().starts_with(wanted)) {
            continue;
        }
        let Ok(loaded) = load(&store, &run.id) else {
            // A run that cannot be read is no reason not to build a story of another.
            output.remark(&format!("run `{}` cannot be read: its stories are left out", run.id));
            continue;
        };
        let state = &loaded.state;
        for item in &state.items {
            let Some(story) = &item.item.story else { continue };
            known.push(Known {
                run: run.id.clone(),
                unfinished: run.life == Life::Unfinished,
                branch: state.facts.branch.clone(),
                id: item.item.id.clone(),
                title: item.item.title.clone(),
                body: item.item.body.clone(),
                story: story.clone(),
                status: story_status(state, item),
            });
        }
    }
    Ok(known)
}

fn from_runs(known: &[Known], id: &str) -> Result<Wanted, CommandError> {
    let Some(found) = known.iter().find(|known| known.id.as_str() == id) else {
        let error = CommandError::usage(format!("no run of this repository has a story `{id}`"));
        let names = known.iter().map(|known| known.id.as_str());
        return Err(match nearest(id, names) {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error.hint("name the file that has it: `--file FILE`"),
        });
    };
    let beside = known.iter().filter(|known| known.run == found.run);
    Ok(Wanted {
        id: found.id.clone(),
        title: found.title.clone(),
        body: found.body.clone(),
        story: found.story.clone(),
        titles: beside.map(|known| (known.id.clone(), known.title.clone())).collect(),
    })
}

fn from_file(path: &Path, id: &str) -> Result<Wanted, CommandError> {
    let shown = path.display();
    let unreadable = |why: String| CommandError::usage(format!("`{shown}` cannot be read: {why}"));
    let size = fs_err::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
    if size > MAX_PAPER_BYTES as u64 {
        return Err(unreadable(format!("it has more than {} KiB", MAX_PAPER_BYTES >> 10)));
    }
    let text = fs_err::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    let file = parse(&text).map_err(|mistakes| {
        let error = CommandError::usage(format!("`{shown}` is not a file of stories"));
        mistakes.iter().fold(error, |error, mistake| error.hint(mistake.to_string()))
    })?;
    let titles: Vec<_> =
        file.stories.iter().map(|entry| (entry.id.clone(), entry.title.clone())).collect();
    let Some(entry) = file.stories.into_iter().find(|entry| entry.id.as_str() == id) else {
        let names: Vec<&str> = titles.iter().map(|(id, _)| id.as_str()).collect();
        return Err(CommandError::usage(format!("`{shown}` has no story `{id}`"))
            .hint(format!("it has {}", names.join(", "))));
    };
    let StoryEntry { id, title, body, story, .. } = entry;
    Ok(Wanted { id, title, body, story, titles })
}

/// Refuses a story that is built already, or that an unfinished run is at.
fn refuse_second(known: &[Known], wanted: &Wanted) -> Result<(), CommandError> {
    let same = |known: &&Known| known.id == wanted.id && known.title == wanted.title;
    let again = "`--again` builds it all the same";
    let id = &wanted.id;
    if let Some(done) = known.iter().filter(same).find(|k| k.status == StoryStatus::Completed) {
        let (run, branch) = (&done.run, &done.branch);
        return Err(CommandError::usage(format!(
            "`{id}` is completed: run `{run}` built it, on branch `{branch}`"
        ))
        .hint(format!("`windlass story show {id} --run {run}` shows it; {again}")));
    }
    let begun = |known: &&Known| {
        known.unfinished && !matches!(known.status, StoryStatus::Pending | StoryStatus::Skipped)
    };
    if let Some(begun) = known.iter().filter(same).find(begun) {
        let (run, status) = (&begun.run, begun.status.as_str());
        return Err(CommandError::usage(format!("run `{run}` is at `{id}` already: {status}"))
            .hint(format!("continue with `windlass resume --run {run}`; {again}")));
    }
    Ok(())
}

/// Refuses a story whose dependencies nobody has built; a story of the same name in another run is
/// another story unless it has the same title.
fn refuse_unmet(known: &[Known], wanted: &Wanted, output: &Output) -> Result<(), CommandError> {
    let mut unmet = Vec::new();
    for need in &wanted.story.depends_on {
        let title = wanted.titles.iter().find(|(id, _)| id == need).map(|(_, title)| title);
        let done = known.iter().find(|known| {
            known.id == *need
                && Some(&known.title) == title
                && known.status == StoryStatus::Completed
        });
        match done {
            Some(Known { run, branch, .. }) => output.remark(&format!(
                "`{need}` was built by run `{run}` on `{branch}`: the commit you start from should \
                 have it"
            )),
            None => unmet.push(need.as_str()),
        }
    }
    if unmet.is_empty() {
        return Ok(());
    }
    let (id, list) = (&wanted.id, unmet.join(", "));
    Err(CommandError::usage(format!("`{id}` depends on what is not built yet: {list}"))
        .hint(format!("build that first: `windlass story implement {}`", unmet[0])))
}
