//! A session's call of its tool for subagents.

use serde_json::{Value, json};

use super::Offer;
use crate::run::{HostKind, RunState};

/// What becomes of such a call.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentCall {
    /// It starts what was offered, with this input.
    Starts {
        /// Which of the offers.
        offer: usize,
        /// The whole input, with what the agent is told.
        input: Value,
    },
    /// It does not, and why.
    Refused(String),
}

/// Looks at a call: only what is offered may be started, and with the offered words.
pub fn agent_call(
    state: &RunState,
    offers: &[Offer],
    host: HostKind,
    input: &Value,
    place_of: &dyn Fn(&Offer) -> String,
) -> AgentCall {
    let text = |field: &str| input.get(field).and_then(Value::as_str).unwrap_or_default();
    let words = match host {
        HostKind::Claude => text("prompt"),
        HostKind::Codex => text("message"),
    };
    let Some(first) = offers.first() else {
        return AgentCall::Refused(
            "windlass has offered no agent now: do not start one. Stop, and you are told what is next"
                .to_owned(),
        );
    };
    let said = single_spaced(words);
    let Some(at) = offers.iter().position(|offer| single_spaced(&offer.words) == said) else {
        return AgentCall::Refused(format!(
            "only what windlass offered may be started, with its words and no others: the prompt has \
             to be exactly `{}`",
            first.words
        ));
    };
    let offer = &offers[at];
    if host == HostKind::Claude && text("subagent_type") != offer.agent {
        return AgentCall::Refused(format!(
            "the agent of {} is `{}`, not `{}`",
            offer.attempt,
            offer.agent,
            text("subagent_type")
        ));
    }
    AgentCall::Starts { offer: at, input: filled_in(state, offer, host, input, &place_of(offer)) }
}

fn filled_in(state: &RunState, offer: &Offer, host: HostKind, input: &Value, place: &str) -> Value {
    let mut input = input.clone();
    let prompt = offer.prompt(state, place);
    match host {
        HostKind::Claude => {
            input["prompt"] = json!(prompt);
            input["description"] = json!(offer.attempt.to_string());
            // In the foreground the session waits for its end by itself.
            input["run_in_background"] = json!(false);
            match offer.model.as_deref().and_then(host_model) {
                Some(model) => input["model"] = json!(model),
                None => {
                    if let Some(object) = input.as_object_mut() {
                        object.remove("model");
                    }
                }
            }
            if let Some(object) = input.as_object_mut() {
                // A folder of its own would be out of windlass's sight.
                object.remove("isolation");
            }
        }
        // Nothing else of the call: its other fields would put the session's own words beside these.
        HostKind::Codex => input = json!({"message": prompt}),
    }
    input
}

/// The tool knows families of models, not versions of them; a tier is a family, as for attempts that
/// windlass starts.
fn host_model(model: &str) -> Option<&'static str> {
    match model {
        "fast" => return Some("sonnet"),
        "smart" => return Some("opus"),
        _ => {}
    }
    ["haiku", "sonnet", "opus"].into_iter().find(|family| model.contains(family))
}

fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
