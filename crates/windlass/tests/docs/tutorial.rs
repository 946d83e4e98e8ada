//! The tutorial does what it says, from its first command to its last, in one shell.

use std::fmt::Write as _;

use windlass_testkit::test_env;

use crate::pages;
use crate::transcript::{Entry, matches, parse};

/// What the shell prints after each command, with its number and exit code.
const MARK: &str = "\n@@@ ";

/// The commands as one script, so that folder and variables are kept from one to the next.
fn script(entries: &[Entry]) -> String {
    let mut script = "exec 2>&1\n".to_owned();
    for (number, entry) in entries.iter().enumerate() {
        let command = &entry.command;
        write!(script, "{command}\nprintf '\\n@@@ %s %s\\n' {number} $?\n").expect("a string");
    }
    script
}

#[test]
fn every_command_of_the_tutorial_does_what_it_says() {
    let page = pages::read("docs/tutorial.md");
    let entries: Vec<Entry> =
        pages::blocks(&page, "console").iter().flat_map(|block| parse(block)).collect();
    assert!(entries.len() > 25, "only {} commands were found", entries.len());

    let env = test_env!();
    let file = env.file("tutorial.sh", script(&entries));
    let mut shell = env.command("sh");
    let programs = env.exe().parent().expect("a folder").to_string_lossy().into_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    shell.arg(file).current_dir(env.home()).env("PATH", format!("{programs}:{path}"));
    let finished = env.finish(shell);
    let parts: Vec<&str> = finished.stdout.split(MARK).collect();
    assert_eq!(parts.len(), entries.len() + 1, "a command is missing:\n{finished}");

    let mut problems = String::new();
    let mut output = parts[0];
    for (number, entry) in entries.iter().enumerate() {
        let (mark, next) = parts[number + 1].split_once('\n').expect("a line");
        let code = mark.rsplit_once(' ').and_then(|(_, code)| code.parse().ok());
        let lines: Vec<&str> = output.lines().collect();
        if code != Some(entry.code) || !matches(&entry.output, &lines) {
            let Entry { command, output: wanted, code: exit } = entry;
            let wanted = wanted.join("\n");
            write!(
                problems,
                "$ {command}\n-- on the page, exits with {exit}:\n{wanted}\n-- now, exits with \
                 {code:?}:\n{output}\n\n"
            )
            .expect("a string");
        }
        output = next;
    }
    assert!(problems.is_empty(), "`docs/tutorial.md` is not what happens:\n{problems}");
    env.assert_no_orphans();
}
