//! A session of the real Codex that hosts a run.

use std::cell::RefCell;
use std::process::Command;

use serde_json::{Value, json};
use windlass_testkit::cli::{RealCli, environment_for_codex};
use windlass_testkit::model::{Lane, ModelServer, Part, Script, say};
use windlass_testkit::{Finished, TestEnv, test_env};

use super::super::support::{rests, shortened};

/// The namespace of Codex's tools for subagents.
pub(super) const AGENTS: &str = "multi_agent_v1";

/// Codex in a world of its own.
pub(super) struct Session {
    pub(super) env: TestEnv,
    codex: RealCli,
    pub(super) server: ModelServer,
    variables: Vec<(String, String)>,
    shown: RefCell<String>,
    /// What Codex lets its shell do.
    pub(super) sandbox: &'static str,
}

impl Session {
    /// A session with hooks and a workflow `two`; none where Codex is not installed.
    pub(super) fn of(script: Script, workflow: &str) -> Option<Self> {
        let codex = RealCli::codex()?;
        let (env, server) = (test_env!(), ModelServer::start(script));
        // Once: Codex notes in its configuration which projects are trusted.
        let mut variables = environment_for_codex(&env, &server);
        let bin = env.exe().parent().expect("its folder").display().to_string();
        // Its shells are login shells, which begin with the system's own path.
        env.file(".profile", format!("PATH={bin}:$PATH\n"));
        for (name, value) in &mut variables {
            if name == "PATH" {
                *value = format!("{bin}:{value}");
            }
        }
        let session = Self {
            env,
            codex,
            server,
            variables,
            shown: RefCell::default(),
            sandbox: "danger-full-access",
        };
        session.env.repository.write(".windlass/workflows/two.yaml", workflow);
        session.windlass(&["plugin", "install", "--host", "codex", "--project"]).assert_code(0);
        session.env.repository.commit("a workflow and hooks");
        Some(session)
    }

    pub(super) fn windlass(&self, arguments: &[&str]) -> Finished {
        let mut command = self.env.windlass_command(arguments);
        command.env_clear().envs(self.variables.iter().cloned());
        self.env.finish(command)
    }

    /// A session's process, not started yet.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.codex.command(&self.env, &self.variables);
        command.args(["exec", "--dangerously-bypass-hook-trust", "-s", self.sandbox]);
        command.args(arguments);
        command
    }

    /// Begins the session with a prompt, and waits for its end.
    pub(super) fn begins(&self, prompt: &str) {
        self.told(self.command(&[prompt]));
    }

    /// Goes on with the session by another prompt, in another process. Not by `--last`: where the session
    /// was killed, that may be its subagent.
    pub(super) fn says(&self, prompt: &str) {
        let hooks = self.hooks();
        let id = hooks.first().and_then(|line| line["session"].as_str()).expect("a session");
        self.told(self.command(&["resume", id, prompt]));
    }

    /// Runs a session's process to its end.
    pub(super) fn told(&self, command: Command) {
        let finished = self.env.finish(command);
        finished.assert_code(0);
        self.shown.borrow_mut().push_str(&finished.stderr);
    }

    /// What Codex showed of its hooks, as `EVENT OUTCOME`.
    pub(super) fn outcomes(&self) -> Vec<String> {
        let shown = self.shown.borrow();
        let said = shown.lines().filter_map(|line| line.strip_prefix("hook: "));
        said.filter(|said| said.contains(' ')).map(str::to_owned).collect()
    }

    /// The lines of the hook log.
    pub(super) fn hooks(&self) -> Vec<Value> {
        let text = fs_err::read_to_string(self.env.repository_state().join("hooks.jsonl"));
        // There is none before the first call.
        let text = text.unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
    }

    #[track_caller]
    pub(super) fn assert_status(&self, status: &str) {
        let found = self.env.status();
        assert!(found == status, "the run is `{found}`, not `{status}`\n{}", self.story());
    }

    /// What the model was asked and what the hooks answered, for a test that fails.
    pub(super) fn story(&self) -> String {
        use std::fmt::Write as _;
        let mut text = String::new();
        for request in self.server.requests() {
            let (lane, turn) = (request.lane.as_deref().unwrap_or("-"), request.turn);
            let said = shortened(request.last_said());
            let results: Vec<_> = request.last_results().iter().map(shortened).collect();
            let _ = writeln!(text, "\n--- {lane}, {turn}: {said}\n    {}", results.join("\n    "));
        }
        for line in self.hooks() {
            let field = |name: &str| shortened(line[name].as_str().unwrap_or("-"));
            let [event, tool, decision, reason] =
                ["event", "tool", "decision", "reason"].map(field);
            let agent = if line["agent"].is_null() { "" } else { " (subagent)" };
            let _ = writeln!(text, "{event} {tool}{agent}: {decision} {reason}");
        }
        text
    }

    /// Fails if anything was tried outside, is left, was not journalled properly, or was an answer that
    /// Codex did not understand.
    pub(super) fn assert_clean(&self) {
        let failed: Vec<_> =
            self.outcomes().into_iter().filter(|each| each.ends_with(" Failed")).collect();
        assert_eq!(failed, Vec::<String>::new(), "{}", self.shown.borrow());
        assert_eq!(self.server.outside(), Vec::<String>::new());
        self.env.assert_audit();
        self.env.assert_no_orphans();
    }
}

/// A model that does as it is told: these are its subagents.
pub(super) fn obeying(
    subagents: impl IntoIterator<Item = Lane>,
    first: impl IntoIterator<Item = Lane>,
) -> Script {
    let mut script = Script::new();
    for lane in subagents.into_iter().chain(first) {
        script = script.lane(lane);
    }
    // A subagent that no lane is for departs from the script.
    let unforeseen = Lane::when_first_user_has("This is attempt `");
    script
        .lane(unforeseen)
        .lane(starts())
        .lane(waits())
        .lane(closes())
        .lane(waits_on())
        .lane(rests())
}

/// The session's model starts what it was told to.
pub(super) fn starts() -> Lane {
    let call = json!({"message": "<<words>>"});
    Lane::when(Part::Last, r"(?m)^message: (?<words>windlass attempt [^\n]+)$")
        .named("starts")
        .then_always(say("As I was told.").tool_of(AGENTS, "spawn_agent", call))
}

/// It waits for what it has started.
pub(super) fn waits() -> Lane {
    let call = json!({"targets": ["<<agent>>"], "timeout_ms": 60_000});
    Lane::when(Part::LastResults, r#""agent_id":"(?<agent>[^"]+)""#)
        .named("waits")
        .then_always(say("I wait.").tool_of(AGENTS, "wait_agent", call))
}

/// It closes what has ended.
pub(super) fn closes() -> Lane {
    let call = json!({"target": "<<agent>>"});
    Lane::when(Part::LastResults, r#""status":\{"(?<agent>[^"]+)":\{"(?:completed|errored)""#)
        .named("closes")
        .then_always(say("I close it.").tool_of(AGENTS, "close_agent", call))
}

/// It stopped, and waits when it is told that an agent is still at work.
fn waits_on() -> Lane {
    let call = json!({"targets": ["<<agent>>"], "timeout_ms": 60_000});
    Lane::when(Part::Last, r"an agent is still at work \(`(?<agent>[^`]+)`")
        .named("waits on")
        .then_always(say("I wait.").tool_of(AGENTS, "wait_agent", call))
}
