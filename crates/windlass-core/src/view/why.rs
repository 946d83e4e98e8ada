//! Why a step is where it is: sentences, each with the event that it rests on.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::id::{GateId, ObjectId, StepId, StepIndex, VerificationId};
use crate::plan::{FailedRoute, Holds, Strength};
use crate::proof::{Outcome, ProtectedChange, VerifyReport};
use crate::run::{Event, GateKind, RunState, StepStatus, StopReason, VerifyReason};
use crate::view::history::{describe, outcome_words};
use crate::view::moves::{moves_on, next};
use crate::view::status::NextCommand;
use crate::view::trail::{Told, TrailError, follow};

/// Why a step is where it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// The step.
    pub step: StepId,
    /// What people call it.
    pub title: String,
    /// Where it is.
    pub status: StepStatus,
    /// How it came there.
    pub sentences: Vec<Sentence>,
    /// What would move it on.
    pub moves_on: String,
    /// Commands that do.
    pub next: Vec<NextCommand>,
}

/// Something that happened to the step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sentence {
    /// The number of its event.
    pub seq: u64,
    /// When.
    pub time: String,
    /// What.
    pub text: String,
}

/// Tells why a step is where it is after the last event of the trail; `None` when the plan has no
/// such step.
///
/// # Errors
/// The trail is empty, or does not make sense.
pub fn why(trail: &[Told], step: &StepId) -> Result<Option<Why>, TrailError> {
    let mut teller: Option<Teller> = None;
    let state = follow(trail, |told, before, after| {
        // The steps of an item are there from when it comes up.
        let before = before.filter(|state| state.plan.find(step).is_some());
        if teller.is_none() {
            teller = after.plan.find(step).map(|index| Teller::of(step, index));
        }
        if let Some(teller) = &mut teller {
            teller.tell(told, before, after);
        }
    })?;
    Ok(teller.map(|teller| {
        let index = teller.index;
        Why {
            step: step.clone(),
            title: state.plan.step(index).title.clone(),
            status: state.step_status(index),
            sentences: teller.sentences,
            moves_on: moves_on(&state, index),
            next: next(&state, index),
        }
    }))
}

struct Teller<'a> {
    step: &'a StepId,
    index: StepIndex,
    sentences: Vec<Sentence>,
    gates: BTreeMap<GateId, StepId>,
    verifications: BTreeMap<VerificationId, StepId>,
    code: Option<ObjectId>,
}

impl<'a> Teller<'a> {
    fn of(step: &'a StepId, index: StepIndex) -> Self {
        Self {
            step,
            index,
            sentences: Vec::new(),
            gates: BTreeMap::new(),
            verifications: BTreeMap::new(),
            code: None,
        }
    }

