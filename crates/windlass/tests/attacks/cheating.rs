//! Plays a cheat, and looks at what came of it as a stranger would.

use std::io::{Read as _, Write as _};
use std::process::Stdio;

use serde_json::json;

use crate::cheats::{Cheat, Judge};
use crate::session::Plan;
use crate::table::Cell;
use crate::world::{Level, Who, World, said};

const DEFAULTS: &str = "\
workflow: cheated
defaults: {retries: 1, timeout: 30s, idle_timeout: 20s, backoff: {initial: 1ms, max: 5ms}}
";

/// Plays the cheat.
pub(crate) fn run(cheat: &Cheat, who: Who, level: Level) -> Cell {
    let world = prepare(cheat, who, level);
    let told = play(&world, cheat, cheat.agent);
    let status = world.status(None);
    let completed = status["run"]["status"] == "completed";
    let cell = match cheat.judge {
        Judge::Left(path) => {
            look_at_place(&world, &status);
            if world.root().join(path).exists() { Cell::Open } else { Cell::Refused }
        }
        Judge::InPullRequest(words) => match pull_request(&world) {
            Some(text) if text.contains(words) => Cell::Open,
            Some(_) => Cell::Refused,
            None => Cell::Detected,
        },
        Judge::Completed if !completed && !cheat.typed.is_empty() => Cell::Refused,
        _ if !completed => Cell::Detected,
        Judge::Completed => Cell::Open,
        Judge::Fresh(command) => {
            if passes_in_fresh_clone(&world, &status, command) {
                Cell::Refused
            } else {
                Cell::Open
            }
        }
    };
    if std::env::var_os("WINDLASS_SHOW_ATTACKS").is_some() {
        crate::tell(&format!("{} {level:?} {who:?}: {cell:?}\n{told}", cheat.name));
    }
    forget(&world);
    cell
}

/// Plays an honest agent in the same world; returns what was said if that does not complete.
pub(crate) fn honest(cheat: &Cheat, who: Who, level: Level) -> Result<(), String> {
    let world = prepare(cheat, who, level);
    let told = play(&world, cheat, cheat.honest);
    let status = world.status(None);
    if status["run"]["status"] == "completed" {
        return Ok(());
    }
    Err(format!("{} {level:?} {who:?}: an honest agent does not complete: {told}", cheat.name))
}

fn prepare(cheat: &Cheat, who: Who, level: Level) -> World {
    let world = World::new(who, level);
    world.file("home/.ssh/id_ed25519", "made up\n");
    shell(&world, cheat.setup);
    world.commit();
    shell(&world, cheat.around);
    world.file("home/cheat.yaml", &format!("{DEFAULTS}{}", cheat.workflow.trim_start()));
    world
}

fn shell(world: &World, script: &str) {
    let output = world.command(&["sh", "-ec", script]).output().expect("a shell");
    assert!(output.status.success(), "{script}: {}", said(&output));
}

/// Plays it in a session. Every try of a step is one of the agent's rounds.
fn play_hosted(world: &World, cheat: &Cheat, agent: &str) -> String {
    let home = world.root().join("home").to_string_lossy().into_owned();
    let plan = Plan {
        workflow: &format!("{home}/cheat.yaml"),
        agent,
        variables: json!({"USERS_HOME": home, "MARK": mark(world), "HOSTED": "yes"}),
        // A step that is waived has to fail in all rounds of all attempts first.
        tries: if cheat.workflow.contains("exhausted: waive") { 20 } else { 2 },
        // The session has no keys to press: messages that come early are what is typed ahead there.
        early: if cheat.typed.is_empty() { &[] } else { &["approve", "a"] },
        at_gate: Vec::new(),
        // Nothing is published before a person has accepted it.
        approves: matches!(cheat.judge, Judge::InPullRequest(_)),
        around: &[],
    };
    plan.play(world, &[]).told()
}

