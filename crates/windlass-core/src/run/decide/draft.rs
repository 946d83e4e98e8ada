//! A decision in the making.

use crate::id::{StepId, StepIndex};
use crate::run::state::RunState;
use crate::run::{Event, Input, InputKind, Presence, Rejected};
use crate::time::Timestamp;

/// The state as it will be, and the events that make it so.
///
/// The copy is cheap because the state's collections share structure; it is thrown away when the
/// decision is made, and the driver applies the events to its own state once they are durable.
pub(super) struct Draft {
    pub(super) state: RunState,
    at: Timestamp,
    actor: String,
    by_person: bool,
    presence: Option<Presence>,
    events: Vec<Event>,
}

impl Draft {
    pub(super) fn new(state: &RunState, input: &Input) -> Self {
        let actor = input.actor.as_person().map_or_else(|| input.actor.to_string(), str::to_owned);
        let by_person = input.actor.as_person().is_some();
        let presence = if let InputKind::DecidedAt { presence, .. } = &input.kind {
            Some(presence.clone())
        } else {
            None
        };
        Self { state: state.clone(), at: input.at, actor, by_person, presence, events: Vec::new() }
    }

    /// Records an event and goes on from the state that it gives.
    ///
    /// An event that does not fit is a fault of the decider; [`super::bug`] turns the panic into a pause.
    pub(super) fn emit(&mut self, event: Event) {
        self.state.apply(self.at, &event).expect("a decision only makes events that fit its state");
        self.events.push(event);
    }

    /// When the decision is made.
    pub(super) fn now(&self) -> Timestamp {
        self.at.max(self.state.now)
    }

    /// Who caused the decision.
    pub(super) fn actor(&self) -> String {
        self.actor.clone()
    }

    /// From where the person decided, and how long the gate that holds the run had been open.
    pub(super) fn presence(&self) -> Option<Presence> {
        let mut presence = self.presence.clone()?;
        let opened = self.state.gate_since.filter(|_| self.state.gate().is_some());
        presence.open = opened.map(|opened| self.now().since(opened));
        Some(presence)
    }

    /// Whether a person caused it.
    pub(super) fn is_by_person(&self) -> bool {
        self.by_person
    }

    pub(super) fn find(&self, step: &StepId) -> Result<StepIndex, Rejected> {
        self.state.plan.find(step).ok_or_else(|| Rejected::UnknownStep { step: step.clone() })
    }

    pub(super) fn id(&self, index: StepIndex) -> StepId {
        self.state.plan.step(index).id.clone()
    }

    pub(super) fn finish(self) -> (RunState, Vec<Event>) {
        (self.state, self.events)
    }
}
