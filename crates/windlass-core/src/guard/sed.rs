//! Scripts of `sed`: the commands in them that run programs and touch files.

use super::path::Access;
use super::shell::Walk;

/// What a command of a script does outside of `sed`.
#[derive(Debug, PartialEq, Eq)]
enum Act {
    /// `e COMMAND`.
    Runs(String),
    /// `e`, `s/…/…/e`: what stands in the text is run.
    RunsText,
    /// `w FILE`, `s/…/…/w FILE`.
    Writes(String),
    /// `r FILE`.
    Reads(String),
}

pub(super) fn look(walk: &mut Walk<'_>, script: &str) {
    for act in acts(script) {
        match act {
            Act::Runs(command) => {
                walk.script_or_riddle(&command);
            }
            Act::RunsText => walk.cannot_tell(
                "this script of `sed` runs as a command what it finds in a text, and it could be a push. \
                 Write the command out",
            ),
            Act::Writes(file) => walk.file(&file, Access::Write),
            Act::Reads(file) => walk.file(&file, Access::Read),
        }
    }
}

/// The acts of a script. What is no script of `sed` has none.
fn acts(script: &str) -> Vec<Act> {
    let mut acts = Vec::new();
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']);
        rest = after_address(rest);
        let Some(command) = rest.chars().next() else { return acts };
        let after = &rest[command.len_utf8()..];
        let (line, next) = after.split_once('\n').unwrap_or((after, ""));
        let named = || line.trim().to_owned();
        match command {
            'e' if matches!(line.trim_start().chars().next(), None | Some(';' | '}')) => {
                acts.push(Act::RunsText);
                rest = after;
            }
            'e' => {
                acts.push(Act::Runs(named()));
                rest = next;
            }
            'w' | 'W' => {
                acts.push(Act::Writes(named()));
                rest = next;
            }
            'r' | 'R' => {
                acts.push(Act::Reads(named()));
                rest = next;
            }
            's' => match substitution(after) {
                Some((flags, behind)) => {
                    acts.extend(flags);
                    rest = behind;
                }
                None => return acts,
            },
            'y' => match parts(after) {
                Some(behind) => rest = behind,
                None => return acts,
            },
            // The rest of the line is text or a name.
            'a' | 'i' | 'c' | ':' | 'b' | 't' | 'T' | '#' => rest = next,
            _ => rest = after,
        }
    }
}

/// Takes `1,/x/!` and the like away.
fn after_address(mut rest: &str) -> &str {
    loop {
        let next = rest.trim_start_matches(|c: char| {
            c.is_ascii_digit() || matches!(c, '$' | ',' | '!' | '~' | '+' | ' ' | '\t' | '{')
        });
        let next = match next.strip_prefix('/') {
            Some(inside) => match until(inside, '/') {
                Some(behind) => behind.trim_start_matches(['I', 'M']),
                None => "",
            },
            None => next,
        };
        let other = next.strip_prefix('\\').and_then(|mark| {
            let delimiter = mark.chars().next()?;
            until(&mark[delimiter.len_utf8()..], delimiter)
        });
        let next = other.unwrap_or(next);
        if next.len() == rest.len() {
            return rest;
        }
        rest = next;
    }
}

/// What stands behind the delimiter; one behind a backslash or in brackets does not count.
fn until(text: &str, delimiter: char) -> Option<&str> {
    let (mut escaped, mut bracket) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => bracket = true,
            ']' => bracket = false,
            _ if c == delimiter && !bracket => return Some(&text[at + c.len_utf8()..]),
            _ => {}
        }
    }
    // A bracket that nobody closed is a plain one.
    if bracket { text.split_once(delimiter).map(|(_, behind)| behind) } else { None }
}

/// What stands behind `/…/…/`.
fn parts(text: &str) -> Option<&str> {
    let delimiter = text.chars().next()?;
    until(until(&text[delimiter.len_utf8()..], delimiter)?, delimiter)
}

fn substitution(text: &str) -> Option<(Option<Act>, &str)> {
    let behind = parts(text)?;
    let flags = |c: char| c.is_ascii_digit() || matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M');
    let rest = behind.trim_start_matches(flags);
    if let Some(file) = rest.strip_prefix('w') {
        let (file, next) = file.split_once('\n').unwrap_or((file, ""));
        return Some((Some(Act::Writes(file.trim().to_owned())), next));
    }
    match rest.strip_prefix('e') {
        Some(rest) => Some((Some(Act::RunsText), rest.trim_start_matches(flags))),
        None => Some((None, rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_run_and_write_are_found_wherever_they_stand() {
        let runs = |text: &str| vec![Act::Runs(text.to_owned())];
        assert_eq!(acts("1e git push"), runs("git push"));
        assert_eq!(acts("/x/,$!{p;e git push"), runs("git push"));
        assert_eq!(acts("s/a/b/;\\,x,I e git push"), runs("git push"));
        assert_eq!(acts("e"), [Act::RunsText]);
        assert_eq!(acts("p;e;p"), [Act::RunsText]);
        assert_eq!(acts("1s|.*|git push|ge;1q"), [Act::RunsText]);
        assert_eq!(acts("s/a/b/gw src/x"), [Act::Writes("src/x".to_owned())]);
        assert_eq!(
            acts("wmain.rs\nr x"),
            [Act::Writes("main.rs".to_owned()), Act::Reads("x".to_owned())]
        );
    }

    #[test]
    fn texts_that_only_look_like_them_have_no_act() {
        for plain in [
            "s/git push/git fetch/",
            "s/e/w/g;s,r,e,",
            "/where we/d",
            "/git push/,/^$/p",
            "s/[/]e/x/",
            "s/[^]/]*e//",
            "1,5p",
            "$!N;P;D",
            "a\\ e git push",
            "y/ew/we/",
            ":e;be",
            "s/a\\/e git push/b/",
            "",
        ] {
            assert_eq!(acts(plain), [], "{plain}");
        }
    }
}
