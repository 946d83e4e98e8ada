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

/// What happens on a path, in words.
fn told(simulation: &Simulation, path: usize) -> String {
    let words = |happened: &Move| match happened.step() {
        Some(step) => format!("{step} {happened}"),
        None => happened.to_string(),
    };
    simulation.paths[path].moves.iter().map(words).collect::<Vec<_>>().join("\n")
}

fn covered(simulation: &Simulation, kind: TargetKind) -> (usize, usize) {
    let line = simulation.covered.iter().find(|covered| covered.kind == kind);
    line.map_or((0, 0), |line| (line.reached, line.total))
}

const STORIES: &str = "workflow: w
defaults: {retries: 2}
steps:
  - {id: plan, agent: p, publishes: {items: array}, done: {diff: any}}
  - id: stories
    foreach: items
    max: 20
    steps:
      - {id: code, agent: c, exhausted: block, done: {diff: any}}
      - id: review
        agent: r
        done: {verdict: .v, accept: OK}
        on: {NO: {rollback: {files: '.f[]', by_path: {'{item.id}/**': code}, otherwise: review}, max: 1}}
  - {id: last, agent: l, done: {diff: any}, gate: approval}
";

#[test]
fn what_is_repeated_is_covered_for_one_item_and_the_next_one_follows() {
    let simulation = simulated(STORIES);
    assert_eq!(missed(&simulation), Vec::<String>::new());
    check_bounds(&simulation).unwrap();
    insta::assert_snapshot!(told(&simulation, 0), @r"
    plan passes
    stories/S1/code passes
    stories/S1/review passes
    stories/S2/code passes
    stories/S2/review passes
    last passes
    last approved
    completed
    ");
    assert_eq!(covered(&simulation, TargetKind::Steps), (6, 6));
    assert_eq!(covered(&simulation, TargetKind::Routes), (2, 2));
    assert_eq!(covered(&simulation, TargetKind::Items), (3, 3));
    let stories: Vec<String> =
        (0..simulation.paths.len()).map(|path| told(&simulation, path)).collect();
    let some = |part: &str| stories.iter().any(|story| story.contains(part));
    assert!(some("stories skipped\nlast passes"), "{stories:#?}");
    assert!(some("stories/S1/code blocked\nstories/S2/code passes"), "{stories:#?}");
    assert!(some("last reopened by a person") || some("stories reopened by a person"));
}

#[test]
fn items_come_from_people_where_no_agent_adds_them_and_from_lists_that_may_be_bad() {
    let step = "steps: [{id: a, agent: x, retries: 1, done: {diff: any}}]";
    let simulation = simulated(&format!(
        "workflow: w
steps:
  - {{id: one, foreach: items, max: 1, {step}}}
  - {{id: two, foreach: items, tasks: TASKS.md, max: 5, {step}}}
"
    ));
    assert_eq!(missed(&simulation), Vec::<String>::new());
    insta::assert_snapshot!(told(&simulation, 0), @r"
    one/S1/a passes
    two/S3/a passes
    two/S4/a passes
    completed
    ");
    // None, a list that cannot be taken, and the second item of the list.
    assert_eq!(covered(&simulation, TargetKind::Items), (3, 3));
    let last: Vec<String> = simulation
        .paths
        .iter()
        .filter_map(|path| path.moves.last())
        .map(|m| m.to_string())
        .collect();
    assert!(last.contains(&"blocked".to_owned()), "{last:?}");
}

#[test]
fn a_step_asks_to_skip_steps_of_items_before_they_come_up() {
    let simulation = simulated(
        "workflow: w
defaults: {retries: 1}
steps:
  - {id: plan, agent: p, publishes: {items: array, k: object}, done: {diff: any}}
  - id: stories
    foreach: items
    steps:
      - {id: code, agent: c, publishes: {r: object}, done: {diff: any}}
      - {id: extra, agent: e, skip: allowed, done: {diff: any}}
  - {id: last, agent: l, skip: allowed, done: {diff: any}}
",
    );
    assert_eq!(missed(&simulation), Vec::<String>::new());
    assert_eq!(covered(&simulation, TargetKind::Skips), (2, 2));
}

/// Workflows with a team, and with steps that are repeated, in which there may be one too.
fn repeating() -> impl Strategy<Value = String> {
    let inner = (0..4usize, 0..3usize, any::<bool>(), any::<bool>(), 1..5u32);
    let inside = proptest::collection::vec(inner, 0..4);
    (inside, 0..3usize, 1..4u32, any::<bool>(), any::<bool>()).prop_map(
        |(inside, from, max, team, protect)| {
            let mut source = "workflow: w\nlimits: {attempts: 100000}\n".to_owned();
            if protect {
                source.push_str("protect: [Makefile]\n");
            }
            source.push_str("steps:\n");
            let publishes = if from == 0 { "items: array, k: object" } else { "k: object" };
            let plan = "id: plan, agent: p, retries: 2, done: {diff: any}, gate: approval";
            source.push_str(&format!("  - {{{plan}, publishes: {{{publishes}}}}}\n"));
            if team {
                source.push_str(&format!("  - {{id: t, {}}}\n", team_of("t", 2)));
            }
            source.push_str(&format!("  - id: f\n    foreach: items\n    max: {max}\n"));
            source.push_str("    steps:\n      - {id: c, agent: x, done: {diff: any}}\n");
            for (number, (kind, exhausted, gate, when, retries)) in inside.into_iter().enumerate() {
                let exhausted = ["pause", "block", "waive"][exhausted];
                let mut keys = format!("id: c{number}");
                if when {
                    keys.push_str(", when: .x");
                }
                let own = format!(", retries: {retries}, exhausted: {exhausted}");
                keys.push_str(&match kind {
                    0 => format!("{own}, agent: x, skip: allowed, done: {{diff: any}}"),
                    1 => format!(
                        "{own}, agent: j{number}, done: {{verdict: .v, accept: OK}}, on: {{NO: {{rollback: \
                         {{files: '.f[]', by_path: {{'{{item.id}}/**': c}}, otherwise: c{number}}}, max: 2}}}}"
                    ),
                    2 => format!(", exhausted: {exhausted}, {}", team_of("{item.id}", retries)),
                    _ => ", steps: [{id: d, agent: x, done: {diff: any}}, {id: e, agent: x, needs: [], \
                          done: {diff: any}}]"
                        .to_owned(),
                });
                if gate {
                    keys.push_str(", gate: approval");
                }
                source.push_str(&format!("      - {{{keys}}}\n"));
            }
            if from == 1 {
                source.push_str("    tasks: TASKS.md\n");
            }
            source.push_str("  - {id: last, agent: x, gate: approval, done: {diff: any}}\n");
            source
        },
    )
}

/// The team of a step whose files begin with `name`.
fn team_of(name: &str, retries: u32) -> String {
    format!(
        "team: {{spokes: [{{id: a, agent: x, retries: {retries}, writes: '{name}-a.md'}}, {{id: b, \
         agent: y, when: .y, writes: ['{name}-b.md', '{{specs}}/{name}.md']}}], hub: {{agent: h}}}}, \
         retries: {retries}, done: {{file: '{name}.md'}}"
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_generated_workflow_is_covered_within_its_bounds(source in generated()) {
        let simulation = simulated(&source);
        prop_assert_eq!(missed(&simulation), Vec::<String>::new());
        check_bounds(&simulation)?;
    }

    #[test]
    fn teams_and_repeated_steps_are_covered_within_their_bounds(source in repeating()) {
        let simulation = simulated(&source);
        prop_assert_eq!(missed(&simulation), Vec::<String>::new(), "{}", source);
        check_bounds(&simulation)?;
    }
}
