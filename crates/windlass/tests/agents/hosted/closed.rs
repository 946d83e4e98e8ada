//! Where windlass cannot answer, nothing is let through.

use std::path::PathBuf;

use rustix::fs::{FlockOperation, flock};
use serde_json::json;
use windlass_testkit::model::{Lane, Script, say};
use windlass_testkit::{Background, wait};

use super::support::{PROMPT, Session, TWO_STEPS, attempt, obeying_after, starts, starts_when};

/// A model that is held up before it starts the agent.
fn held_up(go_on: &std::path::Path) -> Script {
    let plan = say("I plan.").write(".windlass/run/specs/plan.md", "the plan\n");
    obeying_after([attempt("plan#1", [plan])], [starts_when(1, Some(go_on))])
}

/// Begins a session, and returns when its model is about to start the agent.
fn begun(session: &Session) -> Background {
    let running = session.env.start(session.command(&["--session-id", &session.id], PROMPT));
    session.server.wait_for("the model", |request| request.lane.as_deref() == Some("starts"));
    running
}

/// The one file of this name in windlass's state.
fn state_file(session: &Session, name: &str) -> PathBuf {
    let mut folders = vec![session.env.repository_state()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).expect("a folder").flatten() {
            if entry.file_name() == name {
                return entry.path();
            }
            if entry.path().is_dir() {
                folders.push(entry.path());
            }
        }
    }
    panic!("no {name}");
}

#[test]
fn an_agent_is_not_started_while_somebody_else_is_at_work_on_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let go_on = folder.path().join("go-on");
    let Some(session) = Session::newest(held_up(&go_on)) else { return };
    let session = session.with_workflow("two", TWO_STEPS);
    let mut running = begun(&session);
    let lock = fs_err::File::open(state_file(&session, "driver.lock")).expect("a lock");
    flock(&lock, FlockOperation::LockExclusive).expect("the lock");
    fs_err::write(&go_on, "").expect("a file");
    let told = session.server.wait_for("a refusal", |request| !request.tool_results().is_empty());
    drop(lock);
    let refusal = told.last_results().join("\n");
    assert!(refusal.contains("windlass could not answer this hook"), "{refusal}");
    running.wait(wait::DEADLINE).expect("an end");
    // The offer was repeated.
    session.assert_status("awaiting_approval");
    assert_eq!(session.env.log_json().count("offer_taken"), 1);
    session.assert_clean();
}

#[test]
fn an_agent_is_not_started_while_the_store_is_locked() {
    let folder = tempfile::tempdir().expect("a folder");
    let go_on = folder.path().join("go-on");
    let Some(session) = Session::newest(held_up(&go_on)) else { return };
    let session = session.with_workflow("two", TWO_STEPS);
    let mut running = begun(&session);
    let store = rusqlite::Connection::open(state_file(&session, "journal.db")).expect("a store");
    store.execute_batch("BEGIN IMMEDIATE").expect("the store's lock");
    fs_err::write(&go_on, "").expect("a file");
    let told = session.server.wait_for("a refusal", |request| !request.tool_results().is_empty());
    store.execute_batch("ROLLBACK").expect("the store's lock");
    let refusal = told.last_results().join("\n");
    assert!(refusal.contains("windlass could not answer this hook"), "{refusal}");
    running.wait(wait::DEADLINE).expect("an end");
    session.assert_status("awaiting_approval");
    assert_eq!(session.env.log_json().count("offer_taken"), 1);
    session.assert_clean();
}

#[test]
fn without_its_file_a_guard_asks_the_journal_and_where_it_cannot_it_refuses_everything() {
    let script = || {
        let plan = say("I plan.").write(".windlass/run/specs/plan.md", "the plan\n");
        let code = say("I write.")
            .write("src/code.txt", "1\n2\n3\n")
            .shell("windlass context set code.lines=3");
        let tries = |prompt: &str| {
            let turn = say("I try.")
                .write("src/cheat.rs", "x")
                .tool("Read", json!({"file_path": "<<cwd>>/README.md"}));
            Lane::when_told(prompt).turn(turn).then_always(say("That was all."))
        };
        obeying_after(
            [attempt("plan#1", [plan]), attempt("code#1", [code])],
            [starts(1), tries("SECOND-TRY"), tries("FIRST-TRY")],
        )
    };
    for session in Session::each(script) {
        let session = session.with_workflow("two", TWO_STEPS);
        session.begins(PROMPT);
        session.assert_status("awaiting_approval");
        let guard = state_file(&session, "guard.json");
        let failed = |lane: &str| {
            let results = session.server.requests_of(lane).pop().expect("a request").tool_results();
            results[results.len() - 2..].iter().map(|result| result.failed).collect::<Vec<_>>()
        };
        fs_err::remove_file(&guard).expect("a file");
        session.says("FIRST-TRY");
        assert_eq!(failed("FIRST-TRY"), [true, false], "{}", session.story());
        assert!(guard.is_file(), "it is there again");

        fs_err::remove_file(&guard).expect("a file");
        fs_err::create_dir(&guard).expect("a folder in its place");
        session.says("SECOND-TRY");
        assert_eq!(failed("SECOND-TRY"), [true, true], "{}", session.story());
        session.says("approve");
        session.assert_status("awaiting_approval");

        fs_err::remove_dir(&guard).expect("a folder");
        session.says("approve");
        session.assert_status("completed");
        assert!(!session.env.repository.root().join("src/cheat.rs").exists());
        session.assert_clean();
    }
}

#[test]
fn a_windlass_that_is_gone_lets_the_newest_claude_call_no_tool() {
    let folder = tempfile::tempdir().expect("a folder");
    let go_on = folder.path().join("go-on");
    let acts =
        say("I write.").write("src/cheat.rs", "x").shell("echo x > cheated.txt").until_file(&go_on);
    let cheats = Lane::when_first_user_has("/windlass:run").named("starts").turn(acts);
    let script = obeying_after([], [cheats.then_always(say("Then not."))]);
    let Some(session) = Session::newest(script) else { return };
    session.env.repository.write(".windlass/workflows/two.yaml", TWO_STEPS);
    session.env.repository.commit("a workflow");
    let copy = session.env.home().join("bin/windlass");
    fs_err::copy(session.env.exe(), &copy).expect("a copy");
    let mut install = session.env.command(&copy);
    install.args(["plugin", "install"]).env_clear().envs(session.variables());
    session.env.finish(install).assert_code(0);

    let mut running = begun(&session);
    fs_err::remove_file(&copy).expect("a copy");
    fs_err::write(&go_on, "").expect("a file");
    running.wait(wait::DEADLINE).expect("an end");
    let requests = session.server.requests();
    let answers = requests.last().expect("a request").tool_results();
    assert_eq!(answers.len(), 2, "{}", session.story());
    assert!(answers.iter().all(|answer| answer.failed), "{answers:#?}");
    session.assert_status("active");
    for file in ["src/cheat.rs", "cheated.txt"] {
        assert!(!session.env.repository.root().join(file).exists(), "{file}");
    }
    session.assert_clean();
}
