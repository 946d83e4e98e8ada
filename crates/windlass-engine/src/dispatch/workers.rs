//! Who performs what: one worker has the run's place, and every spoke has one of its own.

use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use windlass_core::id::StepId;
use windlass_core::run::{Effect, RunState};

use super::message::Message;
use super::site::Site;
use super::socket::Badges;
use super::worker::{Job, Seat, Worker};

/// The workers of a driver. They are made when there is something for them to do.
pub(super) struct Workers {
    site: Arc<Site>,
    badges: Badges,
    reports: Sender<Message>,
    at_work: BTreeMap<Seat, (Sender<Job>, JoinHandle<()>)>,
}

/// A worker could not be started, or has died.
#[derive(Debug)]
pub(super) struct NoWorker;

impl Workers {
    pub(super) fn new(site: &Arc<Site>, reports: Sender<Message>) -> Self {
        let badges = Arc::new(Mutex::new(Vec::new()));
        Self { site: Arc::clone(site), badges, reports, at_work: BTreeMap::new() }
    }

    /// Returns who may speak for the attempts that are running.
    pub(super) fn badges(&self) -> Badges {
        Arc::clone(&self.badges)
    }

    /// Hands a job to the worker whose place it is about.
    pub(super) fn send(&mut self, job: Job) -> Result<(), NoWorker> {
        let seat = match &job {
            Job::Perform { effect, state, .. } => seat(effect, state),
            Job::Observe { .. } => Seat::Run,
        };
        if !self.at_work.contains_key(&seat) {
            let started = self.start(&seat)?;
            self.at_work.insert(seat.clone(), started);
        }
        let (jobs, _) = self.at_work.get(&seat).ok_or(NoWorker)?;
        jobs.send(job).map_err(|_| NoWorker)
    }

    fn start(&self, seat: &Seat) -> Result<(Sender<Job>, JoinHandle<()>), NoWorker> {
        let (jobs, queue) = channel();
        let (site, badges) = (Arc::clone(&self.site), self.badges());
        let (reports, seat) = (self.reports.clone(), seat.clone());
        let thread = std::thread::Builder::new()
            .name("worker".to_owned())
            .spawn(move || {
                let _told = ToldOfDeath(reports.clone());
                Worker::work(&site, &seat, &badges, &queue, &reports);
            })
            .map_err(|_| NoWorker)?;
        Ok((jobs, thread))
    }

    /// Waits until all have finished what they have in hand.
    pub(super) fn leave(&mut self) {
        for (jobs, thread) in std::mem::take(&mut self.at_work).into_values() {
            drop(jobs);
            let _ = thread.join();
        }
        self.badges.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Tells the driver of a worker that panics: the driver would wait for its report for ever, and no
/// signal would end it.
struct ToldOfDeath(Sender<Message>);

impl Drop for ToldOfDeath {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Without a driver there is nobody to tell.
            let _ = self.0.send(Message::WorkerDied);
        }
    }
}

/// Returns whose place an effect is about. A spoke begins from the files of the run's place, and
/// what it wrote is brought there.
fn seat(effect: &Effect, state: &RunState) -> Seat {
    let spoke = |step: &StepId| {
        let index = state.plan.find(step);
        match index.is_some_and(|index| state.plan.step(index).is_spoke()) {
            true => Seat::Spoke(step.clone()),
            false => Seat::Run,
        }
    };
    match effect {
        Effect::EnsureAttempt { attempt } | Effect::StopAttempt { attempt } => spoke(&attempt.step),
        Effect::Verify { step, .. } => spoke(step),
        Effect::EvaluateWhen { .. }
        | Effect::ReadTasks { .. }
        | Effect::TakeBaseline(_)
        | Effect::EnsureCommit { .. }
        | Effect::Adopt { .. }
        | Effect::Publish { .. }
        | Effect::LookAtBlocker { .. }
        | Effect::ProveCold { .. }
        | Effect::Wake { .. } => Seat::Run,
    }
}
