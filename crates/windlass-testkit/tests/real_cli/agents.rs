//! How the tests start each CLI.

use std::process::Command;

use serde_json::Value;
use windlass_testkit::cli::{RealCli, environment_for_claude, environment_for_codex};
use windlass_testkit::model::ModelServer;
use windlass_testkit::{Finished, Layout, TestEnv};

/// A CLI of the main set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agent {
    Claude,
    Codex,
}

impl Agent {
    fn find(self) -> Option<RealCli> {
        match self {
            Self::Claude => RealCli::claude(),
            Self::Codex => RealCli::codex(),
        }
    }

    /// Runs a prompt to its end, within the usual deadline; none when the CLI is not installed.
    pub(crate) fn run(self, env: &TestEnv, server: &ModelServer, prompt: &str) -> Option<Finished> {
        Some(env.finish(self.command(env, server, prompt)?))
    }

    /// A run that is not started yet.
    pub(crate) fn command(
        self,
        env: &TestEnv,
        server: &ModelServer,
        prompt: &str,
    ) -> Option<Command> {
        let cli = self.find()?;
        Some(match self {
            Self::Claude => {
                let mut command = cli.command(env, &environment_for_claude(env, server));
                command.args(["-p", prompt, "--output-format", "stream-json", "--verbose"]);
                command.args(["--permission-mode", "acceptEdits", "--allowedTools", "Bash"]);
                command
            }
            Self::Codex => {
                let mut command = cli.command(env, &environment_for_codex(env, server));
                command.args(["exec", "--json", "-s", "danger-full-access", prompt]);
                command
            }
        })
    }

    /// The conversation that its output names.
    pub(crate) fn conversation(self, stdout: &str) -> String {
        let key = match self {
            Self::Claude => "session_id",
            Self::Codex => "thread_id",
        };
        let first = stdout.lines().next().unwrap_or_default();
        let first: Value = serde_json::from_str(first).unwrap();
        first[key].as_str().unwrap().to_owned()
    }

    /// A conversation that goes on, not started yet.
    pub(crate) fn resume(
        self,
        env: &TestEnv,
        server: &ModelServer,
        conversation: &str,
        prompt: &str,
    ) -> Command {
        match self {
            Self::Claude => {
                let mut command = self.command(env, server, prompt).unwrap();
                command.args(["--resume", conversation]);
                command
            }
            Self::Codex => {
                let cli = self.find().unwrap();
                let mut command = cli.command(env, &environment_for_codex(env, server));
                command.args(["exec", "--json", "-s", "danger-full-access"]);
                command.args(["resume", conversation, prompt]);
                command
            }
        }
    }

    /// What it said at its end.
    pub(crate) fn last_words(self, finished: &Finished) -> String {
        let events = finished.stdout.lines().filter_map(|line| serde_json::from_str(line).ok());
        let said = |event: Value| match self {
            Self::Claude if event["type"] == "result" => {
                event["result"].as_str().map(str::to_owned)
            }
            Self::Codex if event["item"]["type"] == "agent_message" => {
                event["item"]["text"].as_str().map(str::to_owned)
            }
            _ => None,
        };
        events.rev().find_map(said).unwrap_or_else(|| panic!("no last words: {finished}"))
    }
}

/// A world for one test. The program under test is the CLI, so there is no `windlass`.
pub(crate) fn world() -> TestEnv {
    TestEnv::new("no-windlass-here", env!("CARGO_TARGET_TMPDIR"), Layout::Home)
}
