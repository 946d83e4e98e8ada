//! What a command of a check is given in its room, as written: `env`, `network`, `hosts` and `room`.

use std::collections::BTreeMap;

use super::grammar;
use super::network;
use crate::plan::{RoomNetwork, RoomWishes};
use crate::reach::check_exposed;
use crate::source::diagnostic::{At, Findings, Located};
use crate::source::fields::{self, Fields};
use crate::source::name::is_name;
use crate::source::suggest::shown;
use crate::source::yaml::{Node, Value};

/// How the names of variables begin that a workflow cannot give: windlass's own, and those that change
/// what git and the loader do.
pub(super) const KEPT_BEGINNINGS: [&str; 3] = ["WINDLASS_", "GIT_", "LD_"];

/// The same, whole: the room sets them.
pub(super) const KEPT_NAMES: [&str; 4] = ["PATH", "HOME", "TMPDIR", "SHELL"];

/// What the names of variables began with that checks used to find the context and the item in.
const FORMER_BEGINNINGS: [&str; 2] = ["WINDLASS_CONTEXT_", "WINDLASS_"];

/// What a check asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct WrittenRoom {
    pub(crate) variables: BTreeMap<String, Located<String>>,
    network: RoomNetwork,
    hosts: Vec<String>,
    expose: Vec<String>,
}

impl WrittenRoom {
    /// Returns it as a plan has it; expressions find run and item in the document.
    pub(crate) fn planned(&self) -> Box<RoomWishes> {
        let text = |(name, expr): (&String, &Located<String>)| (name.clone(), expr.value.clone());
        Box::new(RoomWishes {
            variables: self.variables.iter().map(text).collect(),
            network: self.network,
            hosts: self.hosts.clone(),
            expose: self.expose.clone(),
            agents_own: false,
        })
    }
}

/// Reads the names of variables that matter to the result, and all that is asked for besides.
pub(super) fn read(fields: &Fields<'_>, findings: &mut Findings) -> (Vec<String>, WrittenRoom) {
    let mut names = Vec::new();
    let mut room = WrittenRoom::default();
    match fields.get("env") {
        Some(node) if matches!(node.value, Value::Map(_)) => {
            room.variables = read_variables(node, findings);
        }
        Some(node) => names = read_names(node, findings),
        None => {}
    }
    let network = fields.get("network");
    let network = network.and_then(|node| fields::word(node, &grammar::ROOM_NETWORK, findings));
    room.network = network.unwrap_or_default();
    if let Some(node) = fields.get("hosts") {
        let hosts = network::read_hosts(node, findings);
        if room.network == RoomNetwork::Host {
            findings.error_with_help(
                node.at,
                "`hosts` and `network: host` do not go together",
                "leave out `network: host`: with it every host is reached already",
            );
        }
        room.hosts = hosts.into_iter().map(|host| host.value.to_string()).collect();
    }
    let expose = fields.get("room").map(|node| read_exposed(node, findings));
    room.expose = expose.unwrap_or_default();
    (names, room)
}

fn read_names(node: &Node, findings: &mut Findings) -> Vec<String> {
    let mut names = Vec::new();
    for node in fields::one_or_more(node) {
        let Some(name) = fields::filled_text(node, findings) else { continue };
        if is_name(&name.value) {
            names.push(name.value);
        } else {
            findings.error(node.at, "expected the name of an environment variable");
        }
    }
    names
}

fn read_variables(node: &Node, findings: &mut Findings) -> BTreeMap<String, Located<String>> {
    let mut variables = BTreeMap::new();
    for (name, at, node) in fields::entries(node, "`env`", findings).unwrap_or_default() {
        let expression = fields::filled_text(node, findings);
        if check_variable(name, at, findings)
            && let Some(expression) = expression
        {
            variables.insert(name.to_owned(), expression);
        }
    }
    variables
}

/// Reports a name that a workflow cannot give to a variable.
fn check_variable(name: &str, at: At, findings: &mut Findings) -> bool {
    if !is_name(name) {
        let message = format!("{} cannot be the name of a variable", shown(name));
        findings.error_with_help(at, message, "use letters, digits and `_`");
        return false;
    }
    if is_kept(name) {
        let message = format!("a check cannot be given the variable {}", shown(name));
        let help = format!("choose another name, such as `{}`", instead_of(name));
        findings.error_with_help(at, message, help);
        return false;
    }
    true
}

fn is_kept(name: &str) -> bool {
    KEPT_NAMES.contains(&name) || KEPT_BEGINNINGS.iter().any(|start| name.starts_with(start))
}

/// Returns a name that can stand in for one that is kept.
fn instead_of(name: &str) -> String {
    let rest = FORMER_BEGINNINGS.iter().find_map(|start| name.strip_prefix(start));
    match rest {
        Some(rest) if is_name(rest) && !is_kept(rest) => rest.to_owned(),
        Some(_) | None => format!("CHECK_{name}"),
    }
}

/// Reads `room`: the paths that it opens.
pub(super) fn read_exposed(node: &Node, findings: &mut Findings) -> Vec<String> {
    let Some(fields) = Fields::read(node, &grammar::ROOM, findings) else { return Vec::new() };
    let expose = fields.required("expose", "`room`", findings);
    expose.map(|node| exposed(node, findings)).unwrap_or_default()
}

/// Reads one path of the machine or a list of them.
pub(crate) fn exposed(node: &Node, findings: &mut Findings) -> Vec<String> {
    let mut paths = Vec::new();
    for node in fields::one_or_more(node) {
        let Some(path) = fields::filled_text(node, findings) else { continue };
        match check_exposed(&path.value) {
            Ok(()) => paths.push(path.value),
            Err(bad) => {
                let message = format!("{} cannot be exposed: {bad}", shown(&path.value));
                findings.error_with_help(path.at, message, bad.help());
            }
        }
    }
    paths
}
