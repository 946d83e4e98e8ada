//! A world for one run under attack, as root or as an ordinary user: a home with made-up keys, a
//! repository, and `windlass`.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::Value;
use tempfile::TempDir;

/// The ordinary user, where the suite runs as root. Nobody has this number.
const ORDINARY: u32 = 12345;

/// Who runs windlass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Who {
    User,
    Root,
}

impl Who {
    /// Everybody that this process can be.
    pub(crate) fn possible() -> Vec<Self> {
        if rustix::process::geteuid().is_root() {
            vec![Self::User, Self::Root]
        } else {
            vec![Self::User]
        }
    }

    fn switches(self) -> bool {
        self == Self::User && rustix::process::geteuid().is_root()
    }
}

/// How much is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    None,
    Landlock,
    Box,
    Provider,
    /// A session starts the agents: nothing confines them, and checks run in rooms.
    Hosted,
}

impl Level {
    pub(crate) const ALL: [Self; 5] =
        [Self::None, Self::Landlock, Self::Box, Self::Provider, Self::Hosted];

    /// The heading of its column.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Landlock => "Landlock",
            Self::Box => "box",
            Self::Provider => "box, provider network",
            Self::Hosted => "hosted",
        }
    }

    /// Whether the kernel of the machine, and not windlass, decides: there another machine may refuse
    /// more.
    pub(crate) fn depends_on_machine(self) -> bool {
        matches!(self, Self::None | Self::Landlock | Self::Hosted)
    }

    /// What is added to `windlass run`.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::None => &["--sandbox", "off"],
            Self::Landlock => &["--sandbox", "prefer"],
            Self::Box | Self::Provider | Self::Hosted => &["--sandbox", "require"],
        }
    }
}

/// One world.
#[derive(Debug)]
pub(crate) struct World {
    root: PathBuf,
    program: Arc<TempDir>,
    pub(crate) who: Who,
    pub(crate) level: Level,
}

impl Drop for World {
    fn drop(&mut self) {
        if self.level == Level::Hosted {
            end_what_is_left_in(&self.root);
        }
        if std::env::var_os("WINDLASS_KEEP_WORLDS").is_none() {
            // Layers may hold folders that nobody may look into; what cannot be removed is told.
            let _ = Command::new("chmod").args(["-R", "u+rwx"]).arg(&self.root).output();
            if let Err(error) = fs_err::remove_dir_all(&self.root) {
                crate::tell(&format!("a world is left behind: {error}"));
            }
        }
    }
}

