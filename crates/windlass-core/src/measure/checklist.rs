//! Boxes of a Markdown task list.

use pulldown_cmark::{Event, Options, Parser, TagEnd};

use super::percent::Percent;
use super::wording::{counted, grouped, one_line};

/// How many open items are kept by name.
const MAX_LISTED_ITEMS: usize = 10;

/// How much is kept of an item.
const MAX_ITEM: usize = 120;

/// The boxes of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checklist {
    /// All boxes.
    pub boxes: u64,
    /// Those that are ticked.
    pub ticked: u64,
    /// The first items whose box is open, in one line each.
    pub open: Vec<String>,
}

impl Checklist {
    /// Whether enough boxes are ticked; nothing is enough where there is no box.
    pub fn reaches(&self, min: Percent) -> bool {
        self.boxes > 0 && min.is_reached_by(self.ticked, self.boxes)
    }
}

impl std::fmt::Display for Checklist {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (ticked, boxes) = (grouped(self.ticked), counted(self.boxes, "box"));
        let boxes = boxes.strip_suffix("boxs").map_or(boxes.clone(), |n| format!("{n}boxes"));
        write!(f, "{ticked} of {boxes} ticked, {}", Percent::of(self.ticked, self.boxes))
    }
}

/// Reads the boxes of list items, as GitHub shows them; what stands in code and comments is text.
pub fn read_checklist(markdown: &str) -> Checklist {
    let mut list = Checklist::default();
    let mut item: Option<String> = None;
    for event in Parser::new_ext(markdown, Options::ENABLE_TASKLISTS) {
        match event {
            Event::TaskListMarker(true) => {
                list.boxes += 1;
                list.ticked += 1;
            }
            Event::TaskListMarker(false) => {
                list.boxes += 1;
                keep(&mut list, item.take());
                item = Some(String::new());
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(item) = &mut item
                    && item.len() < 4 * MAX_ITEM
                {
                    item.push_str(&text);
                }
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Start(pulldown_cmark::Tag::List(_)) => keep(&mut list, item.take()),
            Event::Start(_)
            | Event::End(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::Rule => {}
        }
    }
    list
}

fn keep(list: &mut Checklist, item: Option<String>) {
    if let Some(item) = item
        && list.open.len() < MAX_LISTED_ITEMS
    {
        list.open.push(one_line(&item, MAX_ITEM));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_those_that_github_shows() {
        let text = "\
# Tasks

- [x] done
- [ ] open *and* `code`
  more of it
  * [X] nested
    1. [ ] deeper
+ [ ] plus

1. [x] numbered
2) [ ] bracket

> - [x] quoted
";
        let list = read_checklist(text);
        assert_eq!((list.ticked, list.boxes), (4, 8));
        assert_eq!(list.open, ["open and code", "deeper", "plus", "bracket"]);
        assert_eq!(list.to_string(), "4 of 8 boxes ticked, 50.0 %");
    }

    #[test]
    fn code_comments_and_lookalikes_are_not_boxes() {
        let text = "\
```markdown
- [ ] in a fence
```

    - [ ] indented code

<!--
- [ ] in a comment
-->

[ ] no list
- [y] no box
- [] no box
- \\[ ] escaped
- `[ ]` code
- text [ ] later
- [x]glued
";
        assert_eq!(read_checklist(text), Checklist::default());
        assert!(!read_checklist(text).reaches("0".parse().unwrap()));
    }

    #[test]
    fn enough_is_counted_exactly() {
        let list = read_checklist("- [x] a\n- [x] b\n- [ ] c\n");
        assert!(list.reaches("66.666666".parse().unwrap()));
        assert!(!list.reaches("66.666667".parse().unwrap()));
        assert!(!list.reaches(Percent::ALL));
        assert!(read_checklist("- [x] a").reaches(Percent::ALL));
        assert_eq!(read_checklist("- [x] a").to_string(), "1 of 1 box ticked, 100.0 %");
    }

    #[test]
    fn a_list_without_end_is_read_without_recursion() {
        let deep: String = (0..2000).map(|n| format!("{}- [ ] x\n", "  ".repeat(n))).collect();
        assert!(read_checklist(&deep).boxes > 0);
    }
}
