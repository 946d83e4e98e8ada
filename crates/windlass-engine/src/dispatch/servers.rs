//! The MCP servers that an attempt is offered.

use windlass_core::plan::{Plan, PlanStep};

use crate::agent::{McpServer, is_on_path};

/// Returns the servers of a step whose programs are there.
///
/// # Errors
/// The program of a server that is not optional is missing: the agent would work without what the
/// workflow counts on.
pub(super) fn servers(
    plan: &Plan,
    step: &PlanStep,
    env: &[(String, String)],
) -> Result<Vec<McpServer>, String> {
    let mut offered = Vec::new();
    for (name, server) in plan.servers_of(step) {
        if is_on_path(&server.command, env) {
            offered.push(McpServer {
                name: name.to_owned(),
                command: server.command.clone(),
                args: server.args.clone(),
                env: server.env.clone().into_iter().collect(),
            });
        } else if !server.optional {
            return Err(format!(
                "the MCP server `{name}` of `{}` cannot be started: there is no program `{}` on \
                 PATH; install it, or say `optional: true`",
                step.id, server.command
            ));
        }
    }
    Ok(offered)
}
