//! The conversation: one turn with an agent that has been started.

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::event::{Decision, Event, Failure, FailureKind};
use super::failure::{of_error, shortened};
use super::guard::Bounds;
use super::job::Job;
use super::lines::Line;
use super::permission::{self, ToolCalls};
use super::process::AgentProcess;
use super::wire::{self, Incoming, PROTOCOL_VERSION, RpcError, method};
use crate::clock::now;

/// How many lines that are not of the protocol are shown, and how many are borne.
const SHOWN_GARBAGE: usize = 20;
const MAX_GARBAGE: usize = 10_000;

/// How much text is gathered before it is printed.
const MAX_TEXT_BYTES: usize = 16 * 1024;

/// Why a turn did not come to its end.
pub(super) enum Broken {
    Turn(Failure),
    /// Nobody can be told any more.
    Output(io::Error),
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Self::Turn(failure)
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

pub(super) struct Client<'a> {
    job: &'a Job,
    agent: &'a mut AgentProcess,
    out: &'a mut dyn Write,
    may_write: Vec<PathBuf>,
    requests: u64,
    calls: ToolCalls,
    /// What the agent says in small pieces.
    text: String,
    garbage: usize,
    /// The history of a conversation that goes on is not news.
    replaying: bool,
}

impl<'a> Client<'a> {
    pub(super) fn new(job: &'a Job, agent: &'a mut AgentProcess, out: &'a mut dyn Write) -> Self {
        let mut may_write = job.may_write.clone();
        may_write.push(std::env::temp_dir());
        Self {
            job,
            agent,
            out,
            may_write,
            requests: 0,
            calls: ToolCalls::default(),
            text: String::new(),
            garbage: 0,
            replaying: false,
        }
    }

    /// The whole turn; returns why the agent says that it stopped.
    pub(super) fn turn(&mut self, prompt: &str) -> Result<String, Broken> {
        let agent = self.initialize()?;
        let session = self.session(&agent)?;
        let text = with_role(self.job, prompt);
        let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
        let result = self.call(method::PROMPT, &prompt)?;
        self.flush()?;
        if let Some(usage) = usage(&result) {
            self.tell(&usage)?;
        }
        match result["stopReason"].as_str() {
            Some(reason) => Ok(reason.to_owned()),
            None => Err(protocol("the agent's turn ended without a reason").into()),
        }
    }

