//! From an issue to a pull request: the shipped `feature`, played by the real Claude Code.

mod commanded;
mod ended;
pub(super) mod stack;
pub(super) mod team;

use std::process::Command;

use serde_json::Value;
use windlass_testkit::{Background, Finished, Gh, Remote, TestEnv, wait};

pub(super) use ended::role_text;

use crate::support::{Agent, World};
use team::{NO_TABLES, lane};

pub(super) const BRANCH: &str = "feature/issue-42-say-that-it-is-healthy";

/// A repository with a remote and an issue tracker, and a Claude Code that notes its environment.
struct Feature {
    world: World,
    gh: Gh,
    remote: Remote,
    variables: Vec<(String, String)>,
}

impl Feature {
    fn new(script: windlass_testkit::model::Script) -> Option<Self> {
        let world = World::new(Agent::Claude, script)?;
        stack::lay_out(&world.env);
        let (gh, remote) = tracker(&world.env);
        let mut variables = world.agent.variables(&world.env, &world.server);
        let noting = noting(&world);
        for (name, value) in &mut variables {
            match name.as_str() {
                "PATH" => *value = format!("{}:{value}", gh.bin().display()),
                "WINDLASS_CLAUDE" => value.clone_from(&noting),
                _ => {}
            }
        }
        let folder = gh.variables(&world.env).pop()?;
        variables.extend([folder, ("GH_TOKEN".to_owned(), stack::KEY.to_owned())]);
        Some(Self { world, gh, remote, variables })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.env.windlass_command(arguments);
        command.env_clear().envs(self.variables.iter().cloned());
        command
    }

    fn windlass(&self, arguments: &[&str]) -> Finished {
        self.world.env.finish(self.command(arguments))
    }

    fn start(&self, more: &[&str]) -> Background {
        let mut command = self.command(&["run", "--issue", "42", "--workflow", "feature"]);
        command.args(["--agent", "claude"]).args(more);
        self.world.env.start(command)
    }

    /// The gate that is open.
    fn gate(&self) -> Value {
        self.world.env.status_json()["gate"].clone()
    }

    /// Says yes to the gate of this step, and goes on to the next one.
    fn approve(&self, step: &str, next: i32) {
        let gate = self.gate();
        assert_eq!(gate["step"], step, "{gate:#}");
        self.windlass(&["approve"]).assert_code(0);
        self.windlass(&["resume"]).assert_code(next);
    }

    /// The environments that Claude Code was started with, one for each attempt.
    fn environments(&self) -> Vec<String> {
        let folder = self.world.env.root().join("tmp/environments");
        let files = fs_err::read_dir(folder).expect("environments").flatten();
        files.map(|file| fs_err::read_to_string(file.path()).expect("text")).collect()
    }
}

/// An issue tracker with the issue, and a remote.
pub(super) fn tracker(env: &TestEnv) -> (Gh, Remote) {
    let gh = Gh::new(env);
    gh.issue_with(42, "Say that it is healthy", "At /health, and on a page.", &["backend"]);
    (gh, Remote::bare(env))
}

/// A program that notes its environment and is Claude Code then.
fn noting(world: &World) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let seen = world.env.root().join("tmp/environments");
    fs_err::create_dir_all(&seen).expect("a folder");
    let program = world.agent.program().expect("a program");
    let script = format!(
        "#!/bin/sh\ntest \"$1\" = --version || env > \"$(mktemp -p '{}')\"\nexec '{}' \"$@\"\n",
        seen.display(),
        program.display()
    );
    let file = world.env.file("bin/claude", script);
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("a program");
    file.to_string_lossy().into_owned()
}

#[test]
fn an_issue_becomes_a_pull_request_with_people_at_four_gates() {
    let folder = tempfile::tempdir().expect("a folder");
    let together = folder.path().join("together");
    let Some(feature) = Feature::new(team::script(&together)) else { return };
    let mut run = feature.start(&[]);
    for spoke in ["plan/backend#1", "plan/frontend#1", "plan/quality#1"] {
        // None of them is answered before all of them have asked.
        feature.world.server.wait_for(spoke, |request| request.lane == Some(lane(spoke)));
    }
    fs_err::write(&together, "").expect("a file");
    run.wait(wait::DEADLINE).expect("the run comes to its gate").assert_code(3);

    let shown = feature.windlass(&["status"]);
    let skipped = format!("then `migrations` is skipped: {NO_TABLES}");
    assert!(shown.stdout.contains(&skipped), "{shown}");
    feature.approve("plan/hub", 3);
    assert_eq!(feature.world.env.step("migrations"), "skipped");
    feature.approve("security", 3);
    let route = feature.gate()["route"].clone();
    assert_eq!(route["verdict"], "CHANGES_REQUESTED", "{route:#}");
    assert_eq!(route["target"], "frontend", "the file decides, and the earliest step: {route:#}");
    let shown = feature.windlass(&["status"]);
    assert!(shown.stdout.contains("frontend/src/health.html"), "{shown}");
    feature.approve("review", 3);
    feature.approve("security", 3);
    assert!(feature.gate()["route"].is_null(), "{:#}", feature.gate());
    feature.approve("review", 3);
    assert_eq!(feature.remote.branch(BRANCH), None, "nobody has agreed to it yet");
    feature.approve("publish", 0);

    feature.attempts_were_what_they_should_be();
    feature.work_is_on_its_branch();
    feature.pull_request_says_what_was_done();
    feature.costs_are_told();
    feature.world.assert_clean();
}
