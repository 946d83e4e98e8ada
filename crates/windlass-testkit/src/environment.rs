//! A world of its own for one test.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::apart::leave_session;
use crate::command::{Background, Finished};
use crate::journal::Journal;
use crate::normalise::normalise;
use crate::processes::left_behind;
use crate::repository::Repository;
use crate::wait;

/// Where a test's world lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As a user has it: home, state and repository apart from the folder for temporary files.
    Home,
    /// Everything beneath the system's folder for temporary files, which agents may write.
    SystemTemp,
}

/// Home, temporary folder, git configuration, a repository, and a `windlass` that sees only those.
#[derive(Debug)]
pub struct TestEnv {
    exe: PathBuf,
    root: tempfile::TempDir,
    canonical: PathBuf,
    temp: PathBuf,
    /// Variables beside the usual ones.
    more: Vec<(String, String)>,
    /// The user's repository.
    pub repository: Repository,
}

impl TestEnv {
    /// Makes one; use [`test_env!`](crate::test_env).
    pub fn new(exe: &str, base: &str, layout: Layout) -> Self {
        leave_session();
        let base = match layout {
            Layout::Home => PathBuf::from(base),
            Layout::SystemTemp => PathBuf::from("/tmp"),
        };
        fs_err::create_dir_all(&base).expect("a folder for tests");
        let root = tempfile::Builder::new().prefix("wl-").tempdir_in(base).expect("a folder");
        let canonical = root.path().canonicalize().expect("the folder");
        let temp = match layout {
            Layout::Home => canonical.join("tmp"),
            Layout::SystemTemp => PathBuf::from("/tmp"),
        };
        fs_err::create_dir_all(&temp).expect("a folder for temporary files");
        fs_err::create_dir_all(canonical.join("home/bin")).expect("a home");
        let env = environment(&canonical, &temp);
        let repository = Repository::create(&canonical.join("home/project"), &env);
        Self { exe: PathBuf::from(exe), root, canonical, temp, more: Vec::new(), repository }
    }

    /// The folder that everything lies in, without links.
    pub fn root(&self) -> &Path {
        &self.canonical
    }

    /// `$HOME`.
    pub fn home(&self) -> PathBuf {
        self.canonical.join("home")
    }

    /// `$WINDLASS_HOME`.
    pub fn state(&self) -> PathBuf {
        self.home().join(".local/state/windlass")
    }

    /// The folder of the repository's journal; there is one repository.
    pub fn repository_state(&self) -> PathBuf {
        let repos = fs_err::read_dir(self.state().join("repos")).expect("a repository's state");
        let mut folders = repos.flatten().map(|entry| entry.path()).filter(|path| path.is_dir());
        folders.next().expect("a repository's state")
    }

    /// The variables that every process of the test gets, and no others.
    pub fn variables(&self) -> Vec<(String, String)> {
        let mut variables = environment(&self.canonical, &self.temp);
        variables.extend(self.more.iter().cloned());
        variables
    }

