//! Work that is proven, lies that are not, and prompts that arrive.

use windlass_testkit::model::{Lane, Script, say};

use crate::support::{Agent, ONE_STEP, World};

/// What breaks quoting, JSON, templates, terminals, and what the CLIs would take for commands.
const HOSTILE: &str = "/clear @/etc/hostname 'a' \"b\" `c` $(d) ${e} $1 \\n \\\\ %s {{g}} <i>&amp; #!; | & * ? ~ \
                       [j] ^ é 漢字 🦀 \u{202e}rtl\u{202c} \u{2028} --flag !bang <system-reminder>x</system-reminder>";

fn is_proven(agent: Agent) {
    let lane = Lane::when_first_user_has("step `build`")
        .turn(say("I will write it.").write("answer.txt", "right\n"))
        .turn(say("Done."));
    let Some(world) = World::new(agent, Script::new().lane(lane)) else { return };
    world.run(ONE_STEP, &[]).assert_code(0);
    assert_eq!(world.env.step("build"), "done");
    let usage = &world.usages()[0];
    assert_eq!(usage["input_tokens"], 200, "{usage}");
    assert_eq!(usage["output_tokens"], 20, "{usage}");
    assert!(usage["session"].as_str().is_some_and(|session| session.len() > 30), "{usage}");
    match agent {
        Agent::Claude => {
            assert!(usage["cost_usd"].as_f64().is_some_and(|cost| cost > 0.0), "{usage}");
            assert_eq!(usage["turns"], 2, "{usage}");
            assert!(usage["model"].as_str().is_some_and(|m| m.starts_with("claude-")), "{usage}");
        }
        Agent::Codex => assert!(usage["cost_usd"].is_null(), "unknown is not zero: {usage}"),
    }
    let begun = world.env.log_json();
    let facts = begun.last("run_started").expect("a start").to_string();
    assert!(facts.contains(&format!("\"backend\":\"{}\"", agent.name())), "{facts}");
    world.assert_clean();
}

#[test]
fn a_step_by_claude_is_proven_with_its_cost() {
    is_proven(Agent::Claude);
}

#[test]
fn a_step_by_codex_is_proven_and_its_cost_is_unknown() {
    is_proven(Agent::Codex);
}

fn lie_is_caught(agent: Agent) {
    let lie = Lane::when_first_user_has("attempt `build#1`").turn(say("All tests pass. Done."));
    let honest = Lane::when_first_user_has("attempt `build#2`")
        .turn(say("Now really.").write("answer.txt", "right\n"))
        .turn(say("Done."));
    let Some(world) = World::new(agent, Script::new().lane(lie).lane(honest)) else { return };
    world.run(ONE_STEP, &[]).assert_code(0);
    assert_eq!(world.env.log_json().count("attempt_ended"), 2);
    let requests = world.server.requests_of("attempt `build#2`");
    let told = requests[0].user_texts().join("\n");
    assert!(told.contains("was not accepted") && told.contains("No such file"), "{told}");
    assert_eq!(requests[0].assistant_turns(), 0, "a retry is a fresh conversation");
    world.assert_clean();
}

#[test]
fn a_lie_of_claude_is_caught_and_the_next_attempt_told() {
    lie_is_caught(Agent::Claude);
}

#[test]
fn a_lie_of_codex_is_caught_and_the_next_attempt_told() {
    lie_is_caught(Agent::Codex);
}

fn hostile_prompt_arrives(agent: Agent) {
    let lane = Lane::when_first_user_has("step `build`")
        .turn(say("I will write it.").write("answer.txt", "right\n"))
        .turn(say("Done."));
    let Some(world) = World::new(agent, Script::new().lane(lane)) else { return };
    let kept = world.env.root().join("tmp/prompt");
    let workflow = world.env.workflow(ONE_STEP);
    let start = ["run", HOSTILE, "--workflow", &workflow];
    let mut by_command = world.command(&start);
    let copy = format!("cat > '{}'; echo right > answer.txt", kept.display());
    by_command.args(["--agent-command", &copy]);
    world.env.finish(by_command).assert_code(0);
    let mut by_agent = world.command(&start);
    by_agent.args(["--agent", agent.name()]);
    world.env.finish(by_agent).assert_code(0);
    let prompt = fs_err::read_to_string(kept).expect("a prompt");
    assert!(prompt.contains(HOSTILE), "{prompt}");
    let texts = world.server.requests()[0].user_texts();
    assert!(texts.contains(&prompt), "{texts:#?}");
    // Neither a command nor a file of it was taken as such.
    assert!(
        !texts.iter().any(|text| text.contains("Result of calling the Read tool")),
        "{texts:#?}"
    );
    world.assert_clean();
}

#[test]
fn a_prompt_with_every_hostile_character_reaches_claude_unchanged() {
    hostile_prompt_arrives(Agent::Claude);
}

#[test]
fn a_prompt_with_every_hostile_character_reaches_codex_unchanged() {
    hostile_prompt_arrives(Agent::Codex);
}

fn facts_are_published(agent: Agent) {
    let workflow = ONE_STEP.replace("    done:", "    publishes: {tests.note: string}\n    done:");
    let lane = Lane::when_first_user_has("step `build`")
        .turn(
            say("I will.")
                .write("answer.txt", "right\n")
                .shell("windlass context set tests.note=fine"),
        )
        .turn(say("Done."));
    let Some(world) = World::new(agent, Script::new().lane(lane)) else { return };
    world.run(&workflow, &[]).assert_code(0);
    let context = world.env.windlass(&["context", "get", "tests.note"]);
    let results = world.server.requests()[1].tool_results();
    assert!(context.stdout.contains("fine"), "{context}\n{results:#?}");
    world.assert_clean();
}

#[test]
fn claude_publishes_a_fact() {
    facts_are_published(Agent::Claude);
}

#[test]
fn codex_publishes_a_fact() {
    facts_are_published(Agent::Codex);
}

fn role_is_played(agent: Agent) {
    let role = "---\nname: developer\ndescription: Builds.\ntools: Read, Write, Bash\n---\n\
                ROLE-TEXT: \"be\" terse, $HOME.\n";
    let lane = Lane::when_first_user_has("step `build`")
        .turn(say("I will write it.").write("answer.txt", "right\n"))
        .turn(say("Done."));
    let Some(world) = World::new(agent, Script::new().lane(lane)) else { return };
    world.env.repository.write(".windlass/agents/developer.md", role);
    world.env.repository.commit("a role");
    world.run(ONE_STEP, &[]).assert_code(0);
    let request = &world.server.requests()[0];
    assert!(request.system_text().contains("ROLE-TEXT: \"be\" terse, $HOME."), "{request:#?}");
    assert!(!request.user_texts().join("\n").contains("ROLE-TEXT"), "it is apart from the prompt");
    if agent == Agent::Claude {
        let tools = request.tools();
        assert!(tools.contains(&"Write".to_owned()), "{tools:?}");
        for other in ["Edit", "WebFetch", "Agent", "EnterWorktree", "CronCreate"] {
            assert!(!tools.contains(&other.to_owned()), "{tools:?}");
        }
    }
    world.assert_clean();
}

#[test]
fn a_role_s_text_and_tools_reach_claude() {
    role_is_played(Agent::Claude);
}

#[test]
fn a_role_s_text_reaches_codex() {
    role_is_played(Agent::Codex);
}
