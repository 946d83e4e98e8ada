//! What holds for steps that are repeated for every item.
//!
//! An item is on its own: its steps need each other and go back to each other, and nothing outside
//! knows one of them by name, because there are as many of them as there are items.

use super::order::Order;
use super::protect::{WrittenProtect, WrittenRule};
use crate::glob;
use crate::plan::template::Template;
use crate::source::diagnostic::{Findings, Located};
use crate::source::suggest::shown;

/// More steps than a run can show; the bound keeps every decision quick.
const MAX_EXPANDED: usize = 2000;

/// Whether the step at `index` may add items.
fn adds(order: &Order, index: usize) -> bool {
    let published = order.steps[index].step.publishes.iter();
    published.into_iter().any(|(key, _)| key == "items")
}

/// Whether nobody but people changes a task list, or agents are meant to: papers are theirs.
fn is_guarded(tasks: &Located<Template>, protect: &WrittenProtect) -> bool {
    let file = tasks.value.skeleton();
    let covers = |rule: &WrittenRule| {
        let glob = glob::compile(&rule.file.value.skeleton());
        rule.keys.is_empty() && glob.is_ok_and(|glob| glob.compile_matcher().is_match(&file))
    };
    let by_agents = tasks.value.placeholders().next().is_some();
    by_agents || protect.rules.iter().any(covers)
}

/// Reports what cannot be repeated.
pub(super) fn check(order: &Order, protect: &WrittenProtect, findings: &mut Findings) {
    for (index, step) in order.steps.iter().enumerate() {
        let around = order.repeated_by(index);
        if let Some(foreach) = &step.step.foreach {
            if around.is_some() {
                findings.error_with_help(
                    foreach.at,
                    "a `foreach` cannot be inside another",
                    "items have no items of their own: make them items of one list",
                );
            }
            if foreach.tasks.is_none()
                && foreach.stories.is_none()
                && !order.steps[index].needed.iter().any(|&need| adds(order, need))
            {
                let message =
                    format!("nobody adds items before {} begins", shown(step.id.as_str()));
                findings.warning(
                    foreach.at,
                    message,
                    "without any it is skipped: let an earlier step publish `items: array`, name a task \
                     list with `tasks`, or add them yourself with `windlass item add` in time",
                );
            }
            if let Some(tasks) = foreach.tasks.as_ref().filter(|tasks| !is_guarded(tasks, protect))
            {
                findings.warning(
                    tasks.at,
                    "an agent of an earlier step can tick or remove entries of this list"
                        .to_owned(),
                    "add the file to `protect`, unless agents are meant to write it",
                );
            }
            let count = order.repeated(index).len() + 1;
            if count.saturating_mul(foreach.max as usize) > MAX_EXPANDED {
                let message = format!(
                    "{} items with {} steps and a group each are more than {MAX_EXPANDED} steps",
                    foreach.max,
                    count - 1
                );
                findings.error_with_help(foreach.at, message, "lower `max`");
            }
        }
        for name in step.step.needs.iter().flatten() {
            let Some(need) = order.find(index, name, &mut Findings::new("")) else { continue };
            let theirs = order.repeated_by(need);
            if theirs == around {
                continue;
            }
            let message = format!("{} cannot need {}", shown(step.id.as_str()), shown(&name.value));
            let help = match (around, theirs) {
                (_, Some(foreach)) => format!(
                    "it is done once for every item: need `{}`, which is done when all of them are",
                    order.steps[foreach].id
                ),
                (Some(foreach), None) => format!(
                    "a step of an item needs only steps of the same item: let `{}` need it",
                    order.steps[foreach].id
                ),
                (None, None) => continue,
            };
            findings.error_with_help(name.at, message, help);
        }
    }
}
