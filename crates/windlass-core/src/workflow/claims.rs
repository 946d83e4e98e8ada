//! Whose word a criterion rests on.
//!
//! What the judged agent merely claims never suffices alone. A criterion is refused when it could
//! hold without one observed check having had its say, in whatever way the claims turn out.

use super::check::{Kind, Written};
use super::order::Order;
use crate::plan::Strength;
use crate::source::diagnostic::Findings;

/// Returns what a `verdict` of the step at `index` rests on.
///
/// It is observed when another agent than all those whose work it needs gives it.
pub(crate) fn verdict_strength(order: &Order, index: usize) -> Strength {
    let step = &order.steps[index];
    let Some(judge) = step.step.agent() else { return Strength::Claimed };
    let mut judged = step.needed.iter().filter_map(|&need| order.steps[need].step.agent());
    let mut anybody = false;
    let all_others = judged.all(|agent| {
        anybody = true;
        agent != judge
    });
    if anybody && all_others { Strength::Observed } else { Strength::Claimed }
}

/// Reports steps whose criterion rests on claims alone.
pub(super) fn check(order: &Order, findings: &mut Findings) {
    for (index, step) in order.steps.iter().enumerate() {
        let Some(done) = &step.step.done else { continue };
        if step.step.pull_request.is_some() {
            // Nobody's word is behind it: windlass publishes what the steps before have proven.
            continue;
        }
        if !can_be_claimed(done, Wanted::Yes, verdict_strength(order, index)) {
            continue;
        }
        let at = done.checks().first().map_or(step.step.id.at, |check| check.at);
        if step.step.trust_agent {
            findings.warning(
                at,
                format!("step `{}` is done when its own agent says so", step.id),
                "`trust: agent` allows it, and every report shows it",
            );
        } else {
            findings.error_with_help(
                at,
                format!("claims of its own agent alone can complete step `{}`", step.id),
                "add a check that windlass observes (`file`, `run`, `junit`, `coverage` or `diff`) \
                 that has to hold in every case, let another agent judge, or accept it with `trust: agent`",
            );
        }
    }
}

/// What somebody who controls all claims wants a part to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Yes,
    No,
}

/// Returns whether claims alone can settle `part` as `wanted`.
///
/// An observed check settles nothing here, neither way: under `not` its failure is observed too.
fn can_be_claimed(part: &Written, wanted: Wanted, verdict: Strength) -> bool {
    let claimed = |part: &Written| can_be_claimed(part, wanted, verdict);
    match (part, wanted) {
        (Written::All(parts), Wanted::Yes) | (Written::Any(parts), Wanted::No) => {
            parts.iter().all(claimed)
        }
        (Written::Any(parts), Wanted::Yes) | (Written::All(parts), Wanted::No) => {
            parts.iter().any(claimed)
        }
        (Written::Not(part), Wanted::Yes) => can_be_claimed(part, Wanted::No, verdict),
        (Written::Not(part), Wanted::No) => can_be_claimed(part, Wanted::Yes, verdict),
        (Written::Check(check), Wanted::Yes | Wanted::No) => match &check.kind {
            Kind::File { .. }
            | Kind::Run(_)
            | Kind::Junit { .. }
            | Kind::Coverage { .. }
            | Kind::Red(_)
            | Kind::Green(_)
            | Kind::Diff { .. }
            | Kind::Stories { .. }
            | Kind::Questions { .. }
            | Kind::Platform(_)
            | Kind::NotYet => false,
            Kind::Checklist { .. } | Kind::State(_) => true,
            Kind::Verdict { .. } | Kind::VerdictIn { .. } => verdict == Strength::Claimed,
        },
    }
}
