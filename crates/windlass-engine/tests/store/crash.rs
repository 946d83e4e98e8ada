//! Death at any moment: of the machine, with a torn log, and of the process.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

use windlass_engine::store::lock::{DriverLock, Held, held};
use windlass_engine::store::{Append, Fault, NewRecord, OpenError, Record, Store};

use crate::support::*;

/// Checks that `dir` holds whole decisions of `full` and nothing else; returns how many records.
fn whole_prefix(dir: &Path, full: &[Record]) -> usize {
    let store = Store::open(dir).unwrap();
    let found = all(&store, &run_id());
    assert_eq!(found, full[..found.len()]);
    if let (Some(last), Some(next)) = (found.last(), full.get(found.len())) {
        assert_eq!(next.decision, last.decision + 1, "half a decision at {}", last.seq);
    }
    assert_eq!(store.verify_chain(&run_id()).unwrap().problems, []);
    found.len()
}

/// A database with 4 checkpointed decisions (10 records) and 12 more in its log, as they stand
/// in the files while the store is open.
fn open_store_with_a_log() -> (tempfile::TempDir, Store, Vec<Record>) {
    let dir = tempfile::tempdir().unwrap();
    let (store, mut head) = filled(dir.path(), 4);
    drop(store);
    let mut store = Store::open(dir.path()).unwrap();
    for _ in 0..12 {
        head = append(&mut store, &run_id(), head.seq, 3).unwrap();
    }
    let full = all(&store, &run_id());
    assert_eq!(full.len(), 46);
    (dir, store, full)
}

fn lay_out(dir: &Path, database_bytes: &[u8], log_bytes: &[u8]) {
    for name in ["journal.db-shm", "journal.anchor"] {
        let _ = fs_err::remove_file(dir.join(name));
    }
    fs_err::write(database(dir), database_bytes).unwrap();
    fs_err::write(log(dir), log_bytes).unwrap();
}

#[test]
fn a_log_cut_anywhere_leaves_whole_decisions_and_all_that_was_checkpointed() {
    let (source, store, full) = open_store_with_a_log();
    let database_bytes = fs_err::read(database(source.path())).unwrap();
    let log_bytes = fs_err::read(log(source.path())).unwrap();
    let dir = tempfile::tempdir().unwrap();
    // Every frame has a header of 24 bytes and a page: cut at each boundary, beside it, and in
    // between.
    let frames = (32..=log_bytes.len()).step_by(24 + 4096);
    let cuts = frames.flat_map(|at| [at - 1, at, at + 1, at + 20, at + 1000]);
    let mut before = 0;
    for cut in [0, 1, 31].into_iter().chain(cuts).filter(|cut| *cut <= log_bytes.len()) {
        lay_out(dir.path(), &database_bytes, &log_bytes[..cut]);
        let records = whole_prefix(dir.path(), &full);
        assert!(records >= before.max(10), "a longer log holds no less");
        before = records;
    }
    assert_eq!(before, full.len());
    drop(store);
}

#[test]
fn a_log_flipped_anywhere_leaves_whole_decisions() {
    let (source, store, full) = open_store_with_a_log();
    let database_bytes = fs_err::read(database(source.path())).unwrap();
    let log_bytes = fs_err::read(log(source.path())).unwrap();
    let dir = tempfile::tempdir().unwrap();
    for at in (0..log_bytes.len()).step_by(1511) {
        let mut flipped = log_bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        lay_out(dir.path(), &database_bytes, &flipped);
        assert!(whole_prefix(dir.path(), &full) >= 10);
    }
    drop(store);
}

#[test]
fn a_log_that_lost_durable_records_is_noticed_by_the_anchor() {
    let (source, store, full) = open_store_with_a_log();
    let database_bytes = fs_err::read(database(source.path())).unwrap();
    let log_bytes = fs_err::read(log(source.path())).unwrap();
    let anchor_bytes = fs_err::read(anchor(source.path())).unwrap();
    let dir = tempfile::tempdir().unwrap();
    for (cut, whole) in [(log_bytes.len(), true), (log_bytes.len() - 1, false), (0, false)] {
        lay_out(dir.path(), &database_bytes, &log_bytes[..cut]);
        fs_err::write(anchor(dir.path()), &anchor_bytes).unwrap();
        match Store::open(dir.path()) {
            Ok(store) => assert!(whole && all(&store, &run_id()) == full),
            Err(OpenError::Fault(Fault::RolledBack { .. })) => assert!(!whole),
            Err(error) => panic!("{error:?}"),
        }
    }
    drop(store);
}