    fn initialize(&mut self) -> Result<Value, Broken> {
        // No files and no terminals are offered: the agent has tools of its own for them, and those
        // are confined with it.
        let capabilities =
            json!({"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false});
        let hello = json!({
            "protocolVersion": PROTOCOL_VERSION,
            "clientCapabilities": capabilities,
            "clientInfo": {"name": "windlass", "version": env!("CARGO_PKG_VERSION")},
        });
        let agent = self.call(method::INITIALIZE, &hello)?;
        let version = &agent["protocolVersion"];
        if version.as_u64() == Some(PROTOCOL_VERSION) {
            return Ok(agent);
        }
        let message = format!(
            "the agent speaks version {version} of the Agent Client Protocol, windlass speaks \
             version {PROTOCOL_VERSION}: install a version of the agent that does, too"
        );
        Err(Failure::new(FailureKind::Version, message).into())
    }

    /// Opens a session, or goes on with one, and chooses the model.
    fn session(&mut self, agent: &Value) -> Result<String, Broken> {
        let about = json!({"cwd": self.job.place, "mcpServers": self.job.mcp});
        let can_load = agent["agentCapabilities"]["loadSession"] == true;
        let mut opened = None;
        if let Some(earlier) = self.job.resumes.clone().filter(|_| can_load) {
            let mut about = about.clone();
            about["sessionId"] = Value::from(earlier.as_str());
            self.replaying = true;
            let loaded = self.ask(method::LOAD_SESSION, &about)?;
            self.replaying = false;
            match loaded {
                Ok(session) => opened = Some((earlier, session, true)),
                Err(error) => {
                    let why = of_error(&error, now()).message;
                    let what = format!("session `{earlier}` cannot go on: {why}");
                    self.tell(&Event::Ignored { what: shortened(&what) })?;
                }
            }
        }
        let (id, session, resumed) = match opened {
            Some(opened) => opened,
            None => {
                let session = self.call(method::NEW_SESSION, &about)?;
                let id = session["sessionId"].as_str();
                let id = id.ok_or_else(|| protocol("the agent's session has no name"))?.to_owned();
                (id, session, false)
            }
        };
        let text = |key: &str| agent["agentInfo"][key].as_str().map(shortened);
        let (name, version) = (text("name"), text("version"));
        self.tell(&Event::Started { agent: name, version, session: id.clone(), resumed })?;
        self.choose_model(&id, &session)?;
        Ok(id)
    }

    /// Sets the model where the agent offers it as an option of the session.
    fn choose_model(&mut self, id: &str, session: &Value) -> Result<(), Broken> {
        if let (true, Some(model)) = (self.job.model_is_named, &self.job.model) {
            return Ok(self.tell(&Event::Model { model: model.clone() })?);
        }
        let options = session["configOptions"].as_array();
        let option =
            options.and_then(|all| all.iter().find(|option| option["category"] == "model"));
        let Some(option) = option else { return Ok(()) };
        let mut model = option["currentValue"].as_str().unwrap_or_default();
        if let Some(wanted) = self.job.model.as_deref().filter(|wanted| *wanted != model) {
            if offers(&option["options"], wanted) {
                let choice = json!({"sessionId": id, "configId": option["id"], "value": wanted});
                self.call(method::SET_OPTION, &choice)?;
                model = wanted;
            } else {
                let what = format!("the model `{wanted}` is not offered; `{model}` is used");
                self.tell(&Event::Ignored { what: shortened(&what) })?;
            }
        }
        Ok(self.tell(&Event::Model { model: shortened(model) })?)
    }

    /// Asks, and takes an error for the end of the turn.
    fn call(&mut self, method: &str, params: &Value) -> Result<Value, Broken> {
        self.ask(method, params)?.map_err(|error| of_error(&error, now()).into())
    }

    /// Asks, and answers what the agent asks meanwhile.
    fn ask(&mut self, method: &str, params: &Value) -> Result<Result<Value, RpcError>, Broken> {
        self.requests += 1;
        let expected = self.requests;
        self.agent.send(wire::request(expected, method, params))?;
        loop {
            match self.next(method)? {
                Incoming::Response { id, result } if id == expected => return Ok(result),
                Incoming::Response { id, .. } => {
                    let what = format!("an answer to {id}, which was not asked");
                    self.garbage(&what)?;
                }
                Incoming::Notification { method, params } => {
                    if method == method::UPDATE {
                        self.update(&params["update"])?;
                    }
                }
                Incoming::Request { id, method, params } => {
                    self.answer(&id, &method, &params)?;
                }
            }
        }
    }

    /// The next message; lines that are none are shown and passed over.
    fn next(&mut self, waiting_for: &str) -> Result<Incoming, Broken> {
        loop {
            match self.agent.read()? {
                Line::Whole(line) => match Incoming::parse(&line) {
                    Some(message) => return Ok(message),
                    None if line.trim_ascii().is_empty() => {}
                    None => {
                        let line = String::from_utf8_lossy(&line);
                        self.garbage(&format!("not a message: {line}"))?;
                    }
                },
                Line::TooLong { start, bytes } => {
                    let start = String::from_utf8_lossy(&start);
                    let what = format!("a line of {bytes} bytes: {start}");
                    if !start.contains(method::UPDATE) {
                        // It could be the answer that is waited for, or a question that waits.
                        return Err(protocol(&format!("the agent sent {what}")).into());
                    }
                    self.garbage(&what)?;
                }
                Line::End => {
                    let message = format!("the agent ended before it answered `{waiting_for}`");
                    return Err(Failure::new(FailureKind::Died, message).into());
                }
            }
        }
    }

    fn answer(&mut self, id: &Value, method: &str, params: &Value) -> Result<(), Broken> {
        if method != method::REQUEST_PERMISSION {
            self.agent.send(wire::method_not_found(id, method))?;
            let what = format!("the request `{method}`, which is not offered");
            return Ok(self.tell(&Event::Ignored { what: shortened(&what) })?);
        }
        let bounds = Bounds {
            place: &self.job.place,
            may_write: &self.may_write,
            publishing: &self.job.publishing,
        };
        let answer = permission::decide(&mut self.calls, params, &bounds);
        let permission::Answer { outcome, tool, decision, why } = answer;
        self.agent.send(wire::answer(id, &outcome))?;
        debug_assert_eq!(why.is_some(), decision == Decision::Denied);
        Ok(self.tell(&Event::Permission { tool, decision, why })?)
    }

    fn update(&mut self, update: &Value) -> io::Result<()> {
        if self.replaying {
            return Ok(());
        }
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                self.text.push_str(update["content"]["text"].as_str().unwrap_or_default());
                if self.text.len() > MAX_TEXT_BYTES { self.flush() } else { Ok(()) }
            }
            Some("tool_call" | "tool_call_update") => {
                let call = self.calls.update(update);
                let event = Event::Tool {
                    title: call.title.clone(),
                    kind: call.kind.clone(),
                    status: call.status.clone(),
                };
                // An agent sends a call's output piece by piece; only its steps are told.
                if update["status"].is_string() { self.tell(&event) } else { Ok(()) }
            }
            // Plans, modes, thoughts and whatever comes with later versions.
            Some(_) | None => Ok(()),
        }
    }

