//! Every way to change what was written, and who notices.

use std::path::Path;

use rusqlite::Connection;
use windlass_core::id::{Fence, RunId};
use windlass_core::time::Timestamp;
use windlass_engine::store::{
    Append, AppendError, Fault, NewFold, NewPass, OpenError, Part, PassKey, ProblemKind, ReadError,
    Seq, Store,
};

use crate::support::*;

/// Makes a store whose every table has a row: one run with a fold, a pass and a waiting input,
/// and another run beside it.
fn furnish(dir: &Path) {
    let (mut store, head) = filled(dir, 4);
    let id = run_id();
    store.post(&id, Timestamp(7), "person", b"approve").unwrap();
    let fold = Some(NewFold { format: 1, bytes: b"folded state" });
    let passes = vec![NewPass { key: PassKey([1; 32]), bytes: b"proof".to_vec() }];
    store.append(&Append { fold, passes, ..decision(&id, head.seq, 2) }).unwrap();
    begin(&mut store, &RunId::from("other"));
}

/// What a reader can get out of a store, damage included.
fn everything(dir: &Path) -> Result<String, String> {
    let store = Store::open_read_only(dir).map_err(|error| error.to_string())?;
    store.check_anchor().map_err(|error| error.to_string())?;
    match store.verify_pages() {
        Ok(lines) if lines.is_empty() => {}
        bad => return Err(format!("{bad:?}")),
    }
    let mut out = format!("{:?}", store.runs().map_err(|error| error.to_string())?);
    for id in [run_id(), RunId::from("other")] {
        let records = store.records(&id, Seq(1)).map_err(|error| error.to_string())?;
        let records: Result<Vec<_>, _> = records.collect();
        out += &format!("{:?}", records.map_err(|error| error.to_string())?);
        out += &format!("{:?}", store.pending(&id).map_err(|error| error.to_string())?);
        let report = store.verify_chain(&id).map_err(|error| error.to_string())?;
        if report.problems.iter().any(|problem| problem.kind != ProblemKind::Fold) {
            return Err(format!("{:?}", report.problems));
        }
    }
    Ok(out)
}

fn problems(dir: &Path) -> Vec<ProblemKind> {
    let store = Store::open_read_only(dir).unwrap();
    let report = store.verify_chain(&run_id()).unwrap();
    report.problems.into_iter().map(|problem| problem.kind).collect()
}

fn copy_store(from: &Path, to: &Path) {
    for path in [database, log, anchor] {
        if path(from).exists() {
            fs_err::copy(path(from), path(to)).unwrap();
        } else {
            let _ = fs_err::remove_file(path(to));
        }
    }
    let _ = fs_err::remove_file(to.join("journal.db-shm"));
}

#[test]
fn a_changed_column_of_a_record_is_noticed_by_reader_and_audit() {
    let (clean, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    furnish(clean.path());
    for (change, expected) in [
        ("seq = 500", ProblemKind::Gap),
        ("decision = 9", ProblemKind::Decision),
        ("decision = -1", ProblemKind::Decision),
        ("time = time + 1", ProblemKind::Columns),
        ("actor = 'agent'", ProblemKind::Columns),
        ("kind = 'approved'", ProblemKind::Columns),
        ("hash = zeroblob(32)", ProblemKind::Hash),
        ("hash = x'00'", ProblemKind::Hash),
        ("bytes = CAST(bytes || ' ' AS BLOB)", ProblemKind::Hash),
        ("run = 2, seq = 2", ProblemKind::Gap),
    ] {
        copy_store(clean.path(), dir.path());
        tamper(dir.path(), &format!("UPDATE events SET {change} WHERE run = 1 AND seq = 5"));
        let found = problems(dir.path());
        assert!(found.contains(&expected), "{change}: {found:?}");
        let store = Store::open_read_only(dir.path()).unwrap();
        let read: Result<Vec<_>, _> = store.records(&run_id(), Seq(1)).unwrap().collect();
        read.expect_err(change);
    }
}

#[test]
fn a_flipped_bit_in_any_byte_of_a_record_is_one_problem_at_that_record() {
    let dir = tempfile::tempdir().unwrap();
    furnish(dir.path());
    let store = Store::open_read_only(dir.path()).unwrap();
    let bytes = all(&store, &run_id())[4].bytes().as_bytes().to_vec();
    let conn = Connection::open(database(dir.path())).unwrap();
    let put = |bytes: &[u8]| {
        conn.execute("UPDATE events SET bytes = ?1 WHERE run = 1 AND seq = 5", [bytes]).unwrap();
    };
    for index in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[index] ^= 1 << (index % 8);
        put(&flipped);
        let report = store.verify_chain(&run_id()).unwrap();
        assert!(report.problems.iter().all(|problem| problem.seq == Seq(5)), "byte {index}");
        assert!(report.problems.iter().any(|problem| problem.kind == ProblemKind::Hash));
    }
    put(&bytes);
    assert_eq!(store.verify_chain(&run_id()).unwrap().problems, []);
}

