//! Which files programs read and write, by the words they are called with.

use std::path::Path;

use super::Seat;
use super::path::{Access, has_ending};
use super::shell::{Input, Walk};
use super::word::is_known;
use super::wrapper::operands_all;

/// Programs whose words are files that they write or remove.
const WRITERS: [&str; 20] = [
    "tee", "touch", "truncate", "rm", "shred", "unlink", "ln", "mv", "chmod", "chown", "chgrp",
    "sponge", "mkfifo", "mknod", "ed", "ex", "vi", "vim", "nvim", "nano",
];

const FOLDERS: [&str; 2] = ["mkdir", "rmdir"];

/// Programs that read their words and write the last of them.
const COPIERS: [&str; 4] = ["cp", "install", "rsync", "scp"];

/// Programs whose words are files that they show.
const READERS: [&str; 54] = [
    "gzip",
    "bzip2",
    "xz",
    "zstd",
    "pygmentize",
    "glow",
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "bat",
    "batcat",
    "nl",
    "tac",
    "xxd",
    "od",
    "hexdump",
    "hd",
    "strings",
    "diff",
    "cmp",
    "comm",
    "sdiff",
    "colordiff",
    "delta",
    "sort",
    "uniq",
    "cut",
    "paste",
    "fold",
    "fmt",
    "pr",
    "column",
    "view",
    "rev",
    "base64",
    "base32",
    "zcat",
    "zless",
    "gunzip",
    "tee",
    "expand",
    "unexpand",
    "iconv",
    "split",
    "csplit",
    "join",
    "look",
    "m4",
    "cpp",
    "vimdiff",
    "ccat",
    "objcopy",
];

/// Programs that show the lines of files that match.
const SEARCHERS: [&str; 8] = ["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ugrep"];

pub(super) fn look(walk: &mut Walk<'_>, name: &str, arguments: &[String], input: &Input) {
    let words = operands_all(arguments, &["-t", "-m", "-o", "-g", "-n", "-c", "-s", "-r"]);
    match name {
        _ if FOLDERS.contains(&name) => writes(walk, &words, Access::Folder),
        _ if COPIERS.contains(&name) => copies(walk, arguments),
        _ if WRITERS.contains(&name) => {
            let words = operands_all(arguments, valued_of(name));
            // The first word of these says what, not where.
            let mode = usize::from(matches!(name, "chmod" | "chown" | "chgrp"));
            let words = words.get(mode..).unwrap_or_default();
            let files: Vec<&str> =
                words.iter().copied().filter(|word| !word.starts_with('+')).collect();
            match linked(name, arguments, &files) {
                Some(target) => writes(walk, &[target.as_str(), files[1]], Access::Write),
                None => writes(walk, &files, Access::Write),
            }
        }
        "sed" | "gsed" => sed(walk, arguments),
        "perl" | "ruby" => in_place_code(walk, arguments),
        "awk" | "gawk" | "mawk" | "nawk" => awk(walk, arguments),
        "dd" => {
            for word in arguments {
                if let Some(file) = word.strip_prefix("of=") {
                    writes(walk, &[file], Access::Write);
                } else if let Some(file) = word.strip_prefix("if=") {
                    reads(walk, &[file]);
                }
            }
        }
        "sort" => {
            writes(walk, &values(arguments, &["-o", "--output"]), Access::Write);
            reads(walk, &operands_all(arguments, &["-o", "--output", "-k", "-t"]));
        }
        "find" | "gfind" => finds(walk, arguments),
        "sqlite3" => reads(walk, words.get(..1).unwrap_or_default()),
        "openssl" | "gpg" | "gpg2" | "uudecode" | "aria2c" | "gcc" | "cc" | "clang" | "g++"
        | "pandoc"
            if walk.grounds.seat == Seat::Orchestrator =>
        {
            writes(walk, &beside(arguments, &["-o", "-out", "--output", "--out"]), Access::Write);
            reads(walk, &beside(arguments, &["-in", "-d", "--decrypt"]));
        }
        "curl" | "wget" => downloads(walk, name, arguments),
        "patch" => patch(walk, arguments),
        // Codex's way to write, as a program of its shell.
        "apply_patch" | "applypatch" => {
            let text = arguments.first().or(input.as_ref()).map_or("", String::as_str);
            let files: Vec<&str> = patched(text).collect();
            if files.is_empty() && walk.grounds.seat == Seat::Orchestrator {
                code_is_changed(walk);
            }
            for file in files {
                walk.file(file, Access::Write);
            }
        }
        "tar" | "unzip" | "7z" | "cpio" | "gunzip" | "unxz" => unpacks(walk, name, arguments),
        _ if reformats(name, arguments) && walk.grounds.seat == Seat::Orchestrator => {
            code_is_changed(walk);
        }
        _ if SEARCHERS.contains(&name) => searches(walk, name, arguments, input),
        "jq" | "yq" => {
            if name == "yq" && arguments.iter().any(|word| word.starts_with("-i")) {
                writes(walk, words.get(1..).unwrap_or_default(), Access::Write);
            }
            reads(walk, words.get(1..).unwrap_or_default());
        }
        _ if READERS.contains(&name) => reads(walk, &operands_all(arguments, valued_of(name))),
        _ => {}
    }
}

