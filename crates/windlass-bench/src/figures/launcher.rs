//! What it costs to start a program so that nothing of it survives.

use std::process::{Command, Stdio};

use windlass_engine::launcher::{Confinement, ConfinementMode, LaunchPolicy};
use windlass_engine::process::{LauncherCommand, spawn};

use crate::measure::{median, time};
use crate::scratch::Windlass;
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

pub(super) fn measure(windlass: &Windlass, effort: Effort) -> BenchResult<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let argv = vec!["/bin/true".to_owned()];
    let mut policy =
        LaunchPolicy::new(argv, folder.path().to_owned(), folder.path().join("output"));
    policy.confinement = Confinement {
        mode: ConfinementMode::Prefer,
        write: vec![folder.path().to_owned()],
        never: Vec::new(),
        within: Vec::new(),
        read: None,
        ..Confinement::default()
    };
    let command = LauncherCommand::new(&windlass.exe);
    let (mut plain, mut launched) = (Vec::new(), Vec::new());
    for _ in 0..effort.pick(10, 200) {
        plain.push(time(1, || {
            Command::new("/bin/true").stdin(Stdio::null()).status()?;
            Ok(())
        })?);
        launched.push(time(1, || {
            spawn(&command, &policy)?.wait();
            Ok(())
        })?);
    }
    let figure = Figure::new(
        "launcher: /bin/true, from start to report",
        Unit::Milliseconds,
        median(launched),
    );
    Ok(vec![figure.beside("spawned plainly", median(plain))])
}
