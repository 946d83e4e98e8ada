//! A page that is too long for the screen.

use std::sync::Arc;

use unicode_width::UnicodeWidthChar as _;
use windlass_core::id::StepId;

use super::text_input::TextInput;

/// What a page is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// The proofs of a step, with their output.
    Evidence(StepId),
    /// What an attempt of a step was told; none is the last one.
    Prompt(StepId, Option<u32>),
    /// What a step or one of its attempts changed.
    Diff(StepId, Option<u32>),
    /// What the agent printed in an attempt.
    Output(StepId, Option<u32>),
    /// What happened, event by event.
    Log,
    /// What is to be decided at the gate of a step: proofs and diff.
    Gate(StepId),
}

/// A page as it comes from the source.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Page {
    pub(super) subject: Subject,
    pub(super) title: String,
    pub(super) lines: Arc<Vec<PageLine>>,
    /// The attempt that is shown, and how many there are.
    pub(super) attempt: Option<(u32, u32)>,
    /// Whether it grows at its end, so that the end is what people want to see.
    pub(super) grows: bool,
}

/// One line of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageLine {
    pub(super) kind: LineKind,
    pub(super) text: String,
}

/// How a line is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    Plain,
    Heading,
    Good,
    Bad,
    Added,
    Removed,
    Dim,
}

