//! The printed bound against the longest run that a search finds.

use windlass_core::plan::{Plan, PlanRequest};

use super::parsed;

/// Counts the attempts of the longest run of a plan whose steps follow each other.
///
/// The search plays the worst luck: every try but the last fails, and the last try of a step with
/// a route either passes or takes the route. A route reopens its target and what depends on it.
fn longest(plan: &Plan) -> u64 {
    let taken = vec![0; plan.steps.len()];
    search(plan, 0, &taken)
}

fn search(plan: &Plan, step: usize, taken: &[u32]) -> u64 {
    let Some(here) = plan.steps.get(step) else { return 0 };
    let tries = u64::from(here.retries);
    let mut best = search(plan, step + 1, taken);
    for route in here.on.values() {
        if taken[step] < route.max {
            let targets = route.rollback.by_path.iter().map(|(_, target)| *target);
            for target in targets.chain([route.rollback.otherwise]) {
                let mut taken = taken.to_vec();
                taken[step] += 1;
                best = best.max(search(plan, target.get(), &taken));
            }
        }
    }
    tries + best
}

/// A chain of steps; `routes` is (step, target, max).
fn chain(retries: &[u32], routes: &[(usize, usize, u32)]) -> String {
    let mut source = "workflow: w\nsteps:\n".to_owned();
    for (index, tries) in retries.iter().enumerate() {
        let on = routes
            .iter()
            .filter(|(from, ..)| *from == index)
            .map(|(_, target, max)| format!(", on: {{NO: {{rollback: s{target}, max: {max}}}}}"));
        let on: String = on.collect();
        source.push_str(&format!(
            "  - {{id: s{index}, agent: a{index}, retries: {tries}, done: [{{diff: any}}, {{verdict: .v, accept: OK}}]{on}}}\n"
        ));
    }
    source
}

#[test]
fn the_bound_is_reached_by_a_chain_whose_last_step_goes_back() {
    for (retries, routes) in [
        (vec![3], vec![]),
        (vec![3, 2, 1], vec![]),
        (vec![3, 2, 1], vec![(2, 0, 2)]),
        (vec![2, 4], vec![(1, 1, 3)]),
        (vec![1, 2, 3, 1], vec![(3, 1, 3)]),
    ] {
        let workflow = parsed(&chain(&retries, &routes));
        let plan = workflow.plan(PlanRequest::default()).unwrap();
        assert_eq!(workflow.worst_case_attempts(), longest(&plan), "{retries:?} {routes:?}");
        assert_eq!(plan.worst_case_attempts, workflow.worst_case_attempts());
        assert!(plan.limits.attempts >= workflow.worst_case_attempts());
    }
}

#[test]
fn no_run_is_longer_than_the_bound() {
    for (retries, routes) in [
        (vec![3, 2, 1], vec![(1, 0, 2), (2, 1, 2)]),
        (vec![1, 1, 1, 1], vec![(1, 0, 1), (2, 0, 2), (3, 2, 2)]),
        (vec![2, 2, 2], vec![(0, 0, 1), (1, 1, 1), (2, 0, 1)]),
    ] {
        let workflow = parsed(&chain(&retries, &routes));
        let plan = workflow.plan(PlanRequest::default()).unwrap();
        let (bound, found) = (workflow.worst_case_attempts(), longest(&plan));
        assert!(found <= bound, "{found} > {bound}: {retries:?} {routes:?}");
    }
}

#[test]
fn groups_use_no_attempts_and_side_steps_are_not_reopened() {
    let workflow = parsed(
        "workflow: w
steps:
  - {id: side, agent: x, retries: 100, done: {diff: any}}
  - id: g
    needs: []
    steps: [{id: a, agent: x, retries: 2, done: {diff: any}}, {id: b, agent: x, retries: 3, done: {diff: any}}]
  - {id: r, agent: y, retries: 1, done: {verdict: .v, accept: OK}, on: {NO: {rollback: g/b, max: 4}}}
",
    );
    assert_eq!(workflow.worst_case_attempts(), 100 + 2 + 3 + 1 + 4 * (3 + 1));
}

#[test]
fn the_last_proof_opens_a_step_that_a_command_proves_twice_and_what_depends_on_it() {
    let workflow = |done: &str| {
        parsed(&format!(
            "workflow: w
steps:
  - {{id: plan, agent: x, retries: 7, done: {{diff: any}}}}
  - {{id: code, agent: x, retries: 3, done: {done}}}
  - {{id: docs, agent: x, retries: 2, done: {{diff: any}}}}
"
        ))
    };
    let runs = workflow("{run: make}");
    assert_eq!(runs.worst_case_attempts(), 12 + 2 * (3 + 2));
    // What speaks against it, or is about the way, is not proven again.
    for done in ["{diff: any}", "[{diff: any}, {not: {run: make}}]"] {
        assert_eq!(workflow(done).worst_case_attempts(), 12, "{done}");
    }
}

#[test]
fn an_absurd_workflow_saturates() {
    let routes = [(0, 0, u32::MAX), (1, 0, u32::MAX), (2, 0, u32::MAX), (3, 0, u32::MAX)];
    let workflow = parsed(&chain(&[u32::MAX; 4], &routes));
    assert_eq!(workflow.worst_case_attempts(), u64::MAX);
}
