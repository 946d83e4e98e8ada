use super::*;

fn patch(name: &str, lines: &[&str]) -> Vec<u8> {
    let head = format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n");
    let mut bytes = head.into_bytes();
    lines.iter().for_each(|line| bytes.extend(format!("{line}\n").as_bytes()));
    bytes
}

#[test]
fn a_nul_byte_makes_no_file_binary() {
    let script = b"// \0 fixture\nprocess.exit(0);\n";
    assert!(is_shown_as_text(Some(b"let a;\n"), Some(script)));
    assert!(is_shown_as_text(None, Some(script)));
    assert!(is_shown_as_text(None, Some(b"h\0e\0l\0l\0o\0\n\0")));
    assert!(is_shown_as_text(None, Some(b"#!/bin/sh\nexit 0\n\0\x01\x02\x80\xff\xfe\x90\x91")));
}

#[test]
fn what_nobody_can_read_is_binary_unless_it_was_text() {
    let image: Vec<u8> = (0..=255).cycle().take(4096).collect();
    assert!(!is_shown_as_text(None, Some(&image)));
    assert!(!is_shown_as_text(Some(&image), Some(&image)));
    assert!(is_shown_as_text(Some(b"exit 1\n"), Some(&image)));
    assert!(is_shown_as_text(Some(&image), Some(b"exit 1\n")));
    // An old encoding is no UTF-8 and has no NUL byte; an attribute alone hides nothing.
    assert!(is_shown_as_text(None, Some(b"\x83e\x83X\x83g\x82\xf0\n")));
}

#[test]
fn long_lines_count_by_their_bytes() {
    let long = format!("+{}", "x".repeat(5_000_000));
    let of = |lines: &[&str]| changed_lines(&patch("a", lines)).remove(0);
    assert_eq!(of(&["+a", "-b", "+"]), FileLines { added: 2, deleted: 1, weight: 3 });
    assert_eq!(of(&[&long]), FileLines { added: 1, deleted: 0, weight: 31_250 });
    assert_eq!(of(&[&format!("+{}", "x".repeat(LINE_BYTES))]).weight, 1);
    assert_eq!(of(&[&format!("+{}", "x".repeat(LINE_BYTES + 1))]).weight, 2);
}

#[test]
fn content_that_looks_like_a_patch_is_content() {
    let lines =
        ["--- a/x", "+++ b/x", "+diff --git a/y b/y", "-@@ -1 +1 @@", " diff --git a/z b/z"];
    let counted = changed_lines(&patch("a", &lines));
    assert_eq!(counted, [FileLines { added: 2, deleted: 2, weight: 4 }]);
}

#[test]
fn what_is_not_shown_is_counted_and_named() {
    let mut both = patch("a", &["+1", "+2", "-3"]);
    both.extend(patch("b", &["+1", " around", "+2"]));
    let shown = excerpt(&both, Room { lines: 6, characters: 100 });
    assert_eq!(shown.lines.last().unwrap(), "+2");
    let words = shown.left_out.words("`d` shows all").unwrap();
    assert_eq!(words, "2 files (`a`, `b`), 3 lines not shown: `d` shows all");
    assert_eq!(excerpt(&both, Room::ENDLESS).left_out, LeftOut::default());
    assert_eq!(LeftOut::default().words("`d` shows all"), None);
}

#[test]
fn an_enormous_line_is_cut_and_the_rest_is_counted() {
    let long = format!("+{}", "ä".repeat(82_204));
    let shown = excerpt(&patch("a", &[&long]), Room { lines: 100, characters: 1_001 });
    let end = "ä… 81,204 more characters of this line";
    assert!(shown.lines[4].ends_with(end), "{}", &shown.lines[4][2_000..]);
    assert_eq!(shown.left_out.lines, 1);
    assert_eq!(shown.left_out.files, ["a"]);
}

#[test]
fn control_characters_and_carriage_returns_are_shown() {
    let shown = excerpt(&patch("a", &["+exit 0\rexit 1", "+\x1b[2J\u{202e}"]), Room::ENDLESS);
    assert_eq!(shown.lines[4..], ["+exit 0\\x0dexit 1", "+\\x1b[2J\\u{202e}"]);
}

#[test]
fn a_file_that_cannot_be_shown_is_named() {
    let mut bytes = patch("a", &["+1"]);
    bytes.extend(binary_part("x y.png", Some(1_204), Some(24_000)).bytes());
    let shown = excerpt(&bytes, Room::ENDLESS);
    assert_eq!(shown.lines.last().unwrap(), "Binary file: 24,000 bytes, were 1,204");
    let words = shown.left_out.words("`d` shows all").unwrap();
    assert_eq!(words, "1 file (`x y.png`) not shown, being no text");
}

#[test]
fn a_file_that_only_grew_is_told_apart_from_others() {
    let grown = patch("a", &["+one", " two", "+three"]);
    let edited = patch("b", &["+one", "-two"]);
    let new =
        b"diff --git a/c b/c\nnew file mode 100644\n--- /dev/null\n+++ b/c\n@@ -0,0 +1 @@\n+x\n";
    let mode = b"diff --git a/d b/d\nold mode 100644\nnew mode 100755\n--- a/d\n+++ b/d\n@@ -1 +1,2 @@\n+x\n";
    let all = [&grown[..], &edited, new, mode].concat();
    assert_eq!(only_added(&all), ["`a` only adds 2 lines"]);
    // What looks like a mode within the text is text.
    assert_eq!(only_added(&patch("e", &["+old mode", " x"])), ["`e` only adds 1 line"]);
}
