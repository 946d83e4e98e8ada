//! `windlass watch`: the live view of a run.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use crate::cli::Cli;
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;
use crate::watch;

pub(crate) fn watch(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    refuse_what_is_no_terminal(output)?;
    let surroundings = Surroundings::find(cli)?;
    // Whatever cannot be read is said here, where a message can still be read.
    let (run, _, _) = surroundings.loaded()?;
    watch::watch(&surroundings.site, &run.id, output.has_colour())?;
    Ok(ExitCode::SUCCESS)
}

fn refuse_what_is_no_terminal(output: &Output) -> Result<(), CommandError> {
    let hint = "`windlass status` says where things stand, `windlass log -f` follows what happens";
    if output.is_json() {
        return Err(CommandError::usage("a live view cannot be printed as JSON")
            .hint("`windlass status --json` and `windlass log -f --json` can"));
    }
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(CommandError::usage("a live view needs a terminal").hint(hint));
    }
    if is_dumb() {
        return Err(
            CommandError::usage("this terminal cannot move its cursor (TERM is `dumb`)").hint(hint)
        );
    }
    Ok(())
}

/// Whether the terminal says that it only takes lines.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty())
}
