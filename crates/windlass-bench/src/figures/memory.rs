//! The peak resident set of a driver.

use std::process::Command;

use super::rounds::{AT_GATE, Rounds};
use super::steps;
use crate::measure::{peak_memory, run};
use crate::scratch::{Criterion, Medium, Scratch, Windlass, chain};
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

/// What a run may use, in MiB.
const BOUND: f64 = 40.0;

/// How often a command of some milliseconds is looked at.
const SHORT_RUNS: usize = 10;

pub(super) fn measure(windlass: &Windlass, effort: Effort) -> BenchResult<Vec<Figure>> {
    let scratch = Scratch::new(Medium::Disk)?;
    let git = highest(&mut scratch.command("git"))?;
    let workflow = scratch.workflow(&chain(steps::STEPS, Criterion::Command, ""))?;
    let fresh = peak_memory(&mut scratch.windlass_run(&windlass.exe, &workflow), 0)?;

    let rounds = Rounds::build(windlass, effort)?;
    // The last step is done once more, by a real driver and a real agent, on the long journal.
    run(rounds.scratch.command(&windlass.exe).args(["feedback", "once more"]), 0)?;
    let long = peak_memory(rounds.scratch.command(&windlass.exe).arg("resume"), AT_GATE)?;
    let status = highest(&mut rounds.scratch.command(&windlass.exe))?;
    let name = |what: &str| format!("memory: {what}");
    let records = rounds.records;
    let figures = [
        (format!("driver of a run of {} steps", steps::STEPS), fresh),
        (format!("driver on a journal of {records} records"), long),
        (format!("`windlass status` on {records} records"), status),
    ];
    let figure = |(what, value): (String, f64)| {
        Figure::new(name(&what), Unit::Mebibytes, value).beside("`git status`", git).at_most(BOUND)
    };
    Ok(figures.map(figure).into())
}

/// Returns the peak of a `status`, which is so short that one look may come too late.
fn highest(program: &mut Command) -> BenchResult<f64> {
    program.arg("status");
    (0..SHORT_RUNS).try_fold(0.0, |highest: f64, _| Ok(highest.max(peak_memory(program, 0)?)))
}
