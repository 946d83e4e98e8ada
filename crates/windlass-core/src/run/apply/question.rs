//! What agents asked, and what they were told.

use std::sync::Arc;

use super::Applied;
use crate::id::{StepId, StepIndex};
use crate::question::{Question, is_assumable};
use crate::run::Event;
use crate::run::clarification::Clarification;
use crate::run::state::{Phase, RunState};
use crate::time::Timestamp;

impl RunState {
    /// Returns the questions that wait for an answer.
    pub fn open_questions(&self) -> impl Iterator<Item = &Clarification> {
        self.clarifications.iter().map(|known| &**known).filter(|known| known.answer.is_none())
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    pub(super) fn apply_to_questions(&mut self, event: &Event) -> Applied {
        match event {
            Event::QuestionsAsked { step, questions, until } => {
                let index = self.index(event, step)?;
                self.expect_holder(index, event, |phase| matches!(phase, Phase::Proven { .. }))?;
                self.update(index, |step| step.questions = Vec::new());
                self.ask(step, questions, *until);
            }
            Event::QuestionAnswered { answer } => {
                let open = self.clarifications.iter().position(|known| {
                    known.answer.is_none() && known.question.id == answer.question
                });
                let Some(position) = open else { return Err(self.wrong_control(event)) };
                Arc::make_mut(&mut self.clarifications[position]).answer = Some(answer.clone());
            }
            Event::ClarificationAdded { clarification } => {
                self.clarifications.push_back(Arc::new((**clarification).clone()));
            }
            _ => return Err(self.wrong_control(event)),
        }
        self.since = self.now;
        Ok(())
    }

    /// Asks what was not answered before in the same words.
    fn ask(&mut self, step: &StepId, questions: &[Question], until: Timestamp) {
        for question in questions {
            let known = self.clarifications.iter().any(|known| {
                let same = known.question.question == question.question;
                same && known.answer.is_some() && !known.is_assumed()
            });
            if !known {
                self.clarifications.push_back(Arc::new(Clarification {
                    step: Some(step.clone()),
                    question: question.clone(),
                    until: is_assumable(question).then_some(until),
                    answer: None,
                }));
            }
        }
    }

    /// A step that begins anew asks anew: what nobody answered is withdrawn.
    pub(super) fn withdraw_questions(&mut self, index: StepIndex) {
        let step = self.plan.step(index).id.clone();
        if self.open_questions().any(|open| open.step.as_ref() == Some(&step)) {
            self.clarifications
                .retain(|known| known.answer.is_some() || known.step.as_ref() != Some(&step));
        }
        self.update(index, |step| step.questions = Vec::new());
    }
}
