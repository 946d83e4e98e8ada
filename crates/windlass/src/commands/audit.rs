//! `windlass audit`: is the journal what it says.

use std::process::ExitCode;

use windlass_core::id::RunId;
use windlass_engine::journal::{self, AuditReport};
use windlass_engine::store::Store;

use crate::cli::Cli;
use crate::error::{CommandError, EXIT_FAILURE, Kind};
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn audit(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    match answer(cli, output) {
        // A journal that cannot even be opened is the answer to the question, not a failure to
        // answer it.
        Err(error) if error.kind == Kind::Failure && output.is_json() => {
            output.json(&serde_json::json!({
                "ok": false,
                "events": 0,
                "head": null,
                "problems": [words(error.error.as_ref())],
            }));
            Ok(ExitCode::from(EXIT_FAILURE))
        }
        said => said,
    }
}

/// An error with all its causes.
fn words(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn answer(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let run = surroundings.run()?;
    let Some(store) = surroundings.store()? else {
        return Err(CommandError::usage("there is no run in this repository yet"));
    };
    let report = look(&store, &run.id)?;
    if output.is_json() {
        output.json(&report);
    } else if report.ok {
        output.data(&format!(
            "ok: {} records in {} decisions, each decided again with the same result\nhead: {}",
            report.events, report.decisions, report.head
        ));
    } else {
        for problem in &report.problems {
            output.data(&format!("problem: {problem}"));
        }
        output.data(&format!("{} problems in {} records", report.problems.len(), report.events));
    }
    Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FAILURE) })
}

/// Looks at the journal of a run, at the newest heads on record, and at the database itself.
pub(crate) fn look(store: &Store, run: &RunId) -> Result<AuditReport, CommandError> {
    let mut report = journal::audit(store, run)?;
    if let Err(fault) = store.check_anchor() {
        report.problems.push(fault.to_string());
    }
    match store.verify_pages() {
        Ok(pages) => report.problems.extend(pages),
        Err(fault) => report.problems.push(fault.to_string()),
    }
    report.ok = report.problems.is_empty();
    Ok(report)
}
