//! What differs between two snapshots: asked of the engine's repository, written for people.

use std::fmt::Write as _;

use windlass_core::plan::Plan;
use windlass_core::run::RunState;
use windlass_core::snapshot::Snapshot;
use windlass_core::view::{Changes, FileChange, Lines, Room, printable};
use windlass_engine::git::EngineRepository;

use crate::error::CommandError;
use crate::output::Output;
use crate::render::Paint;
use crate::shown_work::{Picked, ShownWork, protects};
use crate::surroundings::Surroundings;

/// How wide the bars of a statistic are.
const BAR: u64 = 40;

/// How differences are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Patch,
    Stat,
    Names,
}

/// Opens the engine's repository, which has all snapshots.
pub(crate) fn engine(surroundings: &Surroundings) -> Result<EngineRepository, CommandError> {
    let folder = surroundings.site.home.engine_git();
    EngineRepository::open(&folder).map_err(CommandError::failure)?.ok_or_else(|| {
        CommandError::failure(format!(
            "the kept files are gone: there is no `{}`",
            folder.display()
        ))
        .hint("they cannot be restored; the journal still records what happened")
    })
}

/// Says how the tests that the repository declares differ between the base of the run and what is decided
/// about; none where they do not.
pub(crate) fn tests(surroundings: &Surroundings, state: &RunState) -> Option<String> {
    let engine = engine(surroundings).ok()?;
    let code = &state.gate()?.snapshot.code;
    let words = match engine.tests_changed(&state.facts.base_tree, code) {
        Ok(tests) => tests?.words(),
        Err(e) => format!("could not be counted: {e}"),
    };
    Some(format!("tests: {}", printable(&words, Lines::One)))
}

/// Prints what differs; `paths` narrows a patch.
pub(crate) fn print(
    engine: &EngineRepository,
    (from, to): (&Snapshot, &Snapshot),
    shown: Shown,
    (plan, paths): (&Plan, &[String]),
    output: &mut Output,
) -> Result<(), CommandError> {
    let wanted = |file: &str| paths.is_empty() || paths.iter().any(|path| is_below(file, path));
    if shown == Shown::Patch && !output.is_json() {
        let protected = protects(plan);
        // Whoever asks for a diff wants all of it.
        let picked = Picked { protected: &protected, wanted: &wanted, accepted: &|_| None };
        let work =
            ShownWork::between(engine, (from, to), &picked).map_err(CommandError::failure)?;
        patch(&work, output);
        return Ok(());
    }
    let mut changes = engine.changes(from, to).map_err(CommandError::failure)?;
    changes.code.retain(|file| wanted(&file.path));
    changes.papers.retain(|file| wanted(&file.path));
    if output.is_json() {
        output.json(&serde_json::json!({
            "from": from, "to": to, "code": changes.code, "papers": changes.papers,
            "notes": changes.notes,
        }));
        return Ok(());
    }
    let paint = Paint::new(output.has_colour());
    match shown {
        Shown::Names => {
            for file in changes.all() {
                output.data(&printable(&file.path, Lines::One));
            }
        }
        Shown::Stat | Shown::Patch => {
            if paths.is_empty() {
                notes(&changes.notes, paint, output);
            }
            output.data(&stat(&changes, paint));
        }
    }
    Ok(())
}

fn is_below(file: &str, path: &str) -> bool {
    let rest = file.strip_prefix(path.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Prints a patch whole.
fn patch(work: &ShownWork, output: &mut Output) {
    let paint = Paint::new(output.has_colour());
    notes(&work.notes, paint, output);
    let (code, papers) = (work.code(Room::ENDLESS), work.papers(Room::ENDLESS));
    for line in &code.lines {
        if !output.try_data(&coloured(line, paint)) {
            return;
        }
    }
    if !papers.lines.is_empty() {
        output.data(&paint.bold("\nDocuments"));
    }
    for line in &papers.lines {
        if !output.try_data(&coloured(line, paint)) {
            return;
        }
    }
    if code.left_out.more || papers.left_out.more {
        output.remark("not all of it is shown; narrow it by a path");
    }
}

/// Prints what changed besides lines, above the lines.
fn notes(notes: &[String], paint: Paint, output: &mut Output) {
    if notes.is_empty() {
        return;
    }
    output.data(&paint.bold("These change what a fresh clone gets:"));
    notes.iter().for_each(|note| output.data(&format!("  {note}")));
    output.data("");
}

fn coloured(line: &str, paint: Paint) -> String {
    match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'd', ..] => paint.bold(line),
        [b'+', ..] => paint.good(line),
        [b'-', ..] => paint.bad(line),
        [b'@', ..] => paint.busy(line),
        _ => line.to_owned(),
    }
}

/// One line per file with the lines that changed, and the sum.
pub(crate) fn stat(changes: &Changes, paint: Paint) -> String {
    let mut text = String::new();
    let width = changes.all().map(|file| file.path.chars().count()).max().unwrap_or(0).min(60);
    let most = changes.all().map(|file| touched(file).unwrap_or(0)).max().unwrap_or(0);
    // Writing to a string cannot fail.
    let mut part = |files: &[FileChange]| {
        for file in files {
            let path = printable(&file.path, Lines::One);
            let letter = file.status.letter();
            let _ = match touched(file) {
                Some(_) => writeln!(text, " {letter} {path:width$} | {}", bars(file, most, paint)),
                None => writeln!(text, " {letter} {path:width$} | binary"),
            };
        }
    };
    part(&changes.code);
    part(&changes.papers);
    let _ = write!(text, " {}", changes.sum());
    text
}

fn touched(file: &FileChange) -> Option<u64> {
    Some(file.added?.saturating_add(file.deleted?))
}

fn bars(file: &FileChange, most: u64, paint: Paint) -> String {
    let (added, deleted) = (file.added.unwrap_or(0), file.deleted.unwrap_or(0));
    let scale = |count: u64| match most {
        0 => 0,
        most if most <= BAR => count,
        // At least one, so that a small change beside a large one is seen.
        most => (count.saturating_mul(BAR) / most).max(u64::from(count > 0)),
    };
    let bar = |sign: &str, count: u64| sign.repeat(usize::try_from(scale(count)).unwrap_or(0));
    let total = added.saturating_add(deleted);
    format!("{total:>5} {}{}", paint.good(&bar("+", added)), paint.bad(&bar("-", deleted)))
}
