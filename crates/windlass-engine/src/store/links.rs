//! The links that one decision adds to the chain.

use rusqlite::params;

use windlass_core::id::RunId;
use windlass_core::time::Timestamp;

use super::error::Fault;
use super::open::{At as _, Writing};
use super::record::{ChainHash, Envelope, Head, NewRecord, Seq};
use super::runs::signed;

/// The records of one decision, encoded and chained.
pub(super) struct Links {
    decision: u64,
    links: Vec<(Seq, ChainHash, String)>,
    /// Where the journal ends with them.
    pub(super) head: Head,
}

impl Links {
    /// Encodes `records` and chains them to what stands `before`.
    pub(super) fn forge(
        run: &RunId,
        before: Head,
        time: Timestamp,
        actor: &str,
        records: &[NewRecord],
    ) -> Self {
        let decision = before.decision + 1;
        let mut head = Head { decision, ..before };
        let links = records
            .iter()
            .map(|record| {
                let seq = head.seq.next();
                let envelope = Envelope { run, seq, decision, time, actor, kind: &record.kind };
                let bytes = envelope.encode(&record.payload);
                head = Head { seq, decision, hash: head.hash.link(bytes.as_bytes()) };
                (seq, head.hash, bytes)
            })
            .collect();
        Self { decision, links, head }
    }

    /// Inserts them for the run with this number; the rest is as they were forged.
    pub(super) fn insert(
        &self,
        writing: &Writing<'_>,
        number: u64,
        time: Timestamp,
        actor: &str,
        records: &[NewRecord],
    ) -> Result<(), Fault> {
        let mut insert = writing
            .tx
            .prepare_cached(
                "INSERT INTO events (run, seq, decision, time, actor, kind, hash, bytes) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )
            .at(writing.path)?;
        for ((seq, hash, bytes), record) in self.links.iter().zip(records) {
            insert
                .execute(params![
                    signed(number),
                    signed(seq.0),
                    signed(self.decision),
                    time.0,
                    actor,
                    record.kind,
                    hash.0,
                    bytes.as_bytes(),
                ])
                .at(writing.path)?;
        }
        Ok(())
    }
}
