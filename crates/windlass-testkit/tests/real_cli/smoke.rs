//! One script, two CLIs.

use windlass_testkit::model::{Lane, ModelServer, Script, drop_connection, http, say};
use windlass_testkit::wait;

use crate::agents::{Agent, world};

/// What breaks quoting, JSON, templates and terminals.
const HOSTILE: &str = "MAIN-TASK 'a' \"b\" `c` $(d) ${e} $1 \\n \\\\ %s {f} {{g}} <<h>> <i>&amp; #!; | & * ? ~ \
                       [j] ^ é 漢字 🦀 \u{202e}rtl\u{202c} \ttab\nsecond line\n\n--flag\n/slash @at !bang";

fn script() -> Script {
    let lane = Lane::when_first_user_has("MAIN-TASK")
        .turn(say("I will write it.").write("notes/hello.txt", "it's \"here\"\n$HOME\n"))
        .turn(say("And a command.").shell("printf ran > ran.txt"))
        .turn(say("Done."));
    Script::new().lane(lane)
}

fn writes_a_file(agent: Agent) {
    let (env, server) = (world(), ModelServer::start(script()));
    let Some(finished) = agent.run(&env, &server, "MAIN-TASK") else { return };
    finished.assert_code(0);
    assert_eq!(agent.last_words(&finished), "Done.");
    let place = env.repository.root();
    let hello = fs_err::read_to_string(place.join("notes/hello.txt")).unwrap();
    assert_eq!(hello, "it's \"here\"\n$HOME\n");
    assert_eq!(fs_err::read_to_string(place.join("ran.txt")).unwrap(), "ran");
    let requests = server.requests();
    let turns: Vec<usize> = requests.iter().map(|request| request.turn).collect();
    assert_eq!(turns, [0, 1, 2], "{:?}", server.summary());
    assert_eq!(requests[2].tool_results().len(), 2);
    assert_eq!(requests[0].folder().as_deref(), place.to_str());
    assert_eq!(server.unplayed(), []);
    assert_eq!(server.outside(), Vec::<String>::new());
    server.finish();
}

#[test]
fn claude_writes_a_file_and_says_done() {
    writes_a_file(Agent::Claude);
}

#[test]
fn codex_writes_a_file_and_says_done() {
    writes_a_file(Agent::Codex);
}

fn sees_a_limit_as_a_failure(agent: Agent) {
    let lane = Lane::all().turn(http(429).header("retry-after", "0").message("Slow down."));
    let (env, server) = (world(), ModelServer::start(Script::new().lane(lane)));
    let Some(finished) = agent.run(&env, &server, "MAIN-TASK") else { return };
    finished.assert_code(1);
    match agent {
        Agent::Claude => {
            let result = finished.stdout.lines().last().unwrap_or_default();
            let result: serde_json::Value = serde_json::from_str(result).unwrap();
            assert_eq!(result["is_error"], true, "{finished}");
            assert_eq!(result["api_error_status"], 429, "{finished}");
        }
        Agent::Codex => assert!(finished.stdout.contains("429 Too Many Requests"), "{finished}"),
    }
    assert!(server.requests().len() > 1, "it retries: {:?}", server.summary());
    server.finish();
}

#[test]
fn claude_sees_a_limit_as_a_failure() {
    sees_a_limit_as_a_failure(Agent::Claude);
}

#[test]
fn codex_sees_a_limit_as_a_failure() {
    sees_a_limit_as_a_failure(Agent::Codex);
}

fn goes_on_after_failures(agent: Agent) {
    let limit = http(429).header("retry-after", "0");
    let lane = Lane::all().turn(say("Done.").failing_first(1, &limit));
    let (env, server) = (world(), ModelServer::start(Script::new().lane(lane)));
    let Some(finished) = agent.run(&env, &server, "MAIN-TASK") else { return };
    finished.assert_code(0);
    assert_eq!(agent.last_words(&finished), "Done.");
    assert_eq!(server.requests().len(), 2);
    server.finish();
}

#[test]
fn claude_goes_on_after_a_failure_that_passes() {
    goes_on_after_failures(Agent::Claude);
}

#[test]
fn codex_goes_on_after_a_failure_that_passes() {
    goes_on_after_failures(Agent::Codex);
}

