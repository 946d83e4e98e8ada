//! XML as a stream of elements, with the checks that the parser leaves to its user.
//!
//! Memory is the text itself and a stack of open elements. No entity is expanded beyond the five
//! that XML knows; a document that declares more is refused, because it says something else to a
//! reader that does expand them.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use quick_xml::escape;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::unreadable::Unreadable;

/// Deeper than any report: suites are nested by folders and classes.
const MAX_DEPTH: usize = 128;

/// How far into a file its encoding is looked for.
const DECLARATION_BYTES: usize = 200;

/// One part of a document.
pub(crate) enum Part<'t> {
    /// An element begins; each one ends, also those written as `<a/>`.
    Open(Element<'t>),
    /// The innermost open element ends.
    Close,
    /// Text inside an element; long text comes in pieces.
    Text(Cow<'t, str>),
    /// The document is over, and whole.
    End,
}

/// The beginning of an element.
pub(crate) struct Element<'t> {
    start: BytesStart<'t>,
    /// Its line in the file, found only when somebody asks: it costs a look at all before it.
    offset: usize,
}

impl<'t> Element<'t> {
    /// Returns the name without a prefix.
    pub(crate) fn name(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// Returns the raw value of an attribute.
    ///
    /// That is enough for numbers; see [`plain`] for text.
    pub(super) fn get(&'t self, name: &str) -> Option<Cow<'t, str>> {
        // Duplicates were refused when the element was opened.
        let mut attributes = self.start.attributes();
        attributes.with_checks(false);
        let mut found = attributes.flatten().filter(|attribute| attribute.key.0 == name);
        found.next().map(|attribute| attribute.value)
    }

    /// Returns the raw values of two attributes in one look.
    pub(super) fn get_both(&'t self, names: [&str; 2]) -> [Cow<'t, str>; 2] {
        let mut attributes = self.start.attributes();
        attributes.with_checks(false);
        let mut values = [Cow::Borrowed(""), Cow::Borrowed("")];
        for attribute in attributes.flatten() {
            if let Some(position) = names.iter().position(|name| *name == attribute.key.0) {
                values[position] = attribute.value;
            }
        }
        values
    }

    /// Returns an attribute that is a number in plain digits; none when it is missing or no number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.trim().parse().ok()
    }

    /// Returns every attribute with its name as it is written.
    pub(crate) fn attributes(&self) -> Vec<(String, String)> {
        let attributes = self.start.attributes().flatten();
        attributes.map(|one| (one.key.0.to_owned(), plain(&one.value))).collect()
    }

    /// Returns an attribute as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|value| plain(&value))
    }
}

/// Resolves what stands for a character; a reference to an unknown entity stays as it is written.
pub(super) fn plain(raw: &str) -> String {
    escape::unescape(raw).map_or_else(|_| raw.to_owned(), Cow::into_owned)
}

/// A document that is read from its beginning to its end.
pub(crate) struct Document<'t> {
    text: &'t str,
    reader: Reader<&'t [u8]>,
    /// Where each open element begins; its name is there.
    open: Vec<usize>,
    had_root: bool,
}

impl<'t> Document<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Self { text, reader, open: Vec::new(), had_root: false }
    }

    /// Returns the next part.
    pub(crate) fn next(&mut self) -> Result<Part<'t>, Unreadable> {
        loop {
            let offset = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
            let event = self.reader.read_event().map_err(|error| {
                let at = usize::try_from(self.reader.error_position()).unwrap_or(usize::MAX);
                Unreadable::Xml { line: self.line(at), why: error.to_string() }
            })?;
            match event {
                Event::Start(start) => return Ok(Part::Open(self.open(start, offset)?)),
                // `expand_empty_elements` makes two of it; if it ever does not, nothing is lost.
                Event::Empty(_) => {}
                Event::End(_) => {
                    self.open.pop();
                    return Ok(Part::Close);
                }
                Event::Text(text) => {
                    let text = text.into_inner();
                    if !self.open.is_empty() {
                        return Ok(Part::Text(text));
                    }
                    self.only_blank(&text, offset)?;
                }
                Event::CData(text) => {
                    if self.open.is_empty() {
                        return Err(self.stray(offset));
                    }
                    return Ok(Part::Text(text.into_inner()));
                }
                Event::GeneralRef(reference) => {
                    if self.open.is_empty() {
                        return Err(self.stray(offset));
                    }
                    return Ok(Part::Text(plain(&format!("&{};", &*reference)).into()));
                }
                Event::DocType(declaration) => {
                    if declaration.contains("<!ENTITY") {
                        return Err(Unreadable::Entities);
                    }
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
                Event::Eof => return self.end(),
            }
        }
    }

    /// Returns the line of an element.
    pub(super) fn line_of(&self, element: &Element<'_>) -> usize {
        self.line(element.offset)
    }

    fn open(&mut self, start: BytesStart<'t>, offset: usize) -> Result<Element<'t>, Unreadable> {
        if self.open.is_empty() && self.had_root {
            return Err(Unreadable::AfterRoot { line: self.line(offset) });
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(Unreadable::TooDeep { most: MAX_DEPTH });
        }
        for attribute in start.attributes() {
            attribute.map_err(|error| Unreadable::Xml {
                line: self.line(offset),
                why: error.to_string(),
            })?;
        }
        self.had_root = true;
        self.open.push(offset);
        Ok(Element { start, offset })
    }

    fn end(&self) -> Result<Part<'t>, Unreadable> {
        match self.open.last() {
            Some(offset) => Err(Unreadable::CutOff { inside: self.name_at(*offset) }),
            None if self.had_root => Ok(Part::End),
            None => Err(Unreadable::Empty),
        }
    }

    fn name_at(&self, offset: usize) -> String {
        let tag = self.text.get(offset..).unwrap_or_default().trim_start_matches('<');
        tag.chars().take_while(|c| !c.is_whitespace() && !['>', '/'].contains(c)).take(80).collect()
    }

    fn only_blank(&self, text: &str, offset: usize) -> Result<(), Unreadable> {
        if text.trim().is_empty() { Ok(()) } else { Err(self.stray(offset)) }
    }

    /// Text outside the root element.
    fn stray(&self, offset: usize) -> Unreadable {
        let line = self.line(offset);
        if self.had_root {
            Unreadable::AfterRoot { line }
        } else {
            Unreadable::Xml { line, why: "text before the root element".to_owned() }
        }
    }

    fn line(&self, offset: usize) -> usize {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }
}

