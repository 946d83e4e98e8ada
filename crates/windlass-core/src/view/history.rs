//! What happened to each step: attempts, proofs and decisions, read off the journal.

use std::collections::{BTreeMap, BTreeSet};

use super::step_lines::count;
use crate::id::{AttemptId, GateId, ObjectId, StepId, VerificationId};
use crate::item::Wanted;
use crate::judgement::{CriterionResult, Remark};
use crate::plan::{Holds, Strength};
use crate::proof::{Blob, Outcome, Proof, ProtectedChange, Usage, VerifyReport};
use crate::question::AnsweredBy;
use crate::run::{Event, Gate, GateKind, Presence, Publication, VerifyReason};
use crate::snapshot::Snapshot;
use crate::time::{Span, Timestamp};

/// What happened in a run, by step and in order.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the names say it")]
pub struct History {
    pub steps: BTreeMap<StepId, StepHistory>,
    pub decisions: Vec<DecisionEntry>,
    pub ended_at: Option<Timestamp>,
    /// The proofs on a fresh clone, the oldest first.
    pub cold: Vec<ColdEntry>,
    /// The code that is being proven on a fresh clone.
    proving_cold: Option<ObjectId>,
    open: BTreeMap<StepId, OpenVerification>,
    /// What was decided at each gate.
    gates: BTreeMap<GateId, StepId>,
    /// Steps that go on from what they have, because a person sent them back.
    sent_back: BTreeSet<StepId>,
}

#[derive(Clone, Debug)]
struct OpenVerification {
    verification: VerificationId,
    snapshot: Snapshot,
    reason: VerifyReason,
}

/// What happened to one step.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the names say it")]
pub struct StepHistory {
    pub attempts: Vec<AttemptEntry>,
    pub proofs: Vec<ProofEntry>,
    pub commit: Option<ObjectId>,
    /// The files that its work is compared with: those it began from, also after feedback.
    pub base: Option<Snapshot>,
    /// The files that were proven last.
    pub proven: Option<Snapshot>,
    /// What the judge's report that counts last found.
    pub remarks: Vec<Remark>,
    /// What the tester's report that counts last says of each acceptance criterion.
    pub criteria: Vec<CriterionResult>,
    /// The last verdict of a judge.
    pub verdict: Option<String>,
    /// How often a verdict or a failure led back from here.
    pub sent_back: u32,
}

/// One attempt.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct AttemptEntry {
    pub id: AttemptId,
    pub started_at: Timestamp,
    pub took: Option<Span>,
    /// How it ended, in words.
    pub ended: String,
    pub outcome: Option<Outcome>,
    pub usage: Usage,
    pub output: Option<Blob>,
    pub confinement: Option<String>,
    pub left_behind: u32,
    pub snapshot: Option<Snapshot>,
    /// Why it did not lead to a proof.
    pub failure: Option<String>,
}

/// One check of one verification.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ProofEntry {
    pub at: Timestamp,
    pub verification: VerificationId,
    pub snapshot: Snapshot,
    pub reason: VerifyReason,
    /// Whether this is what the step's completion rests on.
    pub decisive: bool,
    pub proof: Proof,
}

/// One proof on a fresh clone.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ColdEntry {
    pub at: Timestamp,
    pub code: ObjectId,
    /// What it came to.
    pub holds: Holds,
    /// Why there is no answer, or what failed.
    pub why: Option<String>,
    pub proofs: Vec<Proof>,
}

/// One decision of a person, or of a verdict.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct DecisionEntry {
    pub at: Timestamp,
    pub who: String,
    pub what: String,
}

impl History {
    /// Adds one event.
    pub fn add(&mut self, at: Timestamp, actor: &str, event: &Event) {
        if let Event::GateOpened { gate } = event {
            self.gates.insert(gate.id, gate.step.clone());
        }
        if let Some(mut what) = decision(event) {
            if let Event::GateApproved { gate, .. } = event
                && let Some(step) = self.gates.get(gate)
            {
                what = format!("`{step}`: {what}");
            }
            let who = actor.strip_prefix("person:").unwrap_or(actor);
            self.decisions.push(DecisionEntry { at, who: who.to_owned(), what });
        }
        self.add_attempt(at, event);
        self.add_verification(at, event);
        self.add_cold(at, event);
        if let Event::RunCompleted | Event::RunAborted = event {
            self.ended_at = Some(at);
        }
    }