    fn tell(&mut self, told: &Told, before: Option<&RunState>, after: &RunState) {
        let mut said = self.about_attempts(&told.event, after);
        said.extend(self.about_proofs(&told.event));
        said.extend(self.about_people(&told.event));
        said.extend(self.about_order(&told.event, before, after));
        let was = before.map(|state| state.step_status(self.index));
        let is = after.step_status(self.index);
        // Something that does not name the step moved it: a rollback of what it rests on.
        if said.is_empty() && was.is_some_and(|was| was != is) {
            said.push(format!("{} (with that it is {})", describe(&told.event), is.as_str()));
        }
        let time = told.at.to_string();
        self.sentences.extend(said.into_iter().map(|text| Sentence {
            seq: told.seq,
            time: time.clone(),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        }));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other events are told elsewhere")]
    fn about_attempts(&self, event: &Event, state: &RunState) -> Vec<String> {
        let number =
            |attempt: &crate::id::AttemptId| (attempt.step == *self.step).then_some(attempt.number);
        let said = match event {
            Event::AttemptStarted { attempt, try_number, .. } => number(attempt).map(|number| {
                let retries = state.plan.step(self.index).retries;
                format!("attempt {number} started: try {try_number} of {retries}")
            }),
            Event::StopRequested { attempt, reason } => {
                number(attempt).map(|number| match reason {
                    StopReason::Pause => format!("attempt {number} was stopped: the run pauses"),
                    StopReason::Abort => {
                        format!("attempt {number} was stopped: the run is aborted")
                    }
                })
            }
            Event::AttemptEnded { attempt, report, .. } => number(attempt).map(|number| {
                let mut text = match &report.outcome {
                    Outcome::Exited { code } => format!("attempt {number} ended: exit code {code}"),
                    other => format!("attempt {number} {}", outcome_words(other)),
                };
                for trouble in &report.trouble {
                    text.push_str("; ");
                    text.push_str(&trouble.to_string());
                }
                text
            }),
            Event::AttemptLost { attempt, .. } => number(attempt).map(|number| {
                format!(
                    "attempt {number} was lost: windlass or the machine died; its files are kept"
                )
            }),
            Event::ContextSet { step, .. } if step == self.step => Some(describe(event)),
            _ => None,
        };
        said.into_iter().collect()
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other events are told elsewhere")]
    fn about_proofs(&mut self, event: &Event) -> Vec<String> {
        match event {
            Event::VerificationStarted { verification, step, snapshot, reason } => {
                self.verifications.insert(*verification, step.clone());
                if step != self.step {
                    return Vec::new();
                }
                self.code = Some(snapshot.code.clone());
                vec![format!("{} (code {})", verify_words(*reason), short(&snapshot.code))]
            }
            Event::VerificationAbandoned { verification }
                if self.verifications.get(verification) == Some(self.step) =>
            {
                vec!["the verification was cancelled: the run stops".to_owned()]
            }
            Event::VerificationBroken { step, message } if step == self.step => {
                vec![format!("the verifier could not do its work: {message}")]
            }
            Event::VerificationHindered { step, cause, report, .. } if step == self.step => {
                let mut said = self.checks(report);
                let why = cause.in_words();
                said.push(format!("a problem of the machine kept the checks from running: {why}"));
                said
            }
            Event::StepProven { step, report, snapshot } if step == self.step => {
                self.code = Some(snapshot.code.clone());
                let mut said = self.checks(report);
                said.push("it is proven".to_owned());
                said
            }
            Event::ColdProofFailed { step, failure, .. } if step == self.step => {
                vec![failure.summary.clone()]
            }
            Event::StepNotProven { step, failure, report, costs_try, .. } if step == self.step => {
                let mut said = report.as_ref().map(|r| self.checks(r)).unwrap_or_default();
                let cost = if *costs_try { "one try is used" } else { "no try is used" };
                said.push(format!(
                    "it is not proven ({}): {}; {cost}",
                    failure.category, failure.summary
                ));
                said
            }
            Event::StepCommitted { step, commit, .. } if step == self.step => {
                vec![format!("its work was committed as {}", short(commit))]
            }
            _ => Vec::new(),
        }
    }

    fn checks(&self, report: &VerifyReport) -> Vec<String> {
        let on = self.code.as_ref().map(|code| format!(" on code {}", short(code)));
        let on = on.unwrap_or_default();
        let line = |proof: &crate::proof::Proof| {
            let verdict = match proof.holds {
                Holds::Yes => "passed",
                Holds::No => "failed",
                Holds::Unknown => "could not run",
            };
            let strength = match proof.strength {
                Strength::Observed => "observed",
                Strength::Claimed => "claimed",
            };
            format!("a check {verdict}{on}: {} ({strength})", proof.summary)
        };
        report.proofs.iter().map(line).collect()
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other events are told elsewhere")]
    fn about_people(&mut self, event: &Event) -> Vec<String> {
        let at_gate =
            |gates: &BTreeMap<GateId, StepId>, gate: &GateId| gates.get(gate) == Some(self.step);
        let said = match event {
            Event::GateOpened { gate } => {
                self.gates.insert(gate.id, gate.step.clone());
                (gate.step == *self.step).then(|| match &gate.kind {
                    GateKind::Approval => "its gate opened: a person decides".to_owned(),
                    GateKind::Route { verdict, target, .. } => format!(
                        "it said {verdict}: a person decides whether to go back to `{target}`"
                    ),
                    GateKind::Protected { changes, late, .. } => {
                        let files = ProtectedChange::all_called(changes);
                        match late {
                            false => format!("it changed files that judge the work: {files}"),
                            true => format!("a person is asked before it lands: {files}"),
                        }
                    }
                })
            }
            Event::GateApproved { gate, .. } | Event::GateAnswerRefused { gate, .. }
                if at_gate(&self.gates, gate) =>
            {
                Some(describe(event))
            }
            Event::ProtectedPinned { .. }
                if self.gates.last_key_value().is_some_and(|(_, step)| step == self.step) =>
            {
                Some(describe(event))
            }
            Event::FeedbackGiven { step, by, message, .. } if step == self.step => {
                Some(format!("{by} sent it back: {message}"))
            }
            Event::RouteTaken { step, verdict, target }
                if step == self.step && verdict == FailedRoute::NAME =>
            {
                Some(format!("its checks failed, which leads to `{target}`"))
            }
            Event::RouteTaken { step, verdict, target } if step == self.step => {
                Some(format!("its verdict is {verdict}, which leads to `{target}`"))
            }
            Event::RouteTaken { step, verdict, target } if target == self.step => {
                Some(format!("`{step}` said {verdict}, which leads here"))
            }
            Event::RolledBack { target, by, message, .. } if target == self.step => {
                Some(format!("{by} went back to it: {message}"))
            }
            Event::WorkReverted { step } if step == self.step => Some(
                "its last try broke what `keeps` protects, and is undone before the next"
                    .to_owned(),
            ),
            Event::RetriesReset { step } if step == self.step => {
                Some("a person gave it new tries".to_owned())
            }
            _ => None,
        };
        said.into_iter().collect()
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other events are told elsewhere")]
    fn about_order(
        &self,
        event: &Event,
        before: Option<&RunState>,
        after: &RunState,
    ) -> Vec<String> {
        let holds =
            |state: Option<&RunState>| state.is_some_and(|state| state.holder == Some(self.index));
        let said = match event {
            Event::RunStarted { .. } => Some(match needs(after, self.index).as_slice() {
                [] => "the run began; it needs no other step".to_owned(),
                names => format!("the run began; it needs {}", names.join(" and ")),
            }),
            Event::StepReady { step } if step == self.step => {
                Some("its `when` holds: it is ready".to_owned())
            }
            Event::ItemOpened { item } if after.plan.item_of(self.index).as_ref() == Some(item) => {
                Some(format!("its item `{item}` started"))
            }
            Event::StepTaken { step } if step == self.step => Some(
                match after.plan.step(self.index).is_spoke() {
                    true => "it got a place of its own, beside the other spokes of its team",
                    false => "it has the place: no other step runs meanwhile",
                }
                .to_owned(),
            ),
            Event::StepAdopted { step, .. } if step == self.step => {
                Some("what it wrote was brought into the run's place".to_owned())
            }
            Event::StepBegan { step, baseline } if step == self.step => {
                Some(format!("it began from code {}", short(&baseline.snapshot.code)))
            }
            Event::StepSkipped { step, reason, .. } if step == self.step => {
                Some(format!("it was skipped: {reason}"))
            }
            Event::StepTakenBack { step, reason } if step == self.step => {
                Some(format!("its work is removed, to continue without it: {reason}"))
            }
            Event::WaitStarted { step, until, limit } if step == self.step => Some(if *limit {
                format!("it waits until {until}, and nothing is started before")
            } else {
                format!("it waits until {until} before its next try")
            }),
            Event::StepDone { step } if step == self.step => Some("it is done".to_owned()),
            Event::StepWaived { step, .. } if step == self.step => {
                Some("it was waived: it counts as done and is not proven".to_owned())
            }
            Event::StepFailed { step } if step == self.step => {
                Some("it failed: its tries are used up".to_owned())
            }
            Event::StepBlocked { step, reason } if step == self.step => {
                Some(format!("it is blocked: {reason}"))
            }
            Event::StepDone { step } | Event::StepSkipped { step, .. }
                if after
                    .plan
                    .find(step)
                    .is_some_and(|other| after.plan.step(self.index).needs.contains(&other)) =>
            {
                Some(format!("{}, which it needs", describe(event)))
            }
            Event::BlockerRaised { .. } | Event::RunPaused { .. } | Event::RunResumed { .. }
                if holds(before) || holds(Some(after)) =>
            {
                Some(match event {
                    Event::RunResumed { .. } => "the run was resumed".to_owned(),
                    other => format!("the run stopped here: {}", describe(other)),
                })
            }
            Event::RunAborted if !after.step(self.index).is_finished() => Some(describe(event)),
            _ => None,
        };
        said.into_iter().collect()
    }
}

/// Why a verification happens.
fn verify_words(reason: VerifyReason) -> &'static str {
    match reason {
        VerifyReason::AttemptEnded => "what it left is verified",
        VerifyReason::MayBeDone => "it is verified first: the work may be there already",
        VerifyReason::GroupDone => "it is verified: the steps nested in it are done",
        VerifyReason::BeforePublishing => "what has to hold before it is published is verified",
        VerifyReason::ChangedAtGate => "it is verified again: files changed at the gate",
        VerifyReason::Pinned => "it is verified again: changed protected files were accepted",
        VerifyReason::MovedOn => "it is verified again: files changed meanwhile",
    }
}

fn needs(state: &RunState, index: StepIndex) -> Vec<String> {
    let needs = state.plan.step(index).needs.iter();
    needs.map(|need| format!("`{}`", state.plan.step(*need).id)).collect()
}

fn short(id: &ObjectId) -> &str {
    id.as_str().get(..12).unwrap_or(id.as_str())
}
