//! What a step changed, as pages: all of it, or what a gate shows before it asks.

use std::collections::BTreeSet;

use windlass_core::id::{ObjectId, StepId};
use windlass_core::proof::{Blob, MAX_PROTECTED_DIFF_BYTES};
use windlass_core::run::{GateKind, Unseen};
use windlass_core::snapshot::Snapshot;
use windlass_core::view::{AttemptEntry, LeftOut, Lines, ProofEntry, Room, excerpt, printable};
use windlass_engine::git::EngineRepository;

use super::pager::{LineKind, PageLine};
use super::pages::{dim, heading, plain, proof};
use super::source::Source;
use crate::ask::only_grew;
use crate::commands::newest_proofs;
use crate::shown_work::{ALL_OF_IT, Picked, ShownWork, accepted, but_not, protects};

/// How much of the work a gate shows; the rest is counted where the question is.
const AT_A_GATE: Room = Room { lines: 2_000, characters: 2_000 };

impl Source {
    /// Writes what is to be decided at the gate of a step.
    pub(super) fn gate(&self, step: &StepId) -> Vec<PageLine> {
        let mut lines = Vec::new();
        let gate = self.state.as_ref().and_then(|state| state.gate());
        let proofs = self.step(step).map_or(Vec::new(), |step| newest_proofs(&step.proofs, false));
        let mut left_out = LeftOut::default();
        let mut apart = BTreeSet::new();
        let state = self.state.as_ref();
        let asked = state.zip(gate).and_then(|(state, gate)| state.asked_about(gate));
        if let Some(Unseen { changes, diff }) = asked {
            lines.push(heading("Files that judge the work were changed:"));
            lines.extend(changes.iter().map(|change| {
                let path = printable(&change.called(), Lines::One);
                PageLine::new(LineKind::Bad, format!("  {path}"))
            }));
            if let Some(diff) = &diff {
                let (shown, more) = self.protected_diff(diff);
                lines.extend(shown);
                left_out.add(more);
                apart = changes.iter().map(|change| change.path.clone()).collect();
            }
            lines.push(plain(""));
        }
        // A proof of other files says nothing about these.
        let here = |entry: &&ProofEntry| gate.is_none_or(|gate| gate.snapshot == entry.snapshot);
        let judged: Vec<PageLine> = proofs.into_iter().filter(here).map(proof).collect();
        if judged.is_empty() {
            lines.push(dim("No check has judged these files yet."));
        }
        lines.extend(judged);
        lines.push(plain(""));
        let (shown, more) = self.diff(step, None, (AT_A_GATE, apart));
        lines.extend(shown);
        left_out.add(more);
        // It belongs to the question, so it stands where the question is read.
        let words = left_out.words(ALL_OF_IT);
        let words = words.map(|words| PageLine::new(LineKind::Bad, words));
        words.into_iter().chain(lines).collect()
    }

    /// How files that judge the work changed: whole, whatever they are made of.
    fn protected_diff(&self, diff: &Blob) -> (Vec<PageLine>, LeftOut) {
        let most = MAX_PROTECTED_DIFF_BYTES as u64;
        match self.site.blobs().get(&diff.hash, most) {
            Ok(bytes) => {
                let mut shown = excerpt(&bytes, Room::ENDLESS);
                shown.left_out.more |= bytes.len() as u64 >= most;
                let mut lines: Vec<PageLine> = only_grew(&bytes).iter().map(plain).collect();
                lines.extend(patch_lines(shown.lines));
                (lines, shown.left_out)
            }
            Err(error) => {
                let words = format!("how they changed cannot be shown: {error}");
                let more = LeftOut { more: true, ..LeftOut::default() };
                (vec![PageLine::new(LineKind::Bad, words)], more)
            }
        }
    }

