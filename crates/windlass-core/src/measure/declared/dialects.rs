//! How tests are written in the languages that windlass can count them in.

use std::sync::LazyLock;

use regex::Regex;

/// How the tests of one family of languages are written.
struct Dialect {
    extensions: &'static [&'static str],
    /// How a test begins; the first group that is there is its name.
    test: &'static str,
    /// What switches tests off: one mark can stand for a test, a group or a whole file. So can a mark
    /// that runs one test and no other.
    off: &'static str,
}

const DIALECTS: &[Dialect] = &[
    Dialect {
        extensions: &["py", "pyi"],
        test: r"(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)",
        off: r"@(?:\w+\.)*(?:skip|skipIf|skipUnless|skipif|xfail|expectedFailure)\b|\b(?:pytest|self)\.(?:skip|skipTest|xfail|importorskip)\(|\bmark\.(?:skip|skipif|xfail)\b|\bSkipTest\b|\b__test__\s*=\s*False|\bcollect_ignore",
    },
    Dialect {
        extensions: &["rs"],
        test: r"(?m)^[ \t]*#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest)\b[^\n]*\][ \t]*\n(?:[ \t]*(?:#\[[^\n]*\]|//[^\n]*)[ \t]*\n)*[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?(?:async[ \t]+)?fn[ \t]+(\w+)",
        off: r"#!?\[(?:cfg_attr\([^\n\]]*,\s*)?ignore\b|#!?\[cfg\((?:any\(\)|false|not\(test\))",
    },
    Dialect {
        extensions: &["go"],
        test: r"(?m)^func[ \t]+(?:\([^)]*\)[ \t]*)?((?:Test|Fuzz|Example)\w*)[ \t]*\(",
        off: r"\b\w+\.Skip(?:f|Now)?\(|(?m:^//go:build[ \t]+(?:ignore|never)\b)",
    },
    Dialect {
        extensions: &["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"],
        test: r#"(?m)^[ \t]*(?:await[ \t]+)?(?:t\.)?[xf]?(?:it|test|specify)(?:\.(?:only|skip|todo|fixme|each|concurrent|serial|sequential|failing|fails|prop|skipIf|runIf)\b(?:\([^\n]*?\)(?:[ \t]*\())?)*[ \t]*\(?[ \t]*["'`]([^"'`\n]+)"#,
        off: r"\b(?:it|test|specify|describe|context|suite)(?:\.\w+)*\.(?:skip|todo|only|fixme|skipIf|runIf)\b|\b(?:x|f)(?:it|test|specify|describe|context)\s*\(|\b(?:this|t|ctx)\.(?:skip|todo)\(|[{,]\s*(?:skip|only|todo)\s*:",
    },
    Dialect {
        extensions: &["java", "kt", "kts", "groovy", "scala"],
        test: r"(?m)^[ \t]*@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b[^\n]*\n(?:[ \t]*(?:@[^\n]*|//[^\n]*)\n)*[ \t]*(?:[\w<>\[\], .?]+[ \t]+)?(?:fun[ \t]+)?(`[^`\n]+`|\w+)[ \t]*\(",
        off: r"@(?:Disabled|Ignore|EnabledIf)\w*|\bassum(?:e|ing)(?:True|False|That|NotNull|NoException)\b|\benabled\s*=\s*false",
    },
    Dialect {
        extensions: &["cs", "fs", "vb"],
        test: r"(?m)^[ \t]*\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b[^\n]*\n(?:[ \t]*\[[^\n]*\n)*[ \t]*[^\n(]*?(\w+)[ \t]*\(",
        off: r"\bSkip\s*=|\[(?:Ignore|Explicit)\b|\bAssert\.(?:Ignore|Inconclusive|Skip)\b",
    },
    Dialect {
        extensions: &["rb"],
        test: r#"(?m)^[ \t]*(?:def[ \t]+(test_\w+)|[xf]?(?:it|test|specify|scenario|should)[ \t]*\(?[ \t]*["']([^"'\n]+))"#,
        off: r"(?m)^[ \t]*(?:[xf](?:it|specify|describe|context|scenario)|skip|pending)\b|,\s*:?(?:skip|pending|focus)\b|\bomit\b",
    },
    Dialect {
        extensions: &["php"],
        test: r#"(?m)^[ \t]*(?:(?:(?:public|final)[ \t]+)*function[ \t]+(test\w+)|(?:it|test)[ \t]*\([ \t]*["']([^"'\n]+))"#,
        off: r"\bmarkTest(?:Skipped|Incomplete)\b|->(?:skip|todo|only)\(",
    },
    Dialect {
        extensions: &["ex", "exs", "bats"],
        test: r#"(?m)^[ \t]*@?test[ \t]+["']([^"'\n]+)"#,
        off: r"(?m)@(?:module|describe)?tag[ \t]+:?skip\b|^[ \t]*skip\b",
    },
    Dialect {
        extensions: &["c", "cc", "cpp", "cxx", "h", "hpp", "m", "mm"],
        test: r#"(?m)^[ \t]*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|SCENARIO|START_TEST|BOOST_AUTO_TEST_CASE)[ \t]*\([ \t]*"?([^)"\n]+)"#,
        off: r"\bDISABLED_\w+|\bGTEST_SKIP\b|\[(?:\.|!hide|!mayfail|!shouldfail)\]|\bSKIP\(",
    },
    Dialect {
        extensions: &["swift", "dart"],
        test: r#"(?m)^[ \t]*(?:func[ \t]+(test\w+)|(?:test|testWidgets)[ \t]*\([ \t]*["']([^"'\n]+)|@Test[^\n]*func[ \t]+(\w+))"#,
        off: r"\bXCTSkip\w*|\bskip:\s|\.disabled\(",
    },
];

/// What says in any of them that something has to be so. The names are those of many libraries: it is
/// for comparing a file with itself, not for telling how much is tested.
const ASSERTION: &str = r"(?i)\b(?:assert|expect|should|refute|xctassert)\w*\s*[!(.]|(?m:^[ \t]*assert\b[ \t]+\S)|\b(?:require|verify|check)\w*[!(]|\bt\.(?:error|fatal|fail)\w*\(";

/// A language's patterns, ready to use.
pub(super) struct Patterns {
    extensions: &'static [&'static str],
    pub(super) test: Regex,
    pub(super) off: Regex,
}

static PATTERNS: LazyLock<Vec<Patterns>> = LazyLock::new(|| {
    let regex = |pattern: &str| Regex::new(pattern).expect("the patterns are tested");
    let compile = |dialect: &Dialect| Patterns {
        extensions: dialect.extensions,
        test: regex(dialect.test),
        off: regex(dialect.off),
    };
    DIALECTS.iter().map(compile).collect()
});

pub(super) static ASSERTIONS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(ASSERTION).expect("the pattern is tested"));

/// Returns how tests are written in a file of this name.
pub(super) fn patterns_of(path: &str) -> Option<&'static Patterns> {
    let extension = path.rsplit('/').next()?.rsplit_once('.')?.1;
    PATTERNS.iter().find(|known| known.extensions.contains(&extension))
}
