//! Tests within the session of an agent.
//!
//! People build windlass with agents. A test that plays a host, or starts a real one, is then below
//! another agent's program and has its variables, and windlass rightly refuses such a host. So a test
//! binary that finds itself in a session starts itself once more, without those variables and as a
//! child of nobody in the session, and ends as that one does.

use std::io;
use std::process::{Command, Stdio};
use std::sync::Once;
use std::time::Duration;

use crate::skips::skip;
use crate::wait;

/// How long the shell that starts a test apart may take to end.
const LEFT_WITHIN: Duration = Duration::from_secs(10);

/// Set for a test that was started apart.
const APART: &str = "WINDLASS_TEST_APART";

/// Programs that are agents, and variables that they give to what they start; as in the engine's
/// `hosted/caller.rs`. A test compares both.
pub const AGENTS: [&str; 6] = ["claude", "codex", "gemini", "opencode", "qwen", "aider"];

/// The variables of agents.
pub const MARKS: [&str; 5] = [
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CODEX_THREAD_ID",
    "CODEX_SANDBOX",
    "WINDLASS_ATTEMPT",
];

/// Starts `"$@"` so that it has no ancestor here, and writes its exit code into `$0`.
const SCRIPT: &str = r#"{ "$@"; echo "$?" >"$0"; } </dev/null &"#;

/// Leaves the session of an agent, if this test is in one.
///
/// Returns where that is not necessary. Elsewhere it never returns: the process ends as the one does
/// that runs the same test apart. What cannot be done apart is skipped and counted.
#[expect(clippy::exit, reason = "the test went on elsewhere, and this process ends as it did")]
pub(crate) fn leave_session() {
    static ONCE: Once = Once::new();
    // Others wait here until the process ends.
    ONCE.call_once(|| {
        if !in_session() {
            return;
        }
        if std::env::var_os(APART).is_some() {
            // The shell between is about to end, and until then everybody in the session is above.
            if wait::until(LEFT_WITHIN, || (!in_session()).then_some(())).is_some() {
                return;
            }
            skip("its process cannot leave the session of the agent that runs it");
            std::process::exit(0);
        }
        std::process::exit(run_apart().expect("the test could not be started apart"));
    });
}

/// Whether an agent's program is above this process, or gave it its variables.
fn in_session() -> bool {
    let marked = MARKS.iter().any(|mark| std::env::var_os(mark).is_some());
    marked || ancestors().iter().any(|name| AGENTS.contains(&name.as_str()))
}

/// The names of the programs above this process.
fn ancestors() -> Vec<String> {
    let mut names = Vec::new();
    let mut process = parent_of("self");
    while let Some(above) = process {
        if let Ok(exe) = fs_err::read_link(format!("/proc/{above}/exe")) {
            let name = exe.file_name().unwrap_or_default().to_string_lossy().into_owned();
            names.push(name.trim_end_matches(" (deleted)").trim_end_matches(".exe").to_owned());
        }
        process = parent_of(&above);
    }
    names
}

fn parent_of(process: &str) -> Option<String> {
    let stat = fs_err::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name, which may hold anything: state, parent.
    let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.to_owned();
    (parent != "0").then_some(parent)
}

fn run_apart() -> io::Result<i32> {
    let folder = tempfile::tempdir()?;
    let code = folder.path().join("code");
    let mut command = Command::new("sh");
    command.args(["-c", SCRIPT]).arg(&code).arg(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1)).env(APART, "1").stdin(Stdio::null());
    for mark in MARKS {
        command.env_remove(mark);
    }
    // Its output ends when nobody has it any more, and then it has ended.
    let mut shell = command.stdout(Stdio::piped()).spawn()?;
    let mut output = shell.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    shell.wait()?;
    io::copy(&mut output, &mut io::stdout().lock())?;
    let code = fs_err::read_to_string(&code)?;
    code.trim().parse().map_err(io::Error::other)
}
