//! `windlass` and `windlass status`: where things stand.

use std::process::ExitCode;

use windlass_core::view::status_view;
use windlass_engine::dispatch::now;
use windlass_engine::hosted;
use windlass_engine::store::lock::{self, Held};

use crate::cli::{Cli, StatusArguments};
use crate::error::CommandError;
use crate::output::{Output, Verbosity};
use crate::render::{self, Driving, Paint, Screen};
use crate::surroundings::Surroundings;

/// Without a command: the status, or how to begin.
pub(crate) fn overview(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    if surroundings.runs()?.is_empty() {
        if output.is_json() {
            output.json(&serde_json::json!({"run": null}));
        } else {
            output.data("There is no run in this repository yet.\n");
            output.data("next:");
            output.data(
                "  windlass demo                       see a whole run, in a scratch repository",
            );
            output
                .data("  windlass init                       write a configuration and a workflow");
            output.data("  windlass workflow list              see the workflows that are there");
            output.data("  windlass agent list                 see who can play the agents");
            output.data(
                "  windlass run GOAL                   start one; or: windlass run --issue N",
            );
        }
        return Ok(ExitCode::SUCCESS);
    }
    status(cli, &StatusArguments { all: false }, output)
}

pub(crate) fn status(
    cli: &Cli,
    arguments: &StatusArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    if arguments.all {
        return list(&surroundings, output);
    }
    let (run, loaded, _) = surroundings.loaded()?;
    let mut view = status_view(&loaded.state);
    if surroundings.unfinished()?.len() > 1 {
        view = view.naming_run();
    }
    if output.is_json() {
        output.json(&view);
        return Ok(ExitCode::SUCCESS);
    }
    let lock = surroundings.site.home.run(&run.id).driver_lock();
    let driving = match lock::held(&lock) {
        Ok(Held::By(holder)) => Driving::Process(holder.map_or(0, |holder| holder.pid)),
        Ok(Held::Free) | Err(_) => match hosted::driving(&loaded.state) {
            Some(session) => Driving::Session(session.host, session.process.pid),
            None => Driving::Nobody,
        },
    };
    if output.verbosity() == Verbosity::Quiet {
        output.data(&render::last_line(&view));
        return Ok(ExitCode::SUCCESS);
    }
    let (paint, verbosity) = (Paint::new(output.has_colour()), output.verbosity());
    output.data(&render::status(&view, Screen { driving, now: now(), paint, verbosity }));
    Ok(ExitCode::SUCCESS)
}

fn list(surroundings: &Surroundings, output: &mut Output) -> Result<ExitCode, CommandError> {
    let runs = surroundings.runs()?;
    if output.is_json() {
        let rows: Vec<_> = runs
            .iter()
            .map(|run| {
                let summary: serde_json::Value =
                    serde_json::from_slice(&run.summary).unwrap_or_default();
                serde_json::json!({
                    "id": run.id, "status": run.status, "started": run.created_at.to_string(),
                    "changed": run.changed_at.to_string(), "place": run.place,
                    "goal": summary["goal"], "workflow": summary["workflow"],
                })
            })
            .collect();
        output.json(&rows);
        return Ok(ExitCode::SUCCESS);
    }
    for run in runs {
        let summary: serde_json::Value = serde_json::from_slice(&run.summary).unwrap_or_default();
        let goal = summary["goal"].as_str().unwrap_or_default();
        let goal = goal.lines().next().unwrap_or_default();
        output.data(&format!("{}  {:<18} {}  {goal}", run.id, run.status, run.created_at));
    }
    Ok(ExitCode::SUCCESS)
}
