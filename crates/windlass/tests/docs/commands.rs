//! The README's table of commands.

use std::collections::BTreeSet;
use std::process::Command;

use crate::pages;

#[test]
fn the_table_has_the_commands_that_there_are_and_no_others() {
    let readme = pages::read("README.md");
    let (_, table) = readme.split_once("\n## Commands\n").expect("the table");
    let rows = table.lines().skip_while(|line| !line.starts_with("|---"));
    let rows = rows.skip(1).take_while(|line| line.starts_with('|'));
    let cells = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    let listed: BTreeSet<&str> = cells.filter_map(|cell| cell.split(' ').next()).collect();

    let help = Command::new(env!("CARGO_BIN_EXE_windlass")).arg("--help").output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let (_, commands) = help.split_once("\nCommands:\n").expect("the commands");
    let (commands, _) = commands.split_once("\n\n").expect("their end");
    let lines = commands.lines().filter(|line| !line.starts_with("   "));
    let there: BTreeSet<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    let there: BTreeSet<&str> = there.into_iter().filter(|name| *name != "help").collect();
    assert_eq!(listed, there);
}

/// Pages whose commands are for typing, each as it stands there.
const TYPED: [&str; 3] = ["docs/autonomous.md", "docs/migrating.md", "docs/devflow.md"];

/// The commands of a page: in code within text, and in blocks for a shell.
fn typed(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for block in pages::blocks(page, "sh") {
        let lines = block.lines().map(|line| line.split("  #").next().unwrap_or(line).trim());
        found.extend(lines.filter(|line| line.starts_with("windlass ")).map(str::to_owned));
    }
    let mut in_block = false;
    let text: Vec<&str> = page
        .lines()
        .filter(|line| {
            let fence = line.starts_with("```");
            in_block ^= fence;
            !in_block && !fence
        })
        .collect();
    let text = text.join(" ");
    let code = text.split('`').skip(1).step_by(2);
    found.extend(code.filter(|code| code.starts_with("windlass ")).map(str::to_owned));
    found
}

#[test]
fn every_command_of_the_guides_is_one_with_these_arguments() {
    let (mut count, mut wrong) = (0, Vec::new());
    for page in TYPED {
        for line in typed(&pages::read(page)) {
            let words = shlex::split(&line).unwrap_or_else(|| panic!("{page}: {line}"));
            // Arguments are read before help is given, so that it is given for good ones alone.
            let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
            let helped = command.args(&words[1..]).arg("--help").output().unwrap();
            if !helped.status.success() {
                let said = String::from_utf8_lossy(&helped.stderr).into_owned();
                wrong
                    .push(format!("{page}: `{line}`: {}", said.lines().next().unwrap_or_default()));
            }
            count += 1;
        }
    }
    assert!(count > 40, "only {count} commands were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
