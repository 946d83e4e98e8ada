//! Where a verdict leads: read, looked up, and checked to lead back.

use super::check::Kind;
use super::diagnostic::{At, Findings, Located};
use super::fields::{self, Fields};
use super::grammar;
use super::order::Order;
use super::suggest::shown;
use super::yaml::{Node, Value};
use crate::plan::template::{Role, Template};

/// A route whose steps are still names.
#[derive(Clone, Debug)]
pub(crate) struct WrittenRoute {
    value: Located<String>,
    files: Option<Located<String>>,
    by_path: Vec<(Located<Template>, Located<String>)>,
    types: Option<Located<String>>,
    by_type: Vec<(String, Located<String>)>,
    otherwise: Located<String>,
    max: u32,
}

/// A route whose steps are positions in the order.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) value: String,
    pub(crate) files: Option<Located<String>>,
    pub(crate) by_path: Vec<(Located<Template>, usize)>,
    pub(crate) types: Option<Located<String>>,
    pub(crate) by_type: Vec<(String, usize)>,
    pub(crate) otherwise: usize,
    pub(crate) max: u32,
}

impl Route {
    /// Returns the steps that the route can lead to.
    pub(crate) fn targets(&self) -> impl Iterator<Item = usize> {
        let by_type = self.by_type.iter().map(|(_, step)| *step);
        self.by_path.iter().map(|(_, step)| *step).chain(by_type).chain([self.otherwise])
    }
}

/// Reads `on:`.
pub(super) fn read_all(node: &Node, findings: &mut Findings) -> Vec<WrittenRoute> {
    let mut routes = Vec::new();
    for (value, at, node) in fields::entries(node, "`on`", findings).unwrap_or_default() {
        let value = Located { value: value.to_owned(), at };
        routes.extend(read(value, node, findings));
    }
    routes
}

fn read(value: Located<String>, node: &Node, findings: &mut Findings) -> Option<WrittenRoute> {
    let fields = Fields::read(node, &grammar::ROUTE, findings)?;
    let max = match fields.get("max") {
        Some(node) => fields::small_count(node, 1, findings),
        None => {
            findings.error_with_help(
                value.at,
                format!("the route {} has no bound", shown(&value.value)),
                "say with `max` how often it may be taken in a run",
            );
            None
        }
    };
    let rollback = fields.required("rollback", "a route", findings)?;
    if let Value::Text(_) = rollback.value {
        let otherwise = fields::filled_text(rollback, findings)?;
        return Some(WrittenRoute {
            value,
            files: None,
            by_path: Vec::new(),
            types: None,
            by_type: Vec::new(),
            otherwise,
            max: max?,
        });
    }
    let inner = Fields::read(rollback, &grammar::ROLLBACK, findings)?;
    let files = inner.get("files").and_then(|node| fields::filled_text(node, findings));
    let by_path = inner.get("by_path").map(|node| read_by_path(node, findings)).unwrap_or_default();
    if !by_path.is_empty() && inner.get("files").is_none() {
        findings.error_with_help(
            rollback.at,
            "`by_path` needs `files`",
            "`files` is the jq expression that lists the files concerned",
        );
    }
    let types = inner.get("types").and_then(|node| fields::filled_text(node, findings));
    let by_type = inner.get("by_type").map(|node| read_by_type(node, findings)).unwrap_or_default();
    if !by_type.is_empty() && inner.get("types").is_none() {
        findings.error_with_help(
            rollback.at,
            "`by_type` needs `types`",
            "`types` is the jq expression that lists the types of what was found",
        );
    }
    let otherwise = inner.required("otherwise", "`rollback`", findings)?;
    let otherwise = fields::filled_text(otherwise, findings)?;
    Some(WrittenRoute { value, files, by_path, types, by_type, otherwise, max: max? })
}

fn read_by_path(node: &Node, findings: &mut Findings) -> Vec<(Located<Template>, Located<String>)> {
    let mut paths = Vec::new();
    for (glob, at, node) in fields::entries(node, "`by_path`", findings).unwrap_or_default() {
        let glob = fields::template_of(glob, at, Role::FixedGlob, findings);
        let step = fields::filled_text(node, findings);
        paths.extend(glob.zip(step));
    }
    paths
}

