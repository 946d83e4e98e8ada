//! `windlass report`: what was done and what proves it.

use std::collections::BTreeMap;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::ExitCode;

use windlass_core::id::{ContentHash, RunId};
use windlass_core::proof::Blob;
use windlass_core::view::{self, History, KeptFiles, ReportAudit, ReportFacts};
use windlass_engine::journal::{Entry, Loaded, entry, trail};
use windlass_engine::store::blobs::Blobs;
use windlass_engine::store::{Seq, Store};

use crate::changes;
use crate::cli::{Cli, ReportArguments};
use crate::commands::audit;
use crate::error::CommandError;
use crate::output::Output;
use crate::programs;
use crate::surroundings::Surroundings;

/// How much of one output stands in a report: its beginning ...
const MAX_BEGINNING_BYTES: u64 = 4 << 10;

/// ... and its end, where failures are told.
const MAX_END_BYTES: u64 = 12 << 10;

/// How much output stands in a report in all: it has to open on a phone.
const MAX_OUTPUT_BYTES: usize = 2 << 20;

pub(crate) fn report(
    cli: &Cli,
    arguments: &ReportArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (run, loaded, store) = surroundings.loaded()?;
    let history = history(&store, &run.id)?;
    let facts = facts(&surroundings, &store, &run.id, &loaded, &history)?;
    let view = view::report_view(&loaded.state, &history, &facts);
    let text = if output.is_json() {
        view::printable_json(&serde_json::to_string(&view).map_err(CommandError::failure)?)
    } else if arguments.html {
        view::html(&view)
    } else {
        view::markdown(&view)
    };
    match &arguments.output {
        Some(path) => {
            write(path, text.as_bytes())?;
            output.remark(&format!("the report is in `{}`", path.display()));
        }
        // Nobody reads HTML at a terminal.
        None if arguments.html && output.is_terminal() => {
            let path = surroundings.site.home.run(&run.id).state.join("report.html");
            write(&path, text.as_bytes())?;
            let opened = match programs::open_in_browser(&path) {
                Ok(()) => "it is opened in your browser".to_owned(),
                Err(why) => format!("it is not opened: {why}"),
            };
            output.screen(&format!("the report is in `{}`; {opened}", path.display()));
        }
        None => {
            output.page();
            output.data(text.trim_end());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a file whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let refused = |error: std::io::Error| {
        CommandError::usage(format!("`{}` cannot be written: {error}", path.display()))
            .hint("name a file in a folder that you may write")
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        .prefix(".windlass-report-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .map_err(refused)?;
    file.write_all(bytes).map_err(refused)?;
    file.persist(path).map_err(|error| refused(error.error))?;
    Ok(())
}

/// Gathers what the journal alone does not say.
fn facts(
    surroundings: &Surroundings,
    store: &Store,
    run: &RunId,
    loaded: &Loaded,
    history: &History,
) -> Result<ReportFacts, CommandError> {
    let found = audit::look(store, run)?;
    let mut facts = ReportFacts {
        head: loaded.head.hash.to_string(),
        audit: Some(ReportAudit {
            ok: found.ok,
            records: found.events,
            decisions: found.decisions,
            problems: found.problems,
        }),
        outputs: outputs(&surroundings.site.blobs(), history),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..ReportFacts::default()
    };
    let trail = trail(store, run, loaded.head.seq)?;
    let kept = KeptFiles::of(&trail).map_err(CommandError::failure)?;
    facts.fates = kept.list.iter().map(|kept| (kept.name.clone(), kept.fate)).collect();
    // A report can be written without the files: the journal is what it is about.
    let Ok(engine) = changes::engine(surroundings) else { return Ok(facts) };
    if let Some(whole) = kept.whole {
        facts.changes = engine.changes(&whole.from, &whole.to).ok();
        facts.tests = engine.tests_changed(&whole.from.code, &whole.to.code).ok().flatten();
    }
    for (step, work) in kept.work {
        if let Ok(changes) = engine.changes(&work.from, &work.to) {
            facts.step_changes.insert(step, changes);
        }
    }
    Ok(facts)
}

/// Reads what checks and agents printed, each shortened, until there is enough of it.
fn outputs(blobs: &Blobs, history: &History) -> BTreeMap<ContentHash, String> {
    let mut outputs = BTreeMap::new();
    let mut room = MAX_OUTPUT_BYTES;
    let proofs = history.steps.values().flat_map(|step| &step.proofs);
    let evidence = proofs.filter_map(|entry| entry.proof.evidence.as_ref());
    let attempts = history.steps.values().flat_map(|step| &step.attempts);
    // Evidence first: it is what the report is for.
    for blob in evidence.chain(attempts.filter_map(|attempt| attempt.output.as_ref())) {
        if outputs.contains_key(&blob.hash) {
            continue;
        }
        // Evidence that is gone or damaged is the audit's business; here its line stays closed.
        let Ok(text) = shortened(blobs, blob) else { continue };
        let Some(left) = room.checked_sub(text.len()) else { break };
        room = left;
        outputs.insert(blob.hash.clone(), text);
    }
    outputs
}

fn shortened(blobs: &Blobs, blob: &Blob) -> Result<String, CommandError> {
    let most = MAX_BEGINNING_BYTES + MAX_END_BYTES;
    if blob.bytes <= most {
        let bytes = blobs.get(&blob.hash, most).map_err(CommandError::failure)?;
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let mut file = blobs.open(&blob.hash).map_err(CommandError::failure)?;
    let mut read = |from: SeekFrom, count: u64| -> std::io::Result<String> {
        file.seek(from)?;
        let mut bytes = Vec::new();
        (&mut file).take(count).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let beginning = read(SeekFrom::Start(0), MAX_BEGINNING_BYTES).map_err(CommandError::failure)?;
    let back = i64::try_from(MAX_END_BYTES).unwrap_or(i64::MAX);
    let end = read(SeekFrom::End(-back), MAX_END_BYTES).map_err(CommandError::failure)?;
    Ok(format!("{beginning}\n[… {} bytes left out …]\n{end}", blob.bytes - most))
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
