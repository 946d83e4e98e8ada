//! Text of others stays text: put through what escapes it and through a real renderer, it is what it was.

use proptest::prelude::*;
use windlass_core::view::{SEPARATOR, cell, prose, quiet};

use crate::rendered::{Rendered, acted_on, rendered};

/// What means something to a renderer or to a forge, and pieces of it.
const PIECES: [&str; 132] = [
    "`",
    "`",
    "``",
    "```",
    "`````",
    "~~~",
    "~~",
    "~",
    "*",
    "**",
    "_",
    "__",
    "[",
    "]",
    "(",
    ")",
    "![",
    "<",
    ">",
    "</",
    "/>",
    "&",
    "&lt;",
    "&#64;",
    "\\",
    "\\",
    "|",
    "||",
    "\\|",
    "#",
    "##",
    "@",
    ":",
    "::",
    ";",
    "=",
    "==",
    "-",
    "--",
    "---",
    "+",
    "$",
    "$$",
    "^",
    "%",
    "{",
    "}",
    ".",
    "/",
    "\"",
    "'",
    "!",
    "?",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    " ",
    " ",
    " ",
    "  ",
    "    ",
    "\u{0}",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{a0}",
    "\u{2028}",
    "\u{200b}",
    "<!--",
    "-->",
    "<b>",
    "<details>",
    "<img src=\"https://evil.example/x.png\">",
    "<script>",
    "<https://evil.example>",
    "<a@b.example>",
    "[x](https://evil.example)",
    "[x]: https://evil.example",
    "[^1]",
    "[^1]: x",
    "[ ] ",
    "[x] ",
    "[[x|y]]",
    "https://evil.example/a/b/issues/5",
    "http://",
    "www.evil.example",
    "mailto:a@b.example",
    "ftp://x.example",
    "@org/everyone",
    "@ada",
    "a@b.example",
    "closes #5",
    "fixes ada/engine#5",
    "GH-5",
    "fixes SHOP-5",
    "!5",
    "&5",
    "%\"x\"",
    "~bug",
    ":tada:",
    ":+1:",
    ":tada",
    "0123abcdef",
    "deadbeef",
    "[skip ci]",
    "[!NOTE]",
    "[TOC]",
    "mermaid",
    "1. ",
    "2) ",
    "- ",
    "> ",
    "# ",
    "=====",
    "|---|",
    "{#id}",
    "{+ x +}",
    "<!channel>",
    "a",
    "b",
    "word",
    "x",
    "é",
    "日",
    "🙂",
    "5",
    "0",
    "A",
    "a1b2c3d",
    "/close",
    "***NO_CI***",
    "__init__",
];

pub(crate) fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40);
    pieces.prop_map(|pieces| pieces.concat())
}

/// The characters of a text that people see: separators aside, white space as one space each, and
/// control characters as they are shown.
fn seen(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown = String::new();
    for sign in line.chars() {
        match sign {
            // Their own is shown as what it is, and ours stays out of sight.
            SEPARATOR => shown.push_str("\\u{200b}"),
            '\u{0}' => shown.push_str("\\x00"),
            '\u{1b}' => shown.push_str("\\x1b"),
            '\u{202e}' => shown.push_str("\\u{202e}"),
            sign => shown.push(sign),
        }
    }
    shown
}

/// The text as written, and what is left of both without the backticks that set code apart.
fn same(text: &str, shown: &str) -> Result<(), TestCaseError> {
    let marks = ['`', '\u{e000}', '\u{e001}'];
    // Code loses white space at its ends.
    let bare = |text: &str| text.replace(marks, "").split_whitespace().collect::<String>();
    prop_assert_eq!(bare(&seen(text)), bare(&seen(&shown.replace(SEPARATOR, ""))));
    // Each pair of backticks that went is code now, and no other went.
    let left = shown.matches('`').count() + 2 * shown.matches('\u{e000}').count();
    prop_assert_eq!(text.matches('`').count(), left, "{}", shown);
    Ok(())
}

fn only(found: &Rendered, expected: &[&str]) -> Result<(), TestCaseError> {
    for element in &found.elements {
        prop_assert!(expected.contains(element), "{} in {:?}", element, found);
    }
    for text in &found.texts {
        prop_assert!(acted_on(text).is_empty(), "{:?} in {}", acted_on(text), text);
    }
    Ok(())
}

