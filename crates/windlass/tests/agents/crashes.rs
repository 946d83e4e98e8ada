//! CLIs that die.

use rustix::process::{Pid, Signal};
use windlass_testkit::model::{Lane, Script, say};
use windlass_testkit::wait;

use crate::support::{Agent, World, only_one_try};

/// The process of the CLI itself; windlass's own around it run another program.
fn process_of(world: &World) -> Pid {
    let program = world.agent.program().expect("a program").canonicalize().expect("a program");
    let root = world.env.root().to_string_lossy().into_owned();
    let found = wait::until(wait::DEADLINE, || {
        fs_err::read_dir("/proc").ok()?.flatten().find_map(|entry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            let exe = fs_err::read_link(entry.path().join("exe")).ok()?;
            let env = fs_err::read(entry.path().join("environ")).ok()?;
            let ours = String::from_utf8_lossy(&env).contains(&root);
            (exe == program && ours).then(|| Pid::from_raw(pid)).flatten()
        })
    });
    found.expect("the process of the CLI")
}

fn goes_on_after_a_kill(agent: Agent) {
    let Some(world) = ({
        let never = std::env::temp_dir().join("windlass-never-there");
        let first = Lane::when_first_user_has("attempt `build#1`")
            .turn(say("Half of it.").write("half.txt", "half\n"))
            .turn(say("Too late.").until_file(never));
        let resumed = Lane::when_told("attempt `build#2`")
            .turn(say("The rest.").write("answer.txt", "right\n"))
            .turn(say("Done."));
        World::new(agent, Script::new().lane(resumed).lane(first))
    }) else {
        return;
    };
    let mut run = world.env.start(world.run_command(&only_one_try(), &[]));
    world.server.wait_for("the second turn", |request| request.turn == 1);
    rustix::process::kill_process(process_of(&world), Signal::KILL).expect("a process to kill");
    let finished = run.wait(wait::DEADLINE).expect("the run ends");
    finished.assert_code(0);
    let outcomes = world.outcomes();
    assert_eq!(outcomes[0]["how"], "interrupted", "{outcomes:#?}");
    let usages = world.usages();
    assert_eq!(usages[0]["session"], usages[1]["session"], "{usages:#?}");
    assert!(usages[0]["cost_usd"].is_null(), "what a killed one spent is unknown: {usages:#?}");
    // Codex counts the whole conversation, and the first part was not counted before.
    let written = if agent == Agent::Codex { 30 } else { 20 };
    assert_eq!(usages[1]["output_tokens"], written, "{usages:#?}");
    let told = world.server.requests_of("attempt `build#2`")[0].user_texts().join("\n");
    assert!(told.contains("attempt `build#1`"), "the conversation goes on: {told}");
    world.assert_clean();
}

#[test]
fn a_claude_that_was_killed_goes_on_in_the_same_conversation_and_no_try_is_used() {
    goes_on_after_a_kill(Agent::Claude);
}

#[test]
fn a_codex_that_was_killed_goes_on_in_the_same_conversation_and_no_try_is_used() {
    goes_on_after_a_kill(Agent::Codex);
}
