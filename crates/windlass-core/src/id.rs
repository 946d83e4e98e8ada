//! Names of things: newtypes, so that a run can never be taken for a step.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps a name as it is; whoever makes one from outside input checks it first.
            pub fn new(name: impl Into<Arc<str>>) -> Self {
                Self(name.into())
            }

            /// Returns the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self::new(name)
            }
        }
    };
}

name_type! {
    /// One execution of a workflow: eight lower-case letters and digits.
    RunId
}
name_type! {
    /// One step of a plan: the id in the workflow file; nested steps are `parent/child`.
    StepId
}
name_type! {
    /// One item that a step repeats over: letters, digits, `-` and `_`, unique in its run.
    ItemId
}
name_type! {
    /// A git object name (SHA-1 or SHA-256, in hexadecimal).
    ObjectId
}
name_type! {
    /// The blake3 hash of some bytes, in hexadecimal: the name of a blob beside the journal.
    ContentHash
}

impl ContentHash {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self::new(blake3::hash(bytes).to_hex().as_str())
    }
}

/// A step's position in its plan.
///
/// Events name steps by [`StepId`] so that a journal can be read; state is kept by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepIndex(pub u32);

impl StepIndex {
    /// Returns the position as an index into a vector.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// One try at a step, written `step#number`.
///
/// Numbers count up over the whole run, also across rollbacks, so that a late report of an
/// earlier attempt can never be taken for a current one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptId {
    /// The step that is tried.
    pub step: StepId,
    /// Which attempt of that step this is, from 1.
    pub number: u32,
}

impl fmt::Display for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.step, self.number)
    }
}

/// An attempt name that is not `step#number`.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not an attempt: expected `step#number`")]
pub struct BadAttemptId(String);

impl FromStr for AttemptId {
    type Err = BadAttemptId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.rsplit_once('#')
            .and_then(|(step, number)| {
                Some(Self { step: StepId::from(step), number: number.parse().ok()? })
            })
            .ok_or_else(|| BadAttemptId(text.to_owned()))
    }
}

impl Serialize for AttemptId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AttemptId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Which verification of a run this is, from 1, counted over the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VerificationId(pub u32);

/// Which gate of a run this is, from 1, counted over the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GateId(pub u32);

/// The fence number of a driver: raised in the store each time a driver takes a run over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fence(pub u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempt_ids_round_trip_through_text() {
        let id = AttemptId { step: "plan/hub".into(), number: 12 };
        assert_eq!(id.to_string(), "plan/hub#12");
        assert_eq!(id.to_string().parse::<AttemptId>().unwrap(), id);
        assert!("plan".parse::<AttemptId>().is_err());
        assert!("plan#x".parse::<AttemptId>().is_err());
    }
}
