//! Setting the files of a place back to a tree.

use std::io;

use windlass_core::id::ObjectId;

use super::git_error::GitError;
use super::place::Place;
use super::run_dir::break_lock;

/// Why the files of a place could not be set back.
#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    /// Git failed.
    #[error("the files could not be checked out")]
    Git(#[from] GitError),
    /// A file could not be written.
    #[error("a file could not be written")]
    Io(#[from] io::Error),
}

impl Place {
    /// Sets the files of the place to `tree`.
    ///
    /// What the last snapshot has and `tree` has not is removed; ignored files stay. The caller
    /// observes first, so that nothing is lost.
    pub fn reset_files(&mut self, tree: &ObjectId) -> Result<(), ResetError> {
        let index = self.run_dir.index();
        break_lock(&index)?;
        self.indexed = None;
        self.run_dir
            .git(&self.record.root, &index)
            .args(["read-tree", "--reset", "-u", tree.as_str()])
            .run()?;
        self.indexed = Some(tree.clone());
        Ok(())
    }
}
