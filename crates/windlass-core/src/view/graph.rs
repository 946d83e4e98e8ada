//! A plan as a picture: for a terminal, Mermaid or Graphviz.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::graph_drawing::{Row, draw};
use crate::id::StepIndex;
use crate::plan::{FailedRoute, FailedTo, Plan, PlanStep, Route, StepKind};

/// How a plan is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// Lines of text, one per step.
    Terminal,
    /// Drawn with characters, from top to bottom.
    Drawing,
    /// A Mermaid flowchart.
    Mermaid,
    /// A Graphviz digraph.
    Dot,
}

/// Draws a plan.
pub fn graph(plan: &Plan, format: GraphFormat) -> String {
    let plan = with_repeated(plan);
    match format {
        GraphFormat::Terminal => terminal(&plan),
        GraphFormat::Drawing => drawing(&plan),
        GraphFormat::Mermaid => mermaid(&plan),
        GraphFormat::Dot => dot(&plan),
    }
}

// Writing to a string cannot fail, so the results of `writeln!` are dropped throughout.

fn position(steps: &[PlanStep]) -> u32 {
    u32::try_from(steps.len()).unwrap_or(u32::MAX)
}

/// Returns a step whose neighbours stand elsewhere.
fn moved(step: &PlanStep, place: &dyn Fn(StepIndex) -> StepIndex) -> PlanStep {
    let mut step = step.clone();
    step.needs.iter_mut().for_each(|need| *need = place(*need));
    for route in step.on.values_mut() {
        route.rollback.otherwise = place(route.rollback.otherwise);
        route.rollback.by_path.iter_mut().for_each(|(_, target)| *target = place(*target));
        route.rollback.by_type.iter_mut().for_each(|(_, target)| *target = place(*target));
    }
    if let Some(FailedRoute { to: FailedTo::Step(target), .. }) = &mut step.failed {
        *target = place(*target);
    }
    step
}

/// Returns the plan as it is with one item, which stands for all: the steps that are repeated are
/// drawn once, before the step that repeats them.
fn with_repeated(plan: &Plan) -> Plan {
    let mut steps: Vec<PlanStep> = Vec::new();
    let places = places(plan);
    let place = |index: StepIndex| StepIndex(places[index.get()]);
    for index in plan.indexes().take(plan.written_steps()) {
        let first = position(&steps);
        for inside in plan.foreach(index).into_iter().flat_map(|foreach| &foreach.steps) {
            let mut inside = moved(inside, &|other| StepIndex(first + other.0));
            if inside.needs.is_empty() {
                inside.needs = plan.step(index).needs.iter().map(|need| place(*need)).collect();
            }
            steps.push(inside);
        }
        let mut step = moved(plan.step(index), &place);
        if let Some(FailedRoute { to, .. }) = &mut step.failed
            && let FailedTo::InItem { foreach, step: inside } = *to
        {
            // The steps that are repeated stand right before the step that repeats them.
            let count = plan.foreach(foreach).map_or(0, |foreach| position(&foreach.steps));
            let first = place(foreach).0.saturating_sub(count);
            *to = FailedTo::Step(StepIndex(first.saturating_add(inside.0)));
        }
        let needed = |inside: &StepIndex| steps.iter().any(|step| step.needs.contains(inside));
        let last = (first..position(&steps)).map(StepIndex).filter(|inside| !needed(inside));
        let last: Vec<StepIndex> = last.collect();
        if !last.is_empty() {
            step.needs = last;
        }
        steps.push(step);
    }
    let mut drawn = plan.clone();
    drawn.replace_steps(steps);
    drawn
}

/// Returns where each step of the workflow is drawn.
fn places(plan: &Plan) -> Vec<u32> {
    let mut drawn = 0;
    let place = |index| {
        drawn += plan.foreach(index).map_or(0, |foreach| position(&foreach.steps)) + 1;
        drawn - 1
    };
    plan.indexes().take(plan.written_steps()).map(place).collect()
}

