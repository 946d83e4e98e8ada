//! `windlass demo`: a small but real run, in a scratch repository.

use std::process::ExitCode;

use crate::cli::DemoArguments;
use crate::error::CommandError;
use crate::output::Output;

pub(crate) fn demo(
    _arguments: &DemoArguments,
    _output: &mut Output,
) -> Result<ExitCode, CommandError> {
    Err(CommandError::usage("the demo is not built yet"))
}
