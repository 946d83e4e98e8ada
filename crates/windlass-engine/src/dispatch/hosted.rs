//! A session drives a run: each call of a hook is one turn of the same driver.
//!
//! The session itself is the driver as far as the journal knows: it took the run over under a fence,
//! and every hook call goes on under that fence, one at a time by the driver lock. Nothing is started
//! for an attempt; all else (baselines, verifications, commits, publishing) is done here, within the
//! call. If a call dies on any line, the next one finds what is outstanding and ensures it.

use std::sync::Arc;
use std::time::Duration;

use windlass_core::id::{AttemptId, RunId};
use windlass_core::run::{
    Actor, DecidedFrom, Effect, InputKind, Phase, Presence, Rejected, RunState, Session,
};

use super::driver::{DriveError, DriveOptions, Driver, Observer};
use super::hosted_journal::wait_for_lock;
use super::request::{Answer, Posted, Request};
use super::site::Site;
use super::worker::Extra;
use crate::clock::now;
use crate::fault;
use crate::journal::{DecideError, Journal, load};
use crate::store::Store;
use crate::store::lock::DriverLock;

/// A session's driver, for the time of one call.
pub struct HostedDriver {
    driver: Driver,
    person: String,
}

/// What became of an attempt whose subagent stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It goes on with another round; this is which one.
    GoesOn {
        /// The round that failed, from one.
        round: u32,
    },
    /// It is over.
    Over,
}

impl HostedDriver {
    /// Goes on with a run that the session owns, once no other call is at work on it.
    ///
    /// # Errors
    /// Another session owns it, the other call takes longer than `patience`, or the run cannot be read.
    pub fn join(
        site: &Arc<Site>,
        run: &RunId,
        session: &Session,
        (person, observer): (&str, Observer),
        patience: Duration,
    ) -> Result<Self, DriveError> {
        let lock = wait_for_lock(&site.home, run, patience)?;
        let who = (person, observer);
        let joined = Self::under(site, run, who, lock, |store| Journal::join(store, run))?;
        let state = joined.state();
        if state.is_ended() || state.session.as_ref() != Some(session) || !state.is_hosted() {
            return Err(DriveError::NotOwner { run: run.clone() });
        }
        Ok(joined)
    }

    /// Takes a run over for a session. Whether it may is asked before: see `hosted`.
    ///
    /// # Errors
    /// The other call takes longer than `patience`, or the run cannot be read.
    pub fn claim(
        site: &Arc<Site>,
        run: &RunId,
        session: &Session,
        (person, observer): (&str, Observer),
        patience: Duration,
    ) -> Result<Self, DriveError> {
        let lock = wait_for_lock(&site.home, run, patience)?;
        let owned = is_owned_by(site, run, session)?;
        let who = (person, observer);
        let mut claimed = Self::under(site, run, who, lock, |store| match owned {
            true => Journal::join(store, run),
            false => Journal::take_over(store, run),
        })?;
        if !owned && !claimed.state().is_ended() {
            let step = claimed.driver.journal_mut().greet(now(), Some(session.clone()), None)?;
            claimed.driver.observed(&step);
            fault::point("took-over");
        }
        Ok(claimed)
    }

    fn under(
        site: &Arc<Site>,
        run: &RunId,
        (person, observer): (&str, Observer),
        lock: DriverLock,
        open: impl FnOnce(Store) -> Result<Journal, DecideError>,
    ) -> Result<Self, DriveError> {
        let options = DriveOptions { no_wait: true, hosted: true, ..DriveOptions::default() };
        let driver = Driver::with_lock(site, run, person, options, observer, lock, open)?;
        Ok(Self { driver, person: person.to_owned() })
    }

    /// Returns the state.
    pub fn state(&self) -> &RunState {
        self.driver.journal().state()
    }