/// Appends until it is killed, and says what is durable.
fn append_for_ever(dir: &Path) {
    let mut store = Store::open(dir).unwrap();
    let id = run_id();
    let fence = store.raise_fence(&id).unwrap();
    let mut head = store.head(&id).unwrap();
    let filling = NewRecord::new("filling", &"x".repeat(9000)).unwrap();
    loop {
        let mut next = Append { fence, ..decision(&id, head.seq, 2) };
        next.records.push(filling.clone());
        head = store.append(&next).unwrap();
        println!("\ndurable {}", head.seq);
    }
}

#[test]
fn a_killed_process_loses_nothing_that_it_called_durable() {
    if let Some(dir) = child_dir("append") {
        return append_for_ever(&dir);
    }
    let dir = tempfile::tempdir().unwrap();
    drop(filled(dir.path(), 1));
    let (mut durable, mut seed) = (0, 12_345_u64);
    for round in 0..30 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let lines = (seed >> 33) % 50;
        let test = "crash::a_killed_process_loses_nothing_that_it_called_durable";
        let mut child = child(test, "append", dir.path()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = output.by_ref().map_while(Result::ok).filter_map(|line| {
            line.strip_prefix("durable ").map(|seq| seq.parse::<u64>().unwrap())
        });
        for _ in 0..=lines {
            durable = said.next().expect("the child appends until it is killed");
        }
        child.kill().unwrap();
        durable = said.last().unwrap_or(durable);
        child.wait().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let head = store.head(&run_id()).unwrap();
        assert!(head.seq.0 >= durable, "round {round}: {} of {durable}", head.seq);
        assert_eq!(head.seq.0 % 3, 1, "whole decisions only");
        assert_eq!(store.verify_chain(&run_id()).unwrap().problems, []);
    }
}

#[test]
fn a_killed_driver_frees_its_lock() {
    if let Some(dir) = child_dir("drive") {
        let _lock = DriverLock::try_acquire(&dir.join("driver.lock")).unwrap().unwrap();
        println!("\ndriving");
        loop {
            std::thread::park();
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("driver.lock");
    let mut driver = child("crash::a_killed_driver_frees_its_lock", "drive", dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(driver.stdout.take().unwrap()).lines();
    assert!(output.any(|line| line.unwrap() == "driving"));
    assert!(DriverLock::try_acquire(&path).unwrap().is_none());
    let Held::By(Some(holder)) = held(&path).unwrap() else { panic!("nobody holds it") };
    assert_eq!(holder.pid, driver.id());
    driver.kill().unwrap();
    driver.wait().unwrap();
    assert_eq!(held(&path).unwrap(), Held::Free);
    assert!(DriverLock::try_acquire(&path).unwrap().is_some());
}

#[test]
fn what_is_appended_by_many_short_calls_is_all_there_and_the_log_stays_short() {
    let dir = tempfile::tempdir().unwrap();
    let (store, mut head) = filled(dir.path(), 1);
    drop(store);
    let mut lengths = Vec::new();
    for _ in 0..200 {
        let mut store = Store::open(dir.path()).unwrap();
        store.leave_log().unwrap();
        head = append(&mut store, &run_id(), head.seq, 3).unwrap();
        drop(store);
        lengths.push(fs_err::metadata(log(dir.path())).map_or(0, |metadata| metadata.len()));
    }
    let left = lengths.iter().filter(|length| **length > 0).count();
    assert!(left > 150, "most calls leave the log: {lengths:?}");
    let most = lengths.iter().max().copied().unwrap_or_default();
    assert!(most < 512 * 1024, "whoever opens the store reads the log: {most}");
    for store in [Store::open_read_only(dir.path()).unwrap(), Store::open(dir.path()).unwrap()] {
        let records = all(&store, &run_id());
        assert_eq!(records.last().map(|record| record.seq), Some(head.seq));
        assert_eq!(store.verify_chain(&run_id()).unwrap().problems, []);
    }
}
