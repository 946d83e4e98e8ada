//! The `windlass` command: arguments, environment, output. It decides nothing about runs.

mod ask;
mod backend;
mod builtin;
mod changes;
mod cli;
mod commands;
mod config;
mod drive;
mod error;
mod hidden;
mod hook;
mod judges;
mod notify;
mod output;
mod own_file;
mod platforms;
mod programs;
mod render;
mod roles;
mod shown_work;
mod surroundings;
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Hooks are called for every tool call of a session: nothing comes before them.
    if let Some(code) = hook::dispatch() {
        return code;
    }
    // Launchers, expressions, rehearsals and filters are this same program under hidden names.
    if let Some(code) = hidden::dispatch() {
        return code;
    }
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error),
    };
    let mut output = output::Output::new(cli.json, cli.color, cli.verbosity());
    match commands::dispatch(&cli, &mut output) {
        Ok(code) => code,
        Err(error) => output.error(&error),
    }
}
