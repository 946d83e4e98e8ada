//! Where a verdict leads: read, looked up, and checked to lead back.

use super::check::Kind;
use super::grammar;
use super::order::Order;
use super::templates;
use crate::judgement::ReportKind;
use crate::plan::Rollback;
use crate::plan::template::{Role, Template};
use crate::source::diagnostic::{At, Findings, Located};
use crate::source::fields::{self, Fields};
use crate::source::suggest::shown;
use crate::source::yaml::{Node, Value};

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
    block: bool,
}

/// Where a step that windlass does itself goes back to, by name.
#[derive(Clone, Debug)]
pub(crate) struct WrittenFailed {
    rollback: Located<String>,
    max: u32,
}

/// Reads `failed:`.
pub(super) fn read_failed(node: &Node, findings: &mut Findings) -> Option<WrittenFailed> {
    let fields = Fields::read(node, &grammar::FAILED, findings)?;
    let rollback = fields.required("rollback", "`failed`", findings);
    let rollback = rollback.and_then(|node| fields::filled_text(node, findings));
    let max = match fields.get("max") {
        Some(node) => fields::small_count(node, 1, findings),
        None => {
            let help = "say with `max` how often it may go back in a run";
            findings.error_with_help(fields.at, "`failed` has no bound", help);
            None
        }
    };
    Some(WrittenFailed { rollback: rollback?, max: max? })
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
    pub(crate) block: bool,
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
    let block = fields.get("block").and_then(|node| fields::boolean(node, findings));
    let block = block.unwrap_or(false);
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
            block,
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
    Some(WrittenRoute { value, files, by_path, types, by_type, otherwise, max: max?, block })
}

fn read_by_path(node: &Node, findings: &mut Findings) -> Vec<(Located<Template>, Located<String>)> {
    let mut paths = Vec::new();
    for (glob, at, node) in fields::entries(node, "`by_path`", findings).unwrap_or_default() {
        let glob = templates::template_of(glob, at, Role::FixedGlob, findings);
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
                let (files, types, block) = (route.files, route.types, route.block);
                resolved.push(Route {
                    value,
                    files,
                    by_path,
                    types,
                    by_type,
                    otherwise,
                    max,
                    block,
                });
            }
        }
        order.steps[index].routes = resolved;
        if let Some(failed) = order.steps[index].step.failed.take() {
            let target = failed_target(order, index, &failed.rollback, findings);
            order.steps[index].failed = target.map(|target| (target, failed.max));
        }
    }
}

/// Reports routes that no verdict can take.
fn check_verdict(order: &Order, index: usize, routes: &[WrittenRoute], findings: &mut Findings) {
    let step = &order.steps[index].step;
    let checks = step.done.as_ref().map(|done| done.checks()).unwrap_or_default();
    let mut accepted: Vec<&str> = Vec::new();
    let mut verdicts = 0;
    let mut unknown = false;
    let mut report = None;
    for check in checks {
        let accept = match &check.kind {
            Kind::Verdict { accept, .. } => accept,
            Kind::VerdictIn { kind, accept, .. } => {
                report = Some(*kind);
                if *kind == ReportKind::Tests && order.repeated_by(index).is_none() {
                    findings.error_with_help(
                        check.at,
                        "a `tests` report judges the criteria of a story, and this step has none",
                        "put the step under `foreach: items`",
                    );
                }
                accept
            }
            Kind::NotYet => {
                unknown = true;
                continue;
            }
            Kind::File { .. }
            | Kind::Run(_)
            | Kind::Junit { .. }
            | Kind::Coverage { .. }
            | Kind::Red(_)
            | Kind::Green(_)
            | Kind::Checklist { .. }
            | Kind::Diff { .. }
            | Kind::Stories { .. }
            | Kind::Questions { .. }
            | Kind::Platform(_)
            | Kind::State(_) => continue,
        };
        verdicts += 1;
        accepted.extend(accept.iter().map(String::as_str));
        if verdicts == 2 {
            findings.error(check.at, "a step has at most one `verdict` check");
        }
    }
    for route in routes {
        check_report_route(route, report, findings);
    }
    for route in routes {
        if verdicts == 0 && !unknown {
            findings.error_with_help(
                route.value.at,
                format!("no verdict can take the route {}", shown(&route.value.value)),
                "add a `verdict` or `verdict_in` check to `done`: its value selects the route",
            );
        } else if accepted.contains(&route.value.value.as_str()) {
            findings.error(
                route.value.at,
                format!("{} is accepted, so its route is never taken", shown(&route.value.value)),
            );
        }
    }
}

