//! The workflow as text.

use std::fmt::Write as _;

use super::criterion::Criterion;
use super::entry::{Mode, Phase};
use super::pattern::Inputs;
use crate::source::quote::{comment, quoted};

/// One line of the legacy file, ready to be written.
pub(super) enum Part<'e> {
    Step { line: u32, source: &'e str, phase: &'e Phase<'e>, criterion: &'e Criterion, gate: Gate },
    Comment { line: u32, source: &'e str, reason: String },
}

/// Why a person decides after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    None,
    Asked,
    /// The line of a builtin behind it asked for it.
    Inherited,
}

/// Writes the workflow, and where each part begins.
pub(super) fn write(name: &str, inputs: &Inputs, parts: &[Part<'_>]) -> (String, Vec<(u32, u32)>) {
    let mut text = String::new();
    text.push_str(
        "# Imported by `windlass import`. Each step stands under the line it comes from.\n",
    );
    let _ = writeln!(text, "workflow: {name}");
    if !inputs.is_empty() {
        text.push_str(
            "\n# Variables of the imported file: give them with `--input NAME=VALUE`.\ninputs:\n",
        );
        for (name, kind) in inputs {
            let _ = writeln!(text, "  {name}: {{type: {kind}}}");
        }
    }
    text.push_str("\nsteps:\n");
    let mut places = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let begins = u32::try_from(text.matches('\n').count() + 1).unwrap_or(u32::MAX);
        match part {
            Part::Step { line, source, phase, criterion, gate } => {
                places.push((begins, *line));
                let _ = writeln!(text, "  # line {line}: {}", comment(source));
                step(&mut text, phase, criterion, *gate);
            }
            Part::Comment { line, source, reason } => {
                places.push((begins, *line));
                let _ = writeln!(text, "  # line {line}: {}", comment(source));
                let _ = writeln!(text, "  # not imported: {}", comment(reason));
            }
        }
    }
    (text, places)
}

fn step(text: &mut String, phase: &Phase<'_>, criterion: &Criterion, gate: Gate) {
    let agent = phase.agent;
    let _ = writeln!(text, "  - id: {}", phase.id());
    let title = format!("Phase {}: {agent}", phase.number.shown("."));
    let _ = writeln!(text, "    title: {}", quoted(&title));
    let _ = writeln!(text, "    agent: {}", quoted(agent));
    let words = agent.replace('{', "{{").replace('}', "}}");
    let task = format!("Do your part, as `{words}`, for this goal: {{goal}}");
    let _ = writeln!(text, "    task: {}", quoted(&task));
    if !criterion.publishes.is_empty() {
        text.push_str("    publishes:\n");
        for (key, kind) in &criterion.publishes {
            let _ = writeln!(text, "      {key}: {kind}");
        }
    }
    if phase.mode == Mode::Skip {
        text.push_str("    skip: allowed\n");
    }
    match gate {
        Gate::None => {}
        Gate::Asked => text.push_str("    gate: approval\n"),
        Gate::Inherited => text.push_str("    gate: approval # asked for by the line below\n"),
    }
    if !criterion.observed {
        text.push_str(
            "    trust: agent # its own claims complete this step; every report shows it\n",
        );
    }
    match criterion.checks.as_slice() {
        [check] => {
            let _ = writeln!(text, "    done: {check}");
        }
        checks => {
            text.push_str("    done:\n      all:\n");
            for check in checks {
                let _ = writeln!(text, "        - {check}");
            }
        }
    }
}