    /// Writes a file outside the repository and returns its path.
    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.home().join(name);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs_err::write(&path, text).expect("a file");
        path
    }

    /// Writes a file where agents and checks reach it, and returns its path.
    pub fn shared(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.temp.join(name);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs_err::write(&path, text).expect("a file");
        path
    }

    /// Has every `windlass` of this world do without namespaces, as on a machine that has none.
    #[must_use]
    pub fn without_namespaces(mut self) -> Self {
        self.more.push(("WINDLASS_NO_NAMESPACES".to_owned(), "1".to_owned()));
        self
    }

    /// Writes a workflow outside the repository and returns its path as an argument.
    pub fn workflow(&self, text: &str) -> String {
        self.file("workflow.yaml", text).to_string_lossy().into_owned()
    }

    /// Writes an agent as a shell script and returns the command that plays it.
    ///
    /// An attempt has a home of its own. Agents that go for the user's know it as `$USERS_HOME`.
    pub fn agent(&self, script: &str) -> String {
        let script = format!("USERS_HOME='{}'\n{script}", self.home().display());
        let path = self.file("agent.sh", script);
        format!("sh {}", path.display())
    }

    /// A command that sees only this world.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.repository.root()).env_clear().envs(self.variables());
        command.stdin(Stdio::null());
        command
    }

    /// A `windlass` that is not started yet.
    pub fn windlass_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(&self.exe);
        command.args(arguments).args(self.in_reach(arguments));
        command
    }

    /// Lets agents and checks reach the temporary folder of this world, by which tests tell them
    /// something and hear of them; nothing else of the world is in their box.
    pub(crate) fn in_reach(&self, arguments: &[&str]) -> Vec<OsString> {
        let drives = ["run", "resume", "fixed"];
        let asks = |word: &&str| ["--help", "-h", "--hosted"].contains(word);
        if !arguments.first().is_some_and(|first| drives.contains(first))
            || arguments.iter().any(asks)
            || !self.temp.starts_with(&self.canonical)
        {
            return Vec::new();
        }
        let temp = self.temp.clone().into_os_string();
        vec!["--allow-write".into(), temp.clone(), "--expose".into(), temp]
    }

    /// The program under test.
    pub fn exe(&self) -> &Path {
        &self.exe
    }

    /// Runs `windlass` to its end.
    pub fn windlass(&self, arguments: &[&str]) -> Finished {
        self.finish(self.windlass_command(arguments))
    }

    /// Runs `windlass` with further variables.
    pub fn windlass_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Finished {
        let mut command = self.windlass_command(arguments);
        command.envs(variables.iter().copied());
        self.finish(command)
    }

    /// Runs a shell command that finds this `windlass`.
    pub fn shell(&self, command: &str) -> Finished {
        let mut shell = self.command("sh");
        let bin = self.exe.parent().expect("its folder");
        let variables = self.variables();
        let path = variables.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_str());
        let path = format!("{}:{}", bin.display(), path.unwrap_or("/usr/bin:/bin"));
        shell.args(["-c", command]).env("PATH", path);
        self.finish(shell)
    }

    /// Runs `windlass` as a person at a terminal of their own would: below no process of the test.
    pub fn windlass_elsewhere(&self, arguments: &[&str]) -> Finished {
        let (out, code) = (self.root().join("elsewhere.out"), self.root().join("elsewhere.code"));
        let _ = fs_err::remove_file(&code);
        let script = r#""$@" >"$OUT" 2>&1; echo $? >"$CODE.new"; mv "$CODE.new" "$CODE""#;
        let reach = self.in_reach(arguments);
        let reach = reach.iter().map(|word| word.to_string_lossy());
        let words: Vec<String> = std::iter::once(self.exe.to_string_lossy())
            .chain(arguments.iter().map(|word| Cow::Borrowed(*word)))
            .chain(reach)
            .map(|word| format!("'{word}'"))
            .collect();
        let command = format!("sh -c '{}' sh {}", script.replace('\'', r"'\''"), words.join(" "));
        let mut setsid = self.command("setsid");
        setsid.args(["-f", "script", "-qec", &command, "/dev/null"]);
        setsid.env("OUT", &out).env("CODE", &code);
        self.finish(setsid).assert_code(0);
        wait::for_fact("the command elsewhere has ended", || code.exists());
        let text = fs_err::read_to_string(&out).expect("its output");
        let code = fs_err::read_to_string(&code).expect("its code").trim().parse().ok();
        Finished { code, stdout: text.clone(), stderr: text }
    }

    /// Runs a workflow by a shell script, with more arguments.
    pub fn run(&self, workflow: &str, agent: &str, more: &[&str]) -> Finished {
        self.finish(self.run_command(workflow, agent, more))
    }

    /// As [`TestEnv::run`], not started yet.
    pub fn run_command(&self, workflow: &str, agent: &str, more: &[&str]) -> Command {
        let (workflow, agent) = (self.workflow(workflow), self.agent(agent));
        let mut command = self.windlass_command(&["run", "Do it", "--workflow", &workflow]);
        command.args(["--agent-command", &agent]).args(more);
        command
    }

    /// Starts a command and does not wait for it.
    pub fn start(&self, command: Command) -> Background {
        Background::start(command, self.root())
    }

    /// Runs a command to its end; one that does not end is killed and the journal shown.
    pub fn finish(&self, command: Command) -> Finished {
        let words = format!("{command:?}");
        let mut background = self.start(command);
        match background.wait(wait::DEADLINE) {
            Some(finished) => finished,
            None => {
                background.kill();
                let shown = self.windlass_command(&["log", "--inputs"]).output();
                let log = shown.map(|output| output.stdout).unwrap_or_default();
                panic!("{words} did not end; the journal:\n{}", String::from_utf8_lossy(&log));
            }
        }
    }

    /// Where the run stands.
    pub fn status_json(&self) -> Value {
        self.json(&["status", "--json"])
    }

    /// What the audit says.
    pub fn audit_json(&self) -> Value {
        self.json(&["audit", "--json"])
    }

    /// The journal, inputs included.
    pub fn log_json(&self) -> Journal {
        let finished = self.windlass(&["log", "--inputs", "--json"]);
        assert_eq!(finished.code, Some(0), "{finished}");
        Journal::parse(&finished.stdout)
    }

    /// Runs `windlass` and reads its standard output as JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let finished = self.windlass(arguments);
        serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished}"))
    }

    /// The run's status.
    pub fn status(&self) -> String {
        self.status_json()["run"]["status"].as_str().unwrap_or_default().to_owned()
    }

    /// The status of one step.
    pub fn step(&self, id: &str) -> String {
        let status = self.status_json();
        let steps = status["steps"].as_array().cloned().unwrap_or_default();
        let step = steps.iter().find(|step| step["id"] == id).expect("the step");
        step["status"].as_str().unwrap_or_default().to_owned()
    }

    /// Where the run works.
    pub fn place(&self) -> PathBuf {
        let status = self.status_json();
        PathBuf::from(status["run"]["place"].as_str().expect("a place"))
    }

    /// Fails unless the journal is whole.
    pub fn assert_audit(&self) {
        let audit = self.audit_json();
        assert_eq!(audit["ok"], true, "{audit:#}");
    }

    /// Fails if a process of this test is still there. One that is dying may take its time.
    pub fn assert_no_orphans(&self) {
        let gone =
            wait::until(wait::DEADLINE, || left_behind(self.root()).is_empty().then_some(()));
        assert!(gone.is_some(), "left behind: {:#?}", left_behind(self.root()));
    }

    /// Takes out of a text what differs from test to test.
    pub fn normalise(&self, text: &str) -> String {
        let runs = self.windlass(&["status", "--json"]);
        let status: Value = serde_json::from_str(&runs.stdout).unwrap_or_default();
        normalise(text, self.root(), status["run"]["id"].as_str())
    }

    /// Keeps the folder for a look, and returns it.
    pub fn keep(&mut self) -> &Path {
        self.root.disable_cleanup(true);
        &self.canonical
    }
}

fn environment(root: &Path, temp: &Path) -> Vec<(String, String)> {
    let home = root.join("home");
    let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned());
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let pairs = [
        ("HOME", text(home.clone())),
        ("WINDLASS_HOME", text(home.join(".local/state/windlass"))),
        ("XDG_STATE_HOME", text(home.join(".local/state"))),
        ("XDG_CACHE_HOME", text(home.join(".cache"))),
        ("XDG_DATA_HOME", text(home.join(".local/share"))),
        ("XDG_CONFIG_HOME", text(home.join(".config"))),
        ("TMPDIR", text(temp.to_owned())),
        ("PATH", path),
        ("LANG", "C".to_owned()),
        ("USER", "ada".to_owned()),
        ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
        ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
        ("GIT_AUTHOR_NAME", "Ada".to_owned()),
        ("GIT_AUTHOR_EMAIL", "ada@example.org".to_owned()),
        ("GIT_COMMITTER_NAME", "Ada".to_owned()),
        ("GIT_COMMITTER_EMAIL", "ada@example.org".to_owned()),
    ];
    pairs.map(|(name, value)| (name.to_owned(), value)).to_vec()
}
