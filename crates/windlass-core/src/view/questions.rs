//! What agents asked and what they were told, for people and for other programs.

use std::fmt::Write as _;

use serde::Serialize;

use crate::id::StepId;
use crate::question::{AnsweredBy, Phase};
use crate::run::{Clarification, RunState};
use crate::time::Timestamp;
use crate::view::printable::{Lines, printable};

/// One question and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `clarify list --json`")]
pub struct QuestionView {
    pub id: String,
    /// `open`, `answered` by a person, or `assumed`.
    pub status: &'static str,
    pub phase: Phase,
    pub category: String,
    pub question: String,
    /// The step that asked; none when a person said it unasked.
    pub step: Option<StepId>,
    pub choices: Vec<ChoiceView>,
    pub recommended: String,
    /// Why it is asked.
    pub rationale: Option<String>,
    /// When silence answers it; none where only a person can.
    pub until: Option<String>,
    #[serde(skip)]
    pub until_moment: Option<Timestamp>,
    pub answer: Option<AnswerView>,
}

/// One choice of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `clarify list --json`")]
pub struct ChoiceView {
    pub id: String,
    pub text: String,
    pub recommended: bool,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `clarify list --json`")]
pub struct AnswerView {
    pub choice: Option<String>,
    /// The answer in words.
    pub words: String,
    /// Whether nobody answered and the recommendation was taken.
    pub assumed: bool,
    pub by: Option<String>,
}

/// Projects all questions of a run, in the order in which they were asked.
pub fn question_views(state: &RunState) -> Vec<QuestionView> {
    state.clarifications.iter().map(|known| question_view(known)).collect()
}

fn question_view(known: &Clarification) -> QuestionView {
    let question = &known.question;
    let answer = known.answer.as_ref().map(|answer| AnswerView {
        choice: answer.choice.clone(),
        words: known.words().unwrap_or_default(),
        assumed: known.is_assumed(),
        by: match &answer.by {
            AnsweredBy::Person(person) => Some(person.clone()),
            AnsweredBy::Assumed => None,
        },
    });
    let choices = question.options.iter().map(|choice| ChoiceView {
        id: choice.id.clone(),
        text: choice.text.clone(),
        recommended: choice.id == question.recommended,
    });
    QuestionView {
        id: question.id.clone(),
        status: match &answer {
            None => "open",
            Some(answer) if answer.assumed => "assumed",
            Some(_) => "answered",
        },
        phase: question.phase,
        category: question.category.clone(),
        question: question.question.clone(),
        step: known.step.clone(),
        choices: choices.collect(),
        recommended: question.recommended.clone(),
        rationale: question.rationale.clone(),
        until: known.until.map(|until| until.to_string()),
        until_moment: known.until,
        answer,
    }
}

/// Returns the text of the file that tells agents what was asked and answered; none where nothing is.
pub fn clarifications_text(state: &RunState) -> Option<String> {
    let answered = question_views(state).into_iter().filter(|view| view.answer.is_some());
    let mut text = String::from(
        "# Clarifications\n\nWhat was asked before, and what holds. An answer that was assumed is the \
         recommendation: nobody objected, and nobody confirmed it.\n",
    );
    let mut any = false;
    for view in answered {
        let Some(answer) = &view.answer else { continue };
        any = true;
        let by = match (&answer.by, answer.assumed) {
            (_, true) => "assumed".to_owned(),
            (Some(person), false) => format!("by {}", shown(person)),
            (None, false) => "by a person".to_owned(),
        };
        let _ = write!(
            text,
            "\n## {} ({}, {})\n\nQuestion: {}\nAnswer: {} ({by})\n",
            shown(&view.id),
            view.phase,
            shown(&view.category),
            shown(&view.question),
            shown(&answer.words),
        );
    }
    any.then_some(text)
}

fn shown(text: &str) -> String {
    printable(text, Lines::One)
}
