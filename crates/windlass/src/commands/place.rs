//! `windlass place`: where runs work.

use std::process::ExitCode;

use windlass_core::id::ObjectId;
use windlass_engine::dispatch::clear_unstarted;
use windlass_engine::git::{EngineRepository, remove_place};
use windlass_engine::journal::load;
use windlass_engine::store::Life;

use crate::cli::{Cli, PlaceArguments, PlaceCommand};
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

/// Removes places of ended runs, after their last files have a name in the engine's repository.
fn prune(surroundings: &Surroundings, output: &mut Output) -> Result<(), CommandError> {
    let Some(store) = surroundings.store()? else { return Ok(()) };
    let site = &surroundings.site;
    let engine = EngineRepository::open_or_create(&site.home.engine_git(), &site.user)
        .map_err(CommandError::failure)?;
    let unstarted = clear_unstarted(site).map_err(CommandError::failure)?;
    let mut removed: Vec<String> = unstarted.iter().map(ToString::to_string).collect();
    for run in store.runs().map_err(CommandError::failure)? {
        let home = site.home.run(&run.id);
        let places = site.home.places_of(&run.id).map_err(CommandError::failure)?;
        if run.life != Life::Finished {
            continue;
        }
        if home.scratch.is_dir() {
            // What tools of its attempts had cached is no work, so nothing is said about it.
            remove_place(&site.home.scratch, &home.scratch).map_err(CommandError::failure)?;
        }
        if home.layers.is_dir() {
            remove_place(&site.home.cache, &home.layers).map_err(CommandError::failure)?;
        }
        if places.is_empty() {
            continue;
        }
        let state = load(&store, &run.id)?.state;
        let mut keep: Vec<(&str, ObjectId)> = vec![("head", state.head.clone())];
        if let Some(latest) = &state.latest {
            keep.push(("code", latest.code.clone()));
            keep.push(("papers", latest.papers.clone()));
        }
        for (name, object) in keep {
            engine.keep(run.id.as_str(), name, &object).map_err(CommandError::failure)?;
        }
        for place in places {
            remove_place(&site.home.data, &place).map_err(CommandError::failure)?;
        }
        removed.push(run.id.to_string());
    }
    if output.is_json() {
        output.json(&serde_json::json!({"removed": removed}));
    } else if removed.is_empty() {
        output.data("nothing to remove: no ended run has a place");
    } else {
        output.data(&format!(
            "removed the places of {}; their work stays in refs",
            removed.join(", ")
        ));
    }
    Ok(())
}
