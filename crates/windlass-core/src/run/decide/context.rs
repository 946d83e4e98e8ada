//! What an agent may publish.

use super::draft::Draft;
use crate::id::AttemptId;
use crate::plan::{Publish, ValueType};
use crate::run::{Event, Rejected};

/// A context holds facts and paths; whoever has more to say writes a paper and publishes its path.
const MAX_VALUE_BYTES: usize = 32 << 10;

/// Every fold of the journal and every check's environment carries the whole context.
const MAX_CONTEXT_BYTES: usize = 256 << 10;

/// What the steps of one item publish is carried for every item.
const MAX_ITEM_CONTEXT_BYTES: usize = 32 << 10;

/// Every value that is published stays in the journal, so a loop that publishes would fill the disk.
const MAX_PUBLISHED: u32 = 1000;

/// An agent may set the keys that its step declares with a type, and keys below those that are
/// objects. Declared paths are windlass's to publish, also below such an object.
pub(super) fn set(
    draft: &mut Draft,
    attempt: &AttemptId,
    key: &str,
    value: &serde_json::Value,
) -> Result<(), Rejected> {
    if !draft.state.running_attempts().any(|running| running == *attempt) {
        return Err(Rejected::StaleAttempt { attempt: attempt.clone() });
    }
    let index = draft.find(&attempt.step)?;
    if draft.state.step(index).facts_set >= MAX_PUBLISHED {
        return Err(Rejected::PublishedTooOften { max: MAX_PUBLISHED });
    }
    let plan = draft.state.plan.step(index);
    let is_items = key == "items" || key.starts_with("items.");
    if is_items && draft.state.plan.foreaches().next().is_some() {
        return Err(Rejected::ItemsAreAdded);
    }
    let is_path = plan.publishes.iter().any(|(name, publish)| {
        let rest = key.strip_prefix(name.as_str());
        matches!(publish, Publish::Path(_))
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    let declared = plan.publishes.iter().filter_map(|(name, publish)| match publish {
        Publish::Value(kind) => Some((name, *kind)),
        Publish::Path(_) => None,
    });
    let mut allowed = None;
    for (name, kind) in declared {
        let below = key.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.'));
        if key == name {
            allowed = Some(kind);
        } else if below.is_some_and(|rest| !rest.is_empty() && !rest.split('.').any(str::is_empty))
            && matches!(kind, ValueType::Object | ValueType::Any)
        {
            allowed = allowed.or(Some(ValueType::Any));
        }
    }
    let size = value.to_string().len();
    let (context, most) = match draft.state.item_of(index) {
        Some(item) => (&item.context, MAX_ITEM_CONTEXT_BYTES),
        None => (&*draft.state.context, MAX_CONTEXT_BYTES),
    };
    if size > MAX_VALUE_BYTES || context.to_string().len() + size > most {
        return Err(Rejected::TooLarge { key: key.to_owned() });
    }
    match allowed.filter(|_| !is_path) {
        None => Err(Rejected::NotPublished {
            step: plan.id.clone(),
            key: key.to_owned(),
            published: plan.publishes.keys().cloned().collect(),
        }),
        Some(kind) if !kind.accepts(value) => Err(Rejected::WrongType {
            key: key.to_owned(),
            expected: format!("{kind:?}").to_lowercase(),
        }),
        Some(_) => {
            draft.emit(Event::ContextSet {
                step: attempt.step.clone(),
                key: key.to_owned(),
                value: value.clone(),
            });
            Ok(())
        }
    }
}
