//! From a legacy file to a workflow.

use std::collections::BTreeMap;

use super::account::{Became, Import, Line, Problem, Remark, RemarkKind, origin};
use super::criterion::{self, Criterion};
use super::entry::{self, Mode, Number, Phase};
use super::lines::{self, Entry, Item};
use super::pattern::Inputs;
use super::write::{self, Gate, Part};
use crate::source::suggest::shown;
use crate::workflow::Workflow;

/// The largest file that is imported; real ones have some kilobytes.
pub const MAX_BYTES: usize = 1 << 20;

/// As many as a workflow may have steps.
const MAX_ENTRIES: usize = 500;

/// Turns a legacy file into a workflow called `name`.
///
/// # Errors
/// Everything that keeps the file from being imported, in the order of its lines.
pub fn phases(source: &[u8], name: &str) -> Result<Import, Vec<Problem>> {
    let text = text_of(source).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let items = lines::read(text, &mut problems);
    let entries = items.iter().filter(|item| matches!(item, Item::Entry(_))).count();
    if entries == 0 && problems.is_empty() {
        let help = "a line is `N|agent|APPROVAL, AUTO or SKIP|CRITERION`";
        problems.push(Problem::new(1, "no phase is in this file", help));
    }
    if entries > MAX_ENTRIES {
        let message = format!("there are {entries} phases, more than {MAX_ENTRIES}");
        problems.push(Problem::new(1, message, "is this the right file?"));
        return Err(problems);
    }
    let mut inputs = Inputs::new();
    let read = read_all(&items, &mut inputs, &mut problems);
    if !problems.is_empty() {
        problems.sort_by_key(|problem| problem.line);
        return Err(problems);
    }
    let import = assemble(&items, &read, &inputs, name)?;
    match Workflow::parse(&import.workflow, "workflow") {
        Ok(_) => Ok(import),
        // Whatever the mapping let through, reading tells; it is said about the line it comes from.
        Err(found) => Err(found
            .into_iter()
            .filter(|finding| finding.severity == crate::workflow::Severity::Error)
            .map(|finding| Problem {
                line: origin(&import.places, finding.line),
                message: format!("it does not fit into a workflow: {}", finding.message),
                help: finding.help,
            })
            .collect()),
    }
}

fn text_of(source: &[u8]) -> Result<&str, Problem> {
    if source.len() > MAX_BYTES {
        let message = format!("the file has {} bytes, more than {MAX_BYTES}", source.len());
        return Err(Problem::new(1, message, "is this the right file?"));
    }
    let line_of = |at: usize| {
        let newlines = source[..at].iter().filter(|byte| **byte == b'\n').count();
        u32::try_from(newlines + 1).unwrap_or(u32::MAX)
    };
    let text = std::str::from_utf8(source).map_err(|error| {
        let at = error.valid_up_to();
        Problem::new(line_of(at), format!("byte {at} is not UTF-8"), "save the file as UTF-8")
    })?;
    if let Some(at) = text.find('\0') {
        return Err(Problem::new(
            line_of(at),
            "a NUL byte: this is not a text file",
            "name another",
        ));
    }
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// A phase, with what proves it; a builtin has no criterion.
struct Read<'e> {
    entry: &'e Entry,
    phase: Phase<'e>,
    criterion: Option<Criterion>,
    remarks: Vec<Remark>,
}

fn read_all<'e>(
    items: &'e [Item],
    inputs: &mut Inputs,
    problems: &mut Vec<Problem>,
) -> Vec<Read<'e>> {
    let mut read: Vec<Read<'e>> = Vec::new();
    let mut seen: BTreeMap<Number, u32> = BTreeMap::new();
    let mut highest: Option<Number> = None;
    for item in items {
        let Item::Entry(entry) = item else { continue };
        let Some(phase) = entry::read(entry.line, &entry.text, problems) else { continue };
        let number = phase.number.shown(".");
        let first = *seen.entry(phase.number.clone()).or_insert(entry.line);
        if first != entry.line || read.iter().any(|one| one.phase.number == phase.number) {
            let message = format!("the number {number} is given twice, first on line {first}");
            problems.push(Problem::new(entry.line, message, "give each phase a number of its own"));
            continue;
        }
        let mut remarks = Vec::new();
        if phase.written != number {
            let text = format!("the number {} is read as {number}", shown(phase.written));
            remarks.push(Remark::new(RemarkKind::Changed, text));
        }
        if let Some(before) = highest.as_ref().filter(|highest| **highest > phase.number) {
            let before = before.shown(".");
            let text = format!("it stands after {before}: steps come in the order of the file");
            remarks.push(Remark::new(RemarkKind::Changed, text));
        }
        highest = highest.max(Some(phase.number.clone()));
        if entry.expanded {
            let text = "a shell would have expanded variables in it; nothing is evaluated here";
            remarks.push(Remark::new(RemarkKind::Changed, text));
        }
        let criterion = (!phase.is_builtin()).then(|| {
            let key = phase.number.shown("_");
            criterion::read(entry.line, phase.criterion, &key, inputs, problems)
        });
        read.push(Read { entry, phase, criterion, remarks });
    }
    read
}

