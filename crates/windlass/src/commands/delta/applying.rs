//! Approved deltas and their specs: applied, set back, compared.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::id::ContentHash;
use windlass_core::spec::{Base, DeltaStatus, Dialect, Refused, Spec, overlap};
use windlass_core::workflow::Diagnostic;
use windlass_engine::shelf::{Change, FileChange, RecordKind};

use super::found::{Found, Library, applied_record};
use super::own::{entry, restated};
use super::telling;
use crate::cli::DeltaNamed;
use crate::document;
use crate::error::{CommandError, EXIT_PERSON};
use crate::output::Output;

/// What applying came to, before anything is written.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) changes: Vec<Change>,
    pub(super) conflicts: Vec<Value>,
    pub(super) merged: Vec<Value>,
    pub(super) unchecked: Vec<String>,
    pub(super) warnings: Vec<Diagnostic>,
    pub(super) counts: [usize; 4],
}

pub(super) fn apply(
    library: &mut Library,
    named: &DeltaNamed,
    dry_run: bool,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let req = named.req.as_deref().unwrap_or_default();
    let deltas = approved(library, req, named.name.as_deref(), output)?;
    let mut outcome = merged_specs(library, &deltas, output)?;
    if !outcome.conflicts.is_empty() {
        return Ok(told_conflicts(&outcome.conflicts, output));
    }
    let (mut documents, mut hashes) = (Vec::new(), Vec::new());
    for found in &deltas {
        let change = restated(found, DeltaStatus::Applied)?;
        documents.push(found.file.clone());
        hashes.push(ContentHash::of(change.after.as_deref().unwrap_or_default()));
        outcome.changes.push(change);
    }
    if !dry_run {
        let entry = entry(&library.surroundings.site, RecordKind::Applied, documents, hashes);
        library.shelf()?.change(&outcome.changes, entry)?;
    }
    let ids: Vec<&str> = deltas.iter().map(|found| found.id.as_str()).collect();
    told_applied(&ids, &outcome, dry_run, output);
    Ok(ExitCode::SUCCESS)
}

/// Returns the deltas that a person approved as they are.
fn approved(
    library: &mut Library,
    req: &str,
    name: Option<&str>,
    output: &Output,
) -> Result<Vec<Found>, CommandError> {
    let all = match name {
        Some(name) => vec![library.delta(req, name, output)?],
        None => library.deltas(req, output)?,
    };
    let mut approved = Vec::new();
    for found in all {
        let standing = library.standing(&found)?;
        match (standing.status, name) {
            (DeltaStatus::Approved, _) => approved.push(found),
            (DeltaStatus::Applied, Some(_)) => {
                return Err(CommandError::usage(format!("`{}` is applied already", found.id)));
            }
            (status, Some(_)) => {
                let why = standing.note.unwrap_or_else(|| {
                    format!(
                        "it is {}",
                        match status {
                            DeltaStatus::Draft => "a draft",
                            _ => "in review",
                        }
                    )
                });
                return Err(CommandError::usage(format!("`{}` is not approved: {why}", found.id))
                    .hint(format!("a person says `windlass delta approve {req} {}`", found.id)));
            }
            (_, None) => {}
        }
    }
    if approved.is_empty() {
        return Err(CommandError::usage(format!("`{req}` has no approved delta"))
            .hint(format!("`windlass delta status {req}` says how far they have come")));
    }
    Ok(approved)
}

