//! Waiting for facts.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// How long any fact may take on a busy machine before a test gives up.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// Looks again and again until `fact` is there; none when the deadline has passed.
pub fn until<T>(deadline: Duration, mut fact: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + deadline;
    // Nobody sends: this is a pause between two looks at another process's files.
    let (_sender, never) = channel::<()>();
    loop {
        if let Some(found) = fact() {
            return Some(found);
        }
        if Instant::now() > end {
            return None;
        }
        let _ = never.recv_timeout(Duration::from_millis(3));
    }
}

/// As [`until`], with the usual deadline, and fails the test.
pub fn for_fact(what: &str, mut fact: impl FnMut() -> bool) {
    let seen = until(DEADLINE, || fact().then_some(()));
    assert!(seen.is_some(), "{what} did not happen within {DEADLINE:?}");
}
