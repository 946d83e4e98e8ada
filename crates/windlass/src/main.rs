//! The `windlass` command: arguments, environment, output. It decides nothing about runs.

mod agent_command;
mod ask;
mod backend;
mod builtin;
mod changes;
mod cli;
mod clock;
mod commands;
mod config;
mod document;
mod drive;
mod error;
mod gate_brief;
mod hidden;
mod hook;
mod interrupts;
mod judges;
mod lines;
mod notify;
mod output;
mod own_file;
mod pager;
mod platforms;
mod programs;
mod render;
mod roles;
mod shown_work;
mod spinner;
mod surroundings;
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    log();
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
        Err(error) => {
            output.end_paging();
            output.error(&error)
        }
    }
}

/// Writes down what is done, where `WINDLASS_LOG` asks for it. Without the variable this is one look at the
/// environment: hooks are not to get slower.
fn log() {
    let Some(level) = windlass_engine::trace::wanted() else { return };
    let begun = surroundings::home().map(|home| windlass_engine::trace::begin(&home.state, level));
    // A program in a box has no such folder, and a log is no reason to stop.
    drop(begun);
}
