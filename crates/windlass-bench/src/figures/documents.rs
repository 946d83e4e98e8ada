//! Task lists and specs: reading them, and what grows with their size.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use windlass_core::spec::{Base, Delta, Dialect, Spec};
use windlass_core::tasks::TaskList;

use crate::measure::{median, milliseconds, run, time};
use crate::scratch::{Medium, Scratch, Windlass};
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

/// OpenSpec's own program, where `.ci/agents openspec` puts it.
const OPENSPEC: &str = ".cache/agents/openspec/node_modules/@fission-ai/openspec/bin/openspec.js";

/// How many times faster than OpenSpec's own program a change is to be applied.
const FASTER: f64 = 20.0;

/// What ten thousand tasks with thirty thousand dependencies may take.
const MOST_FOR_TEN_THOUSAND: f64 = 50.0;

/// Linear means: ten times the tasks take at most this many times as long. Looking up ids takes a logarithm.
const LINEAR: f64 = 14.0;

pub(super) fn measure(windlass: &Windlass, effort: Effort) -> BenchResult<Vec<Figure>> {
    let mut figures = of_tasks(effort)?;
    figures.extend(of_deltas(effort)?);
    figures.push(of_openspec(windlass, effort)?);
    Ok(figures)
}

fn of_tasks(effort: Effort) -> BenchResult<Vec<Figure>> {
    let repetitions = effort.pick(3, 9);
    let (small, large) = (list(10_000), list(100_000));
    let groups = |text: &str| -> BenchResult<()> {
        let list = TaskList::parse(text, "TASKS.md").map_err(|found| found[0].to_string())?;
        match list.groups().is_empty() {
            true => Err("the list has no groups".into()),
            false => Ok(()),
        }
    };
    let ten = time(repetitions, || groups(&small))?;
    let hundred = time(repetitions, || groups(&large))?;
    Ok(vec![
        Figure::new("documents: groups of 10000 tasks, 30000 edges", Unit::Milliseconds, ten)
            .at_most(MOST_FOR_TEN_THOUSAND),
        Figure::new("documents: groups of 100000 tasks, 300000 edges", Unit::Milliseconds, hundred)
            .beside("10000 tasks", ten)
            .at_most(ten * LINEAR),
    ])
}

/// Tasks that each wait for three earlier ones.
fn list(tasks: usize) -> String {
    let mut text = String::new();
    for task in 0..tasks {
        let _ = write!(text, "- [ ] T{task} [P] Change src/module{}/file{task}.ts", task % 97);
        if task > 3 {
            let needs = [task - 1 - task % 3, task / 2, task / 3];
            let _ = write!(text, " (depends: T{}, T{}, T{})", needs[0], needs[1], needs[2]);
        }
        text.push('\n');
    }
    text
}

/// Reads a spec and deltas of it, applies them one after another, and prints the spec.
fn of_deltas(effort: Effort) -> BenchResult<Vec<Figure>> {
    let repetitions = effort.pick(3, 9);
    let mut costs = Vec::new();
    for (requirements, deltas) in [(1_000, 100), (10_000, 1_000)] {
        let text = spec(requirements);
        let changes: Vec<String> = (0..deltas).map(|number| delta(number, requirements)).collect();
        costs.push(time(repetitions, || {
            let parse = |text| Spec::parse(text, "PRD.md", Dialect::Windlass);
            let base = parse(&text).map_err(|found| found[0].to_string())?;
            let mut now = parse(&text).map_err(|found| found[0].to_string())?;
            for change in &changes {
                let delta = Delta::parse(change, "delta.md", Dialect::Windlass)
                    .map_err(|found| found[0].to_string())?;
                now.apply(&delta, Base::Known(&base), Dialect::Windlass)
                    .map_err(|refused| format!("{refused:?}"))?;
            }
            match now.print().len() > text.len() {
                true => Ok(()),
                false => Err("nothing was added".into()),
            }
        })?);
    }
    Ok(vec![
        Figure::new("documents: 100 deltas over 1000 requirements", Unit::Milliseconds, costs[0]),
        Figure::new("documents: 1000 deltas over 10000 requirements", Unit::Milliseconds, costs[1])
            .beside("100 over 1000", costs[0])
            .at_most(costs[0] * LINEAR),
    ])
}

