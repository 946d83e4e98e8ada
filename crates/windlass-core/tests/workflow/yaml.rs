//! Files that are not YAML, or YAML of the kind that bites.

use insta::assert_snapshot;
use windlass_core::workflow::{MAX_SOURCE_BYTES, Workflow};

use super::{listed, one_step, parsed, refused, refused_step};

#[test]
fn an_empty_file_is_refused() {
    assert_snapshot!(refused(""), @r#"
    w.yaml:1:1: the file is empty
      help: a workflow begins with `workflow: NAME` and has `steps`
    "#);
    assert_snapshot!(refused("# only a comment\n\n"), @r#"
    w.yaml:1:1: the file is empty
      help: a workflow begins with `workflow: NAME` and has `steps`
    "#);
}

#[test]
fn a_file_that_is_no_mapping_is_refused() {
    assert_snapshot!(refused("- a\n- b\n"), @"w.yaml:1:1: expected a workflow as a mapping, found a list");
    assert_snapshot!(refused("just words\n"), @"w.yaml:1:1: expected a workflow as a mapping, found the text `just words`");
}

#[test]
fn a_second_document_is_refused() {
    assert_snapshot!(refused("workflow: w\n---\nworkflow: v\n"), @r#"
    w.yaml:3:1: a second YAML document begins here
      help: a file holds one document: remove the `---` line or move the rest to its own file
    "#);
}

#[test]
fn a_duplicate_key_is_refused() {
    assert_snapshot!(refused_step("agent: x;agent: y;done: {diff: any}"), @r#"
    w.yaml:5:5: the key `agent` is given twice
      help: keep one of the two
    "#);
}

#[test]
fn a_tab_in_the_indentation_is_refused() {
    assert_snapshot!(refused("workflow: w\nsteps:\n\t- id: a\n"), @"w.yaml:3:2: this is not valid YAML: tabs disallowed within this context (block indentation)");
}

#[test]
fn an_unclosed_bracket_is_refused() {
    assert_snapshot!(refused("workflow: w\nsteps: [{id: a\n"), @"w.yaml:2:9: this is not valid YAML: unclosed bracket '{'");
}

#[test]
fn a_byte_order_mark_is_read_over_and_places_stay_right() {
    let source = format!("\u{feff}{}", one_step("agent: x;done: {diff: any}"));
    parsed(&source);
    let found = Workflow::parse("\u{feff}wörkflow: w\n", "w.yaml").unwrap_err();
    assert_eq!((found[0].line, found[0].column), (1, 1));
    let unknown = found.iter().find(|finding| finding.message.contains("unknown")).unwrap();
    assert_eq!((unknown.offset, unknown.len), (3, "wörkflow".len()));
}

#[test]
fn a_huge_file_is_refused_unread() {
    let found = refused(&"x".repeat(MAX_SOURCE_BYTES + 1));
    assert_snapshot!(found, @r#"
    w.yaml:1:1: the file has 1048577 bytes, more than 1048576
      help: is this the workflow file?
    "#);
}

#[test]
fn deep_nesting_is_refused() {
    assert_snapshot!(refused(&format!("workflow: {}", "[".repeat(10_000))), @"w.yaml:1:59: the file is too large or too deeply nested: at most 100000 values, 48 levels");
    let block: String = (0..500).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert_snapshot!(refused(&block), @"w.yaml:49:49: the file is too large or too deeply nested: at most 100000 values, 48 levels");
}

#[test]
fn an_alias_bomb_is_refused() {
    let mut source = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..6 {
        let alias = format!("*a{}", level - 1);
        source.push_str(&format!("a{level}: &a{level} [{}]\n", vec![alias; 10].join(",")));
    }
    assert_snapshot!(refused(&source), @"w.yaml:4:38: aliases make this file far larger than it looks");
}

#[test]
fn a_cyclic_alias_is_refused() {
    assert_snapshot!(refused("workflow: w\nsteps: &s [*s]\n"), @"w.yaml:2:12: this alias refers to something that contains it");
}

#[test]
fn an_unknown_alias_and_a_merge_key_are_refused() {
    assert_snapshot!(refused("workflow: *nothing\n"), @"w.yaml:1:11: this is not valid YAML: reference to unknown value");
    assert_snapshot!(refused("workflow: w\ndefaults: {<<: {retries: 1}}\n"), @r#"
    w.yaml:2:12: merge keys (`<<`) are not supported
      help: write the keys out, or put them under `defaults`
    "#);
}

#[test]
fn aliases_work_and_findings_name_where_they_are_used() {
    parsed(&one_step("agent: &who x;backend: *who;done: {diff: any}"));
    assert_snapshot!(refused_step("agent: x;retries: &n lots;timeout: *n;done: {diff: any}"), @r#"
    w.yaml:5:17: expected a whole number of at least 1, found the text `lots`
    w.yaml:6:14: expected a time, found the text `lots`
      help: write it with its unit: `90s`, `30m`, `8h`, `1h30m`
    "#);
}

#[test]
fn the_key_on_is_a_word_and_not_a_boolean() {
    assert_snapshot!(refused_step("agent: x;on: {NO: {rollback: a, max: 1}};done: {diff: any}"), @r#"
    w.yaml:5:10: no verdict can take the route `NO`
      help: add a `verdict` or `verdict_in` check to `done`: its value selects the route
    "#);
}

#[test]
fn yes_and_no_are_words() {
    assert_snapshot!(refused_step("agent: x;done: {run: make, cache: no}"), @"w.yaml:5:30: expected `true` or `false`, found the text `no`");
    parsed(&one_step("agent: x;trust: agent;done: {verdict: .v, accept: [yes, on]}"));
}

#[test]
fn numbers_and_booleans_are_no_text() {
    assert_snapshot!(refused_step("agent: 7;title: true;done: {diff: any}"), @r#"
    w.yaml:4:12: expected text, found the number `7`
      help: put it in quotes if text is meant
    w.yaml:5:12: expected text, found the boolean `true`
      help: put it in quotes if text is meant
    "#);
}

#[test]
fn a_leading_zero_is_refused() {
    assert_snapshot!(refused_step("agent: x;retries: 010;done: {diff: any}"), @r#"
    w.yaml:5:14: expected a whole number of at least 1, found the number `010`
      help: a leading zero means octal to some and decimal to others: leave it out
    "#);
    assert_snapshot!(refused_step("agent: x;retries: 0x10;done: {diff: any}"), @"w.yaml:5:14: expected a whole number of at least 1, found the number `0x10`");
    assert_snapshot!(refused_step("agent: x;retries: \"3\";done: {diff: any}"), @r#"
    w.yaml:5:14: expected a whole number of at least 1, found the text `3`
      help: leave out the quotes
    "#);
}

#[test]
fn keys_that_are_no_text_are_refused() {
    assert_snapshot!(refused("workflow: w\n7: x\nsteps: []\n"), @r#"
    w.yaml:2:1: a key is text, not the number `7`
      help: put the key in quotes
    w.yaml:3:8: `steps` is empty: at least one step belongs there
    "#);
}

#[test]
fn a_key_without_a_value_is_refused() {
    assert_snapshot!(refused_step("agent:;needs:;done: {diff: any}"), @r#"
    w.yaml:4:10: expected text, found nothing
    w.yaml:5:10: expected text, found nothing
    "#);
}

#[test]
fn bytes_that_are_no_utf_8_are_named_by_their_place() {
    let found = Workflow::parse_bytes(b"workflow: w\ntitle: \xc3\xa4\xff\n", "w.yaml").unwrap_err();
    assert_snapshot!(listed(&found), @r#"
    w.yaml:2:9: byte 21 is not UTF-8
      help: save the file as UTF-8
    "#);
    let good = one_step("agent: x;done: {diff: any}");
    assert!(Workflow::parse_bytes(good.as_bytes(), "w.yaml").is_ok());
}

/// Each of these was chosen to make some part of the reading slow; the suite's timeout judges.
#[test]
fn hostile_files_of_the_largest_size_are_read_quickly() {
    let fill = |head: &str, unit: &str| {
        let room = MAX_SOURCE_BYTES - head.len();
        format!("{head}{}", unit.repeat(room / unit.len()))
    };
    let step = "workflow: w\nsteps:\n- id: a\n  agent: x\n  ";
    for source in [
        fill("", "{"),
        fill("", "- "),
        fill("", "a: b\n"),
        fill("workflow: w\ninputs:\n", "  abcdefgh: {type: string}\n"),
        fill(&format!("{step}done: {{run: make}}\n  task: "), "{inputs.ab}"),
        fill(&format!("{step}task: x\n  done: {{run: \""), "{"),
        fill(&format!("{step}task: x\n  done:\n    run: a "), "{inputs.a} "),
        fill(&format!("{step}done: {{file: '"), "{a,"),
        fill(&format!("{step}needs: ["), "aaaa,"),
        fill(&format!("{step}done:\n    all:\n"), "    - {state: .a}\n"),
        fill("workflow: &a w\nsteps: [", "*a,"),
        fill("workflow: w\nsteps:\n", "- {id: a, agent: x, done: {diff: any}}\n"),
    ] {
        refused(&source);
    }
}

#[test]
fn unknown_tags_are_refused() {
    assert_snapshot!(refused("workflow: !secret w\n"), @"w.yaml:1:19: this is not valid YAML: unsupported tag `!secret`");
}
