//! Calls of the forges' programs and interfaces: reading is free, writing is windlass's.

use super::git::NO_PUSH;
use super::shell::Walk;
use super::word::is_known;
use super::wrapper::operands_all;

const NO_FORGE: &str = "an agent does not write to the forge: windlass publishes what is proven. Leave \
    your work in the files of the place and go on";

/// What only reads, for any kind of thing.
const READS: [&str; 25] = [
    "view",
    "list",
    "ls",
    "diff",
    "status",
    "checks",
    "check",
    "clone",
    "download",
    "watch",
    "get",
    "show",
    "checkout",
    "co",
    "verify",
    "search",
    "logs",
    "log",
    "trace",
    "lint",
    "set-default",
    "help",
    "field-list",
    "item-list",
    "trusted-root",
];

/// Kinds of things of a forge.
const KINDS: [&str; 42] = [
    "pr",
    "mr",
    "issue",
    "issues",
    "pulls",
    "release",
    "releases",
    "repo",
    "repos",
    "project",
    "gist",
    "secret",
    "variable",
    "label",
    "labels",
    "workflow",
    "run",
    "ci",
    "pipeline",
    "auth",
    "alias",
    "extension",
    "ext",
    "extensions",
    "cache",
    "codespace",
    "cs",
    "ruleset",
    "rs",
    "ssh-key",
    "gpg-key",
    "org",
    "attestation",
    "at",
    "snippet",
    "schedule",
    "milestone",
    "milestones",
    "login",
    "branches",
    "deploy-key",
    "job",
];

/// Words after which nothing is written.
const HARMLESS: [&str; 12] = [
    "search",
    "status",
    "browse",
    "completion",
    "help",
    "version",
    "config",
    "notifications",
    "copilot",
    "whoami",
    "preview",
    "open",
];

/// Says whether the program is one of a forge, or pushes by itself.
pub(super) fn look(walk: &mut Walk<'_>, name: &str, arguments: &[String]) -> bool {
    match name {
        "gh" | "glab" | "tea" | "lab" | "bb" => forge(walk, arguments),
        "hub" => hub(walk, arguments),
        "jj" | "sl" | "hg" | "dulwich" | "fossil" | "bzr" | "darcs" | "pijul" => {
            let words = operands_all(arguments, &["-R", "--repository", "--config", "-r", "-m"]);
            if matches!(
                words.as_slice(),
                ["push", ..] | ["git", "push", ..] | ["submit" | "pr", ..]
            ) {
                walk.forbid(NO_PUSH);
            }
        }
        "gt" | "ghstack" | "spr" | "arc" | "git-spr" => {
            let sends =
                ["submit", "s", "ss", "stack", "update", "land", "diff", "merge", "sync", "amend"];
            let first = operands_all(arguments, &[]).first().copied().unwrap_or_default();
            if sends.contains(&first) || (name == "ghstack" && first.is_empty()) {
                walk.forbid(NO_PUSH);
            }
        }
        "got" | "repo" | "az" => {
            let words = operands_all(arguments, &[]);
            if matches!(
                words.as_slice(),
                ["send", ..]
                    | ["upload", ..]
                    | ["repos", "pr", "create" | "update" | "set-vote", ..]
            ) {
                walk.forbid(NO_PUSH);
            }
        }
        "curl" | "wget" | "http" | "https" | "xh" | "curlie" => interface(walk, arguments),
        _ => return false,
    }
    // What else it does with files is looked at by others.
    !matches!(name, "curl" | "wget")
}

fn forge(walk: &mut Walk<'_>, arguments: &[String]) {
    if arguments.iter().any(|word| matches!(word.as_str(), "--help" | "--version")) {
        return;
    }
    let words = operands_all(arguments, &["-R", "--repo", "--hostname", "-g", "--group"]);
    match words.as_slice() {
        ["api", rest @ ..] => api(walk, arguments, rest),
        [dynamic, ..] if !is_known(dynamic) => walk.cannot_tell(NO_FORGE),
        [kind, act, ..] if KINDS.contains(kind) => {
            if !is_known(act) {
                walk.cannot_tell(NO_FORGE);
            } else if !READS.contains(act) || (*kind == "auth" && *act != "status") {
                walk.forbid(NO_FORGE);
            }
        }
        [kind] if KINDS.contains(kind) => {}
        [word, ..] if HARMLESS.contains(word) => {}
        // An extension may do anything.
        [_, ..] => walk.cannot_tell(NO_FORGE),
        [] => {}
    }
}

