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