fn terminal(plan: &Plan) -> String {
    let mut text = format!("{}: {}\n", plan.workflow, plan.title);
    let width = plan.steps.iter().map(|step| step.id.as_str().len()).max().unwrap_or(0);
    for (position, step) in plan.steps.iter().enumerate() {
        let who = who(plan, step);
        let _ = write!(text, "  {:width$}  {who}", step.id.as_str());
        let above = position.checked_sub(1);
        let unusual = step.needs.len() != usize::from(above.is_some())
            || step.needs.first().map(|need| need.get()) != above;
        if unusual && !step.needs.is_empty() {
            let needs: Vec<&str> = names(plan, step.needs.iter().copied());
            let _ = write!(text, ", needs {}", needs.join(" and "));
        }
        if let Some(when) = &step.when {
            let _ = write!(text, ", when {}", one_line(when));
        }
        if step.gate.is_some() {
            text.push_str(", then a person decides");
        }
        text.push('\n');
        if let Some((verdict, target, max)) = failed_edge(step) {
            let target = plan.step(target).id.as_str();
            let max = times(max);
            let _ = writeln!(text, "  {:width$}  {verdict} leads back to {target}, {max}", "");
        }
        for (verdict, route) in &step.on {
            let target = names(plan, targets(route)).join(" or ");
            let max = times(route.max);
            let _ = writeln!(text, "  {:width$}  {verdict} leads back to {target}, {max}", "");
        }
    }
    text
}

fn drawing(plan: &Plan) -> String {
    let rows: Vec<Row> =
        plan.steps.iter().enumerate().map(|(at, step)| row(plan, at, step)).collect();
    format!("{}: {}\n\n{}", plan.workflow, plan.title, draw(&rows))
}

fn row(plan: &Plan, at: usize, step: &PlanStep) -> Row {
    let above = at.checked_sub(1);
    let needs_above = step.needs.iter().any(|need| Some(need.get()) == above);
    let beside = |step: &PlanStep| step.is_spoke();
    // Spokes hang on the line that leads past them to their hub.
    let after_spokes = above.and_then(|above| plan.steps.get(above)).is_some_and(beside);
    let mut details = Vec::new();
    let only_above = needs_above && step.needs.len() == 1;
    if !only_above && !after_spokes && !beside(step) && !step.needs.is_empty() {
        details.push(format!("needs {}", names(plan, step.needs.iter().copied()).join(" and ")));
    }
    details.extend(step.when.as_ref().map(|when| format!("when {}", one_line(when))));
    details.extend(failed_edge(step).map(|(verdict, target, max)| {
        format!("{verdict}: back to {}, {}", plan.step(target).id.as_str(), times(max))
    }));
    details.extend(step.on.iter().map(|(verdict, route)| {
        let target = names(plan, targets(route)).join(" or ");
        format!("{verdict}: back to {target}, {}", times(route.max))
    }));
    if step.gate.is_some() {
        details.push("then a person decides".to_owned());
    }
    Row {
        name: step.id.as_str().to_owned(),
        who: who(plan, step),
        details,
        gate: step.gate.is_some(),
        beside: beside(step),
        follows: needs_above || after_spokes,
        back_to: edges(step).map(|(_, target, _)| target.get()).collect(),
    }
}

fn mermaid(plan: &Plan) -> String {
    let mut text = "flowchart TD\n".to_owned();
    for (position, step) in plan.steps.iter().enumerate() {
        let label = format!("{}<br/>{}", quoted(&step.title), quoted(&who(plan, step)));
        let _ = match step.gate {
            Some(_) => writeln!(text, "  s{position}[\"{label}\"]:::gated"),
            None => writeln!(text, "  s{position}[\"{label}\"]"),
        };
    }
    for (position, step) in plan.steps.iter().enumerate() {
        for need in &step.needs {
            let _ = writeln!(text, "  s{} --> s{position}", need.0);
        }
        for (verdict, target, max) in edges(step) {
            let _ = writeln!(
                text,
                "  s{position} -. \"{} (max {max})\" .-> s{}",
                quoted(verdict),
                target.0
            );
        }
    }
    text.push_str("  classDef gated stroke-width:3px\n");
    text
}

