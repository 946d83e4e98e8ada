//! What rooms and boxes are asked for: by a check, by a step, and for the whole run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a command of a check has in its room besides the tree and the usual tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoomWishes {
    /// Variables that the command gets: jq expressions over the run's document, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// Which network it has.
    #[serde(default, skip_serializing_if = "RoomNetwork::is_none")]
    pub network: RoomNetwork,
    /// Hosts that it reaches although it has no network: by windlass's proxy, and no others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Paths that it may read beside the usual ones: absolute, or below `~/`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expose: Vec<String>,
    /// Whether an agent wrote the command, so that it has the rights of an attempt and no more. It is
    /// never part of a plan: whoever runs such a command says so.
    #[serde(skip)]
    pub agents_own: bool,
}

impl RoomWishes {
    /// Returns whether nothing is asked for.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// The network of a room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomNetwork {
    /// Its own, with loopback only.
    #[default]
    None,
    /// The host's.
    Host,
}

impl RoomNetwork {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// The network of a step's attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepNetwork {
    /// The host's.
    #[default]
    On,
    /// Hosts by list: the backend's own, registries by setting, and those that the step names.
    Provider,
    /// Loopback only.
    Off,
}

impl StepNetwork {
    pub(super) fn is_on(&self) -> bool {
        *self == Self::On
    }
}

/// What becomes of checks that fail before anyone did anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BaselinePolicy {
    /// They have to hold all the same.
    #[default]
    Strict,
    /// Failures that were there before do not count.
    NoNewFailures,
    /// Nothing is looked at before the first attempt.
    Off,
}

impl BaselinePolicy {
    pub(super) fn is_strict(&self) -> bool {
        *self == Self::Strict
    }
}
