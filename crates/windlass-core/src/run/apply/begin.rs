//! The state that a run begins with.

use std::sync::Arc;

use imbl::{OrdSet, Vector};

use super::IllegalEvent;
use crate::run::state::{Control, Phase, RunState, Spent, StepState};
use crate::run::{Blocks, Cold, Event, Raise};
use crate::time::{Span, Timestamp};

impl RunState {
    /// Makes the state of a run from its first event.
    ///
    /// # Errors
    /// The event is not `run_started`.
    pub fn begin(at: Timestamp, event: &Event) -> Result<Self, IllegalEvent> {
        let Event::RunStarted { plan, facts } = event else {
            return Err(IllegalEvent::NotStarted { kind: event.kind() });
        };
        let plan = Arc::new((**plan).clone());
        let steps: Vector<Arc<StepState>> =
            plan.steps.iter().map(|step| Arc::new(StepState::new(step.needs.len()))).collect();
        let mut state = Self {
            remaining: u32::try_from(plan.steps.len()).unwrap_or(u32::MAX),
            head: facts.base.clone(),
            head_code: facts.base_tree.clone(),
            proven_code: facts.base_tree.clone(),
            plan: Arc::clone(&plan),
            facts: Arc::new((**facts).clone()),
            control: Control::Active,
            now: at,
            started_at: at,
            since: at,
            driver: None,
            session: None,
            blocks: Blocks::default(),
            steps,
            context: Arc::new(serde_json::json!({})),
            spent: Spent::default(),
            played_by: None,
            raised: Raise::default(),
            deciding: OrdSet::new(),
            ready: OrdSet::new(),
            holder: None,
            aside: OrdSet::new(),
            blocked: OrdSet::new(),
            latest: None,
            pins: Arc::default(),
            pinned_values: Arc::default(),
            pinned_in: Arc::default(),
            accepted: Arc::default(),
            unseen: Arc::default(),
            reset_code: None,
            verifications: 0,
            gates: 0,
            publication: None,
            intended: Vec::new(),
            cold: Cold::default(),
            checkpoints: imbl::Vector::new(),
            draft: false,
            gate_since: None,
            boxes: None,
            unboxed: false,
            clarifications: imbl::Vector::new(),
            blockers: imbl::Vector::new(),
            items: Vector::new(),
            noted: Vector::new(),
            reading: OrdSet::new(),
            repeating: OrdSet::new(),
        };
        for index in plan.indexes() {
            if plan.step(index).needs.is_empty() {
                state.open(index);
            }
        }
        Ok(state)
    }
}

impl StepState {
    pub(super) fn new(needs: usize) -> Self {
        Self {
            phase: Phase::Pending,
            unmet: u32::try_from(needs).unwrap_or(u32::MAX),
            epoch: 0,
            attempts: 0,
            tries: 0,
            lost: 0,
            broken: 0,
            free: 0,
            limits: 0,
            moved_to: None,
            troubled: 0,
            trouble: None,
            repeats: 0,
            ended: None,
            session: None,
            resumed: None,
            handover: None,
            verify_first: false,
            unjudged: false,
            baseline: None,
            first_code: None,
            before: None,
            taken_back: None,
            red: None,
            unheld: Vec::new(),
            fails_cold: false,
            facts_set: 0,
            spoiled: false,
            reverting: false,
            seen: None,
            failure: None,
            failed_before: Vec::new(),
            asked_before: Vec::new(),
            suggested: Vec::new(),
            looked: None,
            hotfix: None,
            papers: Vec::new(),
            kept_papers: Vec::new(),
            published: Vec::new(),
            routes: std::collections::BTreeMap::new(),
            told: crate::run::Told::default(),
            questions: Vec::new(),
            stories: Vec::new(),
            approved: false,
            acted: false,
            shown_settings: None,
            accepted_settings: None,
            waived: false,
            set_aside: false,
            kept_unproven: false,
            note: None,
            started_at: None,
            completed_at: None,
            cost_usd: 0.0,
            wall: Span(0),
        }
    }
}
