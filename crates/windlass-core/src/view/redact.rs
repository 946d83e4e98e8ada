//! Taking out of a text what should not leave the machine: for bug reports.
//!
//! It errs on the side of taking out too much. Nobody can promise that nothing is missed: whoever
//! sends a text reads it first, and is told so.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

/// What is known about the machine and its people, besides what looks like a secret by itself.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    homes: Vec<String>,
    names: Vec<Name>,
}

/// A name that is looked for in any case.
#[derive(Clone, Debug)]
struct Name {
    rule: Regex,
    alone: bool,
}

/// The shortest name that is looked for.
const SHORTEST_NAME: usize = 3;

/// From this length on a name is taken out in the middle of a word, too.
const NEVER_A_WORD: usize = 8;

/// A rule, and what stands for what it finds.
type Rules = Vec<(Regex, &'static str)>;

/// What has several words, in the order in which it is taken out: before assignments, which would
/// take only the first word.
static WHOLE: LazyLock<Rules> = LazyLock::new(|| {
    let rules = [
        // First, because a colour in the middle of a name would hide it.
        (r"\x1b\[[0-9;?]*[ -/]*[@-~]", ""),
        (r"[\x00-\x08\x0b-\x1f\x7f]", " "),
        // A key may be cut off; then all that follows goes with it.
        (
            r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----.*?(-----END [A-Z0-9 ]*-----|\z)",
            "[private key]",
        ),
        // Any address of a repository or a server, with or without credentials in it.
        (
            r#"(?i)\b(https?|ssh|git|ftp|wss?|postgres(ql)?|mysql|redis|amqp|mongodb(\+srv)?)://[^\s"'<>`]+"#,
            "[url]",
        ),
        (r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[A-Za-z0-9._~/-]+", "[url]"),
        (r"[A-Za-z0-9._%+-]+@[A-Za-z][A-Za-z0-9.-]*", "[email]"),
        (r"(?i)\b(bearer|basic|digest)\s+[A-Za-z0-9._~+/=-]+", "$1 [secret]"),
    ];
    rules.into_iter().map(|(rule, with)| (compiled(rule), with)).collect()
});

/// What looks like a secret by itself: after assignments, whose names it could take for one.
static TOKENS: LazyLock<Rules> = LazyLock::new(|| {
    let rules = [
        (
            r"(?i)(github_pat_|glpat-|xox[a-z]-|npm_|hf_|pypi-|dop_v1_|gh[a-z]_)[A-Za-z0-9_-]{8,}",
            "[secret]",
        ),
        (r"(^|[^A-Za-z0-9])(sk|pk|rk)[-_][A-Za-z0-9_-]{8,}", "$1[secret]"),
        (r"(AKIA|ASIA|AROA|AIDA)[A-Z0-9]{8,}", "[secret]"),
        (r"AIza[A-Za-z0-9_-]{20,}", "[secret]"),
        (r"eyJ[A-Za-z0-9_-]{6,}(\.[A-Za-z0-9_-]*){1,2}", "[secret]"),
    ];
    rules.into_iter().map(|(rule, with)| (compiled(rule), with)).collect()
});

/// Words that say that what is assigned to them is a secret.
const WORDS: &str = "secret|token|passw|passphrase|pwd|api_?-?key|private_?-?key|access_?-?key|credential|cookie|auth";

/// `NAME=value`, `name: value`, `"name": "value"`, `--name value`.
static ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(
        r#"(?i)([A-Za-z0-9_.-]*(?:{WORDS})[A-Za-z0-9_.-]*["']?\s*[:=]\s*|--[a-z-]*(?:{WORDS})[a-z-]*\s+)("[^"]*"?|'[^']*'?|[^\s"',;]+)"#
    ))
});

static SENSITIVE: LazyLock<Regex> = LazyLock::new(|| compiled(&format!("(?i){WORDS}")));

