//! What judges the work besides what a workflow and its platform name: found in the commit that a run begins
//! with, and added to a plan before anything starts.

use std::path::Path;

use windlass_core::judges::{self, Files, MAX_SCRIPT_BYTES};
use windlass_core::plan::{OWN_FILE, Plan};
use windlass_core::protect::Protected;
use windlass_core::workflow::Workflow;
use windlass_engine::git::{BaseFiles, Bounds};

use crate::commands::workflow_file::Found;
use crate::error::CommandError;
use crate::platforms;

/// A command leads to a manifest, that to a script, and that to others: each round reads what the one before
/// asked for.
const ROUNDS: usize = 40;

/// How much is read of a repository in all rounds.
const MAX_FILES_READ: usize = 2_000;
const MAX_BYTES_READ: usize = 16 << 20;

/// Whether there has to be a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// A run is about to begin with it.
    Needed,
    /// A workflow can be looked at without any.
    MayBeMissing,
}

/// Adds the workflow's own file, and what its commands run.
///
/// # Errors
/// The commit or the platforms cannot be read: then nobody knows what judges, and nothing may start.
pub(crate) fn protect(
    plan: &mut Plan,
    workflow: &Workflow,
    file: &Found,
    top_level: &Path,
    base: Base,
) -> Result<(), CommandError> {
    plan.protect.extend(own_rule(file, top_level));
    if !workflow.protects() {
        return Ok(());
    }
    let packs = platforms::load(top_level).and_then(|all| all.usable())?;
    let read = BaseFiles::of(top_level, "HEAD").map_err(unreadable)?;
    let Some(read) = read else {
        return match base {
            Base::MayBeMissing => Ok(()),
            Base::Needed => Err(CommandError::usage(
                "the commit that the run would start from cannot be read, so the files that judge its work are unknown",
            )
            .hint("look with `git log -1`; make a first commit where there is none")),
        };
    };
    let links = read.links().clone();
    let mut files = Files { paths: read.paths(), links, ..Files::default() };
    let mut bytes = 0;
    for round in 0.. {
        let found = judges::find(plan, &files, &packs);
        let known =
            |path: &&String| files.texts.contains_key(*path) || files.unread.contains(*path);
        let wanted: Vec<String> = found.wants.iter().filter(|path| !known(path)).cloned().collect();
        if wanted.is_empty() {
            plan.take_found(found);
            return Ok(());
        }
        // What is beyond the bounds is not read, and the plan says so.
        let left =
            if round < ROUNDS { MAX_FILES_READ.saturating_sub(files.texts.len()) } else { 0 };
        let bounds = Bounds {
            files: left,
            each: MAX_SCRIPT_BYTES,
            all: MAX_BYTES_READ.saturating_sub(bytes),
        };
        let texts = read.texts(&wanted, bounds).map_err(unreadable)?;
        bytes += texts.values().map(String::len).sum::<usize>();
        files.unread.extend(wanted.into_iter().filter(|path| !texts.contains_key(path)));
        files.texts.extend(texts);
    }
    Ok(())
}

fn unreadable(error: windlass_engine::git::GitError) -> CommandError {
    CommandError::failure(error)
        .hint("windlass reads the files of `HEAD` to find what judges the work, and cannot start without it")
        .hint("look with `git fsck` and `git status`; `protect: none` in the workflow does without")
}

/// The file that says what has to hold, where it lies in the repository.
fn own_rule(file: &Found, top_level: &Path) -> Option<Protected> {
    let Found::File(path) = file else { return None };
    let (path, top) = (path.canonicalize().ok()?, top_level.canonicalize().ok()?);
    let inside = path.strip_prefix(top).ok()?.to_str()?.to_owned();
    let why = Some(OWN_FILE.to_owned());
    (!inside.starts_with(".windlass/"))
        .then(|| Protected { why, ..Protected::whole(escaped(&inside)) })
}

/// A path as a glob that means only itself.
fn escaped(path: &str) -> String {
    let special = |c: char| "*?[]{}\\!".contains(c);
    path.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
#[path = "judges_tests.rs"]
mod tests;
