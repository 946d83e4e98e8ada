//! A real terminal for screens: tmux, without anybody in front of it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::environment::TestEnv;
use crate::wait;

/// One command in a terminal of a given size.
///
/// When the command has ended, `[exit CODE]` and the terminal's mode stand below what it left.
#[derive(Debug)]
pub struct Terminal {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

/// What every terminal of a test is like.
const CONFIGURATION: &str = "\
set -g status off
set -g escape-time 0
set -g default-terminal screen
set -g history-limit 2000
";

impl Terminal {
    /// Whether there is a tmux. Without one a test says so and passes, except where `CI` is set:
    /// there everything has to be tested.
    pub fn is_there() -> bool {
        let found = Command::new("tmux").arg("-V").output().is_ok_and(|out| out.status.success());
        let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        assert!(found || !ci, "tmux is missing, and CI is set: install tmux");
        if !found {
            crate::skip("tmux is missing");
        }
        found
    }

    /// Starts `windlass` in a terminal of this size.
    pub fn windlass(env: &TestEnv, size: (u16, u16), arguments: &[&str]) -> Self {
        Self::windlass_with(env, size, &[], arguments)
    }

    /// Starts `windlass` in a terminal of this size, with further variables.
    pub fn windlass_with(
        env: &TestEnv,
        size: (u16, u16),
        variables: &[(&str, &str)],
        arguments: &[&str],
    ) -> Self {
        let reach = env.in_reach(arguments);
        let reach: Vec<String> =
            reach.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let arguments: Vec<&str> =
            arguments.iter().copied().chain(reach.iter().map(String::as_str)).collect();
        Self::program(env, size, variables, env.exe(), &arguments)
    }

    /// Starts any program in a terminal of this size, with further variables.
    pub fn program(
        env: &TestEnv,
        size: (u16, u16),
        variables: &[(&str, &str)],
        program: &Path,
        arguments: &[&str],
    ) -> Self {
        // Not below the test's own folder: the path of a socket has to be short.
        let folder =
            tempfile::Builder::new().prefix("wl-tty-").tempdir_in("/tmp").expect("a folder");
        let terminal = Self { folder, variables: env.variables() };
        let set =
            variables.iter().map(|(name, value)| format!("export {name}={}; ", quoted(value)));
        // A shell that catches a signal goes on after it, and lets its children have it.
        let mut script = format!("trap : INT\n{}", set.collect::<String>());
        script.push_str(&quoted(program));
        for argument in arguments {
            script.push(' ');
            script.push_str(&quoted(argument));
        }
        script.push_str("; code=$?; echo \"[exit $code]\"; stty -a | grep -o '[-]*icanon'; ");
        script.push_str("exec sleep 600\n");
        let path = terminal.path("command.sh");
        fs_err::write(&path, script).expect("a script");
        fs_err::write(terminal.path("tmux.conf"), CONFIGURATION).expect("a configuration");
        let (width, height) = (size.0.to_string(), size.1.to_string());
        let mut start = terminal.tmux();
        start.current_dir(env.repository.root());
        start.args(["new-session", "-d", "-x", &width, "-y", &height, "sh"]).arg(&path);
        succeeds(start);
        terminal
    }

    /// Sends keys, by tmux's names: `Enter`, `Escape`, `C-c`, or characters.
    pub fn keys(&self, keys: &[&str]) {
        let mut command = self.tmux();
        command.args(["send-keys", "-t", "0"]).args(keys);
        succeeds(command);
    }

    /// Types a text as it is.
    pub fn text(&self, text: &str) {
        let mut command = self.tmux();
        command.args(["send-keys", "-t", "0", "-l", text]);
        succeeds(command);
    }

    /// Pastes a text, marked as one where the program asked for that.
    pub fn paste(&self, text: &str) {
        let mut set = self.tmux();
        set.args(["set-buffer", "--", text]);
        succeeds(set);
        let mut paste = self.tmux();
        paste.args(["paste-buffer", "-p", "-r", "-t", "0"]);
        succeeds(paste);
    }

