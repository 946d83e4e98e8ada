//! `windlass diff`: what the run, a step or an attempt changed.

use std::process::ExitCode;

use windlass_core::snapshot::Snapshot;
use windlass_core::view::KeptFiles;
use windlass_engine::journal::trail;

use crate::changes::{self, Shown};
use crate::cli::{Cli, DiffArguments};
use crate::commands::trash;
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::{self, Surroundings};

pub(crate) fn diff(
    cli: &Cli,
    arguments: &DiffArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (run, loaded, store) = surroundings.loaded()?;
    let trail = trail(&store, &run.id, loaded.head.seq)?;
    let kept = KeptFiles::of(&trail).map_err(CommandError::failure)?;
    let state = &loaded.state;
    let (from, to): (Snapshot, Snapshot) = match &arguments.what {
        None => {
            let Some(whole) = kept.whole else {
                output.remark("nothing yet: the first step has not begun");
                return Ok(ExitCode::SUCCESS);
            };
            if let Some(gate) = state.gate() {
                let step = &gate.step;
                output.remark(&format!(
                    "all that the run changed; `windlass diff {step}` shows what the gate is about"
                ));
            }
            (whole.from, whole.to)
        }
        Some(name) if name.contains(['#', '@']) => {
            let found = trash::pick(&kept, run.id.as_str(), name)?;
            (found.from.clone(), found.snapshot.clone())
        }
        Some(name) => {
            let step = surroundings::step(state, name)?;
            let Some(work) = kept.work.get(&step) else {
                output.remark(&format!("`{step}` has not left any files yet"));
                return Ok(ExitCode::SUCCESS);
            };
            if !work.proven {
                output
                    .remark(&format!("`{step}` is not proven: this is what its last attempt left"));
            }
            (work.from.clone(), work.to.clone())
        }
    };
    let shown = match (arguments.stat, arguments.name_only) {
        (true, _) => Shown::Stat,
        (_, true) => Shown::Names,
        (false, false) => Shown::Patch,
    };
    let engine = changes::engine(&surroundings)?;
    if from == to && !output.is_json() {
        output.remark("no file differs");
        return Ok(ExitCode::SUCCESS);
    }
    output.page();
    let narrowed = (&*state.plan, &*arguments.paths);
    changes::print(&engine, (&from, &to), shown, narrowed, output)?;
    Ok(ExitCode::SUCCESS)
}
