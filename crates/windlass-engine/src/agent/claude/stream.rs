//! What Claude Code told, collected from its messages.
//!
//! There may be several `result` messages; the last one says how it ended. `total_cost_usd` and
//! `modelUsage` add up over the whole conversation, with what was spent before it was resumed, so what
//! this process used is the sum of `model_usage_since_last_result` over its results. Versions that do
//! not have that field say the same by the totals of a conversation that was not resumed.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use windlass_core::time::Timestamp;

use super::super::kept::words;

/// No attempt costs more; what says so is no amount of money.
const MOST_USD: f64 = 1e9;

/// What was told in an attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Told {
    /// The first message said that a session began.
    pub(super) started: bool,
    /// The session.
    pub(super) session: Option<String>,
    /// The model that wrote most.
    pub(super) model: Option<String>,
    /// Turns, over all results.
    pub(super) turns: Option<u64>,
    /// What was used, over all models and results.
    pub(super) used: Option<Used>,
    /// The last result.
    pub(super) ended: Option<Ended>,
    /// What kind of failure the program itself spoke of last, for example `rate_limit`.
    pub(super) failure: Option<String>,
    /// When the provider said that a limit ends.
    pub(super) limit_ends: Option<Timestamp>,
    /// What was said last.
    pub(super) last_words: Option<String>,
}

/// What was used.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Used {
    /// Tokens.
    pub(super) read: u64,
    pub(super) written: u64,
    /// Money; unknown where a part of it is.
    pub(super) cost_usd: Option<f64>,
    /// Tokens written, by model.
    by_model: BTreeMap<String, u64>,
}

impl Used {
    fn nothing() -> Self {
        Self { cost_usd: Some(0.0), ..Self::default() }
    }

    fn add(&mut self, models: &Map<String, Value>) {
        for (name, figures) in models {
            let of = |key: &str| figures[key].as_u64().unwrap_or(0);
            for key in ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"] {
                self.read = self.read.saturating_add(of(key));
            }
            let written = of("outputTokens");
            self.written = self.written.saturating_add(written);
            let of_model = self.by_model.entry(name.clone()).or_default();
            *of_model = of_model.saturating_add(written);
            let sum = self.cost_usd.zip(money(&figures["costUSD"]));
            self.cost_usd = sum.map(|(sum, cost)| sum + cost).filter(is_believed);
        }
    }

    /// The model that wrote most.
    fn model(&self) -> Option<&str> {
        let most = self.by_model.iter().max_by_key(|(_, written)| **written);
        most.map(|(name, _)| name.as_str())
    }
}

/// How a turn ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ended {
    pub(super) is_error: bool,
    pub(super) reason: Option<String>,
    pub(super) status: Option<u64>,
    pub(super) says: String,
}

/// Collects what messages tell.
pub(super) fn read(messages: &[Value]) -> Told {
    let mut told = Told::default();
    for message in messages {
        match (text(message, "type"), text(message, "subtype")) {
            (Some("system"), Some("init")) => began(&mut told, message),
            (Some("assistant"), _) => said(&mut told, message),
            (Some("result"), _) => ended(&mut told, message),
            (Some("rate_limit_event"), _) => limited(&mut told, message),
            _ => {}
        }
    }
    told
}

fn began(told: &mut Told, message: &Value) {
    // Every turn begins with one; the first names the session that others may fork off.
    told.started = true;
    if told.session.is_none() {
        told.session = text(message, "session_id").map(str::to_owned);
        told.model = text(message, "model").map(str::to_owned);
    }
}

fn said(told: &mut Told, message: &Value) {
    if text(message, "parent_tool_use_id").is_some() {
        // A subagent's failure is for the agent to deal with.
        return;
    }
    told.failure = text(message, "error").map(str::to_owned);
    let parts = message["message"]["content"].as_array().into_iter().flatten();
    let last = parts.filter_map(|part| text(part, "text")).next_back();
    if let Some(last) = last.filter(|last| !last.trim().is_empty()) {
        told.last_words = Some(words(last));
    }
}

fn ended(told: &mut Told, message: &Value) {
    let errors = message["errors"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let errors = errors.collect::<Vec<_>>().join("; ");
    let says = text(message, "result").filter(|said| !said.trim().is_empty());
    told.ended = Some(Ended {
        // A result that does not say is none to trust.
        is_error: message["is_error"].as_bool().unwrap_or(true),
        reason: text(message, "terminal_reason").map(str::to_owned),
        status: message["api_error_status"].as_u64(),
        says: words(says.unwrap_or(&errors)),
    });
    if let Some(turns) = message["num_turns"].as_u64() {
        told.turns = Some(told.turns.unwrap_or(0).saturating_add(turns));
    }
    used(told, message);
}

fn used(told: &mut Told, message: &Value) {
    if let Some(models) = message["model_usage_since_last_result"].as_object() {
        told.used.get_or_insert_with(Used::nothing).add(models);
    } else if let Some(models) = message["modelUsage"].as_object() {
        let mut used = Used::nothing();
        used.add(models);
        used.cost_usd = money(&message["total_cost_usd"]).or(used.cost_usd);
        told.used = Some(used);
    }
    let model = told.used.as_ref().and_then(Used::model).map(str::to_owned);
    told.model = model.or(told.model.take());
}

/// Returns an amount of money that can be one.
fn money(value: &Value) -> Option<f64> {
    value.as_f64().filter(is_believed)
}

/// Nobody is paid for an attempt, and a sum that is no number cannot be read back from the journal.
fn is_believed(cost: &f64) -> bool {
    (0.0..=MOST_USD).contains(cost)
}

/// Accounts with a subscription are told of their limits beforehand, too.
fn limited(told: &mut Told, message: &Value) {
    let limit = &message["rate_limit_info"];
    if text(limit, "status") == Some("rejected") {
        let seconds = limit["resetsAt"].as_i64();
        told.limit_ends = seconds.map(|seconds| Timestamp(seconds.saturating_mul(1000)));
    }
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
