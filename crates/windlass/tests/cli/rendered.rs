//! A whole run with hostile text in goal, issue, file names, test names and an agent's words: the pull
//! request that comes out, as a real renderer shows it.

use std::collections::BTreeSet;

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};

use windlass_testkit::{Gh, Remote, test_env};

use crate::publish::{WORKFLOW, World};

/// What an agent or the author of an issue would write to break out, call somebody or close something.
const HOSTILE: &str =
    "x ``` ````` <img src=//e.example> <details> @org closes #5 [a](//e) \u{202e}\u{200b}\u{2800}";

/// The elements that a forge makes of a text, and the words in it that are no code.
fn shown(markdown: &str) -> (BTreeSet<&'static str>, String) {
    fn walk<'a>(node: &'a AstNode<'a>, found: &mut (BTreeSet<&'static str>, String)) {
        let value = &node.data.borrow().value;
        found.0.insert(value.xml_node_name());
        if let NodeValue::Text(text) = value {
            found.1.push_str(text);
        }
        node.children().for_each(|child| walk(child, found));
    }
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    let (arena, mut found) = (Arena::new(), Default::default());
    walk(parse_document(&arena, markdown, &options), &mut found);
    found
}

/// Title and body of the pull request of a run in which everybody writes `words`.
fn pull_request(words: &str) -> (String, String) {
    let env = test_env!();
    let (gh, remote) = (Gh::new(&env), Remote::bare(&env));
    gh.issue(42, words, words);
    let world = World { env, gh, remote };
    let name = words.replace('/', "_");
    world.env.repository.write("a_test.py", format!("def test_a():\n    '{words}'\n"));
    world.env.repository.commit("a test");
    // The words come from a file of the base, so that no shell reads them.
    world.env.repository.write("words.txt", words);
    world.env.repository.write("name.txt", &name);
    world.env.repository.commit("words");
    let agent = "n=$(cat name.txt); cp words.txt \"$n\"; echo right > answer.txt; rm a_test.py; \
                 ln -s \"$n\" link; cat words.txt";
    let started = world.start(WORKFLOW, agent, &["--issue", "42", "--yes"]);
    for _ in 0..3 {
        if world.env.status() == "completed" {
            break;
        }
        world.windlass(&["approve"]);
        world.windlass(&["resume"]);
    }
    assert_eq!(world.env.status(), "completed", "{started}");
    world.assert_published();
    let opened = world.pull_request();
    let text = |key: &str| opened[key].as_str().expect("text").to_owned();
    (text("title"), text("body"))
}

#[test]
fn a_pull_request_shows_hostile_text_as_its_characters_and_nothing_else() {
    let (_, plain) = pull_request("plain words");
    let (title, body) = pull_request(HOSTILE);
    let ((elements, words), (expected, _)) = (shown(&body), shown(&plain));
    assert_eq!(elements, expected, "{body}");
    for text in [&title, &words] {
        assert!(!text.contains("@org") && !text.contains("#5"), "{text}");
        assert!(text.contains("<img src=") && text.contains("\\u{202e}"), "{text}");
    }
    assert!(!format!("{title}{body}").contains(['\u{202e}', '\u{2800}']), "{title}\n{body}");
    assert!(title.starts_with("#42: x "), "{title}");
}
