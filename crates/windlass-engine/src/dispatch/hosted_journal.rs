//! A session's decision that needs nothing but the journal: no git, no place, no worker.
//!
//! Most calls of a session's hooks are of this kind: it asks to stop, its subagent is there, it says
//! something for its attempt. They have to be quick.

use std::time::{Duration, Instant};

use windlass_core::id::RunId;
use windlass_core::run::{
    Actor, Effect, HandOver, Input, InputKind, Phase, Rejected, RunState, outstanding,
};
use windlass_core::time::Timestamp;

use super::driver::DriveError;
use crate::clock::now;
use crate::home::RepositoryHome;
use crate::hosted::guard_file;
use crate::journal::{DecideError, Journal};
use crate::store::lock::DriverLock;
use crate::store::{OpenError, Store};

/// How often a call that waits for another one looks again.
const INTERVAL: Duration = Duration::from_millis(5);

/// The journal of a hosted run, for the time of one call.
pub struct HostedJournal {
    home: RepositoryHome,
    journal: Journal,
    _lock: DriverLock,
}

impl HostedJournal {
    /// Opens the journal, once no other call is at work on the run.
    ///
    /// # Errors
    /// The other call takes longer than `patience`, or the run cannot be read.
    pub fn open(
        home: &RepositoryHome,
        run: &RunId,
        patience: Duration,
    ) -> Result<Self, DriveError> {
        let lock = wait_for_lock(home, run, patience)?;
        let store = Store::open(&home.state)?;
        store.leave_log().map_err(OpenError::from)?;
        let journal = Journal::join(store, run)?;
        Ok(Self { home: home.clone(), journal, _lock: lock })
    }

    /// Returns the state.
    pub fn state(&self) -> &RunState {
        self.journal.state()
    }

    /// Decides on something.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn feed(
        &mut self,
        kind: InputKind,
        actor: Actor,
    ) -> Result<Result<(), Rejected>, DriveError> {
        match self.journal.decide(Input { at: now(), actor, kind }, Vec::new(), Vec::new()) {
            Ok(_) => {
                guard_file::note(&self.home, self.journal.state());
                Ok(Ok(()))
            }
            Err(DecideError::Rejected(rejected)) => Ok(Err(rejected)),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether nothing is to be done but what the session itself has in hand.
    ///
    /// # Errors
    /// The inbox cannot be read.
    pub fn is_settled(&mut self) -> Result<bool, DriveError> {
        let run = self.journal.state().facts.run.clone();
        if !self.journal.store().pending(&run)?.is_empty() {
            return Ok(false);
        }
        let state = self.journal.state();
        let at: Timestamp = now();
        Ok(outstanding(state).iter().all(|effect| match effect {
            Effect::EnsureAttempt { attempt } => {
                let step = state.plan.find(&attempt.step).map(|index| state.step(index));
                let ours = step.is_some_and(
                    |step| matches!(step.phase, Phase::Running { driver, .. } if Some(driver) == state.driver),
                );
                ours && state.is_hosted()
            }
            Effect::Wake { at: due, .. } => *due > at,
            Effect::EvaluateWhen { .. }
            | Effect::ReadTasks { .. }
            | Effect::TakeBaseline(_)
            | Effect::StopAttempt { .. }
            | Effect::Verify { .. }
            | Effect::EnsureCommit { .. }
            | Effect::Adopt { .. }
            | Effect::Publish { .. }
            | Effect::LookAtBlocker { .. }
            | Effect::ProveCold { .. } => false,
        }))
    }
}

/// Finds the attempt that a subagent works on.
pub fn attempt_of(state: &RunState, agent: &str) -> Option<windlass_core::id::AttemptId> {
    let is_theirs = |handover: &HandOver| handover.agent.as_deref() == Some(agent);
    state.in_hand().find_map(|index| {
        let step = state.step(index);
        let Phase::Running { attempt, .. } = step.phase else { return None };
        step.handover.as_ref().filter(|handover| is_theirs(handover))?;
        let step = state.plan.step(index).id.clone();
        Some(windlass_core::id::AttemptId { step, number: attempt })
    })
}

#[expect(clippy::disallowed_methods, reason = "the kernel has no flock with a deadline")]
pub(super) fn wait_for_lock(
    home: &RepositoryHome,
    run: &RunId,
    patience: Duration,
) -> Result<DriverLock, DriveError> {
    let path = home.run(run).driver_lock();
    let deadline = Instant::now() + patience;
    loop {
        if let Some(lock) = DriverLock::try_acquire(&path)? {
            crate::fault::point("lock-taken");
            return Ok(lock);
        }
        if Instant::now() > deadline {
            return Err(DriveError::Driven { run: run.clone() });
        }
        std::thread::sleep(INTERVAL);
    }
}
