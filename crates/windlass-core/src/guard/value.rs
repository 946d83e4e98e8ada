//! What a shell does to values: cutting, replacing, escapes, lists in braces.

use brush_parser::word::SubstringMatchKind;

use super::word::{COMPUTED, is_known};

/// At most so many words come from one with braces.
const MAX_BRACES: usize = 64;

/// A longer word is no list of names.
const MAX_BRACED_BYTES: usize = 1024;

fn has_glob(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

pub(super) fn cut(
    whole: &str,
    pattern: &str,
    strip: impl for<'a> Fn(&'a str, &str) -> Option<&'a str>,
) -> String {
    if !is_known(whole) || !is_known(pattern) || has_glob(pattern) {
        return COMPUTED.to_string();
    }
    strip(whole, pattern).unwrap_or(whole).to_owned()
}

pub(super) fn replaced(
    whole: &str,
    pattern: &str,
    with: &str,
    kind: &SubstringMatchKind,
) -> String {
    if !is_known(whole) || !is_known(pattern) || has_glob(pattern) || pattern.is_empty() {
        return COMPUTED.to_string();
    }
    match kind {
        SubstringMatchKind::FirstOccurrence => whole.replacen(pattern, with, 1),
        SubstringMatchKind::Anywhere => whole.replace(pattern, with),
        SubstringMatchKind::Prefix => match whole.strip_prefix(pattern) {
            Some(rest) => format!("{with}{rest}"),
            None => whole.to_owned(),
        },
        SubstringMatchKind::Suffix => match whole.strip_suffix(pattern) {
            Some(rest) => format!("{rest}{with}"),
            None => whole.to_owned(),
        },
    }
}

pub(super) fn substring(whole: &str, offset: &str, length: Option<&str>) -> String {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let computed = || COMPUTED.to_string();
    if !is_known(whole) {
        return computed();
    }
    let Some(offset) = number(offset) else { return computed() };
    let rest = whole.chars().skip(offset);
    match length.map(number) {
        None => rest.collect(),
        Some(Some(length)) => rest.take(length).collect(),
        Some(None) => computed(),
    }
}

/// Reads the escapes of `$'…'`, `echo -e` and `printf`.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(kind) = rest.next() else {
            out.push('\\');
            break;
        };
        let mut digits = |radix: u32, most: usize, start: u32| {
            let mut value = start;
            let mut taken = 0;
            while taken < most {
                let Some(digit) = rest.peek().and_then(|c| c.to_digit(radix)) else { break };
                value = value.saturating_mul(radix).saturating_add(digit);
                rest.next();
                taken += 1;
            }
            (taken > 0 || start > 0).then_some(value)
        };
        let code = match kind {
            'x' => digits(16, 2, 0),
            'u' => digits(16, 4, 0),
            'U' => digits(16, 8, 0),
            '0' => Some(digits(8, 3, 0).unwrap_or(0)),
            '1'..='7' => digits(8, 2, kind.to_digit(8).unwrap_or(0)),
            _ => None,
        };
        match (kind, code.and_then(char::from_u32)) {
            (_, Some(c)) => out.push(c),
            ('n', None) => out.push('\n'),
            ('t' | 'v' | 'f' | 'r', None) => out.push(' '),
            ('a' | 'b' | 'e' | 'E' | 'c', None) => {}
            (other, None) => out.push(other),
        }
    }
    out
}

/// Expands `{a,b}` outside of quotes. Sequences (`{1..9}`) stay: they make no word that is guarded.
pub(super) fn braces(raw: &str) -> Vec<String> {
    if raw.len() > MAX_BRACED_BYTES {
        return vec![raw.to_owned()];
    }
    let mut done = Vec::new();
    let mut waiting = vec![raw.to_owned()];
    while let Some(word) = waiting.pop() {
        match first_list(&word).filter(|_| done.len() + waiting.len() < MAX_BRACES) {
            Some((before, parts, after)) => {
                waiting.extend(parts.iter().rev().map(|part| format!("{before}{part}{after}")));
            }
            None => done.push(word),
        }
    }
    done
}

/// Finds the first list in braces: what stands before it, its parts, what stands after it.
fn first_list(word: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut from = 0;
    loop {
        let open = from + plain_position(&word[from..], |c| c == '{')?;
        let inside = &word[open + 1..];
        // `${…}` is not a list.
        if !word[..open].ends_with('$')
            && let Some((parts, after)) = list(inside)
        {
            return Some((&word[..open], parts, after));
        }
        from = open + 1;
    }
}

fn list(inside: &str) -> Option<(Vec<&str>, &str)> {
    let (mut parts, mut start, mut at, mut depth) = (Vec::new(), 0, 0, 0usize);
    loop {
        at += plain_position(&inside[at..], |c| matches!(c, '{' | '}' | ','))?;
        match inside.as_bytes().get(at)? {
            b'{' => depth += 1,
            b'}' if depth > 0 => depth -= 1,
            b'}' => {
                parts.push(&inside[start..at]);
                return (parts.len() > 1).then_some((parts, &inside[at + 1..]));
            }
            _ if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Where the first wanted character stands that is neither quoted nor in a substitution.
fn plain_position(text: &str, wanted: impl Fn(char) -> bool) -> Option<usize> {
    let (mut quote, mut brackets) = (None, 0usize);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('\''), _) => {
                if c == '\'' {
                    quote = None;
                }
            }
            (_, '\\') => {
                chars.next();
            }
            (Some(open), _) => {
                if c == open {
                    quote = None;
                }
            }
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(') => brackets += 1,
            (None, ')') => brackets = brackets.saturating_sub(1),
            (None, _) if brackets == 0 && wanted(c) => return Some(at),
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_braces_become_words() {
        assert_eq!(braces("{git,push}"), ["git", "push"]);
        assert_eq!(braces("a{b,c{d,e}}f"), ["abf", "acdf", "acef"]);
        for same in ["{}", "{a}", "\"{a,b}\"", "'{a,b}'", "${a,b}", "{1..3}", "a{", "\\{a,b}"] {
            assert_eq!(braces(same), [same]);
        }
        assert!(braces(&"{a,b}".repeat(30)).len() <= MAX_BRACES + 1);
    }

    #[test]
    fn escapes_are_read_as_bash_reads_them() {
        assert_eq!(unescaped(r"p\x75sh\n\101\u0067\'\\"), "push\nAg'\\");
        assert_eq!(unescaped("\\"), "\\");
    }
}
