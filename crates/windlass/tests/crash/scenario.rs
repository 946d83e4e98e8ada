//! The run that is killed: a lie, a success, a review that sends it back once, a gate, a carried
//! file, a prepared tree, context, commits.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use windlass_testkit::{Background, Finished, TestEnv, test_env, wait};

const WORKFLOW: &str = r#"
workflow: killed
carry: [".env.test"]
prepare: [{run: "echo ready > prepared.txt"}]
protect: ["judge.sh"]
steps:
  - id: build
    agent: developer
    task: Write out.txt.
    publishes: {build.note: object}
    done:
      all:
        - {file: out.txt}
        - {run: "sh judge.sh"}
    commit: wip
  - id: review
    agent: reviewer
    task: Read out.txt.
    publishes: {review.status: string}
    done: {verdict: .context.review.status, accept: [OK]}
    on:
      AGAIN: {rollback: {otherwise: build}, max: 1}
    gate: approval
  - id: docs
    agent: writer
    task: Write what was built.
    done: {all: [{file: "{specs}/notes.md"}, {diff: {only: ["docs.md"]}}]}
    commit: wip
"#;

/// Looks at what is there and does the next thing, whole or not at all: an agent that is killed and
/// started again ends with the same files. What it does when it is sent back it does only then.
const AGENT: &str = r#"
set -e
prompt=$(cat)
sent_back() { case "$prompt" in *Hotfix*) ;; *) return 1 ;; esac; }
put() { cat > .windlass/run/new && mv .windlass/run/new "$1"; }
case $WINDLASS_STEP in
  build)
    windlass context set 'build.note={"by": "developer"}'
    case "$(cat out.txt 2>/dev/null)" in
      "") echo wrong | put out.txt ;;
      wrong) echo right 1 | put out.txt ;;
      "right 1") if sent_back; then echo right 2 | put out.txt; fi ;;
    esac ;;
  review)
    case "$(cat out.txt)" in
      "right 1") windlass context set review.status=AGAIN ;;
      *) windlass context set review.status=OK ;;
    esac ;;
  docs)
    mkdir -p .windlass/run/specs
    echo noted | put .windlass/run/specs/notes.md
    echo documented | put docs.md ;;
esac
"#;

/// What a run comes to; the same however often it was killed.
#[derive(Debug, PartialEq)]
pub(super) struct End {
    status: Value,
    steps: Vec<(Value, Value)>,
    files: String,
    subjects: Vec<String>,
    context: Value,
}

/// The world in which the run is killed.
pub(super) struct Scenario {
    pub(super) env: TestEnv,
    yes: bool,
}

impl Scenario {
    /// With all gates approved in advance.
    pub(super) fn new() -> Self {
        Self::made(true)
    }

    /// With a person at the gate.
    pub(super) fn with_a_person() -> Self {
        Self::made(false)
    }

    fn made(yes: bool) -> Self {
        let env = test_env!();
        env.repository.write(
            "judge.sh",
            "test -e prepared.txt && . ./.env.test && grep -q \"$WORD\" out.txt\n",
        );
        env.repository.write(".gitignore", ".env.test\nprepared.txt\n");
        env.repository.commit("a judge");
        env.repository.write(".env.test", "WORD=right\n");
        Self { env, yes }
    }

    /// Starts the run with a fault, and waits for whatever end it comes to.
    pub(super) fn run(&self, fault: Option<&str>) -> Finished {
        let mut background = self.start(fault);
        background.wait(wait::DEADLINE).unwrap_or_else(|| panic!("{fault:?}: the run hangs"))
    }

    /// Starts the run.
    pub(super) fn start(&self, fault: Option<&str>) -> Background {
        let more: &[&str] = if self.yes { &["--yes"] } else { &[] };
        let mut command = self.env.run_command(WORKFLOW, AGENT, more);
        command.envs(fault.map(|fault| ("WINDLASS_FAULT", fault)));
        self.env.start(command)
    }

