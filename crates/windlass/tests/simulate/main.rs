//! `simulate` against the engine: every path of random workflows is played for real, and the
//! journal tells the same story.
//!
//! `WINDLASS_SIMULATE_SEED` and `WINDLASS_SIMULATE_SIZE` choose other workflows.

mod drawn;
mod order;
mod play;
mod repeated;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use windlass_core::plan::PlanRequest;
use windlass_core::run::PauseReason;
use windlass_core::simulate::{Move, Path, simulate};
use windlass_core::workflow::Workflow;
use windlass_testkit::{Random, in_parallel, test_env};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// An agent by command cannot say what it cost, so only attempts can use up a real budget.
fn is_playable(path: &Path, limit: u64) -> bool {
    let budget = Move::Paused { reason: PauseReason::Budget };
    path.moves.last() != Some(&budget) || path.attempts >= limit
}

#[test]
fn the_engine_goes_the_way_of_every_simulated_path() {
    let seed = number("WINDLASS_SIMULATE_SEED", 3);
    let size = number("WINDLASS_SIMULATE_SIZE", 6);
    println!("seed {seed}, size {size}");
    let played = AtomicUsize::new(0);
    let kinds = std::sync::Mutex::new(BTreeMap::<&str, usize>::new());
    in_parallel(4, (0..size).collect(), |case| {
        let drawn = drawn::any(&mut Random::for_case(seed, case), case);
        let workflow = Workflow::parse(&drawn.yaml, "drawn.yaml")
            .unwrap_or_else(|found| panic!("case {case}: {found:#?}\n{}", drawn.yaml));
        let plan = workflow.plan(PlanRequest::default()).expect("a plan");
        let simulation = simulate(&plan).expect("a simulation");
        let env = test_env!();
        play::prepare(&env);
        for (index, path) in simulation.paths.iter().enumerate() {
            if !is_playable(path, plan.limits.attempts) || order::is_left_to_time(&drawn, path) {
                continue;
            }
            let told = format!("seed {seed}, case {case}, path {}\n{}", index + 1, drawn.yaml);
            play::play(&env, &drawn, path, index, &told);
            played.fetch_add(1, Ordering::Relaxed);
            let mut kinds = kinds.lock().expect("nobody panics while counting");
            for happened in &path.moves {
                *kinds.entry(play::name(happened)).or_default() += 1;
                for about in play::about(&drawn, happened) {
                    *kinds.entry(about).or_default() += 1;
                }
            }
        }
        env.assert_no_orphans();
    });
    let (played, kinds) = (played.into_inner(), kinds.into_inner().expect("counts"));
    println!("{played} paths: {kinds:?}");
    // Stories in which little happens would prove little.
    assert!(size < 6 || (played > 30 && kinds.len() == 14), "{played} paths: {kinds:?}");
}
