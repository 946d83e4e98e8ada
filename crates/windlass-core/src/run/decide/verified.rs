//! The verifier looked: proof, route, gate or failure.

use super::advance;
use super::draft::Draft;
use super::rollback;
use super::session;
use super::trouble;
use crate::id::{AttemptId, ContentHash, GateId, StepIndex, VerificationId};
use crate::plan::{CheckId, Criterion, Exhausted, Holds, PlanStep, StepKind};
use crate::proof::{Outcome, Proof, ProtectedChange, VerifyReport};
use crate::run::state::{Gate, GateKind, PauseReason, Phase, RunState};
use crate::run::{Category, Event, FailedCheck, Failure, Rejected, VerifyReason};
use crate::snapshot::Snapshot;
use crate::time::{Span, Timestamp};

/// The same failure this often in a row will not go away by trying again.
pub(crate) const SAME_FAILURE: u32 = 3;

pub(super) fn verified(
    draft: &mut Draft,
    id: VerificationId,
    report: &VerifyReport,
    jitter: u16,
) -> Result<(), Rejected> {
    let Some(index) = draft.state.verified_by(id) else {
        return Err(Rejected::StaleVerification);
    };
    let Phase::Verifying { verification, snapshot, attempt, .. } =
        draft.state.step(index).phase.clone()
    else {
        return Err(Rejected::StaleVerification);
    };
    if let Some(observed) = &report.moved_on {
        // Somebody worked in the place since: what is there now is what has to be judged.
        draft.emit(Event::VerificationAbandoned { verification });
        let event = advance::verify(draft, index, observed, VerifyReason::MovedOn);
        draft.emit(event);
        return Ok(());
    }
    if let Some(message) = &report.broken {
        broken(draft, index, message, jitter);
        return Ok(());
    }
    // For a spoke, which may write nothing but its own files, it is no question to anybody.
    if !report.protected.is_empty() && !draft.state.plan.step(index).is_spoke() {
        protected(draft, index, report, snapshot);
        return Ok(());
    }
    let mut judgement = Judgement::of(draft.state.plan.step(index), report);
    // Also after a gate: what a person accepted is a file, not that the work is all there.
    if !matches!(judgement, Judgement::Failed(_))
        && let Some(failure) = unfinished(draft, index)
    {
        judgement = Judgement::Failed(failure);
    }
    match judgement {
        Judgement::Proven => draft.emit(Event::StepProven {
            step: draft.id(index),
            snapshot,
            report: Box::new(report.clone()),
        }),
        Judgement::Routed(verdict) => {
            rollback::by_verdict(draft, index, &verdict, report, snapshot);
        }
        Judgement::Failed(failure) if trouble::hinders(draft, index, &failure, report, jitter) => {}
        Judgement::Failed(failure) if session::has_rounds_left(draft, index, attempt) => {
            let number = draft.state.step(index).attempts;
            let attempt = AttemptId { step: draft.id(index), number };
            let report = Box::new(report.clone());
            draft.emit(Event::RoundFailed { attempt, failure, report });
        }
        Judgement::Failed(failure) => {
            let report = Some(Box::new(report.clone()));
            fail(draft, index, failure, report, attempt.is_some(), jitter);
        }
    }
    Ok(())
}

/// Returns what tells the failure that a report comes to from others; none where it is no failure. The edge
/// looks up with it where the same happened before.
pub fn failure_signature(
    state: &RunState,
    id: VerificationId,
    report: &VerifyReport,
) -> Option<ContentHash> {
    let index = state.verified_by(id)?;
    if report.moved_on.is_some() || report.broken.is_some() || !report.protected.is_empty() {
        return None;
    }
    match Judgement::of(state.plan.step(index), report) {
        Judgement::Failed(failure) => Some(failure.signature),
        Judgement::Proven | Judgement::Routed(_) => None,
    }
}

enum Judgement {
    Proven,
    Routed(String),
    Failed(Failure),
}

impl Judgement {
    fn of(plan: &PlanStep, report: &VerifyReport) -> Self {
        if !report.outside_may_write.is_empty() {
            let paths = report.outside_may_write.join(", ");
            let bounds = if plan.is_spoke() { "writes" } else { "may_write" };
            let summary = format!("files outside `{bounds}` were changed: {paths}");
            return Self::Failed(Failure::new(Category::Code, summary, Vec::new()));
        }
        // What waits for the next gate is asked about in the run's own place alone.
        let protected = match plan.is_spoke() {
            true => [&report.protected[..], &report.later[..]].concat(),
            false => report.protected.clone(),
        };
        if !protected.is_empty() {
            let files = ProtectedChange::all_called(&protected);
            let summary = format!("protected files were changed: {files}");
            return Self::Failed(Failure::new(Category::Code, summary, Vec::new()));
        }
        let Some(criterion) = &plan.done else { return Self::Proven };
        let known = |check: CheckId| known(report, check);
        if criterion.judge(&known) == Holds::Yes {
            return Self::Proven;
        }
        // A verdict leads elsewhere only when all that is asked of the judge itself is there.
        if let Some(verdict) = &report.verdict
            && plan.on.contains_key(verdict)
        {
            let verdicts = verdict_checks(criterion);
            let but_for_verdict = |check: CheckId| {
                if verdicts.contains(&check) { Holds::Yes } else { known(check) }
            };
            if criterion.judge(&but_for_verdict) == Holds::Yes {
                return Self::Routed(verdict.clone());
            }
        }
        Self::Failed(failed_checks(criterion, report))
    }
}

