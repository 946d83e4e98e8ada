//! What holds for every plan and every story of the outside world.

#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "the helpers of a test are a test, and look only for what they check"
)]

mod edge;
mod kinds;
mod plans;
mod recovery;
mod scale;
mod simulation;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use edge::Dice;
use recovery::PureRun;
use simulation::{People, Simulation};

fn numbers(most: usize) -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 1..most)
}

/// The same stories every time, so that no change fails by chance. Whoever looks for new ones sets
/// `PROPTEST_RNG_SEED` and `PROPTEST_CASES`, which proptest reads itself.
fn config(cases: u32) -> ProptestConfig {
    let given = ProptestConfig::default();
    let rng_seed = match given.rng_seed {
        RngSeed::Random => RngSeed::Fixed(0),
        RngSeed::Fixed(seed) => RngSeed::Fixed(seed),
    };
    let cases = cases.max(given.cases);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..given }
}

proptest! {
    #![proptest_config(config(300))]

    /// Decisions are pure, replay gives the live state, everything survives being stored, indexes
    /// agree with phases, nothing is done without its proof and nothing follows the end: with
    /// doubled, delayed and reordered reports, and people who decide anything at any time.
    #[test]
    fn no_story_breaks_an_invariant(
        plan in plans::plans(25),
        numbers in numbers(300),
        in_advance: bool,
    ) {
        let mut run = Simulation::new(plan, in_advance);
        run.run(&mut Dice::new(numbers), People::Decide, 3000);
        prop_assert!(run.replay() == run.state);
    }

    /// Without people a run always comes to rest, however badly everything goes.
    #[test]
    fn a_run_without_people_comes_to_rest(plan in plans::plans(25), numbers in numbers(200)) {
        let mut run = Simulation::new(plan, true);
        run.run(&mut Dice::endless(numbers), People::StayAway, 3000);
        prop_assert!(run.state.spent.attempts <= 25);
    }

    /// Whatever decision the machine dies after, the run comes to the same end: the same steps,
    /// context and head.
    #[test]
    fn a_run_that_is_cut_after_any_decision_comes_to_the_same_end(
        plan in plans::plans(1000),
        seed: u64,
    ) {
        let mut run = PureRun::new(plan, seed);
        let mut cuts = vec![run.clone()];
        while run.go_on() {
            cuts.push(run.clone());
            prop_assert!(cuts.len() < 2000, "no end");
        }
        for (fence, cut) in (1..).zip(&cuts) {
            let mut recovered = cut.recover(fence);
            recovered.finish();
            prop_assert_eq!(recovered.end(), run.end());
        }
    }
}
