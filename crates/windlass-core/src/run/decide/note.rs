//! Somebody notes a failure. It changes what people and agents are told, and nothing else.

use super::draft::Draft;
use crate::id::AttemptId;
use crate::run::{About, Category, Event, MAX_NOTE_BYTES, Rejected};

/// An agent notes a failure of what it works on.
pub(super) fn by_agent(
    draft: &mut Draft,
    attempt: &AttemptId,
    name: &str,
    category: Category,
    summary: &str,
) -> Result<(), Rejected> {
    if !draft.state.running_attempts().any(|running| running == *attempt) {
        return Err(Rejected::StaleAttempt { attempt: attempt.clone() });
    }
    let own = draft.find(&attempt.step)?;
    let about = draft.state.about(name).unwrap_or_else(|| About::Item(name.into()));
    expect_known(draft, &about)?;
    let is_own = match &about {
        About::Item(item) => draft.state.plan.item_of(own).as_ref() == Some(item),
        About::Step(step) => attempt.step == *step,
    };
    if !is_own {
        return Err(Rejected::NotYourWork { about: about.to_string() });
    }
    note(draft, &about, category, summary, attempt.to_string())
}

/// Notes a failure. The same again changes nothing, so that what was lost on the way can be said
/// twice.
pub(super) fn note(
    draft: &mut Draft,
    about: &About,
    category: Category,
    summary: &str,
    by: String,
) -> Result<(), Rejected> {
    expect_known(draft, about)?;
    let state = &draft.state;
    let over = match about {
        About::Item(item) => state.item(item).is_some_and(|item| state.is_item_finished(item)),
        About::Step(step) => draft.find(step).is_ok_and(|index| state.step(index).is_finished()),
    };
    if over {
        return Err(Rejected::AlreadyOver { about: about.to_string() });
    }
    let summary = match summary.trim() {
        "" => return Err(Rejected::NoReason),
        long if long.len() > MAX_NOTE_BYTES => return Err(Rejected::NoteTooLong),
        summary => summary.to_owned(),
    };
    let is_same = state.noted.iter().any(|noted| {
        let same = (&noted.about, noted.category, &noted.summary, &noted.by);
        !noted.settled && same == (about, category, &summary, &by)
    });
    if !is_same {
        draft.emit(Event::FailureNoted { about: about.clone(), category, summary, by });
    }
    Ok(())
}

fn expect_known(draft: &Draft, about: &About) -> Result<(), Rejected> {
    match about {
        About::Step(step) => draft.find(step).map(drop),
        About::Item(item) if draft.state.item(item).is_some() => Ok(()),
        About::Item(item) => Err(Rejected::UnknownItem {
            item: item.clone(),
            known: draft.state.items.iter().map(|state| state.item.id.clone()).collect(),
        }),
    }
}
