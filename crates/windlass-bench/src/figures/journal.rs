//! Reading a long journal back.

use std::process::Command;

use windlass_engine::journal::{fold, load};

use super::rounds::Rounds;
use crate::measure::{run, time};
use crate::scratch::Windlass;
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

pub(super) fn measure(windlass: &Windlass, effort: Effort) -> BenchResult<Vec<Figure>> {
    let rounds = Rounds::build(windlass, effort)?;
    let records = rounds.records;
    let whole = time(effort.pick(3, 7), || {
        fold(&rounds.store()?, &rounds.run)?;
        Ok(())
    })?;
    let stored = time(effort.pick(5, 50), || {
        load(&rounds.store()?, &rounds.run)?;
        Ok(())
    })?;
    // One after the other in turn, so that whatever else the machine does hits all three.
    let (mut nothing, mut git, mut status) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.pick(5, 40) {
        nothing.push(time(1, || run(&mut Command::new("/bin/true"), 0))?);
        git.push(time(1, || run(rounds.scratch.command("git").arg("status"), 0))?);
        status.push(time(1, || run(rounds.scratch.command(&windlass.exe).arg("status"), 0))?);
    }
    let [nothing, git, status] = [nothing, git, status].map(crate::measure::median);
    let name = |what: &str| format!("journal: {what} ({records} records)");
    Ok(vec![
        Figure::new(name("fold from the first record"), Unit::Milliseconds, whole).at_most(500.0),
        Figure::new(name("load by the stored fold"), Unit::Milliseconds, stored)
            .beside("whole fold", whole),
        Figure::new(name("`windlass status`"), Unit::Milliseconds, status)
            .beside("`git status`", git)
            .at_most(50.0),
        Figure::new("journal: `git status`, for comparison", Unit::Milliseconds, git)
            .beside("/bin/true", nothing),
    ])
}
