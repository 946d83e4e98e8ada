//! What would move a step on from where it is.

use crate::id::StepIndex;
use crate::run::{Control, Phase, RunState};
use crate::view::status::{NextCommand, status_view};

/// What would move the step on, in a sentence.
pub(super) fn moves_on(state: &RunState, index: StepIndex) -> String {
    match &state.control {
        Control::Completed => return "Nothing: the run is complete.".to_owned(),
        Control::Aborted | Control::Aborting => {
            return "Nothing: the run was aborted. Its work is kept.".to_owned();
        }
        Control::Active | Control::Paused { .. } | Control::Obstructed { .. } => {}
    }
    let step = state.step(index);
    let own = phase_words(state, index);
    if step.is_finished() {
        return own;
    }
    match &state.control {
        Control::Paused { reason, detail } => {
            format!("{own} But the run is paused ({}): {detail}.", reason.as_str())
        }
        Control::Obstructed { message } => {
            format!("{own} But something outside the run is in the way: {message}.")
        }
        Control::Active | Control::Aborting | Control::Aborted | Control::Completed => {
            let waits = matches!(step.phase, Phase::AtGate { .. } | Phase::Failed | Phase::Blocked);
            match state.driver {
                None if !waits => {
                    format!("{own} The run is idle; continue with `windlass resume`.")
                }
                _ => own,
            }
        }
    }
}

fn phase_words(state: &RunState, index: StepIndex) -> String {
    let step = state.step(index);
    match &step.phase {
        Phase::Pending => {
            let open = state.plan.step(index).needs.iter();
            let open = open.filter(|need| !state.step(**need).is_finished());
            let open: Vec<String> = open
                .map(|need| {
                    let status = state.step_status(*need).as_str();
                    format!("`{}` ({status})", state.plan.step(*need).id)
                })
                .collect();
            match open.as_slice() {
                [] => "It waits for the steps around it.".to_owned(),
                open => format!("It waits for {} to be done or skipped.", open.join(" and ")),
            }
        }
        Phase::Deciding => "Its `when` is evaluated next.".to_owned(),
        Phase::Ready => match state.holding() {
            Some((_, holder, _)) => {
                format!("It is ready, and waits for `{}`, which is using the place.", holder.id)
            }
            None => "It starts next.".to_owned(),
        },
        Phase::Reading => "Its task list is read next.".to_owned(),
        Phase::Repeating => "The end of the items that it repeats over.".to_owned(),
        Phase::Beginning => "The files that it begins from are recorded next.".to_owned(),
        Phase::Due => "Its next attempt or verification starts next.".to_owned(),
        Phase::Running { attempt, .. } => {
            format!("The end of attempt {attempt}, which is running; then it is verified.")
        }
        Phase::Stopping { attempt, .. } => {
            format!("The end of attempt {attempt}, which is being stopped.")
        }
        Phase::Verifying { .. } => "The result of the verification that is running.".to_owned(),
        Phase::Committing { .. } => "It is proven; its work is committed next.".to_owned(),
        Phase::Adopting { .. } => {
            "It is proven; what it wrote is brought into the run's place next.".to_owned()
        }
        Phase::Publishing { .. } => "It is being published.".to_owned(),
        Phase::Proven { .. } if state.awaits_cold_proof() && state.is_at_the_end(index) => {
            "It is proven; all checks run once more on a fresh clone first.".to_owned()
        }
        Phase::Proven { .. } => "It is proven; its gate opens next, or it is done.".to_owned(),
        Phase::AtGate { .. } => "A person's answer at the gate.".to_owned(),
        Phase::Waiting { until, .. } => format!("It waits until {until}."),
        Phase::Failed => "A person has to decide: feedback, new tries, or skip it.".to_owned(),
        Phase::Blocked => "A person has to decide: new tries, or skip it.".to_owned(),
        Phase::Done => "Nothing: it is done. Only a rollback would open it again.".to_owned(),
        Phase::Skipped => "Nothing: the run skips it.".to_owned(),
    }
}

/// The commands that move this step on; those of the run, where the step is what it waits for.
pub(super) fn next(state: &RunState, index: StepIndex) -> Vec<NextCommand> {
    let stands = state.is_in_hand(index) || matches!(state.step(index).phase, Phase::Blocked);
    if stands && !state.is_ended() { status_view(state).next } else { Vec::new() }
}
