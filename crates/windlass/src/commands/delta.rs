//! `windlass delta`: changes of specs, from a draft to the spec and back.

mod applying;
mod found;
mod openspec;
mod own;
mod telling;

use std::process::ExitCode;

use crate::cli::{Cli, DeltaArguments, DeltaCommand, DeltaNamed};
use crate::error::CommandError;
use crate::output::Output;
use found::Library;

pub(crate) fn delta(
    cli: &Cli,
    arguments: &DeltaArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let mut library = Library::open(cli)?;
    match &arguments.command {
        DeltaCommand::Create(arguments) => own::create(&mut library, arguments, output),
        DeltaCommand::List(arguments) => match &arguments.openspec {
            Some(change) => openspec::list(&library, change, output),
            None => own::list(&mut library, arguments.req.as_deref(), output),
        },
        DeltaCommand::Show(named) => match &named.openspec {
            Some(change) => openspec::show(&library, change, output),
            None => own::show(&mut library, named, output),
        },
        DeltaCommand::Status(named) => own::status(&mut library, own_only(named)?, output),
        DeltaCommand::Review(named) => own::review(&mut library, own_only(named)?, output),
        DeltaCommand::Approve(named) => own::approve(&mut library, own_only(named)?, output),
        DeltaCommand::Apply(arguments) => match &arguments.named.openspec {
            Some(change) => openspec::apply(&mut library, change, arguments.dry_run, output),
            None => applying::apply(&mut library, &arguments.named, arguments.dry_run, output),
        },
        DeltaCommand::Revert(named) => applying::revert(&mut library, named, output),
        DeltaCommand::Conflicts(named) => match &named.openspec {
            Some(change) => openspec::conflicts(&library, change, output),
            None => applying::conflicts(&mut library, named, output),
        },
    }
}

/// Refuses `--openspec` where OpenSpec knows nothing of the kind.
fn own_only(named: &DeltaNamed) -> Result<&DeltaNamed, CommandError> {
    match named.openspec {
        Some(_) => Err(CommandError::usage("changes of OpenSpec have no status and no approval")
            .hint("apply them with `windlass delta apply --openspec CHANGE`")),
        None => Ok(named),
    }
}
