//! Which tool calls are refused: pushes, and writes outside of what the agent may write.
//!
//! Commands are looked at by the guard of all backends; paths here, because links can be followed
//! here. [`refusal`] is the one entrance. It looks at what an agent says that it is about to do, so it helps against mistakes. Against malice
//! there are confinement, a place without remotes, and the verifier.

use std::path::{Component, Path, PathBuf};

use windlass_core::guard::{self, Grounds, PublishRules};

use super::permission::ToolCall;

/// Where an agent may write.
#[derive(Clone, Debug)]
pub(super) struct Bounds<'a> {
    pub(super) place: &'a Path,
    pub(super) may_write: &'a [PathBuf],
    /// Commands that publish, besides the known ones.
    pub(super) publishing: &'a PublishRules,
}

/// What of a place belongs to git or to windlass. Agents write specs and reports beside it.
const ENGINE_FILES: &[&str] =
    &[".git", ".windlass/run/state.json", ".windlass/run/log", ".windlass/run/evidence"];

/// Returns why a tool call is refused; none when it may happen.
pub(super) fn refusal(call: &ToolCall, bounds: &Bounds<'_>) -> Option<String> {
    if call.says_too_much {
        return Some("it is too long to be looked at".to_owned());
    }
    if call.runs() {
        if call.commands.is_empty() {
            return Some("it does not say which command it runs".to_owned());
        }
        let refused = |command: &String| command_refusal(command, bounds);
        if let Some(why) = call.commands.iter().find_map(refused) {
            return Some(why);
        }
    }
    if call.writes() {
        return call.paths().find_map(|path| write_refusal(path, bounds));
    }
    None
}

/// Commands are looked at by the guard of all backends.
fn command_refusal(command: &str, bounds: &Bounds<'_>) -> Option<String> {
    let input = serde_json::json!({ "command": command });
    let call = guard::ToolCall { tool: "Bash", input: &input, folder: bounds.place };
    let temporary = bounds.may_write.to_vec();
    let mut grounds = Grounds::of_attempt(bounds.place.to_owned(), temporary);
    grounds.publishing.clone_from(bounds.publishing);
    guard::look(&call, &grounds).refusal().map(str::to_owned)
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
    use windlass_core::guard::PublishRule;

    use super::*;

    #[test]
    fn commands_are_looked_at_by_the_common_guard() {
        let publishing = PublishRules {
            publishes: vec![PublishRule::parse("our-tool ship").unwrap()],
            ..PublishRules::default()
        };
        let bounds =
            Bounds { place: Path::new("/srv/place"), may_write: &[], publishing: &publishing };
        assert!(command_refusal("npm publish", &bounds).is_some());
        assert!(command_refusal("our-tool ship", &bounds).is_some());
        assert!(command_refusal("cd x && git push origin HEAD", &bounds).is_some());
        assert_eq!(command_refusal("git commit -m 'add the push button'", &bounds), None);
    }

    #[test]
    fn a_write_stays_in_the_place_and_off_the_engines_files() {
        let root = tempfile::tempdir().unwrap();
        let (place, cache) = (root.path().join("place"), root.path().join("cache"));
        fs_err::create_dir_all(place.join("src")).unwrap();
        fs_err::create_dir_all(&cache).unwrap();
        fs_err::os::unix::fs::symlink(root.path(), place.join("out")).unwrap();
        let may_write = [cache.clone()];
        let publishing = PublishRules::default();
        let bounds = Bounds { place: &place, may_write: &may_write, publishing: &publishing };
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
