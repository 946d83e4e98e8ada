//! `windlass report`: what was done and what proves it.

use std::process::ExitCode;

use windlass_core::id::RunId;
use windlass_core::view::{self, History};
use windlass_engine::journal::{Entry, entry};
use windlass_engine::store::{Seq, Store};

use crate::cli::Cli;
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn report(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (run, loaded, store) = surroundings.loaded()?;
    let history = history(&store, &run.id)?;
    let text = view::report(&loaded.state, &history, &loaded.head.hash.to_string());
    if output.is_json() {
        output.json(&serde_json::json!({"run": run.id, "markdown": text}));
    } else {
        output.data(text.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads what happened in a run.
pub(crate) fn history(store: &Store, run: &RunId) -> Result<History, CommandError> {
    let mut history = History::default();
    for record in store.records(run, Seq(1)).map_err(CommandError::failure)? {
        let record = record.map_err(CommandError::failure)?;
        if let Entry::Event(event) = entry(&record).map_err(CommandError::failure)? {
            history.add(record.time, &record.actor, &event);
        }
    }
    Ok(history)
}
