//! Changes of OpenSpec, in place: `openspec/specs` and `openspec/changes`.

use std::process::ExitCode;

use serde_json::json;
use windlass_core::id::ContentHash;
use windlass_core::spec::{Base, Delta, DeltaKind, Dialect, Refused, Spec, new_openspec, overlap};
use windlass_core::workflow::Severity;
use windlass_engine::shelf::{Change, RecordKind};

use super::applying::{Outcome, show_conflicts, told_applied};
use super::found::Library;
use super::own::entry;
use super::telling;
use crate::document;
use crate::error::CommandError;
use crate::output::Output;

const SPECS: &str = "openspec/specs";
const CHANGES: &str = "openspec/changes";

/// How deep capabilities may be nested.
const MAX_DEPTH: usize = 16;

/// The part of a change that is about one capability.
struct Part {
    /// The capability, such as `auth` or `web/auth`.
    capability: String,
    file: String,
    bytes: Vec<u8>,
    delta: Delta,
}

impl Part {
    fn target(&self) -> String {
        format!("{SPECS}/{}/spec.md", self.capability)
    }
}

/// Returns the folder of a change.
pub(super) fn folder(change: &str) -> Result<String, CommandError> {
    let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if change.is_empty() || change.starts_with('.') || !change.chars().all(plain) {
        return Err(CommandError::usage(format!("`{change}` cannot be the name of a change"))
            .hint("name a folder in openspec/changes"));
    }
    Ok(format!("{CHANGES}/{change}"))
}

fn parts(library: &Library, change: &str, output: &Output) -> Result<Vec<Part>, CommandError> {
    let folder = folder(change)?;
    if !library.folders(CHANGES)?.iter().any(|name| name == change) {
        return Err(CommandError::usage(format!("there is no change `{change}` in {CHANGES}"))
            .hint("`windlass delta list --openspec` shows them"));
    }
    let mut found = Vec::new();
    let mut open = vec![(String::new(), 0)];
    while let Some((capability, depth)) = open.pop() {
        let here = match capability.is_empty() {
            true => format!("{folder}/specs"),
            false => format!("{folder}/specs/{capability}"),
        };
        for name in library.folders(&here)?.into_iter().filter(|_| depth < MAX_DEPTH) {
            let below = if capability.is_empty() { name } else { format!("{capability}/{name}") };
            open.push((below, depth + 1));
        }
        let file = format!("{here}/spec.md");
        if capability.is_empty() {
            continue;
        }
        if let Some(bytes) = library.read(&file)? {
            let text = document::text(&bytes, &file)?;
            let delta = Delta::parse(text, &file, Dialect::OpenSpec)
                .map_err(|findings| document::refused(&file, &bytes, &findings, output))?;
            found.push(Part { capability, file, bytes, delta });
        }
    }
    found.sort_by(|one, other| one.capability.cmp(&other.capability));
    if found.is_empty() {
        return Err(CommandError::usage(format!("the change `{change}` changes no spec"))
            .hint(format!("its deltas stand in {folder}/specs/<capability>/spec.md")));
    }
    Ok(found)
}

