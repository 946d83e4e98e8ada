//! Where headings, code and HTML of a text stand.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// How a heading is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadingForm {
    /// With `#` in front.
    Atx,
    /// Underlined with `=` or `-`.
    Setext,
}

/// A heading that is part of no list, quote or other container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its words as they are written, without marks and closing `#`.
    pub title: String,
    /// Its lines, the last line's end included.
    pub range: Range<usize>,
    /// Its first line, from 1.
    pub line: u32,
    /// How it is written.
    pub form: HeadingForm,
}

/// A fenced code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// What stands behind the opening fence.
    pub info: String,
    /// What is inside.
    pub content: String,
    /// From the opening fence to the closing one.
    pub range: Range<usize>,
    /// The line of the opening fence, from 1.
    pub line: u32,
}

/// What a text is made of, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Headings.
    pub headings: Vec<Heading>,
    /// Fenced code blocks.
    pub fences: Vec<Fence>,
    /// Code blocks of either kind and HTML, comments included: text that is not read as Markdown.
    pub opaque: Vec<Range<usize>>,
    /// Where each line begins.
    line_starts: Vec<usize>,
}

impl Outline {
    /// Reads a text; a byte order mark in front is skipped, and offsets are those of the whole text.
    pub fn of(text: &str) -> Self {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self::from(text, text.len() - body.len())
    }

    /// Reads what stands from the byte `start` on, such as the text below front matter. Offsets and lines are
    /// those of the whole text.
    pub fn from(text: &str, start: usize) -> Self {
        let mut reader = Reader { text, start, ..Reader::new(text) };
        for (event, range) in Parser::new_ext(&text[start..], Options::empty()).into_offset_iter() {
            reader.take(event, range.start + start..range.end + start);
        }
        reader.outline
    }

    /// Returns the line of a byte, from 1.
    pub fn line_of(&self, offset: usize) -> u32 {
        let line = self.line_starts.partition_point(|start| *start <= offset);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// Whether a byte is part of code or of HTML.
    pub fn is_opaque(&self, offset: usize) -> bool {
        let after = self.opaque.partition_point(|range| range.start <= offset);
        after > 0 && self.opaque[after - 1].end > offset
    }
}

/// Returns where each line of a text begins.
fn line_starts(text: &str) -> Vec<usize> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect()
}

struct Reader<'t> {
    text: &'t str,
    start: usize,
    outline: Outline,
    /// How many lists, quotes and the like are around.
    depth: usize,
    fence: Option<Fence>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let outline = Outline { line_starts: line_starts(text), ..Outline::default() };
        Self { text, start: 0, outline, depth: 0, fence: None }
    }

    fn take(&mut self, event: Event<'t>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if self.depth == 0 => {
                self.heading(level, &range);
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                self.outline.opaque.push(range.clone());
                if let CodeBlockKind::Fenced(info) = kind {
                    let line = self.outline.line_of(range.start);
                    self.fence =
                        Some(Fence { info: info.to_string(), content: String::new(), range, line });
                }
            }
            Event::End(TagEnd::CodeBlock) => self.outline.fences.extend(self.fence.take()),
            Event::Text(text) => {
                if let Some(fence) = &mut self.fence {
                    fence.content.push_str(&text);
                }
            }
            Event::Start(Tag::HtmlBlock) => self.outline.opaque.push(range),
            // A comment in the middle of a sentence can span lines that look like anything.
            Event::InlineHtml(_) if !self.is_inside(&range) => self.outline.opaque.push(range),
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => self.depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => self.depth -= 1,
            Event::Start(_)
            | Event::End(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }

    fn is_inside(&self, range: &Range<usize>) -> bool {
        self.outline.opaque.last().is_some_and(|last| range.start < last.end)
    }

    fn heading(&mut self, level: HeadingLevel, range: &Range<usize>) {
        // The parser's range may leave out the indentation and may or may not have the line's end.
        let start = self.text[self.start..range.start]
            .rfind('\n')
            .map_or(self.start, |at| self.start + at + 1);
        let last = self.text[..range.end].trim_end_matches(['\n', '\r']).len().max(start);
        let end = self.text[last..].find('\n').map_or(self.text.len(), |at| last + at + 1);
        let written = &self.text[start..end];
        let form = match written.trim_start().starts_with('#')
            && written.trim_end().lines().count() == 1
        {
            true => HeadingForm::Atx,
            false => HeadingForm::Setext,
        };
        let title = match form {
            HeadingForm::Atx => atx_title(written),
            HeadingForm::Setext => setext_title(written),
        };
        let line = self.outline.line_of(start);
        let level = level as u8;
        self.outline.headings.push(Heading { level, title, range: start..end, line, form });
    }
}

