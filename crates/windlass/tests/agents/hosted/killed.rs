//! The session's process is killed while its subagent works.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use windlass_testkit::model::{Script, say};
use windlass_testkit::{Background, wait};

use super::support::{PROMPT, Session, TWO_STEPS, attempt, obeying};

/// The agent of the first attempt is cut off when it has acted, or before.
fn cut_off(acted: bool) -> Script {
    let never = "/nowhere/never";
    let plan = || say("I plan.").write(".windlass/run/specs/plan.md", "the plan\n");
    let first = if acted { plan() } else { say("I look.").shell("true") };
    let lane = attempt("plan#1", [first, say("Done.").until_file(never)]);
    obeying([lane, attempt("plan#2", [plan()])])
}

/// A session whose process was killed while its subagent worked.
fn killed(acted: bool) -> Option<Session> {
    let session = Session::newest(cut_off(acted))?.with_workflow("two", TWO_STEPS);
    let command = session.command(&["--session-id", &session.id], PROMPT);
    let mut running: Background = session.env.start(command);
    session.server.wait_for("the agent's second turn", |request| {
        request.lane.as_deref() == Some("plan#1") && request.turn == 1
    });
    running.kill();
    session.assert_status("active");
    Some(session)
}

#[test]
fn a_session_that_was_killed_goes_on_and_so_does_the_work_that_was_cut_off() {
    // What was there would satisfy the criterion, and is not taken for all of it.
    let Some(session) = killed(true) else { return };
    session.says("Go on");
    session.assert_status("awaiting_approval");
    let journal = session.env.log_json();
    assert_eq!(journal.count("attempt_lost"), 1, "{:?}", journal.kinds());
    assert_eq!(journal.count("attempt_started"), 2, "{:?}", journal.kinds());
    session.assert_clean();
}

#[test]
fn a_new_session_is_told_of_the_run_and_takes_it_over_when_asked_to() {
    let Some(mut session) = killed(false) else { return };
    let first = std::mem::replace(&mut session.id, uuid::Uuid::new_v4().to_string());
    session.begins("Hello there");
    session.assert_status("active");
    let requests = session.server.requests();
    let told = requests.last().expect("a request");
    let told = format!("{}\n{}", told.system_text(), told.user_texts().join("\n"));
    assert!(told.contains("the session that drove it is gone"), "{told}");
    assert!(told.contains("/windlass:resume"), "{told}");
    assert_eq!(session.env.log_json().count("driver_took_over"), 1);

    session.says("/windlass:resume");
    session.assert_status("awaiting_approval");
    let journal = session.env.log_json();
    let owners: Vec<_> = journal.of("driver_took_over");
    assert_eq!(journal.count("attempt_lost"), 1, "{:?}", journal.kinds());
    assert!(!owners.last().expect("an owner").to_string().contains(&first), "{owners:?}");
    session.assert_clean();
}

/// Waits until somebody reads a pipe, who then reads for as long as the answer is kept.
fn has_reader(pipe: &Path, what: &str) -> OwnedFd {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK;
    wait::until(wait::DEADLINE, || rustix::fs::open(pipe, flags, Mode::empty()).ok())
        .unwrap_or_else(|| panic!("{what}: nobody read {}", pipe.display()))
}

#[test]
fn a_session_that_was_killed_while_its_work_was_judged_goes_on_with_the_verdict() {
    let plan = say("I plan.").write(".windlass/run/specs/plan.md", "the plan\n");
    let Some(session) = Session::newest(obeying([attempt("plan#1", [plan])])) else { return };
    // A room shares no file that a check may write. A pipe tells all the same: it has a reader, or none.
    let shown = session.env.root().join("shown");
    fs_err::create_dir_all(&shown).expect("a folder");
    let (judging, go_on) = (shown.join("judging"), shown.join("go-on"));
    let mode = Mode::from_raw_mode(0o644);
    rustix::fs::mkfifoat(rustix::fs::CWD, &judging, mode).expect("a pipe");
    session
        .env
        .file(".config/windlass/config.yaml", format!("expose: [\"{}\"]\n", shown.display()));
    let check = format!("test -e '{}' || cat '{}'", go_on.display(), judging.display());
    let workflow = TWO_STEPS.replace(
        r#"done: {file: "{specs}/plan.md"}"#,
        &format!(r#"done: {{all: [{{file: "{{specs}}/plan.md"}}, {{run: "{check}"}}]}}"#),
    );
    let session = session.with_workflow("two", &workflow);
    let mut running = session.env.start(session.command(&["--session-id", &session.id], PROMPT));
    let held = has_reader(&judging, "the check has begun");
    running.kill();
    fs_err::write(&go_on, "").expect("a file");
    drop(held);
    session.says("Go on");
    session.assert_status("awaiting_approval");
    let journal = session.env.log_json();
    assert_eq!(journal.count("attempt_started"), 1, "{:?}", journal.kinds());
    assert_eq!(journal.count("step_proven"), 1, "{:?}", journal.kinds());
    session.assert_clean();
}
