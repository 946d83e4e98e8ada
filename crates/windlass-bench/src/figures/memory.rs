//! The peak resident set of a driver.

use super::rounds::{AT_GATE, Rounds};
use super::steps;
use crate::measure::{peak_memory, run};
use crate::scratch::{Medium, Scratch, Windlass, chain};
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

/// What a run may use, in MiB.
const BOUND: f64 = 40.0;

pub(super) fn measure(windlass: &Windlass, effort: Effort) -> BenchResult<Vec<Figure>> {
    let scratch = Scratch::new(Medium::Disk)?;
    let git = peak_memory(scratch.command("git").arg("status"), 0)?;
    let workflow = scratch.workflow(&chain(steps::STEPS, ""))?;
    let fresh = peak_memory(&mut scratch.windlass_run(&windlass.exe, &workflow), 0)?;

    let rounds = Rounds::build(windlass, effort)?;
    // The last step is done once more, by a real driver and a real agent, on the long journal.
    run(rounds.scratch.command(&windlass.exe).args(["feedback", "once more"]), 0)?;
    let long = peak_memory(rounds.scratch.command(&windlass.exe).arg("resume"), AT_GATE)?;
    let status = peak_memory(rounds.scratch.command(&windlass.exe).arg("status"), 0)?;
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