/// Returns the words of `## words ##`: a run of `#` at the end closes the heading after a space or tab only.
pub(crate) fn atx_title(line: &str) -> String {
    let words = line.trim().trim_start_matches('#').trim();
    let open = words.trim_end_matches('#');
    let closed = open.len() < words.len() && (open.is_empty() || open.ends_with([' ', '\t']));
    if closed { open.trim_end().to_owned() } else { words.to_owned() }
}

fn setext_title(lines: &str) -> String {
    let lines: Vec<&str> = lines.trim_end().lines().map(str::trim).collect();
    lines[..lines.len().saturating_sub(1)].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<(u8, String, u32)> {
        Outline::of(text).headings.into_iter().map(|h| (h.level, h.title, h.line)).collect()
    }

    #[test]
    fn headings_have_level_words_line_and_bytes() {
        let text = "# One #\n\nText\n\n  ### Two: C#\t##\r\nmore\r\n\r\nThree\n---\nend\n#### Four";
        let outline = Outline::of(text);
        let seen: Vec<_> = outline
            .headings
            .iter()
            .map(|h| (h.level, h.title.as_str(), h.line, &text[h.range.clone()]))
            .collect();
        assert_eq!(
            seen,
            [
                (1, "One", 1, "# One #\n"),
                (3, "Two: C#", 5, "  ### Two: C#\t##\r\n"),
                (2, "Three", 8, "Three\n---\n"),
                (4, "Four", 11, "#### Four"),
            ]
        );
        assert_eq!(outline.headings[2].form, HeadingForm::Setext);
    }

    #[test]
    fn what_only_looks_like_a_heading_is_none() {
        for text in [
            "```md\n### Requirement: A\n```\n",
            "~~~\n### Requirement: A\n```\n### Requirement: B\n~~~\n",
            "    ### Requirement: A\n",
            "<!--\n### Requirement: A\n-->\n",
            "text <!-- a\n### Requirement: A\n-->\n",
            "> ### Requirement: A\n",
            "- ### Requirement: A\n",
            "1. x\n   ### Requirement: A\n",
            "###Requirement: A\n",
            "\\### Requirement: A\n",
            "#hashtag\n",
        ] {
            let found = titles(text);
            // An unclosed inline comment is text, and then the heading is one.
            if text.starts_with("text") {
                assert_eq!(found.len(), 1, "{text:?}");
            } else {
                assert!(found.is_empty(), "{text:?}: {found:?}");
            }
        }
    }

    #[test]
    fn a_byte_order_mark_and_front_matter_move_nothing() {
        let text = "\u{feff}# A\r\n\r\n## B\r\n";
        assert_eq!(titles(text), [(1, "A".to_owned(), 1), (2, "B".to_owned(), 3)]);
        let text = "---\ntitle: x\n---\n# A\n";
        let outline = Outline::from(text, 17);
        assert_eq!(outline.headings[0].range, 17..21);
        assert_eq!(outline.headings[0].line, 4);
    }

    #[test]
    fn fences_have_their_words_and_content() {
        let outline = Outline::of("x\n\n```rule size\nmax: 3\n```\n\n- a\n  ~~~\n  b\n  ~~~\n");
        let seen: Vec<_> = outline
            .fences
            .iter()
            .map(|fence| (fence.info.as_str(), fence.content.as_str(), fence.line))
            .collect();
        assert_eq!(seen, [("rule size", "max: 3\n", 3), ("", "b\n", 8)]);
    }

    #[test]
    fn bytes_in_code_and_comments_are_known() {
        let text = "a\n\n```\nb\n```\n\n<!--\nc\n-->\n\nd <!-- e\nf --> g\n";
        let outline = Outline::of(text);
        let opaque = |letter: char| outline.is_opaque(text.find(letter).unwrap());
        assert_eq!(
            ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(opaque),
            [false, true, true, false, true, true, false]
        );
    }

    #[test]
    fn deep_nesting_is_read_without_recursion() {
        let deep = "> ".repeat(5000) + "# A\n";
        assert!(titles(&deep).is_empty());
        assert_eq!(titles(&("#### A\n".repeat(10_000))).len(), 10_000);
    }
}
