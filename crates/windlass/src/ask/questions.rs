//! Asking what agents want to know.

use windlass_core::run::RunState;
use windlass_core::view::{Lines, QuestionView, printable, question_views};
use windlass_engine::dispatch::{Request, now, send_shown};

use super::keyboard::{self, Typed};
use super::{Answered, Asked};
use crate::clock::Clock;
use crate::commands::{answer_to, decide_answer, recommended_answer};
use crate::error::CommandError;
use crate::output::{note, prompt};
use crate::render;
use crate::surroundings::{Surroundings, person};

/// Asks the open questions, one after the other. Returns whether the run can go on.
pub(crate) fn questions(
    surroundings: &Surroundings,
    state: &RunState,
) -> Result<bool, CommandError> {
    if state.open_blockers().next().is_some() {
        return Ok(false);
    }
    let open: Vec<QuestionView> =
        question_views(state).into_iter().filter(|view| view.answer.is_none()).collect();
    if open.is_empty() {
        return Ok(false);
    }
    note("");
    note(match open.len() {
        1 => "An agent asks a question before it goes on.",
        _ => "Agents ask some questions before they go on.",
    });
    // Silence answers all of them together: when the first is due, the driver has to take over.
    let until = open.iter().filter_map(|view| view.until_moment).min();
    if let Some(until) = until {
        let (left, until) = (until.since(now()), Clock::here().short(until));
        note(&format!("  Without an answer the recommendations are taken in {left}, at {until}."));
    }
    for (number, view) in open.iter().enumerate() {
        note("");
        note(&format!("[{} of {}] {}", number + 1, open.len(), render::question(view)));
        match ask(surroundings, state, view, until)? {
            Outcome::Answered => {}
            Outcome::TimeIsUp => {
                note("\nnobody answered in time: the run continues");
                return Ok(true);
            }
            Outcome::Left => return Ok(false),
        }
    }
    Ok(true)
}

/// What became of one question.
enum Outcome {
    Answered,
    TimeIsUp,
    Left,
}

fn ask(
    surroundings: &Surroundings,
    state: &RunState,
    view: &QuestionView,
    until: Option<windlass_core::time::Timestamp>,
) -> Result<Outcome, CommandError> {
    let run = &state.facts.run;
    let is_open = |state: &RunState| {
        state
            .open_questions()
            .any(|open| open.question.id == view.id && open.question.question == view.question)
    };
    let shown = now();
    let mut asked = Asked::new(surroundings, run, is_open, until)?;
    loop {
        keyboard::settle(|| asked.is_wanted())?;
        let _marked = keyboard::Marked::begin();
        prompt("a choice, `? YOUR OWN TEXT`, Enter for the recommendation, [q]uit: ");
        match asked.wait()? {
            Answered::Here => {}
            Answered::Elsewhere => {
                note("\nit was answered elsewhere");
                return Ok(Outcome::Answered);
            }
            Answered::Nowhere => return Ok(Outcome::TimeIsUp),
        }
        let line = match keyboard::read()? {
            Typed::Line(line) => line,
            Typed::Void(why) => {
                note(why);
                continue;
            }
            Typed::End => return Ok(Outcome::Left),
        };
        let Some(request) = read(view, &line) else { return Ok(Outcome::Left) };
        match request {
            Err(message) => note(&message),
            Ok(request) => {
                let (site, after) = (&surroundings.site, Some(now().since(shown)));
                let sent = send_shown(site, run, &person(site), &request, after)?;
                match decide_answer(&sent.answer) {
                    Ok(()) => return Ok(Outcome::Answered),
                    Err(error) => note(&printable(&error.error.to_string(), Lines::One)),
                }
            }
        }
    }
}

/// Reads an answer; none when the person leaves.
fn read(view: &QuestionView, line: &str) -> Option<Result<Request, String>> {
    let line = line.trim();
    Some(match line {
        "" => Ok(recommended_answer(view)),
        "?" => Err("write your own text after the `?`".to_owned()),
        _ if line.starts_with('?') => Ok(answer_to(view, &line[1..], true)),
        _ if view.choices.iter().any(|choice| choice.id.eq_ignore_ascii_case(line)) => {
            Ok(answer_to(view, line, false))
        }
        "q" | "quit" => return None,
        _ => {
            let ids: Vec<&str> = view.choices.iter().map(|choice| choice.id.as_str()).collect();
            Err(format!("answer with {}, or with `? ` and your own text", ids.join(", ")))
        }
    })
}