    fn add_attempt(&mut self, at: Timestamp, event: &Event) {
        if let Event::AttemptStarted { attempt, .. } = event {
            self.step(&attempt.step).attempts.push(AttemptEntry {
                id: attempt.clone(),
                started_at: at,
                took: None,
                ended: "running".to_owned(),
                outcome: None,
                usage: Usage::default(),
                output: None,
                confinement: None,
                left_behind: 0,
                snapshot: None,
                failure: None,
            });
        } else if let Event::AttemptEnded { attempt, report, snapshot } = event {
            if let Some(entry) = self.step(&attempt.step).attempts.last_mut() {
                entry.took = Some(at.since(entry.started_at));
                entry.ended = outcome_words(&report.outcome);
                entry.outcome = Some(report.outcome.clone());
                entry.usage = report.usage.clone();
                entry.output.clone_from(&report.output);
                entry.confinement = Some(report.confinement.clone());
                entry.left_behind = report.left_behind;
                entry.snapshot = Some(snapshot.clone());
            }
        } else if let Event::AttemptLost { attempt, snapshot, usage, .. } = event
            && let Some(entry) = self.step(&attempt.step).attempts.last_mut()
        {
            entry.usage = usage.clone();
            entry.took = Some(at.since(entry.started_at));
            entry.ended = "lost: windlass or the machine died".to_owned();
            entry.snapshot = Some(snapshot.clone());
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a history is not about the other events")]
    fn add_cold(&mut self, at: Timestamp, event: &Event) {
        let (holds, why, report) = match event {
            Event::ColdProofBegan { code, .. } => {
                self.proving_cold = Some(code.clone());
                return;
            }
            Event::ColdProofHeld { report, .. } => (Holds::Yes, None, report),
            Event::ColdProofFailed { step, report, .. } => {
                (Holds::No, Some(format!("`{step}` is open again")), report)
            }
            Event::ColdProofBroken { message, report, .. } => {
                (Holds::Unknown, Some(message.clone()), report)
            }
            _ => return,
        };
        if let Some(code) = self.proving_cold.take() {
            self.cold.push(ColdEntry { at, code, holds, why, proofs: report.proofs.clone() });
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a history is not about the other events")]
    fn add_verification(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::FeedbackGiven { step, .. } => {
                self.sent_back.insert(step.clone());
            }
            Event::StepBegan { step, baseline } => {
                let goes_on = self.sent_back.remove(step);
                let history = self.step(step);
                if !goes_on || history.base.is_none() {
                    history.base = Some(baseline.snapshot.clone());
                }
            }
            Event::VerificationStarted { step, snapshot, reason, verification } => {
                let (verification, snapshot) = (*verification, snapshot.clone());
                let open = OpenVerification { verification, snapshot, reason: *reason };
                self.open.insert(step.clone(), open);
            }
            Event::StepProven { step, report, snapshot } => {
                let history = self.step(step);
                history.proven = Some(snapshot.clone());
                history.judged(report);
                self.add_proofs(at, step, &report.proofs, true);
            }
            Event::VerificationHindered { step, report, .. } => {
                self.add_proofs(at, step, &report.proofs, false);
            }
            Event::StepNotProven { step, failure, report, .. } => {
                if let Some(report) = report {
                    self.step(step).judged(report);
                    self.add_proofs(at, step, &report.proofs, false);
                }
                if let Some(entry) = self.step(step).attempts.last_mut() {
                    entry.failure = Some(failure.summary.clone());
                }
            }
            Event::RouteTaken { step, verdict, .. } => {
                let history = self.step(step);
                history.sent_back = history.sent_back.saturating_add(1);
                history.verdict = Some(verdict.clone());
            }
            Event::StepCommitted { step, commit, .. } => {
                self.step(step).commit = Some(commit.clone());
            }
            _ => {}
        }
    }

    fn add_proofs(&mut self, at: Timestamp, step: &StepId, proofs: &[Proof], decisive: bool) {
        let Some(open) = self.open.remove(step) else { return };
        let history = self.step(step);
        if decisive {
            for earlier in &mut history.proofs {
                earlier.decisive = false;
            }
        }
        history.proofs.extend(proofs.iter().map(|proof| ProofEntry {
            at,
            verification: open.verification,
            snapshot: open.snapshot.clone(),
            reason: open.reason,
            decisive,
            proof: proof.clone(),
        }));
    }

    fn step(&mut self, id: &StepId) -> &mut StepHistory {
        self.steps.entry(id.clone()).or_default()
    }
}

impl StepHistory {
    /// Keeps what a judge said; a report that says nothing is no judge's.
    fn judged(&mut self, report: &VerifyReport) {
        if report.verdict.is_some() || !report.remarks.is_empty() || !report.criteria.is_empty() {
            self.verdict.clone_from(&report.verdict);
            self.remarks.clone_from(&report.remarks);
            self.criteria.clone_from(&report.criteria);
        }
    }

    /// Returns the strongest thing that the step's completion rests on, if it is proven: claimed
    /// means that nothing was observed at all.
    pub fn strength(&self) -> Option<Strength> {
        let decisive = self.proofs.iter().filter(|entry| entry.decisive);
        decisive.filter(|entry| entry.proof.holds == Holds::Yes).map(|e| e.proof.strength).max()
    }
}

pub(super) fn outcome_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::CouldNotStart { message } => format!("could not start: {message}"),
        Outcome::Exited { code: 0 } => "finished".to_owned(),
        Outcome::Exited { code } => format!("exited with {code}"),
        Outcome::Signalled { signal } => format!("ended by signal {signal}"),
        Outcome::TimedOut => "ran out of time".to_owned(),
        Outcome::Idle => "showed no sign of life".to_owned(),
        Outcome::OverLimit { what } => format!("exceeded its limit: {what}"),
        Outcome::Cancelled => "was stopped".to_owned(),
        Outcome::ProviderLimit { message, .. } => format!("reached a provider's limit: {message}"),
        Outcome::Held { until, why } => format!("was not started, until {until}: {why}"),
        Outcome::Interrupted { message } => format!("was cut off: {message}"),
        Outcome::AgentFailed { category, message } => format!("failed ({category}): {message}"),
        Outcome::OverBudget { message } => format!("used up the budget: {message}"),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the other events are no decisions")]
fn decision(event: &Event) -> Option<String> {
    match event {
        Event::GateApproved { .. }
        | Event::GateAnswerRefused { .. }
        | Event::ProtectedPinned { .. }
        | Event::FeedbackGiven { .. }
        | Event::RouteTaken { .. }
        | Event::RolledBack { .. }
        | Event::StepSkipped { .. }
        | Event::StepTakenBack { .. }
        | Event::StepWaived { .. }
        | Event::PushSettingsAccepted { .. }
        | Event::ColdProofWaived { .. }
        | Event::AgentChanged { .. }
        | Event::RunPaused { .. }
        | Event::RunResumed { .. }
        | Event::RetriesReset { .. }
        | Event::ItemUpdated { .. }
        | Event::AbortRequested { .. } => Some(describe(event)),
        _ => None,
    }
}

fn gate_words(gate: &Gate) -> String {
    match &gate.kind {
        GateKind::Route { verdict, target, .. } => {
            format!("`{}` said {verdict}: back to `{target}`? A person decides", gate.step)
        }
        GateKind::Approval | GateKind::Protected { .. } => {
            format!("`{}` waits for a person", gate.step)
        }
    }
}

fn published_words(publication: &Publication) -> String {
    let Publication { remote, number, url, compare_url, .. } = publication;
    let at = url.as_ref().or(compare_url.as_ref()).map(|url| format!(": {url}"));
    let at = at.unwrap_or_default();
    match number {
        Some(number) => format!("pull request #{number} is open{at}"),
        None => format!("the branch is pushed to `{remote}`; open the pull request by hand{at}"),
    }
}

/// Tells how the proof on a fresh clone goes.
#[expect(clippy::wildcard_enum_match_arm, reason = "`describe` sends only these here")]
fn cold_words(event: &Event) -> String {
    match event {
        Event::ColdProofBegan { .. } => "all checks run once more, on a fresh clone".to_owned(),
        Event::ColdProofHeld { report, .. } => {
            format!("all checks passed on a fresh clone: {}", checks(report.proofs.len()))
        }
        Event::ColdProofFailed { step, failure, .. } => {
            format!("`{step}` fails on a fresh clone: {}", failure.summary)
        }
        Event::ColdProofBroken { message, .. } => {
            let message = message.lines().next().unwrap_or_default();
            format!("the checks on a fresh clone could not run: {message}")
        }
        Event::ColdProofAbandoned { .. } => "the checks on a fresh clone were cancelled".to_owned(),
        Event::ColdProofWaived { reason } => {
            format!("the proof on a fresh clone is left out: {reason}")
        }
        _ => String::new(),
    }
}

/// Tells how publishing goes.
#[expect(clippy::wildcard_enum_match_arm, reason = "`describe` sends only these here")]
fn publishing_words(event: &Event) -> String {
    match event {
        Event::PublishIntended { commit, .. } => {
            let commit = commit.as_str();
            format!("the branch is being pushed at {}", commit.get(..10).unwrap_or(commit))
        }
        Event::Published { publication, .. } => published_words(publication),
        Event::PublishRefused { step, message, .. } => {
            format!("`{step}` could not be published: {message}")
        }
        Event::PushSettingsAccepted { step } => {
            format!("`{step}` publishes with the repository's git settings as they were shown")
        }
        _ => String::new(),
    }
}

/// Tells who drives the run, and what a session does that drives it.
#[expect(clippy::wildcard_enum_match_arm, reason = "`describe` sends only these here")]
fn session_words(event: &Event) -> String {
    match event {
        Event::DriverLeft => "the driver left".to_owned(),
        Event::DriverTookOver { driver, session: None, .. } => {
            format!("driver {} took over", driver.0)
        }
        Event::DriverTookOver { session: Some(session), .. } => {
            format!("a session of {} took over", session.host.words())
        }
        Event::OfferTaken { attempt, .. } => format!("the session starts attempt {attempt}"),
        Event::OfferWithdrawn { attempt } => format!("attempt {attempt} is no longer offered"),
        Event::AttemptHandedOver { attempt, .. } => {
            format!("attempt {attempt} was started by the session")
        }
        Event::RoundFailed { attempt, failure, .. } => {
            format!("attempt {attempt} goes on: not proven yet: {}", failure.summary)
        }
        Event::StopBlocked => "the session wanted to stop and was told to continue".to_owned(),
        Event::SessionNoted { event } => format!("the session: {}", brief(&event.as_str().into())),
        Event::BlocksReset => "a person said something in the session".to_owned(),
        _ => String::new(),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "`describe` matches every event and sends only these here"
)]
fn blocker_words(event: &Event) -> String {
    match event {
        Event::BlockerRaised { message } => format!("a person is needed: {message}"),
        Event::BlockerOpened { blocker } => {
            format!("blocker {} ({}): {}", blocker.id, blocker.severity.as_str(), blocker.message)
        }
        Event::BlockerLookedAt { blocker, by: Some(by), .. } => {
            format!("{by} says that blocker {blocker} is solved; windlass checks it")
        }
        Event::BlockerLookedAt { blocker, .. } => format!("blocker {blocker} is being checked"),
        Event::BlockerStays { blocker, why } => {
            format!("blocker {blocker} stays: {}", why.lines().next().unwrap_or_default())
        }
        Event::BlockerResolved { blocker, resolution } => match (&resolution.by, &resolution.notes)
        {
            (Some(by), Some(notes)) => format!("blocker {blocker} is solved by {by}: {notes}"),
            (Some(by), None) => format!("blocker {blocker} is solved by {by}"),
            (None, _) => format!("blocker {blocker} is solved: its check passes"),
        },
        Event::ResolutionNoted { step, by, notes } => format!("{by} about `{step}`: {notes}"),
        _ => String::new(),
    }
}

/// Tells what happens to items.
#[expect(clippy::wildcard_enum_match_arm, reason = "`describe` sends only these here")]
fn item_words(event: &Event) -> String {
    match event {
        Event::RepeatBegan { step } => format!("`{step}` starts on its items"),
        Event::TasksRead { step, tasks: 1 } => format!("`{step}` has a task list of 1 entry"),
        Event::TasksRead { step, tasks } => format!("`{step}` has a task list of {tasks} entries"),
        Event::ItemAdded { item } => match &item.skipped {
            Some(reason) => format!("item `{}`: {} ({reason})", item.id, item.title),
            None => format!("item `{}`: {}", item.id, item.title),
        },
        Event::ItemUpdated { item, change } => match &change.wanted {
            Some(Wanted::Skip { reason }) => format!("item `{item}` was skipped: {reason}"),
            Some(Wanted::Reopen) => format!("item `{item}` was brought back"),
            None => format!("item `{item}` was changed"),
        },
        Event::ItemOpened { item } => format!("item `{item}` starts"),
        Event::FailureNoted { about, category, summary, by } => {
            format!("{by} noted a failure of `{about}` ({category}): {summary}")
        }
        Event::ItemMoved { item, before: Some(before) } => {
            format!("item `{item}` comes before `{before}`")
        }
        Event::ItemMoved { item, before: None } => format!("item `{item}` comes last"),
        Event::ItemTakenBack { item, .. } => {
            format!("the work on item `{item}` is set aside")
        }
        Event::ItemGoesOn { item } => {
            format!("item `{item}` continues with the work that was set aside")
        }
        _ => String::new(),
    }
}

/// Tells what people were told or asked on the way.
#[expect(clippy::wildcard_enum_match_arm, reason = "`describe` sends only these here")]
fn told_words(event: &Event) -> String {
    match event {
        Event::ProgressReported { step, finished: 1 } => format!("`{step}`: 1 item is finished"),
        Event::ProgressReported { step, finished } => {
            format!("`{step}`: {finished} items are finished")
        }
        Event::CheckpointMade { checkpoint } => {
            format!("checkpoint `{}` by {}", checkpoint.name, checkpoint.by)
        }
        Event::DraftAsked { by } => format!("{by} asked for a draft pull request"),
        Event::QuestionsAsked { step, questions, .. } => match questions.len() {
            1 => format!("`{step}` has 1 question"),
            count => format!("`{step}` has {count} questions"),
        },
        Event::QuestionAnswered { answer } => {
            let what = answer.text.as_deref().or(answer.choice.as_deref()).unwrap_or_default();
            match &answer.by {
                AnsweredBy::Person(name) => format!("{name} answers {}: {what}", answer.question),
                AnsweredBy::Assumed => format!("{} is assumed: {what}", answer.question),
            }
        }
        Event::ClarificationAdded { clarification } => format!(
            "clarification ({}): {}",
            clarification.question.category,
            clarification.words().unwrap_or_default()
        ),
        _ => String::new(),
    }
}

/// Tells from where a person decided; nothing in journals from before that was noted.
fn from_words(presence: Option<&Presence>) -> String {
    presence.map(Presence::words).unwrap_or_default()
}

/// Tells what was shown to a person, and answered.
#[expect(clippy::wildcard_enum_match_arm, reason = "`describe` sends only these here")]
fn answer_words(event: &Event) -> String {
    match event {
        Event::GateOpened { gate } => gate_words(gate),
        Event::GateApproved { by, in_advance: true, .. } => {
            format!("approved in advance by {by} (--yes)")
        }
        Event::GateApproved { by, message, presence, .. } => {
            let from = from_words(presence.as_ref());
            match message {
                Some(message) => format!("approved by {by}{from}: {message}"),
                None => format!("approved by {by}{from}"),
            }
        }
        Event::FeedbackGiven { step, by, message, presence, .. } => {
            let from = from_words(presence.as_ref());
            format!("{by} sent `{step}` back{from}: {message}")
        }
        Event::RolledBack { target, by, message, presence, .. } => {
            let from = from_words(presence.as_ref());
            format!("rolled back to `{target}` by {by}{from}: {message}")
        }
        Event::GateAnswerRefused { changed, .. } => {
            format!("the approval was refused, files changed since: {}", changed.join(", "))
        }
        Event::ProtectedPinned { changes } => {
            format!(
                "changed protected files were accepted: {}",
                ProtectedChange::all_called(changes)
            )
        }
        _ => String::new(),
    }
}

fn set_back(step: &StepId, reason: &str) -> String {
    format!("the work of `{step}` is removed, to continue without it: {reason}")
}

/// Tells an event in one line, for people.
#[expect(clippy::too_many_lines, reason = "one arm for each event")]
pub fn describe(event: &Event) -> String {
    match event {
        Event::RunStarted { plan, .. } => {
            format!("run started: {} ({})", plan.workflow, count(plan.steps.len(), "step"))
        }
        Event::StepReady { step } => format!("`{step}` is ready"),
        Event::StepTaken { step } => format!("`{step}` is next"),
        Event::StepBegan { step, .. } => format!("`{step}` began"),
        Event::StepSkipped { step, reason, .. } => format!("`{step}` was skipped: {reason}"),
        Event::StepTakenBack { step, reason } => set_back(step, reason),
        Event::AttemptStarted { attempt, try_number, .. } => {
            format!("attempt {attempt} started (try {try_number})")
        }
        Event::DriverTookOver { .. }
        | Event::DriverLeft
        | Event::OfferTaken { .. }
        | Event::OfferWithdrawn { .. }
        | Event::AttemptHandedOver { .. }
        | Event::RoundFailed { .. }
        | Event::StopBlocked
        | Event::BlocksReset
        | Event::SessionNoted { .. } => session_words(event),
        Event::StopRequested { attempt, .. } => format!("attempt {attempt} is being stopped"),
        Event::ContextSet { key, value, .. } => format!("context: {key} = {}", brief(value)),
        Event::AttemptEnded { attempt, report, .. } => {
            format!("attempt {attempt} {}", outcome_words(&report.outcome))
        }
        Event::AttemptLost { attempt, .. } => format!("attempt {attempt} was lost"),
        Event::VerificationStarted { step, .. } => format!("`{step}` is being verified"),
        Event::VerificationAbandoned { .. } => "the verification was cancelled".to_owned(),
        Event::VerificationBroken { step, message } => {
            format!("`{step}` could not be verified: {message}")
        }
        Event::VerificationHindered { step, cause, .. } => {
            format!("the checks of `{step}` could not be run: {}", cause.in_words())
        }
        Event::StepProven { step, report, .. } => {
            format!("`{step}` is proven by {}", checks(report.proofs.len()))
        }
        Event::StepNotProven { step, failure, .. } => {
            format!("`{step}` is not proven ({}): {}", failure.category, failure.summary)
        }
        Event::WaitStarted { step, until, .. } => format!("`{step}` waits until {until}"),
        Event::WaitEnded { step } => format!("`{step}` has waited long enough"),
        Event::StepCommitted { step, commit, .. } => {
            let commit = commit.as_str();
            format!("`{step}` is committed as {}", commit.get(..10).unwrap_or(commit))
        }
        Event::StepAdopted { step, .. } => format!("what `{step}` wrote is in the place"),
        Event::PublishIntended { .. }
        | Event::Published { .. }
        | Event::PublishRefused { .. }
        | Event::PushSettingsAccepted { .. } => publishing_words(event),
        Event::GateOpened { .. }
        | Event::GateApproved { .. }
        | Event::GateAnswerRefused { .. }
        | Event::ProtectedPinned { .. }
        | Event::FeedbackGiven { .. }
        | Event::RolledBack { .. } => answer_words(event),
        Event::RouteTaken { step, verdict, target } => {
            format!("`{step}` said {verdict}, which leads to `{target}`")
        }
        Event::StepDone { step } => format!("`{step}` is done"),
        Event::StepWaived { step, kept: true } => format!("`{step}` was waived: it is not proven"),
        Event::StepWaived { step, kept: false } => {
            format!("`{step}` was waived: it is not proven, and its work is set aside")
        }
        Event::WorkReverted { step } => format!("the last try of `{step}` is undone"),
        Event::StepFailed { step } => format!("`{step}` failed"),
        Event::StepBlocked { step, reason } => format!("`{step}` is blocked: {reason}"),
        Event::RepeatBegan { .. }
        | Event::TasksRead { .. }
        | Event::ItemAdded { .. }
        | Event::ItemUpdated { .. }
        | Event::ItemOpened { .. }
        | Event::ItemMoved { .. }
        | Event::ItemTakenBack { .. }
        | Event::ItemGoesOn { .. }
        | Event::FailureNoted { .. } => item_words(event),
        Event::BlockerRaised { .. }
        | Event::BlockerOpened { .. }
        | Event::BlockerLookedAt { .. }
        | Event::BlockerStays { .. }
        | Event::BlockerResolved { .. }
        | Event::ResolutionNoted { .. } => blocker_words(event),
        Event::ProgressReported { .. }
        | Event::CheckpointMade { .. }
        | Event::DraftAsked { .. }
        | Event::QuestionsAsked { .. }
        | Event::QuestionAnswered { .. }
        | Event::ClarificationAdded { .. } => told_words(event),
        Event::ColdProofBegan { .. }
        | Event::ColdProofHeld { .. }
        | Event::ColdProofFailed { .. }
        | Event::ColdProofBroken { .. }
        | Event::ColdProofAbandoned { .. }
        | Event::ColdProofWaived { .. } => cold_words(event),
        Event::AgentChanged { played_by, .. } => {
            format!("agents are played by {} from now on", played_by.words())
        }
        Event::RunPaused { reason, detail } => format!("paused ({}): {detail}", reason.as_str()),
        Event::RunResumed { .. } => "resumed".to_owned(),
        Event::RetriesReset { step } => format!("`{step}` has new tries"),
        Event::AbortRequested { .. } => "the run is being aborted".to_owned(),
        Event::RunAborted => "the run was aborted".to_owned(),
        Event::RunCompleted => "the run is complete".to_owned(),
    }
}

fn checks(count: usize) -> String {
    if count == 1 { "1 check".to_owned() } else { format!("{count} checks") }
}

fn brief(value: &serde_json::Value) -> String {
    const LONGEST: usize = 80;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
