//! What a simulation covers, and what it says about the rest.

use proptest::prelude::*;
use windlass_core::plan::PlanRequest;
use windlass_core::run::RunStatus;
use windlass_core::simulate::{Move, Simulation, TargetKind, simulate};

use super::parsed;
use super::properties::{GOOD, generated};

fn simulated(source: &str) -> Simulation {
    let plan = parsed(source).plan(PlanRequest::default()).expect("a plan");
    simulate(&plan).expect("a simulation")
}

fn missed(simulation: &Simulation) -> Vec<String> {
    simulation.missed.iter().map(|missed| format!("{}: {}", missed.target, missed.why)).collect()
}

/// Whether nobody sent work back: then the worst case is a bound.
fn is_left_alone(moves: &[Move]) -> bool {
    !moves.iter().any(|m| matches!(m, Move::Feedback { .. } | Move::RolledBack { .. }))
}

fn check_bounds(simulation: &Simulation) -> Result<(), TestCaseError> {
    for path in &simulation.paths {
        let alone = is_left_alone(&path.moves);
        prop_assert!(!alone || path.attempts <= simulation.worst_case_attempts, "{:?}", path);
        prop_assert!(path.shared <= path.moves.len());
        prop_assert_ne!(path.end, RunStatus::Active);
    }
    for covered in &simulation.covered {
        let missed = simulation.missed.iter().filter(|m| m.target.kind() == covered.kind);
        prop_assert_eq!(covered.reached + missed.count(), covered.total);
    }
    Ok(())
}

#[test]
fn everything_of_a_workflow_with_all_its_parts_is_reached() {
    let simulation = simulated(GOOD);
    assert_eq!(missed(&simulation), Vec::<String>::new());
    check_bounds(&simulation).unwrap();
    let routes = simulation.covered.iter().find(|covered| covered.kind == TargetKind::Routes);
    assert_eq!(routes.map(|routes| routes.total), Some(3));
    let first = &simulation.paths[0];
    assert_eq!(first.moves.last(), Some(&Move::Completed));
    assert_eq!(first.attempts, 4);
}

#[test]
fn what_a_glob_hides_and_what_nobody_can_ask_for_is_said() {
    let simulation = simulated(
        "workflow: w
steps:
  - {id: a, agent: x, retries: 1, done: {diff: any}}
  - {id: b, agent: x, retries: 1, skip: allowed, done: {diff: any}}
  - id: c
    agent: y
    retries: 1
    done: {verdict: .v, accept: OK}
    on: {NO: {rollback: {files: '.f[]', by_path: {'**': a, 'src/**': b}, otherwise: b}, max: 1}}
",
    );
    insta::assert_snapshot!(missed(&simulation).join("\n"), @r"
    an earlier step asking to skip `b`: no step before it publishes an object whose `skip` could name it
    the route of `c` on NO to `b` by `src/**`: no file was found that matches it and none of the globs before it
    ");
    assert_eq!(simulation.unreachable().count(), 1);
}

#[test]
fn numbers_that_nobody_walks_are_not_walked() {
    let simulation = simulated(
        "workflow: w
steps:
  - {id: a, agent: x, retries: 4000000000, done: {diff: any}}
  - {id: b, agent: y, retries: 1, done: {verdict: .v, accept: OK}, on: {NO: {rollback: a, max: 4000000000}}}
",
    );
    insta::assert_snapshot!(missed(&simulation).join("\n"), @r"
    `a` using up its tries: `retries` is 4000000000, and no more than 100 are walked
    `b` saying NO once too often: `max` is 4000000000, and no more than 100 are walked
    ");
    assert_eq!(simulation.unreachable().count(), 0);
}

#[test]
fn five_hundred_steps_are_walked() {
    let mut source = "workflow: w\ndefaults: {retries: 1}\nsteps:\n".to_owned();
    for step in 0..500 {
        source.push_str(&format!("  - {{id: s{step}, agent: x, done: {{diff: any}}}}\n"));
    }
    let simulation = simulated(&source);
    assert_eq!(missed(&simulation), Vec::<String>::new());
    // All goes well; each step uses up its try; the budget is used up.
    assert_eq!(simulation.paths.len(), 502);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_generated_workflow_is_covered_within_its_bounds(source in generated()) {
        let simulation = simulated(&source);
        prop_assert_eq!(missed(&simulation), Vec::<String>::new());
        check_bounds(&simulation)?;
    }
}
