//! Files that go from one place of a run to another: into a spoke's place, and back.

use std::path::Path;

use windlass_core::id::ObjectId;
use windlass_core::snapshot::Snapshot;

use super::diff::TreePath;
use super::engine_repository::EngineRepository;
use super::git_error::GitError;
use super::place::Place;
use super::place_files::{self, PlaceFileError};
use super::reset::ResetError;

/// Where papers lie in every place.
const PAPERS: &str = ".windlass/run";

/// Git's mode of a file that can be run.
const PROGRAM_MODE: u32 = 0o100_755;

/// Why a file could not be brought over.
#[derive(Debug, thiserror::Error)]
pub enum BringError {
    /// Git failed.
    #[error("the file could not be read from its snapshot")]
    Git(#[from] GitError),
    /// The snapshot does not have it.
    #[error("`{path}` is not in its snapshot")]
    Missing {
        /// The file.
        path: String,
    },
    /// It could not be written.
    #[error("the file could not be written into the place")]
    File(#[from] PlaceFileError),
}

impl Place {
    /// Makes the files of a new place those of a snapshot, papers included.
    pub fn lay(&mut self, snapshot: &Snapshot) -> Result<(), ResetError> {
        self.reset_files(&snapshot.code)?;
        let index = self.run_dir.path("papers-index");
        self.run_dir
            .git(&self.record.root.join(PAPERS), &index)
            // Papers are written by windlass, whatever they are called.
            .setting("core.protectNTFS=false")
            .setting("core.protectHFS=false")
            .args(["read-tree", "--reset", "-u", snapshot.papers.as_str()])
            .run()?;
        Ok(())
    }

    /// Writes one file as it is in a snapshot of another place of the run.
    pub fn bring(&self, from: &Snapshot, path: &str) -> Result<(), BringError> {
        let missing = || BringError::Missing { path: path.to_owned() };
        let (tree, name) = tree_and_name(from, path);
        let (bytes, mode) = self.engine.read_blob_and_mode(tree, &name)?.ok_or_else(missing)?;
        let (root, relative) = (&self.record.root, Path::new(path));
        let written = match mode == PROGRAM_MODE {
            true => place_files::write_program(root, relative, &bytes),
            false => place_files::write_file(root, relative, &bytes),
        };
        Ok(written?)
    }
}

impl EngineRepository {
    /// Reads one file of a snapshot by its path in the place; `None` when it has no such file.
    pub fn read_file(&self, from: &Snapshot, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        let (tree, name) = tree_and_name(from, path);
        self.read_blob(tree, &name)
    }

    /// Lists what differs between two snapshots, papers with the folder they lie in.
    pub fn changed_files(&self, from: &Snapshot, to: &Snapshot) -> Result<Vec<String>, GitError> {
        let code = self.diff(&from.code, &to.code)?;
        let papers = self.diff(&from.papers, &to.papers)?;
        let papers = papers.iter().map(|change| format!("{PAPERS}/{}", change.path));
        Ok(code.iter().map(|change| change.path.to_string()).chain(papers).collect())
    }
}

/// Returns the tree of a snapshot that holds a path of the place, and its name there.
fn tree_and_name<'s>(snapshot: &'s Snapshot, path: &str) -> (&'s ObjectId, TreePath) {
    match path.strip_prefix(PAPERS).and_then(|rest| rest.strip_prefix('/')) {
        Some(paper) => (&snapshot.papers, TreePath::new(paper)),
        None => (&snapshot.code, TreePath::new(path)),
    }
}
