//! Code that is handed to an interpreter on the command line. It is not read, only searched: code that
//! both runs programs and speaks of a push is refused, and for the orchestrator also code that may
//! read or write files.

use super::Seat;
use super::program::is_standard_input;
use super::shell::{Input, Walk};
use super::word::{PROCESS, is_known};

const INTERPRETERS: [&str; 22] = [
    "python",
    "pypy",
    "node",
    "nodejs",
    "perl",
    "ruby",
    "php",
    "lua",
    "luajit",
    "deno",
    "bun",
    "tclsh",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "osascript",
    "pwsh",
    "powershell",
    "julia",
    "rscript",
    "ts-node",
];

/// Programs with a language of their own that can start others.
const OTHERS: [&str; 17] = [
    "vim", "vi", "nvim", "ex", "ed", "emacs", "gdb", "sqlite3", "make", "gmake", "less", "sed",
    "psql", "mysql", "mariadb", "dc", "ftp",
];

const RUNS: [&str; 20] = [
    "system",
    "exec",
    "spawn",
    "popen",
    "subprocess",
    "child_process",
    "qx",
    "`",
    "shell",
    "process",
    "!",
    "run(",
    "call(",
    "$(",
    "start",
    // Pipes of awk.
    "| \"",
    "|\"",
    "|& \"",
    "\" |",
    "\"|",
];

/// What code that touches files speaks of.
const FILES: [&str; 30] = [
    "open",
    "read",
    "write",
    "fs",
    "file",
    "system",
    "exec",
    "subprocess",
    "spawn",
    "popen",
    "path",
    "shutil",
    "unlink",
    "remove",
    "rename",
    "import",
    "require",
    "import(",
    "eval",
    "load",
    "getline",
    "print >",
    "process",
    "`",
    // Ways to such a name that do not say it.
    "__",
    "getattr",
    "vars(",
    "globals",
    "globalthis",
    "constructor",
];

pub(super) fn look(walk: &mut Walk<'_>, name: &str, arguments: &[String], input: &Input) {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let interprets = INTERPRETERS.contains(&plain);
    if !interprets && !OTHERS.contains(&name) {
        return;
    }
    let mut texts = inline(plain, arguments);
    let script = arguments.iter().any(|word| !word.starts_with('-'));
    let from_input = arguments.iter().any(|word| is_standard_input(word)) || !script;
    let is_awk = plain.ends_with("awk");
    if interprets && !is_awk && texts.is_empty() && from_input {
        texts.extend(input.clone());
    }
    if matches!(
        name,
        "ed" | "ex" | "make" | "gmake" | "sqlite3" | "psql" | "mysql" | "mariadb" | "dc" | "ftp"
    ) {
        texts.extend(input.clone());
    }
    texts.extend(arguments.iter().filter_map(|word| word.strip_prefix(PROCESS)).map(str::to_owned));
    texts.extend(arguments.iter().filter_map(|word| walk.kept(word)));
    if interprets
        && let Some(file) = script_of(is_awk, arguments).filter(|_| is_awk || texts.is_empty())
    {
        walk.script_file(file);
    }
    for text in texts {
        let lower = text.to_lowercase();
        let every_line_runs = name.ends_with("make") || plain == "pwsh" || plain == "powershell";
        let publishes = || walk.grounds.publishing.are_spoken_of(&lower);
        let runs = every_line_runs || RUNS.iter().any(|word| lower.contains(word));
        if runs && (speaks_of_a_push(&lower) || publishes()) {
            walk.cannot_tell(
                "this code starts programs and mentions a push or the like: windlass publishes what is proven. If \
                 it does not push, avoid the word",
            );
        }
        let touches = !is_known(&text) || FILES.iter().any(|word| lower.contains(word));
        if walk.grounds.seat == Seat::Orchestrator && interprets && !is_awk && touches {
            walk.cannot_tell(
                "this code may read or write files of the work, which the orchestrator does not do. \
                 The agent of a step does such work",
            );
        }
    }
}

/// Texts on the command line that are code.
fn inline(name: &str, arguments: &[String]) -> Vec<String> {
    let options: &[&str] = match name {
        "python" | "pypy" => &["-c"],
        // All that follows is the command.
        "pwsh" | "powershell" => return vec![arguments.join(" ")],
        "node" | "nodejs" | "bun" | "deno" | "ts-node" | "lua" | "luajit" | "julia" | "rscript"
        | "osascript" => &["-e", "-p", "-pe", "--eval", "--print", "eval", "-E"],
        "php" => &["-r", "-R", "-B"],
        "perl" | "ruby" => return short_clusters(arguments),
        "vim" | "vi" | "nvim" | "ex" | "gdb" | "emacs" => {
            &["-c", "--cmd", "-ex", "--eval", "-eval", "-S"]
        }
        "make" | "gmake" => &["--eval"],
        // Code stands in the first word.
        _ => {
            return arguments
                .iter()
                .filter(|word| {
                    !word.starts_with('-') || word.starts_with("-e") || word.contains(' ')
                })
                .cloned()
                .collect();
        }
    };
    let mut texts: Vec<String> =
        arguments.iter().filter(|word| word.starts_with('+')).cloned().collect();
    for (at, word) in arguments.iter().enumerate() {
        if options.contains(&word.as_str()) {
            texts.extend(arguments.get(at + 1).cloned());
        } else if let Some(text) = options.iter().find_map(|name| word.strip_prefix(name)) {
            texts.push(text.to_owned());
        } else if matches!(name, "python" | "pypy") && word.starts_with('-') && word.ends_with('c')
        {
            texts.extend(arguments.get(at + 1).cloned());
        }
    }
    texts
}

/// `perl -ne`, `perl -i -pe`: the code follows a cluster of letters that ends in `e`.
fn short_clusters(arguments: &[String]) -> Vec<String> {
    let takes_code = |word: &String| {
        word.starts_with('-')
            && !word.starts_with("--")
            && (word.ends_with('e') || word.ends_with('E'))
    };
    let pairs = arguments.iter().zip(arguments.iter().skip(1));
    pairs.filter(|(word, _)| takes_code(word)).map(|(_, code)| code.clone()).collect()
}

fn speaks_of_a_push(lower: &str) -> bool {
    let has = |wanted: &str| {
        lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|word| word == wanted)
    };
    (has("git") && (has("push") || has("send-pack")))
        || (has("gh") && (has("pr") || has("api") || has("release")))
}

/// Returns the file that an interpreter is given: `awk -f FILE`, or the first word that is no option; the
/// name after `python -m` is that of a program that is installed.
fn script_of(is_awk: bool, arguments: &[String]) -> Option<&str> {
    if is_awk {
        let at = arguments.iter().position(|word| word.starts_with("-f"))?;
        return match arguments[at].strip_prefix("-f") {
            Some("") => arguments.get(at + 1).map(String::as_str),
            attached => attached,
        };
    }
    let first = arguments.iter().find(|word| !word.starts_with('-') || *word == "-m")?;
    (first != "-m").then_some(first.as_str())
}
