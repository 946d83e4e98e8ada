//! Calls of git in another repository than the place's: reading is free, writing is not.

use std::path::{Path, PathBuf};

use super::path::plain;
use super::shell::Walk;
use super::word::is_known;
use super::wrapper::operands_all;

/// Commands that change neither refs nor files nor settings.
const READS: [&str; 44] = [
    "annotate",
    "archive",
    "blame",
    "bundle",
    "cat-file",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "cherry",
    "column",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "fast-export",
    "for-each-ref",
    "fsck",
    "get-tar-commit-id",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "name-rev",
    "patch-id",
    "range-diff",
    "request-pull",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "status",
    "stripspace",
    "upload-pack",
    "var",
    "version",
    "whatchanged",
];

/// Where a call of git is at work, by its options and by the variables that it sees.
#[derive(Debug, Default)]
pub(super) struct Site {
    folder: Option<PathBuf>,
    repository: Option<String>,
    files: Option<String>,
}

impl Site {
    /// Where git is at work without options.
    pub(super) fn of(walk: &Walk<'_>) -> Self {
        let variable = |name: &str| walk.shell.read(name)?.into_iter().next();
        Self {
            folder: walk.shell.folder.clone(),
            repository: variable("GIT_DIR"),
            files: variable("GIT_WORK_TREE"),
        }
    }

    /// Takes an option of git itself.
    pub(super) fn option(&mut self, name: &str, value: &str) {
        match name {
            "-C" => {
                let known = is_known(value).then(|| self.folder.take()).flatten();
                self.folder = known.map(|folder| below(&folder, value));
            }
            "--git-dir" => self.repository = Some(value.to_owned()),
            "--work-tree" => self.files = Some(value.to_owned()),
            _ => {}
        }
    }

    /// Refuses a command that writes where the agent has no business.
    pub(super) fn look(&self, walk: &mut Walk<'_>, command: &str, rest: &[String]) {
        if only_reads(command, rest) {
            return;
        }
        let Some(folder) = &self.folder else { return };
        let named = [&self.repository, &self.files];
        let named = named.into_iter().flatten().filter(|path| is_known(path));
        let mut paths: Vec<PathBuf> = named.map(|path| below(folder, path)).collect();
        if self.repository.is_none() {
            paths.push(folder.clone());
        }
        if let Some(other) = paths.iter().find(|path| !is_own(walk, path)) {
            walk.forbid(&format!(
                "this writes another repository (`git {command}` in `{}`), and an agent works only in its \
                 place. Reading there (`git -C … log`) is allowed",
                other.display()
            ));
        }
    }
}

/// A path as git sees it. Wherever the home is, it is not the place.
fn below(folder: &Path, path: &str) -> PathBuf {
    match path.strip_prefix('~') {
        Some(rest) => Path::new("/~").join(rest.trim_start_matches('/')),
        None => plain(&folder.join(path)),
    }
}

fn is_own(walk: &Walk<'_>, path: &Path) -> bool {
    let path = (walk.real)(path);
    let grounds = walk.grounds;
    path.starts_with(&grounds.place) || grounds.is_temporary(&path)
}

fn only_reads(command: &str, rest: &[String]) -> bool {
    let words = operands_all(rest, &["--sort", "--format", "-n", "--contains", "--points-at"]);
    let first = words.first().copied();
    let option = |names: &[&str]| {
        rest.iter().any(|word| names.contains(&word.split('=').next().unwrap_or(word)))
    };
    match command {
        _ if READS.contains(&command) => true,
        "branch" | "tag" => {
            words.is_empty()
                && !option(&["-d", "-D", "-m", "-M", "-c", "-C", "-f", "-u", "--unset-upstream"])
                || option(&["-l", "--list", "--contains", "--merged", "--no-merged", "--points-at"])
        }
        "remote" => matches!(first, None | Some("show" | "get-url")),
        "stash" | "worktree" | "notes" => matches!(first, Some("list" | "show")),
        "reflog" => matches!(first, None | Some("show" | "list" | "exists")) || words.len() == 1,
        "submodule" => matches!(first, None | Some("status" | "summary")),
        "symbolic-ref" => words.len() < 2 && !option(&["-d", "--delete"]),
        // What it writes is looked at by its key.
        "config" => {
            option(&["--get", "--get-all", "--get-regexp", "--list", "-l"])
                || matches!(words.as_slice(), ["get" | "list", ..] | [_])
                    && !option(&["--unset", "--edit", "-e"])
        }
        "lfs" => matches!(first, None | Some("ls-files" | "status" | "env" | "version" | "logs")),
        _ => false,
    }
}
