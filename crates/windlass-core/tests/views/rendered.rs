//! Markdown as a forge shows it: what a real renderer makes of it, with every extension that a forge has,
//! and what a forge then does with the text that is left.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};
use regex::{Regex, RegexSet};

/// What was rendered.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    /// The elements that are there.
    pub(crate) elements: BTreeSet<&'static str>,
    /// The text of each paragraph, heading and cell, in their order. Code stands between U+E000 and
    /// U+E001.
    pub(crate) texts: Vec<String>,
}

/// More than any one forge turns on.
fn options() -> Options<'static> {
    let mut options = Options::default();
    let extension = &mut options.extension;
    extension.strikethrough = true;
    extension.table = true;
    extension.autolink = true;
    extension.tasklist = true;
    extension.superscript = true;
    extension.subscript = true;
    extension.footnotes = true;
    extension.inline_footnotes = true;
    extension.description_lists = true;
    extension.front_matter_delimiter = Some("---".to_owned());
    extension.multiline_block_quotes = true;
    extension.alerts = true;
    extension.math_dollars = true;
    extension.math_code = true;
    extension.shortcodes = true;
    extension.wikilinks_title_after_pipe = true;
    extension.spoiler = true;
    options.parse.relaxed_autolinks = true;
    options.parse.relaxed_tasklist_matching = true;
    options
}

pub(crate) fn rendered(markdown: &str) -> Rendered {
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &options());
    let mut found = Rendered::default();
    walk(root, &mut found);
    found
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what has no text of its own says nothing")]
fn walk<'a>(node: &'a AstNode<'a>, found: &mut Rendered) {
    let value = &node.data.borrow().value;
    found.elements.insert(value.xml_node_name());
    if matches!(
        value,
        NodeValue::Paragraph
            | NodeValue::Heading(_)
            | NodeValue::TableCell
            | NodeValue::CodeBlock(_)
    ) {
        found.texts.push(String::new());
    }
    let mut say = |words: &str| match found.texts.last_mut() {
        Some(text) => text.push_str(words),
        None => found.texts.push(words.to_owned()),
    };
    match value {
        NodeValue::Text(text) => say(text),
        NodeValue::Code(code) => say(&format!("\u{e000}{}\u{e001}", code.literal)),
        NodeValue::CodeBlock(block) => say(&block.literal),
        NodeValue::SoftBreak | NodeValue::LineBreak => say("\n"),
        NodeValue::HtmlInline(html) => say(html),
        NodeValue::HtmlBlock(html) => say(&html.literal),
        _ => {}
    }
    for child in node.children() {
        walk(child, found);
    }
}

/// What forges look for in rendered text that is not code, and in text that nobody renders.
const ACTING: [&str; 10] = [
    r"@[A-Za-z0-9]",
    r"[#!&$][0-9]",
    r"(?i)\bgh-[0-9]",
    r"[a-z]://",
    r"(?i)www\.[a-z]",
    r"\b[0-9a-fA-F]{7,64}\b",
    r":[A-Za-z0-9_+-]+:",
    r"[\[{][+-]",
    r"~[A-Za-z]",
    r"(?i)\[(skip ci|ci skip|no ci)\]",
];

static CODE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("\u{e000}[^\u{e001}]*\u{e001}").unwrap());
static ACTS: LazyLock<RegexSet> = LazyLock::new(|| RegexSet::new(ACTING).unwrap());

/// What a forge would still act on: the patterns that were found.
pub(crate) fn acted_on(text: &str) -> Vec<&'static str> {
    let text = CODE.replace_all(text, "\u{e000}");
    ACTS.matches(&text).into_iter().map(|at| ACTING[at]).collect()
}
