//! What the base commit ignores, pinned.
//!
//! Which leftovers of a check are caches, and which ignored files a criterion may look at, is
//! decided by the rules that were there before any agent was: an agent writes ignore rules as
//! easily as code.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_core::id::ObjectId;

use super::diff::TreePath;
use super::engine_repository::EngineRepository;
use super::git_error::GitError;

/// More lines than a person would write; further ones are not pinned, so what they ignore is
/// treated like any other file.
const MAX_PATTERNS: usize = 2000;

/// The ignore rules of one tree, as patterns relative to its root.
#[derive(Clone, Debug)]
pub struct IgnoreRules {
    matcher: Gitignore,
}

impl IgnoreRules {
    /// Reads the rules of a tree.
    pub fn of(engine: &EngineRepository, tree: &ObjectId) -> Result<Self, GitError> {
        let mut wanted = globset::GlobSetBuilder::new();
        if let Ok(glob) = globset::Glob::new("**/.gitignore") {
            wanted.add(glob);
        }
        let wanted = wanted.build().unwrap_or_else(|_| globset::GlobSet::empty());
        let mut patterns = Vec::new();
        for (path, entry) in engine.ls_tree(tree, &wanted)? {
            // A link is not followed by git either.
            if entry.mode & 0o170_000 != 0o100_000 {
                continue;
            }
            let text = engine.read_blob(tree, &path)?.unwrap_or_default();
            patterns.extend(patterns_of(&path, &String::from_utf8_lossy(&text)));
        }
        patterns.truncate(MAX_PATTERNS);
        Ok(Self::from_patterns(&patterns))
    }

    fn from_patterns(patterns: &[String]) -> Self {
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            // A line that git cannot read matches nothing, and does here as well.
            let _ = builder.add_line(None, pattern);
        }
        let matcher = builder.build().unwrap_or_else(|_| Gitignore::empty());
        Self { matcher }
    }

    /// Returns whether the base commit ignores a file.
    pub fn is_ignored(&self, path: &str) -> bool {
        self.matcher.matched_path_or_any_parents(path, false).is_ignore()
    }
}

/// The lines of one ignore file, made relative to the root of the tree.
fn patterns_of(path: &TreePath, text: &str) -> Vec<String> {
    let path = path.to_string();
    let folder = path.strip_suffix(".gitignore").unwrap_or_default().trim_end_matches('/');
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.filter(|line| !line.starts_with('#')).map(|line| relative(folder, line)).collect()
}

fn relative(folder: &str, line: &str) -> String {
    if folder.is_empty() {
        return line.to_owned();
    }
    let (not, body) = match line.strip_prefix('!') {
        Some(body) => ("!", body),
        None => ("", line),
    };
    let anchored = body.trim_end_matches('/').contains('/');
    let body = body.trim_start_matches('/');
    if anchored { format!("{not}/{folder}/{body}") } else { format!("{not}/{folder}/**/{body}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_inner_folders_hold_there_only() {
        let inner =
            patterns_of(&TreePath::new("app/.gitignore"), "dist/\n# no\n/local\n!keep.txt\n");
        assert_eq!(inner, ["/app/**/dist/", "/app/local", "!/app/**/keep.txt"]);
        let mut all = patterns_of(&TreePath::new(".gitignore"), "target/\n*.log\n");
        all.extend(inner);
        let rules = IgnoreRules::from_patterns(&all);
        for ignored in
            ["target/debug/x", "a/b.log", "app/dist/x.js", "app/deep/dist/x", "app/local"]
        {
            assert!(rules.is_ignored(ignored), "{ignored}");
        }
        for seen in ["src/x", "dist/x.js", "local", "app/src/main.ts"] {
            assert!(!rules.is_ignored(seen), "{seen}");
        }
    }
}
