//! Limits of accounts.

use rusqlite::{OptionalExtension as _, params};
use windlass_core::id::RunId;
use windlass_core::time::{Span, Timestamp};

use super::open::{Machine, MachineError};

/// No limit is longer. One that seems to be was noted by a clock that was wrong, and would keep every
/// run on the account waiting for ever.
const LONGEST: Span = Span::hours(32 * 24);

/// A provider's limit that an account met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// When it ends.
    pub until: Timestamp,
    /// What the provider said.
    pub message: String,
    /// The run that met it.
    pub seen_by: RunId,
}

impl Machine {
    /// Remembers a limit. Of two for one account the later end counts: a limit by the hour says
    /// nothing about one by the week.
    pub fn note_limit(
        &self,
        account: &str,
        limit: &Limit,
        now: Timestamp,
    ) -> Result<(), MachineError> {
        self.write(|tx| {
            tx.execute(
                "INSERT INTO limits (account, until, message, seen_by_run, seen_at) \
                 VALUES (?1, ?2, ?3, ?4, ?5) \
                 ON CONFLICT (account) DO UPDATE SET until = excluded.until, \
                 message = excluded.message, seen_by_run = excluded.seen_by_run, \
                 seen_at = excluded.seen_at \
                 WHERE excluded.until >= limits.until OR limits.until > ?6",
                params![
                    account,
                    limit.until.0,
                    limit.message,
                    limit.seen_by.as_str(),
                    now.0,
                    now.plus(LONGEST).0
                ],
            )
            .map(|_| ())
        })
    }

    /// Returns the limit of an account that has not ended yet.
    pub fn limit(&self, account: &str, now: Timestamp) -> Result<Option<Limit>, MachineError> {
        self.read(|conn| {
            conn.query_row(
                "SELECT until, message, seen_by_run FROM limits \
                 WHERE account = ?1 AND until > ?2 AND until <= ?3",
                params![account, now.0, now.plus(LONGEST).0],
                |row| {
                    Ok(Limit {
                        until: Timestamp(row.get(0)?),
                        message: row.get(1)?,
                        seen_by: RunId::new(row.get::<_, String>(2)?),
                    })
                },
            )
            .optional()
        })
    }

    /// The account works: what has ended of its limits is forgotten.
    pub fn clear_limit(&self, account: &str, now: Timestamp) -> Result<(), MachineError> {
        let ended = |conn: &rusqlite::Connection| {
            let over = "SELECT EXISTS (SELECT 1 FROM limits WHERE account = ?1 AND until <= ?2)";
            conn.query_row(over, params![account, now.0], |row| row.get::<_, bool>(0))
        };
        // Nearly always there is nothing, and a look takes no lock.
        if self.read(ended)? {
            self.write(|tx| {
                let gone = "DELETE FROM limits WHERE account = ?1 AND until <= ?2";
                tx.execute(gone, params![account, now.0]).map(|_| ())
            })?;
        }
        Ok(())
    }
}
