//! What a step's `file` checks are compared with.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_core::id::{ContentHash, StepIndex};
use windlass_core::plan::{CheckKind, Plan, template};
use windlass_core::run::RunState;

use super::files::{self, Match};
use super::papers;

/// Hashes every file that a `file` or `verdict_in` check of the step, or of a group around it, could match.
///
/// # Errors
/// A file could not be read.
pub fn take_baseline_files(
    state: &RunState,
    step: StepIndex,
    place: &Path,
) -> Result<BaselineFiles, std::io::Error> {
    let mut globs = Vec::new();
    let mut current = Some(step);
    while let Some(index) = current {
        globs.extend(file_globs(&state.plan, index, &state.context_of(index)));
        current = state.plan.step(index).parent;
    }
    globs.sort();
    globs.dedup();
    let found = if globs.is_empty() { Vec::new() } else { files::find(place, &globs)?.files };
    Ok(BaselineFiles {
        globs,
        files: found.into_iter().map(|Match { path, hash, .. }| (path, hash)).collect(),
    })
}

/// Which files were there when a step began, and which globs they were looked for with.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineFiles {
    /// The globs, filled in as they were then.
    pub globs: Vec<String>,
    /// Content by path.
    pub files: BTreeMap<String, ContentHash>,
}

/// The globs of a step's `file` and `verdict_in` checks that could be filled in.
fn file_globs(plan: &Plan, index: StepIndex, context: &serde_json::Value) -> Vec<String> {
    let checks = plan.step(index).done.iter().flat_map(|criterion| criterion.checks());
    checks
        .filter_map(|check| match &check.kind {
            CheckKind::File { glob, .. } => template::fill_context(glob, context).ok(),
            CheckKind::VerdictIn { file, .. } => {
                template::fill_context(file, context).ok().map(|file| papers::exactly(&file))
            }
            CheckKind::Run { .. }
            | CheckKind::Junit { .. }
            | CheckKind::Coverage { .. }
            | CheckKind::Red(_)
            | CheckKind::Green(_)
            | CheckKind::Checklist { .. }
            | CheckKind::Diff { .. }
            | CheckKind::State { .. }
            | CheckKind::Verdict { .. }
            | CheckKind::Stories { .. }
            | CheckKind::Questions { .. } => None,
        })
        .collect()
}
