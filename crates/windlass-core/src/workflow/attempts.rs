//! How many attempts a workflow can use at most.

use std::collections::BTreeSet;

use super::order::Order;
use super::settings::Defaults;

/// Returns the most attempts that the steps can use, people's feedback aside.
///
/// Every step may use all its tries. Each time a route is taken, the step that it leads to and
/// everything that depends on it count from zero, so they may use all their tries once more. Where
/// a route has several targets, all that any of them would reopen is counted: the sum stays a
/// bound when one verdict names files of several steps.
pub(crate) fn worst_case(order: &Order, defaults: &Defaults) -> u64 {
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
    total
}