fn block(number: usize, version: usize) -> String {
    format!(
        "### Requirement: Name {number}\nThe system SHALL do {version}.\n\n#### Scenario: One\n- **WHEN** it is {number}\n\
         - **THEN** it is {version}\n\n#### Scenario: Two\n- **WHEN** it is not\n- **THEN** nothing\n"
    )
}

fn spec(requirements: usize) -> String {
    let blocks: Vec<String> = (0..requirements).map(|number| block(number, 1)).collect();
    format!(
        "# all Specification\n\n## Purpose\nThis is what the capability is for, in enough words for everybody.\n\n\
         ## Requirements\n\n{}",
        blocks.join("\n")
    )
}

/// A delta that adds one requirement and modifies one that no other delta has.
fn delta(number: usize, requirements: usize) -> String {
    format!(
        "---\ndelta_id: d{number}\nreq_id: REQ-1\ntitle: x\ncreated_at: now\n---\n## ADDED Requirements\n{}\n\
         ## MODIFIED Requirements\n{}",
        block(requirements + number, 1),
        block(number, 2)
    )
}

/// One change of an OpenSpec tree by windlass, beside the same by OpenSpec, the start of the process included.
fn of_openspec(windlass: &Windlass, effort: Effort) -> BenchResult<Figure> {
    const NAME: &str = "documents: one OpenSpec change applied";
    let theirs = Path::new(OPENSPEC);
    if !theirs.is_file() {
        return Ok(Figure::not_counted(NAME));
    }
    let theirs = theirs.canonicalize()?;
    let (mut ours_took, mut theirs_took) = (Vec::new(), Vec::new());
    for _ in 0..effort.pick(3, 11) {
        let scratch = changed_tree()?;
        let begun = Instant::now();
        run(scratch.command(&windlass.exe).args(["delta", "apply", "--openspec", "change"]), 0)?;
        ours_took.push(milliseconds(begun.elapsed()));
        let scratch = changed_tree()?;
        let mut command = scratch.command(&theirs);
        command.env("OPENSPEC_TELEMETRY", "0").env("DO_NOT_TRACK", "1").env("CI", "1");
        let begun = Instant::now();
        run(command.args(["archive", "change", "--yes"]), 0)?;
        theirs_took.push(milliseconds(begun.elapsed()));
    }
    let theirs = median(theirs_took);
    let figure = Figure::new(NAME, Unit::Milliseconds, median(ours_took));
    Ok(figure.beside("openspec archive", theirs).at_most(theirs / FASTER))
}

/// A tree of five capabilities, with a change of three.
fn changed_tree() -> BenchResult<Scratch> {
    let scratch = Scratch::new(Medium::Disk)?;
    let write = |path: String, text: String| -> BenchResult<()> {
        let path = scratch.path(&format!("repository/openspec/{path}"));
        fs_err::create_dir_all(path.parent().unwrap_or(&path))?;
        Ok(fs_err::write(path, text)?)
    };
    for capability in 0..5 {
        write(format!("specs/c{capability}/spec.md"), spec(20))?;
    }
    for capability in 0..3 {
        let text = format!(
            "## ADDED Requirements\n\n{}\n## MODIFIED Requirements\n\n{}",
            block(90, 1),
            block(3, 2)
        );
        write(format!("changes/change/specs/c{capability}/spec.md"), text)?;
    }
    let proposal = "## Why\nBecause it is needed for this and for that, as everybody can see.\n\n## What Changes\n- Specs.\n";
    write("changes/change/proposal.md".to_owned(), proposal.to_owned())?;
    Ok(scratch)
}
