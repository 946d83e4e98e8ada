//! How a run was proven, in a short table by the names of its steps.

use std::fmt::Write as _;

use super::projection::{ReportProof, ReportStep, ReportView};
use crate::plan::{Holds, Strength};
use crate::view::literal::{brief, brief_cell, code, prose};

/// The longest sentence about what was before the run, and its last proof.
const MAX_NOTE_BYTES: usize = 400;

/// How many steps are listed; the evidence has all of them.
const MAX_ROWS: usize = 25;

/// The longest words about one check, and the longest name or command in them.
const MAX_WORDS: usize = 160;
const MAX_CODE: usize = 40;

/// One row: all steps of a name, because each story has the same ones.
struct Row<'v> {
    title: &'v str,
    steps: Vec<&'v ReportStep>,
    proofs: Vec<&'v ReportProof>,
}

// Writing to a string cannot fail, so the results of `writeln!` are dropped throughout.

pub(super) fn table(text: &mut String, view: &ReportView) {
    let _ = writeln!(text, "\n## How it was proven\n\n{}.", capital(&view.counts.words()));
    let rows = rows(view);
    if !rows.is_empty() {
        text.push_str("\n| step | what was checked | |\n|---|---|---|\n");
    }
    for row in rows.iter().take(MAX_ROWS) {
        let _ = writeln!(
            text,
            "| {}{} | {} | {} |",
            brief_cell(row.title, MAX_WORDS),
            times(row.steps.len()),
            row.words(),
            row.verdict(),
        );
    }
    if rows.len() > MAX_ROWS {
        let _ = writeln!(text, "\n{} more steps are below.", rows.len() - MAX_ROWS);
    }
    let last = view.cold.as_ref().map(|cold| cold.words());
    for (name, words) in [("Last proof", last.as_ref()), ("Before the run", view.before.as_ref())] {
        if let Some(words) = words {
            let _ = writeln!(text, "\n**{name}:** {}.", brief(words, MAX_NOTE_BYTES));
        }
    }
    let _ = writeln!(
        text,
        "\nMade by agents, driven by windlass: workflow {}, run `{}`. Nothing here rests on an agent's \
         word unless it says *claimed*.",
        code(&view.workflow),
        view.run
    );
}

fn rows(view: &ReportView) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for step in &view.steps {
        let of_step = |proof: &&ReportProof| proof.decisive && proof.step == step.id;
        let proofs: Vec<&ReportProof> = view.proofs.iter().filter(of_step).collect();
        if proofs.is_empty() {
            continue;
        }
        let same = |row: &&mut Row<'_>| row.title == step.title && row.kinds() == kinds(&proofs);
        match rows.iter_mut().find(same) {
            Some(row) => {
                row.steps.push(step);
                row.proofs.extend(proofs);
            }
            None => rows.push(Row { title: &step.title, steps: vec![step], proofs }),
        }
    }
    rows
}

impl Row<'_> {
    fn kinds(&self) -> Vec<&str> {
        kinds(&self.proofs)
    }

    /// What each kind of check said last.
    fn words(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        for kind in self.kinds() {
            let of_kind = |proof: &&&ReportProof| kind_of(&proof.summary) == kind;
            if let Some(proof) = self.proofs.iter().rev().find(of_kind) {
                let claimed = if proof.strength == Strength::Claimed { " *(claimed)*" } else { "" };
                let said = brief_cell(&shortened(&proof.summary), MAX_WORDS);
                words.push(format!("{said}{claimed}"));
            }
        }
        words.join("; ")
    }

    fn verdict(&self) -> &'static str {
        let waived = self.steps.iter().any(|step| step.waived);
        match self.proofs.iter().all(|proof| proof.holds == Holds::Yes) {
            _ if waived => "**waived**",
            true => "yes",
            false => "**no**",
        }
    }
}

/// The kinds of checks, each once, in their order.
fn kinds<'p>(proofs: &[&'p ReportProof]) -> Vec<&'p str> {
    let mut kinds = Vec::new();
    for proof in proofs {
        let kind = kind_of(&proof.summary);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// The first word of what a check says is its kind. Commands are told apart by their text: one that passed
/// says nothing about another.
fn kind_of(summary: &str) -> &str {
    if let Some(rest) = summary.strip_prefix("run `")
        && let Some(end) = rest.find('`')
    {
        return &summary[..summary.len() - rest.len() + end];
    }
    summary.split_whitespace().next().unwrap_or_default()
}

fn times(steps: usize) -> String {
    if steps == 1 { String::new() } else { format!(" ({steps} times)") }
}

/// Cuts long names and commands between backticks.
fn shortened(words: &str) -> String {
    let mut text = String::new();
    for (at, part) in words.split('`').enumerate() {
        if at > 0 {
            text.push('`');
        }
        let is_code = at % 2 == 1;
        if is_code && part.chars().count() > MAX_CODE {
            text.extend(part.chars().take(MAX_CODE - 1));
            text.push('…');
        } else {
            text.push_str(part);
        }
    }
    text
}

fn capital(words: &str) -> String {
    let mut signs = words.chars();
    let first = signs.next().map(|sign| sign.to_uppercase().to_string()).unwrap_or_default();
    prose(&(first + signs.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_in_a_table_is_never_long() {
        let long = format!("run `{}` exited with 0", "npm test -- --reporter junit ".repeat(8));
        let short = shortened(&long);
        assert!(short.chars().count() < 70, "{short}");
        assert!(
            short.starts_with("run `npm test") && short.ends_with("…` exited with 0"),
            "{short}"
        );
        assert_ne!(
            kind_of("run `npm test` exited with 0"),
            kind_of("run `npm run lint` exited with 0"),
            "each command is told"
        );
        assert_eq!(kind_of("junit `*.xml`: 12 tests ran"), "junit");
        assert_eq!(shortened("junit `*.xml`: 12 tests ran"), "junit `*.xml`: 12 tests ran");
        assert_eq!(shortened(&"x".repeat(500)), "x".repeat(500), "only code is cut here");
    }
}
