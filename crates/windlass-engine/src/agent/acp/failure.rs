//! What an error of an agent means. Pure: texts and numbers in, a kind out.

use serde_json::Value;
use windlass_core::time::{Span, Timestamp};

use super::event::{Failure, FailureKind};
use super::wire::RpcError;

/// The protocol's code for "sign in first".
const AUTH_REQUIRED: i64 = -32000;

/// How much of a message is kept.
const MAX_MESSAGE_CHARS: usize = 2000;

/// What providers say when they have had enough. Lower case.
const LIMIT_WORDS: &[&str] = &[
    "rate limit",
    "rate_limit",
    "rate-limit",
    "ratelimit",
    "too many requests",
    "resource_exhausted",
    "usage limit",
    "quota exceeded",
    "exceeded your current quota",
    "quota_exceeded",
    "insufficient_quota",
];

/// What they say when nobody is signed in. Lower case.
const AUTH_WORDS: &[&str] = &[
    "api key not valid",
    "api_key_invalid",
    "invalid api key",
    "incorrect api key",
    "invalid_api_key",
    "api key is missing",
    "missing api key",
    "no api key",
    "authentication required",
    "authentication failed",
    "authentication_error",
    "not authenticated",
    "not logged in",
    "unauthenticated",
    "unauthorized",
    "please log in",
    "please login",
    "sign in",
];

/// Says what an agent's answer means that is an error.
pub(super) fn of_error(error: &RpcError, now: Timestamp) -> Failure {
    let data = if error.data.is_null() { String::new() } else { error.data.to_string() };
    let said = format!("{} {data}", error.message);
    let stated = error.data["errorKind"].as_str();
    let status = [&error.data["status"], &error.data["code"], &error.data["statusCode"]]
        .into_iter()
        .find_map(Value::as_i64);
    let is = |number: i64| error.code == number || status == Some(number);
    let kind = if is(429) || stated == Some("rate_limit") || says_limit(&said) {
        FailureKind::Limit
    } else if error.code == AUTH_REQUIRED || is(401) || is(403) || says_auth(&said) {
        FailureKind::Auth
    } else {
        FailureKind::Other
    };
    let resets_at = (kind == FailureKind::Limit).then(|| stated_wait(&said)).flatten();
    // Agents put "Internal error" into the message, and the reason beside it.
    let details = error.data["details"].as_str().or_else(|| error.data["message"].as_str());
    let message = plain(&error.message);
    let message = match details {
        Some(details) if !message.contains(details) => format!("{message}: {details}"),
        Some(_) | None => message,
    };
    Failure {
        kind,
        code: Some(error.code),
        message: shortened(&message),
        resets_at: resets_at.map(|wait| now.plus(wait)),
    }
}

/// Says whether a text tells of a provider's limit.
pub(super) fn says_limit(text: &str) -> bool {
    says(text, LIMIT_WORDS)
}

/// Says whether a text tells that nobody is signed in.
pub(super) fn says_auth(text: &str) -> bool {
    says(text, AUTH_WORDS)
}

fn says(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// The sentence in a message that is the provider's whole answer.
fn plain(message: &str) -> String {
    let answer: Option<Value> = serde_json::from_str(message).ok();
    let sentence = answer.as_ref().and_then(|answer| answer["error"]["message"].as_str());
    sentence.unwrap_or(message).to_owned()
}

/// The beginning of a text that is too long for a message.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// How long the provider asks to wait: `retry in 37.5s`, `"retryDelay":"37s"`, `retry-after: 20`.
fn stated_wait(text: &str) -> Option<Span> {
    let text = text.to_lowercase();
    let marks =
        ["retry in ", "retrydelay", "retry after ", "retry-after", "retryafter", "retry_after"];
    marks.iter().find_map(|mark| {
        let (_, behind) = text.split_once(mark)?;
        let behind = behind.trim_start_matches(|c: char| !c.is_alphanumeric());
        let end = behind.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(behind.len());
        let number: f64 = behind[..end].trim_end_matches('.').parse().ok()?;
        let unit = behind[end..].trim_start();
        let milliseconds = if unit.starts_with("ms") || unit.starts_with("milli") {
            number
        } else if unit.starts_with('m') {
            number * 60_000.0
        } else if unit.starts_with('h') {
            number * 3_600_000.0
        } else {
            number * 1000.0
        };
        // More than a month is no time to wait for but a misunderstanding.
        let month = 31.0 * 86_400_000.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in bounds")]
        (milliseconds <= month).then_some(Span(milliseconds as u64))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn error(code: i64, message: &str, data: Value) -> Failure {
        of_error(&RpcError { code, message: message.to_owned(), data }, NOW)
    }

    #[test]
    fn a_limit_is_known_by_code_by_kind_and_by_words() {
        for (code, message, data) in [
            (429, "scripted", Value::Null),
            (-32603, "Internal error", json!({"errorKind": "rate_limit"})),
            (-32603, "Internal error", json!({"status": 429})),
            (-32603, "You exceeded your current quota, please check your plan", Value::Null),
            (-32603, "Internal error", json!({"details": "RESOURCE_EXHAUSTED"})),
        ] {
            let failure = error(code, message, data.clone());
            assert_eq!(failure.kind, FailureKind::Limit, "{code} {message} {data}");
        }
    }

    #[test]
    fn an_agent_that_is_not_signed_in_is_known_by_code_and_by_words() {
        for (code, message) in [
            (-32000, "Authentication required"),
            (401, "scripted"),
            (-32603, "API key not valid. Please pass a valid API key."),
        ] {
            assert_eq!(error(code, message, Value::Null).kind, FailureKind::Auth, "{message}");
        }
    }

    #[test]
    fn everything_else_is_something_else_and_keeps_its_details() {
        let failure = error(-32603, "Internal error", json!({"details": "the disk is full"}));
        assert_eq!(failure.kind, FailureKind::Other);
        assert_eq!(failure.message, "Internal error: the disk is full");
        assert_eq!(failure.code, Some(-32603));
    }

    #[test]
    fn of_a_providers_whole_answer_the_sentence_is_told() {
        let answer = json!({"error": {"code": 401, "message": "API key not valid"}}).to_string();
        assert_eq!(error(401, &answer, Value::Null).message, "API key not valid");
    }

    #[test]
    fn a_stated_wait_becomes_a_moment() {
        for (text, wait) in [
            ("Please retry in 37.5s.", 37_500),
            (r#"{"retryDelay":"20s"}"#, 20_000),
            ("retry-after: 5", 5000),
            ("Retry after 2 minutes", 120_000),
            ("retry in 900ms", 900),
        ] {
            let failure = error(429, text, Value::Null);
            assert_eq!(failure.resets_at, Some(Timestamp(NOW.0 + wait)), "{text}");
        }
        for text in ["later", "retry in a while", "retry after 99999999999999"] {
            assert_eq!(error(429, text, Value::Null).resets_at, None, "{text}");
        }
    }

    #[test]
    fn a_long_message_is_cut_between_letters() {
        let failure = error(1, &"ü".repeat(5000), Value::Null);
        assert_eq!(failure.message.chars().count(), MAX_MESSAGE_CHARS + 1);
    }
}