fn play(world: &World, cheat: &Cheat, agent: &str) -> String {
    if world.level == Level::Hosted {
        return play_hosted(world, cheat, agent);
    }
    let home = world.root().join("home").to_string_lossy().into_owned();
    let script =
        format!("USERS_HOME='{home}' MARK='{}'\ncat > /dev/null\n{agent}\nexit 0\n", mark(world));
    world.file("home/agent.sh", &script);
    let (workflow, agent) = (format!("{home}/cheat.yaml"), format!("sh {home}/agent.sh"));
    let mut words = [&world.run_words(&workflow, &agent)[..], &["--no-wait"]].concat();
    if matches!(cheat.judge, Judge::InPullRequest(_)) {
        // Nothing is published before a person has accepted it.
        words.push("--yes");
    }
    if !cheat.typed.is_empty() {
        return typed(world, &words, cheat.typed);
    }
    let mut told = format!("{}: {}", cheat.name, said(&world.windlass(&words)));
    if world.status(None)["run"]["status"] == "awaiting_user" {
        // The person believes what the agent says; the blocker's check is run now.
        told += &said(&world.at_terminal(&["fixed"]).output().expect("script"));
        told += &said(&world.windlass(&["resume", "--no-wait"]));
    }
    told
}

/// Runs windlass at a terminal at which `keys` are typed at once; leaves when it asks.
fn typed(world: &World, words: &[&str], keys: &str) -> String {
    let mut command = world.at_terminal(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut run = command.spawn().expect("script");
    let mut keyboard = run.stdin.take().expect("a keyboard");
    keyboard.write_all(keys.as_bytes()).expect("a terminal");
    let mut screen = run.stdout.take().expect("a screen");
    let mut seen = Vec::new();
    let mut part = [0; 4096];
    while let Ok(count @ 1..) = screen.read(&mut part) {
        seen.extend_from_slice(&part[..count]);
        if seen.ends_with(b"[q]uit: ") {
            keyboard.write_all(b"q\n").expect("a terminal");
        }
    }
    run.wait().expect("script");
    String::from_utf8_lossy(&seen).into_owned()
}

/// A name for files outside the world.
fn mark(world: &World) -> String {
    let name = world.root().file_name().expect("a name");
    format!("mark-{}", name.to_string_lossy())
}

/// Removes what a cheat left on this machine: a stranger has none of it.
fn forget(world: &World) {
    for folder in ["/tmp", "/dev/shm", &world.root().join("tmp").to_string_lossy()] {
        // Most cheats leave none.
        let _ = fs_err::remove_file(std::path::Path::new(folder).join(mark(world)));
    }
}

/// Runs the command in a fresh clone of the run's branch, in a home with nothing in it.
fn passes_in_fresh_clone(world: &World, status: &serde_json::Value, command: &str) -> bool {
    forget(world);
    shell(
        world,
        "for d in ~/.cache ~/.local/share/windlass; do test ! -e $d || chmod -R u+rwx $d; rm -rf $d; done",
    );
    let branch = status["run"]["branch"].as_str().expect("a branch");
    let origin = format!("file://{}", world.project().display());
    let clone = world.root().join("clone/project");
    world.file("clone/home/.keep", "");
    world.git(&["clone", "--quiet", "--branch", branch, &origin, &clone.to_string_lossy()]);
    let mut shell = world.command(&["sh", "-c", command]);
    shell.current_dir(&clone).env("HOME", world.root().join("clone/home"));
    shell.env("PATH", "/usr/local/bin:/usr/bin:/bin").env_remove("WINDLASS_HOME");
    shell.env_remove("WINDLASS_NO_NAMESPACES");
    shell.output().expect("a shell").status.success()
}

/// The text of the pull request that the run ended in.
fn pull_request(world: &World) -> Option<String> {
    let script = "find ~/.local -name pull-request.md -exec cat {} +";
    let output = world.command(&["sh", "-c", script]).output().expect("a shell");
    Some(String::from_utf8_lossy(&output.stdout).into_owned()).filter(|text| !text.is_empty())
}

/// What a person does at a gate: looks at the place with git.
fn look_at_place(world: &World, status: &serde_json::Value) {
    let Some(place) = status["run"]["place"].as_str() else { return };
    // The last one runs a hook whatever stands in the index.
    let looks =
        [&["git", "status"][..], &["git", "diff"], &["git", "add", "--all"], &["git", "checkout"]];
    for words in looks {
        // Whether git likes the place is not the question here.
        let _ = world.command(words).current_dir(place).output();
    }
}
