//! Files and lines that the output of a failed check names.
//!
//! The usual forms of compilers, test runners and stack traces are known. Only what looks like a
//! file of the repository counts: a relative path, or an absolute one that ends in a path that the
//! step changed, because checks run in a tree whose place nobody else knows.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// How many places are told.
const MAX_PLACES: usize = 6;

/// How long a path may be to be told.
const MAX_PATH_BYTES: usize = 160;

/// Folders of tools and of other people's code.
const NOT_OURS: [&str; 9] = [
    "node_modules",
    "vendor",
    "site-packages",
    "dist-packages",
    ".cargo",
    ".rustup",
    "target",
    ".venv",
    "rustc",
];

/// Ends of the names of machines, which look like files with a line: `example.com:443`.
const HOSTS: [&str; 8] = ["com", "org", "net", "io", "dev", "local", "internal", "localhost"];

/// `src/x.rs:3:5`, `x.go:3:`, `(x.js:3:5)`, `x.java:[3,5]`, `x.ts(3,5)`.
static SHORT: LazyLock<Regex> = LazyLock::new(|| {
    let path = r"(?P<path>[\w./@+~\\-]*[\w-]\.[A-Za-z]\w{0,9})";
    let place = r"(?::\[?(?P<l1>\d+)(?:[:,](?P<c1>\d+))?|\((?P<l2>\d+),(?P<c2>\d+)\))";
    compiled(&format!("{path}{place}"))
});

/// `File "x.py", line 3`.
static PYTHON: LazyLock<Regex> =
    LazyLock::new(|| compiled(r#"File "(?P<path>[^"\n]+)", line (?P<l1>\d+)"#));

fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is one: a test uses it")
}

/// Returns the places that an output names, each once and in its order.
pub(super) fn places(output: &str, changed: &[String]) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for pattern in [&*SHORT, &*PYTHON] {
        for captures in pattern.captures_iter(output) {
            let at = captures.get(0).map_or(0, |whole| whole.start());
            found.extend(place(&captures, changed).map(|place| (at, place)));
        }
    }
    found.sort();
    let mut places: Vec<String> = Vec::new();
    for (_, place) in found {
        if !places.contains(&place) && places.len() < MAX_PLACES {
            places.push(place);
        }
    }
    places
}

fn place(captures: &Captures<'_>, changed: &[String]) -> Option<String> {
    let path = ours(captures.name("path")?.as_str(), changed)?;
    let number = |names: [&str; 2]| names.iter().find_map(|name| captures.name(name));
    let line = number(["l1", "l2"])?.as_str();
    Some(match number(["c1", "c2"]) {
        Some(column) => format!("{path}:{line}:{}", column.as_str()),
        None => format!("{path}:{line}"),
    })
}

/// Returns the path as it stands in the repository, if it looks like one of its files.
fn ours(path: &str, changed: &[String]) -> Option<String> {
    let path = path.replace('\\', "/");
    if path.len() > MAX_PATH_BYTES || path.chars().any(char::is_control) {
        return None;
    }
    if path.starts_with(['/', '~']) || path.contains(":/") {
        let ends = |name: &&String| path.ends_with(&format!("/{name}"));
        return changed.iter().find(ends).cloned();
    }
    let path = path.strip_prefix("./").unwrap_or(&path);
    let parts: Vec<&str> = path.split('/').collect();
    let foreign = parts
        .iter()
        .any(|part| NOT_OURS.contains(part) || part.is_empty() || [".", ".."].contains(part));
    let ending = path.rsplit('.').next().unwrap_or_default().to_lowercase();
    let host = parts.len() == 1 && HOSTS.contains(&ending.as_str());
    (!foreign && !host).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(output: &str) -> String {
        places(output, &["app/views.py".to_owned(), "src/Main.java".to_owned()]).join(" ")
    }

    #[test]
    fn the_usual_forms_are_known() {
        for (output, place) in [
            ("error[E0308]: mismatched types\n --> src/x.rs:3:5\n", "src/x.rs:3:5"),
            ("thread 'a' panicked at crates/a/src/lib.rs:12:9:\n", "crates/a/src/lib.rs:12:9"),
            ("  File \"tests/test_x.py\", line 3, in test", "tests/test_x.py:3"),
            ("tests/test_x.py:7: AssertionError", "tests/test_x.py:7"),
            ("    at Object.foo (lib/x.js:3:5)", "lib/x.js:3:5"),
            ("./pay/x.go:3:2: undefined: y", "pay/x.go:3:2"),
            ("    sum_test.go:14: got 5", "sum_test.go:14"),
            ("src/x.ts(3,5): error TS2322", "src/x.ts:3:5"),
            ("[ERROR] src/App.java:[3,5] cannot find symbol", "src/App.java:3:5"),
            ("\tat shop.Cart.add(Cart.java:42)", "Cart.java:42"),
            ("spec/cart_spec.rb:9:in `block'", "spec/cart_spec.rb:9"),
            ("src\\x.cs(3,5): error CS1002", "src/x.cs:3:5"),
        ] {
            assert_eq!(found(output), place, "{output}");
        }
    }

    #[test]
    fn absolute_paths_count_only_as_files_that_changed() {
        assert_eq!(found("File \"/tmp/v1/app/views.py\", line 9"), "app/views.py:9");
        assert_eq!(found("[ERROR] /tmp/v1/src/Main.java:[1,2] x"), "src/Main.java:1:2");
        assert_eq!(found("File \"/usr/lib/python3/json/decoder.py\", line 9"), "");
        assert_eq!(found("at file:///tmp/v1/other.mjs:3:4"), "");
    }

    #[test]
    fn what_is_no_file_of_the_repository_is_left_out() {
        for output in [
            "connect to example.com:443 failed",
            "http://localhost:8080/ and https://shop.example.org:8443/x",
            "at 12:30:05, v1.2.3:4",
            "node_modules/jest/index.js:1:2",
            "../outside.rs:1:2",
            "/rustc/abc/library/std/src/panicking.rs:689:5",
            "",
        ] {
            assert_eq!(found(output), "", "{output}");
        }
    }

    #[test]
    fn places_are_told_once_in_their_order_and_not_too_many() {
        assert_eq!(found("b.rs:2:1 a.rs:1:1 b.rs:2:1"), "b.rs:2:1 a.rs:1:1");
        let many: String = (0..50).map(|number| format!("x{number}.rs:1\n")).collect();
        assert_eq!(places(&many, &[]).len(), MAX_PLACES);
        assert_eq!(found(&format!("{}.rs:1", "x".repeat(500))), "");
    }
}
