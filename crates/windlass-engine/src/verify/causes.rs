//! Why a check failed, and whether the work is to blame.
//!
//! What a check prints is written by the code that it judges. So lines about the surroundings are only a
//! suspicion, and the same command is run once more on the last proven code: what fails there in the same
//! way is not the work's doing, and what passes there is.

use windlass_core::failure_rules::{Cause, Causes, CheckEvidence, MissingKind, causes};
use windlass_core::plan::{Check, CheckCommand, RoomNetwork};
use windlass_core::proof::Outcome;
use windlass_core::run::{BaseOutcome, Category};

use super::commands::Ran;
use super::seen::Seen;
use super::verifier::{Broken, Looking, Verifier};
use crate::launcher::LaunchReport;
use crate::level::Level;

/// How much of kept evidence is read back.
const MAX_EVIDENCE_BYTES: u64 = 16 << 20;

/// How a command ended.
#[derive(Clone)]
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    /// Whether something outside ended it.
    pub(super) lost: bool,
}

impl Ended {
    pub(super) fn of(report: &LaunchReport) -> Self {
        Self { outcome: report.outcome.clone(), lost: report.lost.is_some() }
    }
}

impl Verifier {
    /// Whether a command can reach anything outside its room.
    pub(super) fn reaches_out(&self, command: &CheckCommand<'_>) -> bool {
        command.room.network == RoomNetwork::Host
            || !command.room.hosts.is_empty()
            || *self.rooms.level() != Level::Namespaces
    }
}

