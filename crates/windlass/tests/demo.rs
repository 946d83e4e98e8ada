//! The demo: its story has to be in the journal, not only in its words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use windlass_testkit::{Terminal, TestEnv, left_behind, test_env};

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
    let began = |step: &str| {
        position(step, &|kind, _, payload| {
            kind == "attempt_started" && payload["attempt"] == format!("{step}#1")
        })
    };
    let first_end = position("an end", &|kind, _, _| kind == "attempt_ended");
    assert!(began("plan/designer") < first_end && began("plan/tester") < first_end);
    assert!(began("plan/hub") > first_end);

    let audit = world.run(&windlass, &["audit", "--json"]);
    assert!(audit.status.success());
    assert_eq!(json(&audit)["ok"], true);
    let proofs = json(&world.run(&windlass, &["proofs", "--json"]));
    let proofs = proofs.as_array().unwrap();
    assert!(proofs.iter().all(|proof| proof["holds"] == "yes" && proof["strength"] == "observed"));

    // The look around has seen what the journal says, and has written the report.
    let looked = summary["looked_at"].as_array().unwrap();
    assert_eq!(looked.len(), 6, "{looked:?}");
    assert!(looked.iter().all(|look| look["code"] == 0), "{looked:?}");
    let stopped = events_with_numbers(&world.run(&windlass, &["log", "--json"]))
        .into_iter()
        .find(|(_, kind)| kind == "gate_opened")
        .unwrap()
        .0;
    let replay = format!("./windlass replay --why implement --to {stopped}");
    assert!(looked.iter().any(|look| look["command"] == *replay), "{looked:?}");
    let report = fs_err::read_to_string(summary["report"].as_str().unwrap()).unwrap();
    assert!(report.starts_with("<!DOCTYPE html>") && report.contains("Greet a person by name"));
}

fn events_with_numbers(log: &Output) -> Vec<(u64, String)> {
    let lines = text(&log.stdout);
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let pair = |line: Value| {
        (line["seq"].as_u64().unwrap(), line["kind"].as_str().unwrap_or_default().to_owned())
    };
    lines.map(pair).collect()
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
        "Two agents work side by side",
        "It says it is done. Windlass runs the tests itself",
        "NOT PROVEN  run `sh tests/run.sh` exited with 1",
        "the agent changed what judges it: tests/run.sh",
        "| +echo \"all tests pass\"",
        "windlass feedback \"",
        "The journal has it from `demo`.",
        "CHANGES_REQUESTED, so the run goes back to `implement`",
        "windlass approve -m \"",
        "1 claim that was not true, 1 change to the judge, 1 flaw found in review",
        "$ ./windlass proofs implement --all\n    Implement (implement)\n      failed  run",
        "$ ./windlass diff implement#2",
        "it changed files that judge the work: tests/run.sh",
        "    implement#2      sent back",
        "$ ./windlass audit\n    ok: ",
        "    the report is in `report.html`",
    ] {
        assert!(story.contains(words), "{words:?} is not told:\n{story}");
    }
    assert!(!story.contains('\x1b'), "colours without a terminal");
    assert!(!story.contains("Your turn"), "{story}");
    assert_eq!(text(&played.stderr), "");
    assert_eq!(fs_err::read_dir(world.path("home")).unwrap().count(), 0);

    let (folder, commands) = commands(&story);
    let script = fs_err::read_to_string(folder.join("agent.script")).unwrap();
    assert!(script.contains("think 0\n") && !script.contains("think 1"), "{script}");
    // What it says can be pasted can be pasted, one after the other into one shell.
    for (index, command) in commands.iter().enumerate() {
        // A live view needs a terminal; another test has one.
        if command.starts_with("./windlass watch") {
            continue;
        }
        let pasted = [commands[0].clone(), command.clone()].join("\n");
        let pasted = world.run(Path::new("sh"), &["-e", "-c", &pasted]);
        assert!(pasted.status.success(), "{index} {command}: {}", text(&pasted.stderr));
    }
    assert_eq!(fs_err::read_dir(world.path("tmp")).unwrap().count(), 0);
}

/// The folder that a story ends with, and the commands that can be pasted.
fn commands(story: &str) -> (PathBuf, Vec<String>) {
    let (_, commands) = story.split_once("these can be pasted\n").unwrap();
    let commands: Vec<String> =
        commands.lines().take_while(|line| line.starts_with("  ")).map(str::to_owned).collect();
    let commands: Vec<String> = commands.iter().map(|line| line.trim().to_owned()).collect();
    let folder = commands[0].strip_prefix("cd ").unwrap().split(' ').next().unwrap();
    (PathBuf::from(folder), commands)
}

#[test]
fn it_opens_nothing_without_a_terminal() {
    let env = test_env!();
    let seen = browser(&env);
    let variables = variables(&env);
    let finished = env.windlass_with(&pairs(&variables), &["demo", "--open", "--keep", "kept"]);
    finished.assert_code(0);
    let refused = "the report was not opened: nothing is opened without a terminal";
    assert!(finished.stderr.contains(refused), "{finished}");
    assert!(!seen.exists());
}

