//! The name of a test, taken apart.
//!
//! Every tool writes it otherwise: `tests/a.rs::group::name`, `tests/a.py::Class::name[case]`,
//! `test/a.test.js > group > name`, `a_test.go:TestName`, `ATest.java#name`, or the name alone.

/// What separates a file from what is in it, and the parts of a name.
const SEPARATORS: [&str; 4] = ["::", " > ", "#", ":"];

/// What begins a comment behind a name.
const COMMENTS: [&str; 4] = [" — ", " – ", " - ", " ("];

/// Where to look for a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTest {
    /// The file, if one is named.
    pub file: Option<String>,
    /// What has to stand in it, if anything is named.
    pub name: Option<String>,
}

/// Takes the name of a test apart.
pub fn named_test(text: &str) -> NamedTest {
    let comment = COMMENTS.iter().filter_map(|mark| text.find(mark)).min();
    let text = &text[..comment.unwrap_or(text.len())];
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '"'));
    let first = SEPARATORS.iter().filter_map(|mark| Some((text.find(mark)?, mark.len()))).min();
    let (head, rest) = match first {
        Some((at, len)) => (&text[..at], &text[at + len..]),
        None => (text, ""),
    };
    let is_path = head.contains(['/', '.']) && !head.contains(char::is_whitespace);
    if is_path {
        let file = head.trim_start_matches("./").to_owned();
        return NamedTest { file: Some(file), name: last(rest) };
    }
    NamedTest { file: None, name: last(text) }
}

/// The last part of a name, without the case of a table or the brackets of a call.
fn last(name: &str) -> Option<String> {
    let mut name = name;
    for separator in SEPARATORS {
        name = name.rsplit(separator).find(|part| !part.trim().is_empty()).unwrap_or_default();
    }
    let name = name.split('[').next().unwrap_or_default().trim();
    let name = name.strip_suffix("()").unwrap_or(name).trim();
    let is_line = name.bytes().all(|byte| byte.is_ascii_digit());
    (!name.is_empty() && !is_line).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_tool_are_taken_apart() {
        for (text, file, name) in [
            ("tests/a.rs::group::adds", Some("tests/a.rs"), Some("adds")),
            ("./tests/a.py::TestA::test_b[1-2]", Some("tests/a.py"), Some("test_b")),
            ("test/a.test.js > sums > adds two", Some("test/a.test.js"), Some("adds two")),
            ("a_test.go:TestAdds", Some("a_test.go"), Some("TestAdds")),
            ("src/test/ATest.java#adds()", Some("src/test/ATest.java"), Some("adds")),
            ("tests/a.sh", Some("tests/a.sh"), None),
            ("tests/a.rs:12", Some("tests/a.rs"), None),
            ("adds_two", None, Some("adds_two")),
            ("group::adds_two", None, Some("adds_two")),
            ("`tests/a.rs::adds` — for zero", Some("tests/a.rs"), Some("adds")),
            ("::", None, None),
            ("", None, None),
        ] {
            let named = named_test(text);
            assert_eq!((named.file.as_deref(), named.name.as_deref()), (file, name), "{text}");
        }
    }
}
