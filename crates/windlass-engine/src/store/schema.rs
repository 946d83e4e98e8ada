//! The tables, the version of their format, and how an older one would be brought up to it.

use rusqlite::{Connection, OptionalExtension as _, Transaction};

/// The format that this build reads and writes: that of the records, because the tables have not changed
/// since the first.
pub(super) const FORMAT: u32 = windlass_core::run::JOURNAL_FORMAT;

/// The oldest format whose tables can be read as they are.
pub(super) const OLDEST_READABLE: u32 = 1;

/// What SQLite's header says the file is: `WNDL`.
pub(super) const APPLICATION_ID: i64 = 0x574E_444C;

/// Brings a database one format further: `MIGRATIONS[n]` makes format *n + 2* of *n + 1*.
///
/// Each entry is kept forever, and runs in the same transaction as the change of `format`, so that
/// a crash leaves the one or the other.
const MIGRATIONS: [fn(&Transaction<'_>) -> rusqlite::Result<()>; FORMAT as usize - 1] =
    [tables_stay_as_they_are; FORMAT as usize - 1];

/// Only what records say is new, and older programs must not misread it.
fn tables_stay_as_they_are(_: &Transaction<'_>) -> rusqlite::Result<()> {
    Ok(())
}

/// Journals of different runs are interleaved in time but read one run at a time, so events are
/// clustered by run: one index, no second copy of the key, neighbouring records on one page.
/// `hash` stands before `bytes` so that following the chain never walks an overflow page.
const TABLES: &str = "
    CREATE TABLE meta (
        key   TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE runs (
        number        INTEGER PRIMARY KEY AUTOINCREMENT,
        id            TEXT NOT NULL UNIQUE,
        created_at    INTEGER NOT NULL,
        changed_at    INTEGER NOT NULL,
        place         TEXT,
        unfinished    INTEGER NOT NULL CHECK (unfinished IN (0, 1)),
        status        TEXT NOT NULL,
        summary       BLOB NOT NULL,
        fence         INTEGER NOT NULL,
        head_seq      INTEGER NOT NULL,
        head_decision INTEGER NOT NULL,
        head_hash     BLOB NOT NULL,
        seal          BLOB NOT NULL
    ) STRICT;

    -- One unfinished run per place, whoever asks at the same time.
    CREATE UNIQUE INDEX runs_by_place ON runs (place) WHERE unfinished = 1;

    CREATE TABLE events (
        run      INTEGER NOT NULL REFERENCES runs (number),
        seq      INTEGER NOT NULL,
        decision INTEGER NOT NULL,
        time     INTEGER NOT NULL,
        actor    TEXT NOT NULL,
        kind     TEXT NOT NULL,
        hash     BLOB NOT NULL,
        bytes    BLOB NOT NULL,
        PRIMARY KEY (run, seq)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE folds (
        run    INTEGER PRIMARY KEY REFERENCES runs (number),
        seq    INTEGER NOT NULL,
        format INTEGER NOT NULL,
        seal   BLOB NOT NULL,
        bytes  BLOB NOT NULL
    ) STRICT;

    CREATE TABLE inbox (
        id      INTEGER PRIMARY KEY AUTOINCREMENT,
        run     INTEGER NOT NULL REFERENCES runs (number),
        time    INTEGER NOT NULL,
        actor   TEXT NOT NULL,
        bytes   BLOB NOT NULL,
        seal    BLOB NOT NULL,
        outcome BLOB
    ) STRICT;

    CREATE INDEX inbox_pending ON inbox (run, id) WHERE outcome IS NULL;

    CREATE TABLE passes (
        key   BLOB PRIMARY KEY,
        run   INTEGER NOT NULL REFERENCES runs (number),
        time  INTEGER NOT NULL,
        seal  BLOB NOT NULL,
        bytes BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// What a database says about itself.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) format: u32,
    pub(super) store: String,
    pub(super) writer: String,
}

/// Returns whether the database has no tables at all, as one that is just being created.
pub(super) fn is_blank(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

/// Returns the application that SQLite's header names.
pub(super) fn application_id(conn: &Connection) -> rusqlite::Result<i64> {
    conn.pragma_query_value(None, "application_id", |row| row.get(0))
}

/// Reads `meta`; nothing when the database is not one of ours.
pub(super) fn said(conn: &Connection) -> rusqlite::Result<Option<Said>> {
    let has_meta: bool = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta')",
        [],
        |row| row.get(0),
    )?;
    if !has_meta {
        return Ok(None);
    }
    let value = |key: &str| -> rusqlite::Result<Option<String>> {
        conn.query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0)).optional()
    };
    let (format, store, writer) = (value("format")?, value("store")?, value("writer")?);
    Ok((|| Some(Said { format: format?.parse().ok()?, store: store?, writer: writer? }))())
}

/// Creates the tables and names the store.
pub(super) fn create(tx: &Transaction<'_>, store: &str) -> rusqlite::Result<()> {
    tx.execute_batch(TABLES)?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    let mut insert = tx.prepare("INSERT INTO meta (key, value) VALUES (?1, ?2)")?;
    insert.execute(["format", &FORMAT.to_string()])?;
    insert.execute(["store", store])?;
    insert.execute(["writer", writer()])?;
    Ok(())
}

/// Brings a database of the older format `from` up to [`FORMAT`].
pub(super) fn migrate(tx: &Transaction<'_>, from: u32) -> rusqlite::Result<()> {
    for step in MIGRATIONS.iter().skip((from as usize).saturating_sub(1)) {
        step(tx)?;
    }
    let mut update = tx.prepare("UPDATE meta SET value = ?2 WHERE key = ?1")?;
    update.execute(["format", &FORMAT.to_string()])?;
    update.execute(["writer", writer()])?;
    Ok(())
}

/// Names the program that last changed the format, for the message an older one gives.
fn writer() -> &'static str {
    concat!("windlass-engine ", env!("CARGO_PKG_VERSION"))
}