/// A browser that only remembers what it was asked to open.
fn browser(env: &TestEnv) -> PathBuf {
    let (opener, seen) = (env.home().join("bin/xdg-open"), env.home().join("opened"));
    fs_err::write(&opener, format!("#!/bin/sh\necho \"$1\" > {}\n", seen.display())).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs_err::set_permissions(&opener, mode).unwrap();
    seen
}

fn variables(env: &TestEnv) -> [(String, String); 2] {
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", env.home().join("bin").display());
    [("DISPLAY".to_owned(), ":99".to_owned()), ("PATH".to_owned(), path)]
}

fn pairs(variables: &[(String, String)]) -> Vec<(&str, &str)> {
    variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[test]
fn at_a_terminal_it_is_watched_answered_and_told_to_the_end() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let seen = browser(&env);
    let kept = env.root().join("kept");
    let variables = variables(&env);
    let arguments = ["demo", "--open", "--keep", kept.to_str().unwrap()];
    let terminal = Terminal::windlass_with(&env, (100, 30), &pairs(&variables), &arguments);
    // The view is below the story, and shows what runs.
    terminal.wait_until("an agent at work", |screen| {
        screen.contains("goal: Greet a person by name")
            && screen.contains("steps done ──")
            && screen.contains("│ Reading")
    });
    for caption in ["It says it is done", "An agent's word proves nothing"] {
        terminal.wait_for(caption);
        terminal.keys(&["Enter"]);
    }
    // The viewer answers the first gate; words are no answer to it.
    terminal.wait_for("Your turn: Enter sends it back");
    terminal.text("hm");
    terminal.keys(&["Enter"]);
    terminal.wait_for("Your turn: Enter sends it back");
    terminal.keys(&["Enter"]);
    terminal.wait_for("The journal has it from `ada`.");
    for caption in ["this time they pass", "It cannot skip a proof"] {
        terminal.keys(&["Enter"]);
        terminal.wait_for(caption);
    }
    terminal.keys(&["Enter"]);
    // Nobody answers the second one.
    terminal.wait_for("Your turn: Enter approves");
    for look in ["proofs implement", "diff implement", "replay --why", "trash list", "audit"] {
        terminal.wait_for(&format!("$ ./windlass {look}"));
        terminal.keys(&["Enter"]);
    }
    let screen = terminal.wait_for("[exit 0]");
    assert!(!screen.contains("steps done ──"), "the view is gone: {screen}");
    assert_eq!(
        fs_err::read_to_string(seen).unwrap().trim(),
        format!("{}/report.html", kept.display())
    );

    let windlass = kept.join("windlass");
    let log = env.command(&windlass).args(["log", "--json"]).output().unwrap();
    let actor = |wanted: &str| {
        let found = events(&log).into_iter().find(|(kind, ..)| kind == wanted).unwrap();
        found.1
    };
    assert_eq!(actor("feedback_given"), "person:ada");
    assert_eq!(actor("gate_approved"), "person:demo");

    let view = Terminal::program(&env, (80, 24), &[], &windlass, &["watch"]);
    view.wait_for("Greet a person by name");
    view.keys(&["q"]);
    view.wait_for("[exit 0]");
}

#[test]
fn in_ci_it_takes_no_time_and_asks_nothing_at_a_terminal_either() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let kept = env.root().join("kept");
    let arguments = ["demo", "--keep", kept.to_str().unwrap()];
    let terminal = Terminal::windlass_with(&env, (80, 24), &[("CI", "true")], &arguments);
    let screen = terminal.wait_for("[exit ");
    assert!(screen.contains("[exit 0]"), "{screen}");
    assert!(!terminal.with_history().contains("Your turn"), "{screen}");
    let script = fs_err::read_to_string(kept.join("agent.script")).unwrap();
    assert!(script.contains("think 0\n") && !script.contains("think 1"), "{script}");
}

#[test]
fn ctrl_c_in_the_middle_leaves_a_paused_run_and_no_process() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let kept = env.root().join("kept");
    let arguments = ["demo", "--keep", kept.to_str().unwrap()];
    let terminal = Terminal::windlass(&env, (80, 24), &arguments);
    terminal.wait_for("│ Reading the plan.");
    terminal.keys(&["C-c"]);
    // The terminal's mode is the last line.
    let screen = terminal.wait_for("icanon");
    assert!(screen.contains("[exit 4]"), "{screen}");
    assert!(screen.contains("these can be pasted"), "{screen}");
    assert!(screen.contains("./windlass resume"), "{screen}");
    assert!(!screen.contains("steps done ──"), "{screen}");
    assert!(screen.contains("\nicanon"), "{screen}");
    assert_eq!(left_behind(&kept), Vec::<String>::new());
    let status = env.command(kept.join("windlass")).args(["status", "--json"]).output().unwrap();
    assert_eq!(json(&status)["run"]["status"], "paused");
}

#[test]
fn a_folder_that_is_there_is_left_alone() {
    let world = World::new();
    let refused = world.demo(&["--keep", "home"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("hint: name a folder that does not exist yet"));
    assert_eq!(fs_err::read_dir(world.path("home")).unwrap().count(), 0);
}
