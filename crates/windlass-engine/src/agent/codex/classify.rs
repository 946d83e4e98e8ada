//! How an attempt of Codex ended.
//!
//! Its failures are free text without a code, so this matches sentences of the version that
//! [`super::survey::PROGRAM`] names. What matches nothing is a failure of the surroundings.

use jiff::tz::TimeZone;
use windlass_core::proof::Outcome;
use windlass_core::run::Category;
use windlass_core::time::Timestamp;

use super::super::kept::first_words;
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
        Some(Ended::Completed) => process,
        Some(Ended::Failed(message)) => failed(message, now),
        None if told.thread.is_some() => {
            let last = told.last_words.clone().or_else(|| first_words(errors));
            let last = last.map(|last| format!("; it said last: {last}")).unwrap_or_default();
            let message = format!("codex ended in the middle of its turn{last}");
            Outcome::Interrupted { message }
        }
        None => never_began(errors),
    }
}

/// The program gave up before there was a conversation.
fn never_began(errors: &str) -> Outcome {
    let said = errors.lines().find(|line| line.to_lowercase().starts_with("error"));
    let said = said.and_then(first_words).or_else(|| first_words(errors));
    let said = said.unwrap_or_else(|| "it said nothing".to_owned());
    if errors.contains("unexpected argument") || errors.contains("unrecognized subcommand") {
        let install = PROGRAM.install;
        let message = format!(
            "codex does not know what windlass asks of it, it may be too old: {said}; {install}"
        );
        return fails(Category::External, message);
    }
    if said.contains("config") {
        return fails(Category::External, format!("codex cannot read its configuration: {said}"));
    }
    fails(Category::Infra, format!("codex ended before it began: {said}"))
}

fn failed(message: &str, now: Timestamp) -> Outcome {
    let said = message.to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if has(&["usage limit", "429 too many requests", "rate limit", "quota exceeded"]) {
        let resets_at = reset::stated(message, now, &TimeZone::system());
        return Outcome::ProviderLimit { resets_at, message: message.to_owned() };
    }
    if has(&["missing environment variable"]) {
        return fails(Category::External, format!("codex has no key: {message}"));
    }
    if has(&["status 401", "status 403", "not logged in", "refresh token", "unauthorized"]) {
        let message = format!("codex cannot use its account: {message}; {SIGN_IN}");
        return fails(Category::External, message);
    }
    if has(&["billing", "insufficient_quota", "out of credits"]) {
        let message =
            format!("the account of codex has no money left: {message}; add to it, then resume");
        return fails(Category::External, message);
    }
    if has(&["status 404", "model_not_found", "model is not supported", "does not exist"]) {
        let message = format!("{message}; name another model in the step or the role");
        return fails(Category::External, message);
    }
    if has(&["ran out of room in the model's context window", "context_length_exceeded"]) {
        return fails(Category::Code, format!("the conversation became too long: {message}"));
    }
    fails(Category::Infra, format!("codex failed: {message}"))
}

fn fails(category: Category, message: String) -> Outcome {
    Outcome::AgentFailed { category, message }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::stream::read;
    use super::*;

    /// 2026-11-15 12:00:00 UTC.
    const NOON: Timestamp = Timestamp(1_794_744_000_000);

    fn began() -> [Value; 2] {
        [json!({"type": "thread.started", "thread_id": "01a1"}), json!({"type": "turn.started"})]
    }

    fn judged(last: &[Value]) -> Outcome {
        let events: Vec<Value> = began().into_iter().chain(last.iter().cloned()).collect();
        outcome(Outcome::Exited { code: 1 }, &read(&events), "", NOON)
    }

    fn failure(message: &str) -> Outcome {
        judged(&[
            json!({"type": "error", "message": "Reconnecting... 1/1"}),
            json!({"type": "turn.failed", "error": {"message": message}}),
        ])
    }

    fn category(outcome: &Outcome) -> Category {
        match outcome {
            Outcome::AgentFailed { category, .. } => *category,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_turn_that_completed_is_judged_by_what_it_left() {
        let usage = json!({"input_tokens": 300, "cached_input_tokens": 0, "output_tokens": 30});
        let warning =
            json!({"type": "item.completed", "item": {"type": "error", "message": "odd"}});
        let done = json!({"type": "turn.completed", "usage": usage});
        assert_eq!(judged(&[warning, done.clone()]), Outcome::Exited { code: 1 });
        let told = read(&[began().to_vec(), vec![done.clone(), done]].concat());
        assert_eq!((told.read, told.written, told.turns), (Some(300), Some(30), Some(2)));
        assert_eq!(told.thread.as_deref(), Some("01a1"));
    }

    #[test]
    fn a_limit_is_a_limit_with_the_moment_that_was_stated() {
        let said = "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit \
                    https://chatgpt.com/settings/usage to purchase more credits or try again at \
                    Nov 16th, 2026 3:33 AM.";
        let Outcome::ProviderLimit { resets_at, .. } = failure(said) else { panic!() };
        assert!(resets_at.is_some());
        let said = "exceeded retry limit, last status: 429 Too Many Requests";
        assert!(matches!(failure(said), Outcome::ProviderLimit { resets_at: None, .. }));
    }

    #[test]
    fn failures_are_told_apart_by_the_words_of_the_version_that_was_measured() {
        for said in [
            "unexpected status 401 Unauthorized: invalid x-api-key, url: http://127.0.0.1/v1/responses",
            "Missing environment variable: `MOCK_API_KEY`.",
            "unexpected status 404 Not Found: model: foo, url: http://127.0.0.1/v1/responses",
        ] {
            assert_eq!(category(&failure(said)), Category::External, "{said}");
        }
        for said in [
            "unexpected status 529 <unknown status code>: Overloaded, url: http://127.0.0.1/v1",
            "We're currently experiencing high demand, which may cause temporary errors.",
            "stream disconnected before completion: x",
            "something new",
        ] {
            assert_eq!(category(&failure(said)), Category::Infra, "{said}");
        }
        let said = "Codex ran out of room in the model's context window. Start a new thread.";
        assert_eq!(category(&failure(said)), Category::Code);
    }

    #[test]
    fn an_end_without_an_ended_turn_is_no_success_whatever_the_code() {
        for code in [0, 1, 143] {
            let process = Outcome::Exited { code };
            let cut = outcome(process.clone(), &read(&began()), "", NOON);
            assert!(matches!(cut, Outcome::Interrupted { .. }), "{cut:?}");
            let never = outcome(process, &read(&[]), "WARNING: x\nError: odd thing\n", NOON);
            let message = "codex ended before it began: Error: odd thing".to_owned();
            assert_eq!(never, fails(Category::Infra, message));
        }
        let old = outcome(
            Outcome::Exited { code: 2 },
            &read(&[]),
            "error: unexpected argument '--json' found",
            NOON,
        );
        assert_eq!(category(&old), Category::External);
        assert_eq!(outcome(Outcome::Idle, &read(&began()), "", NOON), Outcome::Idle);
    }

    proptest! {
        #[test]
        fn no_garbage_is_taken_for_success(lines in prop::collection::vec("\\PC{0,60}", 0..8)) {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("output");
            fs_err::write(&file, lines.join("\n")).unwrap();
            let told = read(&super::super::super::kept::messages(&file));
            let judged = outcome(Outcome::Exited { code: 0 }, &told, "", NOON);
            prop_assert!(matches!(judged, Outcome::AgentFailed { .. }), "{:?}", judged);
        }
    }
}
