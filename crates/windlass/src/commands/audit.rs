//! `windlass audit`: is the journal what it says.

use std::process::ExitCode;

use windlass_core::id::RunId;
use windlass_core::view::{Lines, printable};
use windlass_engine::journal::{self, AuditReport};
use windlass_engine::store::{Seq, Store};

use crate::cli::{AuditArguments, Cli};
use crate::error::{CommandError, EXIT_FAILURE, Kind};
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn audit(
    cli: &Cli,
    arguments: &AuditArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match answer(cli, arguments, output) {
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

fn answer(
    cli: &Cli,
    arguments: &AuditArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let run = surroundings.run()?;
    let Some(store) = surroundings.store()? else {
        return Err(crate::surroundings::no_run());
    };
    let mut report = look(&store, &run.id)?;
    if let Some(head) = &arguments.head
        && !is_part(&store, &run.id, head)?
    {
        report.problems.push(format!(
            "the head `{}` is not in this journal: it is another run's, or the journal was rewritten",
            printable(head, Lines::One)
        ));
        report.ok = false;
    }
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

/// Whether a hash is a link of the chain of a run.
fn is_part(store: &Store, run: &RunId, head: &str) -> Result<bool, CommandError> {
    for record in store.records(run, Seq(1)).map_err(CommandError::failure)? {
        // What comes after a damaged record is not part of anything.
        let Ok(record) = record else { return Ok(false) };
        if record.hash.to_string() == head {
            return Ok(true);
        }
    }
    Ok(false)
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
