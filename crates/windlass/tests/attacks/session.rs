//! A hosted run in a world: a scripted session drives it, by the hooks (`host.py`).
//!
//! The session is a process of the world's user, not the test's own: who calls a hook is told by its
//! process, and a test drives many worlds at once.

use serde_json::{Value, json};

use crate::world::{World, said};

/// What a session does.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    /// The workflow, by its path.
    pub(crate) workflow: &'a str,
    /// The script of every agent; `WINDLASS_STEP` and `WINDLASS_ATTEMPT` tell it what is wanted.
    pub(crate) agent: &'a str,
    /// What agents know besides.
    pub(crate) variables: Value,
    /// How often a step's agent is judged before the session gives up. The next judgement of the same
    /// work would say the same.
    pub(crate) tries: u32,
    /// What the person says while an agent is at work.
    pub(crate) early: &'a [&'a str],
    /// Scripts that processes of the session run at a gate, one at each.
    pub(crate) at_gate: Vec<String>,
    /// What the person answers at a gate; nothing if they only look.
    pub(crate) approves: bool,
    /// Programs around the session, such as one that gives it the user's keys.
    pub(crate) around: &'a [&'a str],
}

/// What happened in a session.
#[derive(Debug)]
pub(crate) struct Transcript {
    lines: Vec<Value>,
    told: String,
}

impl Plan<'_> {
    /// Plays the session to its end.
    pub(crate) fn play(&self, world: &World, environment: &[(&str, &str)]) -> Transcript {
        // The person believes what the agents say; a blocker's check is run then.
        let mut person = json!({"waiting for you": "fixed"});
        if self.approves {
            person["awaiting approval"] = json!("approve");
        }
        let plan = json!({
            "windlass": world.windlass_path(),
            "prompt": format!("/windlass:run --workflow '{}' -- Do it", self.workflow),
            "agent": self.agent,
            "variables": self.variables,
            "tries": self.tries,
            "early": self.early,
            "at_gate": self.at_gate,
            "person": person,
        });
        world.file("session.json", &plan.to_string());
        world.file("host.py", include_str!("host.py"));
        let root = world.root().to_string_lossy().into_owned();
        let host = format!("{root}/host.py");
        let begin = ["timeout", "-k", "2", "200"];
        let words = [&begin, self.around, &["python3", &host, &root]].concat();
        let mut command = world.command(&words);
        command.envs(environment.iter().copied());
        let finished = command.output().expect("a session");
        let log = world.read("session.log");
        let lines = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let transcript = Transcript { lines, told: said(&finished) };
        assert!(transcript.has_begun(), "no run in the session: {log} {}", transcript.told);
        transcript
    }
}

impl Transcript {
    /// Whether an agent was started: otherwise nothing was attacked.
    fn has_begun(&self) -> bool {
        self.lines.iter().any(|line| line["hook"] == "subagent-start")
    }

    /// The run that the session drove.
    pub(crate) fn run(&self) -> &str {
        self.lines.iter().find_map(|line| line["run"].as_str()).expect("a run")
    }

    /// What the programs of the session printed.
    pub(crate) fn printed(&self) -> String {
        self.lines.iter().filter_map(|line| line["said"].as_str()).collect()
    }

    /// Everything, for people.
    pub(crate) fn told(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(ToString::to_string).collect();
        format!("{}\n{}", lines.join("\n"), self.told)
    }
}