fn known(report: &VerifyReport, check: CheckId) -> Holds {
    report.proofs.iter().find(|proof| proof.check == check).map_or(Holds::Unknown, |p| p.holds)
}

fn verdict_checks(criterion: &Criterion) -> Vec<CheckId> {
    let checks = criterion.checks().into_iter();
    checks.filter(|check| check.kind.accepts().is_some()).map(|check| check.id).collect()
}

fn failed_checks(criterion: &Criterion, report: &VerifyReport) -> Failure {
    let failed = || report.proofs.iter().filter(|proof| proof.holds != Holds::Yes);
    let checks: Vec<FailedCheck> = failed().map(FailedCheck::of).collect();
    let is_command = |proof: &&Proof| {
        let mut all = criterion.checks().into_iter();
        all.any(|c| c.id == proof.check && c.kind.command().is_some())
    };
    let category = match failed().find(is_command) {
        Some(Proof { cause: Some(cause), .. }) => cause.category,
        // What could not be looked at says nothing about tests.
        Some(proof) if proof.holds == Holds::No => Category::Test,
        Some(_) | None => Category::Code,
    };
    let summary = match checks.as_slice() {
        [] => "the checks failed".to_owned(),
        [only] => only.summary.clone(),
        [first, rest @ ..] => format!("{} (and {} more)", first.summary, rest.len()),
    };
    Failure::new(category, summary, checks)
}

fn protected(draft: &mut Draft, index: StepIndex, report: &VerifyReport, snapshot: Snapshot) {
    let gate = Gate {
        id: GateId(draft.state.gates + 1),
        step: draft.id(index),
        kind: GateKind::Protected {
            changes: report.protected.clone(),
            diff: report.protected_diff.clone(),
            late: false,
        },
        snapshot,
    };
    draft.emit(Event::GateOpened { gate });
}

fn broken(draft: &mut Draft, index: StepIndex, message: &str, jitter: u16) {
    let step = draft.id(index);
    draft.emit(Event::VerificationBroken { step: step.clone(), message: message.to_owned() });
    let times = draft.state.step(index).broken;
    if times >= SAME_FAILURE {
        let detail = format!("`{step}` could not be verified {times} times over: {message}");
        draft.emit(Event::RunPaused { reason: PauseReason::RepeatedFailure, detail });
    } else {
        let until = backoff(draft, index, times, jitter);
        wait(draft, index, until, false);
    }
}

/// Records a failure and decides what becomes of the step.
pub(super) fn fail(
    draft: &mut Draft,
    index: StepIndex,
    failure: Failure,
    report: Option<Box<VerifyReport>>,
    costs_try: bool,
    jitter: u16,
) {
    let failure = by_outcome(draft, index, failure);
    let (step, category) = (draft.id(index), failure.category);
    let of_surroundings = costs_try && trouble::is_free(draft, index);
    let costs_try = costs_try && !of_surroundings;
    draft.emit(Event::StepNotProven { step, failure, report, costs_try, of_surroundings });
    let (plan, state) = (draft.state.plan.step(index), draft.state.step(index));
    let (tries, repeats, retries) = (state.tries, state.repeats, plan.retries);
    if of_surroundings {
        let until = backoff(draft, index, state.troubled, jitter);
        wait(draft, index, until, false);
        return;
    }
    if plan.kind.is_group() {
        // Nobody works on a group: verifying it again would give the same answer for ever.
        if rollback::by_failure(draft, index) {
            return;
        }
        let why = match draft.state.plan.step(index).kind {
            StepKind::PullRequest(_) => "the checks before publishing failed",
            StepKind::Group if draft.state.plan.nested(index).is_empty() => "the checks failed",
            StepKind::Agent { .. } | StepKind::Group | StepKind::Foreach(_) => {
                "the checks of this group failed"
            }
        };
        exhausted(draft, index, why.to_owned());
        return;
    }
    if !costs_try {
        return;
    }
    if tries >= retries {
        exhausted(draft, index, format!("not proven in {tries} tries"));
    } else if repeats >= SAME_FAILURE && !category.backs_off() {
        let why = format!("failed in the same way {repeats} times over");
        give_up(draft, index, PauseReason::RepeatedFailure, why);
    } else if category == Category::Environment && trouble::is_missing_again(draft, index) {
        // It goes on when a person has helped.
    } else if category.backs_off() {
        let until = backoff(draft, index, tries, jitter);
        wait(draft, index, until, false);
    }
}

