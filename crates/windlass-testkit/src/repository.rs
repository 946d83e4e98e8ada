//! The user's repository in a test.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A scratch repository.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
    env: Vec<(String, String)>,
}

impl Repository {
    /// Makes one with a first commit.
    pub(crate) fn create(root: &Path, env: &[(String, String)]) -> Self {
        fs_err::create_dir_all(root).expect("a folder for the repository");
        let repository = Self { root: root.to_owned(), env: env.to_vec() };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.write("README.md", "A project.\n");
        repository.commit("first");
        repository
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs_err::write(path, text).expect("a file");
    }

    /// Reads a file.
    pub fn read(&self, path: &str) -> String {
        fs_err::read_to_string(self.root.join(path)).unwrap_or_default()
    }

    /// Commits everything.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs git and returns what it printed.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("git");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {error}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Runs git and says whether it succeeded.
    pub fn git_succeeds(&self, arguments: &[&str]) -> bool {
        self.command(arguments).output().expect("git").status.success()
    }

    /// The commits of a branch that the main branch does not have, oldest first.
    pub fn commits(&self, branch: &str) -> Vec<String> {
        let range = format!("main..{branch}");
        let list = self.git(&["rev-list", "--reverse", &range]);
        list.lines().map(str::to_owned).collect()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(&self.root).env_clear().envs(self.env.iter().cloned());
        command
    }
}
