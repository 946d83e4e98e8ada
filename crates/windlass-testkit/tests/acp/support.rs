//! One turn with a scripted agent, and what the backend makes of it.
#![expect(clippy::unwrap_used, reason = "a test's support fails the test")]

use std::path::PathBuf;

use serde_json::{Value, json};
use windlass_core::proof::Outcome;
use windlass_engine::agent::{
    AcpBackend, AcpJob, AgentResult, Backend as _, Printed, converse_by_acp,
};

/// What a turn came to.
pub(super) struct Turn {
    pub(super) events: Vec<Value>,
    pub(super) result: AgentResult,
}

impl Turn {
    /// The events of one kind.
    pub(super) fn of(&self, kind: &str) -> Vec<&Value> {
        self.events.iter().filter(|event| event["event"] == kind).collect()
    }

    /// The only event of one kind.
    #[track_caller]
    pub(super) fn one(&self, kind: &str) -> &Value {
        let all = self.of(kind);
        assert_eq!(all.len(), 1, "events of the kind `{kind}`: {:#?}", self.events);
        all[0]
    }

    /// Fails unless the agent says that all went by its script.
    #[track_caller]
    pub(super) fn assert_ended(&self) -> &Self {
        assert_eq!(self.one("ended")["stop_reason"], "end_turn", "{:#?}", self.events);
        assert_eq!(self.result.outcome, Outcome::Exited { code: 0 });
        self
    }
}

/// The acts of an agent that has a session and was given the prompt.
pub(super) fn until_the_prompt() -> Vec<Value> {
    vec![
        json!({"expect": "initialize"}),
        json!({"has": r#""protocolVersion":1"#}),
        json!({"has": r#""readTextFile":false"#}),
        json!({"answer": {"protocolVersion": 1, "agentInfo": {"name": "fake", "version": "7"}}}),
        json!({"expect": "session/new"}),
        json!({"has": r#""mcpServers":[]"#}),
        json!({"answer": {"sessionId": "s1"}}),
        json!({"expect": "session/prompt"}),
    ]
}

/// The acts of an agent whose turn ends after some more.
pub(super) fn in_a_turn(acts: &[Value]) -> Vec<Value> {
    let mut all = until_the_prompt();
    all.extend_from_slice(acts);
    all
}

/// Plays a script, with a job that can be changed.
pub(super) fn play_with(acts: &[Value], change: impl FnOnce(&mut AcpJob)) -> Turn {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    fs_err::write(&script, Value::from(acts).to_string()).unwrap();
    let place = folder.path().join("place");
    fs_err::create_dir_all(&place).unwrap();
    let mut job = AcpJob {
        argv: vec![
            env!("CARGO_BIN_EXE_windlass-fake-acp").to_owned(),
            script.to_string_lossy().into_owned(),
        ],
        place,
        agent: "developer".to_owned(),
        ..AcpJob::default()
    };
    change(&mut job);
    let mut printed = Vec::new();
    let ended = converse_by_acp(&job, "Do it.", &mut printed).unwrap();
    let (output, errors) = (folder.path().join("output"), folder.path().join("errors"));
    fs_err::write(&output, &printed).unwrap();
    fs_err::write(&errors, "").unwrap();
    let backend = AcpBackend::known("gemini", PathBuf::from("windlass")).unwrap();
    let exit = Outcome::Exited { code: i32::from(!ended) };
    let result = backend.result(exit, Printed { output: &output, errors: &errors });
    let text = String::from_utf8(printed).unwrap();
    let events = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    Turn { events, result }
}

/// Plays a script.
pub(super) fn play(acts: &[Value]) -> Turn {
    play_with(acts, |_| ())
}
