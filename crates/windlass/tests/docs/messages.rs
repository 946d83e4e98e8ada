//! The messages that the documentation explains are messages that windlass prints.

use std::path::Path;

use crate::pages;

const PAGES: [&str; 2] = ["docs/troubleshooting.md", "docs/pull-request.md"];
/// How a table of messages begins.
const HEADING: &str = "| message |";
/// How many characters of source the parts of one message lie within; the longest one needs some.
const REACH: usize = 200;

/// The source of the crates that print, without what makes a literal differ from its text.
fn source() -> String {
    let mut text = String::new();
    for part in ["windlass", "windlass-core", "windlass-engine"] {
        gather(&pages::root().join("crates").join(part).join("src"), &mut text);
    }
    plain(&text)
}

fn gather(folder: &Path, text: &mut String) {
    for entry in fs_err::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            gather(&path, text);
        } else if is_source(&path) {
            let file = fs_err::read_to_string(&path).expect("a file");
            // What only a test says is not what windlass prints.
            let (printed, _) = file.split_once("#[cfg(test)]\nmod tests {").unwrap_or((&file, ""));
            text.push_str(printed);
        }
    }
}

fn is_source(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".rs") && !name.ends_with("_tests.rs")
}

/// One line, with literals that go over several lines joined and escapes undone.
fn plain(text: &str) -> String {
    let joined = text.replace("\\\n", " ").replace("\\\"", "\"");
    joined.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The messages of the tables of a page, each as the parts between its `…`. Names that vary are in
/// backticks in messages and cannot be in code on the page: `…` stands for those as well.
fn messages(page: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut in_table = false;
    for line in page.lines() {
        in_table = line.starts_with(HEADING) || (in_table && line.starts_with('|'));
        if !in_table || line.starts_with(HEADING) || line.starts_with("|---") {
            continue;
        }
        let cell = line.split('|').nth(1).expect("a cell");
        for message in cell.split('`').skip(1).step_by(2) {
            let parts = message.split('…').map(|part| part.trim().to_owned());
            found.push(parts.filter(|part| !part.is_empty()).collect());
        }
    }
    found
}

/// Whether the parts of a message stand one after the other, near each other.
fn is_said(parts: &[String], source: &str) -> bool {
    let Some((first, rest)) = parts.split_first() else { return false };
    source.match_indices(first.as_str()).any(|(at, _)| {
        let mut near: String = source[at + first.len()..].chars().take(REACH).collect();
        rest.iter().all(|part| {
            let found = near.split_once(part.as_str()).map(|(_, after)| after.to_owned());
            found.is_some_and(|after| {
                near = after;
                true
            })
        })
    })
}

#[test]
fn every_message_that_is_explained_is_in_the_source() {
    let source = source();
    let messages: Vec<_> = PAGES.iter().flat_map(|page| messages(&pages::read(page))).collect();
    assert!(messages.len() > 80, "only {} messages were found", messages.len());
    let missing: Vec<_> = messages.iter().filter(|parts| !is_said(parts, &source)).collect();
    assert!(missing.is_empty(), "in one of {PAGES:?} and not in the source: {missing:#?}");
}

#[test]
fn messages_are_found_in_tables_and_cut_at_what_varies() {
    let page = "| message | meaning |\n|---|---|\n| `a … b`, `c` | `d` |\n\n| other |\n| `e` |\n";
    assert_eq!(messages(page), [vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]]);
}

#[test]
fn a_message_is_said_where_its_parts_follow_each_other() {
    let parts = ["the branch".to_owned(), "is gone".to_owned()];
    assert!(is_said(&parts, "error: the branch `{x}` is gone"));
    assert!(!is_said(&parts, "it is gone; the branch stays"));
    let far = format!("the branch {} is gone", "x".repeat(REACH));
    assert!(!is_said(&parts, &far));
}
