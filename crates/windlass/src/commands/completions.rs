//! `windlass completions`: what a shell needs to complete the command line.

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArguments};
use crate::error::CommandError;
use crate::output::Output;

pub(crate) fn completions(
    arguments: &CompletionsArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "windlass", &mut script);
    output.data(String::from_utf8_lossy(&script).trim_end());
    Ok(ExitCode::SUCCESS)
}
