//! Asking for the inputs that a workflow wants to hear from a person.

use std::collections::BTreeMap;
use std::io::{BufRead as _, IsTerminal as _};

use serde_json::Value;
use windlass_core::view::{Lines, printable};
use windlass_core::workflow::{Input, Workflow};

use crate::cli::RunArguments;
use crate::error::CommandError;
use crate::output::{Output, note, prompt};

/// How often one question is asked.
const TRIES: usize = 3;

/// Asks for every input with a question that the command line does not give, at a terminal.
///
/// Elsewhere defaults count, and planning names what is missing.
pub(super) fn missing(
    workflow: &Workflow,
    arguments: &RunArguments,
    given: &mut BTreeMap<String, String>,
    output: &Output,
) -> Result<(), CommandError> {
    if !can_ask(arguments, output) {
        return Ok(());
    }
    for input in workflow.inputs() {
        if let Some(question) = &input.ask
            && !given.contains_key(&input.name)
            && let Some(answer) = ask(input, question)?
        {
            given.insert(input.name.clone(), answer);
        }
    }
    Ok(())
}

/// Whether somebody is there to answer.
pub(super) fn can_ask(arguments: &RunArguments, output: &Output) -> bool {
    !output.is_json()
        && !arguments.yes
        && std::io::stdin().is_terminal()
        && std::io::stderr().is_terminal()
}

/// Returns the questions that nothing given answers, each with what fits and what is recommended.
pub(super) fn questions(workflow: &Workflow, given: &BTreeMap<String, String>) -> Vec<String> {
    let open = workflow.inputs().iter().filter(|input| !given.contains_key(&input.name));
    open.filter_map(|input| {
        let question = printable(input.ask.as_deref()?, Lines::One);
        let default = input.default.as_ref().map(|value| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("; recommended: {}", printable(&text, Lines::One))
        });
        let (name, kind) = (&input.name, input.kind.expected());
        Some(format!("`{name}`: {question} ({kind}{})", default.unwrap_or_default()))
    })
    .collect()
}

/// Asks one question; none when the default is taken.
fn ask(input: &Input, question: &str) -> Result<Option<String>, CommandError> {
    let default = input.default.as_ref().map(|value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!(" [{}]", printable(&text, Lines::One))
    });
    note(&format!("{} ({})", printable(question, Lines::One), input.kind.expected()));
    for _ in 0..TRIES {
        prompt(&format!("{}{}: ", input.name, default.as_deref().unwrap_or_default()));
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).map_err(CommandError::failure)? == 0 {
            note("");
            return Err(CommandError::usage("no answer was given, so nothing was started")
                .hint(by_flag(input)));
        }
        let answer = line.trim();
        match (answer, &input.default) {
            ("", Some(_)) => return Ok(None),
            ("", None) => note("an answer is needed: there is no default"),
            (answer, _) if fits(input, answer).is_some() => return Ok(Some(answer.to_owned())),
            (answer, _) => note(&format!(
                "`{}` does not fit: it takes {}",
                printable(answer, Lines::One),
                input.kind.expected()
            )),
        }
    }
    let error = format!("no fitting answer for `{}`, so nothing was started", input.name);
    Err(CommandError::usage(error).hint(by_flag(input)))
}

fn fits(input: &Input, answer: &str) -> Option<Value> {
    input.kind.parse(answer)
}

fn by_flag(input: &Input) -> String {
    format!("give {} with `--input {}=…`", input.kind.expected(), input.name)
}
