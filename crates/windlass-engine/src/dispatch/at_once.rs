//! A program that ends at once with an error did no work: not found, a flag that it does not know, nobody signed
//! in. Starting it again would use up the tries of a step in seconds.

use std::path::Path;

use windlass_core::id::AttemptId;
use windlass_core::proof::Outcome;
use windlass_core::run::{Category, RunState, StepState};
use windlass_core::snapshot::Snapshot;

use super::attempt::{ERRORS, OUTPUT, fix_of};
use super::held::tail;
use super::worker::{Worker, WorkerError};

/// Nobody reads a prompt, works on it and gives up in less.
const MOMENT_MS: u64 = 5_000;

/// How much of its last words is told.
const MAX_LINES: usize = 3;
const MAX_CHARS: usize = 400;

impl Worker {
    /// Says that the agent's program does not work, where it ended at once with an error and changed nothing:
    /// the first time where the shell says that there is no such program, else when it happens again.
    pub(super) fn unless_at_once(
        &self,
        state: &RunState,
        attempt: &AttemptId,
        outcome: Outcome,
        wall_ms: u64,
        left: &Snapshot,
        scratch: &Path,
    ) -> Result<Outcome, WorkerError> {
        let Outcome::Exited { code } = outcome else { return Ok(outcome) };
        let changed = self.last_seen(state).is_none_or(|before| before.code != left.code);
        if code == 0 || wall_ms >= MOMENT_MS || changed || fix_of(state, &attempt.step).is_some() {
            return Ok(outcome);
        }
        let step = state.plan.find(&attempt.step).map(|index| state.step(index));
        let again = step.is_some_and(|step| did_the_same(step, code));
        // As shells say that there is no such program, or that it is none.
        if !again && !matches!(code, 126 | 127) {
            return Ok(outcome);
        }
        let said = format!("{}\n{}", tail(scratch, OUTPUT)?, tail(scratch, ERRORS)?);
        let message = message(code, again, &last_words(&said));
        Ok(Outcome::AgentFailed { category: Category::Environment, message })
    }
}

/// Whether the attempt before ended like this, too, and left nothing.
fn did_the_same(step: &StepState, code: i32) -> bool {
    let nothing = |looked: &windlass_core::run::Looked| {
        looked.changed_count == 0 && looked.papers.is_empty() && looked.checks.iter().all(is_open)
    };
    match &step.ended {
        Some(Outcome::Exited { code: before }) => {
            *before == code && step.looked.as_ref().is_some_and(nothing)
        }
        Some(Outcome::AgentFailed { category: Category::Environment, .. }) => true,
        Some(_) | None => false,
    }
}

fn is_open(check: &(windlass_core::plan::CheckId, windlass_core::plan::Holds)) -> bool {
    check.1 != windlass_core::plan::Holds::Yes
}

fn message(code: i32, again: bool, words: &str) -> String {
    let again = if again { ", again," } else { "" };
    let words = if words.is_empty() { "it said nothing".to_owned() } else { words.to_owned() };
    format!(
        "the agent's program ended at once{again} with exit code {code} and did nothing: {words}. Put it \
         right and resume, or go on with another: `windlass resume --agent-command CMD`"
    )
}

/// The last lines that say something.
fn last_words(output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(MAX_LINES)..];
    last.join(" / ").chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_told_and_no_more() {
        assert_eq!(last_words("a\n\nb\n  c \nd\n"), "b / c / d");
        assert_eq!(last_words("\n"), "");
        assert_eq!(last_words(&"x".repeat(900)).len(), MAX_CHARS);
        let told = message(127, false, "sh: 1: agent: not found");
        assert!(told.contains("exit code 127 and did nothing: sh: 1: agent: not found"), "{told}");
    }
}