fn dot(plan: &Plan) -> String {
    let mut text = "digraph workflow {\n  node [shape=box];\n".to_owned();
    for (position, step) in plan.steps.iter().enumerate() {
        let gate = if step.gate.is_some() { ", penwidth=3" } else { "" };
        let label = format!("{}\\n{}", escaped(&step.title), escaped(&who(plan, step)));
        let _ = writeln!(text, "  s{position} [label=\"{label}\"{gate}];");
    }
    for (position, step) in plan.steps.iter().enumerate() {
        for need in &step.needs {
            let _ = writeln!(text, "  s{} -> s{position};", need.0);
        }
        for (verdict, target, max) in edges(step) {
            let label = format!("{} (max {max})", escaped(verdict));
            let _ =
                writeln!(text, "  s{position} -> s{} [style=dashed, label=\"{label}\"];", target.0);
        }
    }
    text.push_str("}\n");
    text
}

fn who(plan: &Plan, step: &PlanStep) -> String {
    match &step.kind {
        StepKind::Agent { agent, .. } if step.is_spoke() => {
            let writes = step.writes.join(" and ");
            format!("{agent}, {}, side by side, writes {writes}", tries(step.retries))
        }
        StepKind::Agent { agent, .. } => format!("{agent}, {}", tries(step.retries)),
        StepKind::Group if plan.find(&step.id).is_some_and(|at| plan.nested(at).is_empty()) => {
            "windlass only proves it".to_owned()
        }
        StepKind::Group => "the steps above together".to_owned(),
        StepKind::PullRequest(_) => "windlass pushes and opens a pull request".to_owned(),
        StepKind::Foreach(foreach) => match foreach.list() {
            Some(tasks) => {
                format!("the steps above for each of up to {} items of {tasks}", foreach.max)
            }
            None => format!("the steps above for each of up to {} items", foreach.max),
        },
    }
}

fn tries(count: u32) -> String {
    if count == 1 { "1 try".to_owned() } else { format!("{count} tries") }
}

fn times(most: u32) -> String {
    if most == 1 { "once at most".to_owned() } else { format!("{most} times at most") }
}

fn names(plan: &Plan, steps: impl IntoIterator<Item = StepIndex>) -> Vec<&str> {
    steps.into_iter().map(|index| plan.step(index).id.as_str()).collect()
}

/// Every step that a route can lead to.
fn targets(route: &Route) -> BTreeSet<StepIndex> {
    let by_path = route.rollback.by_path.iter().map(|(_, step)| *step);
    let by_type = route.rollback.by_type.iter().map(|(_, step)| *step);
    by_path.chain(by_type).chain([route.rollback.otherwise]).collect()
}

fn edges(step: &PlanStep) -> impl Iterator<Item = (&str, StepIndex, u32)> {
    let routes = step.on.iter().flat_map(|(verdict, route)| {
        targets(route).into_iter().map(|target| (verdict.as_str(), target, route.max))
    });
    routes.chain(failed_edge(step))
}

/// Where a step that windlass does itself goes back to.
fn failed_edge(step: &PlanStep) -> Option<(&str, StepIndex, u32)> {
    match step.failed.as_ref() {
        Some(FailedRoute { to: FailedTo::Step(to), max }) => Some((FailedRoute::NAME, *to, *max)),
        // Drawn plans have no items.
        Some(FailedRoute { to: FailedTo::InItem { .. }, .. }) | None => None,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text inside a quoted Mermaid label.
fn quoted(text: &str) -> String {
    one_line(text).replace('"', "#quot;")
}

/// Text inside a quoted Graphviz label.
fn escaped(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('"', "\\\"")
}
