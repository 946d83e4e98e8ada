//! Deltas of requirements: written, listed, shown, read and accepted.

use std::process::ExitCode;

use serde_json::{Value, json};
use windlass_core::id::ContentHash;
use windlass_core::spec::{DeltaStatus, Dialect, FrontMatterOf, Spec, new_delta, with_status};
use windlass_core::view::{Lines, printable};
use windlass_engine::dispatch::{Site, now};
use windlass_engine::hosted::caller;
use windlass_engine::shelf::{Change, Entry, RecordKind};

use super::found::{Found, Library, undated};
use super::telling;
use crate::cli::{DeltaCreateArguments, DeltaNamed};
use crate::document;
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::person;

/// The longest name of a delta: it is the name of a folder.
const MAX_NAME: usize = 80;

pub(super) fn create(
    library: &mut Library,
    arguments: &DeltaCreateArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let DeltaCreateArguments { req, name, .. } = arguments;
    let folder = format!("{}/deltas", library.requirement(req)?);
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(plain)
        && name.len() <= MAX_NAME;
    if !is_name {
        return Err(CommandError::usage(format!("`{name}` cannot be the name of a delta"))
            .hint("use small letters, digits and `-`, such as add-2fa"));
    }
    let taken = library.folders(&folder)?;
    if let Some(other) = taken.iter().find(|id| undated(id) == Some(name) || *id == name) {
        return Err(CommandError::usage(format!("`{req}` has a delta `{other}` already"))
            .hint("choose another name, or go on with that one"));
    }
    let at = now().to_string();
    let id = format!("{}-{name}", at.get(..10).unwrap_or_default());
    let file = format!("{folder}/{id}/delta.md");
    let path = library.target(req, Some(&arguments.target), &file)?;
    let (_, text) = library.spec_text(&path)?;
    Spec::parse(&text, &path, Dialect::Windlass)
        .map_err(|found| document::refused(&path, text.as_bytes(), &found, output))?;
    let base = library.surroundings.site.user.format.blob_name(text.as_bytes());
    let title = arguments.title.clone().unwrap_or_else(|| name.replace('-', " "));
    if title.trim().is_empty() || title.chars().any(char::is_control) {
        return Err(CommandError::usage("a title is one line of text"));
    }
    let front = FrontMatterOf {
        delta_id: id.clone(),
        req_id: req.clone(),
        title: title.clone(),
        created_at: at,
        status: DeltaStatus::Draft,
        target: (arguments.target != "PRD.md").then(|| arguments.target.clone()),
        base: Some(base.to_string()),
    };
    let shelf = library.shelf()?;
    shelf.keep_base(base.as_str(), text.as_bytes())?;
    let new =
        |path: String, text: String| Change { path, before: None, after: Some(text.into_bytes()) };
    let files = [
        new(file.clone(), new_delta(&front)),
        new(format!("{folder}/{id}/tasks.md"), format!("# Tasks: {title}\n")),
    ];
    shelf.write_plain(&files)?;
    if output.is_json() {
        output.json(&json!({"id": id, "req": req, "file": file, "target": path, "base": base}));
    } else {
        output.data(&format!("wrote {file}"));
        output.remark(&format!("fill it in, then `windlass delta review {req} {name}`"));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn list(
    library: &mut Library,
    req: Option<&str>,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let requirements = match req {
        Some(req) => vec![req.to_owned()],
        None => library.requirements()?,
    };
    let mut listed = Vec::new();
    for req in &requirements {
        for found in library.deltas(req, output)? {
            listed.push(told(library, &found)?);
        }
    }
    if output.is_json() {
        output.json(&listed);
        return Ok(ExitCode::SUCCESS);
    }
    if listed.is_empty() {
        output.data("there are no deltas");
    }
    for entry in &listed {
        output.data(&telling::line(entry));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn status(
    library: &mut Library,
    named: &DeltaNamed,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let req = named.req.as_deref().unwrap_or_default();
    let deltas = match &named.name {
        Some(name) => vec![library.delta(req, name, output)?],
        None => library.deltas(req, output)?,
    };
    let mut entries = Vec::new();
    for found in &deltas {
        let mut entry = told(library, found)?;
        entry["next"] = json!(next(req, found, entry["status"].as_str().unwrap_or_default()));
        entries.push(entry);
    }
    if output.is_json() {
        output.json(&json!({"req": req, "deltas": entries}));
        return Ok(ExitCode::SUCCESS);
    }
    if entries.is_empty() {
        output.data(&format!("{req} has no deltas"));
    }
    for entry in &entries {
        output.data(&telling::line(entry));
        if let Some(note) = entry["note"].as_str() {
            output.data(&format!("  note: {note}"));
        }
        if let Some(next) = entry["next"].as_str() {
            output.data(&format!("  next: {next}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn next(req: &str, found: &Found, status: &str) -> Option<String> {
    let word = match status {
        "draft" => "review",
        "review" => "approve",
        "approved" => "apply",
        _ => return None,
    };
    Some(format!("windlass delta {word} {req} {}", found.id))
}

pub(super) fn show(
    library: &mut Library,
    named: &DeltaNamed,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let found = one(library, named, output)?;
    let mut entry = told(library, &found)?;
    let (_, text) = library.spec_text(&found.target)?;
    let base = library.base_text(&found, &text)?;
    let prints = match &base {
        Some(base) => Spec::parse(base, &found.target, Dialect::Windlass)
            .map(|base| found.delta.fingerprints(&base))
            .unwrap_or_default(),
        None => Default::default(),
    };
    if output.is_json() {
        entry["createdAt"] = json!(found.delta.front.created_at);
        entry["base"] = json!(found.delta.front.base);
        entry["blocks"] = json!(found.delta.blocks);
        entry["fingerprints"] = json!(prints);
        entry["warnings"] = telling::findings(&found.delta.warnings);
        output.json(&entry);
        return Ok(ExitCode::SUCCESS);
    }
    output.data(&telling::line(&entry));
    for block in &found.delta.blocks {
        telling::block(block, output);
    }
    telling::warnings(&found.delta.warnings, output);
    Ok(ExitCode::SUCCESS)
}

pub(super) fn review(
    library: &mut Library,
    named: &DeltaNamed,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let found = one(library, named, output)?;
    let standing = library.standing(&found)?;
    if standing.status == DeltaStatus::Applied {
        return Err(CommandError::usage(format!("`{}` is applied already", found.id))
            .hint("`windlass delta revert` sets it back"));
    }
    if found.delta.blocks.is_empty() {
        return Err(CommandError::usage(format!("{}:1: the delta changes nothing", found.file))
            .hint("write requirements below `## ADDED Requirements` and the like"));
    }
    if found.delta.front.status != DeltaStatus::Review {
        let change = restated(&found, DeltaStatus::Review)?;
        library.shelf()?.write_plain(&[change])?;
    }
    telling::warnings(&found.delta.warnings, output);
    telling::done(&found.id, "review", output);
    Ok(ExitCode::SUCCESS)
}

pub(super) fn approve(
    library: &mut Library,
    named: &DeltaNamed,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    library.surroundings.refuse_agents_to("approve a delta")?;
    let found = one(library, named, output)?;
    let standing = library.standing(&found)?;
    match standing.status {
        DeltaStatus::Draft => {
            return Err(CommandError::usage(format!("`{}` is a draft", found.id)).hint(format!(
                "`windlass delta review {} {}` says that it is ready",
                named.req.as_deref().unwrap_or_default(),
                found.id
            )));
        }
        DeltaStatus::Applied => {
            return Err(CommandError::usage(format!("`{}` is applied already", found.id)));
        }
        DeltaStatus::Approved => {
            telling::done(&found.id, "approved", output);
            return Ok(ExitCode::SUCCESS);
        }
        DeltaStatus::Review => {}
    }
    let change = restated(&found, DeltaStatus::Approved)?;
    let hash = ContentHash::of(change.after.as_deref().unwrap_or_default());
    let entry = entry(
        &library.surroundings.site,
        RecordKind::Approved,
        vec![found.file.clone()],
        vec![hash],
    );
    library.shelf()?.change(&[change], entry)?;
    telling::done(&found.id, "approved", output);
    Ok(ExitCode::SUCCESS)
}

/// Returns the file of a delta with another status.
pub(super) fn restated(found: &Found, status: DeltaStatus) -> Result<Change, CommandError> {
    let text = document::text(&found.bytes, &found.file)?;
    let after = with_status(text, status)
        .ok_or_else(|| CommandError::usage(format!("{}:1: it has no front matter", found.file)))?;
    let path = found.file.clone();
    Ok(Change { path, before: Some(found.bytes.clone()), after: Some(after.into_bytes()) })
}

/// Makes an entry about what this person does here and now.
pub(super) fn entry(
    site: &Site,
    kind: RecordKind,
    documents: Vec<String>,
    hashes: Vec<ContentHash>,
) -> Entry {
    let from = caller::terminal().unwrap_or_else(|| "no terminal".to_owned());
    let person = person(site);
    Entry { kind, at: now(), person, from, documents, hashes, files: Vec::new() }
}

fn one(library: &Library, named: &DeltaNamed, output: &Output) -> Result<Found, CommandError> {
    let req = named.req.as_deref().unwrap_or_default();
    match &named.name {
        Some(name) => library.delta(req, name, output),
        None => {
            let mut all = library.deltas(req, output)?;
            match (all.pop(), all.is_empty()) {
                (Some(only), true) => Ok(only),
                (None, _) => Err(CommandError::usage(format!("`{req}` has no deltas"))
                    .hint(format!("`windlass delta create {req} NAME` writes one"))),
                (Some(_), false) => Err(CommandError::usage(format!("which delta of `{req}`?"))
                    .hint(format!("`windlass delta list {req}` shows them"))),
            }
        }
    }
}

/// What is told about a delta.
pub(super) fn told(library: &mut Library, found: &Found) -> Result<Value, CommandError> {
    let standing = library.standing(found)?;
    let title = printable(&found.delta.front.title, Lines::One);
    Ok(json!({
        "id": found.id,
        "req": found.delta.front.req_id,
        "title": title,
        "status": standing.status,
        "note": standing.note,
        "approvedBy": standing.approved_by,
        "target": found.target,
        "file": found.file,
        "changes": found.delta.blocks.len(),
    }))
}