fn assemble(
    items: &[Item],
    read: &[Read<'_>],
    inputs: &Inputs,
    name: &str,
) -> Result<Import, Vec<Problem>> {
    if read.iter().all(|one| one.criterion.is_none()) {
        let line = read.first().map_or(1, |one| one.entry.line);
        let message = "only the orchestrator works in this file, so no step would be left";
        return Err(vec![Problem::new(line, message, "name an agent for at least one phase")]);
    }
    let mut parts = Vec::new();
    let mut accounts: BTreeMap<u32, Vec<Line>> = BTreeMap::new();
    for (index, one) in read.iter().enumerate() {
        let inherits = read
            .get(index + 1)
            .is_some_and(|next| next.criterion.is_none() && next.phase.mode == Mode::Approval);
        let after_a_step = index > 0 && read[index - 1].criterion.is_some();
        let source = one.entry.text.as_str();
        let line = one.entry.line;
        let mut remarks = one.remarks.clone();
        let became = match &one.criterion {
            Some(criterion) => {
                let gate = match (one.phase.mode, inherits) {
                    (Mode::Approval, _) => Gate::Asked,
                    (Mode::Auto | Mode::Skip, true) => Gate::Inherited,
                    (Mode::Auto | Mode::Skip, false) => Gate::None,
                };
                remarks.extend(criterion.remarks.iter().cloned());
                remarks.extend(of_step(&one.phase, criterion));
                parts.push(Part::Step { line, source, phase: &one.phase, criterion, gate });
                Became::Step(one.phase.id())
            }
            None => {
                let (reason, more) = of_builtin(&one.phase, after_a_step);
                remarks.extend(more);
                parts.push(Part::Comment { line, source, reason });
                Became::Comment
            }
        };
        let account = Line { line, source: source.to_owned(), became, remarks };
        accounts.entry(line).or_default().push(account);
    }
    for item in items {
        if let Item::Other { line, text, why } = item {
            let remarks = vec![Remark::new(RemarkKind::Changed, *why)];
            let became = Became::Nothing;
            let account = Line { line: *line, source: text.clone(), became, remarks };
            accounts.entry(*line).or_default().push(account);
        }
    }
    let (workflow, places) = write::write(name, inputs, &parts);
    Ok(Import { workflow, lines: accounts.into_values().flatten().collect(), places })
}

fn of_step(phase: &Phase<'_>, criterion: &Criterion) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if !criterion.observed {
        let text = "nothing but claims of its own agent proves this step: `trust: agent` was put \
                    in, and every report shows it; add a `file`, `run` or `diff` check";
        remarks.push(Remark::new(RemarkKind::Weaker, text));
    }
    match phase.mode {
        Mode::Approval => {
            remarks.push(Remark::new(RemarkKind::Mapped, "`APPROVAL` to `gate: approval`"));
        }
        Mode::Auto => {}
        Mode::Skip => {
            remarks.push(Remark::new(RemarkKind::Mapped, "`SKIP` to `skip: allowed`"));
            let text = "the step is done unless an earlier step publishes that it is not needed, or \
                        you `windlass skip` it; take it out if it should never be done";
            remarks.push(Remark::new(RemarkKind::Changed, text));
        }
    }
    remarks
}

/// Says what an orchestrator's phase would be, and what is left of it.
fn of_builtin(phase: &Phase<'_>, after_a_step: bool) -> (String, Vec<Remark>) {
    let words = phase.criterion.to_ascii_lowercase();
    let is_publishing = ["pr", "pull", "publish", "merge", "push"].iter().any(|word| {
        words.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part.contains(word))
    });
    let reason = if is_publishing {
        "no agent works on it; if windlass is to publish here, add a step with `builtin: pull-request`"
    } else {
        "no agent works on it, and windlass has no step of this kind"
    };
    let reason = reason.to_owned();
    let mut remarks = vec![Remark::new(RemarkKind::Changed, reason.clone())];
    if phase.mode == Mode::Approval {
        remarks.push(if after_a_step {
            Remark::new(RemarkKind::Mapped, "its `APPROVAL` is kept as the gate of the step above")
        } else {
            let text = "its `APPROVAL` is lost: no step above it could have the gate";
            Remark::new(RemarkKind::Weaker, text)
        });
    }
    if !phase.criterion.is_empty() {
        let text = format!("its criterion {} is not checked", shown(phase.criterion));
        remarks.push(Remark::new(RemarkKind::Weaker, text));
    }
    (reason, remarks)
}
