//! What judges the work besides what a workflow and its platform name: found in the repository, and added to
//! a plan before anything starts.

use std::path::Path;

use windlass_core::plan::{OWN_FILE, Plan};
use windlass_core::protect::{self, Files, MAX_SCRIPT_BYTES, Protected};
use windlass_core::workflow::Workflow;
use windlass_engine::git::tracked_files;

use crate::commands::workflow_file::Found;
use crate::own_file;
use crate::platforms;

/// A command leads to a manifest, that to a script, and that to others.
const ROUNDS: usize = 4;

/// Adds the workflow's own file, and what its commands run.
pub(crate) fn protect(plan: &mut Plan, workflow: &Workflow, file: &Found, top_level: &Path) {
    plan.protect.extend(own_rule(file, top_level));
    if !workflow.protects() {
        return;
    }
    // Where the repository or its platforms cannot be read, whoever starts a run is told so elsewhere.
    let paths = tracked_files(top_level).unwrap_or_default().into_iter().collect();
    let packs = platforms::load(top_level).and_then(|all| all.usable()).unwrap_or_default();
    let mut files = Files { paths, ..Files::default() };
    for _ in 0..ROUNDS {
        let found = protect::find(plan, &files, &packs);
        let wanted = found.wants.iter().filter(|path| !files.texts.contains_key(*path)).cloned();
        let wanted: Vec<String> = wanted.collect();
        if wanted.is_empty() {
            plan.protect.extend(found.rules);
            return;
        }
        for path in wanted {
            let read =
                own_file::read_inside(top_level, &path, MAX_SCRIPT_BYTES).unwrap_or_default();
            files.texts.insert(path, String::from_utf8_lossy(&read).into_owned());
        }
    }
    plan.protect.extend(protect::find(plan, &files, &packs).rules);
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
