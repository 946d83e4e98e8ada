//! `STATE:` as an expression over the run's document.

use crate::source::name::is_name;

/// Keys of the run's document; everything else was published by an agent.
const DOCUMENT: [&str; 13] = [
    "run",
    "workflow",
    "goal",
    "reason",
    "issue",
    "branch",
    "base",
    "inputs",
    "current",
    "startedAt",
    "steps",
    "publish",
    "session",
];

/// Comparisons, the longer one first where one begins with another.
const OPERATORS: [&str; 8] = ["==", "!=", ">=", "<=", ">", "<", "=", ":"];

/// An expression, and what it rests on.
#[derive(Debug)]
pub(super) struct Mapped {
    pub(super) expression: String,
    /// The context key that it reads, and its type.
    pub(super) publishes: Option<(String, &'static str)>,
    /// Whether it reads what the run itself knows.
    pub(super) is_of_the_run: bool,
    pub(super) remark: Option<String>,
}

/// Maps the text after `STATE:`.
pub(super) fn map(text: &str) -> Mapped {
    simple(text).unwrap_or_else(|| Mapped {
        // Whatever it says, it says it about what agents published.
        expression: format!(".context | ({})", with_dot(text)),
        publishes: None,
        is_of_the_run: false,
        remark: Some("the expression is kept and read over `.context`: look at it".to_owned()),
    })
}

/// Puts the leading dot there that may be left out.
fn with_dot(text: &str) -> String {
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let is_path = is_name(word) && text[word.len()..].starts_with(['.', ' ', '=', '[']);
    let is_word = ["not", "true", "false", "null", "if", "any", "all"].contains(&word);
    if is_path && !is_word { format!(".{text}") } else { text.to_owned() }
}

/// Maps `PATH` and `PATH OPERATOR VALUE`.
fn simple(text: &str) -> Option<Mapped> {
    let path_len = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
    let (written, rest) = text.split_at(path_len.unwrap_or(text.len()));
    let written = written.strip_prefix('.').unwrap_or(written);
    let names: Vec<&str> = written.split('.').collect();
    if !names.iter().all(|name| is_name(name)) {
        return None;
    }
    let is_of_the_run = DOCUMENT.contains(&names[0]);
    let key = match names.as_slice() {
        ["context", key @ ..] if !key.is_empty() => key.join("."),
        _ => names.join("."),
    };
    let path = if is_of_the_run { format!(".{key}") } else { format!(".context.{key}") };
    let rest = rest.trim();
    let (expression, kind, remark) = if rest.is_empty() {
        // As `jq -e` has it: anything but false and null.
        (format!("({path} | not) | not"), "any", None)
    } else {
        let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator))?;
        let (value, kind, quoted) = literal(rest[operator.len()..].trim())?;
        let jq = if matches!(*operator, "=" | ":") { "==" } else { operator };
        let remark =
            (quoted || jq != *operator).then(|| format!("`{rest}` is read as `{jq} {value}`"));
        (format!("{path} {jq} {value}"), kind, remark)
    };
    let publishes = (!is_of_the_run).then_some((key, kind));
    Some(Mapped { expression, publishes, is_of_the_run, remark })
}

/// Returns a value in jq's words, its type, and whether quotes had to be put around it.
fn literal(text: &str) -> Option<(String, &'static str, bool)> {
    let string = |text: &str| serde_json::Value::from(text).to_string();
    if text == "true" || text == "false" {
        return Some((text.to_owned(), "boolean", false));
    }
    if text == "null" {
        return Some((text.to_owned(), "any", false));
    }
    if let Ok(number) = serde_json::from_str::<serde_json::Number>(text) {
        return Some((number.to_string(), "number", false));
    }
    if let Ok(text) = serde_json::from_str::<String>(text) {
        return Some((string(&text), "string", false));
    }
    let single = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    let bare = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    match single {
        Some(inner) if !inner.contains('\'') => Some((string(inner), "string", true)),
        None if bare && !text.is_empty() => Some((string(text), "string", true)),
        Some(_) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_comparisons_are_read_over_the_context() {
        for (written, expression, publishes) in [
            (".a.b == true", ".context.a.b == true", Some(("a.b", "boolean"))),
            ("a.b==true", ".context.a.b == true", Some(("a.b", "boolean"))),
            ("a.b", "(.context.a.b | not) | not", Some(("a.b", "any"))),
            (".context.a >= 3", ".context.a >= 3", Some(("a", "number"))),
            (
                "review.status=APPROVED",
                ".context.review.status == \"APPROVED\"",
                Some(("review.status", "string")),
            ),
            ("a == 'x y'", ".context.a == \"x y\"", Some(("a", "string"))),
            (".issue.number == 3", ".issue.number == 3", None),
            (".a | length > 0", ".context | (.a | length > 0)", None),
            ("a[0] == 1", ".context | (.a[0] == 1)", None),
        ] {
            let mapped = map(written);
            assert_eq!(mapped.expression, expression);
            let publishes = publishes.map(|(key, kind)| (key.to_owned(), kind));
            assert_eq!(mapped.publishes, publishes, "{written}");
        }
    }
}