    fn garbage(&mut self, what: &str) -> Result<(), Broken> {
        self.garbage += 1;
        if self.garbage > MAX_GARBAGE {
            let message = "the agent's output is not the Agent Client Protocol: too many lines";
            return Err(protocol(message).into());
        }
        if self.garbage <= SHOWN_GARBAGE {
            self.tell(&Event::Ignored { what: shortened(what) })?;
        }
        Ok(())
    }

    /// Prints an event, and before it what was said.
    fn tell(&mut self, event: &Event) -> io::Result<()> {
        self.flush()?;
        event.print(self.out)
    }

    /// Prints what was said so far.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        Event::Text { text: std::mem::take(&mut self.text) }.print(self.out)
    }
}

fn protocol(message: &str) -> Failure {
    Failure::new(FailureKind::Protocol, shortened(message))
}

/// The protocol has no place for a role: it stands before the prompt, in a section of its own.
fn with_role(job: &Job, prompt: &str) -> String {
    match &job.role {
        Some(role) => {
            let (name, role) = (&job.agent, role.trim());
            format!("<role name=\"{name}\">\n{role}\n</role>\n\n{prompt}")
        }
        None => prompt.to_owned(),
    }
}

/// Whether a choice is among those offered, which may be in groups.
fn offers(options: &Value, wanted: &str) -> bool {
    options
        .as_array()
        .into_iter()
        .flatten()
        .any(|option| option["value"] == wanted || offers(&option["options"], wanted))
}

/// What the turn used: in the result itself, or where Gemini CLI has it.
fn usage(result: &Value) -> Option<Event> {
    let places =
        [&result["usage"], &result["_meta"]["quota"]["token_count"], &result["_meta"]["usage"]];
    places.into_iter().find(|place| place.is_object()).map(|place| {
        let number = |names: [&str; 2]| names.iter().find_map(|name| place[*name].as_u64());
        Event::Usage {
            input_tokens: number(["inputTokens", "input_tokens"]),
            output_tokens: number(["outputTokens", "output_tokens"]),
        }
    })
}
