//! A tree with some of its files taken from another.

use std::path::Path;

use windlass_core::id::ObjectId;

use super::diff::Change;
use super::engine_repository::EngineRepository;
use super::git_error::GitError;

impl EngineRepository {
    /// Writes the tree that `base` is with these changes, and returns its name.
    ///
    /// `scratch` is a folder that nobody else writes to meanwhile.
    pub fn overlay(
        &self,
        base: &ObjectId,
        changes: &[&Change],
        scratch: &Path,
    ) -> Result<ObjectId, GitError> {
        let index = scratch.join("overlay-index");
        let git = || self.git().index(&index);
        git().args(["read-tree", base.as_str()]).run()?;
        let zero = self.format().zero();
        let mut lines = Vec::new();
        let mut line = |mode: u32, id: &ObjectId, change: &Change| {
            lines.extend_from_slice(format!("{mode:06o} {id}\t").as_bytes());
            lines.extend_from_slice(change.path.as_bytes());
            lines.push(0);
        };
        // What goes comes first: a folder can stand where a file was.
        for change in changes.iter().filter(|change| change.new.is_none()) {
            line(0, &zero, change);
        }
        for change in changes {
            if let Some(entry) = &change.new {
                line(entry.mode, &entry.id, change);
            }
        }
        git().args(["update-index", "--replace", "-z", "--index-info"]).stdin(lines).run()?;
        Ok(ObjectId::new(git().arg("write-tree").run()?.line()?))
    }

    /// Writes a file's content, and returns its name.
    pub fn write_blob(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        let written = self.git().args(["hash-object", "-w", "--stdin"]).stdin(content.to_vec());
        Ok(ObjectId::new(written.run()?.line()?))
    }
}