/// Where `ln -s TARGET LINK` leads: it is read from the folder of the link.
fn linked(name: &str, arguments: &[String], files: &[&str]) -> Option<String> {
    let symbolic = |word: &String| {
        word == "--symbolic"
            || (word.starts_with('-') && !word.starts_with("--") && word.contains('s'))
    };
    let [target, link] = files else { return None };
    if name != "ln" || target.starts_with(['/', '~']) || !arguments.iter().any(symbolic) {
        return None;
    }
    let folder = if link.ends_with('/') { link } else { link.rsplit_once('/')?.0 };
    Some(format!("{folder}/{target}"))
}

/// Whether a program's words are texts and files, never a command.
pub(super) fn shows_text(name: &str) -> bool {
    SEARCHERS.contains(&name)
        || READERS.contains(&name)
        || WRITERS.contains(&name)
        || COPIERS.contains(&name)
}

/// Options that take a value beside them.
fn valued_of(name: &str) -> &'static [&'static str] {
    match name {
        "head" | "tail" => &["-n", "-c", "--lines", "--bytes"],
        "cut" => &["-d", "-f", "-c", "-b"],
        "paste" | "fold" | "fmt" | "pr" | "column" | "nl" | "split" => {
            &["-d", "-w", "-s", "-l", "-b", "-t"]
        }
        "xxd" => &["-n", "-l", "-s", "-c"],
        "od" | "hexdump" | "hd" | "strings" => &["-n", "-s", "-j", "-N", "-t", "-A"],
        "diff" | "sdiff" => &["-U", "-C", "-W", "--label"],
        "iconv" => &["-f", "-t"],
        "truncate" => &["-s", "--size"],
        "touch" => &["-t", "-d", "--date"],
        "ln" | "mv" => &["-S", "--suffix"],
        "vi" | "vim" | "nvim" | "ex" => &["-c", "--cmd", "-S", "-u"],
        "chmod" | "chown" | "chgrp" => &["--reference"],
        _ => &[],
    }
}

/// Programs that rewrite code by themselves.
fn reformats(name: &str, arguments: &[String]) -> bool {
    let has = |wanted: &[&str]| arguments.iter().any(|word| wanted.contains(&word.as_str()));
    match name {
        "prettier" => has(&["--write", "-w"]),
        "gofmt" | "goimports" | "shfmt" => has(&["-w"]),
        "clang-format" => has(&["-i"]),
        "eslint" | "biome" | "stylelint" | "oxlint" => has(&["--fix", "--write", "--apply"]),
        "rustfmt" | "black" | "isort" => !has(&["--check", "--diff"]),
        "ruff" => has(&["--fix"]) || (has(&["format"]) && !has(&["--check", "--diff"])),
        "cargo" => {
            let first = arguments.first().map_or("", String::as_str);
            (has(&["fmt"]) && !has(&["--check"]))
                || has(&["fix", "--fix"])
                || matches!(first, "new" | "init" | "add" | "remove" | "rm")
        }
        "npx" | "bunx" | "pnpx" => match arguments.iter().position(|word| !word.starts_with('-')) {
            Some(at) => reformats(&arguments[at], &arguments[at + 1..]),
            None => false,
        },
        _ => false,
    }
}