    /// Attaches another client, as somebody at a second window does.
    pub fn client(&self) -> Client {
        let socket = quoted(&self.path("socket"));
        let attach =
            format!("stty rows 24 cols 80; exec tmux -u -S {socket} attach -f ignore-size");
        let mut command = Command::new("script");
        command.env_clear().envs(self.variables.iter().cloned()).env("TERM", "xterm");
        command.args(["-qec", &attach, "/dev/null"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let client = Client(command.spawn().expect("script"));
        wait::for_fact("a second client", || {
            let mut clients = self.tmux();
            let output = clients.arg("list-clients").output().expect("tmux");
            output.stdout.iter().any(|byte| *byte == b'\n')
        });
        client
    }

    /// Gives the terminal another size.
    pub fn resize(&self, width: u16, height: u16) {
        let mut command = self.tmux();
        command.args(["resize-window", "-t", "0", "-x", &width.to_string(), "-y"]);
        command.arg(height.to_string());
        succeeds(command);
    }

    /// What is on the screen.
    pub fn screen(&self) -> String {
        self.capture(&[])
    }

    /// What is on the screen, with what has scrolled off it.
    pub fn with_history(&self) -> String {
        self.capture(&["-S", "-"])
    }

    /// The screen with the sequences for colours.
    pub fn with_colours(&self) -> String {
        self.capture(&["-e"])
    }

    fn capture(&self, more: &[&str]) -> String {
        let mut command = self.tmux();
        command.args(["capture-pane", "-p", "-t", "0"]).args(more);
        let output = command.output().expect("tmux");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Waits until a text is on the screen, and returns the screen.
    #[track_caller]
    pub fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// Waits until the screen is as wanted, and returns it.
    ///
    /// Two looks must agree: one alone may fall into the middle of a drawing.
    #[track_caller]
    pub fn wait_until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let seen = wait::until(wait::DEADLINE, || {
            Some(self.screen()).filter(|screen| wanted(screen) && self.screen() == *screen)
        });
        seen.unwrap_or_else(|| panic!("`{what}` did not appear:\n{}", self.screen()))
    }

    /// The processes of the terminal's command whose arguments hold `word`.
    pub fn process(&self, word: &str) -> Option<i32> {
        let mut command = self.tmux();
        command.args(["display-message", "-p", "-t", "0", "#{pane_pid}"]);
        let output = command.output().expect("tmux");
        let shell: i32 = String::from_utf8_lossy(&output.stdout).trim().parse().ok()?;
        let children = format!("/proc/{shell}/task/{shell}/children");
        let children = fs_err::read_to_string(children).ok()?;
        children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).find(|pid: &i32| {
            let arguments = fs_err::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&arguments).contains(word)
        })
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn tmux(&self) -> Command {
        let mut command = Command::new("tmux");
        command.env_clear().envs(self.variables.iter().cloned());
        command.arg("-u").arg("-S").arg(self.path("socket"));
        command.arg("-f").arg(self.path("tmux.conf"));
        command
    }
}

/// Another client of a terminal. It goes with this.
#[derive(Debug)]
pub struct Client(Child);

impl Client {
    /// Types a text as it is; `\r` is Enter.
    pub fn types(&mut self, text: &str) {
        let keys = self.0.stdin.as_mut().expect("a keyboard");
        keys.write_all(text.as_bytes()).and_then(|()| keys.flush()).expect("a client");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A server that has gone by itself is what is wanted.
        let _ = self.tmux().arg("kill-server").output();
    }
}

#[track_caller]
fn succeeds(mut command: Command) {
    let output = command.output().expect("tmux");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {error}");
}

/// A word for the shell.
fn quoted(word: &(impl AsRef<Path> + ?Sized)) -> String {
    format!("'{}'", word.as_ref().to_string_lossy().replace('\'', "'\\''"))
}
