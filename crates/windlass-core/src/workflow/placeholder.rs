//! Every text with placeholders in a workflow, to be checked against what it declares.

use super::check::{Kind, Min, Written};
use super::definition::Workflow;
use super::order::Ordered;
use super::step::{Fix, Publish, Step};
use crate::plan::template::{Placeholder, Template};
use crate::source::diagnostic::{At, Located};

/// Returns inputs that a text uses and nobody declared, with the place of the text.
pub(super) fn unknown_inputs(workflow: &Workflow) -> Vec<(String, At)> {
    let mut unknown = Vec::new();
    for template in templates(workflow) {
        for placeholder in template.value.placeholders() {
            if let Placeholder::Input(name) = placeholder
                && !workflow.inputs.iter().any(|input| input.name == *name)
            {
                unknown.push((name.clone(), template.at));
            }
        }
    }
    unknown
}

/// Returns fields of an item that a text uses where nothing is repeated, with its place.
pub(super) fn items_outside(workflow: &Workflow) -> Vec<(&'static str, At)> {
    let mut all: Vec<&Located<Template>> = Vec::new();
    of_workflow(workflow, &mut all);
    for index in workflow.order.written() {
        of_ordered(&workflow.order.steps[index], &mut all);
    }
    let mut outside = Vec::new();
    for template in all {
        for placeholder in template.value.placeholders() {
            if let Placeholder::Item(field) = placeholder {
                outside.push((field.name(), template.at));
            }
        }
    }
    // A path that is both published and checked is one mistake per place.
    outside.dedup();
    outside
}

fn templates(workflow: &Workflow) -> Vec<&Located<Template>> {
    let mut all: Vec<&Located<Template>> = Vec::new();
    of_workflow(workflow, &mut all);
    for step in &workflow.order.steps {
        of_ordered(step, &mut all);
    }
    all
}

fn of_workflow<'w>(workflow: &'w Workflow, all: &mut Vec<&'w Located<Template>>) {
    for prepare in &workflow.prepare {
        all.push(&prepare.run);
        all.extend(prepare.folder.iter().chain(&prepare.lock));
    }
    all.extend(&workflow.carry);
    all.extend(workflow.protect.rules.iter().map(|rule| &rule.file));
    for criterion in &workflow.recheck {
        of_criterion(criterion, all);
    }
}

fn of_pull_request<'w>(step: &'w Step, all: &mut Vec<&'w Located<Template>>) {
    if let Some(request) = &step.pull_request {
        all.extend(request.title.iter().chain(&request.base));
    }
}

fn of_ordered<'w>(step: &'w Ordered, all: &mut Vec<&'w Located<Template>>) {
    of_step(&step.step, all);
    of_pull_request(&step.step, all);
    for route in &step.routes {
        all.extend(route.by_path.iter().map(|(glob, _)| glob));
    }
}

fn of_step<'w>(step: &'w Step, all: &mut Vec<&'w Located<Template>>) {
    if let Some(Fix::Command(command)) = &step.fix {
        all.push(command);
    }
    all.extend(step.model.iter().chain(&step.task).chain(&step.may_write).chain(&step.writes));
    if let Some(foreach) = &step.foreach {
        all.extend(foreach.tasks.iter().chain(&foreach.stories).chain(&foreach.checkpoint));
    }
    all.extend(step.reads.iter().map(|read| &read.file));
    all.extend(step.publishes.iter().filter_map(|(_, publish)| match publish {
        Publish::Path(path) => Some(path),
        Publish::Value(_) => None,
    }));
    if let Some(done) = &step.done {
        of_criterion(done, all);
    }
}

fn of_criterion<'w>(criterion: &'w Written, all: &mut Vec<&'w Located<Template>>) {
    for check in criterion.checks() {
        match &check.kind {
            Kind::File { glob, .. } => all.push(glob),
            Kind::Junit { glob, .. } => all.push(glob),
            Kind::Coverage { glob: path, min, .. } | Kind::Checklist { file: path, min } => {
                all.push(path);
                if let Min::Filled(min) = min {
                    all.push(min);
                }
            }
            Kind::Stories { file, .. }
            | Kind::Questions { file, .. }
            | Kind::VerdictIn { file, .. } => all.push(file),
            Kind::Red(suite) | Kind::Green(suite) => {
                all.extend(suite.tests.iter().chain(&suite.report));
            }
            Kind::Diff { only, never, .. } => all.extend(only.iter().chain(never)),
            Kind::Run(_)
            | Kind::State(_)
            | Kind::Verdict { .. }
            | Kind::Platform(_)
            | Kind::NotYet => {}
        }
        if let Some(run) = check.kind.command() {
            all.push(&run.command);
            all.extend(&run.folder);
        }
    }
}
