use serde_json::json;

use super::*;
use crate::guard::{Found, Grounds, Seat, ToolCall, look};

fn look_at(command: &str, publishing: &PublishRules) -> Found {
    let grounds = Grounds {
        publishing: publishing.clone(),
        ..Grounds::of_attempt("/srv/place".into(), Vec::new())
    };
    let input = json!({ "command": command });
    look(&ToolCall { tool: "Bash", input: &input, folder: "/srv/place".as_ref() }, &grounds)
}

fn rules(publishes: &[&str], may_publish: &[&str]) -> PublishRules {
    let read = |all: &[&str]| all.iter().map(|text| PublishRule::parse(text).unwrap()).collect();
    PublishRules { publishes: read(publishes), may_publish: read(may_publish) }
}

/// A call that a row is about, by the first of its alternatives.
fn example(row: Row<'_>) -> String {
    let first = |word: &str| word.split('|').next().unwrap_or_default().replace('*', "x");
    let words = row.words().filter(|word| !matches!(*word, "..." | "end")).map(first);
    std::iter::once(first(row.program)).chain(words).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_row_is_refused_in_every_seat_and_its_looks_are_not() {
    let mut rows = 0;
    for row in built_in() {
        rows += 1;
        let command = example(row);
        for seat in [Seat::Attempt, Seat::Orchestrator, Seat::Subagent] {
            let found = crate::guard::table::bash(&command, seat);
            assert!(matches!(found, Found::Forbidden(_)), "{seat:?}: {command}: {found:?}");
        }
        for flag in row.unless.split_whitespace() {
            let looks = format!("{command} {flag}");
            assert_eq!(look_at(&looks, &PublishRules::default()), Found::Nothing, "{looks}");
        }
    }
    assert!(rows > 80, "only {rows}");
}

#[test]
fn every_row_of_the_table_could_stand_in_a_configuration() {
    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        assert_eq!(PublishRule::parse(line).as_ref().map(PublishRule::as_str), Ok(line));
    }
}

#[test]
fn people_add_rows_and_let_agents_do_what_they_name() {
    let own = rules(&["our-tool ship unless --check", "make ... release"], &["kubectl apply"]);
    assert!(matches!(look_at("our-tool --to prod ship", &own), Found::Forbidden(_)));
    assert!(matches!(look_at("make -j4 all release", &own), Found::Forbidden(_)));
    assert_eq!(look_at("our-tool ship --check", &own), Found::Nothing);
    assert_eq!(look_at("our-tool build", &own), Found::Nothing);
    assert_eq!(look_at("make all", &own), Found::Nothing);
    assert_eq!(look_at("kubectl apply -f x.yaml", &own), Found::Nothing);
    assert!(matches!(look_at("kubectl delete pod x", &own), Found::Forbidden(_)));
    // What git does is no row of the table.
    let all = rules(&[], &["git push", "gh pr"]);
    assert!(matches!(look_at("git push", &all), Found::Forbidden(_)));
    assert!(matches!(look_at("gh pr create", &all), Found::Forbidden(_)));
}

#[test]
fn what_is_no_row_is_told() {
    for text in ["", "  ", "* push", "a|* push", "-x y", "/usr/bin/x y", "x unless", "a\nb"] {
        assert!(PublishRule::parse(text).is_err(), "{text:?}");
    }
    assert_eq!(PublishRule::parse("  x   y ").unwrap().as_str(), "x y");
}

#[test]
fn many_options_take_no_time() {
    let options = "--a ".repeat(10_000);
    let publishing = rules(&["x ... a*b*c ... end"], &[]);
    assert_eq!(look_at(&format!("npm {options} test"), &publishing), Found::Nothing);
    let _ = look_at(&format!("x {}", "abab".repeat(10_000)), &publishing);
}
