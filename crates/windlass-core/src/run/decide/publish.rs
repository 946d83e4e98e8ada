//! Windlass publishes: the intent comes first, then the act, then what came of it.

use super::draft::Draft;
use super::{cold, item};
use crate::id::{ItemId, StepId, StepIndex};
use crate::item::{ItemChange, Wanted};
use crate::plan::{GatePolicy, StepKind};
use crate::run::state::{Control, Phase, Publication};
use crate::run::{Event, ItemStatus, PushSettings, Rejected};

/// Why an item is skipped that a person published without.
pub const LEFT_OUT: &str = "left out of a draft pull request";

/// Returns the intent of a step that is proven, accepted and not published yet.
pub(super) fn intent(draft: &Draft, index: StepIndex) -> Option<Event> {
    let state = &draft.state;
    let (plan, step) = (state.plan.step(index), state.step(index));
    let accepted = step.approved || plan.gate.is_none();
    if !is_due(draft, index) || !accepted || cold::is_in_the_way(draft) {
        return None;
    }
    Some(Event::PublishIntended {
        step: plan.id.clone(),
        commit: state.head.clone(),
        expected: state.publication.as_ref().map(|last| last.pushed.clone()),
    })
}

/// Returns whether the step still has to publish before it is done.
pub(super) fn is_due(draft: &Draft, index: StepIndex) -> bool {
    let (plan, step) = (draft.state.plan.step(index), draft.state.step(index));
    matches!(plan.kind, StepKind::PullRequest(_))
        && matches!(step.phase, Phase::Proven { .. })
        && !step.acted
        && (step.approved || plan.gate != Some(GatePolicy::Approval))
}

/// Returns whether somebody is publishing at this moment.
pub(super) fn is_going_on(draft: &Draft) -> bool {
    let state = &draft.state;
    let mut phases = state.in_hand().map(|index| &state.step(index).phase);
    state.driver.is_some() && phases.any(|phase| matches!(phase, Phase::Publishing { .. }))
}

pub(super) fn published(
    draft: &mut Draft,
    step: &StepId,
    epoch: u32,
    publication: &Publication,
) -> Result<(), Rejected> {
    expect_publishing(draft, step, epoch)?;
    draft.emit(Event::Published { step: step.clone(), publication: publication.clone() });
    Ok(())
}

pub(super) fn refused(
    draft: &mut Draft,
    step: &StepId,
    epoch: u32,
    message: &str,
    settings: Option<&PushSettings>,
) -> Result<(), Rejected> {
    expect_publishing(draft, step, epoch)?;
    let (message, settings) = (message.to_owned(), settings.cloned());
    draft.emit(Event::PublishRefused { step: step.clone(), message: message.clone(), settings });
    if !matches!(draft.state.control, Control::Aborting) {
        draft.emit(Event::BlockerRaised { message });
    }
    Ok(())
}

/// Whoever resumes a run that stopped because of its settings has been told which they are.
pub(super) fn accept_settings(draft: &mut Draft) {
    let told = draft.state.holding().filter(|(_, _, step)| {
        step.shown_settings.is_some() && matches!(step.phase, Phase::Proven { .. })
    });
    if let Some(step) = told.map(|(_, plan, _)| plan.id.clone()) {
        draft.emit(Event::PushSettingsAccepted { step });
    }
}

/// A person wants what is done to be published as a draft: whatever is not done is left out.
pub(super) fn draft(draft: &mut Draft) -> Result<(), Rejected> {
    let state = &draft.state;
    let publishes = |index: StepIndex| {
        matches!(state.plan.step(index).kind, StepKind::PullRequest(_))
            && !state.step(index).is_finished()
    };
    if !state.plan.indexes().any(publishes) {
        return Err(Rejected::NothingToPublish);
    }
    if let Some(busy) = state.in_flight() {
        return Err(Rejected::Busy { what: format!("`{}` is being worked on", draft.id(busy)) });
    }
    let left: Vec<ItemId> = state
        .items
        .iter()
        .filter(|item| !state.is_item_finished(item))
        .map(|item| item.item.id.clone())
        .collect();
    let blocked = state.items.iter().any(|item| state.item_status(item) == ItemStatus::Blocked);
    if !blocked {
        return Err(Rejected::NothingLeftOut);
    }
    let by = draft.actor();
    draft.emit(Event::DraftAsked { by });
    for item in left {
        let wanted = Some(Wanted::Skip { reason: LEFT_OUT.to_owned() });
        item::update(draft, &item, &ItemChange { wanted, ..ItemChange::default() })?;
    }
    Ok(())
}

fn expect_publishing(draft: &Draft, step: &StepId, epoch: u32) -> Result<(), Rejected> {
    let index = draft.find(step)?;
    let state = draft.state.step(index);
    if state.epoch == epoch && matches!(state.phase, Phase::Publishing { .. }) {
        return Ok(());
    }
    Err(Rejected::NotExpected)
}