#[test]
fn a_changed_column_of_a_run_is_noticed_before_it_is_believed() {
    let (clean, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    furnish(clean.path());
    for change in [
        "created_at = 1",
        "changed_at = 1",
        "place = 'there'",
        "unfinished = 0",
        "status = 'completed'",
        "summary = x'00'",
        "fence = 0",
        "head_seq = 3",
        "head_decision = 2",
        "head_hash = zeroblob(32)",
        "seal = zeroblob(32)",
        "id = 'renamed'",
    ] {
        copy_store(clean.path(), dir.path());
        tamper(dir.path(), &format!("UPDATE runs SET {change} WHERE number = 1"));
        Store::open(dir.path()).expect_err(change);
        everything(dir.path()).expect_err(change);
    }
}

#[test]
fn a_changed_input_is_refused_and_a_changed_fold_or_pass_is_ignored() {
    let (clean, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    furnish(clean.path());
    for change in ["time = 8", "actor = 'agent'", "bytes = x'00'", "seal = zeroblob(32)"] {
        copy_store(clean.path(), dir.path());
        tamper(dir.path(), &format!("UPDATE inbox SET {change}"));
        let error = Store::open(dir.path()).unwrap().pending(&run_id()).unwrap_err();
        let ReadError::Fault(Fault::Damaged { part: Part::Inbox(_), .. }) = error else {
            panic!("{change}: {error:?}")
        };
    }
    for change in ["seq = 5", "seq = 900", "format = 2", "bytes = x'00'", "seal = zeroblob(32)"] {
        copy_store(clean.path(), dir.path());
        tamper(dir.path(), &format!("UPDATE folds SET {change}"));
        assert_eq!(Store::open(dir.path()).unwrap().latest_fold(&run_id()).unwrap(), None);
        assert_eq!(problems(dir.path()), [ProblemKind::Fold], "{change}");
    }
    for change in ["key = zeroblob(32)", "run = 2", "time = 8", "bytes = x'', seal = x''"] {
        copy_store(clean.path(), dir.path());
        tamper(dir.path(), &format!("UPDATE passes SET {change}"));
        for key in [PassKey([1; 32]), PassKey([0; 32])] {
            let pass = Store::open(dir.path()).unwrap().pass(key);
            assert!(!matches!(pass, Ok(Some(_))), "{change}: {pass:?}");
        }
    }
}

#[test]
fn a_flipped_byte_anywhere_in_the_file_changes_nothing_unnoticed() {
    let (clean, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    furnish(clean.path());
    let expected = everything(clean.path()).unwrap();
    let bytes = fs_err::read(database(clean.path())).unwrap();
    assert!(!log(clean.path()).exists() || fs_err::read(log(clean.path())).unwrap().is_empty());
    let mut noticed = 0;
    // A stride without a common factor with the page size comes by every kind of byte.
    for index in (0..bytes.len()).step_by(61) {
        copy_store(clean.path(), dir.path());
        let mut flipped = bytes.clone();
        flipped[index] ^= 0x20;
        fs_err::write(database(dir.path()), &flipped).unwrap();
        match everything(dir.path()) {
            // Unused room in a page, or a part of the header that says nothing.
            Ok(read) => assert_eq!(read, expected, "byte {index}"),
            Err(_) => noticed += 1,
        }
    }
    assert!(noticed > 50, "{noticed}");
}

#[test]
fn records_removed_from_the_end_are_noticed() {
    let (clean, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    furnish(clean.path());
    copy_store(clean.path(), dir.path());
    let mut open = Store::open(dir.path()).unwrap();
    let head = open.head(&run_id()).unwrap();
    tamper(dir.path(), "DELETE FROM events WHERE run = 1 AND seq > 8");
    let error = append(&mut open, &run_id(), head.seq, 1).unwrap_err();
    assert!(matches!(error, AppendError::Fault(Fault::Damaged { .. })), "{error:?}");
    drop(open);
    let error = Store::open(dir.path()).unwrap_err();
    assert!(matches!(error, OpenError::Fault(Fault::Damaged { .. })), "{error:?}");
    assert!(problems(dir.path()).contains(&ProblemKind::Tail));

    copy_store(clean.path(), dir.path());
    tamper(dir.path(), "DELETE FROM events WHERE run = 1");
    Store::open(dir.path()).unwrap_err();
    assert!(problems(dir.path()).contains(&ProblemKind::Tail));
}

#[test]
fn reordered_and_added_records_are_noticed() {
    let (clean, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    furnish(clean.path());
    copy_store(clean.path(), dir.path());
    for change in ["seq = 1000 WHERE seq = 5", "seq = 5 WHERE seq = 6", "seq = 6 WHERE seq = 1000"]
    {
        tamper(dir.path(), &format!("UPDATE events SET {change} AND run = 1"));
    }
    assert!(problems(dir.path()).contains(&ProblemKind::Hash));

    copy_store(clean.path(), dir.path());
    tamper(
        dir.path(),
        "INSERT INTO events SELECT run, seq + 100, decision, time, actor, kind, hash, bytes \
         FROM events WHERE run = 1 AND seq = 5",
    );
    assert!(problems(dir.path()).contains(&ProblemKind::Beyond));
    Store::open(dir.path()).unwrap_err();
}

#[test]
fn an_older_copy_of_the_database_is_refused() {
    let (dir, old) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(filled(dir.path(), 4));
    fs_err::copy(database(dir.path()), database(old.path())).unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    append(&mut store, &run_id(), Seq(10), 3).unwrap();
    drop(store);
    fs_err::copy(database(old.path()), database(dir.path())).unwrap();
    let error = Store::open(dir.path()).unwrap_err();
    let OpenError::Fault(Fault::RolledBack { anchored, found, .. }) = error else {
        panic!("{error:?}")
    };
    assert_eq!((anchored, found), (Seq(13), Seq(10)));
    assert!(problems(dir.path()).contains(&ProblemKind::Anchor));

    // The older copy grew past the anchor on its own: another history all the same.
    let mut store = Store::open(old.path()).unwrap();
    let mut head = append(&mut store, &run_id(), Seq(10), 1).unwrap();
    for _ in 0..3 {
        head = append(&mut store, &run_id(), head.seq, 2).unwrap();
        drop(store);
        fs_err::copy(database(old.path()), database(dir.path())).unwrap();
        let error = Store::open(dir.path()).unwrap_err();
        assert!(matches!(error, OpenError::Fault(Fault::RolledBack { .. })), "{error:?}");
        store = Store::open(old.path()).unwrap();
    }
}

#[test]
fn a_copy_from_before_a_run_began_is_refused() {
    let (dir, old) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(filled(dir.path(), 2));
    fs_err::copy(database(dir.path()), database(old.path())).unwrap();
    begin(&mut Store::open(dir.path()).unwrap(), &RunId::from("late"));
    fs_err::copy(database(old.path()), database(dir.path())).unwrap();
    let error = Store::open(dir.path()).unwrap_err();
    let OpenError::Fault(Fault::RolledBack { run, found: Seq(0), .. }) = error else {
        panic!("{error:?}")
    };
    assert_eq!(run.as_str(), "late");
}

#[test]
fn a_missing_torn_or_older_anchor_is_no_alarm_and_is_renewed() {
    let dir = tempfile::tempdir().unwrap();
    drop(filled(dir.path(), 4));
    let older = fs_err::read(anchor(dir.path())).unwrap();
    append(&mut Store::open(dir.path()).unwrap(), &run_id(), Seq(10), 3).unwrap();
    let newest = fs_err::read(anchor(dir.path())).unwrap();
    let mut torn = older.clone();
    torn.truncate(200);
    for left in [&older[..], &torn, b"", &vec![0; older.len()]] {
        fs_err::write(anchor(dir.path()), left).unwrap();
        Store::open_read_only(dir.path()).unwrap().check_anchor().unwrap();
        drop(Store::open(dir.path()).unwrap());
        assert_eq!(fs_err::read(anchor(dir.path())).unwrap(), newest);
    }
    fs_err::remove_file(anchor(dir.path())).unwrap();
    drop(Store::open(dir.path()).unwrap());
    assert_eq!(fs_err::read(anchor(dir.path())).unwrap(), newest);
}

#[test]
fn a_database_replaced_cut_or_deleted_while_closed_is_refused() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(filled(dir.path(), 4));
    drop(filled(other.path(), 4));
    let whole = fs_err::read(database(dir.path())).unwrap();
    let refuse = |what: &str| match Store::open(dir.path()) {
        Err(error) => error,
        Ok(_) => panic!("{what} was opened"),
    };

    fs_err::copy(database(other.path()), database(dir.path())).unwrap();
    assert!(matches!(refuse("another"), OpenError::Fault(Fault::Replaced { .. })));
    fs_err::write(database(dir.path()), b"").unwrap();
    assert!(matches!(refuse("nothing"), OpenError::Fault(Fault::Truncated { length: 0, .. })));
    fs_err::write(database(dir.path()), &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(refuse("half"), OpenError::Fault(Fault::Corrupt { .. })));
    fs_err::write(database(dir.path()), vec![b'x'; whole.len()]).unwrap();
    assert!(matches!(refuse("noise"), OpenError::Fault(Fault::NotADatabase { .. })));
    fs_err::remove_file(database(dir.path())).unwrap();
    assert!(matches!(refuse("no file"), OpenError::Fault(Fault::Missing { .. })));
    let error = Store::open_read_only(dir.path()).unwrap_err();
    assert!(matches!(error, OpenError::Fault(Fault::Missing { .. })));
    let conn = Connection::open(database(dir.path())).unwrap();
    conn.execute_batch("CREATE TABLE theirs (x); PRAGMA application_id = 5").unwrap();
    drop(conn);
    assert!(matches!(refuse("theirs"), OpenError::Foreign { application_id: 5, .. }));

    fs_err::write(database(dir.path()), whole).unwrap();
    assert_eq!(all(&Store::open(dir.path()).unwrap(), &run_id()).len(), 10);
}

#[test]
fn a_database_replaced_cut_or_deleted_while_open_takes_no_append() {
    let other = tempfile::tempdir().unwrap();
    drop(filled(other.path(), 4));
    let attempt = |harm: &dyn Fn(&Path)| {
        let dir = tempfile::tempdir().unwrap();
        let (mut store, head) = filled(dir.path(), 4);
        harm(dir.path());
        let error = append(&mut store, &run_id(), head.seq, 1).unwrap_err();
        let AppendError::Fault(fault) = error else { panic!("{error:?}") };
        assert!(store.raise_fence(&run_id()).is_err());
        fault
    };
    let fault = attempt(&|dir| {
        fs_err::copy(database(other.path()), dir.join("new")).unwrap();
        fs_err::rename(dir.join("new"), database(dir)).unwrap();
    });
    assert!(matches!(fault, Fault::Replaced { .. }), "{fault:?}");
    let fault = attempt(&|dir| fs_err::remove_file(database(dir)).unwrap());
    assert!(matches!(fault, Fault::Missing { .. }), "{fault:?}");
    let fault = attempt(&|dir| fs_err::write(database(dir), b"").unwrap());
    assert!(matches!(fault, Fault::Truncated { length: 0, .. }), "{fault:?}");
    let fault = attempt(&|dir| fs_err::remove_file(log(dir)).unwrap());
    assert!(matches!(fault, Fault::Replaced { .. }), "{fault:?}");
}

#[test]
fn a_fence_from_a_lost_future_does_not_write() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, head) = filled(dir.path(), 2);
    let id = run_id();
    let error = store.append(&Append { fence: Fence(5), ..decision(&id, head.seq, 1) });
    assert!(matches!(error, Err(AppendError::Fenced { current: Fence(1), .. })));
}
