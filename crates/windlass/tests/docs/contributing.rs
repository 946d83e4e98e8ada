//! The rules of CONTRIBUTING.md about where code goes. The purity of the core is checked by its
//! `clippy.toml`.

use std::path::Path;

use crate::pages;

/// What may stand in some files only.
struct Rule {
    what: &'static str,
    /// What is looked for, without blanks.
    marks: &'static [&'static str],
    /// Files and folders where it may stand, each with the reason.
    homes: &'static [(&'static str, &'static str)],
}

const RULES: [Rule; 4] = [
    Rule {
        what: "SQL",
        marks: &["rusqlite"],
        homes: &[
            ("windlass-engine/src/store/", "journals, blobs and passes"),
            ("windlass-engine/src/machine/", "the index that all runs of a machine share"),
        ],
    },
    Rule {
        what: "starting a process",
        marks: &["Command::new("],
        homes: &[
            ("windlass-engine/src/process/", "launchers and probes"),
            ("windlass-engine/src/launcher/", "the program of an attempt or a check"),
            ("windlass-engine/src/git/process.rs", "every git"),
            ("windlass-engine/src/forge/program.rs", "the forge's program, as the user"),
            ("windlass-engine/src/plugin/host.rs", "the host's own installer of plugins"),
            ("windlass-engine/src/proxy/child.rs", "this program, as a proxy"),
            ("windlass-engine/src/expr/bounded.rs", "this program, for an expression"),
            ("windlass-engine/src/agent/rehearsal.rs", "within an attempt"),
            ("windlass-engine/src/agent/claude/bridge.rs", "within an attempt"),
            ("windlass-engine/src/agent/acp/process.rs", "within an attempt"),
            ("windlass-engine/src/agent/acp/survey.rs", "asks a program for its version"),
            ("windlass/src/hook/spoken.rs", "this program, after a hook has answered"),
            ("windlass/src/pager.rs", "a person's pager"),
            ("windlass/src/programs.rs", "a person's browser, and Python for a look at a project"),
            ("windlass/src/commands/demo/", "a scratch repository of its own"),
        ],
    },
    Rule {
        what: "git",
        marks: &["Git::at(", "Git::anywhere(", "Git::discovering(", "Command::new(\"git\")"],
        homes: &[
            ("windlass-engine/src/git/", "all git of the engine"),
            ("windlass-engine/src/forge/", "the user's remotes"),
            ("windlass-engine/src/dispatch/branch.rs", "which names of branches are free"),
            ("windlass/src/commands/demo/", "a scratch repository of its own"),
        ],
    },
    Rule {
        what: "printing",
        marks: &[
            "println!(",
            "print!(",
            "eprintln!(",
            "eprint!(",
            "stdout().lock(",
            "stderr().lock(",
        ],
        homes: &[
            ("windlass/src/output.rs", "all printing of the command"),
            ("windlass/src/hidden.rs", "programs within an attempt"),
            ("windlass-engine/src/agent/", "programs within an attempt"),
        ],
    },
];

/// The lines of a source file that are no test and no comment.
fn lines(file: &str) -> impl Iterator<Item = &str> {
    let (program, _) = file.split_once("#[cfg(test)]\nmod tests {").unwrap_or((file, ""));
    program.lines().map(str::trim_start).filter(|line| !line.starts_with("//"))
}

fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs_err::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() {
            sources(&path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let crates = pages::root().join("crates");
            let path_in_crates = path.strip_prefix(&crates).expect("below the crates");
            let text = fs_err::read_to_string(&path).expect("a file");
            found.push((path_in_crates.to_string_lossy().into_owned(), text));
        }
    }
}

#[test]
fn code_is_where_contributing_says() {
    let mut all = Vec::new();
    for part in ["windlass", "windlass-core", "windlass-engine"] {
        sources(&pages::root().join("crates").join(part).join("src"), &mut all);
    }
    assert!(all.len() > 300, "{} files were looked at", all.len());
    let mut wrong = Vec::new();
    for Rule { what, marks, homes } in RULES {
        let mut used = vec![false; homes.len()];
        for (path, text) in &all {
            // `LauncherCommand::new` and `fprintln!` are other words.
            let is_mark = |line: &str, mark: &str| {
                line.match_indices(mark).any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
                })
            };
            let Some(line) = lines(text).find(|line| marks.iter().any(|mark| is_mark(line, mark)))
            else {
                continue;
            };
            match homes.iter().position(|(home, _)| path.starts_with(home)) {
                Some(home) => used[home] = true,
                None => wrong.push(format!("{what} in {path}: {line}")),
            }
        }
        let idle = homes.iter().zip(used).filter(|(_, used)| !used);
        wrong.extend(idle.map(|((home, _), _)| format!("no {what} in {home} any more")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_mark_is_found_where_it_stands_and_not_in_tests() {
    let text =
        "// Command::new(x)\nlet a = Command::new(x);\n#[cfg(test)]\nmod tests {\nB::new()\n}";
    assert_eq!(lines(text).collect::<Vec<_>>(), ["let a = Command::new(x);"]);
}

/// Crates of others can turn this feature on for the whole program. The order of the run's document,
/// which people's expressions see, would then be the one in which it was written.
#[test]
fn objects_are_sorted_by_their_keys() {
    let object: serde_json::Value = serde_json::from_str(r#"{"b": 1, "a": 2}"#).expect("an object");
    let message = "a dependency turns on `serde_json/preserve_order`";
    assert_eq!(object.to_string(), r#"{"a":2,"b":1}"#, "{message}");
}
