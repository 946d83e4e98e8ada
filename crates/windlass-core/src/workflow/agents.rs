//! The agents that a workflow names.

use std::collections::BTreeSet;

use super::definition::Workflow;
use crate::source::diagnostic::{Diagnostic, Findings};
use crate::source::suggest::{shown, slip_of};

impl Workflow {
    /// Returns the names of all agents, each once.
    pub fn agents(&self) -> BTreeSet<&str> {
        self.order.steps.iter().filter_map(|ordered| ordered.step.agent()).collect()
    }

    /// Returns what to say about agents that have no role among `known`.
    ///
    /// Any name is allowed: the prompt names it, and that is all the agent then knows of its role. A
    /// name that is nearly one of a role is more likely a slip.
    pub fn unknown_agents<'k>(
        &self,
        known: impl Iterator<Item = &'k str> + Clone,
    ) -> Vec<Diagnostic> {
        let mut findings = Findings::new(&self.file);
        let mut said = BTreeSet::new();
        for agent in self.order.steps.iter().filter_map(|ordered| ordered.step.agent.as_ref()) {
            let name = agent.value.as_str();
            if known.clone().any(|role| role == name) || !said.insert(name) {
                continue;
            }
            let message = format!("the agent {} has no role file", shown(name));
            match slip_of(name, known.clone()) {
                Some(near) => {
                    findings.warning(agent.at, message, format!("did you mean `{near}`?"));
                }
                None => findings.note(
                    agent.at,
                    message,
                    "it gets only its task; a role goes into `.windlass/agents/NAME.md`",
                ),
            }
        }
        findings.into_sorted()
    }
}
