//! The files that an agent reads before it begins, the most important first.

use std::fmt::Write as _;

use super::text::one_line;
use super::{CLARIFICATIONS_FILE, MAX_READS, item_file, lines_within, section};
use crate::id::{StepId, StepIndex};
use crate::plan::{CheckKind, Criterion, PlanStep, Publish, template};
use crate::run::{Phase, RunState};

/// A file to be read, and what it is to the reader.
pub(super) struct File {
    pub(super) path: String,
    purpose: String,
}

/// Returns the files that the agent of a step reads first, each once.
pub(super) fn files(state: &RunState, index: StepIndex) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    let mut add = |path: String, purpose: String| {
        if !files.iter().any(|known| known.path == path) {
            files.push(File { path, purpose });
        }
    };
    let (plan, step) = (state.plan.step(index), state.step(index));
    if let Some(item) = state.item_of(index).map(|state| &state.item)
        && (!item.body.is_empty() || item.story.is_some())
    {
        add(item_file(&item.id), "what it asks for".to_owned());
    }
    for (judge, path) in sent_back_with(state, index) {
        add(path, format!("what `{judge}` found; it sent the work back"));
    }
    if judged_before(state, index) {
        for path in papers_of(state, index) {
            add(path, "what you found last time: is it mended? Write it anew".to_owned());
        }
    }
    for path in &step.kept_papers {
        add(path.clone(), "what this step wrote last time".to_owned());
    }
    if state.clarifications.iter().any(|known| known.answer.is_some()) {
        add(CLARIFICATIONS_FILE.to_owned(), "what was asked and answered before".to_owned());
    }
    let context = state.context_of(index);
    for read in &plan.reads {
        let Ok(path) = template::fill_context(&read.file, &context) else {
            // The step that should have published the path was skipped.
            continue;
        };
        if read.optional && nobody_writes(state, &path) {
            continue;
        }
        let purpose = read.purpose.as_deref().unwrap_or("input for this step");
        let optional = if read.optional { ", if it is there" } else { "" };
        add(path, format!("{purpose}{optional}"));
    }
    files
}

/// Adds the list of files.
pub(super) fn list(text: &mut String, files: &[File]) {
    let mut list = String::new();
    for File { path, purpose } in files {
        let _ = writeln!(list, "- `{}`: {}", one_line(path, 300), one_line(purpose, 100));
    }
    if !list.is_empty() {
        section(text, "Read these first", &lines_within(&list, MAX_READS));
    }
}

/// The documents of the step that sent this one back.
fn sent_back_with(state: &RunState, index: StepIndex) -> Vec<(StepId, String)> {
    let Some(hotfix) = &state.step(index).hotfix else { return Vec::new() };
    let judge = StepId::from(hotfix.by.as_str());
    let Some(index) = state.plan.find(&judge) else { return Vec::new() };
    papers_of(state, index).into_iter().map(|path| (judge.clone(), path)).collect()
}

/// Whether the step is a judge whose last verdict sent the work back: its document is still there.
fn judged_before(state: &RunState, index: StepIndex) -> bool {
    let step = state.step(index);
    let verdicts = state.plan.step(index).on.keys();
    step.epoch > 0 && verdicts.into_iter().any(|verdict| step.routes.contains_key(verdict))
}

/// The documents that a step writes, as far as their names are known beforehand.
fn papers_of(state: &RunState, index: StepIndex) -> Vec<String> {
    let (plan, context) = (state.plan.step(index), state.context_of(index));
    let published = plan.publishes.values().filter_map(|publish| match publish {
        Publish::Path(path) => Some(path),
        Publish::Value(_) => None,
    });
    let mut papers: Vec<String> = Vec::new();
    for path in published.chain(reports(plan)) {
        if let Ok(path) = template::fill_context(path, &context)
            && !papers.contains(&path)
        {
            papers.push(path);
        }
    }
    papers
}

/// The reports that windlass reads as verdicts.
fn reports(plan: &PlanStep) -> impl Iterator<Item = &String> {
    let checks = plan.done.as_ref().map(Criterion::checks).unwrap_or_default();
    checks.into_iter().filter_map(|check| match &check.kind {
        CheckKind::VerdictIn { file, .. } => Some(file),
        CheckKind::File { .. }
        | CheckKind::Run { .. }
        | CheckKind::Junit { .. }
        | CheckKind::Coverage { .. }
        | CheckKind::Red(_)
        | CheckKind::Green(_)
        | CheckKind::Diff { .. }
        | CheckKind::Checklist { .. }
        | CheckKind::Stories { .. }
        | CheckKind::Questions { .. }
        | CheckKind::State { .. }
        | CheckKind::Verdict { .. } => None,
    })
}

/// Whether the one step that writes the file was skipped.
fn nobody_writes(state: &RunState, path: &str) -> bool {
    let writes = |plan: &&PlanStep| plan.writes.iter().any(|written| written == path);
    let writer = state.plan.steps.iter().find(writes).and_then(|plan| state.plan.find(&plan.id));
    writer.is_some_and(|writer| matches!(state.step(writer).phase, Phase::Skipped))
}
