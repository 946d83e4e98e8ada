//! The only mutator: folds one event into the state.
//!
//! `apply` trusts that an event was decided on this state and checks only what a broken or
//! foreign journal could get wrong. An event that does not fit stops the replay with the event and
//! the phase it met; nothing is skipped.

mod aside;
mod attempt;
mod begin;
mod blocker;
mod cold;
mod item;
mod noted;
mod publish;
mod question;
mod reopen;
mod set_back;
mod step;
mod told;
mod verification;

#[cfg(test)]
mod apply_tests;

use std::sync::Arc;

use crate::id::{ItemId, StepId, StepIndex};
use crate::run::state::{Control, Gate, GateKind, Phase, RunState, StepState};
use crate::run::{Blocks, Event};
use crate::time::Timestamp;

/// An event that cannot follow on the state it met.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum IllegalEvent {
    #[error("the event `{kind}` names the step `{step}`, which the plan does not have")]
    UnknownStep { kind: &'static str, step: StepId },
    #[error("the event `{kind}` names the item `{item}`, which the run does not have")]
    UnknownItem { kind: &'static str, item: ItemId },
    #[error("the event `{kind}` cannot follow while the step `{step}` is {phase}")]
    WrongPhase { kind: &'static str, step: StepId, phase: String },
    #[error("the event `{kind}` cannot follow after the run has ended")]
    AfterEnd { kind: &'static str },
    #[error("the event `{kind}` cannot follow while the run is {control}")]
    WrongControl { kind: &'static str, control: String },
    #[error("the event `{kind}` gives the number {found} where {expected} comes next")]
    WrongNumber { kind: &'static str, found: u32, expected: u32 },
    #[error("the event `{kind}` finishes `{step}`, but the counts of unfinished steps are wrong")]
    Miscounted { kind: &'static str, step: StepId },
    #[error("the first event is `{kind}`, not `run_started`")]
    NotStarted { kind: &'static str },
    #[error("a second `run_started`")]
    StartedTwice,
}

type Applied = Result<(), IllegalEvent>;

impl RunState {
    /// Folds one event, which happened at `at`, into the state.
    ///
    /// # Errors
    /// The event cannot follow on this state: the journal is broken or of another run.
    pub fn apply(&mut self, at: Timestamp, event: &Event) -> Result<(), IllegalEvent> {
        if self.is_ended() {
            return Err(IllegalEvent::AfterEnd { kind: event.kind() });
        }
        self.now = self.now.max(at);
        match event {
            Event::RunStarted { .. } => Err(IllegalEvent::StartedTwice),
            Event::DriverTookOver { .. }
            | Event::DriverLeft
            | Event::StopBlocked
            | Event::SessionNoted { .. }
            | Event::BlocksReset => self.apply_to_driver(event),
            Event::StepReady { step }
            | Event::StepTaken { step }
            | Event::StepBegan { step, .. }
            | Event::StepSkipped { step, .. }
            | Event::StepTakenBack { step, .. }
            | Event::StepCommitted { step, .. }
            | Event::StepAdopted { step, .. }
            | Event::PublishIntended { step, .. }
            | Event::Published { step, .. }
            | Event::PublishRefused { step, .. }
            | Event::PushSettingsAccepted { step }
            | Event::WaitStarted { step, .. }
            | Event::WaitEnded { step }
            | Event::StepDone { step }
            | Event::StepWaived { step, .. }
            | Event::WorkReverted { step }
            | Event::StepFailed { step }
            | Event::StepBlocked { step, .. }
            | Event::ContextSet { step, .. } => self.apply_to_step(self.index(event, step)?, event),
            Event::VerificationStarted { step, .. }
            | Event::VerificationBroken { step, .. }
            | Event::VerificationHindered { step, .. }
            | Event::StepProven { step, .. }
            | Event::StepNotProven { step, .. }
            | Event::RouteTaken { step, .. } => {
                self.apply_verification(self.index(event, step)?, event)
            }
            Event::VerificationAbandoned { .. } => self.abandon_verification(event),
            Event::RoundFailed { attempt, .. } => {
                self.apply_verification(self.index(event, &attempt.step)?, event)
            }
            Event::AttemptStarted { attempt, .. }
            | Event::OfferTaken { attempt, .. }
            | Event::OfferWithdrawn { attempt }
            | Event::AttemptHandedOver { attempt, .. }
            | Event::StopRequested { attempt, .. }
            | Event::AttemptEnded { attempt, .. }
            | Event::AttemptLost { attempt, .. } => {
                self.apply_to_attempt(self.index(event, &attempt.step)?, attempt, event)
            }
            Event::GateOpened { .. }
            | Event::GateApproved { .. }
            | Event::GateAnswerRefused { .. }
            | Event::ProtectedPinned { .. } => self.apply_to_gate(event),
            Event::FeedbackGiven { step, .. } | Event::RetriesReset { step } => {
                let index = self.index(event, step)?;
                self.settle_notes(index);
                self.apply_reopening(index, event)
            }
            Event::RolledBack { target, .. } => {
                let index = self.index(event, target)?;
                self.settle_notes(index);
                self.apply_reopening(index, event)
            }
            Event::RepeatBegan { .. }
            | Event::TasksRead { .. }
            | Event::ItemAdded { .. }
            | Event::ItemUpdated { .. }
            | Event::ItemOpened { .. }
            | Event::ItemMoved { .. }
            | Event::ItemTakenBack { .. }
            | Event::ItemGoesOn { .. } => self.apply_to_items(event),
            Event::ProgressReported { .. }
            | Event::CheckpointMade { .. }
            | Event::DraftAsked { .. } => self.apply_told(event),
            Event::QuestionsAsked { .. }
            | Event::QuestionAnswered { .. }
            | Event::ClarificationAdded { .. } => self.apply_to_questions(event),
            Event::BlockerOpened { .. }
            | Event::BlockerLookedAt { .. }
            | Event::BlockerStays { .. }
            | Event::BlockerResolved { .. }
            | Event::ResolutionNoted { .. } => self.apply_to_blocker(event),
            Event::ColdProofBegan { .. }
            | Event::ColdProofHeld { .. }
            | Event::ColdProofFailed { .. }
            | Event::ColdProofBroken { .. }
            | Event::ColdProofAbandoned { .. }
            | Event::ColdProofWaived { .. } => self.apply_to_cold(event),
            Event::FailureNoted { .. } => self.note_failure(event),
            Event::AgentChanged { .. }
            | Event::BlockerRaised { .. }
            | Event::RunPaused { .. }
            | Event::RunResumed { .. }
            | Event::AbortRequested { .. }
            | Event::RunAborted
            | Event::RunCompleted => self.apply_to_control(event),
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    fn apply_to_driver(&mut self, event: &Event) -> Applied {
        match event {
            Event::DriverTookOver { driver, session, boxes } => {
                self.driver = Some(*driver);
                self.boxes = *boxes;
                self.session.clone_from(session);
                self.blocks = Blocks::default();
            }
            Event::DriverLeft => {
                // The session stays the run's owner: who may go on with it is asked of it first.
                self.driver = None;
            }
            Event::StopBlocked => {
                self.blocks.in_a_row = self.blocks.in_a_row.saturating_add(1);
                self.blocks.in_all = self.blocks.in_all.saturating_add(1);
            }
            Event::SessionNoted { .. } => {}
            Event::BlocksReset => {
                self.blocks = Blocks::default();
            }
            _ => return Err(self.wrong_control(event)),
        }
        Ok(())
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    fn apply_to_control(&mut self, event: &Event) -> Applied {
        let aborting = matches!(self.control, Control::Aborting);
        let stopped = matches!(self.control, Control::Paused { .. } | Control::Obstructed { .. });
        let can_block = self.in_hand().any(|index| {
            let phase = &self.step(index).phase;
            matches!(phase, Phase::Committing { .. } | Phase::Due | Phase::Proven { .. })
        });
        let control = match event {
            Event::AgentChanged { played_by, .. } if !aborting => {
                self.change_agent(played_by);
                return Ok(());
            }
            Event::BlockerRaised { message } if !aborting && can_block => {
                Control::Obstructed { message: message.clone() }
            }
            Event::RunPaused { reason, detail } if !aborting => {
                Control::Paused { reason: *reason, detail: detail.clone() }
            }
            Event::RunResumed { raise } if stopped => {
                self.raised.attempts = self.raised.attempts.saturating_add(raise.attempts);
                self.raised.cost_usd += raise.cost_usd;
                self.raised.wall = self.raised.wall.plus(raise.wall);
                for index in self.in_hand().collect::<Vec<_>>() {
                    // Whoever resumes says that what kept failing around the work is solved.
                    self.update(index, |step| {
                        (step.lost, step.broken) = (0, 0);
                        (step.free, step.troubled, step.trouble) = (0, 0, None);
                    });
                }
                Control::Active
            }
            Event::AbortRequested { .. } if !aborting => Control::Aborting,
            Event::RunAborted if aborting && self.running_attempts().next().is_none() => {
                Control::Aborted
            }
            Event::RunCompleted if self.control == Control::Active && self.remaining == 0 => {
                Control::Completed
            }
            _ => return Err(self.wrong_control(event)),
        };
        self.control = control;
        self.since = self.now;
        Ok(())
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    fn apply_to_gate(&mut self, event: &Event) -> Applied {
        match event {
            Event::GateOpened { gate } => {
                let index = self.index(event, &gate.step)?;
                let group = self.plan.step(index).kind.is_group();
                let late = matches!(gate.kind, GateKind::Protected { late: true, .. });
                let at_the_end = late && self.remaining == 0;
                self.expect(index, event, |phase| {
                    matches!(phase, Phase::Verifying { .. } | Phase::Proven { .. })
                        || (group && matches!(phase, Phase::Due))
                        || (at_the_end && matches!(phase, Phase::Done))
                })?;
                expect_next(event, gate.id.0, self.gates)?;
                if at_the_end {
                    self.ask_once_more(index);
                }
                if matches!(self.step(index).phase, Phase::Verifying { .. }) {
                    self.interrupt_verification(index, event)?;
                }
                self.gates = gate.id.0;
                self.gate_since = Some(self.now);
                self.since = self.now;
                self.update(index, |step| step.phase = Phase::AtGate { gate: gate.clone() });
            }
            Event::ProtectedPinned { changes } => {
                // Work that is accepted is proven, and its gate closed, before this is told.
                let snapshot = match self.holding().map(|(_, _, step)| &step.phase) {
                    Some(Phase::AtGate {
                        gate: Gate { kind: GateKind::Protected { .. }, snapshot, .. },
                    })
                    | Some(Phase::Proven { snapshot }) => snapshot,
                    _ => return Err(self.wrong_control(event)),
                };
                let code = snapshot.code.clone();
                self.note_seen(changes);
                let accepted_in = Arc::make_mut(&mut self.pinned_in);
                let pins = Arc::make_mut(&mut self.pins);
                let values = Arc::make_mut(&mut self.pinned_values);
                for change in changes {
                    let path = change.path.clone();
                    match &change.values {
                        Some(accepted) => drop(values.insert(path, accepted.clone())),
                        None => {
                            accepted_in.insert(path.clone(), code.clone());
                            pins.insert(path, change.now.clone());
                        }
                    }
                }
            }
            Event::GateApproved { gate: id, .. } | Event::GateAnswerRefused { gate: id, .. } => {
                let Some(gate) = self.gate().filter(|gate| gate.id == *id).cloned() else {
                    return Err(self.wrong_control(event));
                };
                let index = self.index(event, &gate.step)?;
                if let Event::GateApproved { by, in_advance: false, .. } = event {
                    self.note_accepted(&gate, by);
                }
                let accepts_work = match gate.kind {
                    GateKind::Approval => true,
                    GateKind::Protected { late: true, .. } => false,
                    GateKind::Protected { .. } | GateKind::Route { .. } => return Ok(()),
                };
                if matches!(event, Event::GateApproved { .. }) {
                    self.update(index, |step| {
                        step.approved |= accepts_work;
                        step.phase = Phase::Proven { snapshot: gate.snapshot };
                    });
                }
            }
            _ => return Err(self.wrong_control(event)),
        }
        Ok(())
    }

    /// Takes a step in hand that is done, because a person is asked before the run is complete: it and what
    /// depends on it are counted as if it were not done yet.
    fn ask_once_more(&mut self, index: StepIndex) {
        let plan = Arc::clone(&self.plan);
        self.remaining += 1;
        self.take_in_hand(index);
        for &dependent in plan.dependents(index) {
            self.update(dependent, |step| step.unmet += 1);
        }
    }

    fn index(&self, event: &Event, step: &StepId) -> Result<StepIndex, IllegalEvent> {
        self.plan
            .find(step)
            .ok_or_else(|| IllegalEvent::UnknownStep { kind: event.kind(), step: step.clone() })
    }

    /// Changes one step; the other steps stay shared with older copies of the state.
    fn update(&mut self, index: StepIndex, change: impl FnOnce(&mut StepState)) {
        change(Arc::make_mut(&mut self.steps[index.get()]));
    }

    fn expect(
        &self,
        index: StepIndex,
        event: &Event,
        fits: impl FnOnce(&Phase) -> bool,
    ) -> Applied {
        if fits(&self.step(index).phase) { Ok(()) } else { Err(self.wrong_phase(index, event)) }
    }

    fn wrong_phase(&self, index: StepIndex, event: &Event) -> IllegalEvent {
        IllegalEvent::WrongPhase {
            kind: event.kind(),
            step: self.plan.step(index).id.clone(),
            phase: format!("{:?}", self.step(index).phase),
        }
    }

    /// Like [`Self::expect`], for events of a step that has the place, or one of its own.
    fn expect_holder(
        &self,
        index: StepIndex,
        event: &Event,
        fits: impl FnOnce(&Phase) -> bool,
    ) -> Applied {
        self.expect(index, event, |phase| self.is_in_hand(index) && fits(phase))
    }

    fn wrong_control(&self, event: &Event) -> IllegalEvent {
        IllegalEvent::WrongControl { kind: event.kind(), control: format!("{:?}", self.control) }
    }
}

/// Numbers that count over a run or a step leave no gap.
fn expect_next(event: &Event, found: u32, last: u32) -> Applied {
    match last.checked_add(1) {
        Some(expected) if expected == found => Ok(()),
        expected => Err(IllegalEvent::WrongNumber {
            kind: event.kind(),
            found,
            expected: expected.unwrap_or(u32::MAX),
        }),
    }
}