/// `gh api` reads unless it is told a method or given fields.
fn api(walk: &mut Walk<'_>, arguments: &[String], words: &[&str]) {
    if words.first() == Some(&"graphql")
        || words.first().is_some_and(|word| word.ends_with("/graphql"))
    {
        let text = arguments.join(" ");
        let lower = text.to_lowercase();
        let unseen = !is_known(&text) || text.contains("=@") || lower.contains("--input");
        if lower.contains("mutation") {
            walk.forbid(NO_FORGE);
        } else if unseen {
            walk.cannot_tell(NO_FORGE);
        }
        return;
    }
    match method(arguments, &["-X", "--method"]) {
        Some(method) if !is_known(&method) => walk.cannot_tell(NO_FORGE),
        Some(method) if !matches!(method.to_uppercase().as_str(), "GET" | "HEAD") => {
            walk.forbid(NO_FORGE);
        }
        Some(_) => {}
        None => {
            let field = ["-f", "-F", "--field", "--raw-field", "--input"];
            if arguments.iter().any(|word| field.iter().any(|name| word.starts_with(name))) {
                walk.forbid(NO_FORGE);
            }
        }
    }
}

/// The method that a request names; the last one counts.
fn method(arguments: &[String], names: &[&str]) -> Option<String> {
    let mut found = None;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        for name in names {
            if word == name {
                found = words.next().cloned();
                break;
            }
            let value = word.strip_prefix(name).map(|value| value.trim_start_matches('='));
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                found = Some(value.to_owned());
                break;
            }
        }
    }
    found
}

fn hub(walk: &mut Walk<'_>, arguments: &[String]) {
    let words = operands_all(arguments, &["-C", "-c"]);
    match words.as_slice() {
        ["pull-request" | "create" | "delete" | "fork" | "merge" | "sync" | "api", ..] => {
            walk.forbid(NO_FORGE);
        }
        ["release" | "issue" | "gist" | "pr", act, ..] if !READS.contains(act) => {
            walk.forbid(NO_FORGE)
        }
        ["release" | "issue" | "gist" | "pr" | "ci-status" | "browse" | "compare", ..] => {}
        _ => super::git::look(walk, arguments),
    }
}

/// A forge is also written to by its interface.
fn interface(walk: &mut Walk<'_>, arguments: &[String]) {
    let text = arguments.join(" ");
    let forge = [
        "api.github.com",
        "uploads.github.com",
        "/api/v4/",
        "/api/v1/repos",
        "/api/v3/",
        "api.bitbucket.org",
    ];
    if !forge.iter().any(|host| text.contains(host)) {
        return;
    }
    if text.contains("graphql") && !text.to_lowercase().contains("mutation") {
        // What a file holds may be one.
        if text.contains(" @") || text.contains("=@") || text.contains("-d@") || !is_known(&text) {
            walk.cannot_tell(NO_FORGE);
        }
        return;
    }
    let data = [
        "-d",
        "--data",
        "--json",
        "-F",
        "--form",
        "-T",
        "--upload-file",
        "--post-data",
        "--post-file",
        "--body",
    ];
    let sends = arguments.iter().any(|word| data.iter().any(|name| word.starts_with(name)));
    let method = method(arguments, &["-X", "--request", "--method"]);
    let reads = method
        .as_deref()
        .is_some_and(|method| matches!(method.to_uppercase().as_str(), "GET" | "HEAD"));
    let spelled =
        arguments.iter().any(|word| matches!(word.as_str(), "POST" | "PUT" | "PATCH" | "DELETE"));
    if !reads && (sends || method.is_some() || spelled) {
        walk.forbid(NO_FORGE);
    }
}
