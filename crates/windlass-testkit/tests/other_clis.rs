//! Gemini CLI, opencode and Qwen Code by the same script. They are a target of their own:
//!
//! ```text
//! .ci/agents acp && cargo nextest run -p windlass-testkit --test other_clis --run-ignored all
//! ```

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "what these CLIs try is written down, not judged")]

use std::process::Command;

use windlass_testkit::cli::{
    RealCli, environment_for_gemini, environment_for_opencode, environment_for_qwen,
};
use windlass_testkit::model::{Lane, ModelServer, Part, Script, say};
use windlass_testkit::{Layout, TestEnv};

type Variables = fn(&TestEnv, &ModelServer) -> Vec<(String, String)>;

fn plays_the_script(cli: Option<RealCli>, variables: Variables, start: fn(&mut Command)) {
    let Some(cli) = cli else { return };
    let lane = Lane::when_first_user_has("MAIN-TASK")
        .turn(say("I will write it.").write("notes/hello.txt", "it's \"here\"\n$HOME\n"))
        .turn(say("And a command.").shell("printf ran > ran.txt"))
        .turn(say("Done."));
    // opencode asks for a title beside it.
    let title = Lane::when(Part::Tools, "^$").turn(say("A title"));
    let script = Script::new().lane(title).lane(lane).outside_may_be_tried();
    let env = TestEnv::new("no-windlass-here", env!("CARGO_TARGET_TMPDIR"), Layout::Home);
    let server = ModelServer::start(script);
    let mut command = cli.command(&env, &variables(&env, &server));
    start(&mut command);
    let finished = env.finish(command);
    finished.assert_code(0);
    let place = env.repository.root();
    let hello = fs_err::read_to_string(place.join("notes/hello.txt"));
    let hello = hello.unwrap_or_else(|error| panic!("{error}: {finished}"));
    assert_eq!(hello, "it's \"here\"\n$HOME\n");
    assert_eq!(fs_err::read_to_string(place.join("ran.txt")).unwrap(), "ran");
    assert!(finished.stdout.contains("Done."), "{finished}");
    for tried in server.outside() {
        println!("a way out was tried: {tried}");
    }
    server.finish();
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn gemini_writes_a_file_and_says_done() {
    plays_the_script(RealCli::gemini(), environment_for_gemini, |command| {
        command.args(["-p", "MAIN-TASK", "-o", "stream-json", "--approval-mode", "yolo"]);
        command.args(["--skip-trust", "-m", "gemini-2.5-pro"]);
    });
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn opencode_writes_a_file_and_says_done() {
    plays_the_script(RealCli::opencode(), environment_for_opencode, |command| {
        command.args(["run", "--format", "json", "--auto", "MAIN-TASK"]);
    });
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn qwen_writes_a_file_and_says_done() {
    plays_the_script(RealCli::qwen(), environment_for_qwen, |command| {
        command.args(["-p", "MAIN-TASK", "--output-format", "stream-json"]);
        command.args(["--approval-mode", "yolo"]);
    });
}
