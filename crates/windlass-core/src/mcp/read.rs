//! The keys of a server, in a workflow and in the front matter of a role.

use std::collections::BTreeMap;

use super::McpServer;
use crate::source::At;
use crate::source::diagnostic::Findings;
use crate::source::fields;
use crate::source::name::is_name;
use crate::source::suggest::shown;
use crate::source::yaml::Node;

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
