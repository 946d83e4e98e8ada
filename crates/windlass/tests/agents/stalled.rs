//! A model that never answers: the program waits, and its waking up is no sign of life.

use windlass_testkit::model::{Lane, Script, say};

use crate::support::{Agent, World, only_one_try};

/// The agent's program is ended by `idle_timeout`, long before its `timeout`.
fn is_idle(agent: Agent, midway: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let never = folder.path().join("never");
    let turn = say("Thinking.");
    let turn = if midway { turn.midway_until_file(&never) } else { turn.until_file(&never) };
    let Some(world) = World::new(agent, Script::new().lane(Lane::all().turn(turn))) else { return };
    let workflow =
        only_one_try().replace("retries: 1", "retries: 1, timeout: 5m, idle_timeout: 8s");
    world.run(&workflow, &["--no-wait"]).assert_code(4);
    let outcomes = world.outcomes();
    assert_eq!(outcomes[0]["how"], "idle", "{outcomes:#?}");
    // Whoever still waits for the model is let go.
    fs_err::write(&never, "").expect("a file");
}

#[test]
fn claude_that_waits_for_a_silent_model_is_ended() {
    is_idle(Agent::Claude, false);
}

#[test]
fn claude_whose_stream_stalls_is_ended() {
    is_idle(Agent::Claude, true);
}
