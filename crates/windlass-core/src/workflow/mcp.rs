//! MCP servers that a workflow offers its agents.

use std::collections::BTreeMap;

use super::grammar;
use crate::mcp::{MAX_SERVERS, McpServer, is_server_name, read};
use crate::source::diagnostic::Findings;
use crate::source::fields::{self, Fields};
use crate::source::yaml::Node;

/// Reads `mcp:`.
pub(super) fn read_all(node: &Node, findings: &mut Findings) -> BTreeMap<String, McpServer> {
    let declared = fields::entries(node, "`mcp`", findings).unwrap_or_default();
    if declared.len() > MAX_SERVERS {
        let message = format!("there are {} servers, more than {MAX_SERVERS}", declared.len());
        findings.error(node.at, message);
    }
    let mut servers = BTreeMap::new();
    for (name, at, node) in declared.into_iter().take(MAX_SERVERS) {
        if !is_server_name(name) {
            read::refuse_name(name, at, findings);
        }
        let Some(fields) = Fields::read(node, &grammar::SERVER, findings) else { continue };
        if fields.required("command", "a server", findings).is_none() {
            continue;
        }
        if let Some(server) = read::read_parts(&|key: &str| fields.get(key), findings) {
            servers.insert(name.to_owned(), server);
        }
    }
    servers
}
