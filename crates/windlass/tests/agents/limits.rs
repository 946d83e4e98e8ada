//! Providers' limits, and money.

use windlass_testkit::model::{Lane, Script, http, say};

use crate::support::{Agent, ONE_STEP, World, now, only_one_try};

#[test]
fn a_limit_of_claude_is_waited_for_and_the_same_conversation_goes_on() {
    let limit = http(429)
        .header("retry-after", "0")
        .message(&format!("Claude AI usage limit reached|{}", now() + 8));
    let first = Lane::when_first_user_has("attempt `build#1`")
        .turn(say("Half of it.").write("half.txt", "half\n"))
        .turn(limit);
    let resumed = Lane::when_told("attempt `build#2`")
        .turn(say("The rest.").write("answer.txt", "right\n"))
        .turn(say("Done."));
    let script = Script::new().lane(resumed).lane(first);
    let Some(world) = World::new(Agent::Claude, script) else { return };
    // No try is used: the one that there is is the one that completes.
    world.run(&only_one_try(), &[]).assert_code(0);
    let outcomes = world.outcomes();
    assert_eq!(outcomes[0]["how"], "provider_limit", "{outcomes:#?}");
    assert!(outcomes[0]["resets_at"].is_i64(), "{outcomes:#?}");
    let usages = world.usages();
    assert_eq!(usages[0]["session"], usages[1]["session"], "{usages:#?}");
    // What the first part cost is not counted again with the second.
    let cost = |at: usize| usages[at]["cost_usd"].as_f64().expect("a cost");
    assert!(cost(0) > 0.0 && cost(1) < 2.5 * cost(0), "{usages:#?}");
    let told = world.server.requests_of("attempt `build#2`")[0].user_texts().join("\n");
    assert!(told.contains("attempt `build#1`"), "the conversation goes on: {told}");
    assert!(world.env.place().join("half.txt").is_file());
    world.assert_clean();
}

#[test]
fn a_usage_limit_of_claude_parks_the_run_until_the_stated_moment() {
    let limit = http(429).message(&format!("Claude AI usage limit reached|{}", now() + 7200));
    let lane = Lane::all().turn(limit.header("retry-after", "7200"));
    let Some(world) = World::new(Agent::Claude, Script::new().lane(lane)) else { return };
    let finished = world.run(ONE_STEP, &["--no-wait"]);
    finished.assert_code(4);
    assert_eq!(world.env.status(), "waiting");
    world.assert_clean();
}

#[test]
fn a_usage_limit_of_codex_parks_the_run_until_the_stated_moment() {
    let body = serde_json::json!({"error": {"type": "usage_limit_reached",
        "message": "The usage limit has been reached", "resets_at": now() + 7200}});
    let lane = Lane::all().turn(http(429).body(body));
    let Some(world) = World::new(Agent::Codex, Script::new().lane(lane)) else { return };
    world.run(ONE_STEP, &["--no-wait"]).assert_code(4);
    assert_eq!(world.env.status(), "waiting");
    let outcomes = world.outcomes();
    assert_eq!(outcomes[0]["how"], "provider_limit", "{outcomes:#?}");
    let resets_at = outcomes[0]["resets_at"].as_i64().expect("a moment");
    // It is told to the minute.
    let seconds = resets_at / 1000 - i64::try_from(now()).unwrap();
    assert!((5400..=7260).contains(&seconds), "{seconds}");
    world.assert_clean();
}

#[test]
fn claude_stops_when_the_money_is_used_up_and_the_run_pauses() {
    let workflow = format!("{ONE_STEP}limits: {{cost_usd: 0.05}}\n");
    let lane = Lane::when_first_user_has("step `build`")
        .turn(say("Thinking hard.").shell("true").usage(900_000, 90_000))
        .then_always(say("More.").shell("true").usage(900_000, 90_000));
    let Some(world) = World::new(Agent::Claude, Script::new().lane(lane)) else { return };
    let finished = world.run(&workflow, &[]);
    finished.assert_code(4);
    let outcomes = world.outcomes();
    assert_eq!(outcomes[0]["how"], "over_budget", "{outcomes:#?}");
    assert_eq!(world.env.status(), "paused");
    assert_eq!(world.server.requests().len(), 1, "{:?}", world.server.summary());
    world.assert_clean();
}
