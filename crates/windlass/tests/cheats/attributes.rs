//! Attributes that make git store or check out other bytes than the file has.

use crate::support::{ANSWER, env, let_pass, published};

const EXACT: &str = r#"
workflow: exact
defaults: {retries: 1}
steps:
  - id: build
    agent: developer
    task: Write CRLF.
    done: {run: "printf 'a\\r\\n$Id$\\n' | cmp - exact.txt"}
    commit: wip
"#;

fn with_attributes(attributes: &str) -> String {
    format!("echo '{attributes}' > .gitattributes; printf 'a\\r\\n$Id$\\n' > exact.txt")
}

#[test]
fn attributes_that_change_nothing_are_let_through() {
    for attributes in ["* text eol=lf", "* text=auto", "* export-ignore"] {
        let env = env();
        let_pass(&env, EXACT, &with_attributes(attributes)).assert_code(0);
        assert_eq!(published(&env, "exact.txt"), "a\r\n$Id$", "{attributes}");
    }
}

#[test]
fn what_is_judged_is_what_a_fresh_clone_has() {
    for attributes in ["* text eol=crlf", "* ident", "* working-tree-encoding=UTF-16"] {
        let env = env();
        let finished = let_pass(&env, EXACT, &with_attributes(attributes));
        assert_eq!(env.log_json().count("step_proven"), 0, "{attributes}: {finished}");
    }
}

#[test]
fn an_encoding_does_not_turn_one_word_into_another() {
    let env = env();
    let finished = let_pass(
        &env,
        ANSWER,
        "echo 'answer.txt working-tree-encoding=UTF-16LE' > .gitattributes; printf 'wrong\\n' > answer.txt",
    );
    assert_eq!(env.log_json().count("step_proven"), 0, "{finished}");
}

#[test]
fn a_file_left_out_of_archives_is_there_for_the_judge() {
    let env = env();
    let agent = "echo 'answer.txt export-ignore' > .gitattributes; echo right > answer.txt";
    let_pass(&env, ANSWER, agent).assert_code(0);
    assert_eq!(published(&env, "answer.txt"), "right");
}