/// Applies deltas to their specs, in memory: each spec is read and printed once.
fn merged_specs(
    library: &mut Library,
    deltas: &[Found],
    output: &Output,
) -> Result<Outcome, CommandError> {
    let mut outcome = Outcome::default();
    let mut by_target: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
    for found in deltas {
        by_target.entry(&found.target).or_default().push(found);
    }
    for (target, deltas) in by_target {
        let (before, text) = library.spec_text(target)?;
        let mut bases: BTreeMap<String, String> = BTreeMap::new();
        for found in &deltas {
            let name = found.delta.front.base.clone().unwrap_or_default();
            if !bases.contains_key(&name)
                && let Some(base) = library.base_text(found, &text)?
            {
                bases.insert(name, base);
            }
        }
        let mut parsed: BTreeMap<&str, Spec<'_>> = BTreeMap::new();
        for (name, base) in &bases {
            parsed.insert(name, spec(base, target, output)?);
        }
        let mut now = spec(&text, target, output)?;
        for found in deltas {
            let base = found.delta.front.base.as_deref().and_then(|name| parsed.get(name));
            if base.is_none() {
                outcome.unchecked.push(found.id.clone());
            }
            outcome.warnings.extend(found.delta.warnings.clone());
            let base = base.map_or(Base::Unchecked, Base::Known);
            match now.apply(&found.delta, base, Dialect::Windlass) {
                Ok(applied) => {
                    outcome.warnings.extend(applied.warnings);
                    let merged = applied.merged.into_iter();
                    outcome
                        .merged
                        .extend(merged.map(|name| json!({"delta": found.id, "requirement": name})));
                    for (sum, count) in outcome.counts.iter_mut().zip(applied.counts) {
                        *sum += count;
                    }
                }
                Err(Refused::Mistakes(findings)) => {
                    return Err(document::refused(&found.file, &found.bytes, &findings, output));
                }
                Err(Refused::Conflicts(conflicts)) => {
                    let told = conflicts.iter().map(|c| telling::conflict(target, &[&found.id], c));
                    outcome.conflicts.extend(told);
                    break;
                }
            }
        }
        let after = now.print().into_bytes();
        outcome.changes.push(Change { path: target.to_owned(), before, after: Some(after) });
    }
    Ok(outcome)
}

fn spec<'t>(text: &'t str, file: &str, output: &Output) -> Result<Spec<'t>, CommandError> {
    Spec::parse(text, file, Dialect::Windlass)
        .map_err(|findings| document::refused(file, text.as_bytes(), &findings, output))
}

pub(super) fn told_conflicts(conflicts: &[Value], output: &mut Output) -> ExitCode {
    if output.is_json() {
        output.json(&json!({"applied": false, "hasConflicts": true, "conflicts": conflicts}));
    } else {
        telling::conflicts(conflicts);
        output.data("nothing was applied: a person has to settle the conflicts in the delta");
    }
    ExitCode::from(EXIT_PERSON)
}

pub(super) fn told_applied(ids: &[&str], outcome: &Outcome, dry_run: bool, output: &mut Output) {
    let [added, modified, removed, renamed] = outcome.counts;
    let changed = |change: &&Change| change.before != change.after;
    let files: Vec<&str> =
        outcome.changes.iter().filter(changed).map(|change| change.path.as_str()).collect();
    if output.is_json() {
        output.json(&json!({
            "applied": !dry_run,
            "deltas": ids,
            "files": files,
            "counts": {"added": added, "modified": modified, "removed": removed, "renamed": renamed},
            "merged": outcome.merged,
            "unchecked": outcome.unchecked,
            "warnings": telling::findings(&outcome.warnings),
        }));
        return;
    }
    telling::warnings(&outcome.warnings, output);
    for id in &outcome.unchecked {
        output.remark(&format!(
            "{id}: unchecked, because it does not say what it was written against"
        ));
    }
    let word = if dry_run { "would apply" } else { "applied" };
    output.data(&format!(
        "{word} {}: {added} added, {modified} modified, {removed} removed, {renamed} renamed",
        ids.join(", ")
    ));
    for merged in &outcome.merged {
        let name = merged["requirement"].as_str().unwrap_or_default();
        output.data(&format!("  merged with somebody else's change: {name}"));
    }
    for file in files {
        output.data(&format!("  {file}"));
    }
}

