//! The MCP servers of a role.
//!
//! Claude Code takes a list of names and of mappings from a name to a server; people also write one
//! mapping. Servers that are not programs on this machine are left out with a warning.

use std::collections::BTreeMap;

use super::RoleServer;
use crate::mcp::read;
use crate::mcp::{MAX_SERVERS, McpServer, is_server_name};
use crate::source::At;
use crate::source::diagnostic::Findings;
use crate::source::fields;
use crate::source::suggest::shown;
use crate::source::yaml::{Node, Value};

/// Reads `mcpServers`.
pub(super) fn read(node: &Node, findings: &mut Findings) -> BTreeMap<String, RoleServer> {
    let mut servers = BTreeMap::new();
    for node in fields::one_or_more(node) {
        if let Value::Text(name) = &node.value {
            add(name, node.at, RoleServer::Named, &mut servers, findings);
            continue;
        }
        for (name, at, node) in fields::entries(node, "a server", findings).unwrap_or_default() {
            if let Some(server) = own(name, at, node, findings) {
                add(name, at, RoleServer::Own(server), &mut servers, findings);
            }
        }
    }
    if servers.len() > MAX_SERVERS {
        let message = format!("there are {} servers, more than {MAX_SERVERS}", servers.len());
        findings.error_with_help(node.at, message, "keep those that the role really uses");
    }
    servers
}

fn add(
    name: &str,
    at: At,
    server: RoleServer,
    servers: &mut BTreeMap<String, RoleServer>,
    findings: &mut Findings,
) {
    if !is_server_name(name) {
        read::refuse_name(name, at, findings);
    } else if servers.insert(name.to_owned(), server).is_some() {
        let message = format!("the server {} is given twice", shown(name));
        findings.error_with_help(at, message, "keep one of the two");
    }
}

/// Reads a server that the role brings along; `None` also for one that is left out.
fn own(name: &str, at: At, node: &Node, findings: &mut Findings) -> Option<McpServer> {
    let keys = fields::entries(node, "a server", findings)?;
    let get = |wanted: &str| keys.iter().find(|(key, ..)| *key == wanted).map(|(.., node)| *node);
    let kind = get("type").and_then(|node| fields::filled_text(node, findings));
    if kind.is_some_and(|kind| kind.value != "stdio") || get("command").is_none() {
        findings.warning(
            at,
            format!(
                "the server {} is not a program on this machine, so it is left out",
                shown(name)
            ),
            "windlass starts servers that have a `command`",
        );
        return None;
    }
    read::read_parts(&get, findings)
}
