//! The tutorial, and every other page with a console, does what it says, from its first command to
//! its last, in one shell.

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

/// Plays the commands of a page in a world of their own, and says where it is not what happens.
fn play(page: &str) -> usize {
    let text = pages::read(page);
    let blocks = pages::blocks(&text, "console");
    let entries: Vec<Entry> = blocks.iter().flat_map(|block| parse(block)).collect();

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
    assert!(problems.is_empty(), "`{page}` is not what happens:\n{problems}");
    env.assert_no_orphans();
    entries.len()
}

#[test]
fn every_command_of_the_tutorial_does_what_it_says() {
    let count = play("docs/tutorial.md");
    assert!(count > 25, "only {count} commands were found");
}

#[test]
fn commands_on_other_pages_do_what_they_say() {
    let pages = pages::all().into_iter().filter(|page| page != "docs/tutorial.md");
    let played = pages.filter(|page| !pages::blocks(&pages::read(page), "console").is_empty());
    let count: usize = played.map(|page| play(&page)).sum();
    assert!(count > 0, "no command was found");
}
