//! A session that hosts a run, played by the test: it calls hooks as the real programs do.
//!
//! The test's own process is the host: it makes the pair of sockets, starts the hook, and gives it one
//! end as standard input.

use std::cell::Cell;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::TestEnv;

/// A session of a host.
#[derive(Debug)]
pub struct Host<'e> {
    env: &'e TestEnv,
    session: String,
    calls: Cell<u32>,
    variables: Vec<(String, String)>,
}

/// What a hook answered.
#[derive(Clone, Debug)]
pub struct HookAnswer {
    /// What it printed, if anything.
    pub json: Option<Value>,
    /// What it said on standard error.
    pub stderr: String,
}

impl<'e> Host<'e> {
    /// Begins a session: its hooks are heard of.
    pub fn start(env: &'e TestEnv, session: &str) -> Self {
        let host = Self::silent(env, session);
        host.call("session-start", json!({"source": "startup"}));
        host
    }

    /// A session that has not called any hook yet.
    pub fn silent(env: &'e TestEnv, session: &str) -> Self {
        let variables = vec![("CLAUDE_CODE_SESSION_ATTENDED".to_owned(), "0".to_owned())];
        Self { env, session: session.to_owned(), calls: Cell::new(0), variables }
    }

    /// Gives the hooks a variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The hook's command, before its input is connected.
    pub fn command(&self, event: &str) -> Command {
        let mut command = self.env.windlass_command(&["hook", "claude", event]);
        command.env("CLAUDE_PROJECT_DIR", self.env.repository.root());
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", &self.session);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The input of a call.
    pub fn input(&self, event: &str, body: Value) -> Value {
        let mut input = json!({
            "session_id": self.session,
            "transcript_path": "/nowhere.jsonl",
            "cwd": self.env.repository.root(),
            "hook_event_name": name_of(event),
        });
        if let (Some(input), Some(body)) = (input.as_object_mut(), body.as_object()) {
            input.extend(body.clone());
        }
        input
    }

    /// Calls a hook.
    pub fn call(&self, event: &str, body: Value) -> HookAnswer {
        let input = self.input(event, body).to_string();
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        let mut command = self.command(event);
        command.stdin(Stdio::from(OwnedFd::from(theirs)));
        finish(command, ours, &input)
    }

    /// Calls a hook that may be killed on its way; none when it was.
    pub fn call_with_fault(&self, event: &str, body: Value, fault: &str) -> Option<HookAnswer> {
        let input = self.input(event, body).to_string();
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        let mut command = self.command(event);
        command.env("WINDLASS_FAULT", fault).stdin(Stdio::from(OwnedFd::from(theirs)));
        let output = output_of(command, ours, &input);
        output.status.code().is_some().then(|| answered(output))
    }

    /// Calls a hook as a shell would: standard input is a pipe.
    pub fn call_from_shell(&self, event: &str, body: Value) -> HookAnswer {
        let input = self.input(event, body).to_string();
        let mut command = self.command(event);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a hook");
        child.stdin.take().expect("its input").write_all(input.as_bytes()).expect("its input");
        answered(child.wait_with_output().expect("its end"))
    }

    /// A person says something.
    pub fn says(&self, prompt: &str) -> HookAnswer {
        self.call("user-prompt-submit", json!({"prompt": prompt}))
    }

    /// The session wants to stop.
    pub fn stops(&self) -> HookAnswer {
        self.call("stop", json!({"stop_hook_active": false, "background_tasks": []}))
    }

    /// The main thread is about to call a tool.
    pub fn tool(&self, tool: &str, input: Value) -> HookAnswer {
        self.tool_of(None, tool, input)
    }

    /// The main thread or a subagent is about to call a tool.
    pub fn tool_of(&self, agent: Option<&str>, tool: &str, input: Value) -> HookAnswer {
        self.calls.set(self.calls.get() + 1);
        let id = format!("toolu_{}", self.calls.get());
        let mut body = json!({"tool_name": tool, "tool_input": input, "tool_use_id": id});
        if let Some(agent) = agent {
            body["agent_id"] = json!(agent);
            body["agent_type"] = json!("windlass:any");
        }
        self.call("pre-tool-use", body)
    }

    /// Starts the agent that an instruction asks for, by the instruction's words; returns the hook's
    /// answer.
    pub fn starts(&self, instruction: &str, agent: &str) -> HookAnswer {
        let field = |name: &str| {
            let line = instruction.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("no `{name}` in {instruction}")).trim().to_owned()
        };
        let kind = field("subagent_type:");
        let input = json!({
            "subagent_type": kind,
            "description": field("description:"),
            "prompt": field("prompt:"),
        });
        let answer = self.tool("Agent", input);
        if answer.allows() {
            self.call("subagent-start", json!({"agent_id": agent, "agent_type": kind}));
        }
        answer
    }

    /// A subagent wants to stop.
    pub fn agent_stops(&self, agent: &str) -> HookAnswer {
        let body =
            json!({"agent_id": agent, "agent_type": "windlass:any", "stop_hook_active": false});
        self.call("subagent-stop", body)
    }
}

impl HookAnswer {
    fn specific(&self, key: &str) -> Option<&Value> {
        self.json.as_ref()?.get("hookSpecificOutput")?.get(key)
    }

    /// Why a tool is not called.
    pub fn denial(&self) -> Option<&str> {
        (self.specific("permissionDecision")? == "deny").then_some(())?;
        self.specific("permissionDecisionReason")?.as_str()
    }

    /// Whether a tool is called without anybody being asked.
    pub fn allows(&self) -> bool {
        self.specific("permissionDecision").is_some_and(|decision| decision == "allow")
    }

    /// The input that a tool is called with instead.
    pub fn updated_input(&self) -> Option<&Value> {
        self.specific("updatedInput")
    }

    /// What the session or subagent does instead of stopping.
    pub fn sent_on(&self) -> Option<&str> {
        let json = self.json.as_ref()?;
        (json.get("decision")? == "block").then_some(())?;
        json.get("reason")?.as_str()
    }

    /// What the model is told besides.
    pub fn context(&self) -> Option<&str> {
        self.specific("additionalContext")?.as_str()
    }

    /// What the person is told.
    pub fn message(&self) -> Option<&str> {
        self.json.as_ref()?.get("systemMessage")?.as_str()
    }
}

/// The host's name of an event: `pre-tool-use` is `PreToolUse`.
fn name_of(event: &str) -> String {
    let words = event.split('-').map(|word| word[..1].to_uppercase() + &word[1..]);
    words.collect()
}

fn finish(command: Command, ours: UnixStream, input: &str) -> HookAnswer {
    answered(output_of(command, ours, input))
}

fn output_of(mut command: Command, mut ours: UnixStream, input: &str) -> std::process::Output {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("a hook");
    // The command holds the other end until it is dropped.
    drop(command);
    let _ = ours.write_all(input.as_bytes());
    let _ = ours.shutdown(std::net::Shutdown::Write);
    child.wait_with_output().expect("its end")
}

fn answered(output: std::process::Output) -> HookAnswer {
    let mut text = String::new();
    output.stdout.as_slice().read_to_string(&mut text).expect("text");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "a hook never fails: {text} {stderr}");
    let json = (!text.trim().is_empty()).then(|| serde_json::from_str(&text).expect("JSON"));
    HookAnswer { json, stderr }
}
