//! What these tests have in common.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use windlass_testkit::cli::{RealCli, environment_for_claude, environment_for_codex};
use windlass_testkit::model::ModelServer;
use windlass_testkit::{Finished, TestEnv, test_env};

/// One step, proven by a file's content.
pub(super) const ONE_STEP: &str = r#"
workflow: one
defaults: {retries: 2}
steps:
  - id: build
    title: Building
    agent: developer
    task: Write `right` to answer.txt.
    done: {run: "grep -qx right answer.txt"}
"#;

/// As [`ONE_STEP`], and the first try is the last.
pub(super) fn only_one_try() -> String {
    ONE_STEP.replace("retries: 2", "retries: 1")
}

/// A real CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agent {
    Claude,
    Codex,
}

impl Agent {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    fn cli(self) -> Option<RealCli> {
        match self {
            Self::Claude => RealCli::claude(),
            Self::Codex => RealCli::codex(),
        }
    }

    /// The program; none where it is not installed, which is a counted skip.
    pub(super) fn program(self) -> Option<PathBuf> {
        self.cli().map(|cli| cli.program().to_owned())
    }

    /// The user's environment, with the CLI in it and its provider on loopback.
    pub(super) fn variables(self, env: &TestEnv, server: &ModelServer) -> Vec<(String, String)> {
        let mut variables = match self {
            Self::Claude => environment_for_claude(env, server),
            Self::Codex => environment_for_codex(env, server),
        };
        let program = self.program().unwrap_or_default().to_string_lossy().into_owned();
        variables.push((format!("WINDLASS_{}", self.name().to_uppercase()), program));
        variables
    }
}

/// A world with a CLI in it; none where it is not installed.
pub(super) struct World {
    pub(super) env: TestEnv,
    pub(super) agent: Agent,
    pub(super) server: ModelServer,
}

impl World {
    pub(super) fn new(agent: Agent, script: windlass_testkit::model::Script) -> Option<Self> {
        agent.program()?;
        Some(Self { env: test_env!(), agent, server: ModelServer::start(script) })
    }

    /// A `windlass` with the CLI's environment, not started yet.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.env.windlass_command(arguments);
        command.env_clear().envs(self.agent.variables(&self.env, &self.server));
        command
    }

    /// `windlass run` by this CLI, not started yet.
    pub(super) fn run_command(&self, workflow: &str, more: &[&str]) -> Command {
        let workflow = self.env.workflow(workflow);
        let mut command = self.command(&["run", "Do it", "--workflow", &workflow]);
        command.args(["--agent", self.agent.name()]).args(more);
        command
    }

    /// Runs a workflow to its end.
    pub(super) fn run(&self, workflow: &str, more: &[&str]) -> Finished {
        self.env.finish(self.run_command(workflow, more))
    }

    /// How the attempts ended, in order.
    pub(super) fn outcomes(&self) -> Vec<Value> {
        let journal = self.env.log_json();
        let ended = journal.of("attempt_ended");
        ended.into_iter().map(|payload| payload["report"]["outcome"].clone()).collect()
    }

    /// What the attempts used, in order.
    pub(super) fn usages(&self) -> Vec<Value> {
        let journal = self.env.log_json();
        let ended = journal.of("attempt_ended");
        ended.into_iter().map(|payload| payload["report"]["usage"].clone()).collect()
    }

    /// Fails if anything was tried outside, or is left.
    pub(super) fn assert_clean(&self) {
        assert_eq!(self.server.outside(), Vec::<String>::new());
        self.env.assert_audit();
        self.env.assert_no_orphans();
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.expect("a clock").as_secs()
}
