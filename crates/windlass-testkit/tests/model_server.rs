//! The scripted model without a CLI: what it answers, and what it does not let pass.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};
use windlass_testkit::model::{
    Lane, ModelServer, Part, Protocol, Script, drop_connection, http, say, shell, stream_error,
};

/// Everything that comes back; empty when the connection breaks first.
fn ask(url: &str, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    let length = body.len();
    let request =
        format!("{method} {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A broken connection may be an error here, or an end: both are what came.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

fn messages(server: &ModelServer, messages: &Value) -> String {
    let body = json!({"model": "m", "stream": true, "messages": messages});
    ask(&server.url(), "POST", "/v1/messages?beta=true", &body.to_string())
}

fn task() -> Value {
    json!([{"role": "user", "content": "TASK one"}])
}

#[test]
fn the_turn_is_the_number_of_assistant_turns_in_the_request() {
    let lane = Lane::when_first_user_has("TASK").turn(say("First.")).turn(say("Second."));
    let server = ModelServer::start(Script::new().lane(lane));
    let two = json!([
        {"role": "user", "content": [{"type": "text", "text": "TASK one"}]},
        {"role": "system", "content": "Environment"},
        {"role": "assistant", "content": [{"type": "text", "text": "First."}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": "no"},
        ]},
    ]);
    assert!(messages(&server, &two).contains("Second."));
    // Again and out of order: nothing is counted.
    assert!(messages(&server, &two).contains("Second."));
    assert!(messages(&server, &task()).contains("First."));
    let requests = server.requests();
    assert_eq!(requests[0].turn, 1);
    assert_eq!(requests[0].protocol, Protocol::Anthropic);
    assert_eq!(requests[0].user_texts(), ["TASK one"]);
    assert_eq!(requests[0].system_text(), "Environment");
    let results = requests[0].tool_results();
    assert_eq!((results[0].call.as_str(), results[0].text.as_str()), ("t1", "no"));
    assert!(results[0].failed);
    server.finish();
}

#[test]
fn one_script_answers_in_all_four_protocols() {
    let lane = Lane::when_first_user_has("TASK").turn(say("Hello.").shell("ls"));
    let server = ModelServer::start(Script::new().lane(lane));
    let contents = json!({
        "contents": [{"role": "user", "parts": [{"text": "TASK"}]}],
        "tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}],
    });
    let chat = json!({
        "model": "m", "stream": true, "messages": [{"role": "user", "content": "TASK"}],
        "tools": [{"type": "function", "function": {"name": "bash"}}],
    });
    let input = json!({
        "model": "m", "stream": true,
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "TASK"}]}],
    });
    let cases = [
        ("/v1/messages", json!({"stream": true, "messages": task()}), "message_stop", "Bash"),
        ("/v1/responses", input, "response.completed", "exec_command"),
        ("/v1/chat/completions", chat, "[DONE]", "bash"),
        ("/v1beta/models/g:streamGenerateContent?alt=sse", contents, "STOP", "run_shell_command"),
    ];
    for (path, body, end, tool) in cases {
        let answer = ask(&server.url(), "POST", path, &body.to_string());
        for part in ["200 OK", "text/event-stream", "Hello.", tool, end] {
            assert!(answer.contains(part), "{path} lacks {part}: {answer}");
        }
    }
    assert_eq!(server.requests().len(), 4);
    assert_eq!(server.requests()[3].model(), "g");
    server.finish();
}

#[test]
fn a_request_without_a_stream_gets_one_document() {
    let server = ModelServer::start(Script::new().lane(Lane::all().turn(say("Hello."))));
    let body = json!({"model": "m", "messages": task()}).to_string();
    let answer = ask(&server.url(), "POST", "/v1/messages", &body);
    let document = answer.split("\r\n\r\n").nth(1).unwrap();
    let document: Value = serde_json::from_str(document).unwrap();
    assert_eq!(document["content"][0]["text"], "Hello.");
    server.finish();
}

#[test]
fn a_request_that_no_lane_takes_is_answered_with_a_sentence_and_fails_the_test() {
    let lane = Lane::when_first_user_has("OTHER").turn(say("Hello."));
    let server = ModelServer::start(Script::new().lane(lane));
    let answer = messages(&server, &task());
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("no lane takes this request"), "{answer}");
    assert_eq!(server.requests()[0].lane, None);
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| server.finish()));
    assert!(failed.is_err());
}

