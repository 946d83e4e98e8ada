//! What an item may be called, and how much it may say.

use crate::id::ItemId;

/// The longest id of an item: it becomes part of paths and of step names.
pub const MAX_ID_BYTES: usize = 64;

/// The longest title: one line of a prompt.
pub const MAX_TITLE_BYTES: usize = 200;

/// The longest body: every fold of the journal carries it.
pub const MAX_BODY_BYTES: usize = 8 << 10;

/// The longest id that is made from a title.
const MAX_SLUG_BYTES: usize = 40;

/// Why something cannot be an item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadItem {
    /// The id has other characters than those of a name.
    #[error("`{id}` cannot be the id of an item")]
    Id {
        /// What was given.
        id: String,
    },
    /// There is no title, or one that is no line.
    #[error("the title of an item is one line of 1 to {MAX_TITLE_BYTES} bytes")]
    Title,
    /// The body is too long, or holds a NUL byte.
    #[error("the body of an item is text of at most {} KiB", MAX_BODY_BYTES >> 10)]
    Body,
}

impl BadItem {
    /// Returns what to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Id { .. } => format!(
                "use letters, digits, `-` and `_`, a letter or digit first, at most {MAX_ID_BYTES}"
            ),
            Self::Title => "put the rest into the body".to_owned(),
            Self::Body => "write a document and name its path in the body".to_owned(),
        }
    }
}

/// Returns whether `text` can be the id of an item: safe in a path, a glob and a step's name.
pub fn is_id(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && text.len() <= MAX_ID_BYTES
}

/// Makes an id from a title: its words in lower case, joined with `-`.
pub fn id_of(title: &str) -> ItemId {
    let mut slug = String::new();
    for word in title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let joined = slug.len() + usize::from(!slug.is_empty());
        if joined + word.len() > MAX_SLUG_BYTES {
            if slug.is_empty() {
                slug.push_str(&word[..MAX_SLUG_BYTES]);
            }
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    if slug.is_empty() {
        // A title without a single letter that an id can hold still gets the same id every time.
        slug = format!("item-{}", &crate::id::ContentHash::of(title.as_bytes()).as_str()[..8]);
    }
    ItemId::new(slug.to_ascii_lowercase())
}

/// Checks what an item says.
pub(crate) fn check(id: &str, title: &str, body: &str) -> Result<(), BadItem> {
    if !is_id(id) {
        return Err(BadItem::Id { id: id.chars().take(80).collect() });
    }
    check_title(title)?;
    check_body(body)
}

pub(crate) fn check_title(title: &str) -> Result<(), BadItem> {
    let is_line = !title.trim().is_empty() && !title.chars().any(char::is_control);
    if is_line && title.len() <= MAX_TITLE_BYTES { Ok(()) } else { Err(BadItem::Title) }
}

pub(crate) fn check_body(body: &str) -> Result<(), BadItem> {
    let fits = body.len() <= MAX_BODY_BYTES && !body.contains('\0');
    if fits { Ok(()) } else { Err(BadItem::Body) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_made_from_the_words_of_a_title() {
        assert_eq!(id_of("Add a /health endpoint!").as_str(), "add-a-health-endpoint");
        assert_eq!(id_of("  ").as_str(), id_of("  ").as_str());
        assert!(is_id(id_of("日本語").as_str()), "{}", id_of("日本語"));
        assert_ne!(id_of("日本語"), id_of("中文"));
        let long = id_of(&"word ".repeat(40));
        assert!(is_id(long.as_str()) && long.as_str().len() <= MAX_SLUG_BYTES, "{long}");
        assert!(is_id(id_of(&"x".repeat(300)).as_str()));
    }

    #[test]
    fn what_is_no_name_no_line_or_no_text_is_refused() {
        for id in ["", "a/b", "..", "-x", "a b", "a#1", "é", &"x".repeat(65)] {
            assert_eq!(check(id, "title", ""), Err(BadItem::Id { id: id.to_owned() }));
        }
        for title in ["", "  ", "two\nlines", "tab\t", &"x".repeat(201)] {
            assert_eq!(check("a", title, ""), Err(BadItem::Title), "{title:?}");
        }
        assert_eq!(check("a", "t", &"x".repeat(MAX_BODY_BYTES + 1)), Err(BadItem::Body));
        assert_eq!(check("a", "t", "\0"), Err(BadItem::Body));
        assert_eq!(check("T-1_x", "A title", "A body\nof two lines"), Ok(()));
    }
}
