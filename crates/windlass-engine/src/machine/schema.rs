//! The tables.

use rusqlite::{Connection, Transaction};

/// The format that this build reads and writes, as SQLite's `user_version`.
pub(super) const FORMAT: i64 = 1;

/// What SQLite's header says the file is: `WNDM`.
pub(super) const APPLICATION_ID: i64 = 0x574E_444D;

const TABLES: &str = "
    CREATE TABLE limits (
        account     TEXT PRIMARY KEY,
        until       INTEGER NOT NULL,
        message     TEXT NOT NULL,
        seen_by_run TEXT NOT NULL,
        seen_at     INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- One row per attempt that ended; `cost_usd` is NULL where nobody said what it cost.
    CREATE TABLE spend (
        repository    TEXT NOT NULL,
        run           TEXT NOT NULL,
        attempt       TEXT NOT NULL,
        day           TEXT NOT NULL,
        step          TEXT NOT NULL,
        agent         TEXT NOT NULL,
        backend       TEXT NOT NULL,
        model         TEXT,
        cost_usd      REAL,
        input_tokens  INTEGER,
        output_tokens INTEGER,
        turns         INTEGER,
        outcome       TEXT NOT NULL,
        at            INTEGER NOT NULL,
        PRIMARY KEY (repository, run, attempt)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX spend_by_time ON spend (at);

    -- Up to which record the journal of a run stands in `spend`.
    CREATE TABLE marks (
        repository TEXT NOT NULL,
        run        TEXT NOT NULL,
        seq        INTEGER NOT NULL,
        PRIMARY KEY (repository, run)
    ) STRICT, WITHOUT ROWID;
";

/// What a file is, as far as its header tells.
pub(super) enum Found {
    /// Nothing yet.
    Blank,
    /// What this build reads and writes.
    Ours,
    /// What a newer windlass wrote.
    Newer(i64),
    /// Something else.
    Foreign,
}

pub(super) fn found(conn: &Connection) -> rusqlite::Result<Found> {
    let pragma = |name| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (pragma("application_id")?, pragma("user_version")?, tables) {
        (0, 0, 0) => Found::Blank,
        (APPLICATION_ID, FORMAT, _) if has_tables(conn)? => Found::Ours,
        (APPLICATION_ID, newer, _) if newer > FORMAT => Found::Newer(newer),
        _ => Found::Foreign,
    })
}

fn has_tables(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row(
        "SELECT count(*) = 3 FROM sqlite_schema \
         WHERE type = 'table' AND name IN ('limits', 'spend', 'marks')",
        [],
        |row| row.get(0),
    )
}

pub(super) fn create(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    tx.execute_batch(TABLES)?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", FORMAT)
}
