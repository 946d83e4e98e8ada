//! Back to an earlier step: by a verdict or by a person.

use super::draft::Draft;
use super::gate::resume_if_stopped;
use super::verified::give_up;
use super::{blocker, checkpoint, session};
use crate::glob;
use crate::id::{GateId, StepId, StepIndex};
use crate::judgement::Level;
use crate::plan::{Check, CheckKind, Criterion, FailedRoute, PlanStep, Rollback};
use crate::proof::{Finding, VerifyReport};
use crate::run::state::{Gate, GateKind, PauseReason, Phase};
use crate::run::{Event, Rejected};
use crate::snapshot::Snapshot;

/// How much of a judge's findings is handed on; a prompt has room for little more.
const MAX_FINDINGS: usize = 2000;

pub(super) fn by_verdict(
    draft: &mut Draft,
    index: StepIndex,
    verdict: &str,
    report: &VerifyReport,
    observed: Snapshot,
) {
    let plan = draft.state.plan.step(index);
    let route = &plan.on[verdict];
    let found = Found {
        verdict: verdict.to_owned(),
        target: draft.id(target(&route.rollback, report)),
        files: report.route_files.clone(),
        told: told(plan, report),
    };
    let taken = draft.state.step(index).routes.get(verdict).copied().unwrap_or(0);
    let asks = plan.gate.is_some() && draft.state.facts.approved_in_advance.is_none();
    if asks && taken < route.max {
        let gate = Gate {
            id: GateId(draft.state.gates + 1),
            step: draft.id(index),
            kind: GateKind::Route {
                verdict: found.verdict,
                target: found.target,
                files: found.files,
                told: found.told,
            },
            snapshot: observed,
        };
        draft.emit(Event::GateOpened { gate });
        return;
    }
    take(draft, index, found, None, observed);
}

/// Where a verdict leads.
pub(super) struct Found {
    pub(super) verdict: String,
    pub(super) target: StepId,
    pub(super) files: Vec<String>,
    /// What the judge's report says, where it was read.
    pub(super) told: String,
}

/// Takes the route of a verdict; `said` is what the person who confirmed it said.
pub(super) fn take(
    draft: &mut Draft,
    index: StepIndex,
    found: Found,
    said: Option<&str>,
    observed: Snapshot,
) {
    let Found { verdict, target, files, told } = found;
    let step = draft.id(index);
    let taken = draft.state.step(index).routes.get(&verdict).copied().unwrap_or(0);
    let route = draft.state.plan.step(index).on.get(&verdict);
    let (most, blocks) = route.map_or((0, false), |route| (route.max, route.block));
    let message = findings(draft, index, &verdict, said, &told);
    draft.emit(Event::RouteTaken {
        step: step.clone(),
        verdict: verdict.clone(),
        target: target.clone(),
    });
    if taken >= most {
        let why = format!("said {verdict} more than {most} times");
        give_up(draft, index, PauseReason::RollbackLimit, why);
        return;
    }
    let raised = blocks.then(|| (target.clone(), message.clone()));
    // What a judge found in one item is no reason to stop the others.
    let in_item = draft.state.item_of(index).is_some();
    draft.emit(Event::RolledBack {
        target,
        by: step.as_str().to_owned(),
        message,
        files,
        reset_code: false,
        code: None,
        observed,
        failure: None,
        presence: None,
    });
    if let Some((target, message)) = raised {
        if in_item {
            let reason = blocker::found(&message);
            draft.emit(Event::StepBlocked { step: target, reason });
            return;
        }
        let event = blocker::security(draft, target, &message);
        draft.emit(event);
    }
}