    /// What a step changed: since it began, up to what the gate shows, what was proven, or what the
    /// last attempt left.
    pub(super) fn diff(
        &self,
        step: &StepId,
        number: Option<u32>,
        (room, apart): (Room, BTreeSet<String>),
    ) -> (Vec<PageLine>, LeftOut) {
        let nothing = |words: &str| (vec![dim(words)], LeftOut::default());
        let Some(history) = self.step(step) else {
            return nothing("The step has not begun yet.");
        };
        let left = |attempt: &AttemptEntry| attempt.snapshot.clone();
        let gate = self.state.as_ref().and_then(|state| state.gate());
        let gate = gate.filter(|gate| gate.step == *step).map(|gate| gate.snapshot.clone());
        let shown = self.shown(step, number);
        let tree = match number {
            Some(_) => self.attempt(step, shown).and_then(left),
            None => gate
                .or_else(|| history.attempts.iter().rev().find_map(left))
                .or_else(|| history.proven.clone()),
        };
        let (Some(base), Some(tree)) = (&history.base, tree) else {
            return nothing("No attempt of it has ended yet, so there is nothing to compare.");
        };
        let mut base = base.clone();
        let asked = self.state.as_ref().filter(|_| number.is_none());
        if let Some(state) = asked
            && let Some(gate) = state.gate().filter(|gate| gate.step == *step)
            && !matches!(gate.kind, GateKind::Protected { late: false, .. })
        {
            // Whoever accepts a review accepts what was reviewed: all that the run changed so far.
            base.code = state.facts.base_tree.clone();
        }
        let mut lines = Vec::new();
        if history.attempts.last().is_some_and(|attempt| attempt.took.is_none()) {
            lines.push(dim("The running attempt's changes are shown when it has ended."));
        }
        match self.compare(&base, &tree, room, but_not(apart)) {
            Ok((more, left_out)) => {
                lines.extend(more);
                (lines, left_out)
            }
            Err(message) => {
                lines.push(PageLine::new(LineKind::Bad, message));
                (lines, LeftOut { more: true, ..LeftOut::default() })
            }
        }
    }

    fn compare(
        &self,
        base: &Snapshot,
        tree: &Snapshot,
        room: Room,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<(Vec<PageLine>, LeftOut), String> {
        let engine = EngineRepository::open(&self.site.home.engine_git());
        let engine = engine.map_err(|error| error.to_string())?;
        let engine = engine.ok_or("the engine's repository is gone, so nothing can be compared")?;
        let plan = self.state.as_ref().map(|state| &state.plan);
        let protected = plan.map(|plan| protects(plan));
        let protected = |change: &_| protected.as_ref().is_some_and(|protects| protects(change));
        let state = self.state.as_ref().filter(|state| state.gate().is_some());
        let accepted = |change: &_| state.and_then(|state| accepted(state, change));
        let picked = Picked { protected: &protected, wanted: &wanted, accepted: &accepted };
        let work = ShownWork::between(&engine, (base, tree), &picked);
        let work = work.map_err(|error| error.to_string())?;
        let mut lines = Vec::new();
        if !work.notes.is_empty() {
            lines.push(heading("These change what a fresh clone gets:"));
            let notes = work.notes.iter();
            lines.extend(notes.map(|note| PageLine::new(LineKind::Bad, format!("  {note}"))));
            lines.push(plain(""));
        }
        lines.extend(work.accepted.iter().map(dim));
        let (code, papers) = (work.code(room), work.papers(room));
        lines.push(changed(&engine, "code", &base.code, &tree.code)?);
        let tests = engine.tests_changed(&base.code, &tree.code).map_err(|e| e.to_string())?;
        if let Some(tests) = tests {
            let kind = if tests.is_less() { LineKind::Bad } else { LineKind::Plain };
            let words = printable(&tests.words(), Lines::One);
            // Above the patch: nobody should have to scroll for it.
            lines.push(PageLine::new(kind, format!("tests: {words}")));
        }
        lines.extend(patch_lines(code.lines));
        let mut left_out = code.left_out;
        if base.papers != tree.papers {
            lines.push(plain(""));
            lines.push(changed(&engine, "documents", &base.papers, &tree.papers)?);
            lines.extend(patch_lines(papers.lines));
            left_out.add(papers.left_out);
        }
        Ok((lines, left_out))
    }
}

/// Counts the changes between two trees.
fn changed(
    engine: &EngineRepository,
    what: &str,
    base: &ObjectId,
    tree: &ObjectId,
) -> Result<PageLine, String> {
    let (changed, counts) = engine.diff_with_lines(base, tree).map_err(|e| e.to_string())?;
    if changed.is_empty() {
        return Ok(dim(format!("No {what} changed.")));
    }
    let (added, removed) = counts
        .iter()
        .filter_map(|count| count.lines)
        .fold((0, 0), |(added, removed), (more, less)| (added + more, removed + less));
    let files =
        if changed.len() == 1 { "1 file".to_owned() } else { format!("{} files", changed.len()) };
    Ok(heading(format!("Changed {what}: {files}, +{added} −{removed}")))
}

fn patch_lines(lines: Vec<String>) -> Vec<PageLine> {
    lines.into_iter().map(|line| patch_line(line.replace('\t', "    "))).collect()
}

fn patch_line(line: String) -> PageLine {
    let kind = match line.as_str() {
        line if line.starts_with("diff --git") => LineKind::Heading,
        line if line.starts_with("+++") || line.starts_with("---") => LineKind::Dim,
        line if line.starts_with("index ") || line.starts_with("@@") => LineKind::Dim,
        line if line.starts_with('+') => LineKind::Added,
        line if line.starts_with('-') => LineKind::Removed,
        _ => LineKind::Plain,
    };
    PageLine::new(kind, line)
}
