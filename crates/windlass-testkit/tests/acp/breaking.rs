//! A turn that breaks.

use serde_json::{Value, json};
use windlass_core::proof::Outcome;
use windlass_core::run::Category;

use super::support::{Turn, in_a_turn, play, play_with};

fn end_turn() -> [Value; 2] {
    [json!({"answer": {"stopReason": "end_turn"}}), json!({"end": true})]
}

fn failed(turn: &Turn, kind: &str, category: Category) -> String {
    assert_eq!(turn.one("failed")["kind"], kind, "{:#?}", turn.events);
    match &turn.result.outcome {
        Outcome::AgentFailed { category: found, message } if *found == category => message.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lines_that_are_no_messages_are_shown_and_passed_over() {
    let mut acts =
        vec![json!({"raw": "Loading…"}), json!({"raw": ""}), json!({"raw": "{\"id\":9"})];
    acts.extend(in_a_turn(&end_turn()));
    let turn = play(&acts);
    turn.assert_ended();
    assert_eq!(turn.of("ignored").len(), 2);
}

#[test]
fn an_agent_that_never_speaks_the_protocol_is_given_up() {
    let acts = vec![json!({"raw": "usage: agent [--help]"}); 10_001];
    let message = failed(&play(&acts), "protocol", Category::Infra);
    assert!(message.contains("not the Agent Client Protocol"), "{message}");
}

#[test]
fn an_update_of_100_megabytes_is_passed_over() {
    let start = r#"{"jsonrpc":"2.0","method":"session/update","params":{"#;
    let mut acts = vec![json!({"long": {"bytes": 100_000_000, "start": start}})];
    acts.extend(end_turn());
    let turn = play(&in_a_turn(&acts));
    turn.assert_ended();
    let what = turn.one("ignored")["what"].as_str().unwrap();
    assert!(what.starts_with("a line of 100000000 bytes"), "{what}");
}

#[test]
fn an_answer_of_100_megabytes_ends_the_turn() {
    let start = r#"{"jsonrpc":"2.0","id":3,"result":{"#;
    let acts = in_a_turn(&[json!({"long": {"bytes": 100_000_000, "start": start}})]);
    let turn = play(&acts);
    let message = failed(&turn, "protocol", Category::Infra);
    assert!(message.contains("100000000 bytes"), "{message}");
}

#[test]
fn an_agent_that_dies_in_its_turn_was_interrupted() {
    for (act, how) in
        [(json!({"crash": true}), "signal: 9"), (json!({"exit": 3}), "exit status: 3")]
    {
        let turn = play(&in_a_turn(&[act]));
        assert_eq!(turn.one("failed")["kind"], "died");
        match &turn.result.outcome {
            Outcome::Interrupted { message } => assert!(message.contains(how), "{message}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(turn.result.usage.session.as_deref(), Some("s1"));
    }
}

#[test]
fn an_agent_that_dies_before_it_has_a_session_did_not_begin() {
    let turn = play(&[json!({"expect": "initialize"}), json!({"exit": 1})]);
    let message = failed(&turn, "died", Category::Infra);
    assert!(message.contains("before it answered `initialize`"), "{message}");
}

#[test]
fn another_version_of_the_protocol_is_said_plainly() {
    let acts = [json!({"expect": "initialize"}), json!({"answer": {"protocolVersion": 2}})];
    let message = failed(&play(&acts), "version", Category::External);
    assert!(message.contains("speaks version 2") && message.contains("version 1"), "{message}");
}

#[test]
fn a_limit_is_told_with_the_time_at_which_it_ends() {
    let error = json!({"code": 429, "message": "Quota exceeded. Please retry in 30s."});
    let turn = play(&in_a_turn(&[json!({"error": error}), json!({"end": true})]));
    match &turn.result.outcome {
        Outcome::ProviderLimit { resets_at: Some(_), message } => {
            assert!(message.contains("Quota exceeded"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    let error =
        json!({"code": -32603, "message": "Internal error", "data": {"errorKind": "rate_limit"}});
    let turn = play(&in_a_turn(&[json!({"error": error}), json!({"end": true})]));
    assert!(matches!(turn.result.outcome, Outcome::ProviderLimit { resets_at: None, .. }));
}

#[test]
fn an_agent_that_is_not_signed_in_says_how_to() {
    let turn = play(&[
        json!({"expect": "initialize"}),
        json!({"answer": {"protocolVersion": 1}}),
        json!({"expect": "session/new"}),
        json!({"error": {"code": -32000, "message": "Authentication required"}}),
        json!({"end": true}),
    ]);
    let message = failed(&turn, "auth", Category::External);
    assert!(message.contains("GEMINI_API_KEY"), "{message}");
}

#[test]
fn any_other_error_is_the_surroundings() {
    let error =
        json!({"code": -32603, "message": "Internal error", "data": {"details": "disk full"}});
    let turn = play(&in_a_turn(&[json!({"error": error}), json!({"end": true})]));
    assert_eq!(failed(&turn, "other", Category::Infra), "Internal error: disk full");
}

#[test]
fn a_refusal_waits_for_a_person() {
    let turn =
        play(&in_a_turn(&[json!({"answer": {"stopReason": "refusal"}}), json!({"end": true})]));
    let Outcome::AgentFailed { category, .. } = &turn.result.outcome else { panic!() };
    assert_eq!(*category, Category::External);
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let turn = play_with(&[], |job| job.argv = vec!["/nowhere/agent".to_owned()]);
    let message = failed(&turn, "start", Category::External);
    assert!(message.contains("/nowhere/agent"), "{message}");
}

#[test]
fn an_agent_that_asks_and_never_reads_the_answers_is_given_up() {
    let ask = json!({"send": {"jsonrpc": "2.0", "id": 1, "method": "x".repeat(4000)}});
    let mut acts = vec![ask; 500];
    acts.push(json!({"linger": true}));
    let message = failed(&play(&acts), "protocol", Category::Infra);
    assert!(message.contains("unread"), "{message}");
}
