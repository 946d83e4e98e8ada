//! What runs at this moment, and whether it lives, seen from outside.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_core::id::AttemptId;
use windlass_core::time::Timestamp;
use windlass_core::view::plain_lines;
use windlass_engine::launcher::{Launched, launched};
use windlass_engine::process::activity::{Activity, activity, output_tail};

/// How much of the end of a running program's output is shown in the overview.
const TAIL_BYTES: u64 = 16 * 1024;

/// As many lines as the tallest overview has.
const TAIL_LINES: usize = 60;

/// Something that runs, seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Live {
    /// The attempt; none for a check.
    pub(super) attempt: Option<AttemptId>,
    pub(super) activity: Activity,
    /// When it was looked at for the first time.
    pub(super) first: Timestamp,
    /// When something was last seen to happen in it; none before that.
    pub(super) last_sign: Option<Timestamp>,
    /// Its last lines of output.
    pub(super) tail: Vec<String>,
}

/// Looks at what runs, and remembers when it last changed.
#[derive(Debug, Default)]
pub(super) struct LiveWatch {
    known: BTreeMap<(i32, u64), Live>,
}

impl LiveWatch {
    /// Looks at all launchers of one run.
    pub(super) fn look(&mut self, registry: &Path, scratch: &Path, now: Timestamp) -> Vec<Live> {
        let living = launched(registry, scratch);
        self.known.retain(|key, _| living.iter().any(|one| (one.pid, one.start_time) == *key));
        living.iter().map(|one| self.look_at(one, now)).collect()
    }

    fn look_at(&mut self, launched: &Launched, now: Timestamp) -> Live {
        let key = (launched.pid, launched.start_time);
        let activity = activity(launched);
        let known = self.known.get(&key);
        if let Some(known) = known.filter(|known| known.activity == activity) {
            return known.clone();
        }
        let (first, last_sign) = match known {
            Some(known) => (known.first, Some(now)),
            None => (now, None),
        };
        let lines = plain_lines(output_tail(&launched.output, TAIL_BYTES).trim_end());
        let skipped = lines.len().saturating_sub(TAIL_LINES);
        let tail = lines.into_iter().skip(skipped).filter(|line| !line.is_empty()).collect();
        let attempt = launched.attempt.as_ref().and_then(|attempt| attempt.parse().ok());
        let live = Live { attempt, activity, first, last_sign, tail };
        self.known.insert(key, live.clone());
        live
    }
}
