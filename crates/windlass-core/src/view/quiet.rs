//! Text of others that calls nobody and closes nothing.
//!
//! A forge reads signs in text: `@name` notifies somebody, `closes #5` closes an issue, `[skip ci]` in a
//! commit leaves checks out. It looks for them where no Markdown is: in titles, in commit messages, in
//! quoted mail. So neither a backslash nor an entity helps: after rendering, or where nothing is rendered,
//! the sign is there again. A space without width between the sign and what follows it does help, on
//! GitHub, GitLab and Gitea alike, and people read the same words. It is not U+2060: the tools that keep
//! release notes from calling people use U+200B, so forges are known to take it for the end of a name.

use super::printable::{Lines, printable};

/// What is put between a sign and what follows it.
pub const SEPARATOR: char = '\u{200b}';

/// The shortest and the longest hexadecimal word that a forge takes for the name of a commit.
const HASH: std::ops::RangeInclusive<usize> = 7..=64;

/// The longest name between two colons, or words between brackets, that are looked at.
const MAX_NAME: usize = 64;

/// Words after which a forge closes what is named next, in all of their forms.
const CLOSING: [&str; 4] = ["clos", "fix", "resolv", "implement"];

/// One line of text of others: no line breaks, no control characters.
pub fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    printable(&words, Lines::One)
}

/// Separates every sign that a forge would act on from what follows it.
pub fn quiet(text: &str) -> String {
    quiet_except(text, None)
}

/// As [`quiet`], but `#number` of one issue stays as it is: that of the run, which its pull request is
/// about and closes anyway.
pub fn quiet_except(text: &str, issue: Option<u64>) -> String {
    let signs: Vec<char> = text.chars().collect();
    let closing = has_closing_word(text);
    let own = issue.map(|number| number.to_string().chars().collect::<Vec<_>>());
    let mut separated = hashes(&signs);
    for (at, separated) in separated.iter_mut().enumerate().skip(1) {
        let is_own = own.as_deref().is_some_and(|number| is_number(&signs, at, number));
        *separated |= !is_own && acts(&signs, at, closing);
    }
    joined(&signs, &separated)
}

/// The title of a pull request: one line whose every character is seen, and that acts on no issue but
/// the run's own.
pub fn pull_request_title(title: &str, issue: Option<u64>) -> String {
    quiet_except(&one_line(title), issue)
}

/// Keeps `@name` from calling anybody, and changes nothing else: for text that is set as code, and for
/// notifications. Forges leave code alone; mail that quotes it is read as text without marks.
pub fn mentioning_nobody(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    // `<!channel>` is how chats write what calls everybody.
    let calls = |pair: &[char]| match pair {
        ['@', next] => !next.is_whitespace(),
        pair => *pair == ['<', '!'],
    };
    let separated: Vec<bool> =
        std::iter::once(false).chain(signs.windows(2).map(calls)).take(signs.len()).collect();
    joined(&signs, &separated)
}

fn joined(signs: &[char], separated: &[bool]) -> String {
    let mut text = String::with_capacity(signs.len() + 8);
    for (sign, separated) in signs.iter().zip(separated) {
        if *separated {
            text.push(SEPARATOR);
        }
        text.push(*sign);
    }
    text
}

/// Whether the sign before `at` does something together with what begins there.
fn acts(signs: &[char], at: usize, closing: bool) -> bool {
    let (sign, next) = (signs[at - 1], signs[at]);
    match sign {
        '@' => !next.is_whitespace(),
        // Issues, commands to trackers, labels, milestones.
        '#' | '~' | '%' => next.is_alphanumeric() || next == '"',
        // Merge requests, epics, snippets.
        '!' | '&' | '$' => next.is_ascii_digit(),
        ':' => next == '/' || is_closed_by(&signs[at..], ':', is_in_shortcode),
        '-' => next.is_ascii_digit() && is_key(&signs[..at - 1], closing),
        '[' => matches!(next, '+' | '-') || is_directive(&signs[at..]),
        '{' => matches!(next, '+' | '-'),
        '<' => next == '!',
        // `www.`, and the `***NO_CI***` of a forge.
        _ => {
            (next == '.' && ends_with(&signs[..at], "www"))
                || (next == '_'
                    && ends_with(&signs[..at], "no")
                    && begins_with(&signs[at..], "_ci"))
        }
    }
}

/// Whether a sign can be part of the name of a picture, as in `:name:`.
pub(in crate::view) fn is_in_shortcode(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '+' | '-')
}

/// Whether a name of such signs follows, and then `end`.
fn is_closed_by(signs: &[char], end: char, in_name: fn(char) -> bool) -> bool {
    let name = signs.iter().take(MAX_NAME).take_while(|sign| in_name(**sign)).count();
    name > 0 && signs.get(name) == Some(&end)
}

/// Whether the words between brackets leave checks out, or stand for something else: a table of
/// contents, a draft, `[issue:5]`.
fn is_directive(signs: &[char]) -> bool {
    let Some(end) = signs.iter().take(MAX_NAME).position(|sign| *sign == ']') else { return false };
    let words: String = signs[..end].iter().collect::<String>().to_lowercase();
    let is_word = |word: &str| matches!(word, "ci" | "toc" | "draft" | "wip");
    words.contains("skip")
        || words.contains(':')
        || words.split(|sign: char| !sign.is_alphanumeric()).any(is_word)
}

