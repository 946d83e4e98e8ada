//! Tests as their files declare them, counted by their text.
//!
//! No report is needed for it, so that a person at a gate sees that tests went away also where the tests
//! are one command with an exit code. It proves nothing: that tests run is what checks are for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

/// How many names of removed tests are kept.
pub const MAX_REMOVED: usize = 20;

/// Names of tests and how often each is declared.
pub type Declared = BTreeMap<String, u64>;

/// How the tests of one family of languages begin; the first group is the name.
struct Dialect {
    extensions: &'static [&'static str],
    pattern: &'static str,
}

/// A test that is switched off (`it.skip`, `@Disabled` above it) is none: whoever does that takes it away.
const DIALECTS: &[Dialect] = &[
    Dialect {
        extensions: &["py", "pyi"],
        pattern: r"(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)",
    },
    Dialect {
        extensions: &["rs"],
        pattern: r"(?m)^[ \t]*#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest)\b[^\n]*\][ \t]*\n(?:[ \t]*(?:#\[(?:[^i\n]|i[^g\n])[^\n]*\]|//[^\n]*)[ \t]*\n)*[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?(?:async[ \t]+)?fn[ \t]+(\w+)",
    },
    Dialect {
        extensions: &["go"],
        pattern: r"(?m)^func[ \t]+(?:\([^)]*\)[ \t]*)?((?:Test|Fuzz|Example)\w*)[ \t]*\(",
    },
    Dialect {
        extensions: &["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"],
        pattern: r#"(?m)^[ \t]*(?:await[ \t]+)?(?:t\.)?(?:it|test|specify)(?:\.(?:only|each|concurrent|serial|sequential|failing|fails|prop)\b(?:\([^\n]*?\)(?:[ \t]*\())?)*[ \t]*\(?[ \t]*["'`]([^"'`\n]+)"#,
    },
    Dialect {
        extensions: &["java", "kt", "kts", "groovy", "scala"],
        pattern: r"(?m)^[ \t]*@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b[^\n]*\n(?:[ \t]*(?:@(?:[^DI\n]|D[^i\n]|I[^g\n])[^\n]*|//[^\n]*)\n)*[ \t]*(?:[\w<>\[\], .?]+[ \t]+)?(?:fun[ \t]+)?(`[^`\n]+`|\w+)[ \t]*\(",
    },
    Dialect {
        extensions: &["cs", "fs", "vb"],
        pattern: r"(?m)^[ \t]*\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b[^\n]*\n(?:[ \t]*\[(?:[^I\n]|I[^g\n])[^\n]*\n)*[ \t]*[^\n(]*?(\w+)[ \t]*\(",
    },
    Dialect {
        extensions: &["rb"],
        pattern: r#"(?m)^[ \t]*(?:def[ \t]+(test_\w+)|(?:it|test|specify|scenario|should)[ \t]*\(?[ \t]*["']([^"'\n]+))"#,
    },
    Dialect {
        extensions: &["php"],
        pattern: r#"(?m)^[ \t]*(?:(?:(?:public|final)[ \t]+)*function[ \t]+(test\w+)|(?:it|test)[ \t]*\([ \t]*["']([^"'\n]+))"#,
    },
    Dialect {
        extensions: &["ex", "exs", "bats"],
        pattern: r#"(?m)^[ \t]*@?test[ \t]+["']([^"'\n]+)"#,
    },
    Dialect {
        extensions: &["c", "cc", "cpp", "cxx", "h", "hpp", "m", "mm"],
        pattern: r#"(?m)^[ \t]*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|SCENARIO|START_TEST|BOOST_AUTO_TEST_CASE)[ \t]*\([ \t]*"?([^)"\n]+)"#,
    },
    Dialect {
        extensions: &["swift", "dart"],
        pattern: r#"(?m)^[ \t]*(?:func[ \t]+(test\w+)|(?:test|testWidgets)[ \t]*\([ \t]*["']([^"'\n]+)|@Test[^\n]*func[ \t]+(\w+))"#,
    },
];

static PATTERNS: LazyLock<Vec<(&'static [&'static str], Regex)>> = LazyLock::new(|| {
    let compile = |dialect: &Dialect| {
        (dialect.extensions, Regex::new(dialect.pattern).expect("the patterns are tested"))
    };
    DIALECTS.iter().map(compile).collect()
});

/// Returns whether a file can declare tests, by its name alone.
pub fn may_declare_tests(path: &str) -> bool {
    pattern_of(path).is_some() || is_test_script(path)
}

/// Returns the tests that a file declares. A script that is named like a test is one.
pub fn declared_tests(path: &str, text: &str) -> Declared {
    let mut found = Declared::new();
    if let Some(pattern) = pattern_of(path) {
        for captures in pattern.captures_iter(text) {
            let name = captures.iter().skip(1).flatten().next();
            let name = name.map_or("", |name| name.as_str()).trim().trim_matches('`');
            *found.entry(name.to_owned()).or_default() += 1;
        }
    } else if is_test_script(path) {
        found.insert(path.to_owned(), 1);
    }
    found
}

fn pattern_of(path: &str) -> Option<&'static Regex> {
    let extension = path.rsplit('/').next()?.rsplit_once('.')?.1;
    let fits = |known: &&(&[&str], Regex)| known.0.contains(&extension);
    PATTERNS.iter().find(fits).map(|(_, pattern)| pattern)
}

fn is_test_script(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let script = matches!(extension, "sh" | "bash" | "zsh" | "t" | "pl" | "lua" | "sql");
    let is_test = stem.starts_with("test") || stem.ends_with("test") || stem.ends_with("_spec");
    script && (extension == "t" || is_test)
}