impl PageLine {
    pub(super) fn new(kind: LineKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// A page, and where in it the person is.
#[derive(Clone, Debug)]
pub(super) struct Pager {
    pub(super) subject: Subject,
    pub(super) title: String,
    pub(super) attempt: Option<(u32, u32)>,
    lines: Arc<Vec<PageLine>>,
    /// The lines as wide as the screen.
    pub(super) wrapped: Vec<PageLine>,
    width: usize,
    pub(super) height: usize,
    pub(super) top: usize,
    /// Whether the end is held on to as the page grows.
    follows: bool,
    pub(super) loaded: bool,
    /// What is being typed after `/`.
    pub(super) typing: Option<TextInput>,
    pub(super) search: Option<String>,
}

impl Pager {
    pub(super) fn new(subject: Subject, width: usize, height: usize) -> Self {
        Self {
            subject,
            title: String::new(),
            attempt: None,
            lines: Arc::default(),
            wrapped: Vec::new(),
            width,
            height,
            top: 0,
            follows: false,
            loaded: false,
            typing: None,
            search: None,
        }
    }

    /// Takes in a page, and stays where the person is.
    pub(super) fn show(&mut self, page: Page) {
        self.title = page.title;
        self.attempt = page.attempt;
        self.lines = page.lines;
        if !self.loaded {
            self.follows = page.grows;
            self.loaded = true;
        }
        self.wrap();
    }

    pub(super) fn resize(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        self.wrap();
    }

    fn wrap(&mut self) {
        self.wrapped = wrap(&self.lines, self.width);
        self.top = if self.follows { self.last_top() } else { self.top.min(self.last_top()) };
    }

    fn last_top(&self) -> usize {
        self.wrapped.len().saturating_sub(self.height)
    }

    /// Moves by lines; at the end it follows.
    pub(super) fn scroll(&mut self, by: isize) {
        self.go_to(self.top.saturating_add_signed(by));
    }

    pub(super) fn go_to(&mut self, line: usize) {
        self.top = line.min(self.last_top());
        self.follows = self.top == self.last_top()
            && matches!(self.subject, Subject::Log | Subject::Output(..));
    }

    pub(super) fn end(&mut self) {
        self.go_to(usize::MAX);
    }

    /// Finds the next line that holds what is searched for; says whether there is one.
    pub(super) fn find(&mut self, forward: bool) -> bool {
        let Some(search) = self.search.as_deref().map(str::to_lowercase) else { return false };
        let holds = |line: &PageLine| line.text.to_lowercase().contains(&search);
        let found = if forward {
            let after = self.wrapped.iter().enumerate().skip(self.top + 1);
            let around = self.wrapped.iter().enumerate().take(self.top + 1);
            after.chain(around).find(|(_, line)| holds(line)).map(|(at, _)| at)
        } else {
            let before = self.wrapped.iter().enumerate().take(self.top);
            before.rev().find(|(_, line)| holds(line)).map(|(at, _)| at)
        };
        if let Some(at) = found {
            self.go_to(at);
        }
        found.is_some()
    }

    pub(super) fn is_hit(&self, line: &PageLine) -> bool {
        let search = self.search.as_deref();
        search.is_some_and(|search| line.text.to_lowercase().contains(&search.to_lowercase()))
    }
}

/// Breaks lines so that each fits, at a space where one is near the end.
pub(super) fn wrap(lines: &[PageLine], width: usize) -> Vec<PageLine> {
    let width = width.max(1);
    let mut out = Vec::with_capacity(lines.len());
    for line in lines {
        let mut rest = line.text.as_str();
        loop {
            let end = fitting(rest, width);
            if end == rest.len() {
                out.push(PageLine::new(line.kind, rest));
                break;
            }
            let space = rest[..end].rfind(' ').filter(|at| *at > end / 2).map(|at| at + 1);
            let cut = space.unwrap_or(end);
            out.push(PageLine::new(line.kind, rest[..cut].trim_end()));
            rest = &rest[cut..];
        }
    }
    out
}

/// Returns how many bytes of a text fit into so many columns; at least one character.
pub(super) fn fitting(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width && at > 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(subject: Subject, count: usize, grows: bool) -> Page {
        let line = |n| PageLine::new(LineKind::Plain, format!("line {n}"));
        let lines = Arc::new((0..count).map(line).collect());
        Page { subject, title: String::new(), lines, attempt: None, grows }
    }

    #[test]
    fn long_lines_break_at_a_space_and_wide_characters_count_twice() {
        let line = |text: &str| vec![PageLine::new(LineKind::Plain, text)];
        let texts = |text: &str, width| -> Vec<String> {
            wrap(&line(text), width).into_iter().map(|line| line.text).collect()
        };
        assert_eq!(texts("one two three", 9), ["one two", "three"]);
        assert_eq!(texts("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(texts("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(texts("漢", 1), ["漢"]);
        assert_eq!(texts("", 5), [""]);
    }

    #[test]
    fn a_page_that_grows_is_followed_until_somebody_scrolls_up() {
        let mut pager = Pager::new(Subject::Log, 80, 10);
        pager.show(page(Subject::Log, 30, true));
        assert_eq!(pager.top, 20);
        pager.show(page(Subject::Log, 40, true));
        assert_eq!(pager.top, 30);
        pager.scroll(-5);
        pager.show(page(Subject::Log, 60, true));
        assert_eq!(pager.top, 25);
        pager.end();
        pager.show(page(Subject::Log, 70, true));
        assert_eq!(pager.top, 60);
    }

    #[test]
    fn a_search_goes_round_and_says_when_there_is_nothing() {
        let mut pager = Pager::new(Subject::Log, 80, 10);
        pager.show(page(Subject::Evidence("plan".into()), 100, false));
        pager.search = Some("LINE 42".to_owned());
        assert!(pager.find(true));
        assert_eq!(pager.top, 42);
        assert!(pager.find(true));
        assert_eq!(pager.top, 42);
        assert!(!pager.find(false));
        pager.search = Some("nothing".to_owned());
        assert!(!pager.find(true));
    }

    #[test]
    fn a_page_shrinks_and_grows_with_the_terminal() {
        let mut pager = Pager::new(Subject::Log, 80, 10);
        pager.show(page(Subject::Evidence("plan".into()), 30, false));
        pager.end();
        pager.resize(80, 25);
        assert_eq!(pager.top, 5);
        pager.resize(80, 100);
        assert_eq!(pager.top, 0);
    }
}
