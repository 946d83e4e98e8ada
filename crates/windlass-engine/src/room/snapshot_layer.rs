//! The layer of one snapshot: what differs from the base, and a git directory of its own.

use std::path::PathBuf;

use rustix::fs::{FlockOperation, flock};
use windlass_core::id::ObjectId;

use super::{RoomError, Rooms, dot_git, layers, sweep};
use crate::git::LayerShape;

/// How many layers of earlier snapshots stay: `red` and `green` go back and forth between a few.
const KEPT: usize = 6;

impl Rooms {
    /// Returns the layer of a tree, made first where it is missing.
    pub(super) fn layer_of(&self, code: &ObjectId) -> Result<PathBuf, RoomError> {
        let all = self.dir.join("snapshots");
        fs_err::create_dir_all(&all)?;
        // Spokes judge side by side and share the layers of their run.
        let lock = fs_err::File::create(self.dir.join("snapshots.lock"))?;
        flock(&lock, FlockOperation::LockExclusive).map_err(std::io::Error::from)?;
        let name = all.join(code.as_str());
        if name.is_dir() {
            return Ok(name);
        }
        let draft = tempfile::Builder::new().prefix("making-").tempdir_in(&self.dir)?;
        let (layer, index) = (draft.path().join("layer"), draft.path().join("index"));
        fs_err::create_dir(&layer)?;
        fs_err::copy(self.dir.join("base.index"), &index)?;
        let shape = if *code == self.origin.tree {
            LayerShape::default()
        } else {
            let base = (&self.origin.tree, self.dir.join("base"));
            self.checkout.changes((base.0, &base.1), code, &layer, &index)?
        };
        for path in &shape.gone {
            layers::hide(&layer, path)?;
        }
        let (began, changed) = (self.began()?, self.time_of_changes()?);
        layers::set_times(&layer, &mut |path| {
            Some(if shape.same_names.contains(path) { began } else { changed })
        })?;
        dot_git::make(self, &layer.join(".git"), code, &index)?;
        let names = if shape.same_names.contains(std::path::Path::new("")) || shape.gone.is_empty()
        {
            began
        } else {
            changed
        };
        layers::set_time(&layer, names)?;
        self.forget_old(&all)?;
        fs_err::rename(&layer, &name)?;
        Ok(name)
    }

    fn forget_old(&self, all: &std::path::Path) -> Result<(), RoomError> {
        let mut known = Vec::new();
        for entry in fs_err::read_dir(all)? {
            let entry = entry?;
            known.push((entry.metadata()?.created().ok(), entry.path()));
        }
        known.sort();
        let too_many = known.len().saturating_sub(KEPT - 1);
        for (_, path) in known.into_iter().take(too_many) {
            sweep::remove(&path);
        }
        Ok(())
    }
}