/// An attempt is confined by the kernel; only what is inside its place and not its own matters.
fn matters(walk: &Walk<'_>, word: &str) -> bool {
    walk.grounds.seat != Seat::Attempt
        || word.contains(".git")
        || word.contains(".windlass/run")
        || walk
            .shell
            .folder
            .as_ref()
            .is_some_and(|folder| folder.components().any(|part| part.as_os_str() == ".git"))
}

fn writes(walk: &mut Walk<'_>, words: &[&str], access: Access) {
    for word in words {
        if matters(walk, word)
            && !(walk.grounds.seat == Seat::Attempt && !is_known(word) && !word.contains(".git"))
        {
            walk.file(word, access);
        }
    }
}

fn reads(walk: &mut Walk<'_>, words: &[&str]) {
    if walk.grounds.seat == Seat::Attempt {
        return;
    }
    for word in words.iter().filter(|word| **word != "-") {
        walk.file(word, Access::Read);
    }
}

fn values<'a>(arguments: &'a [String], names: &[&str]) -> Vec<&'a str> {
    let mut all = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        if names.contains(&word.as_str()) {
            all.extend(arguments.get(at + 1).map(String::as_str));
        } else if let Some(value) = names
            .iter()
            .filter_map(|name| word.strip_prefix(name))
            .map(|value| value.trim_start_matches('='))
            .find(|value| !value.is_empty())
        {
            all.push(value);
        }
    }
    all
}

/// Values that stand beside an option, and nowhere else.
fn beside<'a>(arguments: &'a [String], names: &[&str]) -> Vec<&'a str> {
    let pairs = arguments.iter().zip(arguments.iter().skip(1));
    pairs
        .filter(|(word, _)| names.contains(&word.as_str()))
        .map(|(_, value)| value.as_str())
        .collect()
}

/// `find` can remove what it finds, and write lists of it.
fn finds(walk: &mut Walk<'_>, arguments: &[String]) {
    if walk.grounds.seat == Seat::Attempt {
        return;
    }
    let lists = beside(arguments, &["-fprint", "-fprint0", "-fprintf", "-fls"]);
    writes(walk, &lists, Access::Write);
    if !arguments.iter().any(|word| word == "-delete") {
        return;
    }
    if walk.grounds.seat == Seat::Orchestrator {
        return code_is_changed(walk);
    }
    // What it finds there is not known; where it looks is.
    let folders = arguments.iter().take_while(|word| !word.starts_with(['-', '(', '!']));
    reads(walk, &folders.map(String::as_str).collect::<Vec<_>>());
}

fn copies(walk: &mut Walk<'_>, arguments: &[String]) {
    let words = operands_all(
        arguments,
        &["-t", "--target-directory", "-m", "-o", "-g", "-S", "-e", "--exclude", "--include"],
    );
    let into = values(arguments, &["-t", "--target-directory"]);
    if into.is_empty() {
        let Some((last, sources)) = words.split_last() else { return };
        reads(walk, sources);
        // Into a folder a file goes under its own name.
        let folder = last.ends_with('/') || *last == "." || *last == "..";
        if folder && walk.grounds.seat != Seat::Attempt {
            for source in sources {
                let name = Path::new(source).file_name().unwrap_or_default().to_string_lossy();
                let target = format!("{last}/{name}");
                writes(walk, &[target.as_str()], Access::Write);
            }
        } else {
            writes(walk, &[last], Access::Write);
        }
        // `.git` is nothing to copy from either.
        if walk.grounds.seat == Seat::Attempt {
            writes(walk, sources, Access::Write);
        }
        return;
    }
    reads(walk, &words);
    writes(walk, &into, Access::Write);
}

