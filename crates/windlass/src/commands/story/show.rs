//! `windlass story show`: everything about one story.

use std::process::ExitCode;

use windlass_core::view::{
    CriterionTrace, StoryDetail, StoryStep, TraceProof, count, story_detail,
};
use windlass_engine::dispatch::AgentCall;

use crate::cli::Cli;
use crate::commands::speaker::Speaker;
use crate::commands::{deps, report};
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(super) fn show(cli: &Cli, id: &str, output: &mut Output) -> Result<ExitCode, CommandError> {
    if let Some(speaker) = Speaker::find(cli)?
        && let Some(items) = speaker.item(AgentCall::List)?
    {
        let items = items.as_array().cloned().unwrap_or_default();
        let known = items.into_iter().find(|item| item["id"] == id).ok_or_else(|| {
            CommandError::usage(format!("there is no story `{id}` in this run"))
                .hint("`windlass story list` shows those that there are")
        })?;
        output.json(&known);
        return Ok(ExitCode::SUCCESS);
    }
    let (run, loaded, store) = Surroundings::find(cli)?.loaded()?;
    let item = deps::item(&loaded.state, id)?;
    let history = report::history(&store, &run.id)?;
    let detail = story_detail(&loaded.state, item, &history);
    if output.is_json() {
        output.json(&detail);
    } else {
        tell(&detail, output);
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(detail: &StoryDetail, output: &mut Output) {
    let view = &detail.story;
    say(output, &format!("{}  {}", view.id, view.title));
    let size = view.size.map_or("-", |size| size.as_str());
    let phase = view.tdd_phase.map(|phase| format!(", {}", phase.as_str())).unwrap_or_default();
    let (status, rounds) = (view.status.as_str(), view.iterations);
    say(
        output,
        &format!(
            "  {status}{phase}, size {size}, {}, {}; asked for by {}",
            count(view.attempts as usize, "attempt"),
            count(rounds as usize, "iteration"),
            detail.source
        ),
    );
    let proven = view.checks.words();
    if !proven.is_empty() {
        say(output, &format!("  proven: {}", proven.join(", ")));
    }
    for (name, list) in [
        ("after", view.depends_on.iter().map(ToString::to_string).collect::<Vec<_>>()),
        ("files", detail.files.clone()),
    ] {
        if !list.is_empty() {
            say(output, &format!("  {name}: {}", list.join(", ")));
        }
    }
    if detail.security {
        say(output, "  needs a security review");
    }
    if let Some(note) = &detail.note {
        say(output, &format!("  {note}"));
    }
    for text in detail.design.iter().chain([&detail.body].into_iter().filter(|b| !b.is_empty())) {
        output.data("");
        text.lines().for_each(|line| say(output, &format!("  {line}")));
    }
    if !detail.criteria.is_empty() {
        output.data("\nCriteria");
        detail.criteria.iter().for_each(|criterion| tell_criterion(criterion, output));
    }
    if !detail.steps.is_empty() {
        output.data("\nSteps");
        detail.steps.iter().for_each(|step| tell_step(step, output));
    }
    if !detail.blockers.is_empty() {
        output.data("\nBlockers");
    }
    for blocker in &detail.blockers {
        let how = match (blocker.resolved, &blocker.notes) {
            (false, _) => " (open)".to_owned(),
            (true, None) => " (solved)".to_owned(),
            (true, Some(notes)) => format!(" (solved: {notes})"),
        };
        say(output, &format!("  {}  {}{how}", blocker.id, blocker.message));
    }
    if !detail.remarks.is_empty() {
        output.data("\nFindings");
    }
    for remark in &detail.remarks {
        say(output, &format!("  {}  ({})", remark.remark.words(), remark.step));
    }
}

fn tell_criterion(criterion: &CriterionTrace, output: &mut Output) {
    let verdict = criterion.verdict.map_or("not judged yet", |verdict| verdict.as_str());
    say(output, &format!("  {}  {} ({verdict})", criterion.id, criterion.text));
    for test in &criterion.tests {
        say(output, &format!("       test   {test}"));
    }
    for proof in &criterion.proofs {
        say(output, &format!("       proof  {}", words(proof)));
    }
    if let Some(commit) = &criterion.commit {
        say(output, &format!("       commit {commit}"));
    }
}

fn tell_step(step: &StoryStep, output: &mut Output) {
    let mut line = format!("  {}  {}", step.id, step.status.as_str());
    if step.waived {
        line.push_str(" (waived: not proven)");
    }
    line.push_str(&format!(", {} attempts", step.attempts));
    if step.sent_back > 0 {
        line.push_str(&format!(", led back {} times", step.sent_back));
    }
    if let Some(verdict) = &step.verdict {
        line.push_str(&format!(", {verdict}"));
    }
    if let Some(note) = &step.note {
        line.push_str(&format!(": {note}"));
    }
    say(output, &line);
    for proof in &step.proofs {
        say(output, &format!("       {}", proof.summary));
    }
}

fn words(proof: &TraceProof) -> String {
    let TraceProof { step, verification, summary, evidence } = proof;
    let short = |hash: &String| hash.get(..12).unwrap_or(hash).to_owned();
    let evidence = evidence.as_ref().map(|hash| format!(", evidence {}", short(hash)));
    format!("{summary} ({step}, verification {verification}{})", evidence.unwrap_or_default())
}

/// Prints a line that may hold words of others.
fn say(output: &mut Output, text: &str) {
    let text = output.foreign(text).into_owned();
    output.data(&text);
}
