//! Commands of git that show or change files of the work: not for the orchestrator, who asks for names
//! and figures instead.

use std::path::Path;

use super::Seat;
use super::files::{code_is_changed, code_is_shown};
use super::path::has_ending;
use super::shell::Walk;
use super::wrapper::operands_all;

pub(super) fn look(walk: &mut Walk<'_>, command: &str, rest: &[String]) {
    if walk.grounds.seat != Seat::Orchestrator {
        return;
    }
    let option = |names: &[&str]| {
        rest.iter().any(|word| names.contains(&word.split('=').next().unwrap_or(word)))
    };
    let words = operands_all(rest, &["-m", "-n", "--author", "--since", "--until", "--format"]);
    let names_only = option(&[
        "--stat",
        "--name-only",
        "--name-status",
        "--shortstat",
        "--numstat",
        "--dirstat",
        "--summary",
        "--quiet",
        "--no-patch",
        "-s",
        "-q",
        "--compact-summary",
        "--exit-code",
    ]) && !option(&["-p", "--patch", "-u"]);
    let grounds = walk.grounds;
    let well = |path: &&str| has_ending(Path::new(path), grounds);
    match command {
        "show" | "diff" | "format-patch" | "range-diff" | "whatchanged" if !names_only => {
            let after = rest.iter().position(|word| word == "--").map(|at| &rest[at + 1..]);
            let paths: Vec<&str> = match after {
                Some(paths) => paths.iter().map(String::as_str).collect(),
                None => words
                    .iter()
                    .filter_map(|word| word.split_once(':').map(|(_, path)| path))
                    .collect(),
            };
            if paths.is_empty() || !paths.iter().all(well) {
                code_is_shown(walk);
            }
        }
        "log" | "reflog" | "stash"
            if option(&["-p", "--patch", "-u", "-L", "-c", "--cc", "--full-diff"])
                || rest.iter().any(|word| word.starts_with("-L")) =>
        {
            code_is_shown(walk);
        }
        "stash" if matches!(words.first(), Some(&"list")) => {}
        // Without `-p` it shows figures.
        "stash" if words.first() == Some(&"show") => {}
        "blame" | "annotate" if !words.last().is_some_and(well) => code_is_shown(walk),
        "cat-file" if !option(&["-t", "-s", "-e", "--batch-check"]) => code_is_shown(walk),
        "grep"
            if !option(&[
                "-l",
                "-c",
                "-q",
                "--files-with-matches",
                "--count",
                "--name-only",
                "-L",
            ]) =>
        {
            let after =
                rest.iter().position(|word| word == "--").map_or(&[][..], |at| &rest[at + 1..]);
            if after.is_empty() || !after.iter().all(|path| well(&path.as_str())) {
                code_is_shown(walk);
            }
        }
        "archive" => code_is_shown(walk),
        "apply" if option(&["--stat", "--check", "--numstat", "--summary"]) => {}
        "branch" | "tag" | "worktree" if changes_refs(command, rest, &words) => {
            code_is_changed(walk)
        }
        "apply" | "am" | "checkout" | "restore" | "reset" | "stash" | "merge" | "rebase"
        | "cherry-pick" | "commit" | "add" | "rm" | "mv" | "clean" | "switch" | "revert"
        | "pull" | "checkout-index" | "read-tree" | "update-index" | "filter-branch"
        | "commit-tree" | "write-tree" | "stage" | "sparse-checkout" | "init" | "gc" | "notes"
        | "bisect" | "subtree"
            if !option(&["--help", "-h", "--dry-run"]) =>
        {
            code_is_changed(walk);
        }
        _ => {}
    }
}

fn changes_refs(command: &str, rest: &[String], words: &[&str]) -> bool {
    match command {
        "worktree" => !matches!(words.first(), Some(&"list") | None),
        _ => {
            let lists = rest.is_empty()
                || rest.iter().any(|word| {
                    matches!(
                        word.as_str(),
                        "-l" | "--list"
                            | "-a"
                            | "-r"
                            | "-v"
                            | "-vv"
                            | "--all"
                            | "--remotes"
                            | "--show-current"
                            | "--contains"
                            | "--merged"
                            | "--no-merged"
                            | "--points-at"
                    )
                });
            !lists
                && (!words.is_empty()
                    || rest
                        .iter()
                        .any(|word| matches!(word.as_str(), "-d" | "-D" | "-m" | "-M" | "-f")))
        }
    }
}
