//! Questions: asked when the step that wrote them is proven, answered by people or by silence.

use super::draft::Draft;
use crate::id::StepIndex;
use crate::question::{
    Answer, AnsweredBy, Choice, JUDGMENT, Phase as Before, Question, is_assumable,
};
use crate::run::clarification::{Clarification, QUESTIONS_WAIT};
use crate::run::state::Phase;
use crate::run::{Event, Rejected};

/// The longest answer in own words.
const MAX_ANSWER_BYTES: usize = 2 << 10;

/// How many clarifications a run has at most: every prompt names the file that holds them.
const MAX_CLARIFICATIONS: usize = 100;

/// Returns the next event about questions of the step that has the place: they are asked once, and
/// silence answers when its time has come.
pub(super) fn next(draft: &Draft, index: StepIndex) -> Option<Event> {
    let (state, step) = (&draft.state, draft.state.step(index));
    if !matches!(step.phase, Phase::Proven { .. }) {
        return None;
    }
    if !step.questions.is_empty() {
        let wait = state.facts.questions_wait.unwrap_or(QUESTIONS_WAIT);
        return Some(Event::QuestionsAsked {
            step: draft.id(index),
            questions: step.questions.clone(),
            until: draft.now().plus(wait),
        });
    }
    let now = draft.now();
    let silent = state.open_questions().find(|open| {
        open.until.is_some_and(|until| until <= now) && is_assumable(&open.question)
    })?;
    Some(Event::QuestionAnswered { answer: silent.question.assumed()? })
}

/// A person answers one question.
pub(super) fn answered(
    draft: &mut Draft,
    id: &str,
    choice: Option<&str>,
    text: Option<&str>,
) -> Result<(), Rejected> {
    let open: Vec<String> =
        draft.state.open_questions().map(|open| open.question.id.clone()).collect();
    let asked = draft.state.open_questions().find(|open| open.question.id.eq_ignore_ascii_case(id));
    let Some(asked) = asked else {
        return Err(Rejected::UnknownQuestion { question: id.to_owned(), open });
    };
    let question = asked.question.clone();
    let text = own_words(text)?;
    let choice = match choice {
        Some(choice) => match question.choice(choice) {
            Some(known) => Some(known.id.clone()),
            None => {
                let choices = question.options.iter().map(|option| option.id.clone()).collect();
                return Err(Rejected::UnknownChoice { choice: choice.to_owned(), choices });
            }
        },
        None if text.is_some() => None,
        None => return Err(Rejected::NoReason),
    };
    let by = AnsweredBy::Person(draft.actor());
    let answer = Answer { question: question.id, choice, text, by };
    draft.emit(Event::QuestionAnswered { answer });
    Ok(())
}

/// A person says something unasked that agents should know.
pub(super) fn said(
    draft: &mut Draft,
    before: Before,
    category: &str,
    question: &str,
    text: &str,
) -> Result<(), Rejected> {
    if draft.state.clarifications.len() >= MAX_CLARIFICATIONS {
        return Err(Rejected::TooManyClarifications { max: MAX_CLARIFICATIONS });
    }
    let known = crate::question::valid_categories(before);
    if !known.contains(&category) {
        let known = known.iter().map(|word| (*word).to_owned()).collect();
        return Err(Rejected::UnknownCategory { category: category.to_owned(), known });
    }
    let (Some(text), Some(question)) = (own_words(Some(text))?, own_words(Some(question))?) else {
        return Err(Rejected::NoReason);
    };
    let id = format!("P{}", draft.state.clarifications.len() + 1);
    let clarification = Clarification {
        step: None,
        question: Question {
            id: id.clone(),
            phase: before,
            category: category.to_owned(),
            question,
            options: vec![Choice {
                id: JUDGMENT.to_owned(),
                text: crate::question::JUDGMENT_TEXT.to_owned(),
            }],
            recommended: JUDGMENT.to_owned(),
            rationale: None,
        },
        until: None,
        answer: Some(Answer {
            question: id,
            choice: None,
            text: Some(text),
            by: AnsweredBy::Person(draft.actor()),
        }),
    };
    draft.emit(Event::ClarificationAdded { clarification: Box::new(clarification) });
    Ok(())
}

fn own_words(text: Option<&str>) -> Result<Option<String>, Rejected> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    match text {
        Some(text) if text.len() > MAX_ANSWER_BYTES || text.contains('\0') => {
            Err(Rejected::AnswerTooLong)
        }
        Some(text) => Ok(Some(text.to_owned())),
        None => Ok(None),
    }
}
