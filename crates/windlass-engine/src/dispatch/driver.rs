//! The driver: one thread owns the state of a run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel};
use std::time::{Duration, Instant};

use windlass_core::id::{AttemptId, RunId, VerificationId};
use windlass_core::proof::VerifyReport;
use windlass_core::run::{
    Actor, Decision, Effect, Event, HostKind, Input, InputKind, Phase, RunState, RunStatus,
    Session, failure_signature, outstanding,
};
use windlass_core::snapshot::Snapshot;
use windlass_core::time::Timestamp;
use windlass_core::view;

use super::ledger;
use super::message::{Looked, Message, Report};
use super::mirror;
use super::request::{Answer, Posted, UnreadableAnswer};
use super::site::Site;
use super::socket::{self, AgentAnswer};
use super::worker::{Extra, Job, WorkerError};
use super::workers::Workers;
use crate::clock::now;
use crate::fault;
use crate::hosted::{self, guard_file};
use crate::journal::{DecideError, Journal, Step, elsewhere, load};
use crate::process;
use crate::room;
use crate::store::lock::{DriverLock, ExclusiveLock, LockError, SharedLock, WaitError};
use crate::store::{InboxId, InboxItem, OpenError, ReadError, SettleError, Store};
use crate::verify::Cancel;

/// How long the launchers of a dead driver may take to end everything below them.
const LAUNCHERS_PATIENCE: Duration = Duration::from_secs(60);

/// The longest time between two looks at the inbox; the bell makes it shorter.
const INBOX_INTERVAL: Duration = Duration::from_secs(2);

