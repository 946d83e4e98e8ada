//! The part of a command's output that says why it failed.
//!
//! The end alone is often a summary, or the notices of the tool around the tests; the beginning is what
//! was compiled. What explains a failure is the first assertion, error or trace, and then the end.

use std::sync::LazyLock;

use regex::Regex;

/// Lines that begin the account of a failure in the usual compilers and test runners.
const TELLING: &str = concat!(
    r"panicked at|^E {2,}|^\s*(?:✗|✖|✘|×|✕)|^\s*not ok\b|--- FAIL|^\s*FAIL(?:ED)?\b|\bFAILED\b",
    r"|^\s*\d+\) |\b(?:fatal )?error(?:\[\w+\]| \w*\d+)?:|^error\b|^\[ERROR\]|^\s*Error:|^Traceback",
    r"|\b\w*(?:Error|Exception)\b(?::|$)|<<< (?:FAILURE|ERROR)!|^\s*(?:Assertion|assertion)\b",
    r"|\b(?:[Ee]xpected|[Aa]ctual|AssertionError)\b.*|\bundefined: |\b[Cc]annot find\b",
    r"|\bcommand not found\b|\bNo such file or directory\b|\b(?:Segmentation fault|core dumped)\b",
);

/// Lines that look like it and tell nothing.
const NOISE: &str = r"(?i)^npm (?:notice|warn|err!|error)|\b0 (?:errors?|fail(?:ed|ures?)?)\b|(?:errors?|fail(?:ed|ures?)?)\b\W*\b0\b|test failed, to rerun|could not compile|aborting due to|^make(?:\[\d+\])?: \*\*\*";

static TELLS: LazyLock<Regex> = LazyLock::new(|| Regex::new(TELLING).expect("it is tested"));
static IS_NOISE: LazyLock<Regex> = LazyLock::new(|| Regex::new(NOISE).expect("it is tested"));

/// Colours and the like of terminals.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])").expect("tested")
});

/// How many lines around a telling one belong to it.
const BEFORE: usize = 1;
const AFTER: usize = 6;

/// What stands for lines that were left out.
const GAP: &str = "[…]";

/// How much of one line is told; minified code is one line.
const MAX_LINE: usize = 400;

/// Returns the lines of an output that explain a failure, in at most `most` bytes: the first that tell a
/// cause and what stands around them, and the end.
pub fn cause(output: &str, most: usize) -> String {
    let text = plain(output);
    let text = text.trim_end();
    if text.len() <= most {
        return text.to_owned();
    }
    let lines: Vec<&str> = text.lines().map(|line| cut(line, MAX_LINE)).collect();
    // The end gets a third of the room, and whatever the causes leave.
    let mut told = vec![false; lines.len()];
    let mut room = most.saturating_sub(most / 3);
    for (at, line) in lines.iter().enumerate() {
        if told[at] || IS_NOISE.is_match(line) || !TELLS.is_match(line) {
            continue;
        }
        let around = at.saturating_sub(BEFORE)..(at + AFTER + 1).min(lines.len());
        let new = around.filter(|&line| !told[line]).collect::<Vec<_>>();
        let size = GAP.len() + 1 + new.iter().map(|&line| lines[line].len() + 1).sum::<usize>();
        let Some(left) = room.checked_sub(size) else { break };
        room = left;
        new.iter().for_each(|&line| told[line] = true);
    }
    room += most / 3;
    for (line, told) in lines.iter().zip(&mut told).rev().filter(|(_, told)| !**told) {
        let size = line.len() + 1 + GAP.len() + 1;
        if size > room {
            break;
        }
        room -= line.len() + 1;
        *told = true;
    }
    joined(&lines, &told)
}

fn joined(lines: &[&str], told: &[bool]) -> String {
    let (mut text, mut gap) = (String::new(), false);
    for (line, &told) in lines.iter().zip(told) {
        if told {
            text.push_str(line);
            text.push('\n');
        } else if !gap && !text.is_empty() {
            text.push_str(GAP);
            text.push('\n');
        }
        gap = !told;
    }
    text.trim_end().to_owned()
}

/// Escape sequences and other control characters have no business in a journal or a prompt.
fn plain(text: &str) -> String {
    let text = ESCAPE.replace_all(text, "");
    let keep = |c: &char| *c == '\n' || *c == '\t' || !c.is_control();
    text.replace("\r\n", "\n").chars().filter(keep).collect()
}

fn cut(line: &str, most: usize) -> &str {
    let mut end = most.min(line.len());
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noisy(cause: &str) -> String {
        let before: String = (0..200).map(|n| format!("  compiling part {n}\n")).collect();
        let after: String = (0..200).map(|n| format!("npm notice line {n}\n")).collect();
        format!("{before}{cause}\n{after}npm error code 1\n")
    }

    #[test]
    fn the_first_failure_is_told_whatever_stands_around_it() {
        let causes = [
            "thread 'sum' panicked at src/lib.rs:3:5:\nassertion `left == right` failed",
            "E   assert 3 == 4",
            "  1) cart\n       adds:\n     AssertionError [ERR_ASSERTION]: 3 == 4",
            "not ok 3 - adds two",
            "--- FAIL: TestAdds (0.00s)\n    sum_test.go:9: got 3, want 4",
            "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:2:5",
            "src/app.ts(3,5): error TS2304: Cannot find name 'x'.",
            "[ERROR] Tests run: 3, Failures: 1 <<< FAILURE!",
            "Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: no",
            "ReferenceError: total is not defined",
            "FAILED tests/test_sum.py::test_adds - assert 3 == 4",
            "/bin/sh: 1: jest: command not found",
            "  ✖ adds two (0.3ms)",
        ];
        for wanted in causes {
            let told = cause(&noisy(wanted), 1500);
            assert!(told.contains(wanted), "{wanted}: {told}");
            assert!(told.len() <= 1500, "{}", told.len());
            assert!(told.ends_with("npm error code 1"), "and the end: {told}");
            assert!(told.contains(GAP), "{told}");
        }
    }

    #[test]
    fn what_fits_is_whole_and_what_tells_nothing_is_its_end() {
        assert_eq!(cause("a\nb\n\n", 100), "a\nb");
        let told = cause(&noisy("fine, 0 failed"), 300);
        assert!(told.len() <= 300 && !told.contains("0 failed"), "{told}");
        assert!(told.ends_with("npm notice line 199\nnpm error code 1"), "{told}");
    }

    #[test]
    fn colours_go_and_bounds_hold_for_any_text() {
        assert_eq!(cause("\u{1b}[31mred\u{1b}[0m\u{7}\u{1b}]0;title\u{7}!", 100), "red!");
        let long = format!("error: {}\nlast", "ü".repeat(10_000));
        let told = cause(&long, 1000);
        assert!(told.starts_with("error: ü") && told.ends_with("last"), "{told}");
        for most in 0..200 {
            assert!(cause(&noisy("E   assert 3 == 4"), most).len() <= most, "{most}");
        }
    }
}
