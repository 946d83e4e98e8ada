//! What the client printed, read back.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use windlass_core::proof::{Outcome, Usage};
use windlass_core::run::Category;

use super::super::{AgentResult, Printed, kept};
use super::event::{Event, Failure, FailureKind};
use super::failure::{says_auth, says_limit, shortened};
use super::known::{Known, Tokens};
use super::lines::{self, Line};

/// The longest event that is read. The client prints none that is near it.
const MAX_EVENT_BYTES: usize = 1 << 20;

/// How much of what the agent said on standard error goes into a message.
const SHOWN_ERROR_BYTES: u64 = 1500;

/// What of the events counts in the end.
#[derive(Debug, Default)]
struct Seen {
    usage: Usage,
    ended: Option<String>,
    failed: Option<Failure>,
}

/// Says what a turn came to.
pub(super) fn read(outcome: Outcome, printed: Printed<'_>, known: &Known) -> AgentResult {
    let mut seen = events(printed.output);
    if known.tokens == Tokens::OfTheLastCall {
        // Too low a figure would be worse than none: budgets count on it.
        (seen.usage.input_tokens, seen.usage.output_tokens) = (None, None);
    }
    let outcome = match outcome {
        Outcome::Exited { .. } => {
            let errors = last_words(printed.errors);
            meaning(
                seen.ended.as_deref(),
                seen.failed,
                seen.usage.session.is_some(),
                &errors,
                known.sign_in,
            )
        }
        // It was stopped from outside, and that is what counts.
        other => other,
    };
    AgentResult { outcome, usage: seen.usage, result: None }
}

/// Reads the events. The middle of a long output is left out and cuts two of them, so lines that
/// are none are passed over.
fn events(path: &Path) -> Seen {
    let mut seen = Seen::default();
    // Without output there are no events, and that has a meaning of its own.
    let output = kept::bytes(path);
    let mut reader = &output[..];
    while let Ok(line) = lines::read(&mut reader, MAX_EVENT_BYTES) {
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong { .. } => continue,
            Line::End => break,
        };
        match serde_json::from_slice(&bytes) {
            Ok(Event::Started { session, .. }) => {
                seen.usage.session = Some(session);
            }
            Ok(Event::Model { model }) => seen.usage.model = Some(model),
            Ok(Event::Usage { input_tokens, output_tokens }) => {
                seen.usage.input_tokens = input_tokens;
                seen.usage.output_tokens = output_tokens;
            }
            Ok(Event::Ended { stop_reason }) => seen.ended = Some(stop_reason),
            Ok(Event::Failed(failure)) => seen.failed = Some(failure),
            Ok(
                Event::Text { .. }
                | Event::Tool { .. }
                | Event::Permission { .. }
                | Event::Ignored { .. },
            )
            | Err(_) => {}
        }
    }
    seen
}

fn meaning(
    ended: Option<&str>,
    failed: Option<Failure>,
    had_session: bool,
    errors: &str,
    sign_in: &str,
) -> Outcome {
    let failure = match (ended, failed) {
        (Some("refusal"), _) => {
            let message = "the agent's model refused to go on: change the task, or the model";
            return agent_failed(Category::External, message.to_owned());
        }
        // The client never asks for that.
        (Some("cancelled"), _) => {
            let message = "the agent says that its turn was cancelled".to_owned();
            return Outcome::Interrupted { message };
        }
        // Whatever the reason: what it did is looked at now.
        (Some(_), _) => return Outcome::Exited { code: 0 },
        (None, Some(failure)) => failure,
        (None, None) => {
            let message = "the client ended before the agent's turn was over";
            return Outcome::Interrupted { message: with_errors(message, errors) };
        }
    };
    let Failure { kind, message, resets_at, .. } = failure;
    match kind {
        FailureKind::Limit => Outcome::ProviderLimit { resets_at, message },
        FailureKind::Auth => not_signed_in(&message, sign_in),
        FailureKind::Died if had_session => {
            Outcome::Interrupted { message: with_errors(&message, errors) }
        }
        // It never came to work. Some agents say on standard error alone why not.
        FailureKind::Died if says_limit(errors) => {
            Outcome::ProviderLimit { resets_at: None, message: with_errors(&message, errors) }
        }
        FailureKind::Died if says_auth(errors) => {
            not_signed_in(&with_errors(&message, errors), sign_in)
        }
        FailureKind::Start | FailureKind::Version => agent_failed(Category::External, message),
        FailureKind::Died | FailureKind::Protocol => {
            agent_failed(Category::Infra, with_errors(&message, errors))
        }
        FailureKind::Other => agent_failed(Category::Infra, message),
    }
}

fn not_signed_in(message: &str, sign_in: &str) -> Outcome {
    agent_failed(Category::External, format!("{message}. It is not signed in: {sign_in}"))
}

fn agent_failed(category: Category, message: String) -> Outcome {
    Outcome::AgentFailed { category, message }
}

fn with_errors(message: &str, errors: &str) -> String {
    if errors.is_empty() { message.to_owned() } else { format!("{message}: {errors}") }
}

/// The end of what the agent said on standard error.
fn last_words(path: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = fs_err::File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(SHOWN_ERROR_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(SHOWN_ERROR_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    // Without the file there is less to say, and nothing else is different.
    let bytes = read().unwrap_or_default();
    shortened(String::from_utf8_lossy(&bytes).trim())
}