/// The failure of an attempt that was cut off, though all that is asked of the step holds.
fn unfinished(draft: &Draft, index: StepIndex) -> Option<Failure> {
    let outcome = draft.state.step(index).ended.as_ref().filter(|outcome| outcome.was_cut_off())?;
    let (category, why) = match outcome {
        Outcome::TimedOut => (Category::Timeout, "the attempt ran out of time"),
        Outcome::Idle => (Category::Timeout, "the attempt showed no sign of life"),
        Outcome::OverLimit { .. } => (Category::Infra, "the attempt exceeded a limit"),
        Outcome::Signalled { .. } => (Category::Infra, "the agent's program was ended"),
        Outcome::AgentFailed { category, message } => (*category, message.as_str()),
        Outcome::Exited { .. }
        | Outcome::CouldNotStart { .. }
        | Outcome::Cancelled
        | Outcome::ProviderLimit { .. }
        | Outcome::Held { .. }
        | Outcome::Interrupted { .. }
        | Outcome::OverBudget { .. } => (Category::Infra, "the attempt was cut off"),
    };
    let summary = format!("{why}: its checks passed, but the attempt did not finish");
    Some(Failure::new(category, summary, Vec::new()))
}

/// The way an attempt ended can explain why its proof is missing.
fn by_outcome(draft: &Draft, index: StepIndex, mut failure: Failure) -> Failure {
    let (category, why) = match draft.state.step(index).ended.as_ref() {
        Some(Outcome::TimedOut) => (Category::Timeout, "the attempt ran out of time"),
        Some(Outcome::Idle) => (Category::Timeout, "the attempt showed no sign of life"),
        Some(Outcome::OverLimit { .. }) => (Category::Infra, "the attempt exceeded a limit"),
        Some(Outcome::AgentFailed { category, message }) => (*category, message.as_str()),
        Some(
            Outcome::CouldNotStart { .. }
            | Outcome::Exited { .. }
            | Outcome::Signalled { .. }
            | Outcome::Cancelled
            | Outcome::ProviderLimit { .. }
            | Outcome::Held { .. }
            | Outcome::Interrupted { .. }
            | Outcome::OverBudget { .. },
        )
        | None => return failure,
    };
    if failure.category.is_of_work() {
        failure.category = category;
        failure.summary = format!("{why}; {}", failure.summary);
    }
    failure
}

fn exhausted(draft: &mut Draft, index: StepIndex, why: String) {
    give_up(draft, index, PauseReason::RetriesExhausted, why);
}

/// Trying again does not help: what the step says about that happens.
pub(super) fn give_up(draft: &mut Draft, index: StepIndex, reason: PauseReason, why: String) {
    let plan = draft.state.plan.step(index);
    let (step, policy) = (plan.id.clone(), plan.exhausted);
    match policy {
        Exhausted::Pause => {
            draft.emit(Event::StepFailed { step: step.clone() });
            let colon = if reason == PauseReason::RetriesExhausted { ":" } else { "" };
            let detail = format!("`{step}`{colon} {why}");
            draft.emit(Event::RunPaused { reason, detail });
        }
        Exhausted::Block => draft.emit(Event::StepBlocked { step, reason: why }),
        Exhausted::Waive => {
            let kept = may_stay(draft, index);
            draft.emit(Event::StepWaived { step, kept });
        }
    }
}

/// Whether the work of a step that is waived may stay: the workflow says so, and somebody looked and
/// saw it within its bounds.
fn may_stay(draft: &Draft, index: StepIndex) -> bool {
    let (plan, step) = (draft.state.plan.step(index), draft.state.step(index));
    let within = step.looked.as_ref().is_some_and(|looked| !looked.out_of_bounds);
    plan.waive_keeps && within && !step.spoiled
}

pub(super) fn wait(draft: &mut Draft, index: StepIndex, until: Timestamp, limit: bool) {
    let step = draft.id(index);
    draft.emit(Event::WaitStarted { step, until, limit });
}

/// Doubles per failure up to the bound; a quarter of it is chance, so that runs that failed
/// together do not come back together.
pub(super) fn backoff(draft: &Draft, index: StepIndex, failures: u32, jitter: u16) -> Timestamp {
    let policy = draft.state.plan.step(index).backoff;
    let capped = policy.after(failures).0;
    let chance = capped / 4 * u64::from(jitter.min(1000)) / 1000;
    draft.state.now.plus(Span(capped - capped / 4 + chance))
}
