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
use std::time::{Duration, Instant};

use fs_err::os::unix::fs::OpenOptionsExt as _;
use serde::{Deserialize, Serialize};

use super::control::{self, Word};
use super::policy::ProxyPolicy;
use super::target::Target;

/// After so many connections of which none was made, a backend has no chance.
const HOPELESS_AFTER: usize = 5;

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

/// Whether a backend has reached anything yet.
///
/// A program whose model is out of reach tries for ever, and mostly says nothing of it. Its model may be
/// one that nobody told us of, in a setting of its own, so whose host was refused says nothing: that
/// not one connection was ever made does.
struct Chances {
    /// Whether it is a backend that needs any.
    counts: bool,
    /// Hosts besides the model's are tried first and given up, so that it takes some time as well.
    patience: Duration,
    first: Option<Instant>,
    failed: usize,
}

impl Chances {
    fn of(policy: &ProxyPolicy) -> Self {
        let counts = !policy.provider.is_empty() || !policy.forward.is_empty();
        Self { counts, patience: policy.bounds.hopeless(), first: None, failed: 0 }
    }

    /// Takes in that a connection was made.
    fn made(&mut self) {
        self.counts = false;
    }

    /// Takes in that one was not made; says, once, that there is no chance left.
    fn failed(&mut self, failure: &Failure, now: Instant) -> bool {
        let on_the_list = matches!(failure.kind, FailureKind::Failed | FailureKind::Unresolvable);
        // That a host of the user's list is down says nothing about the model.
        if !self.counts || (on_the_list && !failure.provider) {
            return false;
        }
        self.failed += 1;
        let first = *self.first.get_or_insert(now);
        let hopeless =
            self.failed >= HOPELESS_AFTER && now.saturating_duration_since(first) >= self.patience;
        self.counts &= !hopeless;
        hopeless
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
    chances: Chances,
}

impl Recorder {
    /// Opens the file; what is in it stays.
    pub(super) fn open(policy: &ProxyPolicy, control: UnixStream) -> io::Result<Self> {
        let (path, most): (&Path, usize) = (&policy.record, policy.bounds.record_lines);
        let mut options = fs_err::OpenOptions::new();
        options.create(true).append(true);
        options.mode(0o600);
        let file = options.open(path)?.into_parts().0;
        let chances = Chances::of(policy);
        Ok(Self { state: Mutex::new(State { file, control, seen: HashSet::new(), chances }), most })
    }

    /// Takes in that a connection was made.
    pub(super) fn made(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).chances.made();
    }

    /// Writes down a failure that has not been seen before.
    pub(super) fn record(&self, failure: Failure) -> io::Result<()> {
        // Nothing that the lock guards is half done when a thread ends with it.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.chances.failed(&failure, Instant::now()) {
            control::tell(&state.control, &Word::Hopeless(failure.clone()))?;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(kind: FailureKind, provider: bool) -> Failure {
        Failure { kind, host: "model.example".to_owned(), port: 443, provider }
    }

    fn chances() -> Chances {
        let mut policy = ProxyPolicy::new("/record".into());
        policy.provider.push("api.example".parse().unwrap());
        Chances::of(&policy)
    }

    /// When a backend that tries once a second is given up, at the earliest.
    fn given_up(chances: &mut Chances, failure: &Failure) -> Option<u64> {
        let began = Instant::now();
        (0..100).find(|second| chances.failed(failure, began + Duration::from_secs(*second)))
    }

    #[test]
    fn a_backend_that_reaches_nothing_is_given_up_once() {
        let refused = failure(FailureKind::Refused, false);
        let mut refuses = chances();
        assert_eq!(given_up(&mut refuses, &refused), Some(10));
        assert_eq!(given_up(&mut refuses, &refused), None, "it was told");
        for kind in [FailureKind::Failed, FailureKind::Unresolvable] {
            assert_eq!(given_up(&mut chances(), &failure(kind, true)), Some(10), "{kind:?}");
            assert_eq!(given_up(&mut chances(), &failure(kind, false)), None, "{kind:?}");
        }
        // What is tried at once when a program starts is not for ever.
        let (mut at_once, now) = (chances(), Instant::now());
        assert!((0..100).all(|_| !at_once.failed(&refused, now)));
    }

    #[test]
    fn a_backend_that_reached_something_and_a_command_are_not_given_up() {
        let refused = failure(FailureKind::Refused, false);
        let mut reaches = chances();
        reaches.made();
        assert_eq!(given_up(&mut reaches, &refused), None);
        let mut command = Chances::of(&ProxyPolicy::new("/record".into()));
        assert_eq!(given_up(&mut command, &refused), None);
    }
}