/// Whether what stands before a hyphen and a number makes it an issue: `GH-5`, and names of other
/// trackers where something in the text says to close one.
fn is_key(before: &[char], closing: bool) -> bool {
    let letters = before.iter().rev().take_while(|sign| sign.is_ascii_alphanumeric()).count();
    let name = &before[before.len() - letters..];
    let is_gh = letters == 2 && ends_with(name, "gh");
    is_gh || (closing && letters > 1 && name.iter().all(|sign| !sign.is_ascii_lowercase()))
}

fn has_closing_word(text: &str) -> bool {
    let mut words = text.split(|sign: char| !sign.is_alphabetic());
    words.any(|word| {
        let word = word.to_lowercase();
        CLOSING.iter().any(|beginning| word.starts_with(beginning))
    })
}

/// Whether a `#` before `at` begins exactly this number, and belongs to no other repository.
fn is_number(signs: &[char], at: usize, number: &[char]) -> bool {
    let ends = |sign: Option<&char>| sign.is_none_or(|sign| !sign.is_alphanumeric());
    let before = at.checked_sub(2).map(|before| &signs[before]);
    let alone = before.is_none_or(|sign| sign.is_whitespace() || *sign == '(');
    signs[at - 1] == '#'
        && alone
        && signs[at..].starts_with(number)
        && ends(signs.get(at + number.len()))
}

/// Where names of commits are taken apart: no piece is as long as the shortest name.
fn hashes(signs: &[char]) -> Vec<bool> {
    let mut separated = vec![false; signs.len()];
    let is_word = |sign: &char| sign.is_alphanumeric() || *sign == '_';
    let mut start = 0;
    while start < signs.len() {
        let length = signs[start..].iter().take_while(|sign| is_word(sign)).count();
        let word = &signs[start..start + length];
        if HASH.contains(&length) && word.iter().all(char::is_ascii_hexdigit) {
            for at in (start + HASH.start() - 1..start + length).step_by(HASH.start() - 1) {
                separated[at] = true;
            }
        }
        start += length.max(1);
    }
    separated
}

fn begins_with(signs: &[char], word: &str) -> bool {
    let mut signs = signs.iter();
    word.chars().all(|sign| signs.next().is_some_and(|found| found.eq_ignore_ascii_case(&sign)))
}

fn ends_with(signs: &[char], word: &str) -> bool {
    signs.len() >= word.len() && begins_with(&signs[signs.len() - word.len()..], word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with a visible sign where the separator is.
    fn shown(text: &str) -> String {
        quiet(text).replace(SEPARATOR, "·")
    }

    #[test]
    fn what_calls_somebody_or_names_an_issue_is_taken_apart() {
        for (text, wanted) in [
            ("ask @ada and @org/team", "ask @·ada and @·org/team"),
            ("a@b.org, a @ b", "a@·b.org, a @ b"),
            ("closes #5, fixes ada/engine#6", "closes #·5, fixes ada/engine#·6"),
            ("fixes GH-7 and gh-8", "fixes GH-·7 and gh-·8"),
            ("closes https://x.org/a/issues/3", "closes https:·//x.org/a/issues/3"),
            ("see www.x.org", "see www·.x.org"),
            ("fixes SHOP-12", "fixes SHOP-·12"),
            ("SHOP-12 #close", "SHOP-·12 #·close"),
            ("SHOP-12 is done", "SHOP-12 is done"),
            ("reads UTF-8", "reads UTF-8"),
            ("like !5, ~bug and %\"Next\"", "like !·5, ~·bug and %·\"Next\""),
            ("nice :tada: at 10:30", "nice :·tada: at 10:30"),
            ("{+ new +} [- old -]", "{·+ new +} [·- old -]"),
            ("C# and F# are # signs", "C# and F# are # signs"),
        ] {
            assert_eq!(shown(text), wanted);
        }
    }

    #[test]
    fn names_of_commits_are_taken_apart() {
        assert_eq!(shown("as in 0123abc"), "as in 0123ab·c");
        let long = "0123456789abcdef0123456789abcdef01234567";
        assert!(shown(long).split('·').all(|piece| piece.len() < *HASH.start()));
        assert_eq!(shown("123456 feedback x0123abcd"), "123456 feedback x0123abcd");
    }

    #[test]
    fn no_words_leave_checks_out() {
        for word in
            ["[skip ci]", "[CI skip]", "[no ci]", "[skip actions]", "[Draft] x", "***NO_CI***"]
        {
            assert_ne!(quiet(word), word, "{word}");
        }
        assert_eq!(quiet("[parser] reads a[0]"), "[parser] reads a[0]");
    }

    #[test]
    fn only_the_runs_own_issue_stays() {
        let kept = |text| quiet_except(text, Some(12)).replace(SEPARATOR, "·");
        assert_eq!(kept("#12: links (#12)"), "#12: links (#12)");
        assert_eq!(kept("#123 ada/engine#12 #12a"), "#·123 ada/engine#·12 #·12a");
    }

    #[test]
    fn a_title_hides_nothing() {
        let title = "#12: fix\u{202e}ed\u{200b} \u{2800}@ada\u{e0041}\ncloses #5";
        assert_eq!(
            pull_request_title(title, Some(12)).replace(SEPARATOR, "·"),
            "#12: fix\\u{202e}ed\\u{200b} \\u{2800}@·ada\\u{e0041} closes #·5"
        );
    }

    #[test]
    fn code_calls_nobody_and_is_else_as_it_was() {
        assert_eq!(mentioning_nobody("npm i @x/y #1"), "npm i @\u{200b}x/y #1");
        assert_eq!(mentioning_nobody("<!channel> a"), "<\u{200b}!channel> a");
    }
}
