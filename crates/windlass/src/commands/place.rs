//! `windlass place`: where runs work.

use std::process::ExitCode;

use windlass_core::id::{ObjectId, RunId};
use windlass_core::time::Span;
use windlass_core::view::KeptFiles;
use windlass_engine::dispatch::{Site, clear_unstarted, now};
use windlass_engine::git::{EngineRepository, Place, remove_place, remove_unused_stores};
use windlass_engine::journal::{Loaded, load, trail};
use windlass_engine::store::{Life, Store, StoredRun};

use crate::cli::{Cli, PlaceArguments, PlaceCommand};
use crate::commands::doctor::layers::used;
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn place(
    cli: &Cli,
    arguments: &PlaceArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    match &arguments.command {
        None => {
            let run = surroundings.run()?;
            let place = run.place.clone().unwrap_or_default();
            if output.is_json() {
                output.json(&serde_json::json!({"run": run.id, "place": place}));
            } else {
                output.data(&place);
            }
        }
        Some(PlaceCommand::Prune) => prune(&surroundings, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// How long what an ended run left may stay.
const LONGEST: Span = Span::minutes(14 * 24 * 60);

/// How much ended runs may use together; the oldest go first.
const MOST_BYTES: u64 = 2 << 30;

/// What stays of ended runs, the newest first.
#[derive(Default)]
struct Kept {
    bytes: u64,
}

impl Kept {
    /// Whether what another run left stays as well.
    fn keeps(&mut self, age: Span, bytes: impl FnOnce() -> u64) -> bool {
        if age > LONGEST {
            return false;
        }
        let (first, with_it) = (self.bytes == 0, self.bytes.saturating_add(bytes()));
        // The newest stays, however large: somebody may be looking at it.
        let stays = first || with_it <= MOST_BYTES;
        if stays {
            self.bytes = with_it.max(1);
        }
        stays
    }
}

/// Removes what ended runs left, where it is old or too much. Their work stays in refs.
pub(crate) fn prune_old(surroundings: &Surroundings) -> Result<Vec<RunId>, CommandError> {
    let Some(store) = surroundings.store()? else { return Ok(Vec::new()) };
    let site = &surroundings.site;
    let mut ended: Vec<StoredRun> = store.runs().map_err(CommandError::failure)?;
    ended.retain(|run| run.life == Life::Finished);
    ended.sort_by_key(|run| std::cmp::Reverse(run.changed_at));
    let (mut kept, mut removed) = (Kept::default(), Vec::new());
    let mut engine = None;
    for run in ended {
        let home = site.home.run(&run.id);
        let mut left = site.home.places_of(&run.id).map_err(CommandError::failure)?;
        left.extend([home.scratch, home.layers].into_iter().filter(|folder| folder.is_dir()));
        let bytes = || left.iter().map(|folder| used(folder)).fold(0, u64::saturating_add);
        if !left.is_empty() && !kept.keeps(now().since(run.changed_at), bytes) {
            if engine.is_none() {
                engine = Some(
                    EngineRepository::open_or_create(&site.home.engine_git(), &site.user)
                        .map_err(CommandError::failure)?,
                );
            }
            if let Some(engine) = &engine
                && remove(site, &store, engine, &run.id)? != Pruned::HasOwnFiles
            {
                removed.push(run.id);
            }
        }
    }
    Ok(removed)
}

/// What became of the place of an ended run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pruned {
    /// There was none.
    NoPlace,
    Removed,
    /// It stays: it holds files that are nowhere else.
    HasOwnFiles,
}

/// Removes what one ended run left, unless its place holds work that is nowhere else.
fn remove(
    site: &Site,
    store: &Store,
    engine: &EngineRepository,
    run: &RunId,
) -> Result<Pruned, CommandError> {
    let home = site.home.run(run);
    let places = site.home.places_of(run).map_err(CommandError::failure)?;
    let loaded = if places.is_empty() { None } else { Some(load(store, run)?) };
    if let Some(loaded) = &loaded
        && has_own_files(site, store, engine, run, loaded)?
    {
        return Ok(Pruned::HasOwnFiles);
    }
    if home.scratch.is_dir() {
        // Caches of the tools that attempts ran: no work, so nothing is said about them.
        remove_place(&site.home.scratch, &home.scratch).map_err(CommandError::failure)?;
    }
    if home.layers.is_dir() {
        remove_place(&site.home.cache, &home.layers).map_err(CommandError::failure)?;
    }
    let Some(Loaded { state, .. }) = loaded else { return Ok(Pruned::NoPlace) };
    let mut keep: Vec<(&str, ObjectId)> = vec![("head", state.head.clone())];
    if let Some(latest) = &state.latest {
        keep.push(("code", latest.code.clone()));
        keep.push(("papers", latest.papers.clone()));
    }
    for (name, object) in keep {
        engine.keep(run.as_str(), name, &object).map_err(CommandError::failure)?;
    }
    for place in places {
        remove_place(&site.home.data, &place).map_err(CommandError::failure)?;
    }
    // What it borrowed may be the last link to objects that the user's repository has no more.
    remove_unused_stores(&site.home.base_stores()).map_err(CommandError::failure)?;
    Ok(Pruned::Removed)
}

/// Whether the place of a run holds files that no snapshot of the run has: somebody worked in it after
/// the run had ended, or windlass died before it could look. Files that git ignores do not count.
fn has_own_files(
    site: &Site,
    store: &Store,
    engine: &EngineRepository,
    run: &RunId,
    loaded: &Loaded,
) -> Result<bool, CommandError> {
    let opened = Place::open(engine, &site.home.run(run).git).map_err(CommandError::failure)?;
    let Some(mut place) = opened else { return Ok(false) };
    let state = &loaded.state;
    let (found, _) = place.observe(&state.head).map_err(CommandError::failure)?;
    let trail = trail(store, run, loaded.head.seq)?;
    let kept = KeptFiles::of(&trail).map_err(CommandError::failure)?;
    let snapshots = || {
        let kept = kept.list.iter().flat_map(|kept| [&kept.snapshot, &kept.from, &kept.rests_on]);
        kept.chain(&state.latest)
    };
    let own_code = [&state.head_code, &state.proven_code, &state.facts.base_tree];
    let mut codes = snapshots().map(|snapshot| &snapshot.code);
    let code_is_known = own_code.contains(&&found.code) || codes.any(|code| *code == found.code);
    // Before the first attempt nothing was written.
    let mut papers = snapshots().map(|snapshot| &snapshot.papers).peekable();
    let papers_are_known = papers.peek().is_none() || papers.any(|papers| *papers == found.papers);
    Ok(!code_is_known || !papers_are_known)
}

/// Removes places of ended runs, after their last files have a name in the engine's repository.
fn prune(surroundings: &Surroundings, output: &mut Output) -> Result<(), CommandError> {
    let Some(store) = surroundings.store()? else { return Ok(()) };
    let site = &surroundings.site;
    let engine = EngineRepository::open_or_create(&site.home.engine_git(), &site.user)
        .map_err(CommandError::failure)?;
    let unstarted = clear_unstarted(site).map_err(CommandError::failure)?;
    let mut removed: Vec<String> = unstarted.iter().map(ToString::to_string).collect();
    let mut left = Vec::new();
    for run in store.runs().map_err(CommandError::failure)? {
        if run.life != Life::Finished {
            continue;
        }
        match remove(site, &store, &engine, &run.id)? {
            Pruned::Removed => removed.push(run.id.to_string()),
            Pruned::HasOwnFiles => left.push(run.id.to_string()),
            Pruned::NoPlace => {}
        }
    }
    remove_unused_stores(&site.home.base_stores()).map_err(CommandError::failure)?;
    if output.is_json() {
        output.json(&serde_json::json!({"removed": removed, "left": left}));
        return Ok(());
    }
    if removed.is_empty() && left.is_empty() {
        output.data("nothing to remove: no ended run has a place");
    }
    if !removed.is_empty() {
        let removed = removed.join(", ");
        output.data(&format!("removed the places of {removed}; their work stays in git refs"));
    }
    for run in left {
        output.data(&format!(
            "left the place of {run} alone: it has files that are nowhere else (`windlass place --run \
             {run}` prints the folder; copy what you need, then remove it yourself)"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_old_goes_and_of_the_rest_the_newest_stays() {
        let (young, old) = (Span::minutes(5), Span::minutes(15 * 24 * 60));
        let mut kept = Kept::default();
        assert!(kept.keeps(young, || MOST_BYTES));
        assert!(!kept.keeps(young, || 1));
        assert!(!Kept::default().keeps(old, || panic!("nobody has to count what goes")));
    }
}