/// Goes back from a step that nobody works on and whose criterion does not hold; returns whether it
/// says where to, and may.
pub(super) fn by_failure(draft: &mut Draft, index: StepIndex) -> bool {
    let state = &draft.state;
    let Some(route) = &state.plan.step(index).failed else { return false };
    let taken = state.step(index).routes.get(FailedRoute::NAME).copied().unwrap_or(0);
    let (Some(target), Some(observed)) = (state.failed_target(index), state.latest.clone()) else {
        return false;
    };
    if taken >= route.max {
        return false;
    }
    let (step, target) = (draft.id(index), draft.id(target));
    let message = failed_checks(draft, index);
    draft.emit(Event::RouteTaken {
        step: step.clone(),
        verdict: FailedRoute::NAME.to_owned(),
        target: target.clone(),
    });
    draft.emit(Event::RolledBack {
        target,
        by: step.as_str().to_owned(),
        message,
        files: Vec::new(),
        reset_code: false,
        code: None,
        observed,
        failure: None,
        presence: None,
    });
    true
}

/// The checks that do not hold, with what explains it.
fn failed_checks(draft: &Draft, index: StepIndex) -> String {
    let mut message = format!("`{}` failed", draft.id(index));
    if let Some(failure) = &draft.state.step(index).failure {
        if failure.checks.is_empty() {
            message.push_str(&format!(": {}", failure.summary));
        }
        for check in &failure.checks {
            message.push_str(&format!("\n{}", check.summary));
            if let Some(excerpt) = &check.excerpt {
                message.push_str(&format!("\n{excerpt}"));
            }
        }
    }
    bounded(message)
}

pub(super) fn bounded(message: String) -> String {
    match message.char_indices().nth(MAX_FINDINGS) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message,
    }
}

/// What the judge said, with all that it published: the step that is reopened drops those keys, so
/// this is where its findings live on.
fn findings(
    draft: &Draft,
    index: StepIndex,
    verdict: &str,
    said: Option<&str>,
    told: &str,
) -> String {
    let step = draft.state.step(index);
    let context = draft.state.context_of(index);
    let mut message = format!("`{}` said {verdict}", draft.id(index));
    if let Some(said) = said {
        message.push_str(&format!("\n{}: {said}", draft.actor()));
    }
    // A person who had it judged again said why, and whoever did the work has to know.
    if let Some(asked) = &step.hotfix
        && !asked.resolved
        && draft.state.plan.find(&StepId::from(asked.by.as_str())).is_none()
    {
        message.push_str(&format!("\n{}, at the gate: {}", asked.by, asked.message));
    }
    if !told.is_empty() {
        message.push_str(&format!("\n{told}"));
    }
    for key in &step.published {
        let value = key.split('.').try_fold(&*context, |value, part| value.get(part));
        // The verdict itself is said already.
        if let Some(value) = value.filter(|value| value.as_str() != Some(verdict)) {
            message.push_str(&format!("\n{}", published(key, value, verdict)));
        }
    }
    bounded(message)
}

/// What a judge published, as people write it: a list of things found has one line for each.
fn published(key: &str, value: &serde_json::Value, verdict: &str) -> String {
    let Some(object) = value.as_object() else { return format!("{key}: {}", plain(value)) };
    let mut lines = Vec::new();
    for (name, value) in object.iter().filter(|(_, value)| value.as_str() != Some(verdict)) {
        match value.as_array() {
            Some(list) if list.iter().any(serde_json::Value::is_object) => {
                lines.push(format!("{key}.{name}:"));
                lines.extend(list.iter().map(|found| format!("- {}", in_one_line(found))));
            }
            Some(_) | None => lines.push(format!("{key}.{name}: {}", plain(value))),
        }
    }
    lines.join("\n")
}

/// One thing found: its file, then what is wrong, then the rest of what was said about it.
fn in_one_line(found: &serde_json::Value) -> String {
    let Some(object) = found.as_object() else { return plain(found) };
    let first = ["file", "issue"];
    let known = first.iter().filter_map(|name| object.get(*name)).map(plain);
    let others = object.iter().filter(|(name, _)| !first.contains(&name.as_str()));
    let others: Vec<String> =
        others.map(|(name, value)| format!("{name} {}", plain(value))).collect();
    let mut line = known.collect::<Vec<_>>().join(": ");
    if !others.is_empty() {
        line.push_str(&format!(" ({})", others.join(", ")));
    }
    line
}

fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What a report that windlass has read says against the work: why, and what has to be fixed.
fn told(plan: &PlanStep, report: &VerifyReport) -> String {
    let is_report = |check: &&Check| matches!(check.kind, CheckKind::VerdictIn { .. });
    let checks = plan.done.as_ref().map(Criterion::checks).unwrap_or_default();
    let check = checks.into_iter().find(is_report);
    let of = |check: &Check| report.proofs.iter().find(|proof| proof.check == check.id);
    let proof = check.and_then(of);
    let mut lines: Vec<String> = proof.map(|proof| proof.summary.clone()).into_iter().collect();
    for remark in report.remarks.iter().filter(|remark| remark.level == Level::Blocking) {
        lines.push(format!("- {}", remark.words()));
    }
    let mut suggested = report.remarks.iter().filter(|r| r.level == Level::Suggestion).peekable();
    if suggested.peek().is_some() {
        lines.push("Suggested; take what fits:".to_owned());
        lines.extend(suggested.map(|remark| format!("- {}", remark.words())));
    }
    let told = lines.join("\n");
    match told.char_indices().nth(MAX_FINDINGS) {
        Some((end, _)) => format!("{}…", &told[..end]),
        None => told,
    }
}

/// The earliest step that something found belongs to: by its file, else by its type.
fn target(rollback: &Rollback, report: &VerifyReport) -> StepIndex {
    let by_file = |file: &String| {
        let first = rollback.by_path.iter().find(|(pattern, _)| {
            glob::compile(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(file))
        });
        first.map(|(_, step)| *step)
    };
    let by_type = |kind: &String| {
        rollback.by_type.iter().find(|(known, _)| known == kind).map(|(_, step)| *step)
    };
    let earliest = if report.route_findings.is_empty() {
        report.route_files.iter().filter_map(by_file).min()
    } else {
        let step = |found: &Finding| {
            let file = found.file.as_ref().and_then(by_file);
            file.or_else(|| found.kind.as_ref().and_then(by_type))
        };
        report.route_findings.iter().filter_map(step).min()
    };
    earliest.unwrap_or(rollback.otherwise)
}

/// What becomes of the code when a person sends the run back.
pub(super) enum Reset<'n> {
    /// It stays.
    Nothing,
    /// It is what the step began from.
    Code,
    /// It is what a checkpoint of this name has.
    Checkpoint(&'n str),
}

pub(super) fn by_person(
    draft: &mut Draft,
    step: &StepId,
    message: &str,
    reset: Reset<'_>,
    observed: &Snapshot,
) -> Result<(), Rejected> {
    if message.trim().is_empty() {
        return Err(Rejected::NoReason);
    }
    let index = draft.find(step)?;
    let (reset_code, code) = match reset {
        Reset::Nothing => (false, None),
        Reset::Code => (true, None),
        Reset::Checkpoint(name) => (true, Some(checkpoint::find(draft, name)?)),
    };
    session::withdraw_offers(draft);
    if let Some(busy) = draft.state.in_flight() {
        return Err(Rejected::Busy { what: format!("`{}` is being worked on", draft.id(busy)) });
    }
    let begun = |index: StepIndex| {
        let step = draft.state.step(index);
        step.started_at.is_some() && !matches!(step.phase, Phase::Pending | Phase::Deciding)
    };
    if !begun(index) && !draft.state.plan.nested(index).into_iter().any(begun) {
        return Err(Rejected::NotBegun { step: step.clone() });
    }
    draft.emit(Event::RolledBack {
        target: step.clone(),
        by: draft.actor(),
        message: message.to_owned(),
        files: Vec::new(),
        reset_code,
        code,
        observed: observed.clone(),
        failure: None,
        presence: draft.presence(),
    });
    resume_if_stopped(draft);
    Ok(())
}
