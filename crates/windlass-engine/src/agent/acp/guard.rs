//! Which tool calls are refused: pushes, and writes outside of what the agent may write.
//!
//! A stand-in for the guard of all backends, which takes its place: [`refusal`] is its one entrance.
//! It looks at what an agent says that it is about to do, so it helps against mistakes. Against malice
//! there are confinement, a place without remotes, and the verifier.

use std::path::{Component, Path, PathBuf};

use super::permission::ToolCall;

/// Where an agent may write.
#[derive(Clone, Debug)]
pub(super) struct Bounds<'a> {
    pub(super) place: &'a Path,
    pub(super) may_write: &'a [PathBuf],
}

/// What of a place belongs to git or to windlass. Agents write specs and reports beside it.
const ENGINE_FILES: &[&str] =
    &[".git", ".windlass/run/state.json", ".windlass/run/log", ".windlass/run/evidence"];

/// Options of git that take the next word as their value.
const GIT_OPTIONS_WITH_VALUE: &[&str] =
    &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"];

/// Returns why a tool call is refused; none when it may happen.
pub(super) fn refusal(call: &ToolCall, bounds: &Bounds<'_>) -> Option<String> {
    if call.says_too_much {
        return Some("it is too long to be looked at".to_owned());
    }
    if call.runs() {
        if call.commands.is_empty() {
            return Some("it does not say which command it runs".to_owned());
        }
        if let Some(why) = call.commands.iter().find_map(|command| command_refusal(command)) {
            return Some(why);
        }
    }
    if call.writes() {
        return call.paths().find_map(|path| write_refusal(path, bounds));
    }
    None
}

fn command_refusal(command: &str) -> Option<String> {
    // Quotes and brackets count as space: a shell in a shell is looked into as well.
    let between = |c: char| c.is_whitespace() || "'\"`()$;&|{}<>\\".contains(c);
    let words: Vec<&str> = command.split(between).filter(|word| !word.is_empty()).collect();
    let publishes = words.iter().enumerate().any(|(at, word)| {
        let rest = &words[at + 1..];
        match word.rsplit('/').next() {
            Some("git") => git_pushes(rest),
            Some("gh") => {
                matches!(
                    rest,
                    ["pr", "create" | "merge" | "close", ..] | ["repo" | "release" | "auth", ..]
                )
            }
            Some("glab") => matches!(rest, ["mr", "create" | "merge" | "close", ..]),
            Some("git-push" | "git-send-pack") => true,
            Some(_) | None => false,
        }
    });
    publishes.then(|| "windlass publishes, agents do not: commit, and leave the push".to_owned())
}

fn git_pushes(words: &[&str]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if GIT_OPTIONS_WITH_VALUE.contains(word) {
            words.next();
        } else if !word.starts_with('-') {
            let next = words.next().copied();
            return match *word {
                "push" | "send-pack" => true,
                "subtree" | "lfs" => next == Some("push"),
                "svn" => next == Some("dcommit"),
                _ => false,
            };
        }
    }
    false
}

fn write_refusal(path: &Path, bounds: &Bounds<'_>) -> Option<String> {
    let place = resolved(bounds.place);
    let target = resolved(&bounds.place.join(path));
    if let Ok(inside) = target.strip_prefix(&place) {
        let owned = ENGINE_FILES.iter().any(|own| inside.starts_with(own));
        return owned.then(|| format!("`{}` belongs to windlass or git", inside.display()));
    }
    let allowed = bounds.may_write.iter().any(|folder| target.starts_with(resolved(folder)));
    (!allowed).then(|| format!("`{}` is outside of the place", target.display()))
}

/// A path without links and dots, also of a file that is not there yet.
fn resolved(path: &Path) -> PathBuf {
    let mut lexical = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                // The parent of a link's target, as the kernel has it.
                lexical = lexical.canonicalize().unwrap_or(lexical);
                lexical.pop();
            }
            Component::CurDir => {}
            other => lexical.push(other),
        }
    }
    let mut missing = Vec::new();
    let mut existing = lexical.as_path();
    loop {
        if let Ok(real) = existing.canonicalize() {
            return missing.iter().rev().fold(real, |path, name| path.join(name));
        }
        let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) else {
            return lexical;
        };
        missing.push(name.to_owned());
        existing = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushes_are_refused_however_they_are_written() {
        for command in [
            "git push",
            "cd x && git push origin HEAD",
            "/usr/bin/git -C /x -c a=b push",
            "sh -c 'git push'",
            "true; (git push)",
            "git --git-dir=/x push",
            "git lfs push origin",
            "gh pr create --fill",
        ] {
            assert!(command_refusal(command).is_some(), "{command}");
        }
    }

    #[test]
    fn other_commands_are_not() {
        for command in [
            "git commit -m 'add the push button'",
            "git stash push",
            "git log --grep push",
            "npm test",
            "echo push",
            "gh pr view 3",
        ] {
            assert_eq!(command_refusal(command), None, "{command}");
        }
    }

    #[test]
    fn a_write_stays_in_the_place_and_off_the_engines_files() {
        let root = tempfile::tempdir().unwrap();
        let (place, cache) = (root.path().join("place"), root.path().join("cache"));
        fs_err::create_dir_all(place.join("src")).unwrap();
        fs_err::create_dir_all(&cache).unwrap();
        fs_err::os::unix::fs::symlink(root.path(), place.join("out")).unwrap();
        let may_write = [cache.clone()];
        let bounds = Bounds { place: &place, may_write: &may_write };
        let refused = |path: &str| write_refusal(Path::new(path), &bounds).is_some();
        for path in ["src/new/deep.rs", "./a.txt", "src/../b.txt", ".windlass/run/specs/plan.md"] {
            assert!(!refused(path), "{path}");
        }
        assert!(!refused(cache.join("x").to_str().unwrap()));
        for path in ["../x", "/etc/passwd", "out/x", ".git/config", ".windlass/run/state.json"] {
            assert!(refused(path), "{path}");
        }
    }
}
