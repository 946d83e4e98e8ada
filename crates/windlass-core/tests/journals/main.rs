//! Journals of released formats stay readable, and what was decided then is decided the same today.
//!
//! A fixture is what `windlass log --json` printed, one record per line. Fixtures are kept for ever:
//! a change that breaks one needs a new version of the decider or of the format, never a new fixture.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "fixtures and sources are files")]

mod shape;

use std::path::PathBuf;

use serde_json::{Value, json};
use windlass_core::run::{
    DECIDER_VERSION, Event, Input, InputKind, RunState, RunStatus, decide, start,
};
use windlass_core::time::Timestamp;
use windlass_core::view::{document, status_view};

/// One decision of a journal.
struct Decision {
    decider: u64,
    input: Input,
    events: Vec<Event>,
}

fn fixtures() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/journals");
    let of_versions = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let entries = of_versions
        .filter(|path| path.is_dir())
        .flat_map(|version| version.read_dir().unwrap().map(|entry| entry.unwrap().path()));
    entries.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect()
}

fn decisions(text: &str) -> Vec<Decision> {
    let mut decisions: Vec<Decision> = Vec::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let kind = record["kind"].as_str().unwrap();
        let payload = &record["payload"];
        if kind == "input" {
            let at: jiff::Timestamp = record["time"].as_str().unwrap().parse().unwrap();
            decisions.push(Decision {
                decider: payload["decider"].as_u64().unwrap(),
                input: Input {
                    at: Timestamp(at.as_millisecond()),
                    actor: serde_json::from_value(record["actor"].clone()).unwrap(),
                    kind: serde_json::from_value::<InputKind>(payload["input"].clone()).unwrap(),
                },
                events: Vec::new(),
            });
        } else {
            let event = if payload.is_null() { json!(kind) } else { json!({kind: payload}) };
            decisions.last_mut().unwrap().events.push(serde_json::from_value(event).unwrap());
        }
    }
    decisions
}

#[test]
fn every_kept_journal_still_gives_the_same_run() {
    let fixtures = fixtures();
    assert!(!fixtures.is_empty());
    for path in fixtures {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut state: Option<RunState> = None;
        for decision in decisions(&text) {
            let Decision { decider, input, events } = decision;
            if decider == u64::from(DECIDER_VERSION) {
                let again = match &state {
                    None => start(&input).unwrap().1,
                    Some(state) => decide(state, &input).unwrap(),
                };
                assert_eq!(again, events, "{}", path.display());
            }
            for event in &events {
                match &mut state {
                    None => state = Some(RunState::begin(input.at, event).unwrap()),
                    Some(state) => state.apply(input.at, event).unwrap(),
                }
            }
        }
        let state = state.unwrap();
        assert_eq!(state.status(), RunStatus::Completed, "{}", path.display());
        // And people can look at it: everything that they see is made from these.
        let view = status_view(&state);
        assert_eq!(view.steps.len(), state.plan.steps.len(), "{}", path.display());
        assert!(view.steps.iter().all(|step| !step.title.is_empty()));
        assert_eq!(document(&state)["status"], "completed");
    }
}
