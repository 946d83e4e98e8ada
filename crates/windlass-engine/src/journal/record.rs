//! Records: an input or an event, and who caused it when.

use serde::{Deserialize, Serialize};
use windlass_core::run::{Event, Input, InputKind};

use crate::store::{NewRecord, Record};

/// The kind of the record that opens every decision.
pub const INPUT_KIND: &str = "input";

/// The first record of a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputRecord {
    /// The version of the machine that decided.
    pub decider: u32,
    /// What was observed or asked.
    pub input: InputKind,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// What was observed or asked.
    Input(Box<InputRecord>),
    /// What followed.
    Event(Box<Event>),
}

/// A record that this version cannot read.
#[derive(Debug, thiserror::Error)]
#[error("record {seq} (`{kind}`) cannot be read by this version of windlass")]
pub struct RecordError {
    /// Its position.
    pub seq: u64,
    /// What it calls itself.
    pub kind: String,
    /// Why.
    #[source]
    pub source: serde_json::Error,
}

/// Reads what a record says.
///
/// # Errors
/// It was written by a newer version.
pub fn entry(record: &Record) -> Result<Entry, RecordError> {
    let failed = |source| RecordError { seq: record.seq.0, kind: record.kind.clone(), source };
    if record.kind == INPUT_KIND {
        return serde_json::from_str(record.payload())
            .map(|input| Entry::Input(Box::new(input)))
            .map_err(failed);
    }
    // An event is stored as its fields alone; its name is the record's kind.
    let payload: &serde_json::value::RawValue =
        serde_json::from_str(record.payload()).map_err(failed)?;
    let text = if payload.get() == "null" {
        format!("\"{}\"", record.kind)
    } else {
        format!("{{\"{}\":{}}}", record.kind, payload.get())
    };
    serde_json::from_str(&text).map(|event| Entry::Event(Box::new(event))).map_err(failed)
}

/// Makes the records of one decision.
pub(super) fn records(
    input: &Input,
    decider: u32,
    events: &[Event],
) -> Result<Vec<NewRecord>, serde_json::Error> {
    let mut records = Vec::with_capacity(events.len() + 1);
    let opening = InputRecord { decider, input: stored_input(input) };
    records.push(NewRecord::new(INPUT_KIND, &opening)?);
    for event in events {
        records.push(NewRecord::new(event.kind(), &payload(event)?)?);
    }
    Ok(records)
}

fn stored_input(input: &Input) -> InputKind {
    input.kind.clone()
}

fn payload(event: &Event) -> Result<serde_json::Value, serde_json::Error> {
    let value = serde_json::to_value(event)?;
    Ok(match value {
        serde_json::Value::Object(fields) => {
            fields.into_iter().next().map_or(serde_json::Value::Null, |(_, fields)| fields)
        }
        _ => serde_json::Value::Null,
    })
}