/// Ends processes that work in a folder: nobody else ends those that an agent of a session leaves.
fn end_what_is_left_in(folder: &Path) {
    let processes = fs_err::read_dir("/proc").expect("processes").filter_map(Result::ok);
    for process in processes {
        let pid = process.file_name().to_string_lossy().parse().ok();
        let here = fs_err::read_link(process.path().join("cwd"))
            .is_ok_and(|path| path.starts_with(folder));
        if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw).filter(|_| here) {
            // One that has just ended by itself is gone.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

/// A copy of the program that every user may run; it is removed with the last world.
fn program() -> Arc<TempDir> {
    static COPY: Mutex<Weak<TempDir>> = Mutex::new(Weak::new());
    let mut copy = COPY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(there) = copy.upgrade() {
        return there;
    }
    let folder = folder("wl-bin-");
    fs_err::copy(env!("CARGO_BIN_EXE_windlass"), folder.path().join("windlass")).expect("a copy");
    let folder = Arc::new(folder);
    *copy = Arc::downgrade(&folder);
    folder
}

/// A new folder that everybody may enter, outside all homes.
fn folder(prefix: &str) -> TempDir {
    let mut builder = tempfile::Builder::new();
    let mode = std::fs::Permissions::from_mode(0o755);
    builder.prefix(prefix).permissions(mode).tempdir_in("/var/tmp").expect("a folder")
}

impl World {
    /// Makes one with an empty repository.
    pub(crate) fn new(who: Who, level: Level) -> Self {
        let (root, program) = (folder("wl-attack-").keep(), program());
        let world = Self { root, program, who, level };
        if who.switches() {
            let (uid, gid) = (Some(ORDINARY), Some(ORDINARY));
            std::os::unix::fs::chown(&world.root, uid, gid).expect("a new owner");
        }
        world.file("tmp/user.sh", "echo the user's own\n");
        world.file("home/project/README.md", "A project.\n");
        world.git(&["init", "--quiet", "--initial-branch=main"]);
        world
    }

    /// The folder of everything.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The checkout.
    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("home/project")
    }

    /// The program under attack.
    pub(crate) fn windlass_path(&self) -> PathBuf {
        self.program.path().join("windlass")
    }

    /// Writes a file as the user, by its path in the world.
    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        let folder = path.parent().expect("a folder");
        fs_err::create_dir_all(folder).expect("a folder");
        fs_err::write(&path, text).expect("a file");
        if self.who.switches() {
            let mut at = Some(path.as_path());
            while let Some(each) = at.filter(|each| *each != self.root) {
                std::os::unix::fs::chown(each, Some(ORDINARY), Some(ORDINARY)).expect("an owner");
                at = each.parent();
            }
        }
    }

    /// What a file of the world holds; nothing where there is none.
    pub(crate) fn read(&self, path: &str) -> String {
        let bytes = fs_err::read(self.root.join(path)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A command of this world's user, which knows nothing else.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.project()).env_clear().envs(self.variables());
        command.stdin(Stdio::null());
        if self.who.switches() {
            command.uid(ORDINARY).gid(ORDINARY);
        }
        command
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let home = self.root.join("home");
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let mut variables = vec![
            ("HOME", text(home.clone())),
            ("WINDLASS_HOME", text(home.join(".local/state/windlass"))),
            ("XDG_RUNTIME_DIR", text(self.root.join("run"))),
            ("TMPDIR", text(self.root.join("tmp"))),
            ("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", text(home.join(".local/bin")))),
            ("LANG", "C".to_owned()),
            ("USER", "ada".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GIT_AUTHOR_NAME", "Ada".to_owned()),
            ("GIT_AUTHOR_EMAIL", "ada@example.org".to_owned()),
            ("GIT_COMMITTER_NAME", "Ada".to_owned()),
            ("GIT_COMMITTER_EMAIL", "ada@example.org".to_owned()),
        ];
        if self.level == Level::Landlock {
            variables.push(("WINDLASS_NO_NAMESPACES", "1".to_owned()));
        }
        variables
    }

    /// Runs git in the checkout and returns what it printed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let words = [&["git"], arguments].concat();
        let output = self.command(&words).output().expect("git");
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Commits everything in the checkout.
    pub(crate) fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", "work"]);
    }

    /// Runs `windlass` to its end.
    pub(crate) fn windlass(&self, arguments: &[&str]) -> Output {
        let exe = self.windlass_path();
        let exe = exe.to_string_lossy();
        // A run that an attack keeps from ending is ended, and looked at as it stands.
        let words = [&["timeout", "-k", "2", "60", &*exe], arguments].concat();
        self.command(&words).output().expect("windlass")
    }

    /// A `windlass` at a terminal of its own, not started yet: where nothing is boxed, only somebody who
    /// sits at one decides.
    pub(crate) fn at_terminal(&self, arguments: &[&str]) -> Command {
        let exe = self.windlass_path().to_string_lossy().into_owned();
        let quoted = |word: &&str| format!("'{word}'");
        let words: Vec<String> = [&[&*exe], arguments].concat().iter().map(quoted).collect();
        let line = format!("exec timeout --foreground -k 2 60 {}", words.join(" "));
        let mut command = self.command(&["script", "-qec", &line, "/dev/null"]);
        command.env("TERM", "xterm");
        command
    }

    /// The words of `windlass run` with a workflow of this world and an agent's command.
    pub(crate) fn run_words<'a>(&self, workflow: &'a str, agent: &'a str) -> Vec<&'a str> {
        let words = ["run", "Do it", "--workflow", workflow, "--agent-command", agent];
        [&words, self.level.options()].concat()
    }

    /// Whether this machine has the level: a run of nothing completes.
    pub(crate) fn is_possible(&self) -> bool {
        self.commit();
        let workflow =
            "workflow: w\nsteps: [{id: work, agent: a, task: Do it., done: {file: x.txt}}]\n";
        self.file("home/possible.yaml", workflow);
        let workflow = self.root.join("home/possible.yaml").to_string_lossy().into_owned();
        self.windlass(&self.run_words(&workflow, "echo x > x.txt")).status.success()
    }

    /// Where the newest run, or a named one, stands.
    pub(crate) fn status(&self, run: Option<&str>) -> Value {
        let more: Vec<&str> = run.map_or_else(Vec::new, |run| vec!["--run", run]);
        let output = self.windlass(&[&["status", "--json"], &more[..]].concat());
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }
}

/// What a command said, for messages of tests.
pub(crate) fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr))
}
