//! Console blocks: commands and what they print.
//!
//! `$ ` begins a command and `> ` goes on with it; the lines below are its output, standard error
//! included. `…` stands for any text within a line, and alone on a line for any lines. A command
//! exits with 0 unless it ends in `# exits with N`.

/// Any text within a line, or any lines.
const ANY: &str = "…";
const EXITS: &str = "# exits with ";

/// One command with what it should print.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) command: String,
    pub(crate) output: Vec<String>,
    pub(crate) code: i32,
}

/// Reads the commands of one block.
pub(crate) fn parse(block: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in block.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            let code =
                command.split_once(EXITS).map_or(0, |(_, code)| code.parse().expect("a code"));
            entries.push(Entry { command: command.to_owned(), output: Vec::new(), code });
            continue;
        }
        let entry = entries.last_mut().expect("a block begins with a command");
        match line.strip_prefix("> ").or((line == ">").then_some("")) {
            Some(more) if entry.output.is_empty() => {
                entry.command.push('\n');
                entry.command.push_str(more);
            }
            _ => entry.output.push(line.to_owned()),
        }
    }
    entries
}

/// Whether lines are as they should be. Blank lines at the end do not matter.
pub(crate) fn matches(wanted: &[String], lines: &[&str]) -> bool {
    let Some((first, rest)) = wanted.split_first() else {
        return lines.iter().all(|line| line.is_empty());
    };
    if first == ANY {
        return (0..=lines.len()).any(|taken| matches(rest, &lines[taken..]));
    }
    let Some((line, further)) = lines.split_first() else { return false };
    line_matches(first, line) && matches(rest, further)
}

fn line_matches(wanted: &str, line: &str) -> bool {
    let Some((before, after)) = wanted.split_once(ANY) else { return wanted == line };
    let Some(rest) = line.strip_prefix(before) else { return false };
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    ends.into_iter().any(|at| line_matches(after, &rest[at..]))
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_block_is_read_as_commands_with_their_output() {
    let block = "$ cat > a <<'EOF'\n> one\n>\n> EOF\n$ windlass run # exits with 3\nsaid\n\n> so\n";
    let expected = [
        Entry { command: "cat > a <<'EOF'\none\n\nEOF".to_owned(), output: vec![], code: 0 },
        Entry {
            command: "windlass run # exits with 3".to_owned(),
            output: lines("said\n\n> so"),
            code: 3,
        },
    ];
    assert_eq!(parse(block), expected);
}

#[test]
fn what_varies_matches_and_everything_else_has_to_be_the_same() {
    let wanted = lines("run … began at …\n…\nend");
    assert!(matches(&wanted, &["run x began at 1", "end"]));
    assert!(matches(&wanted, &["run  began at ", "more", "end", "end", ""]));
    assert!(!matches(&wanted, &["run x began", "end"]));
    assert!(!matches(&wanted, &["run x began at 1", "end", "more"]));
    assert!(!matches(&wanted, &["run x began at 1"]));
    assert!(!matches(&[], &["said something"]));
}