fn sed(walk: &mut Walk<'_>, arguments: &[String]) {
    let in_place = arguments.iter().any(|word| {
        word.starts_with("--in-place")
            || (word.starts_with('-')
                && !word.starts_with("--")
                && word.contains('i')
                && !word.starts_with("-e"))
    });
    let has_script = arguments
        .iter()
        .any(|word| matches!(word.as_str(), "-e" | "-f") || word.starts_with("--expression"));
    let words = operands_all(arguments, &["-e", "-f", "--expression", "--file", "-l"]);
    let files = words.get(usize::from(!has_script)..).unwrap_or_default();
    if in_place {
        writes(walk, files, Access::Write);
    } else {
        reads(walk, files);
    }
    let mut scripts = values(arguments, &["-e", "--expression"]);
    if !has_script {
        scripts.extend(words.first());
    }
    for script in scripts {
        super::sed::look(walk, script);
    }
    for file in beside(arguments, &["-f", "--file"]) {
        match walk.kept(file) {
            Some(script) => super::sed::look(walk, &script),
            None => {
                walk.script_file(file);
            }
        }
    }
}

fn in_place_code(walk: &mut Walk<'_>, arguments: &[String]) {
    let short = |word: &&String| word.starts_with('-') && !word.starts_with("--");
    let in_place =
        arguments.iter().filter(short).any(|word| word.contains('i') && !word.starts_with("-I"));
    let files = operands_all(
        arguments,
        &["-e", "-E", "-pe", "-ne", "-ple", "-nle", "-lne", "-lpe", "-pie", "-i.bak"],
    );
    let code_given =
        arguments.iter().filter(short).any(|word| word.ends_with('e') || word.ends_with('E'));
    if !code_given {
        return;
    }
    if in_place {
        writes(walk, &files, Access::Write);
    } else {
        reads(walk, &files);
    }
}

fn awk(walk: &mut Walk<'_>, arguments: &[String]) {
    let in_place = arguments.iter().any(|word| word == "inplace" || word == "-iinplace");
    let from_file = arguments.iter().any(|word| word == "-f");
    let words = operands_all(arguments, &["-F", "-v", "-f", "-i"]);
    let files: Vec<&str> = words
        .get(usize::from(!from_file)..)
        .unwrap_or_default()
        .iter()
        .copied()
        .filter(|word| super::wrapper::assignment(word).is_none())
        .collect();
    if in_place {
        writes(walk, &files, Access::Write);
    } else {
        reads(walk, &files);
    }
    let code = if from_file { "" } else { words.first().copied().unwrap_or_default() };
    let redirects = code.contains(">")
        && (code.contains("> \"") || code.contains(">\"") || code.contains(">>"));
    if walk.grounds.seat == Seat::Orchestrator
        && (redirects || code.contains("getline") || code.contains("system"))
    {
        walk.cannot_tell(
            "this program of `awk` may read or write files. Use a redirection of the shell",
        );
    }
}

fn downloads(walk: &mut Walk<'_>, name: &str, arguments: &[String]) {
    let names: &[&str] = if name == "curl" {
        &["-o", "--output", "-D", "-c"]
    } else {
        &["-O", "--output-document", "-o"]
    };
    writes(walk, &values(arguments, names), Access::Write);
    if name == "curl" {
        // `-so FILE`
        let cluster = |word: &String| {
            word.len() > 2
                && word.starts_with('-')
                && !word.starts_with("--")
                && word.ends_with('o')
        };
        let pairs = arguments.iter().zip(arguments.iter().skip(1));
        let files: Vec<&str> =
            pairs.filter(|(word, _)| cluster(word)).map(|(_, file)| file.as_str()).collect();
        writes(walk, &files, Access::Write);
    }
    let quiet = |word: &String| {
        matches!(word.as_str(), "-O-" | "--spider" | "-qO-" | "--version" | "--help")
            || word.ends_with("O-")
    };
    let names_itself = if name == "curl" {
        arguments.iter().any(|word| {
            word == "-O"
                || word == "--remote-name"
                || (word.starts_with('-') && !word.starts_with("--") && word.contains('O'))
        })
    } else {
        !arguments.iter().any(quiet) && values(arguments, &["-O", "--output-document"]).is_empty()
    };
    if names_itself && walk.grounds.seat == Seat::Orchestrator {
        let url =
            arguments.iter().rev().find(|word| !word.starts_with('-')).map_or("", String::as_str);
        let file =
            url.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        walk.file(if file.is_empty() { "index.html" } else { file }, Access::Write);
    }
    if name == "curl" {
        let sent = values(arguments, &["-T", "--upload-file"]);
        let at: Vec<&str> = values(arguments, &["-d", "--data", "--data-binary", "-F", "--form"])
            .into_iter()
            .filter_map(|value| value.split_once('@').map(|(_, file)| file))
            .collect();
        reads(walk, &sent);
        reads(walk, &at);
        let local: Vec<&str> =
            arguments.iter().filter_map(|word| word.strip_prefix("file://")).collect();
        reads(walk, &local);
    }
}

