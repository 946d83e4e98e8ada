//! The table of commands (`commands.txt`), held against the guard; all mismatches are told at once.

use serde_json::json;

use super::*;

const TABLE: &str = include_str!("commands.txt");

pub(super) fn grounds(seat: Seat) -> Grounds {
    let attempt = Grounds::of_attempt("/srv/place".into(), vec!["/tmp/mine".into(), "/tmp".into()]);
    if seat == Seat::Attempt {
        return attempt;
    }
    let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
    Grounds {
        seat,
        may_write: if seat == Seat::Subagent { texts(&["src/**", "docs/**"]) } else { Vec::new() },
        protected: texts(&[".github/**", "**/*.lock"]),
        off_limits: vec!["/srv/state".into(), "/srv/plugin".into()],
        ..attempt
    }
}

pub(super) fn bash(command: &str, seat: Seat) -> Found {
    let input = json!({ "command": command });
    look(&ToolCall { tool: "Bash", input: &input, folder: "/srv/place".as_ref() }, &grounds(seat))
}

fn is_as_expected(answer: &str, found: &Found) -> bool {
    match answer {
        "clean" => *found == Found::Nothing,
        "found" => matches!(found, Found::Forbidden(_)),
        "unsure" => matches!(found, Found::CannotTell(_)),
        "refused" => *found != Found::Nothing,
        other => panic!("`{other}` is not an answer"),
    }
}

#[test]
fn every_command_of_the_table_gets_the_answer_that_stands_there() {
    let mut wrong = Vec::new();
    let mut commands = 0;
    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (head, command) =
            line.split_once(" | ").unwrap_or_else(|| panic!("no command: {line}"));
        let (answer, seats) = head.trim().split_once(' ').unwrap();
        let command = command.replace('¶', "\n");
        commands += 1;
        let all = [(Seat::Attempt, 'a'), (Seat::Orchestrator, 'o'), (Seat::Subagent, 's')];
        for (seat, _) in all.iter().filter(|(_, letter)| seats == "*" || seats.contains(*letter)) {
            let found = bash(&command, *seat);
            if !is_as_expected(answer, &found) {
                wrong.push(format!("{seat:?}: {command:?}\n    expected {answer}, got {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {commands} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(commands >= 250, "only {commands}");
}

#[test]
fn plain_words_are_read_as_the_shells_grammar_reads_them() {
    let real = |path: &std::path::Path| path.to_owned();
    let mut plain = 0;
    let commands = TABLE.lines().filter_map(|line| line.split_once(" | ")).map(|(_, text)| text);
    for text in commands.filter(|text| parse::plain_commands(text).is_some()) {
        plain += 1;
        for seat in [Seat::Attempt, Seat::Orchestrator, Seat::Subagent] {
            let grounds = grounds(seat);
            let mut walk = shell::Walk::new("/srv/place".as_ref(), &grounds, &real);
            walk.parsed(text);
            assert_eq!(bash(text, seat), walk.into_found(), "{seat:?}: {text}");
        }
    }
    assert!(plain > 100, "only {plain}");
}