fn passes_a_hostile_prompt_on(agent: Agent) {
    let script = Script::new().lane(Lane::when_first_user_has(HOSTILE).turn(say("Done.")));
    let (env, server) = (world(), ModelServer::start(script));
    let Some(finished) = agent.run(&env, &server, HOSTILE) else { return };
    finished.assert_code(0);
    let texts = server.requests()[0].user_texts();
    assert!(texts.iter().any(|text| text == HOSTILE), "{texts:#?}");
    server.finish();
}

#[test]
fn claude_passes_a_prompt_with_hostile_characters_on_unchanged() {
    passes_a_hostile_prompt_on(Agent::Claude);
}

#[test]
fn codex_passes_a_prompt_with_hostile_characters_on_unchanged() {
    passes_a_hostile_prompt_on(Agent::Codex);
}

fn can_be_killed_in_the_middle(agent: Agent) {
    let env = world();
    let never = env.root().join("never");
    let lane = Lane::all().turn(say("I am at it.").midway_until_file(&never));
    let server = ModelServer::start(Script::new().lane(lane));
    let Some(command) = agent.command(&env, &server, "MAIN-TASK") else { return };
    let mut background = env.start(command);
    server.wait_for("the first", |request| request.turn == 0);
    background.kill();
    wait::for_fact("the end", || background.has_ended());
    assert_eq!(server.requests().len(), 1);
    server.finish();
}

#[test]
fn claude_can_be_killed_in_the_middle_of_a_reply() {
    can_be_killed_in_the_middle(Agent::Claude);
}

#[test]
fn codex_can_be_killed_in_the_middle_of_a_reply() {
    can_be_killed_in_the_middle(Agent::Codex);
}

fn sees_broken_connections_as_a_failure(agent: Agent) {
    let lane = Lane::all().then_always(drop_connection());
    let (env, server) = (world(), ModelServer::start(Script::new().lane(lane)));
    let Some(finished) = agent.run(&env, &server, "MAIN-TASK") else { return };
    finished.assert_code(1);
    server.finish();
}

#[test]
fn claude_sees_broken_connections_as_a_failure() {
    sees_broken_connections_as_a_failure(Agent::Claude);
}

#[test]
fn codex_sees_broken_connections_as_a_failure() {
    sees_broken_connections_as_a_failure(Agent::Codex);
}

/// Claude Code keeps what it has read, as a turn, and asks for the rest; what it has not read yet it
/// asks for again, as Codex always does. The lane answers both.
#[test]
fn a_reply_that_breaks_off_is_asked_for_again() {
    let half = say("Half of").say("it.").broken_midway();
    let lane = Lane::all().turn(say("Done.").failing_first(1, &half)).turn(say("Done."));
    for agent in [Agent::Claude, Agent::Codex] {
        let (env, server) = (world(), ModelServer::start(Script::new().lane(lane.clone())));
        let Some(finished) = agent.run(&env, &server, "MAIN-TASK") else { continue };
        finished.assert_code(0);
        assert!(agent.last_words(&finished).ends_with("Done."), "{finished}");
        assert_eq!(server.requests().len(), 2, "{:?}", server.summary());
        server.finish();
    }
}

#[test]
fn claude_stops_at_a_budget_that_the_scripted_figures_exceed() {
    let lane = Lane::all()
        .turn(say("I begin.").shell("true").usage(1_000_000, 100_000))
        .then_always(say("Done."));
    let (env, server) = (world(), ModelServer::start(Script::new().lane(lane)));
    let Some(mut command) = Agent::Claude.command(&env, &server, "MAIN-TASK") else { return };
    command.args(["--max-budget-usd", "0.5"]);
    let finished = env.finish(command);
    finished.assert_code(1);
    assert!(finished.stdout.contains(r#""terminal_reason":"budget_exhausted""#), "{finished}");
    assert_eq!(server.requests().len(), 1, "{:?}", server.summary());
    server.finish();
}

#[test]
fn codex_reports_the_figures_of_the_script() {
    let lane = Lane::all().turn(say("Done.").usage(1234, 56));
    let (env, server) = (world(), ModelServer::start(Script::new().lane(lane)));
    let Some(finished) = Agent::Codex.run(&env, &server, "MAIN-TASK") else { return };
    finished.assert_code(0);
    let last = finished.stdout.lines().last().unwrap_or_default();
    let last: serde_json::Value = serde_json::from_str(last).unwrap();
    assert_eq!(last["usage"]["input_tokens"], 1234, "{finished}");
    assert_eq!(last["usage"]["output_tokens"], 56, "{finished}");
    server.finish();
}
