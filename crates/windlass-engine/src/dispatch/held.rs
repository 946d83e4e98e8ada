//! Before and after an attempt: whether it may start now, and what the user's rules say of its end.

use std::path::Path;

use jiff::tz::TimeZone;
use windlass_core::failure_rules::{self, Evidence};
use windlass_core::id::AttemptId;
use windlass_core::proof::Outcome;
use windlass_core::run::RunState;

use super::attempt::{ERRORS, MAX_OUTPUT_BYTES, OUTPUT};
use super::worker::{Worker, WorkerError};
use crate::agent::AgentResult;
use crate::clock::now;
use crate::git::place_files;

/// How much of the end of an output the user's failure rules see.
const TAIL_BYTES: usize = 16 << 10;

/// Costs nothing and speaks to nobody, so neither hours nor money are its business.
const REHEARSAL: &str = "rehearsal";

impl Worker {
    /// Why the attempt is not to be started now: the account is at its limit, the hours are quiet,
    /// or the day's money is used up. What cannot be found out holds up nobody.
    pub(super) fn held(&self, state: &RunState, attempt: &AttemptId) -> Option<Outcome> {
        let (site, now) = (&self.site, now());
        let (backend, account) = site.account(state, &attempt.step)?;
        let unknown = "whether an attempt may start now is not known, so it starts";
        let mut holds = Vec::new();
        match site.machine.limit(&account, now) {
            Ok(Some(limit)) => {
                let (message, run) = (limit.message, limit.seen_by);
                let why = format!("`{account}` is at its limit (seen by run `{run}`): {message}");
                holds.push((limit.until, why));
            }
            Ok(None) => {}
            Err(error) => site.machine.warn(unknown, &error),
        }
        if backend != REHEARSAL {
            match site.house.hold(&site.machine, &site.user.key, now) {
                Ok(hold) => holds.extend(hold.map(|hold| (hold.until, hold.why))),
                Err(error) => site.machine.warn(unknown, &error),
            }
        }
        let (until, why) = holds.into_iter().max_by_key(|(until, _)| *until)?;
        Some(Outcome::Held { until, why })
    }

    /// Lets the rules that were pinned when the run started have their say.
    pub(super) fn by_rules(
        &self,
        state: &RunState,
        backend: &str,
        exited: &Outcome,
        scratch: &Path,
        result: AgentResult,
    ) -> Result<AgentResult, WorkerError> {
        let rules = &state.facts.failure_rules;
        let exit = if let Outcome::Exited { code } = exited { Some(*code) } else { None };
        if !failure_rules::may_apply(rules, &result.outcome, exit) {
            return Ok(result);
        }
        let tail = format!("{}\n{}", tail(scratch, OUTPUT)?, tail(scratch, ERRORS)?);
        let (outcome, zone) = (&result.outcome, &TimeZone::system());
        let evidence = Evidence { outcome, exit, tail: &tail, backend, now: now(), zone };
        match failure_rules::judge(rules, &evidence) {
            Some(outcome) => Ok(AgentResult { outcome, ..result }),
            None => Ok(result),
        }
    }
}

/// The end of what an attempt printed; nothing where there is no such file.
pub(super) fn tail(scratch: &Path, name: &str) -> Result<String, WorkerError> {
    // Never through a link and never from a pipe, which an unconfined agent could put there.
    match place_files::read_file_bounded(scratch, Path::new(name), 2 * MAX_OUTPUT_BYTES) {
        Ok(bytes) => {
            let start = bytes.len().saturating_sub(TAIL_BYTES);
            Ok(String::from_utf8_lossy(&bytes[start..]).into_owned())
        }
        Err(error) if error.is_missing() => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}
