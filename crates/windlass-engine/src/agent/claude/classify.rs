//! How an attempt of Claude Code ended.
//!
//! By `is_error`, `terminal_reason` and `api_error_status`, never by `subtype` or the exit code:
//! failures of the provider come as `success`, and an end without a result as any code.

use jiff::tz::TimeZone;
use windlass_core::proof::Outcome;
use windlass_core::run::Category;
use windlass_core::time::Timestamp;

use super::super::kept::{first_words, words};
use super::super::reset;
use super::stream::{Ended, Told};
use super::survey::{PROGRAM, SIGN_IN};

/// Says how it ended, from how its process ended and what it told.
pub(super) fn outcome(process: Outcome, told: &Told, errors: &str, now: Timestamp) -> Outcome {
    match process {
        Outcome::Exited { .. } | Outcome::Signalled { .. } => {}
        // Windlass ended it, or it never ran: that says more than what it told until then.
        Outcome::CouldNotStart { .. }
        | Outcome::TimedOut
        | Outcome::Idle
        | Outcome::OverLimit { .. }
        | Outcome::Cancelled
        | Outcome::ProviderLimit { .. }
        | Outcome::Held { .. }
        | Outcome::Interrupted { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::OverBudget { .. } => return process,
    }
    match &told.ended {
        Some(ended) if ended.is_error || told.failure.is_some() => failed(ended, told, now),
        Some(_) => process,
        None if told.started => Outcome::Interrupted { message: cut_off(&process, told, errors) },
        None => never_began(&process, errors),
    }
}

fn cut_off(process: &Outcome, told: &Told, errors: &str) -> String {
    let how = how(process);
    let last = told.last_words.clone().or_else(|| first_words(errors));
    match last {
        Some(last) => format!("claude {how} in the middle of its turn; it said last: {last}"),
        None => format!("claude {how} in the middle of its turn"),
    }
}

/// The program gave up before there was a session.
fn never_began(process: &Outcome, errors: &str) -> Outcome {
    let said = first_words(errors).unwrap_or_else(|| "it said nothing".to_owned());
    let how = how(process);
    if errors.contains("unknown option") || errors.contains("unknown command") {
        let install = PROGRAM.install;
        return fails(
            Category::External,
            format!(
                "claude does not know what windlass asks of it, it may be too old: {said}; {install}"
            ),
        );
    }
    if is_not_signed_in(errors) {
        return fails(Category::External, format!("claude is not signed in: {said}; {SIGN_IN}"));
    }
    fails(Category::Infra, format!("claude {how} before it began: {said}"))
}

fn failed(ended: &Ended, told: &Told, now: Timestamp) -> Outcome {
    let says = || {
        let said = Some(ended.says.clone()).filter(|says| !says.is_empty());
        said.or_else(|| told.last_words.clone()).unwrap_or_else(|| "it did not say why".to_owned())
    };
    match ended.reason.as_deref() {
        Some("budget_exhausted") => return Outcome::OverBudget { message: says() },
        // It was stopped in its work: what is there may be half of it.
        Some("max_turns" | "structured_output_retry_exhausted") => {
            return fails(Category::Code, format!("claude was stopped in its work: {}", says()));
        }
        Some("prompt_too_long") => {
            return fails(Category::Code, format!("the conversation became too long: {}", says()));
        }
        Some(reason) if reason.starts_with("aborted") => {
            return Outcome::Interrupted { message: format!("claude was interrupted: {}", says()) };
        }
        Some(_) | None => {}
    }
    let said = says();
    let failure = told.failure.as_deref().unwrap_or_default();
    let status = ended.status;
    if status == Some(429) || failure == "rate_limit" || is_limit(&said) {
        let resets_at = told.limit_ends.filter(|at| reset::is_near(*at, now));
        let resets_at = resets_at.or_else(|| reset::stated(&said, now, &TimeZone::system()));
        return Outcome::ProviderLimit { resets_at, message: words(&said) };
    }
    let signed_out = matches!(status, Some(401 | 403)) || failure == "authentication_failed";
    if signed_out || is_not_signed_in(&said) {
        return fails(
            Category::External,
            format!("claude cannot use its account: {said}; {SIGN_IN}"),
        );
    }
    if failure == "billing_error" || said.to_lowercase().contains("credit balance") {
        let message =
            format!("the account of claude has no money left: {said}; add to it, then resume");
        return fails(Category::External, message);
    }
    if status == Some(404) || failure == "model_not_found" {
        let message = format!("{said}; name another model in the step or the role");
        return fails(Category::External, message);
    }
    if status == Some(413) {
        return fails(Category::Code, format!("the conversation became too long: {said}"));
    }
    fails(Category::Infra, format!("claude failed: {said}"))
}

fn is_limit(said: &str) -> bool {
    let said = said.to_lowercase();
    let words = ["usage limit", "rate limit", "hit your limit", "session limit", "weekly limit"];
    words.iter().any(|word| said.contains(word)) || said.contains("limit reached")
}

fn is_not_signed_in(said: &str) -> bool {
    let said = said.to_lowercase();
    let words =
        ["not logged in", "/login", "invalid api key", "invalid x-api-key", "oauth token has"];
    words.iter().any(|word| said.contains(word))
}

fn fails(category: Category, message: String) -> Outcome {
    Outcome::AgentFailed { category, message }
}

fn how(process: &Outcome) -> String {
    match process {
        // The program behind windlass's own passes a signal on as a shell does.
        Outcome::Exited { code } if *code > 128 => format!("was ended by signal {}", code - 128),
        Outcome::Exited { code } => format!("ended with code {code}"),
        Outcome::Signalled { signal } => format!("was ended by signal {signal}"),
        _ => "ended".to_owned(),
    }
}

#[cfg(test)]
#[path = "classify_tests.rs"]
mod tests;
