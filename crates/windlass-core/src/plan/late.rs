//! Placeholders that stay in a plan until they are known.
//!
//! `{context.…}` stays until a text is used, `{item.…}` until the item comes up. A plan's text
//! doubles the literal braces that stand before one of these words, so that a goal or a title which
//! happens to contain `{context.x}` stays what it is; every other brace stands for itself.

use super::template::{ItemField, value_text};
use crate::item::Item;

/// What follows the brace of a placeholder for the context.
pub(super) const CONTEXT: &str = "context.";

/// What follows the brace of a placeholder for the item.
pub(super) const ITEM: &str = "item.";

/// Texts of steps that are repeated for every item.
pub(super) const UNTIL_THE_ITEM: [&str; 2] = [CONTEXT, ITEM];

/// Texts whose context is known only while the run continues.
pub(super) const UNTIL_USE: [&str; 1] = [CONTEXT];

/// Texts that wait for the item and for nothing else.
pub(super) const ITEM_ONLY: [&str; 1] = [ITEM];

/// A plan's text in the making: literals wait until it is known what follows them.
pub(super) struct Kept {
    text: String,
    pub(super) literal: String,
    late: &'static [&'static str],
}

impl Kept {
    /// Begins a text that keeps placeholders for these words.
    pub(super) fn new(late: &'static [&'static str]) -> Self {
        Self { text: String::new(), literal: String::new(), late }
    }

    /// Adds a placeholder that stays.
    pub(super) fn keep(&mut self, word: &str, path: &str) {
        let open = trailing_braces(&self.literal);
        let literal = std::mem::take(&mut self.literal);
        self.text.push_str(&protect(&literal, self.late));
        self.text.push_str(&"{".repeat(open));
        self.text.push_str(&format!("{{{word}{path}}}"));
    }

    pub(super) fn finish(self) -> String {
        self.text + &protect(&self.literal, self.late)
    }
}

fn trailing_braces(text: &str) -> usize {
    text.len() - text.trim_end_matches('{').len()
}

/// Returns where the first of the words stands, and which one it is.
fn next_word<'w>(text: &str, words: &[&'w str]) -> Option<(usize, &'w str)> {
    words.iter().filter_map(|word| Some((text.find(word)?, *word))).min()
}

/// Doubles the braces that stand before one of the words.
fn protect(literal: &str, words: &[&str]) -> String {
    let mut protected = String::with_capacity(literal.len());
    let mut rest = literal;
    while let Some((at, word)) = next_word(rest, words) {
        protected.push_str(&rest[..at]);
        protected.push_str(&"{".repeat(trailing_braces(&rest[..at])));
        protected.push_str(word);
        rest = &rest[at + word.len()..];
    }
    protected + rest
}

/// One piece of a plan's text.
enum Piece<'t> {
    Literal(&'t str),
    Braces(usize),
    Kept(&'static str, &'t str),
}

/// Reads a plan's text that keeps placeholders for these words.
fn pieces<'t>(text: &'t str, words: &[&'static str]) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((at, word)) = next_word(rest, words) {
        let (before, from) = rest.split_at(at);
        let braces = trailing_braces(before);
        pieces.push(Piece::Literal(&before[..at - braces]));
        pieces.push(Piece::Braces(braces / 2));
        let path = from[word.len()..].split('}').next().unwrap_or_default();
        let closed = from[word.len() + path.len()..].starts_with('}');
        if braces % 2 == 1 && closed {
            pieces.push(Piece::Kept(word, path));
            rest = &from[word.len() + path.len() + 1..];
        } else {
            pieces.push(Piece::Literal(&from[..word.len()]));
            rest = &from[word.len()..];
        }
    }
    pieces.push(Piece::Literal(rest));
    pieces
}

/// What a text of a repeated step still waits for once its item is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    /// The context.
    ForContext,
    /// Nothing.
    ForNothing,
}

