//! A store in a folder of its own, and short words for what tests do with one.

use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use windlass_core::id::{Fence, RunId};
use windlass_core::time::Timestamp;
use windlass_engine::store::{
    Append, AppendError, Head, Life, Listing, NewRecord, NewRun, Record, Seq, Store,
};

/// Names the work that a re-executed test binary is to do.
pub(crate) const CHILD: &str = "WINDLASS_STORE_TEST_CHILD";

pub(crate) const LISTING: Listing<'static> =
    Listing { status: "active", life: Life::Unfinished, summary: b"{}" };

pub(crate) fn run_id() -> RunId {
    RunId::from("k3x9a2bq")
}

pub(crate) fn record(number: u64) -> NewRecord {
    NewRecord::new("noted", &serde_json::json!({ "number": number })).unwrap()
}

/// Begins a run with one record.
pub(crate) fn begin(store: &mut Store, id: &RunId) -> Head {
    begin_at(store, id, None).unwrap()
}

pub(crate) fn begin_at(
    store: &mut Store,
    id: &RunId,
    place: Option<&str>,
) -> Result<Head, windlass_engine::store::CreateRunError> {
    let new = NewRun {
        id,
        place,
        time: Timestamp(1000),
        actor: "person",
        records: vec![record(1)],
        fold: None,
        listing: LISTING,
    };
    store.create_run(&new).map(|created| created.head)
}

/// A decision of `records` records on `expected`, under the first fence.
pub(crate) fn decision(id: &RunId, expected: Seq, records: u64) -> Append<'_> {
    Append {
        run: id,
        fence: Fence(1),
        expected,
        time: Timestamp(1000 + expected.0.cast_signed()),
        actor: "driver",
        records: (1..=records).map(|n| record(expected.0 + n)).collect(),
        fold: None,
        listing: LISTING,
        outcomes: Vec::new(),
        passes: Vec::new(),
    }
}

pub(crate) fn append(
    store: &mut Store,
    id: &RunId,
    expected: Seq,
    records: u64,
) -> Result<Head, AppendError> {
    store.append(&decision(id, expected, records))
}

/// Makes a store in `dir` with one run of `decisions` decisions of three records each.
pub(crate) fn filled(dir: &Path, decisions: u64) -> (Store, Head) {
    let mut store = Store::open(dir).unwrap();
    let id = run_id();
    let mut head = begin(&mut store, &id);
    for _ in 1..decisions {
        head = append(&mut store, &id, head.seq, 3).unwrap();
    }
    (store, head)
}

pub(crate) fn all(store: &Store, id: &RunId) -> Vec<Record> {
    store.records(id, Seq(1)).unwrap().collect::<Result<_, _>>().unwrap()
}

pub(crate) fn database(dir: &Path) -> PathBuf {
    dir.join("journal.db")
}

pub(crate) fn log(dir: &Path) -> PathBuf {
    dir.join("journal.db-wal")
}

pub(crate) fn anchor(dir: &Path) -> PathBuf {
    dir.join("journal.anchor")
}

/// Changes a closed database behind the store's back.
pub(crate) fn tamper(dir: &Path, sql: &str) {
    let conn = Connection::open(database(dir)).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    let changed = conn.execute(sql, []).unwrap();
    assert!(changed > 0, "{sql} changed nothing");
}

/// Prepares this test binary to do `work` in a child, in the test called `test`.
pub(crate) fn child(test: &str, work: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, work)
        .env("WINDLASS_STORE_TEST_DIR", dir);
    command
}

/// Returns the folder to work in when this process was started by [`child`] for `work`.
pub(crate) fn child_dir(work: &str) -> Option<PathBuf> {
    (std::env::var(CHILD).ok()? == work)
        .then(|| PathBuf::from(std::env::var_os("WINDLASS_STORE_TEST_DIR").unwrap()))
}
