//! A real remote: a bare repository on this machine.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment::TestEnv;

/// A bare repository that is the `origin` of the test's repository.
#[derive(Debug)]
pub struct Remote {
    root: PathBuf,
    variables: Vec<(String, String)>,
}

impl Remote {
    /// Makes one, names it `origin` and pushes the main branch.
    pub fn bare(env: &TestEnv) -> Self {
        let root = env.root().join("remote.git");
        let remote = Self { variables: env.variables(), root };
        fs_err::create_dir_all(&remote.root).expect("a folder for the remote");
        remote.git(&["init", "--quiet", "--bare", "--initial-branch=main"]);
        let path = remote.root.display().to_string();
        env.repository.git(&["remote", "add", "origin", &path]);
        env.repository.git(&["push", "--quiet", "origin", "main"]);
        remote
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Refuses every push to this branch, with a message, as a protected branch does.
    pub fn protect(&self, branch: &str, message: &str) {
        let script = format!(
            "#!/bin/sh\nwhile read -r old new name; do\n  if [ \"$name\" = 'refs/heads/{branch}' ]; \
             then echo '{message}' >&2; exit 1; fi\ndone\n"
        );
        self.hook("pre-receive", &script);
    }

    /// Installs a hook.
    pub fn hook(&self, name: &str, script: &str) {
        let path = self.root.join("hooks").join(name);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs_err::write(&path, script).expect("a hook");
        let executable = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(&path, executable).expect("a hook");
    }

    /// Where a branch is.
    pub fn branch(&self, branch: &str) -> Option<String> {
        let name = format!("refs/heads/{branch}");
        let commit = self.command(&["rev-parse", "--verify", "--quiet", &name]).output();
        let commit = commit.expect("git");
        let text = String::from_utf8_lossy(&commit.stdout).trim_end().to_owned();
        commit.status.success().then_some(text)
    }

    /// Makes a commit on a branch, as somebody else would, and returns it.
    pub fn commit(&self, branch: &str) -> String {
        let tree = self.git(&["rev-parse", "main^{tree}"]);
        let parent = self.branch(branch).unwrap_or_else(|| self.git(&["rev-parse", "main"]));
        let commit = self.git(&["commit-tree", "-p", &parent, "-m", "by another", &tree]);
        self.git(&["update-ref", &format!("refs/heads/{branch}"), &commit]);
        commit
    }

    /// Runs git in it and returns what it printed.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("git");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {error}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(&self.root);
        command.env_clear().envs(self.variables.iter().cloned());
        command
    }
}
