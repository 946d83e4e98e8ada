//! `windlass clarify` and `windlass answer`: what agents ask, and what they are told.

use std::process::ExitCode;

use windlass_core::run::RunState;
use windlass_core::view::{QuestionView, question_views};
use windlass_engine::dispatch::{Request, send};

use crate::cli::{AnswerArguments, ClarifyAddArguments, ClarifyArguments, ClarifyCommand, Cli};
use crate::commands::decide;
use crate::error::CommandError;
use crate::output::Output;
use crate::render;
use crate::surroundings::{Surroundings, person};

pub(crate) fn clarify(
    cli: &Cli,
    arguments: &ClarifyArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        ClarifyCommand::List => list(cli, output),
        ClarifyCommand::Add(arguments) => add(cli, arguments, output),
    }
}

fn list(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    let views = question_views(&Surroundings::find(cli)?.loaded()?.1.state);
    if output.is_json() {
        output.json(&views);
    } else if views.is_empty() {
        output.data("nothing was asked");
    } else {
        for view in &views {
            output.data(&render::question(view));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn add(
    cli: &Cli,
    arguments: &ClarifyAddArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let request = Request::Clarify {
        phase: arguments.phase,
        category: arguments.category.clone(),
        question: arguments.question.clone(),
        text: arguments.text.clone(),
    };
    let what = "later steps are told";
    decide::note_only(&Surroundings::find(cli)?, &request, what, output)
}

pub(crate) fn answer(
    cli: &Cli,
    arguments: &AnswerArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let run = surroundings.run_to_decide()?;
    let state = surroundings.loaded()?.1.state;
    // All of them are read before one is given: a slip of the pen answers nothing.
    let requests = requests(&state, arguments)?;
    let Some((last, others)) = requests.split_last() else {
        return Err(CommandError::usage(format!("run `{}` asks nothing", run.id))
            .hint("`windlass status` says what the run waits for"));
    };
    for request in others {
        let sent = send(&surroundings.site, &run.id, &person(&surroundings.site), request)?;
        decide::answered(&sent.answer)?;
    }
    let what = match requests.len() {
        1 => "the answer is recorded".to_owned(),
        count => format!("{count} answers are recorded"),
    };
    decide::ask(&surroundings, last, &what, output)
}

fn requests(state: &RunState, arguments: &AnswerArguments) -> Result<Vec<Request>, CommandError> {
    let open: Vec<QuestionView> =
        question_views(state).into_iter().filter(|view| view.answer.is_none()).collect();
    let mut requests = Vec::new();
    let mut named: Vec<&str> = Vec::new();
    for pair in &arguments.answers {
        let Some((id, said)) = pair.split_once('=') else {
            return Err(CommandError::usage(format!("`{pair}` is not an answer"))
                .hint("write the question, `=`, and a choice or your own text: `Q1=a`"));
        };
        let known = open.iter().find(|view| view.id.eq_ignore_ascii_case(id.trim()));
        let Some(view) = known else {
            let ids: Vec<&str> = open.iter().map(|view| view.id.as_str()).collect();
            let error = CommandError::usage(format!("no open question is called `{}`", id.trim()));
            return Err(match ids.as_slice() {
                [] => error.hint("nothing is asked; `windlass clarify list` shows what was"),
                ids => error.hint(format!("open are: {}", ids.join(", "))),
            });
        };
        if named.contains(&view.id.as_str()) {
            return Err(CommandError::usage(format!("`{}` is answered twice", view.id)));
        }
        named.push(&view.id);
        requests.push(answer_to(view, said, arguments.text));
    }
    if arguments.recommended {
        let others = open.iter().filter(|view| !named.contains(&view.id.as_str()));
        requests.extend(others.map(recommended));
    }
    Ok(requests)
}

/// Makes an answer of what a person wrote: a choice by its name, else their own words.
pub(crate) fn answer_to(view: &QuestionView, said: &str, text_only: bool) -> Request {
    let said = said.trim();
    let chosen = view.choices.iter().find(|choice| choice.id.eq_ignore_ascii_case(said));
    let chosen = chosen.filter(|_| !text_only).map(|choice| choice.id.clone());
    let text = chosen.is_none().then(|| said.to_owned());
    Request::Answer { question: view.id.clone(), choice: chosen, text }
}

/// The recommendation, as a person's own answer.
pub(crate) fn recommended(view: &QuestionView) -> Request {
    let (question, choice) = (view.id.clone(), Some(view.recommended.clone()));
    Request::Answer { question, choice, text: None }
}
