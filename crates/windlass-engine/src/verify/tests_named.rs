//! Whether a test that somebody names is there.
//!
//! That a name stands in a file does not make it a test that runs; the checks that run tests say
//! that. This catches names that were made up.

use std::path::Path;

use globset::GlobSet;
use windlass_core::glob;
use windlass_core::judgement::{NamedTest, named_test};

use super::verifier::{Broken, Looking};
use crate::git::{TreePath, place_files};

/// The largest file that is searched for the name of a test.
const MAX_TEST_FILE_BYTES: u64 = 4 << 20;

/// How many files are searched for a name that comes without one.
const MAX_SEARCHED_FILES: usize = 5000;

impl Looking<'_> {
    /// Whether the snapshot has a test of this name.
    pub(super) fn test_exists(&self, test: &str) -> Result<bool, Broken> {
        match named_test(test) {
            NamedTest { file: Some(file), name } => {
                if glob::stays_inside(&file).is_err() {
                    return Ok(false);
                }
                // Only the code: a paper is what somebody says, the report itself included.
                let code = &self.request.snapshot.code;
                match self.engine.read_blob(code, &TreePath::new(file.as_str()))? {
                    Some(bytes) => Ok(holds_test(&file, name.as_deref(), &bytes)),
                    None => self.method_exists(&file, name.as_deref()),
                }
            }
            NamedTest { file: None, name: Some(name) } => self.some_test_file(|_| true, &name),
            NamedTest { file: None, name: None } => Ok(false),
        }
    }

    /// `CartTest.adds` and `shop.CartTest#adds` name a class and its method instead of a file.
    fn method_exists(&self, file: &str, name: Option<&str>) -> Result<bool, Broken> {
        if file.contains('/') {
            return Ok(false);
        }
        let (class, method) = match name {
            Some(name) => (file.rsplit('.').next().unwrap_or(file), name),
            None => {
                let Some((before, method)) = file.rsplit_once('.') else { return Ok(false) };
                (before.rsplit('.').next().unwrap_or(before), method)
            }
        };
        let is_class = |path: &Path| path.file_stem().is_some_and(|stem| stem == class);
        self.some_test_file(is_class, method)
    }

    /// Whether a name stands in a file that looks like a test and that `wanted` is true of.
    fn some_test_file(&self, wanted: impl Fn(&Path) -> bool, name: &str) -> Result<bool, Broken> {
        let files = self.engine.ls_tree(&self.request.snapshot.code, &everything())?;
        let paths = files.iter().map(|(path, _)| path.to_string());
        let paths = paths.filter(|path| looks_like_test(path) && wanted(Path::new(path.as_str())));
        for path in paths.take(MAX_SEARCHED_FILES) {
            let read = place_files::read_file_bounded(
                self.place.root(),
                Path::new(&path),
                MAX_TEST_FILE_BYTES,
            );
            if read.is_ok_and(|bytes| stands_in(name, &bytes)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn everything() -> GlobSet {
    let mut builder = globset::GlobSetBuilder::new();
    if let Ok(all) = globset::Glob::new("**") {
        builder.add(all);
    }
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}

fn looks_like_test(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.contains("test") || path.contains("spec")
}

/// Whether a file has this test, or is one. Tests may stand inside of code, which then speaks of tests.
fn holds_test(path: &str, name: Option<&str>, bytes: &[u8]) -> bool {
    match name {
        None => looks_like_test(path),
        Some(name) => {
            let speaks = || String::from_utf8_lossy(bytes).to_ascii_lowercase().contains("test");
            (looks_like_test(path) || speaks()) && stands_in(name, bytes)
        }
    }
}

/// Whether a name stands in a text as a whole, not as a part of another name.
pub(super) fn stands_in(name: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(at, found)| {
        let (before, after) = (&text[..at], &text[at + found.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_whole_only() {
        assert!(stands_in("adds", b"fn adds() {}"));
        assert!(stands_in("adds two", b"test('adds two', () => {})"));
        assert!(stands_in("adds", b"fn adds_two() {} fn adds() {}"));
        assert!(!stands_in("adds", b"fn adds_two() {} fn xadds() {}"));
        assert!(!stands_in("adds", b""));
    }

    #[test]
    fn a_file_that_has_nothing_to_do_with_tests_shows_nothing() {
        assert!(!holds_test("README.md", None, b"Sums."));
        assert!(!holds_test("README.md", Some("Sums"), b"Sums."));
        assert!(!holds_test("src/sums.js", Some("add"), b"export const add = 1;"));
        assert!(holds_test("src/lib.rs", Some("adds"), b"#[test]\nfn adds() {}"));
        assert!(holds_test("tests/a.sh", None, b"true"));
    }

    #[test]
    fn a_file_looks_like_a_test_by_its_path() {
        for path in
            ["tests/a.rs", "a_test.go", "src/test/java/A.java", "spec/a.rb", "src/A.Tests/a.cs"]
        {
            assert!(looks_like_test(path), "{path}");
        }
        assert!(!looks_like_test("src/main.rs"));
    }
}
