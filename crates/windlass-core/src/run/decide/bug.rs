//! What happens when the decider itself is wrong.
//!
//! A panic would end the process, and would end it again at every restart, because the same state meets
//! the same input. So a decision that panics becomes a pause of this run: its journal says what happened,
//! nothing of the failed decision is in it, and other runs go on. [`outstanding`](crate::run::outstanding)
//! is empty until a person resumes the run, usually with a newer windlass.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{DECIDER_VERSION, Rejected};
use crate::run::state::{Control, PauseReason, RunState};
use crate::run::{Event, Input};

/// Makes a decision, or pauses the run if that panics.
///
/// The closure works on a copy of the state that dies with it, so nothing half-changed can be seen
/// afterwards.
pub(super) fn contained(
    state: &RunState,
    input: &Input,
    decide: impl FnOnce() -> Result<Vec<Event>, Rejected>,
) -> Result<Vec<Event>, Rejected> {
    match catch_unwind(AssertUnwindSafe(decide)) {
        Ok(decided) => decided,
        Err(panic) => pause(state, input, &message(panic.as_ref())),
    }
}

fn pause(state: &RunState, input: &Input, what: &str) -> Result<Vec<Event>, Rejected> {
    let input = input.kind.name();
    let detail = format!(
        "windlass cannot decide what follows from `{input}`: {what} (decider {DECIDER_VERSION})"
    );
    match &state.control {
        Control::Active | Control::Obstructed { .. } => {}
        Control::Paused { reason, .. } if *reason != PauseReason::InternalError => {}
        Control::Paused { .. } | Control::Aborting | Control::Aborted | Control::Completed => {
            return Err(Rejected::Bug { detail });
        }
    }
    Ok(vec![Event::RunPaused { reason: PauseReason::InternalError, detail }])
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::*;
    use crate::run::{Actor, Decision, InputKind, Raise, RunStatus, decide};

    fn panics(run: &Run) -> Result<Vec<Event>, Rejected> {
        let input = Input { at: START, actor: Actor::Engine, kind: InputKind::PersonSpoke };
        contained(&run.state, &input, || panic!("step {} of {}", 7, 3))
    }

    fn paused_by_a_bug() -> Run {
        let mut run = Run::of([agent("code")]);
        run.begins("code");
        for event in panics(&run).unwrap() {
            run.state.apply(START, &event).unwrap();
        }
        run
    }

    #[test]
    fn a_panic_becomes_a_pause_that_says_what_happened() {
        let run = paused_by_a_bug();
        let Control::Paused { reason: PauseReason::InternalError, detail } = &run.state.control
        else {
            panic!("{:?}", run.state.control);
        };
        assert!(detail.contains("step 7 of 3") && detail.contains("`person_spoke`"), "{detail}");
    }

    #[test]
    fn nothing_is_done_until_a_person_resumes_the_run() {
        let mut run = paused_by_a_bug();
        assert_eq!((run.outstanding(), run.state.status()), (vec![], RunStatus::Paused));
        let kind = InputKind::Decided(Decision::Resume { raise: Raise::default() });
        let input = Input { at: START, actor: Actor::person("ann"), kind };
        for event in decide(&run.state, &input).unwrap() {
            run.state.apply(START, &event).unwrap();
        }
        assert_eq!(run.outstanding(), [ensure("code#1")]);
    }

    #[test]
    fn a_second_panic_is_refused_and_changes_nothing() {
        assert!(matches!(panics(&paused_by_a_bug()), Err(Rejected::Bug { .. })));
    }

    #[test]
    fn an_event_that_does_not_fit_is_such_a_panic() {
        let run = Run::of([agent("code")]);
        let input = Input { at: START, actor: Actor::Engine, kind: InputKind::PersonSpoke };
        let decided = contained(&run.state, &input, || {
            let mut draft = super::super::draft::Draft::new(&run.state, &input);
            draft.emit(Event::RunAborted);
            Ok(draft.finish().1)
        });
        assert!(matches!(
            decided.unwrap()[..],
            [Event::RunPaused { reason: PauseReason::InternalError, .. }]
        ));
    }
}
