//! `windlass check`: is this a workflow that can run, and what is the most it can cost.

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use windlass_core::plan::{Plan, PlanStep};
use windlass_core::platform::PinnedPlatform;
use windlass_core::protect::{ALWAYS, LATER, Protected};
use windlass_core::run::{StepBounds, step_bounds};
use windlass_core::view::{GraphFormat, Lines, graph as draw, printable};
use windlass_core::workflow::{Diagnostic, Severity, Workflow};

use crate::cli::{CheckArguments, Cli};
use crate::commands::workflow_file::Found;
use crate::commands::{graph, platform, workflow_file};
use crate::config;
use crate::error::CommandError;
use crate::judges;
use crate::output::{Output, note};
use crate::roles::{self, Roles};

pub(crate) fn check(
    cli: &Cli,
    arguments: &CheckArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let top_level = workflow_file::top_level(cli);
    let path = find(arguments, &top_level, output)?;
    let workflow = workflow_file::read(&path)?;
    let roles = roles::load(&top_level)?;
    roles.for_workflow(&workflow)?;
    let news = workflow.unknown_agents(roles.names());
    for finding in news.iter().filter(|finding| finding.severity == Severity::Warning) {
        note(workflow_file::render(finding, &path.source()?).trim_end());
    }
    let attempts = workflow.worst_case_attempts();
    let mut plan = graph::plan(&workflow, platform::for_show(&workflow, &top_level));
    if let Ok(plan) = &mut plan {
        judges::protect(plan, &workflow, &path, &top_level, judges::Base::MayBeMissing)?;
    }
    let platforms = match &plan {
        Ok(plan) => plan.platforms.as_slice(),
        // What a picture has no room for still has to be said where a platform is the reason.
        Err(_) if workflow.platform().is_none() => &[],
        Err(_) => return plan.map(|_| ExitCode::SUCCESS),
    };
    let unchecked = plan.as_ref().map(|plan| plan.unchecked.clone()).unwrap_or_default();
    if output.is_json() {
        output.json(&json!({
            "ok": true,
            "workflow": workflow.name(),
            "title": workflow.title(),
            "worst_case_attempts": attempts,
            "attempts_bound": plan.as_ref().map_or(attempts, |plan| attempts.min(plan.limits.attempts)),
            "step_bounds": plan.as_ref().map(step_bounds_json).unwrap_or_default(),
            "warnings": warnings(&workflow, &news),
            "platforms": platforms.iter().map(PinnedPlatform::called).collect::<Vec<_>>(),
            "unchecked": unchecked,
            "protected": plan.as_ref().map(|plan| plan.protect.clone()).unwrap_or_default(),
            "always_protected": ALWAYS.iter().chain(&LATER).collect::<Vec<_>>(),
            "unfollowed": plan.as_ref().map(|plan| plan.unfollowed.clone()).unwrap_or_default(),
            "unprotected_steps": plan.as_ref().map(Plan::unprotected).unwrap_or_default(),
            "agents": workflow.agents().iter().map(|name| agent(name, &roles)).collect::<Vec<_>>(),
        }));
    } else {
        output.data(&format!("{}: ok", path.display()));
        if let Ok(plan) = &plan {
            output.data(draw(plan, GraphFormat::Terminal).trim_end());
        }
        for platform in platforms {
            output.data(&format!("platform: {}", platform.called()));
        }
        for unchecked in &unchecked {
            output.data(&format!("not checked: {unchecked}"));
        }
        if let Ok(plan) = &plan {
            for line in protected(plan) {
                output.data(&line);
            }
        }
        if let Some(line) = without_role(&workflow, &roles) {
            output.data(&line);
        }
        output.data(&bound(attempts, plan.as_ref().ok()));
        if let Some(line) = plan.as_ref().ok().and_then(tries) {
            output.data(&line);
        }
        output.data(&format!(
            "every way it can go: windlass simulate {}",
            called(arguments, &workflow)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Says how many attempts there can be, by the bound that binds first.
fn bound(worst: u64, plan: Option<&Plan>) -> String {
    let limit = plan.map_or(u64::MAX, |plan| plan.limits.attempts);
    match limit < worst {
        true => format!(
            "at most {limit} attempts (`limits`); all steps and routes together could use {worst}, not \
             counting human feedback"
        ),
        false => format!("at most {worst} attempts, not counting human feedback"),
    }
}

/// Says how often a step is tried, and what follows from that number; none where nobody works.
fn tries(plan: &Plan) -> Option<String> {
    let agents = || plan.steps.iter().filter(|step| step.agent().is_some());
    let (least, most) = (agents().map(|s| s.retries).min()?, agents().map(|s| s.retries).max()?);
    let range = |least: u32, most: u32| match least == most {
        true => most.to_string(),
        false => format!("{least} to {most}"),
    };
    let (few, many) = (step_bounds(least), step_bounds(most));
    Some(format!(
        "each step: {} tries (`retries`), {} failures of the surroundings that cost none, {} lost \
         attempts in a row; in a session {} rounds a try",
        range(few.tries, many.tries),
        range(few.free, many.free),
        range(few.lost, many.lost),
        range(few.rounds, many.rounds),
    ))
}

fn step_bounds_json(plan: &Plan) -> Vec<Value> {
    let agents = plan.steps.iter().filter(|step| step.agent().is_some());
    let bounds = |step: &PlanStep| {
        let StepBounds { tries, free, lost, rounds } = step_bounds(step.retries);
        json!({
            "step": step.id,
            "tries": tries,
            "free": free,
            "lost_in_a_row": lost,
            "rounds": rounds,
        })
    };
    agents.map(bounds).collect()
}

/// Finds the workflow: the one that was named, else the one that `windlass run` is set to.
fn find(
    arguments: &CheckArguments,
    top_level: &Path,
    output: &Output,
) -> Result<Found, CommandError> {
    if let Some(name) = &arguments.workflow {
        return workflow_file::find(name, top_level);
    }
    match config::load(top_level)?.workflow {
        Some(setting) => workflow_file::set(&setting, top_level, output),
        None => Err(CommandError::usage("which workflow? none is set in a configuration")
            .hint(format!("known workflows: {}", workflow_file::all_known(top_level).join(", ")))),
    }
}

fn called<'a>(arguments: &'a CheckArguments, workflow: &'a Workflow) -> &'a str {
    arguments.workflow.as_deref().unwrap_or_else(|| workflow.name())
}

/// Says what a person is asked about, and why, one line for each reason. All of it is named: what is not
/// in a list is what an agent may change unseen.
fn protected(plan: &Plan) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<Protected>)> = Vec::new();
    for rule in &plan.protect {
        let why = rule.why.as_deref().unwrap_or("the workflow or its platform says so");
        let same = |other: &&mut Protected| {
            let keyed = !other.keys.is_empty() && !rule.keys.is_empty();
            other.file == rule.file && other.only == rule.only && (keyed || **other == *rule)
        };
        match reasons.iter_mut().find(|(other, _)| *other == why) {
            Some((_, rules)) => match rules.iter_mut().find(same) {
                // One file is named once, with all of its keys.
                Some(known) => {
                    let new = rule.keys.iter().filter(|key| !known.keys.contains(key));
                    let new: Vec<String> = new.cloned().collect();
                    known.keys.extend(new);
                }
                None => rules.push(rule.clone()),
            },
            None => reasons.push((why, vec![rule.clone()])),
        }
    }
    let mut lines: Vec<String> = reasons
        .iter()
        .map(|(why, rules)| {
            let named: Vec<String> = rules
                .iter()
                .map(|rule| printable(&format!("`{}`", rule.called()), Lines::One))
                .collect();
            format!("protected: {} ({})", named.join(", "), printable(why, Lines::One))
        })
        .collect();
    let told = |what: &String| format!("could not be followed: {}", printable(what, Lines::One));
    lines.extend(plan.unfollowed.iter().map(told));
    let bare = plan.unprotected();
    if !bare.is_empty() {
        lines.push(format!("nothing that judges `{}` is protected", bare.join("`, `")));
    }
    lines
}

fn warnings(workflow: &Workflow, news: &[Diagnostic]) -> Vec<String> {
    let slips = news.iter().filter(|finding| finding.severity == Severity::Warning);
    workflow.warnings().iter().chain(slips).map(ToString::to_string).collect()
}

/// Names the agents that have no role: one line, for it is no mistake.
fn without_role(workflow: &Workflow, roles: &Roles) -> Option<String> {
    let names = workflow.agents().into_iter().filter(|name| roles.get(name).is_none());
    let names: Vec<String> = names.map(|name| printable(name, Lines::One)).collect();
    let list = names.join("`, `");
    (!names.is_empty()).then(|| {
        format!(
            "note: no role file for `{list}`: they get only their task, see `windlass agent list`"
        )
    })
}

/// Says where the role of an agent comes from.
fn agent(name: &str, roles: &Roles) -> Value {
    match roles.get(name) {
        Some(found) => json!({"name": name, "role": found.from()}),
        None => json!({"name": name, "role": null}),
    }
}
