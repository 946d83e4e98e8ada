//! How many attempts a workflow can use at most.

use std::collections::BTreeSet;

use super::check::{Kind, PlatformCheck, Written};
use super::order::Order;
use super::settings::Defaults;
use crate::plan::MAX_COLD_FAILURES;

/// Returns the most attempts that the steps can use, not counting human feedback.
///
/// Every step may use all its tries. Each time a route is taken, the step that it leads to and
/// everything that depends on it count from zero, so they may use all their tries once more. Where
/// a route has several targets, all that any of them would reopen is counted: the sum stays a
/// bound when one verdict names files of several steps. The last proof, on a fresh clone, opens the
/// step that it fails for again in the same way.
pub(crate) fn worst_case(order: &Order, defaults: &Defaults, cold: bool) -> u64 {
    let items = |foreach: Option<usize>| {
        let repeats = foreach.and_then(|foreach| order.steps[foreach].step.foreach.as_ref());
        repeats.map_or(1, |foreach| u64::from(foreach.max))
    };
    let tries = |index: usize| {
        let step = &order.steps[index].step;
        match step.steps {
            Some(_) => 0,
            None if step.pull_request.is_some() || step.verifies => 0,
            None => u64::from(step.retries.unwrap_or(defaults.retries))
                .saturating_mul(items(order.repeated_by(index))),
        }
    };
    let sum =
        |steps: &mut dyn Iterator<Item = usize>| steps.map(tries).fold(0, u64::saturating_add);
    let mut total: u64 = sum(&mut (0..order.steps.len()));
    let routes = order.steps.iter().enumerate();
    for (from, route) in routes.flat_map(|(from, step)| step.routes.iter().map(move |r| (from, r)))
    {
        let around = order.repeated_by(from);
        let reopened: BTreeSet<usize> = route
            .targets()
            .flat_map(|target| order.depending_on(target))
            .filter(|&step| around.is_none() || order.repeated_by(step) == around)
            .collect();
        let again = sum(&mut reopened.into_iter()).saturating_mul(u64::from(route.max));
        total = total.saturating_add(again);
    }
    for (from, (target, max)) in
        order.steps.iter().enumerate().filter_map(|(from, step)| Some((from, step.failed?)))
    {
        let (around, inside) = (order.repeated_by(from), order.repeated_by(target));
        // Where it goes back into an item, it is one of them.
        let once = |step: usize| match order.repeated_by(step) == inside && around.is_none() {
            true => tries(step) / items(inside).max(1),
            false => tries(step),
        };
        let reopened = order.depending_on(target).into_iter();
        let reopened =
            reopened.filter(|&step| around.is_none() || order.repeated_by(step) == around);
        let again = reopened.map(once).fold(0, u64::saturating_add).saturating_mul(u64::from(max));
        total = total.saturating_add(again);
    }
    if cold {
        let reopened = (0..order.steps.len()).filter_map(|step| reopened_cold(order, step));
        let most = reopened.map(|(inside, steps)| {
            // What is opened again in an item is one of them.
            let once = |step: usize| match inside.is_some() && order.repeated_by(step) == inside {
                true => tries(step) / items(inside).max(1),
                false => tries(step),
            };
            steps.into_iter().map(once).fold(0, u64::saturating_add)
        });
        let again = most.max().unwrap_or(0).saturating_mul(u64::from(MAX_COLD_FAILURES - 1));
        total = total.saturating_add(again);
    }
    total
}

/// What is open again when what `step` proves fails on a fresh clone, and the step whose items that is
/// in; none where it proves nothing that could.
fn reopened_cold(order: &Order, step: usize) -> Option<(Option<usize>, BTreeSet<usize>)> {
    let written = &order.steps[step].step;
    if !written.done.as_ref().is_some_and(speaks_by_command) {
        return None;
    }
    let target = match order.steps[step].failed {
        Some((target, _)) => target,
        None => step,
    };
    let nested = (0..order.steps.len()).filter(|other| is_inside(order, *other, target));
    let opened = nested.chain([target]).flat_map(|step| order.depending_on(step)).collect();
    Some((order.repeated_by(target), opened))
}

fn is_inside(order: &Order, step: usize, group: usize) -> bool {
    let mut around = order.steps[step].parent;
    while let Some(parent) = around {
        if parent == group {
            return true;
        }
        around = order.steps[parent].parent;
    }
    false
}

/// Whether a command speaks for the criterion: none below a `not`, and none that has to fail.
fn speaks_by_command(written: &Written) -> bool {
    match written {
        Written::All(parts) | Written::Any(parts) => parts.iter().any(speaks_by_command),
        Written::Not(_) => false,
        Written::Check(check) => match &check.kind {
            Kind::Run(_) | Kind::Junit { .. } | Kind::Coverage { .. } | Kind::Green(_) => true,
            Kind::Platform(check) => *check != PlatformCheck::Red,
            Kind::Red(_)
            | Kind::File { .. }
            | Kind::Diff { .. }
            | Kind::Checklist { .. }
            | Kind::State(_)
            | Kind::Verdict { .. }
            | Kind::Stories { .. }
            | Kind::Questions { .. }
            | Kind::VerdictIn { .. }
            | Kind::NotYet => false,
        },
    }
}