pub(super) fn revert(
    library: &mut Library,
    named: &DeltaNamed,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (document, called) = match &named.openspec {
        Some(change) => (super::openspec::folder(change)?, change.clone()),
        None => {
            let req = named.req.as_deref().unwrap_or_default();
            let name = named.name.as_deref().ok_or_else(|| {
                CommandError::usage(format!("which delta of `{req}`?"))
                    .hint(format!("`windlass delta list {req}` shows them"))
            })?;
            let found = library.delta(req, name, output)?;
            (found.file, found.id)
        }
    };
    let site = Arc::clone(&library.surroundings.site);
    let shelf = library.shelf()?;
    let records = shelf.records()?;
    let Some(record) = applied_record(&records, &document) else {
        return Err(CommandError::usage(format!("`{called}` was not applied here"))
            .hint("only what `windlass delta apply` wrote on this machine can be set back; git has the rest"));
    };
    let mut changes = Vec::new();
    for FileChange { path, before, after } in &record.entry.files {
        if shelf.now(path)? != *after {
            return Err(CommandError::usage(format!(
                "{path}:1: it has changed since `{called}` was applied"
            ))
            .hint("set back first what was applied later, or use git; nothing was written"));
        }
        let kept = |hash: &Option<ContentHash>| match hash {
            None => Ok(None),
            Some(hash) => shelf
                .kept(hash)
                .map(Some)
                .ok_or_else(|| CommandError::failure(format!("what was kept of `{path}` is gone"))),
        };
        changes.push(Change { path: path.clone(), before: kept(after)?, after: kept(before)? });
    }
    let entry = entry(
        &site,
        RecordKind::Reverted,
        record.entry.documents.clone(),
        record.entry.hashes.clone(),
    );
    shelf.change(&changes, entry)?;
    let files: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    match output.is_json() {
        true => output
            .json(&json!({"reverted": true, "documents": record.entry.documents, "files": files})),
        false => output.data(&format!("{called}: set back {}", files.join(", "))),
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn conflicts(
    library: &mut Library,
    named: &DeltaNamed,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let req = named.req.as_deref().unwrap_or_default();
    let asked: Vec<String> = match &named.name {
        Some(name) => vec![library.delta(req, name, output)?.id],
        None => library.deltas(req, output)?.into_iter().map(|found| found.id).collect(),
    };
    let mut open = Vec::new();
    for requirement in library.requirements()? {
        for found in library.deltas(&requirement, output)? {
            if library.standing(&found)?.status != DeltaStatus::Applied {
                open.push(found);
            }
        }
    }
    let is_asked = |found: &Found| found.delta.front.req_id == req && asked.contains(&found.id);
    let mut told = Vec::new();
    for (index, one) in open.iter().enumerate() {
        let (_, text) = library.spec_text(&one.target)?;
        let now = spec(&text, &one.target, output)?;
        let base_text = library.base_text(one, &text)?;
        let base = match &base_text {
            Some(base) => Some(spec(base, &one.target, output)?),
            None => None,
        };
        let against = base.as_ref().map_or(Base::Unchecked, Base::Known);
        if is_asked(one)
            && let Err(Refused::Conflicts(found)) =
                now.clone().apply(&one.delta, against, Dialect::Windlass)
        {
            told.extend(found.iter().map(|c| telling::conflict(&one.target, &[&one.id], c)));
        }
        for other in &open[index + 1..] {
            if other.target == one.target && (is_asked(one) || is_asked(other)) {
                let found = overlap(&one.delta, &other.delta, against);
                let ids = [one.id.as_str(), other.id.as_str()];
                told.extend(found.iter().map(|c| telling::conflict(&one.target, &ids, c)));
            }
        }
    }
    show_conflicts(&told, output);
    Ok(ExitCode::SUCCESS)
}

pub(super) fn show_conflicts(told: &[Value], output: &mut Output) {
    if output.is_json() {
        output.json(&json!({"hasConflicts": !told.is_empty(), "conflicts": told}));
    } else if told.is_empty() {
        output.data("no conflict");
    } else {
        telling::conflicts(told);
        output.data(&format!("{} conflicts", told.len()));
    }
}
