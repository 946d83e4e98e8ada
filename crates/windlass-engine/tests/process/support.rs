//! A folder of its own for each test, launchers made from the test binary, and waiting for facts.
#![expect(clippy::unwrap_used, reason = "a test's support fails the test")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use windlass_engine::launcher::{LaunchPolicy, LaunchReport, main_launch};
use windlass_engine::process::{self, LauncherCommand, RunningUnit};

/// Makes the test binary a launcher.
const LAUNCH_VARIABLE: &str = "WINDLASS_TEST_LAUNCH";

/// Makes the test binary an engine for the policy in this file.
const ENGINE_VARIABLE: &str = "WINDLASS_TEST_ENGINE";

/// Makes the test binary a program that connects to this abstract socket.
pub(crate) const CALLER_VARIABLE: &str = "WINDLASS_TEST_CALLER";

/// How long a fact may take to become true on a busy machine.
const DEADLINE: Duration = Duration::from_secs(30);

/// Returns the command that starts this test binary as a launcher.
///
/// The first argument is the real one. To the test harness it is one more name to look for, and no
/// test has it; one test thread means that the harness runs the test on its main thread.
pub(crate) fn launcher() -> LauncherCommand {
    let mut command = LauncherCommand::new(&std::env::current_exe().unwrap());
    command.args.extend(harness_arguments("launcher_entry"));
    command.env.push((LAUNCH_VARIABLE.to_owned(), "1".to_owned()));
    command
}

/// Connects to the abstract socket named by the environment, and says whether that worked.
#[expect(clippy::print_stdout, reason = "the process is a program here, not a test")]
pub(crate) fn act_as_caller() {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixStream};
    if let Ok(name) = std::env::var(CALLER_VARIABLE) {
        let address = SocketAddr::from_abstract_name(name).unwrap();
        match UnixStream::connect_addr(&address) {
            Ok(_) => println!("CONNECTED"),
            Err(error) => println!("NOT CONNECTED: {error}"),
        }
    }
}

pub(crate) fn harness_arguments(test: &str) -> [String; 4] {
    [test, "--exact", "--nocapture", "--test-threads=1"].map(str::to_owned)
}

#[expect(clippy::exit, reason = "the process is a launcher here, not a test")]
pub(crate) fn act_as_launcher() {
    if std::env::var_os(LAUNCH_VARIABLE).is_some() {
        let code = main_launch();
        std::process::exit(i32::from(code != ExitCode::SUCCESS));
    }
}

/// Runs the policy named by the environment until killed.
pub(crate) fn act_as_engine() {
    if let Some(policy) = std::env::var_os(ENGINE_VARIABLE) {
        let policy = fs_err::read(policy).unwrap();
        let unit = process::spawn(&launcher(), &serde_json::from_slice(&policy).unwrap()).unwrap();
        unit.wait();
    }
}

/// Returns a command that starts this test binary as an engine.
pub(crate) fn engine(policy: &Path) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(harness_arguments("engine_entry")).env(ENGINE_VARIABLE, policy);
    command
}

/// A folder for one test.
pub(crate) struct Fixture {
    /// Removed with the fixture.
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        Self { _folder: folder, root }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Makes a file and the folders above it.
    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    /// Returns a policy for a program that works in the folder.
    pub(crate) fn argv(&self, argv: &[&str]) -> LaunchPolicy {
        let argv = argv.iter().map(|argument| (*argument).to_owned()).collect();
        let mut policy = LaunchPolicy::new(argv, self.root.clone(), self.path("stdout"));
        policy.env.push(("PATH".to_owned(), std::env::var("PATH").unwrap()));
        policy
    }

    pub(crate) fn sh(&self, script: &str) -> LaunchPolicy {
        self.argv(&["/bin/sh", "-c", script])
    }

    pub(crate) fn spawn(&self, policy: &LaunchPolicy) -> RunningUnit {
        process::spawn(&launcher(), policy).unwrap()
    }

    pub(crate) fn run(&self, policy: &LaunchPolicy) -> LaunchReport {
        self.spawn(policy).wait()
    }

    pub(crate) fn output(&self) -> String {
        fs_err::read_to_string(self.path("stdout")).unwrap()
    }
}

/// Waits until something is true.
#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < deadline, "it never came true that {what}");
        // Files and other processes' deaths announce themselves nowhere: look again soon.
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

#[track_caller]
pub(crate) fn wait_for_file(path: &Path) {
    eventually(&format!("{} exists", path.display()), || path.exists());
}

/// Says whether a process is alive; a dead one that waits to be reaped is not.
pub(crate) fn alive(pid: u32) -> bool {
    windlass_engine::process_table::Process::read(i32::try_from(pid).unwrap())
        .is_ok_and(|process| !process.is_dead())
}

/// Returns the pids that programs wrote into a file, each once.
pub(crate) fn pids_in(path: &Path) -> Vec<u32> {
    let text = fs_err::read_to_string(path).unwrap_or_default();
    let mut pids: Vec<u32> = text.lines().filter_map(|line| line.trim().parse().ok()).collect();
    pids.sort_unstable();
    pids.dedup();
    pids
}

/// A script that starts nine processes which try to get away in as many manners, each of which
/// writes its pid into `pids`, and goes on when all of them have.
pub(crate) const RUNAWAYS: &str = r#"
cat > linger <<'END'
trap '' TERM HUP INT
echo $$ >> pids
while :; do sleep 1; done
END
cat > stopped <<'END'
echo $$ >> pids
kill -STOP $$
END
sh linger &
setsid sh linger &
(setsid sh linger &) &
env -i PATH="$PATH" setsid sh linger > /dev/null 2>&1 < /dev/null &
(env -i PATH="$PATH" setsid sh -c 'sh linger &' > /dev/null 2>&1 < /dev/null &) &
bash -c 'set -m; sh linger & wait' &
sh stopped &
setsid nohup sh linger > /dev/null 2>&1 &
sh -c '(setsid sh -c "setsid sh linger & exit" &) & exit' &
until [ "$(sort -u pids 2>/dev/null | wc -l)" -ge 9 ]; do sleep 0.05; done
"#;