/// How the tests of a repository changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TestsChanged {
    /// Whether the whole repository was counted, or the changed files alone.
    pub whole: bool,
    /// How many there were.
    pub before: u64,
    /// How many there are.
    pub after: u64,
    /// How many went away.
    pub removed_count: u64,
    /// Names of those, at most [`MAX_REMOVED`].
    pub removed: Vec<String>,
}

impl TestsChanged {
    /// Compares what the changed files declared with what they declare now; `all` is how many tests the
    /// whole repository had, where that is known. A test that only moved is not removed.
    pub fn of(all: Option<u64>, then: &Declared, now: &Declared) -> Self {
        let count = |declared: &Declared| declared.values().sum::<u64>();
        let gone = |(name, times): (&String, &u64)| {
            let left = now.get(name).copied().unwrap_or(0);
            times.checked_sub(left).filter(|gone| *gone > 0).map(|gone| (name.clone(), gone))
        };
        let gone: Vec<(String, u64)> = then.iter().filter_map(gone).collect();
        let before = all.unwrap_or_else(|| count(then));
        Self {
            whole: all.is_some(),
            before,
            after: (before + count(now)).saturating_sub(count(then)),
            removed_count: gone.iter().map(|(_, times)| times).sum(),
            removed: gone.into_iter().map(|(name, _)| name).take(MAX_REMOVED).collect(),
        }
    }

    /// Says it: `41 → 39, 2 removed: adds, subtracts`.
    pub fn words(&self) -> String {
        const NAMED: usize = 5;
        let Self { whole, before, after, removed_count, removed } = self;
        let among = if *whole { "" } else { " in the changed files" };
        if *removed_count == 0 {
            return format!("{before} → {after}{among}");
        }
        let named: Vec<&str> = removed.iter().take(NAMED).map(String::as_str).collect();
        let more = removed_count.saturating_sub(named.len() as u64);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{before} → {after}{among}, {removed_count} removed: {}{more}", named.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, text: &str) -> Vec<String> {
        declared_tests(path, text).into_keys().collect()
    }

    #[test]
    fn tests_are_found_in_every_dialect() {
        let cases: &[(&str, &str, &[&str])] = &[
            (
                "t.py",
                "def test_a():\n    pass\nclass T:\n    async def test_b(self): ...\ndef helper(): ...",
                &["test_a", "test_b"],
            ),
            (
                "a.rs",
                "#[test]\nfn one() {}\n  #[tokio::test(flavor = \"x\")]\n  async fn two() {}\nfn no() {}",
                &["one", "two"],
            ),
            (
                "a_test.go",
                "func TestAdds(t *testing.T) {\nfunc helper() {}\nfunc (s *S) TestB() {",
                &["TestAdds", "TestB"],
            ),
            (
                "a.test.ts",
                "test('adds', () => {})\n  it(\"subtracts\", f)\n it.each([1])('each %s', f)\nre.test('x')",
                &["adds", "each %s", "subtracts"],
            ),
            (
                "T.java",
                "  @Test\n  void adds() {\n  @ParameterizedTest\n  @ValueSource(ints = {1})\n  public void many(int x) {",
                &["adds", "many"],
            ),
            ("T.kt", "@Test\nfun `adds two`() {", &["adds two"]),
            (
                "T.cs",
                "[Fact]\npublic void Adds() {\n[Theory]\n[InlineData(1)]\npublic void Many(int x) {",
                &["Adds", "Many"],
            ),
            ("a_spec.rb", "it \"adds\" do\n  it('b') {\n def test_c", &["adds", "b", "test_c"]),
            (
                "ATest.php",
                "public function testAdds(): void\nit('works', fn() => 1)",
                &["testAdds", "works"],
            ),
            ("a_test.exs", "  test \"adds\" do", &["adds"]),
            ("a.cc", "TEST(Cart, Adds) {\nTEST_CASE(\"name\") {", &["Cart, Adds", "name"]),
            ("ATests.swift", "  func testAdds() {", &["testAdds"]),
            ("tests/test_bye.sh", "anything", &["tests/test_bye.sh"]),
            ("src/main.c", "int main() {}", &[]),
            ("README.md", "test('x')", &[]),
        ];
        for (path, text, wanted) in cases {
            assert_eq!(names(path, text), *wanted, "{path}");
        }
    }

    #[test]
    fn a_test_that_is_switched_off_is_none() {
        assert_eq!(names("a.test.js", "it.skip('a', f)\nxit('b', f)\ntest.todo('c')"), [""; 0]);
        assert_eq!(names("a.rs", "#[test]\n#[ignore]\nfn one() {}"), [""; 0]);
        assert_eq!(
            names("T.java", "@Test\n@Disabled\nvoid a() {\n@Test\n@Ignore\nvoid b() {"),
            [""; 0]
        );
    }

    #[test]
    fn what_moved_is_not_removed_and_what_went_is_named() {
        let then =
            declared_tests("a.py", "def test_a(): ...\ndef test_b(): ...\ndef test_c(): ...");
        let now = declared_tests("b.py", "def test_c(): ...\ndef test_new(): ...");
        let changed = TestsChanged::of(Some(41), &then, &now);
        assert_eq!(changed.words(), "41 → 40, 2 removed: test_a, test_b");
        let among = TestsChanged::of(None, &then, &now).words();
        assert_eq!(among, "3 → 2 in the changed files, 2 removed: test_a, test_b");
        assert_eq!(TestsChanged::of(Some(1), &Declared::new(), &now).words(), "1 → 3");
    }
}