static HOMES: LazyLock<Regex> = LazyLock::new(|| compiled(r#"(/home|/Users)/[^/\s"':;,)\]}`]+"#));

/// Runs of letters and digits that are no word.
static LONG: LazyLock<Regex> = LazyLock::new(|| compiled(r"[A-Za-z0-9_+=-]{24,}"));

#[expect(clippy::expect_used, reason = "the rules are constants, and a test compiles them all")]
fn compiled(rule: &str) -> Regex {
    Regex::new(rule).expect("the rule is a regular expression")
}

impl Redaction {
    /// Makes one from home folders, which become `~`, and from names of people and machines, which
    /// become `[name]`. Names shorter than three letters are left: they are in every other word.
    pub fn new(
        homes: impl IntoIterator<Item = String>,
        names: impl IntoIterator<Item = String>,
    ) -> Self {
        let name = |name: String| {
            let name = name.trim();
            let long = name.chars().count() >= SHORTEST_NAME;
            let rule = Regex::new(&format!("(?i){}", regex::escape(name))).ok().filter(|_| long)?;
            Some(Name { rule, alone: name.len() < NEVER_A_WORD })
        };
        Self {
            homes: homes.into_iter().filter(|home| home.len() > 1).collect(),
            names: names.into_iter().filter_map(name).collect(),
        }
    }

    /// Returns the text without what should stay here.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (rule, with) in WHOLE.iter() {
            text = replaced(text, |text| rule.replace_all(text, *with));
        }
        text = replaced(text, |text| ASSIGNMENT.replace_all(text, assigned));
        for (rule, with) in TOKENS.iter() {
            text = replaced(text, |text| rule.replace_all(text, *with));
        }
        text = replaced(text, |text| LONG.replace_all(text, long));
        for home in &self.homes {
            text = text.replace(home.as_str(), "~");
        }
        text = replaced(text, |text| HOMES.replace_all(text, "~"));
        for name in &self.names {
            text = without_name(&text, name);
        }
        text
    }

    /// Returns the value with every text in it redacted, and everything under a name that says that
    /// it is secret taken out.
    pub fn json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(list) => Value::Array(list.iter().map(|value| self.json(value)).collect()),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(key, value)| {
                    let hidden = SENSITIVE.is_match(key) && !is_count(key, value);
                    let value = if hidden && !value.is_null() && !value.is_boolean() {
                        "[secret]".into()
                    } else {
                        self.json(value)
                    };
                    (self.text(key), value)
                });
                Value::Object(fields.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

fn replaced(text: String, replace: impl FnOnce(&str) -> Cow<'_, str>) -> String {
    match replace(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(new) => new,
    }
}

/// How many tokens a model used is no secret.
fn is_count(key: &str, value: &Value) -> bool {
    key.ends_with("tokens") && value.is_number()
}

fn assigned(found: &Captures<'_>) -> String {
    let (name, value) = (&found[1], &found[2]);
    let plain = value.trim_matches(['"', '\'']);
    let counted = name.contains("tokens") && plain.bytes().all(|byte| byte.is_ascii_digit());
    let done = plain.starts_with('[') && plain.find(']') == Some(plain.len() - 1);
    if counted || plain.is_empty() || done {
        return found[0].to_owned();
    }
    format!("{name}[secret]")
}

/// Hashes of git and of the journal say what happened and open nothing; other long names may.
fn long(found: &Captures<'_>) -> String {
    let word = &found[0];
    let hash = matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    if hash || digits < 3 || letters < 3 { word.to_owned() } else { "[secret]".to_owned() }
}

/// Replaces a name in any case; a short one only where it stands by itself.
fn without_name(text: &str, name: &Name) -> String {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut written = String::with_capacity(text.len());
    let mut done = 0;
    for found in name.rule.find_iter(text) {
        let (at, end) = (found.start(), found.end());
        let (before, after) = (text[..at].chars().next_back(), text[end..].chars().next());
        if name.alone && (is_word(before) || is_word(after)) {
            continue;
        }
        written.push_str(&text[done..at]);
        written.push_str("[name]");
        done = end;
    }
    written.push_str(&text[done..]);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redaction() -> Redaction {
        Redaction::new(["/srv/people/ada".to_owned()], ["ada".to_owned()])
    }

    #[test]
    fn what_looks_like_a_secret_is_taken_out() {
        let redact = |text: &str| redaction().text(text);
        assert_eq!(redact("export API_KEY=abc123"), "export API_KEY=[secret]");
        assert_eq!(redact("password: \"two words\" ok"), "password: [secret] ok");
        assert_eq!(redact("Authorization: Bearer abc.def"), "Authorization: [secret] [secret]");
        assert_eq!(redact("at https://u:p@host/x now"), "at [url] now");
        assert_eq!(redact("origin git@host.example:org/repo.git"), "origin [url]");
        assert_eq!(redact("by Ada <ada@example.org>"), "by [name] <[email]>");
        assert_eq!(redact("/srv/people/ada/x /home/bob/y"), "~/x ~/y");
        assert_eq!(redact("-----BEGIN RSA PRIVATE KEY-----\nabc"), "[private key]");
    }

    #[test]
    fn what_a_bug_report_needs_stays() {
        let kept = [
            "`build` is not proven (test): run `make test` exited with 2",
            "code 0123456789abcdef0123456789abcdef01234567",
            "a canada-wide adapter",
            "windlass/fix-the-sum-k3v9x2ab",
            "input_tokens: 500",
        ];
        for text in kept {
            assert_eq!(redaction().text(text), text);
        }
    }

    #[test]
    fn values_under_a_telling_name_are_taken_out_of_json() {
        let value = serde_json::json!({
            "DB_PASSWORD": "x", "input_tokens": 5, "deep": [{"apiKey": 7, "by": "ada"}],
            "cookies": ["a", "b"],
        });
        assert_eq!(
            redaction().json(&value),
            serde_json::json!({
                "DB_PASSWORD": "[secret]", "input_tokens": 5,
                "deep": [{"apiKey": "[secret]", "by": "[name]"}],
                "cookies": "[secret]",
            })
        );
    }
}