fn patch(walk: &mut Walk<'_>, arguments: &[String]) {
    let words = operands_all(arguments, &["-i", "-p", "-d", "-o", "-r"]);
    match words.first() {
        Some(file) => writes(walk, &[file], Access::Write),
        None if walk.grounds.seat == Seat::Orchestrator => code_is_changed(walk),
        None => {}
    }
}

/// Files that a patch in Codex's form names.
pub(super) fn patched(text: &str) -> impl Iterator<Item = &str> {
    let heads = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
    text.lines()
        .filter_map(move |line| heads.iter().find_map(|head| line.trim().strip_prefix(head)))
}

fn unpacks(walk: &mut Walk<'_>, name: &str, arguments: &[String]) {
    if walk.grounds.seat != Seat::Orchestrator {
        return;
    }
    let first = arguments.first().map_or("", String::as_str);
    let lists = match name {
        "tar" => {
            let flags = first.trim_start_matches('-');
            let long = arguments.iter().any(|word| word == "--extract" || word == "--get");
            !(long || (!first.starts_with("--") && flags.contains('x')))
        }
        "unzip" => arguments.iter().any(|word| matches!(word.as_str(), "-l" | "-v" | "-t" | "-Z")),
        "7z" => !matches!(first, "x" | "e"),
        _ => false,
    };
    if !lists {
        code_is_changed(walk);
    }
}

pub(super) fn code_is_changed(walk: &mut Walk<'_>) {
    walk.cannot_tell(
        "this may change files of the work, which the orchestrator does not do. The agent of a step does \
         such work; windlass commits it",
    );
}

pub(super) fn code_is_shown(walk: &mut Walk<'_>) {
    walk.cannot_tell(
        "this may show code, which the orchestrator does not read. Ask for names or figures (`--stat`, \
         `--name-only`, `-l`), or leave it to the agent of a step",
    );
}

fn searches(walk: &mut Walk<'_>, name: &str, arguments: &[String], input: &Input) {
    if walk.grounds.seat != Seat::Orchestrator {
        let words = operands_all(arguments, &["-e", "-f", "-A", "-B", "-C", "-m", "-g", "-t"]);
        return reads(walk, words.get(1..).unwrap_or_default());
    }
    let short = |letters: &str| {
        arguments.iter().any(|word| {
            word.starts_with('-')
                && !word.starts_with("--")
                && word[1..].chars().any(|c| letters.contains(c))
        })
    };
    let long = |names: &[&str]| arguments.iter().any(|word| names.contains(&word.as_str()));
    if short("lLcq")
        || long(&[
            "--files-with-matches",
            "--files-without-match",
            "--count",
            "--quiet",
            "--files",
            "--help",
            "--version",
        ])
    {
        return;
    }
    let globs = values(arguments, &["--include", "-g", "--glob", "--iglob"]);
    if !globs.is_empty()
        && globs
            .iter()
            .all(|glob| !glob.starts_with('!') && has_ending(Path::new(glob), walk.grounds))
    {
        return;
    }
    let given = long(&["-e", "--regexp", "-f", "--file"])
        || arguments.iter().any(|word| word.starts_with("--regexp="));
    let words = operands_all(
        arguments,
        &["-e", "-f", "-A", "-B", "-C", "-m", "-g", "-t", "--regexp", "--file", "--max-count"],
    );
    let files = words.get(usize::from(!given)..).unwrap_or_default();
    let recursive = short("rR") || matches!(name, "rg" | "ag" | "ack");
    if files.is_empty() {
        if recursive && input.is_none() {
            code_is_shown(walk);
        }
        return;
    }
    for file in files.iter().filter(|file| **file != "-") {
        walk.file(file, Access::Read);
    }
}