const INLINE: [&str; 4] = ["document", "paragraph", "text", "code"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_line_shows_its_characters_and_nothing_else(text in hostile()) {
        let found = rendered(&prose(&text));
        only(&found, &INLINE)?;
        same(&text, &found.texts.concat())?;
    }

    #[test]
    fn behind_a_mark_it_is_still_only_text(text in hostile(), other in hostile()) {
        let (text, other) = (prose(&text), prose(&other));
        let written = format!("# {text}\n\n- {text}\n- [ ] {other}\n  - {text}\n\n> - {other}: {text}\n\n**{text}** x\n");
        let found = rendered(&written);
        let mut expected = INLINE.to_vec();
        expected.extend(["heading", "list", "item", "taskitem", "block_quote", "strong"]);
        only(&found, &expected)?;
    }

    #[test]
    fn a_cell_shows_its_characters_and_the_table_keeps_its_form(text in hostile(), other in hostile()) {
        let (first, second) = (cell(&text), cell(&other));
        let found = rendered(&format!("| a | b |\n|---|---|\n| {first} | {second} |\n| c | d |\n"));
        only(&found, &["document", "table", "table_row", "table_cell", "text", "code"])?;
        prop_assert_eq!(found.texts.len(), 6, "{:?}", found);
        prop_assert_eq!(&found.texts[4], "c");
        for (text, shown) in [(&text, &found.texts[2]), (&other, &found.texts[3])] {
            // Code with an escaped bar in it is text instead, which shows the same characters.
            if !text.contains("\\|") { same(text, shown)?; }
        }
    }

    #[test]
    fn a_title_calls_nobody_and_closes_nothing(text in hostile()) {
        let title = quiet(&text);
        prop_assert!(acted_on(&title).is_empty(), "{:?} in {}", acted_on(&title), title);
        prop_assert_eq!(title.replace(SEPARATOR, ""), text.replace(SEPARATOR, ""));
    }
}

/// One of each thing that Markdown or a forge knows.
const CONSTRUCTS: [&str; 60] = [
    "``` <details><summary>All gates passed</summary> <img src=\"https://evil.example/x.png\"> [click](https://evil.example) @org/everyone closes #5 `````",
    "`` ` ``",
    "```mermaid graph TD ```",
    "~~~ text",
    "$x^2$ and $$y$$ and $`z`$",
    "costs $5, then $6",
    "*a* **b** ***c***",
    "_a_ __b__ snake_case_name _x",
    "~a~ ~~b~~",
    "^a^ ||b||",
    "[x](y)",
    "[x](<y>)",
    "![x](y)",
    "[x]: https://evil.example",
    "[x][y]",
    "[^1]",
    "[^1]: note",
    "^[note]",
    "[[wiki|page]]",
    "[ ] task",
    "[x] task",
    "<https://evil.example>",
    "<a@b.example>",
    "https://evil.example/a",
    "HTTPS://EVIL.EXAMPLE",
    "ftp://evil.example",
    "www.evil.example",
    "WWW.evil.example",
    "mailto:a@b.example",
    "a@b.example",
    "# heading",
    "heading #",
    "###### x ######",
    "#5",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "2) item",
    "> quote",
    ">>> quote",
    "[!NOTE]",
    "---",
    "***",
    "___",
    "===",
    "| a | b |",
    "|---|",
    ": definition",
    "<div>",
    "<!-- x -->",
    "<?x?>",
    "<![CDATA[x]]>",
    "&lt; &#64; &copy;",
    "\\* \\\\ \\",
    ":tada: :+1: :100:",
    "/close",
    "heading {#id .class}",
    "{+ added +} {- removed -}",
    "0123456789abcdef0123456789abcdef01234567",
];

#[test]
fn each_construct_is_text() {
    for text in CONSTRUCTS {
        for before in ["", "one\n\n", "one\n", "- one\n- ", "> ", "    ", "1. "] {
            let found = rendered(&prose(&format!("{before}{text}")));
            only(&found, &INLINE).unwrap();
            same(&format!("{before}{text}"), &found.texts.concat()).unwrap();
        }
        // Whatever stands in the lines before and after: a line of windlass and one of others.
        let row = cell(text);
        let found = rendered(&format!("| a |\n|---|\n| {row} |\n"));
        assert_eq!(found.texts.len(), 2, "{text}: {found:?}");
        let line = prose(text);
        let found = rendered(&format!("one\n{line}\ntwo\n"));
        only(&found, &["document", "paragraph", "text", "code", "softbreak"]).unwrap();
    }
}

#[test]
fn what_is_quoted_in_single_backticks_is_code() {
    let found = rendered(&prose("`make test` exited with 2: `a | b` and `<b>`"));
    assert_eq!(
        found.texts,
        ["\u{e000}make test\u{e001} exited with 2: \u{e000}a | b\u{e001} and \u{e000}<b>\u{e001}"]
    );
}

#[test]
fn what_is_to_be_found_would_be_found() {
    // The judges of these tests, judged: without escaping they see everything.
    for (text, element) in [
        ("a <b>x</b>", "html_inline"),
        ("[x](y)", "link"),
        ("www.evil.example", "link"),
        ("a@b.example", "link"),
        ("$x$", "math"),
        ("| a |\n|---|", "table"),
        ("[^1]\n\n[^1]: x", "footnote_reference"),
        (":tada:", "shortcode"),
        ("```mermaid\nx\n```", "code_block"),
    ] {
        assert!(rendered(text).elements.contains(element), "{text}: {:?}", rendered(text));
    }
    for text in ["@ada", "closes #5", "GH-5", "https://x.example", "0123abc", "[skip ci]", ":a:"] {
        assert!(!acted_on(text).is_empty(), "{text}");
    }
}
