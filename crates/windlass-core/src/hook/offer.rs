//! What a session is offered: attempts that nobody has taken yet.

use crate::id::{AttemptId, StepIndex};
use crate::plan::StepKind;
use crate::prompt::prompt;
use crate::role::RoleSource;
use crate::run::{Phase, RunState};

/// The plugin's agent for roles that the plugin itself does not have.
const WORKER: &str = "worker";

/// An attempt that a session is to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The step.
    pub index: StepIndex,
    /// The attempt.
    pub attempt: AttemptId,
    /// The host's agent, as its tool names it.
    pub agent: String,
    /// What the session has to call the agent with, word for word.
    pub words: String,
    /// The model, where the step or its role wants one.
    pub model: Option<String>,
    /// Whether the session has called its tool, and no subagent has come of it yet.
    pub taken: bool,
}

/// Returns what the session is to start, in the order of the plan.
pub fn offers(state: &RunState) -> Vec<Offer> {
    if !state.is_hosted() {
        return Vec::new();
    }
    state.in_hand().filter_map(|index| offer(state, index)).collect()
}

fn offer(state: &RunState, index: StepIndex) -> Option<Offer> {
    let (plan, step) = (state.plan.step(index), state.step(index));
    let Phase::Running { attempt, .. } = step.phase else { return None };
    if step.handover.as_ref().is_some_and(|handover| handover.agent.is_some()) {
        return None;
    }
    let attempt = AttemptId { step: plan.id.clone(), number: attempt };
    Some(Offer {
        index,
        agent: host_agent(state, index),
        words: format!("windlass attempt {attempt} of run {}", state.facts.run),
        model: state.plan.model_of(plan).map(str::to_owned),
        taken: step.handover.is_some(),
        attempt,
    })
}

/// The plugin has an agent for each role that comes with windlass. Any other role is played by its
/// neutral agent, which is told the role.
fn host_agent(state: &RunState, index: StepIndex) -> String {
    let role = state.plan.role_of(state.plan.step(index));
    let shipped = role.filter(|role| role.source == RoleSource::Shipped);
    format!("windlass:{}", shipped.map_or(WORKER, |role| role.name.as_str()))
}

impl Offer {
    /// Returns what the subagent is told: the session's words are replaced by these.
    pub fn prompt(&self, state: &RunState, place: &str) -> String {
        let plan = state.plan.step(self.index);
        let mut text = format!("{}\n\n", self.words);
        if place != state.facts.place {
            text.push_str(&format!(
                "Work in the folder `{place}`: every path below is meant from there, and you write \
                 nowhere else. Use absolute paths.\n\n"
            ));
        }
        let role = state.plan.role_of(plan).filter(|role| role.source != RoleSource::Shipped);
        if let (Some(role), StepKind::Agent { .. }) = (role, &plan.kind) {
            text.push_str(&format!("# Your role\n\n{}\n\n", role.body.trim_end()));
        }
        text.push_str(&prompt(state, self.index, &self.attempt));
        text
    }
}
