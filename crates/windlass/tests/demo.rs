//! The demo: its story has to be in the journal, not only in its words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder of its own, and an environment in which nothing of the user's is left.
struct World {
    root: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home", "tmp"] {
            fs_err::create_dir_all(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Output {
        Command::new(program)
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("LC_ALL", "C")
            .current_dir(self.root.path())
            .output()
            .unwrap()
    }

    fn demo(&self, arguments: &[&str]) -> Output {
        let arguments = [&["demo"], arguments].concat();
        self.run(Path::new(env!("CARGO_BIN_EXE_windlass")), &arguments)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}\n{}", text(&output.stdout), text(&output.stderr))
    })
}

/// The events of a journal, as `(kind, actor, payload)`.
fn events(log: &Output) -> Vec<(String, String, Value)> {
    text(&log.stdout)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| {
            let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            (word("kind"), word("actor"), line["payload"].clone())
        })
        .filter(|(kind, ..)| kind != "input")
        .collect()
}

#[test]
fn the_story_really_happened() {
    let world = World::new();
    let played = world.demo(&["--json", "--keep", "kept"]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
    let summary = json(&played);
    assert_eq!(summary["completed"], true);
    assert_eq!(summary["audit"]["ok"], true);
    let windlass = world.path("kept/windlass");

    let events = events(&world.run(&windlass, &["log", "--json"]));
    let position = |what: &str, wanted: &dyn Fn(&str, &str, &Value) -> bool| {
        events
            .iter()
            .position(|(kind, actor, payload)| wanted(kind, actor, payload))
            .unwrap_or_else(|| panic!("{what} is not in the journal: {events:#?}"))
    };
    let lie = position("the lie", &|kind, _, payload| {
        kind == "step_not_proven"
            && payload["step"] == "implement"
            && payload["failure"]["summary"] == "run `sh tests/run.sh` exited with 1"
    });
    let gate = position("the gate", &|kind, _, payload| {
        kind == "gate_opened"
            && payload["gate"]["kind"]["protected"]["changes"][0]["path"] == "tests/run.sh"
    });
    let feedback = position("the feedback", &|kind, actor, payload| {
        kind == "feedback_given" && actor == "person:demo" && payload["step"] == "implement"
    });
    let route = position("the route", &|kind, _, payload| {
        kind == "route_taken"
            && payload["verdict"] == "CHANGES_REQUESTED"
            && payload["target"] == "implement"
    });
    let rollback = position("the rollback", &|kind, _, payload| {
        kind == "rolled_back" && payload["by"] == "review" && payload["files"][0] == "bin/greet"
    });
    let approval = position("the approval", &|kind, actor, payload| {
        kind == "gate_approved" && actor == "person:demo" && payload["in_advance"] == false
    });
    let end = position("the end", &|kind, _, _| kind == "run_completed");
    let order = [lie, gate, feedback, route, rollback, approval, end];
    assert!(order.is_sorted(), "{order:?}");

    let audit = world.run(&windlass, &["audit", "--json"]);
    assert!(audit.status.success());
    assert_eq!(json(&audit)["ok"], true);
    let proofs = json(&world.run(&windlass, &["proofs", "--json"]));
    let proofs = proofs.as_array().unwrap();
    assert!(proofs.iter().all(|proof| proof["holds"] == "yes" && proof["strength"] == "observed"));
}

#[test]
fn the_kept_branch_holds_the_work_and_the_judge_as_it_was() {
    let world = World::new();
    let summary = json(&world.demo(&["--json", "--keep", "kept"]));
    let branch = summary["run"]["branch"].as_str().unwrap();
    let repository = world.path("kept/repo");
    let git = |arguments: &[&str]| {
        let mut command = vec!["-C", repository.to_str().unwrap()];
        command.extend(arguments);
        text(&world.run(Path::new("git"), &command).stdout)
    };
    let changed = git(&["diff", "--name-only", "main", branch]);
    assert_eq!(changed, "CHANGES.md\nbin/greet\ntests/cases/name.sh\n");
    assert!(git(&["show", &format!("{branch}:bin/greet")]).contains("${1:-world}"));
    assert_eq!(git(&["rev-list", "--count", &format!("main..{branch}")]), "4\n");
    assert_eq!(git(&["status", "--porcelain"]), "");
    assert_eq!(summary["commits"].as_array().unwrap().len(), 4);
}

#[test]
fn it_is_told_in_plain_text_and_touches_nothing_of_the_users() {
    let world = World::new();
    let played = world.demo(&[]);
    let story = text(&played.stdout);
    assert!(played.status.success(), "{story}{}", text(&played.stderr));
    for words in [
        "NOT PROVEN  run `sh tests/run.sh` exited with 1",
        "the agent changed what judges it: tests/run.sh",
        "| +echo \"all tests pass\"",
        "windlass feedback \"",
        "CHANGES_REQUESTED, so the run goes back to `implement`",
        "windlass approve -m \"",
        "1 claim that did not hold, 1 change to the judge, 1 flaw found in review",
        "audit: ok",
    ] {
        assert!(story.contains(words), "{words:?} is not told:\n{story}");
    }
    assert!(!story.contains('\x1b'), "colours without a terminal");
    assert_eq!(text(&played.stderr), "");
    assert_eq!(fs_err::read_dir(world.path("home")).unwrap().count(), 0);

    // What it says can be pasted can be pasted.
    let (_, commands) = story.split_once("these can be pasted\n").unwrap();
    for command in commands.lines() {
        let pasted = world.run(Path::new("sh"), &["-c", command]);
        assert!(pasted.status.success(), "{command}: {}", text(&pasted.stderr));
    }
    assert_eq!(fs_err::read_dir(world.path("tmp")).unwrap().count(), 0);
}

#[test]
fn a_folder_that_is_there_is_left_alone() {
    let world = World::new();
    let refused = world.demo(&["--keep", "home"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("hint: name a folder that does not exist yet"));
    assert_eq!(fs_err::read_dir(world.path("home")).unwrap().count(), 0);
}
