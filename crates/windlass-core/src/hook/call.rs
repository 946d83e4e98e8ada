//! What a hook call says.

use std::path::PathBuf;

use serde_json::Value;

use super::HookEvent;

/// Why a call cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum BadCall {
    /// It is no JSON object.
    #[error("the hook's input is not a JSON object")]
    NotAnObject,
    /// It is about another event.
    #[error("the hook's input is about another event")]
    OtherEvent,
    /// A field that every call has is missing or of another type.
    #[error("the hook's input has no `{field}`")]
    Missing {
        /// The field.
        field: &'static str,
    },
}

/// A call of a hook, as far as all events agree.
#[derive(Clone, Debug)]
pub struct HookCall {
    /// The session.
    pub session: String,
    /// The subagent that the call is about; none for the session's main thread. Nothing else tells
    /// the two apart.
    pub agent: Option<String>,
    /// The kind of that agent, as the host names it.
    pub agent_type: Option<String>,
    /// The folder that the agent is in; it follows the agent's `cd`.
    pub folder: PathBuf,
    /// Everything else that the host says.
    pub body: Value,
}

impl HookCall {
    /// Reads a call for an event.
    ///
    /// # Errors
    /// It is not what a host sends, or is about another event: hosts start other programs in the same
    /// way as hooks, and what those are told must not be taken for a call.
    pub fn read(bytes: &[u8], event: HookEvent) -> Result<Self, BadCall> {
        let body: Value = serde_json::from_slice(bytes).map_err(|_| BadCall::NotAnObject)?;
        if !body.is_object() {
            return Err(BadCall::NotAnObject);
        }
        let text = |field: &str| body.get(field).and_then(Value::as_str).map(str::to_owned);
        if text("hook_event_name").as_deref() != Some(event.name()) {
            return Err(BadCall::OtherEvent);
        }
        let session = text("session_id").ok_or(BadCall::Missing { field: "session_id" })?;
        let agent = match body.get("agent_id") {
            None | Some(Value::Null) => None,
            Some(Value::String(agent)) => Some(agent.clone()),
            Some(_) => return Err(BadCall::Missing { field: "agent_id" }),
        };
        Ok(Self {
            session,
            agent,
            agent_type: text("agent_type"),
            folder: text("cwd").unwrap_or_default().into(),
            body,
        })
    }

    /// Returns a field that is text.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.body.get(field).and_then(Value::as_str)
    }

    /// Returns the subagents that the host says are still running in the background.
    pub fn background_agents(&self) -> Vec<&str> {
        let tasks = self.body.get("background_tasks").and_then(Value::as_array);
        let running = tasks.into_iter().flatten().filter(|task| {
            let text = |field: &str| task.get(field).and_then(Value::as_str);
            text("type") == Some("subagent") && text("status") == Some("running")
        });
        running.filter_map(|task| task.get("id").and_then(Value::as_str)).collect()
    }

    /// Returns whether the session has prompts that it sends itself at some time.
    pub fn has_scheduled_prompts(&self) -> bool {
        let crons = self.body.get("session_crons").and_then(Value::as_array);
        crons.is_some_and(|crons| !crons.is_empty())
    }
}

/// Returns the agents that Codex's tool for waiting says are at work no more. Its answer is JSON, or a
/// text that is JSON.
pub fn ended_agents(response: &Value) -> Vec<String> {
    let read = response.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let status = read.as_ref().unwrap_or(response).get("status").and_then(Value::as_object);
    let works = |status: &Value| matches!(status.as_str(), Some("pending_init" | "running"));
    let ended = status.into_iter().flatten().filter(|(_, status)| !works(status));
    ended.map(|(agent, _)| agent.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<HookCall, BadCall> {
        HookCall::read(bytes, HookEvent::Stop)
    }

    #[test]
    fn only_the_presence_of_an_agent_id_makes_a_subagent() {
        let main = br#"{"hook_event_name":"Stop","session_id":"s","cwd":"/p","agent_type":"lead"}"#;
        assert_eq!(read(main).unwrap().agent, None);
        let sub = br#"{"hook_event_name":"Stop","session_id":"s","cwd":"/p","agent_id":"a1","agent_type":""}"#;
        assert_eq!(read(sub).unwrap().agent.as_deref(), Some("a1"));
    }

    #[test]
    fn garbage_is_an_error() {
        for bytes in
            [&b"[]"[..], b"", b"{", b"{}", br#"{"hook_event_name":"Stop","session_id":1}"#, b"\xff"]
        {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
        let odd = br#"{"hook_event_name":"Stop","session_id":"s","agent_id":7}"#;
        assert!(read(odd).is_err(), "an agent id of another type is not the main thread");
    }

    #[test]
    fn an_agent_that_broke_off_has_ended_and_one_that_runs_has_not() {
        let status = serde_json::json!({"status": {"a": {"completed": "Done."}, "b": "running",
            "c": {"errored": "no model"}, "d": "not_found", "e": "pending_init"}, "timed_out": false});
        assert_eq!(ended_agents(&status), ["a", "c", "d"]);
        assert_eq!(ended_agents(&status.to_string().into()), ["a", "c", "d"]);
        assert_eq!(ended_agents(&"no status".into()), Vec::<String>::new());
    }

    #[test]
    fn only_running_subagents_count_as_background_work() {
        let call = read(
            br#"{"hook_event_name":"Stop","session_id":"s","background_tasks":[
                {"id":"a","type":"subagent","status":"running"},
                {"id":"b","type":"subagent","status":"completed"},
                {"id":"c","type":"shell","status":"running"}]}"#,
        );
        assert_eq!(call.unwrap().background_agents(), ["a"]);
    }
}
