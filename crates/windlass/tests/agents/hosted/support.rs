//! A session of the real Claude Code that hosts a run.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use windlass_testkit::cli::{RealCli, environment_for_claude};
use windlass_testkit::model::{Lane, ModelServer, Part, Script, Turn, say};
use windlass_testkit::{Finished, TestEnv, test_env};

/// Two steps with a gate between them: a paper, then code.
pub(super) const TWO_STEPS: &str = r#"
workflow: two
protect: ["judge.txt"]
defaults: {retries: 2}
steps:
  - id: plan
    agent: planner
    task: Write the plan.
    done: {file: "{specs}/plan.md"}
    gate: approval
  - id: code
    agent: coder
    task: Write the code.
    may_write: ["src/**"]
    publishes: {code.lines: integer}
    done: {all: [{file: src/code.txt}, {state: .context.code.lines == 3}]}
"#;

/// The prompt that starts a run of it.
pub(super) const PROMPT: &str = "/windlass:run --workflow two 'Write something'";

/// What the session's model is told to call, once.
const ONE: &str = r"subagent_type: (?<kind>\S+)\ndescription: (?<name>.+)\nprompt: (?<words>.+)";

/// The tools that need nobody's permission: what is refused is refused by windlass.
const TOOLS: &str = "Bash,Read,Write,Edit,Grep,Glob,Agent,Skill,NotebookEdit,WebFetch,SendMessage";

/// One version of Claude Code in a world of its own.
pub(super) struct Session {
    pub(super) env: TestEnv,
    pub(super) claude: RealCli,
    pub(super) server: ModelServer,
    pub(super) more: Vec<(String, String)>,
    pub(super) id: String,
}

impl Session {
    /// The newest version; none where it is not installed.
    pub(super) fn newest(script: Script) -> Option<Self> {
        RealCli::claude().map(|claude| Self::of(claude, script))
    }

    /// Both versions; those that are not installed are counted skips.
    pub(super) fn each(script: impl Fn() -> Script) -> Vec<Self> {
        let versions = [RealCli::claude(), RealCli::claude_oldest()];
        versions.into_iter().flatten().map(|claude| Self::of(claude, script())).collect()
    }

    fn of(claude: RealCli, script: Script) -> Self {
        let (env, server) = (test_env!(), ModelServer::start(script));
        let id = uuid::Uuid::new_v4().to_string();
        Self { env, claude, server, more: Vec::new(), id }
    }

    /// Puts a workflow where a session finds it by its name, and installs the plugin.
    pub(super) fn with_workflow(self, name: &str, text: &str) -> Self {
        self.env.repository.write(&format!(".windlass/workflows/{name}.yaml"), text);
        self.env.repository.commit("a workflow");
        self.with_plugin()
    }

    /// Installs the plugin as a user does.
    pub(super) fn with_plugin(self) -> Self {
        self.windlass(&["plugin", "install"]).assert_code(0);
        self
    }

    pub(super) fn variables(&self) -> Vec<(String, String)> {
        let mut variables = environment_for_claude(&self.env, &self.server);
        let program = self.claude.program().to_string_lossy().into_owned();
        variables.push(("WINDLASS_CLAUDE".to_owned(), program));
        for (name, value) in &self.more {
            variables.retain(|(known, _)| known != name);
            variables.push((name.clone(), value.clone()));
        }
        let bin = self.env.exe().parent().expect("its folder").display().to_string();
        for (name, value) in &mut variables {
            if name == "PATH" {
                *value = format!("{bin}:{value}");
            }
        }
        variables
    }

    /// `windlass` as a person in a terminal calls it.
    pub(super) fn windlass(&self, arguments: &[&str]) -> Finished {
        let mut command = self.env.windlass_command(arguments);
        command.env_clear().envs(self.variables());
        self.env.finish(command)
    }

    /// A session's process with one prompt, not started yet.
    pub(super) fn command(&self, which: &[&str], prompt: &str) -> Command {
        let mut command = self.claude.command(&self.env, &self.variables());
        command.args(["-p", "--output-format", "stream-json", "--verbose"]);
        command.args(["--permission-mode", "acceptEdits", "--allowedTools", TOOLS]);
        command.args(which).arg("--").arg(prompt);
        command
    }