impl Looking<'_> {
    /// Says why a check failed, where it did.
    pub(super) fn settled(&mut self, seen: Seen, check: &Check) -> Result<Seen, Broken> {
        let Some(command) = check.kind.command() else { return Ok(seen) };
        let Some(found) = self.causes_of(&seen, &command)? else { return Ok(seen) };
        let Causes { trouble, work } = found;
        let Some(mut trouble) = trouble else { return Ok(seen.because(work)) };
        trouble.since_start = self.was_so_on_base(&command, &trouble);
        trouble.without_work = match trouble.category {
            // A user's own rule: only a person can help, whoever did it.
            Category::External => return Ok(seen.because(trouble)),
            _ if trouble.since_start => Some(true),
            // Libraries come with the layers, which are as they were when the base passed.
            _ if is_dependency(&trouble) && self.passed_on_base(&command) => Some(false),
            _ => self.happens_without_work(check, &trouble)?,
        };
        let is_works = trouble.without_work == Some(false);
        // What only the work needs may be a tool or a key that somebody has to bring.
        let names = trouble.category == Category::Environment && !is_dependency(&trouble);
        Ok(seen.because(if is_works && !names { work } else { trouble }))
    }

    /// As [`Self::settled`] for a `prepare`, which nobody can run without the work: what it fetches is
    /// what the work asks for.
    pub(super) fn settled_prepare(&self, seen: Seen, command: &str) -> Result<Seen, Broken> {
        let Some(ended) = seen.ended().cloned() else { return Ok(seen) };
        let output = self.output_of(&seen)?;
        let evidence = CheckEvidence {
            command,
            outcome: &ended.outcome,
            lost: ended.lost,
            output: &output,
            network: true,
        };
        let Causes { trouble, work } = causes(self.request.rules, &evidence);
        // A registry that lacks the package, or a manifest with a mistake in it, is the work's.
        let work = match work.category {
            Category::Test => Cause::of(Category::Code),
            _ => work,
        };
        Ok(seen.because(trouble.unwrap_or(work)))
    }

    /// As [`Self::settled`] on a fresh clone, where there is no other code to compare with.
    pub(super) fn settled_cold(&self, seen: Seen, check: &Check) -> Result<Seen, Broken> {
        let Some(command) = check.kind.command() else { return Ok(seen) };
        if seen.ended().is_some_and(|ended| ended.outcome == Outcome::Exited { code: 0 }) {
            // It passed, and too few or other tests ran: what it printed explains nothing.
            return Ok(seen);
        }
        Ok(match self.causes_of(&seen, &command)? {
            Some(Causes { trouble, work }) => seen.because(trouble.unwrap_or(work)),
            None => seen,
        })
    }

    fn causes_of(&self, seen: &Seen, command: &CheckCommand<'_>) -> Result<Option<Causes>, Broken> {
        let Some(ended) = seen.ended().filter(|_| !seen.holds()) else { return Ok(None) };
        let output = self.output_of(seen)?;
        let evidence = CheckEvidence {
            command: command.command,
            outcome: &ended.outcome,
            lost: ended.lost,
            output: &output,
            network: self.verifier.reaches_out(command),
        };
        Ok(Some(causes(self.request.rules, &evidence)))
    }

    fn trouble(&self, command: &CheckCommand<'_>, ended: &Ended, output: &str) -> Option<Cause> {
        let evidence = CheckEvidence {
            command: command.command,
            outcome: &ended.outcome,
            lost: ended.lost,
            output,
            network: self.verifier.reaches_out(command),
        };
        causes(self.request.rules, &evidence).trouble
    }

    fn output_of(&self, seen: &Seen) -> Result<String, Broken> {
        let Some(evidence) = seen.evidence() else { return Ok(String::new()) };
        let bytes = self.verifier.blobs.get(&evidence.hash, MAX_EVIDENCE_BYTES)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn was_so_on_base(&self, command: &CheckCommand<'_>, trouble: &Cause) -> bool {
        let base = self.request.base_record.and_then(|r| r.of(command.command, command.folder));
        let failed = base.filter(|base| base.outcome != BaseOutcome::Passed);
        failed.and_then(|base| base.cause.as_ref()).is_some_and(|cause| is_same(cause, trouble))
    }

    fn passed_on_base(&self, command: &CheckCommand<'_>) -> bool {
        let base = self.request.base_record.and_then(|r| r.of(command.command, command.folder));
        base.is_some_and(|base| base.outcome == BaseOutcome::Passed)
    }

    /// Looks whether a command fails on a fresh clone as it does in a room with what was built before; if it
    /// does not, returns the difference. Whatever a `not` forbids, a tool that is missing there does not
    /// show it.
    pub(super) fn fails_otherwise(
        &self,
        command: &CheckCommand<'_>,
        seen: &Seen,
    ) -> Result<Option<String>, Broken> {
        let Some(cold) = seen.ended() else { return Ok(None) };
        let Ok(room) = self.room(&self.request.snapshot.code)? else { return Ok(None) };
        let Ok(request) = self.command_request(command) else { return Ok(None) };
        let (report, output) = self.verifier.run_only(&room, &request, self.cancel)?;
        let warm = Ended::of(&report);
        if cold.outcome != warm.outcome {
            let before = Ran { report, evidence: None, excerpt: String::new() };
            return Ok(Some(format!("elsewhere it {}", before.words(command.timeout))));
        }
        let new = self.trouble(command, cold, &self.output_of(seen)?);
        let known = self.trouble(command, &warm, &String::from_utf8_lossy(&output));
        Ok(match (new, known) {
            (Some(new), Some(known)) if is_same(&new, &known) => None,
            (Some(new), _) => Some(format!("only there by its surroundings ({})", new.category)),
            (None, _) => None,
        })
    }

    /// Runs the command on the last proven code; none where that says nothing.
    fn happens_without_work(&self, check: &Check, trouble: &Cause) -> Result<Option<bool>, Broken> {
        let Some(command) = check.kind.command() else { return Ok(None) };
        let Ok(room) = self.room(self.request.proven_code)? else { return Ok(None) };
        let has_folder = command.folder.is_none_or(|folder| room.layers().is_folder(folder));
        let (true, Ok(request)) = (has_folder, self.command_request(&command)) else {
            return Ok(None);
        };
        let (report, output) = self.verifier.run_only(&room, &request, self.cancel)?;
        if report.outcome == (Outcome::Exited { code: 0 }) {
            return Ok(Some(false));
        }
        if self.cancel.is_cancelled() {
            return Ok(None);
        }
        let ended = Ended::of(&report);
        let evidence = CheckEvidence {
            command: command.command,
            outcome: &ended.outcome,
            lost: ended.lost,
            output: &String::from_utf8_lossy(&output),
            network: self.verifier.reaches_out(&command),
        };
        let found = causes(self.request.rules, &evidence).trouble;
        Ok(Some(found.is_some_and(|found| is_same(&found, trouble))))
    }
}

fn is_same(one: &Cause, other: &Cause) -> bool {
    one.category == other.category && one.missing == other.missing
}

fn is_dependency(cause: &Cause) -> bool {
    cause.missing.as_ref().is_some_and(|missing| missing.kind == MissingKind::Dependency)
}
