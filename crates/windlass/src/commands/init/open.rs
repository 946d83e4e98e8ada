//! Opening what a command reached for outside its room: by a person's yes, or where nothing speaks against it.

use std::io::BufRead as _;

use windlass_core::hint::{Hint, Opening};
use windlass_core::init::{Project, Tried};
use windlass_core::view::{Lines, printable};

use super::trial::can_ask;
use crate::ask::keyboard;
use crate::cli::InitArguments;
use crate::error::CommandError;
use crate::output::{Output, note, prompt};

/// Opens what the commands of a project reached for, and returns whether anything was opened, so that it is
/// worth trying again. With `--yes` that is what holds neither keys nor a way out; the rest is named.
pub(super) fn open(
    project: &mut Project,
    tried: &[Tried],
    arguments: &InitArguments,
    output: &Output,
) -> Result<bool, CommandError> {
    let mut opened = false;
    for one in tried.iter().filter(|one| one.may_want()) {
        for hint in &one.hints {
            let Some(opening) = hint.opening().filter(|opening| !one.opened.contains(opening))
            else {
                continue;
            };
            if is_wanted(one, hint, &opening, arguments, output)? {
                opened |= project.open(&one.command, &opening);
            }
        }
    }
    Ok(opened)
}

fn is_wanted(
    one: &Tried,
    hint: &Hint,
    opening: &Opening,
    arguments: &InitArguments,
    output: &Output,
) -> Result<bool, CommandError> {
    let what = printable(&hint.what(), Lines::One);
    let line = printable(&opening.line(), Lines::One);
    let risk = opening.risk();
    if can_ask(arguments, output) {
        note(&format!("\n{}: {what}.", one.purpose.as_str()));
        let risk = risk.map(|risk| format!("; {risk}")).unwrap_or_default();
        return ask(&format!("  Write `{line}` and try again{risk}? [y/n]: "));
    }
    let taken = arguments.yes && risk.is_none();
    if !output.is_json() && arguments.yes {
        let end = match (taken, risk) {
            (true, _) => format!("`{line}` is written, and it is tried again"),
            (false, risk) => {
                format!("`{line}` is left out: {}", risk.unwrap_or("it was not confirmed"))
            }
        };
        note(&format!("{}: {what}; {end}.", one.purpose.as_str()));
    }
    Ok(taken)
}

fn ask(question: &str) -> Result<bool, CommandError> {
    loop {
        // The command took its time, and what was typed meanwhile is no answer.
        keyboard::settle(|| Ok(true))?;
        prompt(question);
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).map_err(CommandError::failure)? == 0 {
            return Err(CommandError::usage("no answer was given, so nothing was written"));
        }
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => note("  please answer y or n"),
        }
    }
}