/// Returns a file's bytes as text: by its byte order mark, by what it declares, else as UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Unreadable> {
    let (encoding, bytes) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding, &bytes[mark..]),
        None => (declared(bytes).unwrap_or(UTF_8), bytes),
    };
    let text = match encoding == UTF_8 {
        true => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        false => encoding.decode_without_bom_handling_and_without_replacement(bytes),
    };
    text.ok_or(Unreadable::NotText { encoding: encoding.name() })
}

/// The encoding that `<?xml … encoding="…"?>` names, if it can be read that way at all.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES)];
    let head = String::from_utf8_lossy(head);
    let declaration = head.strip_prefix("<?xml")?.split("?>").next()?;
    let value = declaration.split("encoding").nth(1)?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    let name = value[1..].split(quote).next()?;
    // UTF-16 whose declaration can be read byte by byte is none.
    Encoding::for_label(name.as_bytes()).filter(|encoding| encoding.is_ascii_compatible())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a document to its end and returns the names that were opened.
    fn names(text: &str) -> Result<Vec<String>, Unreadable> {
        let mut document = Document::new(text);
        let mut names = Vec::new();
        loop {
            match document.next()? {
                Part::Open(element) => names.push(element.name().to_owned()),
                Part::Close | Part::Text(_) => {}
                Part::End => return Ok(names),
            }
        }
    }

    #[test]
    fn a_document_has_one_root_and_an_end() {
        assert_eq!(names("<?xml version='1.0'?>\n<!-- x --><a><p:b/>t</a>\n").unwrap(), ["a", "b"]);
        let why = |text: &str| names(text).unwrap_err().to_string();
        assert_eq!(why(""), "is empty");
        assert_eq!(why("<!-- x -->"), "is empty");
        assert_eq!(why("<a><b>"), "is cut off: it ends inside `b`");
        assert_eq!(
            why("<a/>\n<a/>"),
            "is broken XML: something follows its root element in line 2"
        );
        assert_eq!(why("<a/>x"), "is broken XML: something follows its root element in line 1");
        assert_eq!(why("x<a/>"), "is broken XML in line 1: text before the root element");
        assert!(why("<a>\n<b></c></a>").starts_with("is broken XML in line 2: "));
        assert!(why("<a x='1' x='2'/>").starts_with("is broken XML in line 1: "));
        assert!(why("<a x='1").starts_with("is broken XML in line 1: "));
        assert!(why("<a>fish & chips</a>").starts_with("is broken XML in line 1: "));
    }

    #[test]
    fn nesting_without_end_is_refused_without_recursion() {
        let deep = "<a>".repeat(1_000_000);
        assert_eq!(names(&deep), Err(Unreadable::TooDeep { most: MAX_DEPTH }));
    }

    #[test]
    fn entities_are_never_expanded() {
        let bomb = "<!DOCTYPE a [<!ENTITY b 'xxxxxxxxxx'><!ENTITY c '&b;&b;&b;'>]><a>&c;</a>";
        assert_eq!(names(bomb), Err(Unreadable::Entities));
        let outside = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>";
        assert_eq!(names(outside), Err(Unreadable::Entities));
        // A reference that nobody declared stays what is written.
        let mut document = Document::new("<a t='&c;&lt;'>&c;&amp;&#65;</a>");
        let mut text = String::new();
        loop {
            match document.next().unwrap() {
                Part::Open(element) => assert_eq!(element.text("t").unwrap(), "&c;&lt;"),
                Part::Text(part) => text.push_str(&part),
                Part::Close => {}
                Part::End => break,
            }
        }
        assert_eq!(text, "&c;&A");
        assert_eq!(plain("a &lt; b"), "a < b");
        // A document type alone is common, and is not fetched.
        assert_eq!(names("<!DOCTYPE a SYSTEM 'http://example.org/a.dtd'><a/>").unwrap(), ["a"]);
    }

    #[test]
    fn text_is_decoded_as_it_is_marked_or_declared() {
        let text = "<a>ä</a>";
        let utf16 = |order: fn(u16) -> [u8; 2], mark: u16| -> Vec<u8> {
            std::iter::once(mark).chain(text.encode_utf16()).flat_map(order).collect()
        };
        assert_eq!(decode(text.as_bytes()).unwrap(), text);
        assert_eq!(decode(format!("\u{feff}{text}").as_bytes()).unwrap(), text);
        assert_eq!(decode(&utf16(u16::to_le_bytes, 0xfeff)).unwrap(), text);
        assert_eq!(decode(&utf16(u16::to_be_bytes, 0xfeff)).unwrap(), text);
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe4</a>";
        assert!(decode(latin).unwrap().ends_with(text));
        assert_eq!(decode(b"<a>\xe4</a>").unwrap_err().to_string(), "is not UTF-8 text");
        let odd = [&utf16(u16::to_le_bytes, 0xfeff)[..], b"\x00"].concat();
        assert_eq!(decode(&odd).unwrap_err().to_string(), "is not UTF-16LE text");
    }
}