#[test]
fn a_turn_behind_the_end_and_too_many_requests_and_unknown_paths_are_departures() {
    let lane = Lane::when_first_user_has("TASK").turn(say("Hello."));
    let server = ModelServer::start(Script::new().lane(lane).at_most(2));
    let later = json!([
        {"role": "user", "content": "TASK"}, {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "And?"},
    ]);
    assert!(messages(&server, &later).contains("ends before turn 1"));
    assert!(messages(&server, &task()).contains("Hello."));
    assert!(messages(&server, &task()).contains("more than 2 requests"));
    assert!(ask(&server.url(), "GET", "/elsewhere", "").starts_with("HTTP/1.1 404"));
    assert!(ask(&server.url(), "POST", "/v1/messages", "no json").contains("no JSON"));
    assert_eq!(server.take_problems().len(), 4);
    server.finish();
}

#[test]
fn a_way_out_that_is_tried_is_refused_and_fails_the_test() {
    let server = ModelServer::start(Script::new());
    let answer = ask(&server.proxy_url(), "CONNECT", "example.org:443", "");
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    assert_eq!(server.outside(), ["CONNECT example.org:443"]);
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| server.finish()));
    assert!(failed.is_err());
}

#[test]
fn failures_come_first_as_often_as_the_script_says() {
    let limit = http(429).header("retry-after", "7").message("Slow down.");
    let lane = Lane::all().failing_first(1, &drop_connection()).turn(
        say("Hello.")
            .failing_first(1, &limit)
            .failing_first(1, &stream_error("overloaded_error", "Full.")),
    );
    let server = ModelServer::start(Script::new().lane(lane));
    assert_eq!(messages(&server, &task()), "");
    let limited = messages(&server, &task());
    assert!(limited.starts_with("HTTP/1.1 429"), "{limited}");
    assert!(limited.contains("retry-after: 7\r\n"), "{limited}");
    assert!(limited.contains(r#"{"message":"Slow down.","type":"rate_limit_error"}"#), "{limited}");
    assert!(messages(&server, &task()).contains("event: error"));
    assert!(messages(&server, &task()).contains("Hello."));
    server.finish();
}

#[test]
fn a_counted_lane_goes_on_with_every_request() {
    let lane = Lane::all().counted().turn(say("First.")).turn(say("Second."));
    let server = ModelServer::start(Script::new().lane(lane));
    assert!(messages(&server, &task()).contains("First."));
    assert_eq!(server.unplayed(), [("all".to_owned(), 1)]);
    assert!(messages(&server, &task()).contains("Second."));
    assert_eq!(server.unplayed(), []);
    server.finish();
}

#[test]
fn a_reply_carries_words_and_figures_that_the_script_chooses() {
    let lane = Lane::when(Part::FirstUser, r"TASK (?<name>\w+)")
        .turn(shell("echo <<name>> <<1>>").usage(190_000, 5));
    let server = ModelServer::start(Script::new().lane(lane));
    let answer = messages(&server, &task());
    assert!(answer.contains("echo one one"), "{answer}");
    assert!(answer.contains(r#""input_tokens":190000"#), "{answer}");
    server.finish();
}

#[test]
fn a_stream_stops_in_its_middle_until_a_file_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let sign = folder.path().join("go");
    let lane = Lane::all().turn(say("Hello.").midway_until_file(&sign));
    let server = ModelServer::start(Script::new().lane(lane));
    let answer = std::thread::scope(|scope| {
        let asking = scope.spawn(|| messages(&server, &task()));
        server.wait_for("the request", |_| true);
        fs_err::write(&sign, "").unwrap();
        asking.join().unwrap()
    });
    assert!(answer.ends_with("0\r\n\r\n"), "{answer}");
    server.finish();
}

#[test]
fn a_stream_that_is_cut_lacks_its_end() {
    let lane =
        Lane::all().turn(say("Hello.").failing_first(1, &say("Hello.").broken_midway()).short());
    let server = ModelServer::start(Script::new().lane(lane));
    let broken = messages(&server, &task());
    assert!(broken.contains("message_start") && !broken.ends_with("0\r\n\r\n"), "{broken}");
    let short = messages(&server, &task());
    assert!(short.ends_with("0\r\n\r\n") && !short.contains("message_stop"), "{short}");
    server.finish();
}
