//! A spoke's own place: made from the files that the spoke begins from, gone when its work is
//! brought over.
//!
//! Beside the place's record lies a note of what it was made from. A place whose note says
//! something else, or that has none because its maker was killed, is made anew; one whose note fits
//! keeps what the spoke's earlier attempts left there.

use serde::{Deserialize, Serialize};
use windlass_core::id::{ObjectId, StepId};
use windlass_core::run::{InputKind, RunState};
use windlass_core::snapshot::Snapshot;

use super::site::Site;
use super::worker::{Worker, WorkerError};
use crate::fault;
use crate::git::{EngineRepository, Place, PlaceRequest, remove_place};
use crate::home::RunHome;

/// What a spoke's place was made from.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Laid {
    epoch: u32,
    head: ObjectId,
    snapshot: Snapshot,
}

/// Opens the place of a spoke, or makes it.
pub(super) fn place_of(
    site: &Site,
    run: &RunHome,
    engine: &EngineRepository,
    state: &RunState,
    spoke: &StepId,
) -> Result<Place, WorkerError> {
    let gone = || WorkerError::PlaceGone { path: run.place.to_string_lossy().into_owned() };
    let step = state.step(state.plan.find(spoke).ok_or_else(gone)?);
    let baseline = step.baseline.as_ref().ok_or_else(gone)?;
    let wanted =
        Laid { epoch: step.epoch, head: state.head.clone(), snapshot: baseline.snapshot.clone() };
    let note = run.git.join("laid.json");
    let laid = fs_err::read(&note).ok();
    let laid = laid.and_then(|bytes| serde_json::from_slice::<Laid>(&bytes).ok());
    if laid.as_ref() == Some(&wanted)
        && let Some(place) = Place::open(engine, &run.git)?
    {
        return Ok(place);
    }
    remove(site, run)?;
    fault::point("aside-removed");
    fs_err::create_dir_all(&site.home.data)?;
    let mut place = Place::create_clone(
        engine,
        &site.user,
        &PlaceRequest {
            dir: run.place.clone(),
            run_dir: run.git.clone(),
            branch: format!("{}-{}", state.facts.branch, spoke.as_str().replace('/', "-")),
            base: state.head.clone(),
            lfs_filter: Some(site.exe.clone()),
            base_stores: site.lenders(run)?,
        },
    )?;
    place.lay(&wanted.snapshot)?;
    fault::point("aside-laid");
    fs_err::write(&note, serde_json::to_vec(&wanted).map_err(std::io::Error::from)?)?;
    Ok(place)
}

/// Removes the place of a spoke; snapshots keep its files.
fn remove(site: &Site, run: &RunHome) -> Result<(), WorkerError> {
    match fs_err::remove_dir_all(&run.git) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    if run.place.symlink_metadata().is_ok() {
        remove_place(&site.home.data, &run.place)?;
    }
    Ok(())
}

impl Worker {
    /// Brings what a spoke wrote into the run's place.
    pub(super) fn adopt(
        &mut self,
        state: &RunState,
        step: &StepId,
        epoch: u32,
        from: &Snapshot,
    ) -> Result<InputKind, WorkerError> {
        let writes = state.plan.find(step).map(|index| state.plan.step(index).writes.clone());
        let writes = writes.unwrap_or_default();
        let (before, _) = self.observe(state)?;
        // A driver that was killed here may have brought some of it over already.
        let untouched = match &state.latest {
            Some(latest) => {
                let changed = self.engine.changed_files(latest, &before)?;
                changed.iter().all(|path| writes.contains(path))
            }
            None => false,
        };
        self.known = None;
        for (number, path) in writes.iter().enumerate() {
            if self.is_of_others(state, &before, from, path)? {
                self.set_aside(path, number, step, epoch);
            }
            self.place.bring(from, path)?;
            fault::point("aside-brought");
        }
        let (snapshot, _) = self.observe(state)?;
        remove(&self.site, &self.run.aside(step))?;
        Ok(InputKind::Adopted { step: step.clone(), epoch, snapshot, untouched })
    }

    /// Whether somebody put something where a spoke writes, since the run last looked. No attempt's
    /// files have it, so it would be lost.
    fn is_of_others(
        &self,
        state: &RunState,
        now: &Snapshot,
        wanted: &Snapshot,
        path: &str,
    ) -> Result<bool, WorkerError> {
        let Ok(there) = self.place.root().join(path).symlink_metadata() else { return Ok(false) };
        let Some(found) = self.engine.read_file(now, path)?.filter(|_| there.is_file()) else {
            return Ok(true);
        };
        let known = match &state.latest {
            Some(latest) => self.engine.read_file(latest, path)?,
            None => None,
        };
        Ok(known.as_ref() != Some(&found)
            && self.engine.read_file(wanted, path)?.as_ref() != Some(&found))
    }
}
