//! Globs and paths, read in one way by whoever checks them and whoever matches them.

use globset::{Glob, GlobBuilder};

/// Compiles a glob as windlass matches it: `*` stays inside a folder, `**` does not.
pub fn compile(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build()
}

/// Why a path of a workflow is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPath {
    /// There is nothing in it.
    #[error("the path is empty")]
    Empty,
    /// It begins at the root of the file system or of a drive.
    #[error("the path is absolute: paths are relative to the repository")]
    Absolute,
    /// It contains `..`.
    #[error("the path leads outside with `..`: paths stay inside the repository")]
    Outside,
    /// It contains a line break or another control character.
    #[error("the path contains a control character")]
    Control,
}

/// Checks that a path or glob stays inside the folder that it is relative to.
pub fn stays_inside(path: &str) -> Result<(), BadPath> {
    if path.trim().is_empty() {
        return Err(BadPath::Empty);
    }
    if path.chars().any(char::is_control) {
        return Err(BadPath::Control);
    }
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if path.starts_with(['/', '\\', '~']) || drive {
        return Err(BadPath::Absolute);
    }
    // Braces and commas end a component too, else `{..,a}/b` would lead outside.
    if path.split(['/', '\\', '{', '}', ',']).any(|component| component == "..") {
        return Err(BadPath::Outside);
    }
    Ok(())
}

/// Whether two paths are one, or one lies below the other.
pub(crate) fn overlap(one: &str, other: &str) -> bool {
    let below = |path: &str, folder: &str| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    below(one, other) || below(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_overlaps_with_itself_and_with_all_below_it() {
        assert!(overlap("a/b", "a/b") && overlap("a", "a/b") && overlap("a/b", "a"));
        assert!(!overlap("a/b", "a/bc") && !overlap("a", "b"));
    }

    #[test]
    fn stars_stay_inside_a_folder() {
        let matches =
            |pattern: &str, path: &str| compile(pattern).unwrap().compile_matcher().is_match(path);
        assert!(matches("src/*.rs", "src/main.rs"));
        assert!(!matches("src/*.rs", "src/run/mod.rs"));
        assert!(matches("**/*.{ts,html}", "app/page/page.html"));
        assert!(matches("**/*.sql", "one.sql"));
        assert!(compile("a[").is_err());
    }

    #[test]
    fn paths_that_leave_the_repository_are_refused() {
        for (path, why) in [
            ("", BadPath::Empty),
            ("/etc/passwd", BadPath::Absolute),
            ("~/notes", BadPath::Absolute),
            ("c:/windows", BadPath::Absolute),
            ("a/../../b", BadPath::Outside),
            ("..", BadPath::Outside),
            ("{..,a}/b", BadPath::Outside),
            ("a\nb", BadPath::Control),
        ] {
            assert_eq!(stays_inside(path), Err(why), "{path}");
        }
        for path in ["a/b", "**/*.rs", "a..b", ".windlass/run", "a b", "..."] {
            assert_eq!(stays_inside(path), Ok(()), "{path}");
        }
    }
}
