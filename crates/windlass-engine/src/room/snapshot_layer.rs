//! The layer of one snapshot: what differs from the base, and a git directory of its own.

use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use windlass_core::id::ObjectId;

use super::in_use::{Draft, InUse, keep_last_used, note_use};
use super::{RoomError, Rooms, dot_git, layers};
use crate::git::LayerShape;

/// How many layers of earlier snapshots stay: `red` and `green` go back and forth between a few.
const KEPT: usize = 6;

/// What the layer of a snapshot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LayerKind {
    /// What differs from the base, with times after everything that was built from that.
    Changes,
    /// Every file, with the times at which it was checked out, as in a clone.
    Clone,
}

impl Rooms {
    /// Returns the layer of a tree, made first where it is missing. It stays as long as it is in use.
    /// `commit` is one whose tree it is, where there is one.
    pub(super) fn layer_of(
        &self,
        code: &ObjectId,
        kind: LayerKind,
        commit: Option<&ObjectId>,
    ) -> Result<InUse, RoomError> {
        let all = self.dir.join("snapshots");
        fs_err::create_dir_all(&all)?;
        // Spokes judge side by side and share the layers of their run.
        let lock = fs_err::File::create(self.dir.join("snapshots.lock"))?;
        flock(&lock, FlockOperation::LockExclusive).map_err(std::io::Error::from)?;
        let name = match kind {
            LayerKind::Changes => all.join(code.as_str()),
            LayerKind::Clone => match commit {
                Some(commit) => all.join(format!("clone-{code}-{commit}")),
                None => all.join(format!("clone-{code}")),
            },
        };
        if let Some(layer) = InUse::mark(&name)? {
            note_use(&name)?;
            return Ok(layer);
        }
        let draft = Draft::make(&self.dir, "making-")?;
        let (layer, index) = (draft.path().join("layer"), draft.path().join("index"));
        fs_err::create_dir(&layer)?;
        fs_err::copy(self.dir.join("base.index"), &index)?;
        let is_base = *code == self.origin.tree;
        let shape = if is_base {
            LayerShape::default()
        } else {
            let base = (&self.origin.tree, self.dir.join("base"));
            self.checkout.changes((base.0, &base.1), code, &layer, &index)?
        };
        if kind == LayerKind::Clone {
            // The base stays below for its submodules; everything else of it is covered.
            crate::git::remove_whole(&layer)?;
            fs_err::create_dir(&layer)?;
            fs_err::remove_file(&index)?;
            self.checkout.whole(code, &layer, &index)?;
        }
        for path in &shape.gone {
            layers::hide(&layer, path)?;
        }
        match kind {
            LayerKind::Changes => {
                let (began, changed) = (self.began()?, self.time_of_changes()?);
                layers::set_times(&layer, &mut |path| {
                    Some(if shape.same_names.contains(path) { began } else { changed })
                })?;
                dot_git::make(self, &layer.join(".git"), code, &index, commit)?;
                let same_names = is_base || shape.same_names.contains(Path::new(""));
                layers::set_time(&layer, if same_names { began } else { changed })?;
            }
            LayerKind::Clone => dot_git::make(self, &layer.join(".git"), code, &index, commit)?,
        }
        keep_last_used(&all, KEPT - 1)?;
        note_use(&name)?;
        let layer = InUse::mark(&layer)?.ok_or(RoomError::Missing { layer })?;
        Ok(layer.renamed(&name)?)
    }
}
