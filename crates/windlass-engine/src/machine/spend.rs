//! What attempts used.

use rusqlite::{Transaction, named_params, params};
use windlass_core::id::RunId;
use windlass_core::proof::Usage;
use windlass_core::time::Timestamp;
pub use windlass_core::view::Spend;

use super::open::{Machine, MachineError};

/// Which attempts are meant.
#[derive(Clone, Debug, Default)]
pub struct SpendFilter {
    /// Only those of this repository.
    pub repository: Option<String>,
    /// Only those of this run.
    pub run: Option<RunId>,
    /// Only those that ended then or later.
    pub since: Option<Timestamp>,
}

impl Machine {
    /// Lists what attempts used, oldest first.
    pub fn spend(&self, filter: &SpendFilter) -> Result<Vec<Spend>, MachineError> {
        self.read(|conn| {
            let mut select = conn.prepare(
                "SELECT repository, run, attempt, day, step, agent, backend, model, cost_usd, \
                 input_tokens, output_tokens, turns, outcome, at FROM spend \
                 WHERE at >= :since AND (:repository IS NULL OR repository = :repository) \
                 AND (:run IS NULL OR run = :run) ORDER BY at, run, attempt",
            )?;
            let filter = named_params! {
                ":since": filter.since.map_or(i64::MIN, |since| since.0),
                ":repository": filter.repository,
                ":run": filter.run.as_ref().map(RunId::as_str),
            };
            select.query_map(filter, read)?.collect()
        })
    }

    /// Returns what attempts that ended at `since` or later are known to have cost.
    pub fn known_cost(
        &self,
        repository: Option<&str>,
        since: Timestamp,
    ) -> Result<f64, MachineError> {
        self.read(|conn| {
            conn.query_row(
                "SELECT coalesce(sum(cost_usd), 0.0) FROM spend \
                 WHERE at >= ?1 AND (?2 IS NULL OR repository = ?2)",
                params![since.0, repository],
                |row| row.get(0),
            )
        })
    }
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Spend> {
    let count = |at: usize| -> rusqlite::Result<Option<u64>> {
        Ok(row.get::<_, Option<i64>>(at)?.map(|count| u64::try_from(count).unwrap_or(0)))
    };
    Ok(Spend {
        repository: row.get(0)?,
        run: row.get(1)?,
        attempt: row.get(2)?,
        day: row.get(3)?,
        step: row.get(4)?,
        agent: row.get(5)?,
        backend: row.get(6)?,
        usage: Usage {
            model: row.get(7)?,
            cost_usd: row.get(8)?,
            input_tokens: count(9)?,
            output_tokens: count(10)?,
            turns: count(11)?,
            session: None,
        },
        outcome: row.get(12)?,
        at: Timestamp(row.get(13)?),
    })
}

/// Adds an attempt; one that is there already stays as it is.
pub(super) fn add(tx: &Transaction<'_>, spend: &Spend) -> rusqlite::Result<()> {
    let count = |count: Option<u64>| count.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    // What is no finite number has no meaning as a sum.
    let cost = spend.usage.cost_usd.filter(|cost| cost.is_finite());
    tx.prepare_cached(
        "INSERT OR IGNORE INTO spend (repository, run, attempt, day, step, agent, backend, model, \
         cost_usd, input_tokens, output_tokens, turns, outcome, at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?
    .execute(params![
        spend.repository,
        spend.run,
        spend.attempt,
        spend.day,
        spend.step,
        spend.agent,
        spend.backend,
        spend.usage.model,
        cost,
        count(spend.usage.input_tokens),
        count(spend.usage.output_tokens),
        count(spend.usage.turns),
        spend.outcome,
        spend.at.0
    ])
    .map(|_| ())
}
