//! A run's events as views want them.

use windlass_core::id::RunId;
use windlass_core::view::Told;

use super::load::LoadError;
use super::record::{Entry, entry};
use crate::store::{Seq, Store};

/// Reads the events of a run, up to and including record `to`.
///
/// # Errors
/// The journal is damaged, or of a newer version.
pub fn trail(store: &Store, run: &RunId, to: Seq) -> Result<Vec<Told>, LoadError> {
    let records = store
        .records(run, Seq(1))
        .map_err(|source| LoadError::Read { run: run.clone(), source })?;
    let mut trail = Vec::new();
    for record in records {
        let record = record.map_err(|source| LoadError::Damaged { run: run.clone(), source })?;
        if record.seq > to {
            break;
        }
        let read =
            entry(&record).map_err(|source| LoadError::Record { run: run.clone(), source })?;
        if let Entry::Event(event) = read {
            trail.push(Told {
                seq: record.seq.0,
                at: record.time,
                actor: record.actor.clone(),
                event: *event,
            });
        }
    }
    Ok(trail)
}