/// Why a run cannot be driven.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum DriveError {
    #[error("another windlass is driving run `{run}`")]
    Driven { run: RunId },
    #[error("run `{run}` is driven by a session of {} (process {pid})", host.words())]
    Hosted { run: RunId, host: HostKind, pid: i32 },
    #[error("run `{run}` belongs to another session")]
    NotOwner { run: RunId },
    #[error("the lock of the run cannot be taken")]
    Lock(#[from] LockError),
    #[error("processes of an earlier driver are still there")]
    Launchers(#[from] WaitError),
    #[error("the store cannot be opened")]
    Open(#[from] OpenError),
    #[error(transparent)]
    Decide(#[from] DecideError),
    #[error("the inbox cannot be read")]
    Inbox(#[from] ReadError),
    #[error("a request could not be answered")]
    Settle(#[from] SettleError),
    #[error(transparent)]
    Worker(#[from] WorkerError),
    #[error("the driver's socket cannot be opened")]
    Socket(#[source] std::io::Error),
    #[error("the worker died")]
    WorkerDied,
    #[error("the request was not answered; it stays in the inbox")]
    NoAnswer,
    #[error(transparent)]
    Unreadable(#[from] UnreadableAnswer),
}

/// How a driver behaves.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriveOptions {
    /// Whether it leaves instead of waiting for a moment to come.
    pub no_wait: bool,
    /// Whether it leaves for questions, because somebody is there who asks them.
    pub leaves_for_questions: bool,
    /// How long it waits for another driver to leave.
    pub patience: Duration,
    /// Whether it acts for a session that has the attempts in hand.
    pub(super) hosted: bool,
}

impl DriveOptions {
    /// Has it leave for questions.
    #[must_use]
    pub fn leaving_for_questions(self, leaves_for_questions: bool) -> Self {
        Self { leaves_for_questions, ..self }
    }

    /// Has it wait for another driver to leave: whoever answers a gate holds the lock for a moment more.
    #[must_use]
    pub fn patient(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// A driver that starts attempts itself.
    pub fn local(no_wait: bool) -> Self {
        Self { no_wait, ..Self::default() }
    }
}

/// Where a run stood when its driver left it.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The status.
    pub status: RunStatus,
    /// The state.
    pub state: RunState,
}

/// Lets other threads speak to a driver.
#[derive(Clone, Debug)]
pub struct DriverHandle {
    messages: Sender<Message>,
}

impl DriverHandle {
    /// Stops the running attempt and pauses the run, as Ctrl-C does.
    pub fn interrupt(&self) {
        // A driver that has left needs no interruption.
        let _ = self.messages.send(Message::Interrupt);
    }
}

/// Is told of every decision, once it is durable.
pub type Observer = Box<dyn FnMut(&Step, &RunState) + Send>;

/// The driver of one run.
pub struct Driver {
    journal: Journal,
    run: RunId,
    site: Arc<Site>,
    person: String,
    options: DriveOptions,
    messages: Receiver<Message>,
    sender: Sender<Message>,
    workers: Workers,
    performing: BTreeMap<Effect, Cancel>,
    observing: bool,
    observer: Observer,
    /// Whether a session has the attempts in hand: then none is started here.
    hosted: bool,
    _lock: DriverLock,
    /// Whether its person asked it to stop.
    interrupted: bool,
    _inherited: SharedLock,
}

impl Driver {
    /// Takes a run over.
    ///
    /// `observer` is called after every decision, once it is durable.
    ///
    /// # Errors
    /// Another driver is alive, or the run cannot be read.
    pub fn take_over(
        site: &Arc<Site>,
        run: &RunId,
        person: &str,
        options: DriveOptions,
        observer: Observer,
    ) -> Result<Self, DriveError> {
        let home = site.home.run(run);
        let deadline = Instant::now() + options.patience;
        let lock = DriverLock::acquire_until(&home.driver_lock(), deadline)?
            .ok_or_else(|| DriveError::Driven { run: run.clone() })?;
        fault::point("lock-taken");
        refuse_hosted(site, run)?;
        let open = |store| Journal::take_over(store, run);
        let driver = Self::with_lock(site, run, person, options, observer, lock, open)?;
        fault::point("fence-raised");
        Ok(driver)
    }

    /// Becomes the driver under a lock that is held.
    pub(super) fn with_lock(
        site: &Arc<Site>,
        run: &RunId,
        person: &str,
        options: DriveOptions,
        observer: Observer,
        lock: DriverLock,
        open: impl FnOnce(Store) -> Result<Journal, DecideError>,
    ) -> Result<Self, DriveError> {
        let home = site.home.run(run);
        // Whatever an earlier driver started is dying with it; nothing is touched before it is gone.
        drop(ExclusiveLock::wait(&home.launchers_lock(), Instant::now() + LAUNCHERS_PATIENCE)?);
        room::leftovers(&home.layers);
        let inherited = inherit_lock(&home.launchers_lock())?;
        let _ = process::become_subreaper();
        let journal = open(Store::open(&site.home.state)?)?;
        let (sender, messages) = channel();
        let workers = Workers::new(site, sender.clone());
        socket::listen(&home.socket(), workers.badges(), sender.clone())
            .map_err(DriveError::Socket)?;
        Ok(Self {
            journal,
            run: run.clone(),
            site: Arc::clone(site),
            person: person.to_owned(),
            options,
            messages,
            sender,
            workers,
            performing: BTreeMap::new(),
            observing: false,
            observer,
            hosted: options.hosted,
            _lock: lock,
            interrupted: false,
            _inherited: inherited,
        })
    }

    /// Returns a handle for other threads.
    pub fn handle(&self) -> DriverHandle {
        DriverHandle { messages: self.sender.clone() }
    }

    /// Drives the run until it ends or waits for a person.
    ///
    /// # Errors
    /// Windlass could not do its work; the run continues from the last decision when it is resumed.
    pub fn drive(mut self) -> Result<Ended, DriveError> {
        // A driver that was killed may have left this undone.
        ledger::catch_up(&self.site, &self.journal);
        if self.journal.state().is_ended() {
            self.leave();
            return Ok(self.ended());
        }
        let boxes = self.site.boxes(&self.site.home.run(&self.run));
        let greeting = self.journal.greet(now(), None, Some(boxes))?;
        self.observed(&greeting);
        fault::point("took-over");
        let result = self.turn();
        for cancel in self.performing.values() {
            cancel.cancel();
        }
        if result.is_ok() && !self.journal.state().is_ended() {
            self.feed(InputKind::DriverLeft, Actor::engine())?;
        }
        fault::point("leaving");
        self.leave();
        result.map(|()| self.ended())
    }

    fn ended(&self) -> Ended {
        let state = self.journal.state().clone();
        Ended { status: state.status(), state }
    }

    pub(super) fn turn(&mut self) -> Result<(), DriveError> {
        loop {
            self.read_inbox()?;
            // Every turn, so that no flood of messages keeps a timer from going off.
            self.fire_timers()?;
            self.ensure()?;
            if self.is_finished() || self.is_sent_away() {
                return Ok(());
            }
            match self.messages.recv_timeout(self.patience()) {
                Ok(message) => self.handle_message(message)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(DriveError::WorkerDied),
            }
        }
    }

    /// Whether nothing is left to do until a person decides.
    fn is_finished(&self) -> bool {
        let idle = self.performing.keys().all(|effect| matches!(effect, Effect::Wake { .. }));
        if !idle || self.observing {
            return false;
        }
        // All else is in the session's hands.
        if self.hosted {
            return true;
        }
        match self.journal.state().status() {
            RunStatus::Active => false,
            RunStatus::Waiting => self.options.no_wait,
            // What a person has to do may show by itself, or be answered by silence.
            RunStatus::AwaitingUser => {
                self.options.no_wait || self.performing.is_empty() || self.leaves_to_ask()
            }
            RunStatus::AwaitingApproval
            | RunStatus::Paused
            | RunStatus::Completed
            | RunStatus::Aborted => true,
        }
    }

    /// Whether its person wants it to go while it only looks whether something was solved. A run that
    /// waits for a person cannot be paused.
    fn is_sent_away(&self) -> bool {
        self.interrupted && self.journal.state().status() == RunStatus::AwaitingUser
    }

    /// Whether the run waits for answers that somebody gets who is there.
    fn leaves_to_ask(&self) -> bool {
        let state = self.journal.state();
        let waits = state.open_blockers().next().is_none();
        self.options.leaves_for_questions && waits && state.open_questions().next().is_some()
    }

    /// Starts what is outstanding and not yet being performed; stops what is no longer wanted.
    fn ensure(&mut self) -> Result<(), DriveError> {
        let wanted = outstanding(self.journal.state());
        // Nobody performs a timer: one that is not wanted any more is gone.
        self.performing
            .retain(|effect, _| !matches!(effect, Effect::Wake { .. }) || wanted.contains(effect));
        for (effect, cancel) in &self.performing {
            let stopping = matches!(effect, Effect::EnsureAttempt { attempt }
                if wanted.contains(&Effect::StopAttempt { attempt: attempt.clone() }));
            if (stopping || !wanted.contains(effect)) && !cancel.is_cancelled() {
                cancel.cancel();
            }
        }
        for effect in wanted {
            let attempt_runs = matches!(&effect, Effect::StopAttempt { attempt }
                if self.performing.contains_key(&Effect::EnsureAttempt { attempt: attempt.clone() }));
            if attempt_runs || self.performing.contains_key(&effect) || self.is_with_host(&effect) {
                continue;
            }
            let cancel = Cancel::default();
            if !matches!(effect, Effect::Wake { .. }) {
                let job = Job::Perform {
                    extra: self.extra(&effect),
                    effect: effect.clone(),
                    state: Arc::new(self.journal.state().clone()),
                    cancel: cancel.clone(),
                };
                self.workers.send(job).map_err(|_| DriveError::WorkerDied)?;
            }
            self.performing.insert(effect, cancel);
        }
        Ok(())
    }

    /// Whether the run has ended.
    pub(super) fn is_ended(&self) -> bool {
        self.journal.state().is_ended()
    }

    /// Starts nothing but the end of an attempt that is to be stopped.
    pub(super) fn ensure_stopped(&mut self) -> Result<(), DriveError> {
        let stops = |effect: &Effect| matches!(effect, Effect::StopAttempt { .. });
        if outstanding(self.journal.state()).iter().any(stops) {
            self.ensure()?;
        }
        Ok(())
    }

    /// Whether a report of the worker is still to come.
    pub(super) fn is_waiting(&self) -> bool {
        // Nobody reports a timer: whoever waited for one here would wait for ever.
        let reports = |effect: &Effect| !matches!(effect, Effect::Wake { .. });
        self.observing || self.performing.keys().any(reports)
    }

    fn extra(&self, effect: &Effect) -> Extra {
        match effect {
            Effect::EnsureCommit { step, .. } => {
                Extra::Linked(self.journal.proven(step).map(|link| link.to_string()))
            }
            Effect::EnsureAttempt { attempt } if self.is_orphaned(attempt) => Extra::Lost,
            Effect::EnsureAttempt { .. } => Extra::None,
            Effect::EvaluateWhen { .. }
            | Effect::ReadTasks { .. }
            | Effect::TakeBaseline(_)
            | Effect::StopAttempt { .. }
            | Effect::Verify { .. }
            | Effect::Adopt { .. }
            | Effect::Publish { .. }
            | Effect::LookAtBlocker { .. }
            | Effect::ProveCold { .. }
            | Effect::Wake { .. } => Extra::None,
        }
    }

    /// Whether an attempt is assigned to the session that this driver acts for.
    fn is_with_host(&self, effect: &Effect) -> bool {
        matches!(effect, Effect::EnsureAttempt { attempt }
            if self.hosted && !self.is_orphaned(attempt))
    }

    /// Performs one effect and waits for its report.
    pub(super) fn perform_now(&mut self, effect: Effect, extra: Extra) -> Result<(), DriveError> {
        let job = Job::Perform {
            extra,
            effect: effect.clone(),
            state: Arc::new(self.journal.state().clone()),
            cancel: Cancel::default(),
        };
        self.workers.send(job).map_err(|_| DriveError::WorkerDied)?;
        self.performing.insert(effect.clone(), Cancel::default());
        while self.performing.contains_key(&effect) {
            self.next_message()?;
        }
        Ok(())
    }

    /// Returns the journal.
    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns the journal, to put something into its inbox.
    pub(super) fn journal_mut(&mut self) -> &mut Journal {
        &mut self.journal
    }

    /// Whether a running attempt was started by another driver than this one.
    fn is_orphaned(&self, attempt: &AttemptId) -> bool {
        let state = self.journal.state();
        let phase = state.plan.find(&attempt.step).map(|index| &state.step(index).phase);
        matches!(phase, Some(Phase::Running { driver, .. }) if *driver != self.journal.fence())
    }

    /// How long nothing may happen before timers and inbox are looked at.
    fn patience(&self) -> Duration {
        let now = now();
        let timers = self.performing.keys().filter_map(|effect| match effect {
            Effect::Wake { at, .. } => Some(at.since(now).to_duration()),
            Effect::EvaluateWhen { .. }
            | Effect::ReadTasks { .. }
            | Effect::TakeBaseline(_)
            | Effect::EnsureAttempt { .. }
            | Effect::StopAttempt { .. }
            | Effect::Verify { .. }
            | Effect::Adopt { .. }
            | Effect::Publish { .. }
            | Effect::LookAtBlocker { .. }
            | Effect::ProveCold { .. }
            | Effect::EnsureCommit { .. } => None,
        });
        timers.min().unwrap_or(INBOX_INTERVAL).min(INBOX_INTERVAL)
    }

    fn fire_timers(&mut self) -> Result<(), DriveError> {
        let now: Timestamp = now();
        let due: Vec<Effect> = self
            .performing
            .keys()
            .filter(|effect| matches!(effect, Effect::Wake { at, .. } if *at <= now))
            .cloned()
            .collect();
        for effect in due {
            self.performing.remove(&effect);
            if let Effect::Wake { key, .. } = effect {
                self.feed(InputKind::TimerFired { key }, Actor::engine())?;
            }
        }
        Ok(())
    }

    /// Waits for one message and handles it.
    pub(super) fn next_message(&mut self) -> Result<(), DriveError> {
        let message = self.messages.recv().map_err(|_| DriveError::WorkerDied)?;
        self.handle_message(message)
    }

    fn handle_message(&mut self, message: Message) -> Result<(), DriveError> {
        match message {
            Message::Performed(effect, report) => {
                let cancelled =
                    self.performing.remove(&effect).is_some_and(|cancel| cancel.is_cancelled());
                match *report {
                    Ok(report) => self.report(report)?,
                    // What was given up may fail as it likes.
                    Err(_) if cancelled && matches!(effect, Effect::Verify { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Message::Observed(looked, seen) => {
                self.observing = false;
                match seen {
                    Ok((snapshot, changed)) => self.decide_request(looked, snapshot, changed)?,
                    // Answered before it ends the driver, or it would end every driver after it.
                    Err(error) => {
                        let message = error.to_string();
                        self.settle(looked.item, &Answer::Rejected { message, hint: None })?;
                        return Err(error.into());
                    }
                }
            }
            Message::Ring => {}
            Message::Context { attempt, key, value, answer } => {
                let input = InputKind::ContextSet { attempt: attempt.clone(), key, value };
                self.hear_agent(&attempt, input, &answer)?;
            }
            Message::Item { attempt, input, answer } => {
                self.hear_agent(&attempt, input, &answer)?;
            }
            Message::ContextRead(attempt, answer) => {
                let state = self.journal.state();
                let context = match state.plan.find(&attempt.step) {
                    Some(index) => state.context_of(index),
                    None => Arc::clone(&state.context),
                };
                let _ = answer.send((*context).clone());
            }
            Message::ItemsRead(answer) => {
                let items = view::item_views(self.journal.state());
                let _ = answer.send(serde_json::to_value(items).unwrap_or_default());
            }
            Message::Interrupt => {
                self.interrupted = true;
                let decision = InputKind::Decided(Decision::Pause { now: true });
                let actor = Actor::person(&self.person);
                ignore_rejection(self.feed(decision, actor))?;
            }
            Message::WorkerDied => return Err(DriveError::WorkerDied),
        }
        Ok(())
    }

    /// Takes what an agent says and answers it; what it may not say is no trouble of the driver.
    fn hear_agent(
        &mut self,
        attempt: &AttemptId,
        input: InputKind,
        answer: &SyncSender<AgentAnswer>,
    ) -> Result<(), DriveError> {
        let said = match self.feed(input, Actor::agent(attempt)) {
            Ok(()) => AgentAnswer::Done,
            Err(DriveError::Decide(DecideError::Rejected(rejected))) => {
                match Answer::rejected(&rejected) {
                    Answer::Rejected { message, hint } => AgentAnswer::Refused { message, hint },
                    Answer::Accepted | Answer::Changed { .. } => AgentAnswer::Done,
                }
            }
            Err(error) => return Err(error),
        };
        // An agent that hung up does not want to know.
        let _ = answer.send(said);
        Ok(())
    }

    fn report(&mut self, mut report: Report) -> Result<(), DriveError> {
        if let InputKind::Verified { verification, report: seen, .. } = &mut report.input {
            self.look_elsewhere(*verification, seen);
        }
        let input = Input { at: now(), actor: Actor::engine(), kind: report.input };
        let decided = self.journal.decide(input, Vec::new(), report.passes);
        // A report that is no longer expected was overtaken by a decision.
        if let Some(step) = ignore_rejection(decided.map_err(DriveError::from))? {
            self.observed(&step);
        }
        Ok(())
    }

    /// Adds to a failure where other runs met the same, so that it stands in the journal before the next
    /// attempt is told.
    fn look_elsewhere(&self, verification: VerificationId, seen: &mut VerifyReport) {
        let state = self.journal.state();
        if let Some(signature) = failure_signature(state, verification, seen) {
            seen.elsewhere = elsewhere(self.journal.stored(), &state.facts.run, &signature);
        }
    }

    pub(super) fn feed(&mut self, kind: InputKind, actor: Actor) -> Result<(), DriveError> {
        let step = self.journal.decide(Input { at: now(), actor, kind }, Vec::new(), Vec::new())?;
        self.observed(&step);
        Ok(())
    }

    pub(super) fn observed(&mut self, step: &Step) {
        ledger::note(&self.site, &self.journal, step);
        guard_file::note(&self.site.home, self.journal.state());
        if step.events.iter().any(|event| matches!(event, Event::ProgressReported { .. })) {
            let state = self.journal.state();
            // Without the copy the run continues as well; `windlass report` says the same.
            let _ = mirror::progress(state, std::path::Path::new(&state.facts.place));
        }
        (self.observer)(step, self.journal.state());
    }

    /// Takes up what people asked for while nobody or this driver was there.
    pub(super) fn read_inbox(&mut self) -> Result<(), DriveError> {
        if self.observing {
            return Ok(());
        }
        for item in self.journal.store().pending(&self.run)? {
            let Ok((request, presence)) = Posted::read(&item.bytes) else {
                self.settle(item.id, &unreadable())?;
                continue;
            };
            let InboxItem { id, actor, .. } = item;
            let looked = Looked { item: id, actor, request, presence };
            if looked.request.needs_files() && self.is_quiet() {
                let state = Arc::new(self.journal.state().clone());
                self.workers
                    .send(Job::Observe { looked, state })
                    .map_err(|_| DriveError::WorkerDied)?;
                self.observing = true;
                return Ok(());
            }
            // Nothing can be said about files while somebody works on them; the core refuses it.
            let files = self.journal.state().latest.clone().unwrap_or_else(no_files);
            self.decide_request(looked, files, Vec::new())?;
        }
        Ok(())
    }

    /// Whether nobody is working in the place.
    fn is_quiet(&self) -> bool {
        self.performing
            .keys()
            .all(|effect| matches!(effect, Effect::Wake { .. } | Effect::EvaluateWhen { .. }))
    }

    fn decide_request(
        &mut self,
        looked: Looked,
        observed: Snapshot,
        changed: Vec<String>,
    ) -> Result<(), DriveError> {
        let Looked { item, actor, request, presence } = looked;
        // Without a readable actor nobody knows whether a person asked.
        let Ok(actor) = actor.parse::<Actor>() else { return self.settle(item, &unreadable()) };
        if let Some(stale) = request.stale(self.journal.state().gate().map(|gate| gate.id)) {
            return self.settle(item, &Answer::rejected(&stale));
        }
        let decision = request.decide(observed, changed);
        let refused_paths = self.paths_if_refused(&decision);
        let answer = match refused_paths {
            Some(paths) => Answer::Changed { paths },
            None => Answer::Accepted,
        };
        let kind = match presence {
            Some(presence) => InputKind::DecidedAt { presence, decision },
            None => InputKind::Decided(decision),
        };
        let input = Input { at: now(), actor, kind };
        let outcomes = vec![(item, encode(&answer))];
        match self.journal.decide(input, outcomes, Vec::new()) {
            Ok(step) => {
                self.observed(&step);
                Ok(())
            }
            Err(DecideError::Rejected(rejected)) => self.settle(item, &Answer::rejected(&rejected)),
            Err(error) => Err(error.into()),
        }
    }

    /// The changed paths, when an approval is about other files than those that were shown.
    fn paths_if_refused(&self, decision: &Decision) -> Option<Vec<String>> {
        let Decision::Approve { gate, observed, changed, .. } = decision else { return None };
        let open = self.journal.state().gate()?;
        (open.id == *gate && open.snapshot != *observed).then(|| changed.clone())
    }

    fn settle(&mut self, item: InboxId, answer: &Answer) -> Result<(), DriveError> {
        Ok(self.journal.store().settle(item, &encode(answer))?)
    }

    /// Ends the workers and leaves a last copy of the run's document in the place.
    pub(super) fn leave(&mut self) {
        self.workers.leave();
        let state = self.journal.state();
        let place = std::path::PathBuf::from(&state.facts.place);
        let _ = mirror::write(state, state.holder, &place, &self.site.blobs());
        // Nobody removes what is left when the process ends now.
        room::wait_until_swept();
    }
}

/// Refuses to take a run from a session that is alive: what it has in hand would be lost.
fn refuse_hosted(site: &Site, run: &RunId) -> Result<(), DriveError> {
    let store = Store::open(&site.home.state)?;
    let state = load(&store, run).map_err(DecideError::from)?.state;
    match state.session.filter(|session| state.driver.is_some() && hosted::is_alive(session)) {
        Some(Session { host, process, .. }) => {
            Err(DriveError::Hosted { run: run.clone(), host, pid: process.pid })
        }
        None => Ok(()),
    }
}

/// Takes the lock that a later driver waits for, so that every child inherits it: a git process
/// that outlives a killed driver is waited for like a launcher, and never meets its successor.
fn inherit_lock(path: &std::path::Path) -> Result<SharedLock, DriveError> {
    loop {
        if let Some(lock) = SharedLock::try_acquire(path)? {
            rustix::io::fcntl_setfd(&lock, rustix::io::FdFlags::empty())
                .map_err(|error| DriveError::Socket(error.into()))?;
            return Ok(lock);
        }
        // Somebody is just asking whether it is free.
        std::thread::yield_now();
    }
}

fn ignore_rejection<T>(decided: Result<T, DriveError>) -> Result<Option<T>, DriveError> {
    match decided {
        Ok(step) => Ok(Some(step)),
        Err(DriveError::Decide(DecideError::Rejected(_))) => Ok(None),
        Err(error) => Err(error),
    }
}

fn encode(answer: &Answer) -> Vec<u8> {
    serde_json::to_vec(answer).expect("an answer has string keys only")
}

fn unreadable() -> Answer {
    let message = "the request cannot be read by the windlass that drives the run".to_owned();
    Answer::Rejected { message, hint: Some("use the same version for both".to_owned()) }
}

fn no_files() -> Snapshot {
    let none = windlass_core::id::ObjectId::new("");
    Snapshot { code: none.clone(), papers: none }
}
