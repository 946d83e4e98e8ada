//! MCP servers that a workflow offers its agents.

use std::collections::BTreeMap;

use super::diagnostic::{At, Findings};
use super::fields::{self, Fields};
use super::grammar;
use super::suggest::shown;
use super::yaml::Node;
use crate::mcp::{MAX_SERVERS, McpServer, is_server_name};
use crate::plan::template::is_name;

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
            refuse_name(name, at, findings);
        }
        let Some(fields) = Fields::read(node, &grammar::SERVER, findings) else { continue };
        if fields.required("command", "a server", findings).is_none() {
            continue;
        }
        if let Some(server) = read_parts(&|key: &str| fields.get(key), findings) {
            servers.insert(name.to_owned(), server);
        }
    }
    servers
}

pub(crate) fn refuse_name(name: &str, at: At, findings: &mut Findings) {
    findings.error_with_help(
        at,
        format!("{} cannot be the name of a server", shown(name)),
        "use at most 64 letters, digits, `-` and `_`, with a letter or a digit in front",
    );
}

/// Reads the keys of a server; `get` finds the value of a key.
pub(crate) fn read_parts<'n>(
    get: &dyn Fn(&str) -> Option<&'n Node>,
    findings: &mut Findings,
) -> Option<McpServer> {
    let command = get("command").and_then(|node| fields::filled_text(node, findings));
    let args = get("args").and_then(|node| fields::list(node, "arguments", findings));
    let args = args.unwrap_or_default();
    let args = args.iter().filter_map(|node| fields::text(node, findings)).map(|arg| arg.value);
    let args = args.collect();
    let env = get("env").map(|node| variables(node, findings)).unwrap_or_default();
    let optional = get("optional").and_then(|node| fields::boolean(node, findings));
    Some(McpServer { command: command?.value, args, env, optional: optional.unwrap_or(false) })
}

fn variables(node: &Node, findings: &mut Findings) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    for (name, at, node) in fields::entries(node, "`env`", findings).unwrap_or_default() {
        if !is_name(name) {
            let message = format!("{} cannot be the name of a variable", shown(name));
            findings.error_with_help(at, message, "use letters, digits and `_`");
        }
        if let Some(value) = fields::text(node, findings) {
            variables.insert(name.to_owned(), value.value);
        }
    }
    variables
}
