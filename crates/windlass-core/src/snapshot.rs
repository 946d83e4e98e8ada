//! What the files of a place were at one moment.

use serde::{Deserialize, Serialize};

use crate::id::{ContentHash, ObjectId};

/// The files of a place at one moment, as two git trees in the engine's repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Everything git would track: the repository's ignore rules apply.
    pub code: ObjectId,
    /// `.windlass/run/{specs,reports}`, always whole.
    pub papers: ObjectId,
}

/// What a step began from, and what its `file` checks are compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The files at the moment the step began.
    pub snapshot: Snapshot,
    /// Blob with the hashes of all files that the step's `file` checks could match, ignored ones
    /// included: a JSON object from path to content hash.
    pub files: ContentHash,
}