    /// Begins the session with a prompt, and waits for its end.
    pub(super) fn begins(&self, prompt: &str) {
        self.told(self.command(&["--session-id", &self.id], prompt));
    }

    /// Goes on with the session by another prompt.
    pub(super) fn says(&self, prompt: &str) {
        self.told(self.command(&["--resume", &self.id], prompt));
    }

    /// Runs a session's process to its end.
    pub(super) fn told(&self, command: Command) {
        self.env.finish(command).assert_code(0);
    }

    /// The lines of the hook log.
    pub(super) fn hooks(&self) -> Vec<Value> {
        let repos = fs_err::read_dir(self.env.state().join("repos")).into_iter().flatten();
        let files = repos.flatten().map(|entry| entry.path().join("hooks.jsonl"));
        // There is none before the first call.
        let text: String = files.flat_map(fs_err::read_to_string).collect();
        text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
    }

    /// Fails unless the run stands so, and tells what happened.
    #[track_caller]
    pub(super) fn assert_status(&self, status: &str) {
        let found = self.env.status();
        assert!(found == status, "the run is `{found}`, not `{status}`\n{}", self.story());
    }

    /// What the model was asked and what the hooks answered, for a test that fails.
    pub(super) fn story(&self) -> String {
        use std::fmt::Write as _;
        let mut text = self.version();
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

    /// Fails if anything was tried outside, is left, or was not journalled properly.
    pub(super) fn assert_clean(&self) {
        assert_eq!(self.server.outside(), Vec::<String>::new());
        self.env.assert_audit();
        self.env.assert_no_orphans();
    }

    pub(super) fn version(&self) -> String {
        self.claude.version().expect("a version")
    }
}

/// A model that does as it is told: these are its subagents.
pub(super) fn obeying(subagents: impl IntoIterator<Item = Lane>) -> Script {
    obeying_after(subagents, [])
}

/// As [`obeying`], and what else the session's model does comes first.
pub(super) fn obeying_after(
    subagents: impl IntoIterator<Item = Lane>,
    first: impl IntoIterator<Item = Lane>,
) -> Script {
    let mut script = Script::new();
    for lane in subagents.into_iter().chain(first) {
        script = script.lane(lane);
    }
    // A subagent that no lane is for departs from the script.
    let unforeseen = Lane::when_first_user_has("This is attempt `");
    script.lane(unforeseen).lane(starts(1)).lane(rests())
}

/// The session's model starts what it was told to.
pub(super) fn starts(agents: usize) -> Lane {
    starts_when(agents, None)
}

/// As [`starts`], and not before a file is there.
pub(super) fn starts_when(agents: usize, file: Option<&Path>) -> Lane {
    let block = |number: usize| {
        ONE.replace("kind", &format!("kind{number}"))
            .replace("name", &format!("name{number}"))
            .replace("words", &format!("words{number}"))
    };
    let pattern: Vec<String> = (1..=agents).map(block).collect();
    let call = |turn: Turn, number: usize| {
        let input = json!({"subagent_type": format!("<<kind{number}>>"),
            "description": format!("<<name{number}>>"), "prompt": format!("<<words{number}>>")});
        turn.tool("Agent", input)
    };
    let mut turn = (1..=agents).fold(say("As I was told."), call);
    if let Some(file) = file {
        turn = turn.until_file(file);
    }
    let pattern = format!("(?s){}", pattern.join(".*?").replace(".+", "[^\\n]+"));
    Lane::when(Part::Last, &pattern).named("starts").then_always(turn)
}

/// The session's model has nothing to do.
pub(super) fn rests() -> Lane {
    Lane::all().named("rests").then_always(say("That is it."))
}

/// An attempt of a subagent: these turns, and then it says that it is done.
pub(super) fn attempt(name: &str, turns: impl IntoIterator<Item = Turn>) -> Lane {
    let mut lane = Lane::when_first_user_has(&format!("attempt `{name}`")).named(name);
    for turn in turns {
        lane = lane.turn(turn);
    }
    lane.then_always(say("Done."))
}

pub(super) fn shortened(text: impl AsRef<str>) -> String {
    let text = text.as_ref().replace('\n', " ⏎ ");
    let end = text.char_indices().nth_back(500).map_or(0, |(at, _)| at);
    text[end..].to_owned()
}

/// A file's path as text.
pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