pub(super) fn list(
    library: &Library,
    change: &str,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let changes = match change {
        "" => library.folders(CHANGES)?.into_iter().filter(|name| name != "archive").collect(),
        change => vec![change.to_owned()],
    };
    let mut listed = Vec::new();
    for change in &changes {
        // A change without deltas yet is one of the list all the same.
        let parts = match library.folders(&format!("{}/specs", folder(change)?))?.is_empty() {
            true => Vec::new(),
            false => parts(library, change, output)?,
        };
        let specs: Vec<_> = parts
            .iter()
            .map(|part| json!({"capability": part.capability, "file": part.file, "changes": part.delta.blocks.len()}))
            .collect();
        listed.push(json!({"change": change, "specs": specs}));
    }
    if output.is_json() {
        output.json(&listed);
        return Ok(ExitCode::SUCCESS);
    }
    if listed.is_empty() {
        output.data(&format!("there are no changes in {CHANGES}"));
    }
    for entry in &listed {
        output.data(entry["change"].as_str().unwrap_or_default());
        for spec in entry["specs"].as_array().into_iter().flatten() {
            output.data(&format!(
                "  {}: {} changes",
                spec["capability"].as_str().unwrap_or_default(),
                spec["changes"]
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn show(
    library: &Library,
    change: &str,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let parts = parts(library, change, output)?;
    if output.is_json() {
        let specs: Vec<_> = parts
            .iter()
            .map(|part| {
                json!({
                    "capability": part.capability,
                    "target": part.target(),
                    "blocks": part.delta.blocks,
                    "warnings": telling::findings(&part.delta.warnings),
                })
            })
            .collect();
        output.json(&json!({"change": change, "specs": specs}));
        return Ok(ExitCode::SUCCESS);
    }
    for part in &parts {
        output.data(&format!("{} → {}", part.file, part.target()));
        for block in &part.delta.blocks {
            telling::block(block, output);
        }
        telling::warnings(&part.delta.warnings, output);
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn apply(
    library: &mut Library,
    change: &str,
    dry_run: bool,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let parts = parts(library, change, output)?;
    let mut outcome = Outcome { unchecked: vec![change.to_owned()], ..Outcome::default() };
    for part in &parts {
        applied(library, change, part, &mut outcome, output)?;
    }
    if !dry_run {
        let document = folder(change)?;
        let all: Vec<u8> = parts.iter().flat_map(|part| part.bytes.clone()).collect();
        let entry = entry(
            &library.surroundings.site,
            RecordKind::Applied,
            vec![document],
            vec![ContentHash::of(&all)],
        );
        library.shelf()?.change(&outcome.changes, entry)?;
    }
    told_applied(&[change], &outcome, dry_run, output);
    Ok(ExitCode::SUCCESS)
}

fn applied(
    library: &Library,
    change: &str,
    part: &Part,
    outcome: &mut Outcome,
    output: &Output,
) -> Result<(), CommandError> {
    let (mistakes, warnings): (Vec<_>, Vec<_>) = part
        .delta
        .openspec_findings()
        .into_iter()
        .partition(|finding| finding.severity == Severity::Error);
    if !mistakes.is_empty() {
        return Err(document::refused(&part.file, &part.bytes, &mistakes, output));
    }
    outcome.warnings.extend(warnings);
    let target = part.target();
    let (before, text) = library.spec_text(&target)?;
    let text = match &before {
        Some(_) => text,
        None => {
            let only_new = |kind| part.delta.of(kind).next();
            if let Some(block) =
                only_new(DeltaKind::Modified).or_else(|| only_new(DeltaKind::Renamed))
            {
                return Err(CommandError::usage(format!(
                    "{}:{}: {target} is not there, so that nothing of it can be {}",
                    part.file,
                    block.line,
                    block.kind.word()
                ))
                .hint("a new capability has ADDED requirements alone"));
            }
            new_openspec(&part.capability, change, part.delta.purpose.as_deref())
        }
    };
    let mut spec = parsed(&text, &target, output)?;
    outcome.warnings.extend(spec.warnings.iter().chain(&part.delta.warnings).cloned());
    match spec.apply(&part.delta, Base::Unchecked, Dialect::OpenSpec) {
        Ok(applied) => {
            outcome.warnings.extend(applied.warnings);
            for (sum, count) in outcome.counts.iter_mut().zip(applied.counts) {
                *sum += count;
            }
        }
        Err(Refused::Mistakes(findings)) => {
            return Err(document::refused(&part.file, &part.bytes, &findings, output));
        }
        Err(Refused::Conflicts(_)) => {
            return Err(CommandError::failure("a change without a base cannot conflict"));
        }
    }
    if spec.names().is_empty() {
        return Err(CommandError::usage(format!("{}:1: {target} would have no requirement left", part.file))
            .hint("`retire_capabilities` is OpenSpec's: remove the capability with `openspec archive`, or by hand"));
    }
    let after = spec.print().into_bytes();
    outcome.changes.push(Change { path: target, before, after: Some(after) });
    Ok(())
}

fn parsed<'t>(text: &'t str, file: &str, output: &Output) -> Result<Spec<'t>, CommandError> {
    Spec::parse(text, file, Dialect::OpenSpec)
        .map_err(|findings| document::refused(file, text.as_bytes(), &findings, output))
}

pub(super) fn conflicts(
    library: &Library,
    change: &str,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let own = parts(library, change, output)?;
    let mut told = Vec::new();
    for other in
        library.folders(CHANGES)?.iter().filter(|name| *name != "archive" && *name != change)
    {
        if library.folders(&format!("{CHANGES}/{other}/specs"))?.is_empty() {
            continue;
        }
        for theirs in parts(library, other, output)? {
            let Some(ours) = own.iter().find(|part| part.capability == theirs.capability) else {
                continue;
            };
            let (_, text) = library.spec_text(&ours.target())?;
            // Neither is applied: both were written against what is there, as far as anybody knows.
            let base = parsed(&text, &ours.target(), output)?;
            let found = overlap(&ours.delta, &theirs.delta, Base::Known(&base));
            let ids = [change, other.as_str()];
            told.extend(found.iter().map(|c| telling::conflict(&ours.target(), &ids, c)));
        }
    }
    show_conflicts(&told, output);
    Ok(ExitCode::SUCCESS)
}
