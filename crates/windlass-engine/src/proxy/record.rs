//! Which hosts were refused or could not be reached: one JSON line for each.
//!
//! The file answers "why did it not work": a person reads which hosts to list, and the engine ends an
//! attempt whose provider is out of reach. It holds names and ports, nothing of what was said.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use fs_err::os::unix::fs::OpenOptionsExt as _;
use serde::{Deserialize, Serialize};

use super::control::{self, Word};
use super::target::Target;

/// Why a connection was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The host is not on the list.
    Refused,
    /// The name has no address.
    Unresolvable,
    /// The host is on the list, and all its addresses are ones that are not connected to.
    Private,
    /// Nobody answered, or the user's own proxy did not let it through.
    Failed,
}

/// A line of the record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What happened.
    pub kind: FailureKind,
    /// The host, as it was read.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Whether it is one of the backend's.
    pub provider: bool,
}

impl Failure {
    pub(super) fn new(kind: FailureKind, target: &Target, provider: bool) -> Self {
        Self { kind, host: target.host.to_string(), port: target.port, provider }
    }
}

/// Writes the record.
pub(super) struct Recorder {
    state: Mutex<State>,
    most: usize,
}

struct State {
    file: File,
    control: UnixStream,
    seen: HashSet<Failure>,
}

impl Recorder {
    /// Opens the file; what is in it stays.
    pub(super) fn open(path: &Path, most: usize, control: UnixStream) -> io::Result<Self> {
        let mut options = fs_err::OpenOptions::new();
        options.create(true).append(true);
        options.mode(0o600);
        let file = options.open(path)?.into_parts().0;
        Ok(Self { state: Mutex::new(State { file, control, seen: HashSet::new() }), most })
    }

    /// Writes down a failure that has not been seen before.
    pub(super) fn record(&self, failure: Failure) -> io::Result<()> {
        // Nothing that the lock guards is half done when a thread ends with it.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.seen.len() >= self.most || state.seen.contains(&failure) {
            return Ok(());
        }
        let mut line = serde_json::to_vec(&failure)?;
        line.push(b'\n');
        state.seen.insert(failure.clone());
        state.file.write_all(&line)?;
        if failure.provider {
            control::tell(&state.control, &Word::ProviderFailed(failure))?;
        }
        Ok(())
    }
}
