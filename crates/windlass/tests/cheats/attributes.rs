//! Attributes that make git store or check out other bytes than the file has.

use crate::support::{ANSWER, caught, env, honest, published};

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

#[test]
fn what_is_judged_are_the_bytes_of_the_file() {
    for attributes in [
        "* text eol=lf",
        "* eol=crlf",
        "* ident",
        "* text=auto",
        "* working-tree-encoding=UTF-16",
        "* export-ignore",
    ] {
        let env = env();
        let agent =
            format!("echo '{attributes}' > .gitattributes; printf 'a\\r\\n$Id$\\n' > exact.txt");
        honest(&env, EXACT, &agent);
        assert_eq!(published(&env, "exact.txt"), "a\r\n$Id$", "{attributes}");
    }
}

#[test]
fn an_encoding_does_not_turn_one_word_into_another() {
    caught(
        &env(),
        ANSWER,
        "echo 'answer.txt working-tree-encoding=UTF-16LE' > .gitattributes; printf 'wrong\\n' > answer.txt",
    );
}

#[test]
fn a_file_left_out_of_archives_is_there_for_the_judge() {
    let env = env();
    honest(
        &env,
        ANSWER,
        "echo 'answer.txt export-ignore' > .gitattributes; echo right > answer.txt",
    );
    assert_eq!(published(&env, "answer.txt"), "right");
}