/// Fills `{item.…}` in a text of a step that is repeated for every item.
pub(super) fn fill_item(text: &str, item: &Item, waits: Waits) -> String {
    let (from, to): (&[&'static str], &'static [&'static str]) = match waits {
        Waits::ForContext => (&UNTIL_THE_ITEM, &UNTIL_USE),
        Waits::ForNothing => (&ITEM_ONLY, &[]),
    };
    let mut filled = Kept::new(to);
    for piece in pieces(text, from) {
        match piece {
            Piece::Literal(text) => filled.literal.push_str(text),
            Piece::Braces(count) => filled.literal.push_str(&"{".repeat(count)),
            Piece::Kept(CONTEXT, path) => filled.keep(CONTEXT, path),
            Piece::Kept(_, field) => filled.literal.push_str(match ItemField::parse(field) {
                Some(ItemField::Title) => &item.title,
                Some(ItemField::Body) => &item.body,
                // The grammar lets no other field through.
                Some(ItemField::Id) | None => item.id.as_str(),
            }),
        }
    }
    filled.finish()
}

/// A context key that a text needs and that no step has published.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the context has no text, number or boolean at `{path}`")]
pub struct MissingContext {
    /// The key.
    pub path: String,
}

/// Fills `{context.…}` in a text of a plan from the run's context.
///
/// Values are put in as they are, in one pass. They come from agents: whoever uses the result as
/// a path checks that it stays inside the place.
pub fn fill_context(text: &str, context: &serde_json::Value) -> Result<String, MissingContext> {
    let mut filled = String::with_capacity(text.len());
    for piece in pieces(text, &UNTIL_USE) {
        match piece {
            Piece::Literal(text) => filled.push_str(text),
            Piece::Braces(count) => filled.push_str(&"{".repeat(count)),
            Piece::Kept(_, path) => filled.push_str(&context_text(path, context)?),
        }
    }
    Ok(filled)
}

fn context_text(path: &str, context: &serde_json::Value) -> Result<String, MissingContext> {
    // A published key is stored nested; a key that was set with its dots is found as well.
    let nested = path.split('.').try_fold(context, |value, key| value.get(key));
    match nested.or_else(|| context.get(path)) {
        Some(value) if value.is_string() || value.is_number() || value.is_boolean() => {
            Ok(value_text(value))
        }
        Some(_) | None => Err(MissingContext { path: path.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::item::ItemSource;
    use crate::plan::template::{Role, Template, Values};

    fn item(title: &str) -> Item {
        Item {
            id: "S1".into(),
            step: "stories".into(),
            title: title.to_owned(),
            body: "The {item.id} body".to_owned(),
            story: None,
            source: ItemSource::Person { name: "ann".to_owned() },
            skipped: None,
        }
    }

    /// A text of a repeated step, as its item gets it.
    fn filled(text: &str, role: Role, title: &str) -> String {
        let inputs = BTreeMap::from([("tricky".to_owned(), json!("{item.id} {{item.id}}"))]);
        let values = Values { goal: "a {item.id}", issue: None, inputs: &inputs, in_item: true };
        let planned = Template::parse(text, role).unwrap().fill(&values).unwrap();
        let waits = if role == Role::FixedGlob { Waits::ForNothing } else { Waits::ForContext };
        fill_item(&planned, &item(title), waits)
    }

    #[test]
    fn an_item_is_filled_in_one_pass_and_words_that_look_like_it_stay_what_they_are() {
        let context = json!({"a": "A"});
        for (text, title, expected) in [
            ("{item.id}: {item.title}", "T", "S1: T"),
            ("{item.body}", "T", "The {item.id} body"),
            ("{goal} {inputs.tricky}", "T", "a {item.id} {item.id} {{item.id}}"),
            ("{{item.id}} {{{item.id}}}", "T", "{item.id} {S1}"),
            ("{item.title} {context.a}", "{context.a}", "{context.a} A"),
            ("{item.title}{context.a}", "{", "{A"),
            ("{item.title}context.a}}", "{", "{context.a}"),
            ("item. and {context.a}", "T", "item. and A"),
        ] {
            let text = filled(text, Role::Task, title);
            assert_eq!(fill_context(&text, &context).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn globs_that_wait_for_nothing_else_get_the_id() {
        assert_eq!(filled("src/{item.id}/*.{ts,js}", Role::FixedGlob, "T"), "src/S1/*.{ts,js}");
        assert_eq!(filled("{a,{item.id}}/context.a", Role::FixedGlob, "T"), "{a,S1}/context.a");
    }
}
