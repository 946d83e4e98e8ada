//! Looking whether a blocker is solved.

use std::sync::Arc;

use windlass_core::id::ObjectId;
use windlass_core::plan::{
    Check, CheckId, CheckKind, Criterion, Holds, PlanStep, RoomNetwork, RoomWishes, StepKind,
    StepNetwork,
};
use windlass_core::proof::{Proof, VerifyReport};
use windlass_core::run::{InputKind, RunState, why_it_stays};
use windlass_core::snapshot::Snapshot;
use windlass_core::view;

use super::message::Report;
use super::site::Site;
use super::worker::{Worker, WorkerError};
use crate::git::{EngineRepository, Place};
use crate::room::wait_until_swept;
use crate::verify::{Cancel, Verification, Verifier, VerifyRequest};

/// What a look at a blocker found, without any change to the run.
#[derive(Clone, Debug)]
pub struct BlockerLook {
    /// Whether its check holds; none where it has none, or where that could not be found out.
    pub is_fixed: Option<bool>,
    /// Whether what has to hold before the run continues does; none where nothing has to, or where the
    /// check failed before it.
    pub verified: Option<bool>,
    /// Why the run cannot go on.
    pub why: Option<String>,
}

impl BlockerLook {
    /// Returns whether `windlass fixed` would resolve it.
    pub fn can_resume(&self) -> bool {
        self.why.is_none()
    }
}

/// Looks whether a blocker is solved and changes nothing: not the run, and not the tree of a driver
/// that is alive.
///
/// # Errors
/// The place or the engine's repository cannot be used.
pub fn check_blocker(
    site: &Arc<Site>,
    state: &RunState,
    blocker: u32,
) -> Result<BlockerLook, WorkerError> {
    let Some(step) = step_for(state, blocker) else {
        return Ok(BlockerLook { is_fixed: None, verified: None, why: None });
    };
    let engine = site.engine()?;
    let mut run = site.run_home(state);
    let gone = || WorkerError::PlaceGone { path: state.facts.place.clone() };
    let place = Place::open(&engine, &run.git)?.ok_or_else(gone)?;
    let own = format!("look-{}", std::process::id());
    run.scratch = run.scratch.join(&own);
    let verifier = site.verifier(&run, place.root(), &state.facts, &engine)?;
    let code = state.code_for_blocker(blocker);
    let seen = seen(&verifier, &place, &engine, state, &step, &code, &Cancel::default());
    // What is left is removed with the run.
    let _ = crate::git::remove_whole(&run.scratch);
    wait_until_swept();
    let report = seen.report;
    let holds = |proof: &Proof| proof.holds == Holds::Yes;
    let own = |proof: &&Proof| proof.check == CheckId(0);
    let has_check = state.blocker(blocker).is_some_and(|blocker| blocker.check.is_some());
    let is_fixed = report.proofs.iter().find(own).filter(|_| has_check).map(holds);
    let mut rest = report.proofs.iter().filter(|proof| !has_check || !own(proof)).peekable();
    let verified = rest.peek().is_some().then(|| rest.all(holds));
    Ok(BlockerLook { is_fixed, verified, why: why_it_stays(&report) })
}

fn seen(
    verifier: &Verifier,
    place: &Place,
    engine: &EngineRepository,
    state: &RunState,
    step: &PlanStep,
    code: &ObjectId,
    cancel: &Cancel,
) -> Verification {
    let papers = state.latest.as_ref().map_or_else(|| code.clone(), |seen| seen.papers.clone());
    let document = view::document(state);
    let request = VerifyRequest {
        plan: &state.plan,
        step,
        baseline: None,
        first_code: None,
        red: None,
        known_failures: state.known_failures(),
        base_record: state.facts.base_record.as_ref(),
        rules: &state.facts.failure_rules,
        snapshot: &Snapshot { code: code.clone(), papers },
        held: Vec::new(),
        base_code: code,
        proven_code: code,
        committed_code: code,
        pins: &state.pins,
        pinned_values: &state.pinned_values,
        has_unseen: false,
        context: &state.context,
        document: &document,
    };
    verifier.verify(place, engine, &request, cancel)
}

impl Worker {
    /// Runs the check of a blocker, then what has to hold before the run continues, on code that was
    /// accepted. Both run where all checks do, and are confined as they are.
    pub(super) fn look_at_blocker(
        &mut self,
        state: &RunState,
        blocker: u32,
        look: u32,
        code: &ObjectId,
        cancel: &Cancel,
    ) -> Report {
        let Some(step) = step_for(state, blocker) else {
            let report = Box::new(VerifyReport::empty());
            return InputKind::BlockerLookedAt { blocker, look, report }.into();
        };
        let Self { verifier, place, engine, .. } = self;
        let verification = seen(verifier, place, engine, state, &step, code, cancel);
        let report = Box::new(verification.report);
        let input = InputKind::BlockerLookedAt { blocker, look, report };
        Report { input, passes: verification.passes }
    }
}

/// The room of a blocker's check. The command is an agent's, so it reaches no more than attempts of the
/// blocked step do: it would be a way out of a step without network. A blocker without a step has the
/// machine's network only where every step has it.
fn room_for(state: &RunState, blocker: u32) -> RoomWishes {
    let steps = &state.plan.steps;
    let blocked = state.blocker(blocker).and_then(|blocker| blocker.step.as_ref());
    let blocked = blocked.and_then(|step| state.plan.find(step)).map(|at| state.plan.step(at));
    let (network, hosts) = match blocked {
        Some(step) => (step.network, step.hosts.clone()),
        None if steps.iter().all(|step| step.network == StepNetwork::On) => {
            (StepNetwork::On, Vec::new())
        }
        None => (StepNetwork::Off, Vec::new()),
    };
    let (network, hosts) = match network {
        StepNetwork::On => (RoomNetwork::Host, Vec::new()),
        StepNetwork::Provider => (RoomNetwork::None, hosts),
        StepNetwork::Off => (RoomNetwork::None, Vec::new()),
    };
    RoomWishes { network, hosts, agents_own: true, ..RoomWishes::default() }
}

/// A step that nobody works on, with the check of the blocker as its criterion.
fn step_for(state: &RunState, blocker: u32) -> Option<PlanStep> {
    let check = state.blocker(blocker)?.check.as_ref().map(|check| {
        let kind = CheckKind::Run {
            command: check.command.clone(),
            folder: None,
            timeout: check.timeout,
            cache: false,
            env: Vec::new(),
            room: Box::new(room_for(state, blocker)),
        };
        Criterion::Check(Check { id: CheckId(0), kind })
    });
    let parts: Vec<Criterion> = check.into_iter().chain(state.plan.recheck.clone()).collect();
    let like = state.plan.steps.first()?;
    Some(PlanStep {
        kind: StepKind::Group,
        may_write: Vec::new(),
        writes: Vec::new(),
        on: std::collections::BTreeMap::new(),
        done: Some(Criterion::All(parts)),
        ..like.clone()
    })
}