/// Reports a route that the step's report cannot take, or that wants findings without a report.
fn check_report_route(route: &WrittenRoute, report: Option<ReportKind>, findings: &mut Findings) {
    let files = route.files.as_ref().filter(|files| files.value == Rollback::FINDINGS);
    match (report, files) {
        (None, Some(files)) => findings.error_with_help(
            files.at,
            "`files: findings` needs a `verdict_in` check",
            "add one to `done`, or list the files with a jq expression",
        ),
        (Some(kind), _) if route.value.value != kind.refusing() => {
            if route.value.value != kind.accepting() {
                findings.error_with_help(
                    route.value.at,
                    format!("a {} report never says {}", kind.as_str(), shown(&route.value.value)),
                    format!("it says `{}` or `{}`", kind.accepting(), kind.refusing()),
                );
            }
        }
        (Some(_) | None, _) => {}
    }
}

/// Looks up where a step that windlass does itself goes back to: also a step that is repeated, if all
/// items are done before.
fn failed_target(
    order: &Order,
    from: usize,
    name: &Located<String>,
    findings: &mut Findings,
) -> Option<usize> {
    let found = order.find(from, name, &mut Findings::new(""));
    let repeated = found.and_then(|target| Some((target, order.repeated_by(target)?)));
    match repeated {
        Some((target, foreach))
            if order.repeated_by(from).is_none() && order.steps[from].needed.contains(&foreach) =>
        {
            is_worked_on(order, from, target, name.at, findings).then_some(target)
        }
        Some(_) | None => target(order, from, name, findings),
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
    let refuse = |findings: &mut Findings, why: &str, help: &str| {
        let message = format!("cannot go back from `{}` to `{}`: {why}", here.id, there.id);
        findings.error_with_help(name.at, message, help);
    };
    if order.repeated_by(target) != order.repeated_by(from) {
        let why = "an item goes back only to its own steps, and nobody else to those";
        refuse(findings, why, "name a step on the same side of `foreach`");
    } else if there.needed.contains(&from) {
        refuse(findings, "it comes later", "name the step itself or one that it needs");
    } else if target != from && !here.needed.contains(&target) {
        let why = "it does not come before";
        refuse(findings, why, "name the step itself or one that it needs");
    } else if is_worked_on(order, from, target, name.at, findings) {
        return Some(target);
    }
    None
}

/// Reports a target that nobody works on, so that going back to it would change nothing.
fn is_worked_on(
    order: &Order,
    from: usize,
    target: usize,
    at: At,
    findings: &mut Findings,
) -> bool {
    let (here, there) = (&order.steps[from], &order.steps[target]);
    let (why, help) = if there.step.foreach.is_some() {
        let help = "name a step before it, or let a person decide at a `gate`";
        ("that would do every item again", help)
    } else if there.step.pull_request.is_some() || there.step.verifies {
        ("windlass itself does that step", "name the step that has to be done again")
    } else if there.step.steps.is_some() {
        let help = "name the step inside it that has to be done again";
        ("nobody works on a step with nested `steps`", help)
    } else {
        return true;
    };
    let message = format!("cannot go back from `{}` to `{}`: {why}", here.id, there.id);
    findings.error_with_help(at, message, help);
    false
}
