//! Which workflows to write.

use std::collections::BTreeSet;
use std::io::{BufRead as _, IsTerminal as _};

use crate::builtin::{self, BuiltIn};
use crate::cli::InitArguments;
use crate::commands::workflow_file;
use crate::error::CommandError;
use crate::output::{Output, note, prompt};

/// Returns the workflows to write: those that were named, else the answer, else the default.
pub(super) fn chosen(
    arguments: &InitArguments,
    output: &Output,
) -> Result<Vec<&'static BuiltIn>, CommandError> {
    if !arguments.workflow.is_empty() {
        let mut named: Vec<&BuiltIn> = Vec::new();
        for name in &arguments.workflow {
            let workflow = builtin::find(name).ok_or_else(|| unknown(name))?;
            if !named.iter().any(|other| other.name == workflow.name) {
                named.push(workflow);
            }
        }
        return Ok(named);
    }
    let can_ask =
        !output.is_json() && std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if can_ask { ask() } else { Ok(vec![&builtin::ALL[0]]) }
}

fn unknown(name: &str) -> CommandError {
    let names: Vec<&str> = builtin::ALL.iter().map(|builtin| builtin.name).collect();
    let error = CommandError::usage(format!("there is no built-in workflow `{name}`"));
    match windlass_core::workflow::nearest(name, names.iter().copied()) {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error.hint(format!("built-in workflows: {}", names.join(", "))),
    }
}

fn ask() -> Result<Vec<&'static BuiltIn>, CommandError> {
    note("\nWhich workflow do you want here?");
    for (number, workflow) in builtin::ALL.iter().enumerate() {
        let read = workflow_file::parse(workflow.source.as_bytes(), workflow.name);
        let title = read.map(|read| read.title().to_owned()).unwrap_or_default();
        note(&format!("  {}  {:8} {title}", number + 1, workflow.name));
    }
    loop {
        prompt("Numbers or names, with blanks between them [1]: ");
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).map_err(CommandError::failure)? == 0 {
            return Err(CommandError::usage("no answer was given, so nothing was written"));
        }
        let words: Vec<&str> =
            line.split([' ', ',', '\n', '\t']).filter(|w| !w.is_empty()).collect();
        if words.is_empty() {
            return Ok(vec![&builtin::ALL[0]]);
        }
        let picked: Vec<Option<&BuiltIn>> = words.iter().map(|word| pick(word)).collect();
        match picked.iter().position(Option::is_none) {
            None => {
                let mut seen = BTreeSet::new();
                let picked = picked.into_iter().flatten();
                return Ok(picked.filter(|workflow| seen.insert(workflow.name)).collect());
            }
            Some(wrong) => note(&format!("`{}` is none of them", words[wrong])),
        }
    }
}

fn pick(word: &str) -> Option<&'static BuiltIn> {
    match word.parse::<usize>() {
        Ok(number) => builtin::ALL.get(number.checked_sub(1)?),
        Err(_) => builtin::find(word),
    }
}
