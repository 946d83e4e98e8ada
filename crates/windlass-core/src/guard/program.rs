//! Which programs an agent does not start.

use std::path::Path;

use super::command::{look_within, unreadable};
use super::{Found, Grounds, path};

/// What surrounds a command.
pub(super) struct Around<'a> {
    pub(super) folder: &'a Path,
    pub(super) grounds: &'a Grounds,
    pub(super) depth: usize,
}

/// Words of the shell and programs that stand before the command that is meant.
const BEFORE: [&str; 23] = [
    "!", "builtin", "command", "do", "doas", "elif", "else", "env", "exec", "if", "ionice", "nice",
    "nohup", "setsid", "stdbuf", "sudo", "then", "time", "timeout", "until", "while", "xargs", "{",
];

const SHELLS: [&str; 5] = ["bash", "dash", "ksh", "sh", "zsh"];

/// Programs whose arguments are files that they write or remove.
const WRITERS: [&str; 12] = [
    "chmod", "chown", "cp", "install", "ln", "mkdir", "mv", "rm", "rmdir", "tee", "touch",
    "truncate",
];

pub(super) fn look(words: &[&str], here: Option<&str>, around: &Around<'_>) -> Found {
    let words = meant(words);
    let Some((first, arguments)) = words.split_first() else { return Found::Nothing };
    let name = name_of(first);
    match name {
        "git" => git(arguments),
        "gh" => gh(arguments),
        "hub" => pushes("`hub` writes to the forge"),
        "eval" => {
            look_within(&arguments.join(" "), around.folder, around.grounds, around.depth + 1)
        }
        "find" => find(arguments, around),
        _ if SHELLS.contains(&name) => shell(arguments, here, around),
        _ if WRITERS.contains(&name) => writes(arguments, around),
        "sed" if arguments.iter().any(|word| word.starts_with("-i")) => writes(arguments, around),
        _ if first.contains('$') => unreadable(&words.join(" ")),
        _ => Found::Nothing,
    }
}

/// Leaves out assignments and what stands before the command.
fn meant<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    let mut rest = words;
    let mut before = false;
    while let Some((first, more)) = rest.split_first() {
        let assigns = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        if !assigns && !BEFORE.contains(&name_of(first)) {
            break;
        }
        before |= !assigns;
        rest = more;
    }
    if !before {
        return rest;
    }
    // `sudo -u them`, `timeout -k 5 30`: which options have values is not worth knowing, since
    // what is looked for has a name.
    let named = |word: &&str| {
        let name = name_of(word);
        matches!(name, "git" | "gh" | "hub") || SHELLS.contains(&name)
    };
    rest.iter().position(named).map_or(rest, |at| &rest[at..])
}

fn name_of(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn git(arguments: &[&str]) -> Found {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" => {
                words.next();
            }
            "-c" | "--config-env" => {
                if words.next().is_some_and(|set| set.starts_with("alias.")) {
                    return unreadable(&arguments.join(" "));
                }
            }
            "push" | "send-pack" | "http-push" => {
                return pushes("an agent does not push, and holds no keys to");
            }
            "subtree" if words.as_slice().contains(&"push") => {
                return pushes("an agent does not push, and holds no keys to");
            }
            option if option.starts_with('-') => {}
            dynamic if dynamic.contains('$') => return unreadable(&arguments.join(" ")),
            _ => return Found::Nothing,
        }
    }
    Found::Nothing
}

fn gh(arguments: &[&str]) -> Found {
    let words: Vec<&str> =
        arguments.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let writes = match words.as_slice() {
        ["api", ..] => api_writes(arguments),
        [
            "pr" | "issue" | "release" | "repo" | "gist" | "secret" | "variable" | "label",
            act,
            ..,
        ] => !matches!(*act, "view" | "list" | "diff" | "status" | "checks" | "clone" | "download"),
        ["workflow" | "run", act, ..] => !matches!(*act, "view" | "list" | "watch" | "download"),
        ["auth", act, ..] => *act != "status",
        _ => false,
    };
    if writes { pushes("an agent does not write to the forge") } else { Found::Nothing }
}

/// `gh api` reads unless it is told a method or given fields.
fn api_writes(arguments: &[&str]) -> bool {
    let mut words = arguments.iter();
    let mut fields = false;
    while let Some(word) = words.next() {
        let method = match *word {
            "-X" | "--method" => words.next().copied(),
            _ => word.strip_prefix("--method=").or_else(|| word.strip_prefix("-X")),
        };
        match method {
            Some(method) if method.eq_ignore_ascii_case("get") => return false,
            Some(_) => return true,
            None => {}
        }
        let field = ["-f", "-F", "--field", "--raw-field", "--input"];
        fields |= field.iter().any(|name| word.starts_with(name));
    }
    fields
}

fn pushes(what: &str) -> Found {
    Found::Forbidden(format!(
        "{what}: windlass publishes what is proven. Leave your work in the files of the place and go on"
    ))
}

fn shell(arguments: &[&str], here: Option<&str>, around: &Around<'_>) -> Found {
    let given = arguments
        .iter()
        .position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'));
    let text = given.and_then(|at| arguments.get(at + 1)).copied().or(here);
    match text {
        Some(text) => look_within(text, around.folder, around.grounds, around.depth + 1),
        None => Found::Nothing,
    }
}

fn find(arguments: &[&str], around: &Around<'_>) -> Found {
    let acts = |word: &&str| matches!(*word, "-exec" | "-execdir" | "-ok" | "-okdir");
    match arguments.iter().position(acts) {
        Some(at) => look(&arguments[at + 1..], None, around),
        None => Found::Nothing,
    }
}

fn writes(arguments: &[&str], around: &Around<'_>) -> Found {
    // Which of them are only read is another matter; `.git` is nothing to copy from either.
    arguments
        .iter()
        .filter(|word| !word.starts_with('-') && !word.contains('$'))
        .filter(|word| word.contains(".git") || word.contains(".windlass/run"))
        .map(|word| path::look(word, around.folder, around.grounds))
        .fold(Found::Nothing, |found, next| found.or(|| next))
}
