//! What differs between two snapshots, file by file.

use windlass_core::id::ObjectId;
use windlass_core::snapshot::Snapshot;
use windlass_core::view::{Changes, Difference, FileChange};

use super::diff::{Change, ChangeStatus};
use super::engine_repository::EngineRepository;
use super::git_error::GitError;

/// Where papers lie in a place.
pub const PAPERS: &str = ".windlass/run/";

impl EngineRepository {
    /// Lists what differs between two snapshots.
    pub fn changes(&self, from: &Snapshot, to: &Snapshot) -> Result<Changes, GitError> {
        Ok(Changes {
            code: self.listed("", &from.code, &to.code)?,
            papers: self.listed(PAPERS, &from.papers, &to.papers)?,
        })
    }

    fn listed(
        &self,
        prefix: &str,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<Vec<FileChange>, GitError> {
        let (changes, counts) = self.diff_with_lines(from, to)?;
        let file = |change: &Change| {
            let count = counts.iter().find(|count| count.path == change.path);
            let lines = count.and_then(|count| count.lines);
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
        Ok(changes.iter().map(file).collect())
    }
}
