//! What a plan's roles mean for its steps.

use std::collections::BTreeMap;

use super::{Plan, PlanStep, StepKind};
use crate::mcp::McpServer;
use crate::role::{INHERIT, Role, RoleServer};

impl Plan {
    /// Returns the role of a step, where its agent has one.
    pub fn role_of(&self, step: &PlanStep) -> Option<&Role> {
        self.roles.get(step.agent()?)
    }

    /// Returns the model for an attempt at a step: the step's own, else its role's, else none.
    ///
    /// `inherit` means none wherever it stands, so a step can take a role's model back.
    pub fn model_of<'p>(&'p self, step: &'p PlanStep) -> Option<&'p str> {
        match &step.kind {
            StepKind::Agent { model: Some(model), .. } => {
                Some(model.as_str()).filter(|model| *model != INHERIT)
            }
            StepKind::Agent { model: None, .. } => self.role_of(step)?.model(),
            StepKind::Group | StepKind::Foreach(_) | StepKind::PullRequest(_) => None,
        }
    }

    /// Returns the MCP servers that an attempt at a step is offered: those of the workflow and those
    /// that its role brings along, which win where both have a name.
    pub fn servers_of(&self, step: &PlanStep) -> BTreeMap<&str, &McpServer> {
        let workflow = self.mcp.iter().map(|(name, server)| (name.as_str(), server));
        let mut servers: BTreeMap<_, _> = workflow.collect();
        for (name, server) in self.role_of(step).into_iter().flat_map(|role| &role.mcp_servers) {
            if let RoleServer::Own(server) = server {
                servers.insert(name, server);
            }
        }
        servers
    }
}
