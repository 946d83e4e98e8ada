//! A run whose step is played by a real CLI.
#![expect(clippy::unwrap_used, reason = "a test's support fails the test")]
#![expect(clippy::print_stdout, reason = "what these CLIs do is written down, not only judged")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use windlass_testkit::cli::{
    RealCli, environment_for_gemini, environment_for_opencode, environment_for_qwen,
};
use windlass_testkit::model::{Lane, ModelServer, Part, Script, say};
use windlass_testkit::{Finished, TestEnv, test_env};

/// An agent under test.
#[derive(Clone, Copy)]
pub(super) struct Agent {
    pub(super) name: &'static str,
    model: &'static str,
    find: fn() -> Option<RealCli>,
    variables: fn(&TestEnv, &ModelServer) -> Vec<(String, String)>,
}

pub(super) const GEMINI: Agent = Agent {
    name: "gemini",
    model: "gemini-2.5-pro",
    find: RealCli::gemini,
    variables: environment_for_gemini,
};

pub(super) const OPENCODE: Agent = Agent {
    name: "opencode",
    model: "mock/mock-model",
    find: RealCli::opencode,
    variables: environment_for_opencode,
};

pub(super) const QWEN: Agent = Agent {
    name: "qwen",
    model: "mock-model",
    find: RealCli::qwen,
    variables: environment_for_qwen,
};

/// A run that has ended or waits.
pub(super) struct Played {
    pub(super) env: TestEnv,
    pub(super) server: ModelServer,
    pub(super) finished: Finished,
}

impl Agent {
    /// Plays one step by this agent. The lane answers its prompt.
    pub(super) fn plays(self, lane: Lane, more: &[&str]) -> Option<Played> {
        let cli = (self.find)()?;
        let env = test_env!();
        // opencode asks for a title beside it.
        let title = Lane::when(Part::Tools, "^$").turn(say("A title"));
        // Qwen Code asks what is worth remembering, and what the user may want next.
        let memory = Lane::when_last_user_has("Managed memory has").then_always(say("Nothing."));
        let next = Lane::when_last_user_has("[SUGGESTION MODE").then_always(say("Nothing."));
        let script = Script::new().lane(title).lane(memory).lane(next).lane(lane);
        let script = script.outside_may_be_tried();
        let server = ModelServer::start(script);
        let bin = env.home().join("bin");
        let program = bin.join(self.name);
        fs_err::os::unix::fs::symlink(cli.program(), &program).unwrap();
        let mut command = self.command(&env, more);
        command.env_clear().envs((self.variables)(&env, &server));
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", bin.display()));
        let finished = env.finish(command);
        for tried in server.outside() {
            println!("a way out was tried: {tried}");
        }
        Some(Played { env, server, finished })
    }

    fn command(self, env: &TestEnv, more: &[&str]) -> Command {
        let (name, model) = (self.name, self.model);
        let workflow = env.workflow(&format!(
            r#"
workflow: one
defaults: {{retries: 1}}
steps:
  - id: build
    title: Building
    agent: developer
    backend: {name}
    model: {model}
    timeout: 60s
    task: "MAIN-TASK: write the answer."
    done: {{run: "grep -qx right notes/answer.txt"}}
    commit: wip
"#
        ));
        let mut command = env.windlass_command(&["run", "Do it", "--workflow", &workflow]);
        command.args(["--agent-command", "false"]).args(more);
        command
    }
}

impl Played {
    /// Prints what the first attempt came to, for whoever writes it down.
    pub(super) fn print(&self) {
        println!("{}\n{}", self.finished, self.report());
        for event in self.events() {
            println!("{event}");
        }
    }

    /// The reports of the attempts.
    pub(super) fn reports(&self) -> Vec<Value> {
        let log = self.env.log_json();
        let inputs = log.lines.iter().filter(|line| line["kind"] == "input");
        let reports = inputs.filter_map(|line| find(line, "report"));
        reports.filter(|report| !report["outcome"].is_null()).cloned().collect()
    }

    /// The report of the first attempt.
    pub(super) fn report(&self) -> Value {
        let first = self.reports().into_iter().next();
        first.unwrap_or_else(|| panic!("no attempt ended: {}", self.finished))
    }

    /// What the client printed in the first attempt.
    pub(super) fn events(&self) -> Vec<Value> {
        self.events_of(&self.report())
    }

    /// What the client printed in the attempt of this report.
    pub(super) fn events_of(&self, report: &Value) -> Vec<Value> {
        let hash = report["output"]["hash"].as_str().unwrap().to_owned();
        let found = file_with(&self.env.repository_state(), &hash).expect("the attempt's output");
        let text = fs_err::read_to_string(found).unwrap();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The decisions about what the agent asked.
    pub(super) fn decisions(&self) -> Vec<String> {
        let events = self.events();
        let asked = events.iter().filter(|event| event["event"] == "permission");
        asked.filter_map(|event| event["decision"].as_str().map(str::to_owned)).collect()
    }
}

/// The file below a folder whose name ends as the hash does.
fn file_with(folder: &Path, hash: &str) -> Option<PathBuf> {
    fs_err::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).find_map(|path| {
        if path.is_dir() {
            return file_with(&path, hash);
        }
        let name = path.file_name()?.to_str()?;
        (name.len() > 32 && hash.ends_with(name)).then_some(path)
    })
}

/// The first value of this key, however deep.
fn find<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => {
            map.get(key).or_else(|| map.values().find_map(|value| find(value, key)))
        }
        Value::Array(list) => list.iter().find_map(|value| find(value, key)),
        _ => None,
    }
}