fn read_by_type(node: &Node, findings: &mut Findings) -> Vec<(String, Located<String>)> {
    let entries = fields::entries(node, "`by_type`", findings).unwrap_or_default();
    let steps = entries.into_iter().filter_map(|(kind, _, node)| {
        fields::filled_text(node, findings).map(|step| (kind.to_owned(), step))
    });
    steps.collect()
}

/// Looks up the steps of all routes, and checks that each leads back.
pub(super) fn resolve(order: &mut Order, findings: &mut Findings) {
    for index in 0..order.steps.len() {
        let routes = std::mem::take(&mut order.steps[index].step.on);
        check_verdict(order, index, &routes, findings);
        let mut resolved = Vec::new();
        for route in routes {
            let by_path: Option<Vec<_>> = route
                .by_path
                .into_iter()
                .map(|(glob, name)| Some((glob, target(order, index, &name, findings)?)))
                .collect();
            let by_type: Option<Vec<_>> = route
                .by_type
                .into_iter()
                .map(|(kind, name)| Some((kind, target(order, index, &name, findings)?)))
                .collect();
            let otherwise = target(order, index, &route.otherwise, findings);
            if let (Some(by_path), Some(by_type), Some(otherwise)) = (by_path, by_type, otherwise) {
                let (value, max) = (route.value.value, route.max);
                let (files, types) = (route.files, route.types);
                resolved.push(Route { value, files, by_path, types, by_type, otherwise, max });
            }
        }
        order.steps[index].routes = resolved;
    }
}

/// Reports routes that no verdict can take.
fn check_verdict(order: &Order, index: usize, routes: &[WrittenRoute], findings: &mut Findings) {
    let step = &order.steps[index].step;
    let checks = step.done.as_ref().map(|done| done.checks()).unwrap_or_default();
    let mut accepted: Vec<&str> = Vec::new();
    let mut verdicts = 0;
    let mut unknown = false;
    for check in checks {
        match &check.kind {
            Kind::Verdict { accept, .. } => {
                verdicts += 1;
                accepted.extend(accept.iter().map(String::as_str));
                if verdicts == 2 {
                    findings.error(check.at, "a step has at most one `verdict` check");
                }
            }
            Kind::NotYet => unknown = true,
            Kind::File { .. }
            | Kind::Run(_)
            | Kind::Junit { .. }
            | Kind::Coverage { .. }
            | Kind::Checklist { .. }
            | Kind::Diff { .. }
            | Kind::Platform(_)
            | Kind::State(_) => {}
        }
    }
    for route in routes {
        if verdicts == 0 && !unknown {
            findings.error_with_help(
                route.value.at,
                format!("no verdict can take the route {}", shown(&route.value.value)),
                "add a `verdict` check to `done`: its value selects the route",
            );
        } else if accepted.contains(&route.value.value.as_str()) {
            findings.error(
                route.value.at,
                format!("{} is accepted, so its route is never taken", shown(&route.value.value)),
            );
        }
    }
}

/// Looks up a step to go back to.
fn target(
    order: &Order,
    from: usize,
    name: &Located<String>,
    findings: &mut Findings,
) -> Option<usize> {
    let target = order.find(from, name, findings)?;
    let (here, there) = (&order.steps[from], &order.steps[target]);
    let refuse = |findings: &mut Findings, at: At, why: &str, help: &str| {
        let message = format!("cannot go back from `{}` to `{}`: {why}", here.id, there.id);
        findings.error_with_help(at, message, help);
    };
    if order.repeated_by(target) != order.repeated_by(from) {
        let why = "an item goes back only to its own steps, and nobody else to those";
        refuse(findings, name.at, why, "name a step on the same side of `foreach`");
    } else if there.needed.contains(&from) {
        refuse(findings, name.at, "it comes later", "name the step itself or one that it needs");
    } else if target != from && !here.needed.contains(&target) {
        let why = "it does not come before";
        refuse(findings, name.at, why, "name the step itself or one that it needs");
    } else if there.step.foreach.is_some() {
        let why = "that would do every item again";
        refuse(findings, name.at, why, "name a step before it, or let a person decide at a `gate`");
    } else if there.step.pull_request.is_some() {
        let why = "windlass itself does that step";
        refuse(findings, name.at, why, "name the step that has to be done again");
    } else if there.step.steps.is_some() {
        let why = "nobody works on a step with nested `steps`";
        refuse(findings, name.at, why, "name the step inside it that has to be done again");
    } else {
        return Some(target);
    }
    None
}
