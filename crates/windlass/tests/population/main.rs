//! A seeded population of agents that lie, crash, stall and cheat: no step counts as done on which
//! an observed check does not hold.
//!
//! `WINDLASS_POPULATION_SEED` and `WINDLASS_POPULATION_SIZE` choose another one. Every check of every
//! proven step is evaluated again here, without windlass, on a fresh checkout of the snapshot that
//! the journal names; where a run is complete, once more in a clone of its branch, as a person would.

#![expect(clippy::print_stdout, reason = "a seed that nobody sees cannot be used again")]

mod agents;
mod judge;
mod stock;
mod workflows;

use windlass_testkit::{Layout, Random, in_parallel, test_env};

const PARTS: u64 = 8;

/// Each run has a baseline and a last proof now; more of them are for a night.
const USUAL_SIZE: u64 = 640;

/// Each of so many plays `change` instead of a drawn workflow; it has five steps.
const STOCK: u64 = 9;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn play(part: u64) {
    let seed = number("WINDLASS_POPULATION_SEED", 20_240_607);
    let size = number("WINDLASS_POPULATION_SIZE", USUAL_SIZE);
    println!("seed {seed}, size {size}, part {part} of {PARTS}");
    let mut tally = judge::Tally::default();
    // One world for several runs: what an agent leaves behind meets the next one.
    let cases: Vec<u64> = (0..size).filter(|case| case % PARTS == part).collect();
    for (number, group) in cases.chunks(12).enumerate() {
        let layout = if number % 4 == 3 { Layout::SystemTemp } else { Layout::Home };
        let env = test_env!(layout);
        workflows::prepare(&env);
        for &case in group {
            let mut random = Random::for_case(seed, case);
            if case % STOCK == 0 {
                let agent = agents::any(&mut random, &env);
                let told = format!("seed {seed}, case {case}: {:?}", agent.names);
                stock::play(&env, &mut random, &agent, &mut tally, &told);
                continue;
            }
            let workflow = workflows::any(&mut random);
            let agent = agents::any(&mut random, &env);
            let yes = random.percent(70);
            let more: &[&str] = if yes { &["--json", "--yes"] } else { &["--json"] };
            let finished = env.run(&workflow.yaml(), &agent.script, more);
            let told = format!("seed {seed}, case {case}: {:?}\n{finished}", agent.names);
            judge::judge(&env, &workflow, yes, &finished, &told, &mut tally);
        }
        env.assert_no_orphans();
    }
    println!("{tally:?}");
    // A population in which nothing is ever accepted or refused would prove nothing.
    let has_both = tally.done > 3 && tally.refused > 10 && tally.cloned > 3;
    assert!(size < USUAL_SIZE || has_both, "{tally:?}");
}

#[test]
fn the_first_half_has_no_false_completion() {
    in_parallel(4, (0..PARTS / 2).collect(), play);
}

#[test]
fn the_second_half_has_no_false_completion() {
    in_parallel(4, (PARTS / 2..PARTS).collect(), play);
}
