//! `windlass compact`: what an agent needs that goes on with a run, in at most 4 KiB.

use std::process::ExitCode;

use windlass_core::view::{CompactView, compact_view, count};

use crate::cli::Cli;
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn compact(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    let (_, loaded, _) = Surroundings::find(cli)?.loaded()?;
    let view = compact_view(&loaded.state);
    if output.is_json() {
        output.json(&view);
    } else {
        let text = words(&view);
        let text = output.foreign(text.trim_end()).into_owned();
        output.data(&text);
    }
    Ok(ExitCode::SUCCESS)
}

fn words(view: &CompactView) -> String {
    let mut lines = vec![
        format!("run {}: {}", view.workflow_id, view.goal),
        format!("now: {}", view.current_phase),
    ];
    if let Some(story) = &view.current_story {
        let phase = story.tdd_phase.map(|phase| format!(", {}", phase.as_str()));
        let (status, phase) = (story.status.as_str(), phase.unwrap_or_default());
        let attempts = count(story.attempts as usize, "attempt");
        lines.push(format!("story {}: {} ({status}{phase}, {attempts})", story.id, story.title));
    }
    lines.extend(view.recently_resolved_blockers.iter().map(|text| format!("resolved: {text}")));
    lines.push("to go on:".to_owned());
    lines.extend(view.resume_instructions.iter().map(|text| format!("- {text}")));
    lines.join("\n")
}
