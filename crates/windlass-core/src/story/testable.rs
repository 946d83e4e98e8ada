//! Whether words say something that a test can show.
//!
//! No list of words can decide that. This one catches what is certainly too little: nothing, two
//! words, a placeholder, a list that ends in "etc.", and praise that stands alone.

/// The least number of words of a criterion: who does what.
const LEAST_WORDS: usize = 3;

/// Words besides the praise that make a sentence more than praise, such as "search results".
const ENOUGH_BESIDES: usize = 3;

/// Words that stand for something that is still to be written, wherever they stand.
const PLACEHOLDERS: [&str; 4] = ["tbd", "tbc", "fixme", "xxx"];

/// Words that end a list without saying what is on it.
const OPEN_ENDS: [&[&str]; 4] = [&["etc"], &["and", "so", "on"], &["and", "so", "forth"], &["usw"]];

/// Praise, as words in order. Alone it says nothing that a test could show.
const VAGUE: [&[&str]; 34] = [
    &["works", "well"],
    &["work", "well"],
    &["works", "fine"],
    &["works", "correctly"],
    &["work", "correctly"],
    &["works", "properly"],
    &["works"],
    &["as", "expected"],
    &["as", "intended"],
    &["as", "appropriate"],
    &["user", "friendly"],
    &["easy", "to", "use"],
    &["is", "fast"],
    &["are", "fast"],
    &["fast"],
    &["quick"],
    &["performant"],
    &["efficient"],
    &["intuitive"],
    &["nice"],
    &["good"],
    &["great"],
    &["clean"],
    &["robust"],
    &["scalable"],
    &["secure"],
    &["reliable"],
    &["stable"],
    &["correct"],
    &["properly"],
    &["correctly"],
    &["appropriately"],
    &["handled"],
    &["high", "quality"],
];

/// Words that carry no meaning of their own beside praise.
const FILLERS: [&str; 34] = [
    "a",
    "an",
    "the",
    "it",
    "this",
    "that",
    "is",
    "are",
    "be",
    "and",
    "or",
    "in",
    "of",
    "to",
    "for",
    "all",
    "every",
    "everything",
    "should",
    "must",
    "will",
    "can",
    "shall",
    "very",
    "always",
    "we",
    "user",
    "users",
    "system",
    "app",
    "application",
    "feature",
    "code",
    "enough",
];

/// Why a criterion cannot be tested, and what to write instead; `None` when nothing is certain.
pub(super) fn problem(text: &str) -> Option<(String, &'static str)> {
    const WHAT: &str = "say who does what and what can be seen then, such as \"GET /health \
                        answers 200\"";
    if let Some(placeholder) = placeholder(text) {
        let message = format!("the criterion has the placeholder `{placeholder}`");
        return Some((message, "write what has to be true, or put it under `open_questions`"));
    }
    if substance(text) < LEAST_WORDS {
        return Some((format!("the criterion has fewer than {LEAST_WORDS} words"), WHAT));
    }
    let words = words(text);
    if let Some(end) = OPEN_ENDS.iter().find(|end| position(&words, end).is_some()) {
        let message = format!("the criterion leaves its end open with \"{}\"", end.join(" "));
        return Some((message, "name everything that is meant"));
    }
    let exact = text.chars().any(|c| c.is_ascii_digit()) || text.contains(['`', '"']);
    let mut besides = words;
    let mut praise = Vec::new();
    for vague in VAGUE {
        while let Some(at) = position(&besides, vague) {
            besides.drain(at..at + vague.len());
            praise.push(vague.join(" "));
        }
    }
    besides.retain(|word| !FILLERS.contains(&word.as_str()));
    let besides = substance(&besides.join(" "));
    match praise.first() {
        Some(praise) if !exact && besides < ENOUGH_BESIDES => {
            Some((format!("no test can show \"{praise}\" alone"), WHAT))
        }
        Some(_) | None => None,
    }
}

/// Returns the placeholder that stands in a text. `TODO` is one only where it cannot be the thing
/// that is built: alone, before a colon or in brackets.
pub(super) fn placeholder(text: &str) -> Option<String> {
    if text.contains("???") {
        return Some("???".to_owned());
    }
    let todo = ["TODO:", "(TODO)", "[TODO]", "<TODO>"].iter().any(|todo| text.contains(todo));
    if todo || text.trim().eq_ignore_ascii_case("todo") {
        return Some("TODO".to_owned());
    }
    words(text).into_iter().find(|word| PLACEHOLDERS.contains(&word.as_str()))
}

/// Counts words. Scripts without upper and lower case often have no blanks between words, so each
/// of their letters counts.
pub(super) fn substance(text: &str) -> usize {
    let caseless = |c: char| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase();
    text.split_whitespace()
        .map(|word| match word.chars().filter(|c| caseless(*c)).count() {
            0 => usize::from(word.chars().any(char::is_alphanumeric)),
            letters => letters,
        })
        .sum()
}

/// The words in lower case, without what stands around them; `/etc/hosts` and `a/b` are one word.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '-' | ',' | ';' | '(' | ')'))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

fn position(words: &[String], wanted: &[&str]) -> Option<usize> {
    words.windows(wanted.len()).position(|window| window.iter().eq(wanted.iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_can_show_is_let_through() {
        for text in [
            "GET /health answers 200",
            "A user can add a TODO item to a list",
            "The todo list is empty at first",
            "The page is fast: it loads within 200 ms",
            "Search results appear in less than one second",
            "An import of /etc/hosts keeps every line",
            "The parser works on files without a newline at the end",
            "A wrong password is handled with the message \"try again\"",
            "利用者はログインできる",
            "Кнопка «Выход» завершает сеанс",
        ] {
            assert_eq!(problem(text), None, "{text}");
        }
    }

    #[test]
    fn what_says_nothing_is_refused_with_what_it_says() {
        for (text, named) in [
            ("", "fewer than 3 words"),
            ("It works", "fewer than 3 words"),
            ("- - -", "fewer than 3 words"),
            ("The system works well", "works well"),
            ("The page is fast", "is fast"),
            ("The UI must be user-friendly", "user friendly"),
            ("Everything behaves as expected", "as expected"),
            ("Errors are handled properly", "properly"),
            ("Shows name, street, city, etc.", "etc"),
            ("Sorts by name, date and so on", "and so on"),
            ("The limit is TBD", "tbd"),
            ("TODO: write this one down", "TODO"),
            ("The page shows ??? items", "???"),
        ] {
            let (message, help) = problem(text).unwrap_or_else(|| panic!("{text}"));
            assert!(message.contains(named), "{text}: {message}");
            assert!(!help.is_empty());
        }
    }
}
