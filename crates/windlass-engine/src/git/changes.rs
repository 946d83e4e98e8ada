//! What differs between two snapshots, file by file.

use std::collections::BTreeMap;

use windlass_core::id::ObjectId;
use windlass_core::snapshot::Snapshot;
use windlass_core::view::{Changes, Difference, FileChange};

use super::diff::{Change, ChangeStatus, TreePath};
use super::engine_repository::EngineRepository;
use super::git_error::GitError;

/// Where papers lie in a place.
pub const PAPERS: &str = ".windlass/run/";

impl EngineRepository {
    /// Lists what differs between two snapshots.
    pub fn changes(&self, from: &Snapshot, to: &Snapshot) -> Result<Changes, GitError> {
        let (code, notes) = self.listed("", &from.code, &to.code)?;
        let (papers, _) = self.listed(PAPERS, &from.papers, &to.papers)?;
        Ok(Changes { code, papers, notes })
    }

    fn listed(
        &self,
        prefix: &str,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<(Vec<FileChange>, Vec<String>), GitError> {
        let (changes, counts) = self.diff_with_lines(from, to)?;
        let counts: BTreeMap<&TreePath, Option<(u64, u64)>> =
            counts.iter().map(|count| (&count.path, count.lines)).collect();
        let file = |change: &Change| {
            let lines = counts.get(&change.path).copied().flatten();
            FileChange {
                path: format!("{prefix}{}", change.path),
                status: match change.status {
                    ChangeStatus::Added => Difference::Added,
                    ChangeStatus::Deleted => Difference::Deleted,
                    ChangeStatus::Modified => Difference::Modified,
                    ChangeStatus::TypeChanged => Difference::TypeChanged,
                },
                added: lines.map(|(added, _)| added),
                deleted: lines.map(|(_, deleted)| deleted),
            }
        };
        Ok((changes.iter().map(file).collect(), self.clone_notes(to, &changes)?))
    }
}
