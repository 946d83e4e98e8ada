//! `windlass check`: is this a workflow that can run, and what is the most it can cost.

use std::process::ExitCode;

use serde_json::{Value, json};
use windlass_core::plan::Plan;
use windlass_core::platform::PinnedPlatform;
use windlass_core::protect::ALWAYS;
use windlass_core::view::{GraphFormat, Lines, graph as draw, printable};
use windlass_core::workflow::{Diagnostic, Severity, Workflow};

use crate::cli::{CheckArguments, Cli};
use crate::commands::{graph, platform, workflow_file};
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
    let path = workflow_file::find(&arguments.workflow, &top_level)?;
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
            "warnings": warnings(&workflow, &news),
            "platforms": platforms.iter().map(PinnedPlatform::called).collect::<Vec<_>>(),
            "unchecked": unchecked,
            "protected": plan.as_ref().map(|plan| plan.protect.clone()).unwrap_or_default(),
            "always_protected": ALWAYS.as_slice(),
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
        output.data(&format!("worst case: {attempts} attempts, people's feedback aside"));
        output.data(&format!("every way it can go: windlass simulate {}", arguments.workflow));
    }
    Ok(ExitCode::SUCCESS)
}

/// How many files of one reason are named.
const MOST_NAMED: usize = 8;

/// Says what a person is asked about, and why, one line for each reason.
fn protected(plan: &Plan) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for rule in &plan.protect {
        let why = rule.why.as_deref().unwrap_or("the workflow or its platform says so");
        let called = printable(&format!("`{}`", rule.called()), Lines::One);
        match reasons.iter_mut().find(|(other, _)| *other == why) {
            Some((_, files)) => files.push(called),
            None => reasons.push((why, vec![called])),
        }
    }
    let mut lines: Vec<String> = reasons
        .iter()
        .map(|(why, files)| {
            let more = files.len().saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let named = files[..files.len().min(MOST_NAMED)].join(", ");
            format!("protected: {named}{more} ({})", printable(why, Lines::One))
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
        format!("note: no role file for `{list}`: told their task alone, see `windlass agent list`")
    })
}

/// Says where the role of an agent comes from.
fn agent(name: &str, roles: &Roles) -> Value {
    match roles.get(name) {
        Some(found) => json!({"name": name, "role": found.from()}),
        None => json!({"name": name, "role": null}),
    }
}
