//! Questions: asked once, answered by people or by silence, and never about what people decide.

use crate::proof::VerifyReport;
use crate::question::{AnsweredBy, Choice, Phase as Before, Question};
use crate::run::testing::*;
use crate::run::*;

fn question(id: &str, text: &str) -> Question {
    let choice = |id: &str| Choice { id: id.to_owned(), text: format!("Choice {id}") };
    Question {
        id: id.to_owned(),
        phase: Before::Analysis,
        category: "scope".to_owned(),
        question: text.to_owned(),
        options: vec![choice("a"), choice("b"), choice("judgment")],
        recommended: "b".to_owned(),
        rationale: None,
    }
}

fn asking() -> VerifyReport {
    let questions = vec![question("Q1", "Which format?"), question("Q2", "Which database?")];
    VerifyReport { questions, ..holds() }
}

fn answers(question: &str, choice: &str) -> Decision {
    Decision::Answer { question: question.to_owned(), choice: Some(choice.to_owned()), text: None }
}

/// A run whose first step asks two questions.
fn asked() -> Run {
    let mut run = Run::of([agent("clarify"), agent("code")]);
    run.begins("clarify");
    run.ends("clarify#1", "c1");
    run.verifies(asking());
    run
}

#[test]
fn the_run_waits_for_answers_and_goes_on_when_all_are_there() {
    let mut run = asked();
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    run.decides(answers("q1", "A"));
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    assert!(matches!(run.refuses(answers("Q1", "a")), Rejected::UnknownQuestion { .. }));
    assert!(matches!(run.refuses(answers("Q2", "z")), Rejected::UnknownChoice { .. }));
    run.decides(answers("Q2", "judgment"));
    assert_eq!(run.status_of("clarify"), StepStatus::Done);
    let told: Vec<_> = run.state.clarifications.iter().filter_map(|known| known.words()).collect();
    assert_eq!(told, ["Choice a", "Choice judgment"]);
}

#[test]
fn silence_takes_the_recommendation_when_its_time_has_come_and_says_so() {
    let mut run = asked();
    let [Effect::Wake { key, at }] = &run.outstanding()[..] else { panic!("no timer") };
    let (key, at) = (key.clone(), *at);
    run.expect_fed(InputKind::TimerFired { key: key.clone() });
    assert_eq!(run.status_of("clarify"), StepStatus::Verifying, "it was too early");
    run.at = at;
    run.expect_fed(InputKind::TimerFired { key });
    assert_eq!(run.status_of("clarify"), StepStatus::Done);
    assert!(run.state.clarifications.iter().all(|known| known.is_assumed()));
    assert_eq!(run.state.clarifications[0].words().as_deref(), Some("Choice b"));
}

#[test]
fn a_question_about_a_secret_is_never_answered_by_silence() {
    let mut run = Run::of([agent("clarify"), agent("code")]);
    run.begins("clarify");
    run.ends("clarify#1", "c1");
    let questions = vec![question("Q1", "Which password shall the service use?")];
    run.verifies(VerifyReport { questions, ..holds() });
    assert!(run.outstanding().is_empty(), "no timer answers it");
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    run.decides(answers("Q1", "a"));
    assert_eq!(run.status_of("clarify"), StepStatus::Done);
}

#[test]
fn what_a_person_answered_is_not_asked_again_and_what_silence_did_is() {
    let mut run = asked();
    run.decides(answers("Q1", "a"));
    run.decides(rollback("clarify", "c1"));
    assert!(run.state.open_questions().next().is_none(), "what nobody answered is withdrawn");
    run.begins("clarify");
    run.ends("clarify#2", "c1");
    run.verifies(asking());
    let open: Vec<_> = run.state.open_questions().map(|open| open.question.id.clone()).collect();
    assert_eq!(open, ["Q2"]);
    let by = run.state.clarifications[0].answer.as_ref().map(|answer| answer.by.clone());
    assert_eq!(by, Some(AnsweredBy::Person("ann".to_owned())));
}

#[test]
fn people_say_things_unasked() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    let said = |category: &str, text: &str| Decision::Clarify {
        phase: Before::Planning,
        category: category.to_owned(),
        question: "What comes first?".to_owned(),
        text: text.to_owned(),
    };
    assert!(matches!(run.refuses(said("weather", "x")), Rejected::UnknownCategory { .. }));
    assert_eq!(run.refuses(said("order", " ")), Rejected::NoReason);
    run.decides(said("order", "the login"));
    assert_eq!(run.state.clarifications[0].words().as_deref(), Some("the login"));
}
