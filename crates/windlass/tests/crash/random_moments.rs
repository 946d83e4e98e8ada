//! Two hundred deaths at random moments.

use windlass_testkit::{Random, in_parallel, wait};

use super::scenario::Scenario;

const WORKERS: u64 = 5;
const DEATHS: u64 = 200 / WORKERS;

/// Kills drivers until there were enough deaths; the moment is a number of journal writes from the
/// start of a driver, and then a number of looks, so that it falls between and inside them.
fn die_at_random(worker: u64) {
    let seed = std::env::var("WINDLASS_CRASH_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(7);
    println!("seed {seed}, worker {worker}");
    let whole = Scenario::new();
    assert_eq!(whole.run(None).code, Some(0));
    let wanted = whole.look();
    let mut random = Random::for_case(seed, worker);
    let mut deaths = 0;
    while deaths < DEATHS {
        let scenario = Scenario::new();
        for _ in 0..8 {
            let lines = usize::try_from(random.below(14)).unwrap_or(0);
            let mut looks = random.below(20);
            let mut driver = scenario.go_on();
            wait::for_fact("the driver's next lines or its end", || {
                let reached = driver.stderr().lines().count() >= lines;
                looks = looks.saturating_sub(u64::from(reached));
                driver.has_ended() || (reached && looks == 0)
            });
            if driver.has_ended() {
                break;
            }
            driver.kill();
            deaths += 1;
        }
        let end = scenario.finish();
        let journal = scenario.env.windlass(&["log"]).stdout;
        assert_eq!(end, wanted, "seed {seed}, worker {worker}, {deaths} deaths:\n{journal}");
    }
}

#[test]
fn two_hundred_deaths_at_random_moments() {
    in_parallel(5, (0..WORKERS).collect(), die_at_random);
}
