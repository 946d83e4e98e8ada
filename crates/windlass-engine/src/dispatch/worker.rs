//! The worker: has the place to itself and performs effects in order.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use windlass_core::id::{ObjectId, StepId};
use windlass_core::proof::Trouble;
use windlass_core::run::{BaselineRequest, Effect, InputKind, RunState, aside_file};
use windlass_core::snapshot::{Baseline, Snapshot};
use windlass_core::time::Timestamp;
use windlass_core::view;

use super::aside;
use super::message::{Looked, Message, Report};
use super::pins::pins_for;
use super::site::Site;
use super::socket::Badges;
use crate::expr;
use crate::fault;
use crate::git::{
    CommitRequest, Committed, EngineRepository, Person, Place, PlaceKind, PublishError, place_files,
};
use crate::home::RunHome;
use crate::store::blobs::Blobs;
use crate::verify::{Cancel, ColdRequest, RedStep, Verifier, VerifyRequest, take_baseline_files};

/// Why windlass could not do its work.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum WorkerError {
    #[error("the engine's repository cannot be used")]
    Engine(#[from] crate::git::EngineRepositoryError),
    #[error("the place of the run cannot be used")]
    Place(#[from] crate::git::PlaceError),
    #[error("this checkout is on `{found}`, and the run works on `{expected}`: switch back first")]
    HeadMoved { expected: String, found: String },
    #[error(
        "an attempt changed what leads your git: {}. Look at it, put it right, and then `windlass resume`",
        changed.join(", ")
    )]
    GitChanged { changed: Vec<String> },
    #[error("the place `{path}` is gone")]
    PlaceGone { path: String },
    #[error("the files of the place could not be recorded")]
    Snapshot(#[from] crate::git::SnapshotError),
    #[error("a git operation of the engine failed")]
    Git(#[from] crate::git::GitError),
    #[error("the room for checks could not be made")]
    Checkout(#[from] crate::git::CheckoutError),
    #[error("the files of the place could not be set back")]
    Reset(#[from] crate::git::ResetError),
    #[error("the place could not be brought to the run's branch")]
    Publish(#[from] PublishError),
    #[error("what a spoke wrote could not be brought into the place of the run")]
    Bring(#[from] crate::git::BringError),
    #[error("the place of a spoke could not be removed")]
    Remove(#[from] crate::git::RemoveError),
    #[error("a file of the place could not be written")]
    PlaceFile(#[from] place_files::PlaceFileError),
    #[error("the evidence could not be kept")]
    Put(#[from] crate::store::blobs::PutError),
    #[error("the store cannot be opened")]
    Open(#[from] crate::store::OpenError),
    #[error("the runs cannot be listed")]
    List(#[from] crate::store::Fault),
    #[error("the commit {commit} would not have the files that were proven")]
    OtherFiles { commit: ObjectId },
    #[error("the text of the pull request could not be written")]
    Body(#[from] super::publish::BodyError),
    #[error("an attempt could not be started")]
    Spawn(#[from] crate::process::SpawnError),
    #[error(transparent)]
    Sandbox(#[from] super::site::OpenMachine),
    #[error("a file could not be written")]
    Io(#[from] std::io::Error),
}

/// Something to perform, with the state it was decided on.
pub(super) enum Job {
    Perform { effect: Effect, state: Arc<RunState>, cancel: Cancel, extra: Extra },
    Observe { looked: Looked, state: Arc<RunState> },
}

/// Whose place a worker has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seat {
    /// The run's.
    Run,
    /// A spoke's own.
    Spoke(StepId),
}

/// What an effect needs besides the state.
pub(super) enum Extra {
    /// Nothing.
    None,
    /// The journal link that a commit names.
    Linked(Option<String>),
    /// The attempt belongs to a driver that is gone.
    Lost,
    /// A session is about to start the attempt's subagent, by this call.
    Taken { call: String },
    /// The session's subagent has stopped.
    Rested,
}

/// The worker's own things.
pub(super) struct Worker {
    pub(super) site: Arc<Site>,
    pub(super) run: RunHome,
    pub(super) engine: EngineRepository,
    pub(super) place: Place,
    pub(super) verifier: Verifier,
    pub(super) blobs: Blobs,
    pub(super) seat: Seat,
    pub(super) badges: Badges,
    /// What a spoke's place was made from.
    pub(super) begun: Option<(u32, Baseline)>,
    /// The snapshot that the place still is, as far as this process knows.
    pub(super) known: Option<Snapshot>,
    /// Whether HEAD, branch and index of the place have to be restored before the next attempt.
    pub(super) unsettled: bool,
    /// Whether it was an agent of this driver that moved HEAD, so that it may be put back.
    pub(super) moved_by_agent: bool,
}

impl Worker {
    pub(super) fn new(
        site: Arc<Site>,
        state: &RunState,
        seat: Seat,
        badges: Badges,
    ) -> Result<Self, WorkerError> {
        let engine = site.engine()?;
        let run = site.run_home(state);
        let (run, place) = match &seat {
            Seat::Run => {
                let gone = || WorkerError::PlaceGone { path: state.facts.place.clone() };
                let place = Place::open(&engine, &run.git)?.ok_or_else(gone)?;
                (run, place)
            }
            Seat::Spoke(spoke) => {
                let run = run.aside(spoke);
                let place = aside::place_of(&site, &run, &engine, state, spoke)?;
                (run, place)
            }
        };
        let begun = begun(&seat, state);
        let verifier = site.verifier(&run, place.root(), &state.facts, &engine)?;
        Ok(Self {
            blobs: site.blobs(),
            site,
            run,
            engine,
            place,
            verifier,
            begun,
            seat,
            badges,
            known: None,
            unsettled: true,
            moved_by_agent: false,
        })
    }

    /// Whether the place is still the one to work in: a spoke that begins anew gets a new one.
    fn is_current(&self, state: &RunState) -> bool {
        self.begun == begun(&self.seat, state)
    }

    /// Returns the last files that were seen where this worker works.
    pub(super) fn last_seen(&self, state: &RunState) -> Option<Snapshot> {
        match &self.seat {
            Seat::Run => state.latest.clone(),
            Seat::Spoke(spoke) => state.seen(state.plan.find(spoke)?).cloned(),
        }
    }

    /// Performs jobs until there are no more.
    ///
    /// The worker is made for the first of them: a run whose place is gone can still be aborted.
    pub(super) fn work(
        site: &Arc<Site>,
        seat: &Seat,
        badges: &Badges,
        jobs: &Receiver<Job>,
        reports: &Sender<Message>,
    ) {
        let mut worker: Option<Self> = None;
        for job in jobs {
            let state = match &job {
                Job::Perform { state, .. } | Job::Observe { state, .. } => Arc::clone(state),
            };
            let ready = match worker.take().filter(|worker| worker.is_current(&state)) {
                Some(worker) => Ok(worker),
                None => Self::new(Arc::clone(site), &state, seat.clone(), Arc::clone(badges)),
            };
            let message = match (job, ready) {
                (Job::Perform { effect, cancel, extra, .. }, Ok(mut ready)) => {
                    fault::point(&format!("before-{}", name(&effect)));
                    let report = ready.perform(&effect, &state, &cancel, &extra);
                    fault::point(&format!("after-{}", name(&effect)));
                    worker = Some(ready);
                    Message::Performed(effect, Box::new(report))
                }
                (Job::Observe { looked, .. }, Ok(mut ready)) => {
                    let seen = ready.look(&state);
                    worker = Some(ready);
                    Message::Observed(looked, seen)
                }
                (Job::Perform { effect, .. }, Err(error)) => {
                    let report = without_place(&effect, &state).ok_or(error);
                    Message::Performed(effect, Box::new(report))
                }
                (Job::Observe { looked, .. }, Err(error)) => Message::Observed(looked, Err(error)),
            };
            // Without a driver there is nobody to report to.
            if reports.send(message).is_err() {
                return;
            }
        }
    }

    fn perform(
        &mut self,
        effect: &Effect,
        state: &RunState,
        cancel: &Cancel,
        extra: &Extra,
    ) -> Result<Report, WorkerError> {
        let run = &state.facts.run;
        let _span = tracing::info_span!("effect", %run, effect = name(effect)).entered();
        match effect {
            Effect::EvaluateWhen { step, epoch } => {
                Ok(self.evaluate_when(state, step, *epoch).into())
            }
            Effect::ReadTasks { step, epoch } => Ok(self.read_tasks(state, step, *epoch).into()),
            Effect::TakeBaseline(request) => self.take_baseline(state, request).map(Report::from),
            Effect::EnsureAttempt { attempt } => match extra {
                Extra::None | Extra::Linked(_) => self.attempt(state, attempt, cancel),
                // Its driver is gone, and with it everything that the attempt had started.
                Extra::Lost => self.lost(state, attempt),
                Extra::Taken { call } => self.taken(state, attempt, call),
                Extra::Rested => self.rested(state, attempt),
            }
            .map(Report::from),
            Effect::StopAttempt { attempt } => self.lost(state, attempt).map(Report::from),
            Effect::Verify { verification, step, snapshot } => {
                let mut report = self.verify(state, step, snapshot, cancel)?;
                if let InputKind::Verified { verification: id, .. } = &mut report.input {
                    *id = *verification;
                }
                Ok(report)
            }
            Effect::EnsureCommit { step, code, parent, date } => {
                let link = if let Extra::Linked(link) = extra { link.as_ref() } else { None };
                self.commit(state, step, code, parent, *date, link).map(Report::from)
            }
            Effect::Adopt { step, epoch, snapshot } => {
                self.adopt(state, step, *epoch, snapshot).map(Report::from)
            }
            Effect::Publish { step, epoch, commit, expected } => {
                self.publish(state, step, *epoch, commit, expected.as_ref()).map(Report::from)
            }
            Effect::LookAtBlocker { blocker, look, code } => {
                Ok(self.look_at_blocker(state, *blocker, *look, code, cancel))
            }
            Effect::ProveCold { proof, code } => Ok(self.prove_cold(state, *proof, code, cancel)),
            Effect::Wake { key, .. } => Ok(InputKind::TimerFired { key: key.clone() }.into()),
        }
    }

    fn evaluate_when(&self, state: &RunState, step: &StepId, epoch: u32) -> InputKind {
        let index = state.plan.find(step);
        let when = index.and_then(|index| state.plan.step(index).when.clone());
        let expression = when.unwrap_or_else(|| "true".to_owned());
        let document = match index {
            Some(index) => view::document_for(state, index),
            None => view::document(state),
        };
        let value = expr::evaluate_bounded(&self.site.exe, &expression, &document)
            .map(|values| values.first() == Some(&serde_json::Value::Bool(true)))
            .map_err(|error| error.to_string());
        InputKind::WhenEvaluated { step: step.clone(), epoch, value }
    }

    fn take_baseline(
        &mut self,
        state: &RunState,
        request: &BaselineRequest,
    ) -> Result<InputKind, WorkerError> {
        if state.facts.here {
            self.refuse_moved_head(state)?;
        }
        if let Some(code) = &request.reset_code {
            // Whatever is there now, also what a person did since, has a name before it goes.
            let (before, _) = self.observe(state)?;
            let mut name = format!("before-reset-{}-{}", request.step, request.epoch);
            let step = state.plan.find(&request.step).map(|index| state.step(index));
            if let Some(step) = step.filter(|step| step.reverting) {
                // Several tries of one life can be taken back, and each keeps its name.
                name = format!("{name}-{}", step.attempts);
            }
            self.engine.keep(state.facts.run.as_str(), &name.replace('/', "."), &before.code)?;
            self.known = None;
            self.place.reset_files(code)?;
        }
        for (number, paper) in request.set_aside.iter().enumerate() {
            self.known = None;
            self.set_aside(paper, number, &request.step, request.epoch);
        }
        let snapshot = match &self.known {
            Some(known) => known.clone(),
            None => self.observe(state)?.0,
        };
        fault::point("place-ready");
        let index = state.plan.find(&request.step);
        let files = match index {
            Some(index) => take_baseline_files(state, index, self.place.root())?,
            None => crate::verify::BaselineFiles::default(),
        };
        let bytes = serde_json::to_vec(&files).map_err(std::io::Error::from)?;
        let files = self.blobs.put(&bytes)?.hash;
        fault::point("baseline-kept");
        Ok(InputKind::BaselineTaken {
            step: request.step.clone(),
            epoch: request.epoch,
            baseline: Baseline { snapshot, files },
        })
    }

    /// Moves a paper of an earlier life of the step out of the way, or removes it: its snapshot keeps
    /// it. Where an agent has made both impossible it stays, and counts for nothing, because the
    /// baseline that is taken next knows its content.
    pub(super) fn set_aside(&self, paper: &str, number: usize, step: &StepId, epoch: u32) {
        let root = self.place.root();
        let target = aside_file(step, epoch, number, paper);
        let target = Path::new(&target);
        let moved = place_files::create_dir(root, target.parent().unwrap_or(target))
            .and_then(|()| place_files::rename_within(root, Path::new(paper), target));
        if moved.is_err() {
            let _ = place_files::remove_file(root, Path::new(paper));
        }
    }

    /// Stops when the user's own checkout is on another branch than the run's.
    pub(super) fn refuse_moved_head(&mut self, state: &RunState) -> Result<(), WorkerError> {
        if self.moved_by_agent {
            return Ok(());
        }
        let (_, trouble) = self.observe(state)?;
        // In a session every hook is a process of its own: what the last attempt did stands in the state.
        let by_agent = |found: &str| {
            let mut steps = state.in_hand().map(|index| state.step(index));
            steps.any(|step| step.moved_to.as_deref() == Some(found))
        };
        match trouble.into_iter().find(|trouble| matches!(trouble, Trouble::HeadMoved { .. })) {
            Some(Trouble::HeadMoved { found, .. }) if by_agent(&found) => Ok(()),
            Some(Trouble::HeadMoved { expected, found }) => {
                Err(WorkerError::HeadMoved { expected, found })
            }
            _ => Ok(()),
        }
    }

    /// Takes a snapshot of the place as it is.
    pub(super) fn observe(
        &mut self,
        state: &RunState,
    ) -> Result<(Snapshot, Vec<windlass_core::proof::Trouble>), WorkerError> {
        self.known = None;
        let (snapshot, trouble) = self.place.observe(&state.head)?;
        self.unsettled |= !trouble.is_empty();
        self.known = Some(snapshot.clone());
        Ok((snapshot, trouble))
    }

    /// Looks at the files for a person's decision: what they are, and what differs from what the
    /// gate showed.
    fn look(&mut self, state: &RunState) -> Result<(Snapshot, Vec<String>), WorkerError> {
        let (snapshot, _) = self.observe(state)?;
        let mut changed = Vec::new();
        if let Some(gate) = state.gate()
            && gate.snapshot != snapshot
        {
            let code = self.engine.diff(&gate.snapshot.code, &snapshot.code)?;
            let papers = self.engine.diff(&gate.snapshot.papers, &snapshot.papers)?;
            changed.extend(code.iter().map(|change| change.path.to_string()));
            changed.extend(papers.iter().map(|change| format!(".windlass/run/{}", change.path)));
        }
        Ok((snapshot, changed))
    }

    fn verify(
        &mut self,
        state: &RunState,
        step: &StepId,
        snapshot: &Snapshot,
        cancel: &Cancel,
    ) -> Result<Report, WorkerError> {
        let Some(index) = state.plan.find(step) else {
            return Ok(self.verified(crate::verify::Verification::nothing()));
        };
        if self.known.as_ref() != Some(snapshot) {
            let (found, _) = self.observe(state)?;
            if found != *snapshot {
                let mut nothing = crate::verify::Verification::nothing();
                nothing.report.moved_on = Some(found);
                return Ok(self.verified(nothing));
            }
        }
        let document = view::document_for(state, index);
        let context = state.context_of(index);
        let pins = pins_for(&self.engine, state, &snapshot.code)?;
        let request = VerifyRequest {
            plan: &state.plan,
            step: state.plan.step(index),
            baseline: state.step(index).baseline.as_ref(),
            first_code: state.step(index).first_code.as_ref(),
            red: state.plan.red_before(index).map(|red| RedStep::of(state, red)),
            held: state.held_before(index).into_iter().map(|red| RedStep::of(state, red)).collect(),
            known_failures: state.known_failures(),
            base_record: state.facts.base_record.as_ref(),
            rules: &state.facts.failure_rules,
            snapshot,
            proven_code: &state.proven_code,
            base_code: &state.facts.base_tree,
            committed_code: &state.head_code,
            pins: &pins,
            pinned_values: &state.pinned_values,
            has_unseen: state.has_unseen(),
            context: &context,
            document: &document,
        };
        let verification = self.verifier.verify(&self.place, &self.engine, &request, cancel);
        Ok(self.verified(verification))
    }

    /// Looks at what has to hold at the end, on a fresh clone of this code.
    fn prove_cold(
        &mut self,
        state: &RunState,
        proof: u32,
        code: &ObjectId,
        cancel: &Cancel,
    ) -> Report {
        let Self { verifier, place, engine, .. } = self;
        let request = ColdRequest { state, code };
        let verification = verifier.verify_cold(place, engine, &request, cancel);
        let report = Box::new(verification.report);
        Report { input: InputKind::ColdProved { proof, report }, passes: verification.passes }
    }

    fn verified(&self, verification: crate::verify::Verification) -> Report {
        Report {
            input: InputKind::Verified {
                verification: windlass_core::id::VerificationId(0),
                report: Box::new(verification.report),
                jitter: jitter(),
            },
            passes: verification.passes,
        }
    }

    fn commit(
        &mut self,
        state: &RunState,
        step: &StepId,
        code: &ObjectId,
        parent: &ObjectId,
        date: Timestamp,
        link: Option<&String>,
    ) -> Result<InputKind, WorkerError> {
        let author = self.site.user.person.clone().unwrap_or_default();
        let commit = self.engine.commit(&CommitRequest {
            parent: parent.clone(),
            tree: code.clone(),
            message: windlass_core::commit::message(state, step, link),
            author,
            committer: Person::default(),
            at: date,
        })?;
        fault::point("commit-made");
        let old = Committed { commit: parent.clone(), tree: state.head_code.clone() };
        let new = Committed { commit: commit.clone(), tree: code.clone() };
        let mut published = self.place.publish(&self.site.user, &old, &new);
        if published.as_ref().is_err_and(|error| !needs_a_person(error))
            && self.place.kind() == PlaceKind::PrivateClone
        {
            // The agent broke the git directory of its place; the user's branch does not wait for it.
            self.restore_git_directory(&old.commit)?;
            published = self.place.publish(&self.site.user, &old, &new);
        }
        match published {
            Ok(()) => Ok(InputKind::Committed {
                step: step.clone(),
                code: code.clone(),
                parent: parent.clone(),
                commit,
            }),
            Err(error) if needs_a_person(&error) || state.facts.here => {
                Ok(InputKind::CommitRefused {
                    step: step.clone(),
                    code: code.clone(),
                    parent: parent.clone(),
                    message: error.to_string(),
                })
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns what a spoke's place is made from.
fn begun(seat: &Seat, state: &RunState) -> Option<(u32, Baseline)> {
    let Seat::Spoke(spoke) = seat else { return None };
    let step = state.step(state.plan.find(spoke)?);
    Some((step.epoch, step.baseline.clone()?))
}

/// What can be reported of an effect when there is no place any more: a stopped attempt is over.
fn without_place(effect: &Effect, state: &RunState) -> Option<Report> {
    let Effect::StopAttempt { attempt } = effect else { return None };
    let snapshot = state.seen(state.plan.find(&attempt.step)?)?.clone();
    let message = format!("the place `{}` is gone", state.facts.place);
    let trouble = vec![Trouble::Unreadable { message }];
    Some(InputKind::lost(attempt.clone(), snapshot, trouble).into())
}

/// Whether only a person can solve what is in the way of a commit.
fn needs_a_person(error: &PublishError) -> bool {
    matches!(error, PublishError::Moved { .. } | PublishError::CheckedOut { .. })
}

/// Chance for backoffs, drawn here and journalled, so that the core has none.
pub(super) fn jitter() -> u16 {
    let bits = uuid::Uuid::new_v4().as_u128();
    u16::try_from(bits % 1001).unwrap_or(0)
}

fn name(effect: &Effect) -> &'static str {
    match effect {
        Effect::EvaluateWhen { .. } => "evaluate-when",
        Effect::ReadTasks { .. } => "read-tasks",
        Effect::TakeBaseline(_) => "take-baseline",
        Effect::EnsureAttempt { .. } => "ensure-attempt",
        Effect::StopAttempt { .. } => "stop-attempt",
        Effect::Verify { .. } => "verify",
        Effect::EnsureCommit { .. } => "ensure-commit",
        Effect::Adopt { .. } => "adopt",
        Effect::Publish { .. } => "publish",
        Effect::LookAtBlocker { .. } => "look-at-blocker",
        Effect::ProveCold { .. } => "prove-cold",
        Effect::Wake { .. } => "wake",
    }
}
