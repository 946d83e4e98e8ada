//! The same `change` by three backends: claude, codex and a command. The journals are equal but for
//! the backend, and so are the files.

use serde_json::{Value, json};
use windlass_testkit::model::{Lane, Script, say};
use windlass_testkit::{TestEnv, test_env};

use crate::support::{Agent, World};

const PLAN: &str = "Greet everyone by name. The greeting is a file, so that a test can look at it. \
                    One file is added, one test looks for the name in it, and nothing else is touched. \
                    What could go wrong: the name is spelled differently.\n";

/// What an attempt does: files that it writes, and a command.
struct Acts {
    attempt: &'static str,
    files: &'static [(&'static str, &'static str)],
    command: &'static str,
}

/// The first try at the implementation is a lie: it says that it is done and has done nothing.
const ACTS: [Acts; 5] = [
    Acts { attempt: "plan#1", files: &[(".windlass/run/specs/plan.md", PLAN)], command: "true" },
    Acts { attempt: "implement#1", files: &[], command: "true" },
    Acts { attempt: "implement#2", files: &[("greeting.txt", "Hello Ada\n")], command: "true" },
    Acts {
        attempt: "test#1",
        files: &[
            (".windlass/run/specs/tests.md", "It greets Ada.\n"),
            ("test.sh", "grep -q Ada greeting.txt\n"),
        ],
        command: "true",
    },
    Acts {
        attempt: "review#1",
        files: &[(".windlass/run/specs/review.md", "Nothing to add.\n")],
        command: "windlass context set review.status=APPROVED",
    },
];

fn script() -> Script {
    ACTS.iter().fold(Script::new(), |script, acts| {
        let begin = say("I begin.").shell(acts.command);
        let turn = acts.files.iter().fold(begin, |turn, (path, text)| turn.write(path, text));
        let name = format!("attempt `{}`", acts.attempt);
        script.lane(Lane::when_first_user_has(&name).turn(turn).turn(say("Done.")))
    })
}

/// The same as a shell script for `--agent-command`.
fn shell() -> String {
    let mut script = "case $WINDLASS_ATTEMPT in\n".to_owned();
    for Acts { attempt, files, command } in &ACTS {
        script.push_str(&format!("'{attempt}')\n{command}\n"));
        for (path, text) in *files {
            script.push_str(&format!("printf '%s' '{text}' > {path}\n"));
        }
        script.push_str(";;\n");
    }
    script + "*) exit 1;;\nesac\n"
}

const RUN: [&str; 9] = [
    "run",
    "Greet",
    "--yes",
    "--workflow",
    "change",
    "--input",
    "publish=false",
    "--input",
    "test=grep -q Ada greeting.txt",
];

/// What a run left.
struct Told {
    backend: Value,
    /// The events in order, without what may differ.
    events: Vec<Value>,
    /// The files of the run's branch.
    tree: String,
}

impl Told {
    fn of(env: &TestEnv) -> Self {
        env.assert_audit();
        let journal = env.log_json();
        let backend = journal.last("run_started").expect("a start")["facts"]["backend"].clone();
        let events = journal.lines.iter().filter(|line| line["kind"] != "input");
        let branch = env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned();
        let tree = env.repository.git(&["rev-parse", &format!("{branch}^{{tree}}")]);
        Self { backend, events: events.map(comparable).collect(), tree }
    }
}

/// An event without what may differ. Everything else has to be the same: which events there are, in
/// which order and by whom; the plan with its roles; every snapshot's code and papers; every proof
/// with its verdict, strength, words and evidence; how attempts ended, and what they left.
///
/// Of the record, its time and hashes are left out, and its number: an input that changes nothing, as
/// an early timer, has one too.
fn comparable(line: &Value) -> Value {
    let mut event = json!({"kind": line["kind"], "by": line["actor"], "payload": line["payload"]});
    let payload = &mut event["payload"];
    match line["kind"].as_str() {
        Some("run_started") => {
            // The backend itself.
            take(payload, "facts", &["backend", "command"]);
            // Each run has a name and folders of its own, and a repository of its own time.
            take(payload, "facts", &["run", "branch", "place", "base"]);
            without_times(&mut payload["facts"]["base_record"]["commands"]);
        }
        Some("attempt_ended") => {
            // What the program says about itself, what it printed, and the folders of its
            // configuration, which it may write.
            take(payload, "report", &["usage", "output", "confinement"]);
        }
        // A commit has a time, and the run's name in its message. What it holds is `code`.
        Some("step_committed") => take(&mut event, "payload", &["commit"]),
        Some("step_proven" | "step_not_proven" | "cold_proof_held") => {
            without_times(&mut payload["report"]["proofs"]);
        }
        _ => {}
    }
    event
}

fn without_times(answers: &mut Value) {
    for answer in answers.as_array_mut().expect("answers") {
        answer.as_object_mut().expect("an answer").remove("took").expect("a time");
    }
}

/// Takes fields out; one that is not there is a mistake in the list above.
fn take(value: &mut Value, part: &str, fields: &[&str]) {
    let part = value[part].as_object_mut().expect("an object");
    for field in fields {
        assert!(part.remove(*field).is_some(), "`{field}` is not in {part:#?}");
    }
}

fn by_command() -> Told {
    let env = test_env!();
    let mut command = env.windlass_command(&RUN);
    command.args(["--agent-command", &env.agent(&shell())]);
    env.finish(command).assert_code(0);
    Told::of(&env)
}

fn by(agent: Agent) -> Option<Told> {
    let world = World::new(agent, script())?;
    let mut command = world.command(&RUN);
    command.args(["--agent", agent.name()]);
    world.env.finish(command).assert_code(0);
    assert_eq!(world.server.unplayed(), Vec::new());
    world.assert_clean();
    Some(Told::of(&world.env))
}

fn is_the_same_by(agent: Agent) {
    let Some(told) = by(agent) else { return };
    let wanted = by_command();
    assert_eq!((wanted.backend, told.backend), (json!("command"), json!(agent.name())));
    for (wanted, told) in wanted.events.iter().zip(&told.events) {
        assert_eq!(wanted, told, "{wanted:#}\nis not\n{told:#}");
    }
    assert_eq!(wanted.events.len(), told.events.len());
    let not_proven = |event: &&Value| event["kind"] == "step_not_proven";
    assert_eq!(told.events.iter().filter(not_proven).count(), 1, "the lie was caught");
    assert_eq!(wanted.tree, told.tree);
}

#[test]
fn a_change_by_claude_has_the_journal_of_the_same_change_by_a_command() {
    is_the_same_by(Agent::Claude);
}

#[test]
fn a_change_by_codex_has_the_journal_of_the_same_change_by_a_command() {
    is_the_same_by(Agent::Codex);
}
