//! Any text is answered, for every seat, and a push before it is seen.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use windlass_core::guard::{Found, Grounds, Seat, ToolCall, calls_windlass, look};

fuzz_target!(|text: &str| {
    let place = std::path::PathBuf::from("/srv/place");
    for seat in [Seat::Attempt, Seat::Orchestrator, Seat::Subagent] {
        let grounds = Grounds { seat, ..Grounds::of_attempt(place.clone(), Vec::new()) };
        let input = json!({ "command": text });
        let _ = look(&ToolCall { tool: "Bash", input: &input, folder: &place }, &grounds);
        let input = json!({ "command": format!("git push; {text}") });
        let found = look(&ToolCall { tool: "Bash", input: &input, folder: &place }, &grounds);
        assert!(found != Found::Nothing, "a push went unseen before {text:?}");
    }
    let _ = calls_windlass(text, &["context", "set"]);
});