    /// Goes on with the run.
    pub(super) fn resume(&self, fault: Option<&str>) -> Background {
        let mut command = self.env.windlass_command(&["resume"]);
        command.envs(fault.map(|fault| ("WINDLASS_FAULT", fault)));
        self.env.start(command)
    }

    /// Starts the run if it does not exist, goes on with it if it does.
    pub(super) fn go_on(&self) -> Background {
        if self.exists() { self.resume(None) } else { self.start(None) }
    }

    /// Whether the journal knows the run.
    pub(super) fn exists(&self) -> bool {
        self.env.windlass(&["status", "--json"]).code == Some(0)
    }

    /// The points that the run passes, in order.
    pub(super) fn points(&self) -> Vec<String> {
        let trace = self.env.root().join("trace");
        self.run(Some(&format!("trace:{}", trace.display())));
        read_points(&trace)
    }

    /// Drives the run to its end and looks at it.
    pub(super) fn finish(&self) -> End {
        let mut background = self.go_on();
        let finished = background.wait(wait::DEADLINE).expect("the run hangs");
        assert_eq!(finished.code, Some(0), "{finished}");
        self.look()
    }

    /// What the run came to, after a look at everything that must hold.
    pub(super) fn look(&self) -> End {
        let env = &self.env;
        env.assert_no_orphans();
        env.assert_audit();
        let log = env.log_json();
        log.assert_linked();
        let status = env.status_json();
        let branch = status["run"]["branch"].as_str().expect("a branch").to_owned();
        // Each life of a step is done once: `build` has two, because the review sent it back.
        for (step, lives) in [("build", 2), ("review", 1), ("docs", 1)] {
            assert_eq!(log.count_of_step("step_done", step), lives, "{step} {:#?}", log.kinds());
        }
        // Who approved in advance is not asked where a verdict leads.
        assert_eq!(log.count("gate_approved"), if self.yes { 1 } else { 2 });
        assert_eq!(log.count("route_taken"), 1);
        assert_eq!(log.count("rolled_back"), 1);
        assert_eq!(log.count("run_started"), 1);
        assert_eq!(log.count("run_completed"), 1);
        let journalled: Vec<&Value> =
            log.of("step_committed").into_iter().map(|payload| &payload["commit"]).collect();
        let unique: BTreeSet<String> = journalled.iter().map(|commit| commit.to_string()).collect();
        assert_eq!(unique.len(), journalled.len(), "a commit was made twice");
        let commits = env.repository.commits(&branch);
        assert_eq!(json!(commits), json!(journalled), "the branch is not what the journal says");
        // Only the run's own branches, and nobody's lock.
        let branches = env.repository.git(&["for-each-ref", "--format=%(refname)", "refs/heads"]);
        assert_eq!(branches.lines().count(), 2, "{branches}");
        assert_eq!(stray_locks(&env.repository.root().join(".git")), Vec::<String>::new());
        assert_eq!(env.repository.git(&["status", "--porcelain"]), "");
        End {
            status: status["run"]["status"].clone(),
            steps: status["steps"]
                .as_array()
                .expect("steps")
                .iter()
                .map(|step| (step["id"].clone(), step["status"].clone()))
                .collect(),
            files: env.repository.git(&["ls-tree", "-r", &branch]),
            subjects: commits
                .iter()
                .map(|c| env.repository.git(&["show", "-s", "--format=%s", c]))
                .collect(),
            context: log
                .of("context_set")
                .into_iter()
                .map(|set| json!([set["key"], set["value"]]))
                .next_back()
                .unwrap_or_default(),
        }
    }
}

/// Reads a trace of points.
pub(super) fn read_points(trace: &std::path::Path) -> Vec<String> {
    fs_err::read_to_string(trace).expect("a trace").lines().map(str::to_owned).collect()
}

fn stray_locks(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut queue = vec![folder.to_owned()];
    while let Some(folder) = queue.pop() {
        for entry in fs_err::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                queue.push(entry.path());
            } else if entry.path().extension().is_some_and(|ending| ending == "lock") {
                found.push(entry.path().display().to_string());
            }
        }
    }
    found
}
