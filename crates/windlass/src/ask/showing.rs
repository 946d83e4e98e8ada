//! What a gate shows of the work before it asks.

use std::collections::BTreeSet;

use windlass_core::proof::{Blob, MAX_PROTECTED_DIFF_BYTES};
use windlass_core::run::{Gate, GateKind, RunState};
use windlass_core::view::{Excerpt, LeftOut, Room, excerpt, only_added};
use windlass_engine::git::Change;

use crate::changes;
use crate::commands::history;
use crate::error::CommandError;
use crate::output::{exact_note, note};
use crate::shown_work::{ALL_OF_IT, Picked, ShownWork, accepted, but_not, protects};
use crate::surroundings::Surroundings;

/// What fits on a screen beside the proofs; the rest is counted in the question.
const AT_A_GLANCE: Room = Room { lines: 40, characters: 400 };

/// How many changes besides lines are listed before the question; the rest is counted.
const MOST_NOTES: usize = 20;

/// The work that a gate is about.
pub(super) struct Showing {
    work: Result<ShownWork, CommandError>,
    /// The protected files, where they are what is asked about.
    protected: Option<Result<Vec<u8>, String>>,
    room: Room,
}

impl Showing {
    pub(super) fn of(surroundings: &Surroundings, state: &RunState, gate: &Gate) -> Self {
        let asked = state.asked_about(gate);
        let room = match &gate.kind {
            // They are among all that the run changed, and have to be seen.
            _ if asked.as_ref().is_some_and(|asked| asked.diff.is_none()) => Room::ENDLESS,
            GateKind::Approval => AT_A_GLANCE,
            // It is about a verdict or about other files.
            GateKind::Route { .. } | GateKind::Protected { .. } => Room { lines: 0, characters: 0 },
        };
        let diff = asked.and_then(|asked| asked.diff);
        let protected = diff.map(|diff| read(surroundings, &diff));
        Self { work: work(surroundings, state, gate), protected, room }
    }

    /// Shows what there is room for, and says what is not shown.
    pub(super) fn print(&self) {
        self.print_with(self.room, MOST_NOTES);
    }

    /// Shows all of it.
    pub(super) fn print_all(&self) {
        self.print_with(Room::ENDLESS, usize::MAX);
    }

    fn print_with(&self, room: Room, most_notes: usize) {
        let mut left_out = LeftOut::default();
        let work = match &self.work {
            Ok(work) => work,
            Err(error) => {
                note(&format!("  what changed cannot be shown: {}", error.error));
                &ShownWork::default()
            }
        };
        for line in &work.accepted {
            note(&format!("  {line}"));
        }
        for line in work.notes.iter().take(most_notes) {
            note(&format!("  {line}"));
        }
        if work.notes.len() > most_notes {
            note(&format!("  … {} more of this kind: {ALL_OF_IT}", work.notes.len() - most_notes));
        }
        match &self.protected {
            Some(Ok(patch)) => {
                only_grew(patch).iter().for_each(|words| note(&format!("  {words}")));
                // Whatever room there is: a file that judges the work is shown whole.
                let shown = excerpt(patch, Room::ENDLESS);
                lines(&shown);
                left_out.add(shown.left_out);
                left_out.more |= patch.len() >= MAX_PROTECTED_DIFF_BYTES;
            }
            Some(Err(why)) => note(&format!("  how they changed cannot be shown: {why}")),
            None => {}
        }
        let shown = work.all(room);
        lines(&shown);
        left_out.add(shown.left_out);
        if room == Room::ENDLESS {
            lines(&work.accepted_before());
        }
        if let Some(words) = left_out.words(ALL_OF_IT) {
            note(&format!("  {words}"));
        }
    }
}

/// Says how much there is to see at the gate for somebody who is shown nothing of it, and where it is.
pub(crate) fn not_shown(
    surroundings: &Surroundings,
    state: &RunState,
    all: &str,
) -> Option<String> {
    const NOTHING: Room = Room { lines: 0, characters: 0 };
    let showing = Showing::of(surroundings, state, state.gate()?);
    let mut left_out = LeftOut::default();
    let mut said = Vec::new();
    match &showing.work {
        Ok(work) => left_out.add(work.all(NOTHING).left_out),
        Err(_) => left_out.more = true,
    }
    match &showing.protected {
        Some(Ok(patch)) => {
            said = only_grew(patch);
            left_out.add(excerpt(patch, NOTHING).left_out);
        }
        Some(Err(_)) => left_out.more = true,
        None => {}
    }
    said.extend(left_out.words(all));
    (!said.is_empty()).then(|| said.join("\n"))
}

/// Which files that judge the work only grew; a diff that is cut says nothing about that.
pub(crate) fn only_grew(patch: &[u8]) -> Vec<String> {
    if patch.len() >= MAX_PROTECTED_DIFF_BYTES { Vec::new() } else { only_added(patch) }
}

fn lines(shown: &Excerpt) {
    shown.lines.iter().for_each(|line| exact_note(line));
}

fn read(surroundings: &Surroundings, diff: &Blob) -> Result<Vec<u8>, String> {
    let most = MAX_PROTECTED_DIFF_BYTES as u64;
    surroundings.site.blobs().get(&diff.hash, most).map_err(|error| error.to_string())
}

/// The files that a gate shows by themselves.
fn shown_apart(state: &RunState, gate: &Gate) -> BTreeSet<String> {
    let asked = state.asked_about(gate).filter(|asked| asked.diff.is_some());
    let changes = asked.map(|asked| asked.changes).unwrap_or_default();
    changes.into_iter().map(|change| change.path).collect()
}

/// What the step changed, without what is shown by itself.
fn work(
    surroundings: &Surroundings,
    state: &RunState,
    gate: &Gate,
) -> Result<ShownWork, CommandError> {
    let Some(store) = surroundings.store()? else { return Ok(ShownWork::default()) };
    let history = history(&store, &state.facts.run)?;
    let base = history.steps.get(&gate.step).and_then(|step| step.base.clone());
    let Some(mut base) = base else { return Ok(ShownWork::default()) };
    if !matches!(gate.kind, GateKind::Protected { late: false, .. }) {
        // Whoever accepts a review accepts what was reviewed: all that the run changed so far.
        base.code = state.facts.base_tree.clone();
    }
    let apart = shown_apart(state, gate);
    let (protected, wanted) = (protects(&state.plan), but_not(apart));
    let accepted = |change: &Change| accepted(state, change);
    let picked = Picked { protected: &protected, wanted: &wanted, accepted: &accepted };
    let engine = changes::engine(surroundings)?;
    ShownWork::between(&engine, (&base, &gate.snapshot), &picked).map_err(CommandError::failure)
}
