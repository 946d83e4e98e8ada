//! `windlass` and `windlass status`: where things stand.

use std::process::ExitCode;

use serde::Serialize;
use windlass_core::view::{StatusView, status_view};
use windlass_engine::dispatch::now;
use windlass_engine::hosted;
use windlass_engine::store::lock::{self, Held};

use crate::cli::{Cli, StatusArguments};
use crate::clock::Clock;
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
            output.data("  windlass agent list                 see which agent programs are ready");
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
    let lock = surroundings.site.home.run(&run.id).driver_lock();
    let driving = match lock::held(&lock) {
        Ok(Held::By(holder)) => Driving::Process(holder.map_or(0, |holder| holder.pid)),
        Ok(Held::Free) | Err(_) => match hosted::driving(&loaded.state) {
            Some(session) => Driving::Session(session.host, session.process.pid),
            None => Driving::Nobody,
        },
    };
    if output.is_json() {
        output.json(&Driven { view: &view, driver: DriverView::of(driving) });
        return Ok(ExitCode::SUCCESS);
    }
    if output.verbosity() == Verbosity::Quiet {
        output.data(&render::last_line(&view));
        return Ok(ExitCode::SUCCESS);
    }
    let (paint, verbosity) = (Paint::new(output.has_colour()), output.verbosity());
    let screen = render::status(&view, Screen { driving, now: now(), paint, verbosity });
    output.screen(&Clock::here().localised(&screen));
    Ok(ExitCode::SUCCESS)
}

/// Where a run stands, and whether anybody drives it.
#[derive(Serialize)]
struct Driven<'v> {
    #[serde(flatten)]
    view: &'v StatusView,
    driver: DriverView,
}

/// Who drives a run.
#[derive(Serialize)]
struct DriverView {
    /// Whether anybody does.
    driven: bool,
    /// `process` or `session`.
    by: Option<&'static str>,
    pid: Option<u32>,
    host: Option<&'static str>,
}

impl DriverView {
    fn of(driving: Driving) -> Self {
        let (by, pid, host) = match driving {
            Driving::Process(pid) => (Some("process"), Some(pid).filter(|pid| *pid > 0), None),
            Driving::Session(host, pid) => {
                (Some("session"), u32::try_from(pid).ok(), Some(host.words()))
            }
            Driving::Nobody | Driving::Then => (None, None, None),
        };
        Self { driven: by.is_some(), by, pid, host }
    }
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
    let clock = Clock::here();
    for run in runs {
        let summary: serde_json::Value = serde_json::from_slice(&run.summary).unwrap_or_default();
        let goal = summary["goal"].as_str().unwrap_or_default();
        let goal = goal.lines().next().unwrap_or_default();
        let (started, ago) = (clock.short(run.created_at), clock.ago(run.created_at));
        output.data(&format!("{}  {:<18} {started:<12}  {ago:<14}  {goal}", run.id, run.status));
    }
    Ok(ExitCode::SUCCESS)
}
