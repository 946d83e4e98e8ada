//! A record: the bytes that the journal keeps, and how they are chained.
//!
//! A record is one JSON object with its fields in a fixed order, so that the head of the object
//! can be rebuilt from the row's columns and compared byte by byte. That comparison is what makes
//! the columns trustworthy for queries, and it costs no JSON parsing: what follows the head is
//! the payload.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use windlass_core::id::RunId;
use windlass_core::time::Timestamp;

/// The version that every record's `v` carries.
const RECORD_VERSION: u32 = 1;

/// What the first record of each run is chained to, before the run's name.
const GENESIS: &[u8] = b"windlass journal v1";

/// A position in a run's journal, from 1. Zero stands before the first record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(pub u64);

impl Seq {
    /// Returns the position after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A link of the hash chain: covers a record and, through its predecessor, all before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChainHash(pub [u8; 32]);

impl ChainHash {
    /// Returns what the first record of `run` is chained to.
    pub fn genesis(run: &RunId) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(GENESIS).update(run.as_str().as_bytes());
        Self(*hasher.finalize().as_bytes())
    }

    /// Returns the link for a record with these `bytes` that follows `self`.
    #[must_use]
    pub fn link(&self, bytes: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0).update(bytes);
        Self(*hasher.finalize().as_bytes())
    }

    /// Reads 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }
}

impl fmt::Display for ChainHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(blake3::Hash::from_bytes(self.0).to_hex().as_str())
    }
}

impl fmt::Debug for ChainHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Where a run's journal ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The last record.
    pub seq: Seq,
    /// The decision that the last record belongs to; decisions count from 1 without a gap.
    pub decision: u64,
    /// The last record's link of the chain.
    pub hash: ChainHash,
}

/// A record that is still to be appended. Its payload is JSON by construction.
#[derive(Clone, Debug)]
pub struct NewRecord {
    pub(super) kind: String,
    pub(super) payload: String,
}

impl NewRecord {
    /// Serialises `payload` into a record of this `kind`.
    pub fn new(
        kind: impl Into<String>,
        payload: &impl Serialize,
    ) -> Result<Self, serde_json::Error> {
        Ok(Self { kind: kind.into(), payload: serde_json::to_string(payload)? })
    }
}

/// One record as it stands in the journal; reading it has checked it against the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its position.
    pub seq: Seq,
    /// The decision that it belongs to.
    pub decision: u64,
    /// When that decision was taken.
    pub time: Timestamp,
    /// Whose input led to it.
    pub actor: String,
    /// What it is; the typed layer's word.
    pub kind: String,
    /// Its link of the chain.
    pub hash: ChainHash,
    pub(super) bytes: String,
    pub(super) payload: Range<usize>,
}

impl Record {
    /// Returns the payload as the JSON text that was appended.
    pub fn payload(&self) -> &str {
        &self.bytes[self.payload.clone()]
    }

    /// Returns the whole stored object, which is what the hash covers.
    pub fn bytes(&self) -> &str {
        &self.bytes
    }
}

/// The part of a record that is also kept in columns.
#[derive(Clone, Copy)]
pub(super) struct Envelope<'a> {
    pub(super) run: &'a RunId,
    pub(super) seq: Seq,
    pub(super) decision: u64,
    pub(super) time: Timestamp,
    pub(super) actor: &'a str,
    pub(super) kind: &'a str,
}

impl Envelope<'_> {
    /// Appends everything that stands before the payload to `out`.
    pub(super) fn write_head(&self, out: &mut String) {
        use fmt::Write as _;
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{{\"v\":{RECORD_VERSION},\"run\":");
        push_json_string(out, self.run.as_str());
        let _ = write!(out, ",\"seq\":{},\"decision\":{}", self.seq, self.decision);
        let _ = write!(out, ",\"time\":{},\"actor\":", self.time.0);
        push_json_string(out, self.actor);
        out.push_str(",\"kind\":");
        push_json_string(out, self.kind);
        out.push_str(",\"payload\":");
    }

    /// Returns the stored bytes of a record with this `payload`.
    pub(super) fn encode(&self, payload: &str) -> String {
        let mut out = String::with_capacity(payload.len() + 160);
        self.write_head(&mut out);
        out.push_str(payload);
        out.push('}');
        out
    }

    /// Finds the payload in `bytes`, or nothing when the columns say something else than the
    /// bytes. `scratch` is kept by the caller so that a long read allocates once.
    pub(super) fn payload_in(&self, bytes: &[u8], scratch: &mut String) -> Option<Range<usize>> {
        scratch.clear();
        self.write_head(scratch);
        let rest = bytes.strip_prefix(scratch.as_bytes())?;
        (rest.len() > 1 && rest.ends_with(b"}")).then(|| scratch.len()..bytes.len() - 1)
    }
}

/// Appends `text` as a JSON string; plain text, which is nearly all of it, is copied as it is.
fn push_json_string(out: &mut String, text: &str) {
    if text.bytes().any(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        out.push_str(&serde_json::Value::from(text).to_string());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_bytes_are_one_json_object_that_gives_back_every_field() {
        let run = RunId::from("k3x9a2bq");
        let envelope = Envelope {
            run: &run,
            seq: Seq(7),
            decision: 3,
            time: Timestamp(-5),
            actor: "person \"Ö\" \n\u{1}",
            kind: "attempt_started",
        };
        let bytes = envelope.encode("{\"a\":[1,2]}");
        let value: serde_json::Value = serde_json::from_str(&bytes).unwrap();
        assert_eq!(
            value,
            serde_json::json!({
                "v": 1, "run": "k3x9a2bq", "seq": 7, "decision": 3, "time": -5,
                "actor": envelope.actor, "kind": "attempt_started", "payload": {"a": [1, 2]},
            })
        );
        let payload = envelope.payload_in(bytes.as_bytes(), &mut String::new()).unwrap();
        assert_eq!(&bytes[payload], "{\"a\":[1,2]}");
    }

    #[test]
    fn columns_that_disagree_with_the_bytes_find_no_payload() {
        let run = RunId::from("r");
        let told = Envelope {
            run: &run,
            seq: Seq(1),
            decision: 1,
            time: Timestamp(0),
            actor: "a",
            kind: "k",
        };
        let bytes = told.encode("null");
        for other in [
            Envelope { seq: Seq(2), ..told },
            Envelope { decision: 2, ..told },
            Envelope { time: Timestamp(1), ..told },
            Envelope { actor: "b", ..told },
            Envelope { kind: "l", ..told },
            Envelope { run: &RunId::from("s"), ..told },
        ] {
            assert_eq!(other.payload_in(bytes.as_bytes(), &mut String::new()), None);
        }
    }
}