    /// Decides on something that the session reports.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn feed(&mut self, kind: InputKind) -> Result<Result<(), Rejected>, DriveError> {
        match self.driver.feed(kind, Actor::engine()) {
            Ok(()) => Ok(Ok(())),
            Err(DriveError::Decide(DecideError::Rejected(rejected))) => Ok(Err(rejected)),
            Err(error) => Err(error),
        }
    }

    /// Does everything that does not need the session: overdue timers, requests, checks, commits.
    ///
    /// # Errors
    /// Windlass could not do its work.
    pub fn settle(&mut self) -> Result<(), DriveError> {
        if self.driver.is_ended() {
            return Ok(());
        }
        self.driver.turn()
    }

    /// Makes ready for the subagent of an attempt, which starts when this has returned.
    ///
    /// # Errors
    /// The place cannot be made ready.
    pub fn take(&mut self, attempt: &AttemptId, call: &str) -> Result<(), DriveError> {
        let effect = Effect::EnsureAttempt { attempt: attempt.clone() };
        self.driver.perform_now(effect, Extra::Taken { call: call.to_owned() })
    }

    /// Judges the work of a subagent that stopped, and goes on with whatever follows.
    ///
    /// # Errors
    /// Windlass could not do its work.
    pub fn stopped(&mut self, attempt: &AttemptId) -> Result<Stopped, DriveError> {
        let effect = Effect::EnsureAttempt { attempt: attempt.clone() };
        self.driver.perform_now(effect, Extra::Rested)?;
        self.settle()?;
        let state = self.state();
        let step = state.plan.find(&attempt.step).map(|index| state.step(index));
        let running = step.filter(|step| {
            matches!(step.phase, Phase::Running { attempt: number, .. } if number == attempt.number)
        });
        let handover = running.and_then(|step| step.handover.as_ref());
        Ok(handover.map_or(Stopped::Over, |handover| Stopped::GoesOn { round: handover.rounds }))
    }

    /// Reports an attempt that the session no longer has in hand.
    ///
    /// # Errors
    /// Its files cannot be read.
    pub fn lost(&mut self, attempt: &AttemptId) -> Result<(), DriveError> {
        let effect = Effect::EnsureAttempt { attempt: attempt.clone() };
        self.driver.perform_now(effect, Extra::Lost)
    }

    /// Takes a person's decision.
    ///
    /// # Errors
    /// Windlass could not do its work.
    pub fn request(&mut self, request: &Request) -> Result<Answer, DriveError> {
        let run = self.state().facts.run.clone();
        let actor = Actor::person(&self.person);
        let presence = Presence::from(DecidedFrom::Session);
        let bytes = Posted { request: request.clone(), presence }.bytes();
        let store = self.driver.journal_mut().store();
        let item = store.post(&run, now(), &actor.to_string(), &bytes)?;
        self.driver.take_up_inbox()?;
        let outcome = self.driver.journal_mut().store().outcome(item);
        let answer = outcome.map_err(crate::store::ReadError::from)?.ok_or(DriveError::NoAnswer)?;
        Ok(Answer::read(&answer)?)
    }

    /// Leaves; the session stays the driver.
    pub fn leave(mut self) -> RunState {
        self.driver.leave();
        self.state().clone()
    }

    /// Leaves, and with it the session: nothing new starts until somebody takes over.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn end_session(mut self) -> Result<RunState, DriveError> {
        if !self.driver.is_ended() {
            self.driver.feed(InputKind::DriverLeft, Actor::engine())?;
        }
        Ok(self.leave())
    }
}

/// Takes up the inbox of a run whose session is alive, without taking the run from it.
pub(super) fn settle_inbox(site: &Arc<Site>, run: &RunId, person: &str) -> Result<(), DriveError> {
    let lock = DriverLock::try_acquire(&site.home.run(run).driver_lock())?
        .ok_or_else(|| DriveError::Driven { run: run.clone() })?;
    let open = |store| Journal::join(store, run);
    let nobody: Observer = Box::new(|_, _| {});
    let mut joined = HostedDriver::under(site, run, (person, nobody), lock, open)?;
    joined.driver.take_up_inbox()?;
    joined.driver.leave();
    Ok(())
}

/// Whether the session owns the run already, as the very same process.
fn is_owned_by(site: &Site, run: &RunId, session: &Session) -> Result<bool, DriveError> {
    let store = Store::open(&site.home.state)?;
    let state = load(&store, run).map_err(DecideError::from)?.state;
    Ok(state.is_hosted() && state.session.as_ref() == Some(session))
}
