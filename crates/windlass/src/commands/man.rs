//! `windlass man`: the manual, made from the same words as `--help`.

use std::process::ExitCode;

use clap::CommandFactory as _;
use windlass_core::workflow::nearest;

use crate::cli::{Cli, ManArguments};
use crate::error::CommandError;
use crate::output::Output;

pub(crate) fn man(arguments: &ManArguments, output: &mut Output) -> Result<ExitCode, CommandError> {
    let mut root = Cli::command();
    // Fills in what subcommands inherit, so that each page is whole.
    root.build();
    if let Some(folder) = &arguments.dir {
        fs_err::create_dir_all(folder).map_err(|error| refused(&error))?;
        let mut written = Vec::new();
        write_all(&root, folder, &mut written)?;
        if output.is_json() {
            output.json(&serde_json::json!({"folder": folder, "pages": written}));
        } else {
            output.data(&format!("{} pages are in `{}`", written.len(), folder.display()));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut command = &root;
    for word in &arguments.command {
        let found = command.get_subcommands().find(|known| known.get_name() == word);
        command = found.ok_or_else(|| unknown(command, word))?;
    }
    let text = page(command)?;
    output.data(text.trim_end());
    Ok(ExitCode::SUCCESS)
}

fn write_all(
    command: &clap::Command,
    folder: &std::path::Path,
    written: &mut Vec<String>,
) -> Result<(), CommandError> {
    let name = name(command);
    let file = format!("{name}.1");
    fs_err::write(folder.join(&file), page(command)?).map_err(|error| refused(&error))?;
    written.push(file);
    for below in command.get_subcommands().filter(|below| is_shown(below)) {
        write_all(below, folder, written)?;
    }
    Ok(())
}

fn is_shown(command: &clap::Command) -> bool {
    command.get_name() != "help" && !command.is_hide_set()
}

/// What the page is called: `windlass-trash-show`.
fn name(command: &clap::Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

fn page(command: &clap::Command) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut bytes).map_err(CommandError::failure)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn refused(error: &std::io::Error) -> CommandError {
    CommandError::usage(error.to_string()).hint("name a folder that you may write")
}

fn unknown(command: &clap::Command, word: &str) -> CommandError {
    let known: Vec<&str> = command
        .get_subcommands()
        .filter(|below| is_shown(below))
        .map(clap::Command::get_name)
        .collect();
    let error = CommandError::usage(format!("there is no command `{word}`"));
    match nearest(word, known.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`windlass --help` lists all"),
    }
}
