//! What the store does when nothing is broken.

use std::sync::atomic::{AtomicUsize, Ordering};

use windlass_core::id::{Fence, RunId};
use windlass_core::run::JOURNAL_FORMAT;
use windlass_core::time::Timestamp;
use windlass_engine::store::{
    Append, AppendError, ChainHash, CreateRunError, InboxId, Life, Listing, NewFold, NewPass,
    NewRecord, OpenError, PassKey, ReadError, Seq, SettleError, Store,
};

use crate::support::*;

#[test]
fn records_come_back_in_order_with_their_payload_and_chain() {
    let dir = tempfile::tempdir().unwrap();
    let (store, head) = filled(dir.path(), 5);
    let id = run_id();
    let records = all(&store, &id);
    assert_eq!(records.len(), 13);
    let mut link = ChainHash::genesis(&id);
    for (index, record) in records.iter().enumerate() {
        assert_eq!(record.seq, Seq(index as u64 + 1));
        assert_eq!(record.payload(), format!("{{\"number\":{}}}", index + 1));
        link = link.link(record.bytes().as_bytes());
        assert_eq!(record.hash, link);
    }
    assert_eq!(records.last().map(|last| (last.seq, last.decision)), Some((Seq(13), 5)));
    assert_eq!(store.head(&id).unwrap(), head);
    assert_eq!(head.hash, link);
    let tail: Vec<_> = store.records(&id, Seq(12)).unwrap().map(|r| r.unwrap().seq.0).collect();
    assert_eq!(tail, [12, 13]);
    assert_eq!(store.records(&id, Seq(14)).unwrap().count(), 0);
    assert_eq!(store.records(&id, Seq(99)).unwrap().count(), 0);
    assert_eq!(store.verify_chain(&id).unwrap().problems, []);
}

#[test]
fn everything_is_there_after_opening_again() {
    let dir = tempfile::tempdir().unwrap();
    let (store, head) = filled(dir.path(), 4);
    let (id, before) = (store.id().to_owned(), all(&store, &run_id()));
    drop(store);
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(store.id(), id);
    assert_eq!(store.head(&run_id()).unwrap(), head);
    assert_eq!(all(&store, &run_id()), before);
}

#[test]
fn pages_hold_large_payloads_and_many_records_alike() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let id = run_id();
    let head = begin(&mut store, &id);
    let mut large = decision(&id, head.seq, 0);
    large.records = (0..5).map(|_| NewRecord::new("plan", &"x".repeat(700_000)).unwrap()).collect();
    let head = store.append(&large).unwrap();
    let head = append(&mut store, &id, head.seq, 2000).unwrap();
    assert_eq!(all(&store, &id).len(), 2006);
    assert_eq!(store.verify_chain(&id).unwrap().events, head.seq.0);
}

#[test]
fn an_overtaken_driver_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (mut old, head) = filled(dir.path(), 2);
    let mut new = Store::open(dir.path()).unwrap();
    let id = run_id();
    let fence = new.raise_fence(&id).unwrap();
    assert_eq!(fence, Fence(2));
    let error = append(&mut old, &id, head.seq, 1).unwrap_err();
    assert!(
        matches!(error, AppendError::Fenced { held: Fence(1), current: Fence(2), .. }),
        "{error:?}"
    );
    let next = new.append(&Append { fence, ..decision(&id, head.seq, 1) }).unwrap();
    assert_eq!(next.seq, head.seq.next());
    assert_eq!(next.decision, head.decision + 1);
}

#[test]
fn a_decision_on_an_old_state_is_a_conflict_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, head) = filled(dir.path(), 2);
    let id = run_id();
    for expected in [Seq(0), Seq(1), head.seq.next()] {
        let error = append(&mut store, &id, expected, 1).unwrap_err();
        let AppendError::Conflict { head: found, .. } = error else { panic!("{error:?}") };
        assert_eq!(found, head);
    }
    assert!(matches!(append(&mut store, &id, head.seq, 0), Err(AppendError::Empty)));
    assert_eq!(all(&store, &id).len(), 4);
    let other = RunId::from("nobody");
    assert!(matches!(append(&mut store, &other, Seq(1), 1), Err(AppendError::UnknownRun(_))));
}

#[test]
fn two_unfinished_runs_never_share_a_place() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let (first, second) = (RunId::from("first"), RunId::from("second"));
    let head = begin_at(&mut store, &first, Some("here")).unwrap();
    let error = begin_at(&mut store, &second, Some("here")).unwrap_err();
    assert!(matches!(error, CreateRunError::PlaceTaken { by, .. } if by == first));
    begin_at(&mut store, &RunId::from("third"), None).unwrap();
    begin_at(&mut store, &RunId::from("fourth"), None).unwrap();

    let ended = Listing { status: "completed", life: Life::Finished, ..LISTING };
    let head = store.append(&Append { listing: ended, ..decision(&first, head.seq, 1) }).unwrap();
    begin_at(&mut store, &second, Some("here")).unwrap();
    let error = append(&mut store, &first, head.seq, 1).unwrap_err();
    assert!(matches!(error, AppendError::PlaceTaken { by, .. } if by == second));

    let listed: Vec<_> = store.runs().unwrap();
    let names: Vec<_> = listed.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(names, ["second", "fourth", "third", "first"]);
    assert_eq!(listed[3].status, "completed");
    assert_eq!(store.run(&first).unwrap(), listed[3]);
}

#[test]
fn names_that_cannot_be_anchored_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    for name in ["", "a b", "a\nb", "ü", &"x".repeat(41)] {
        let error = begin_at(&mut store, &RunId::from(name), None).unwrap_err();
        assert!(matches!(error, CreateRunError::BadId(_)), "{name}");
    }
    begin(&mut store, &RunId::from("x"));
    let error = begin_at(&mut store, &RunId::from("x"), None).unwrap_err();
    assert!(matches!(error, CreateRunError::Exists(_)));
}

#[test]
fn an_input_is_decided_exactly_once() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, head) = filled(dir.path(), 1);
    let id = run_id();
    let approve = store.post(&id, Timestamp(5), "person", b"approve").unwrap();
    let refused = store.post(&id, Timestamp(6), "hook", b"late").unwrap();
    let waiting: Vec<_> = store.pending(&id).unwrap().into_iter().map(|item| item.id).collect();
    assert_eq!(waiting, [approve, refused]);
    assert_eq!(store.outcome(approve).unwrap(), None);

    store.settle(refused, b"stale").unwrap();
    let again = store.settle(refused, b"stale").unwrap_err();
    assert!(matches!(again, SettleError::AlreadySettled(item) if item == refused));
    let outcomes = vec![(approve, b"approved".to_vec())];
    let head =
        store.append(&Append { outcomes: outcomes.clone(), ..decision(&id, head.seq, 1) }).unwrap();
    assert_eq!(store.outcome(approve).unwrap().as_deref(), Some(&b"approved"[..]));
    assert_eq!(store.pending(&id).unwrap(), []);

    let error = store.append(&Append { outcomes, ..decision(&id, head.seq, 1) }).unwrap_err();
    assert!(matches!(error, AppendError::AlreadySettled(item) if item == approve));
    assert_eq!(store.head(&id).unwrap(), head, "the records of that decision are not there");
    assert_eq!(store.outcome(InboxId(99)).unwrap(), None);
    let nobody = RunId::from("nobody");
    assert!(matches!(store.post(&nobody, Timestamp(0), "x", b""), Err(ReadError::UnknownRun(_))));
}

#[test]
fn the_latest_fold_is_kept_with_the_record_it_stops_at() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, head) = filled(dir.path(), 1);
    let id = run_id();
    assert_eq!(store.latest_fold(&id).unwrap(), None);
    let fold = Some(NewFold { format: 3, bytes: b"state" });
    let folded = store.append(&Append { fold, ..decision(&id, head.seq, 2) }).unwrap();
    append(&mut store, &id, folded.seq, 2).unwrap();
    let found = store.latest_fold(&id).unwrap().unwrap();
    assert_eq!((found.seq, found.format, &found.bytes[..]), (folded.seq, 3, &b"state"[..]));
    assert_eq!(store.verify_chain(&id).unwrap().problems, []);
}

#[test]
fn a_pass_is_found_by_every_run() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, head) = filled(dir.path(), 1);
    let (id, key) = (run_id(), PassKey([1; 32]));
    let passes = vec![NewPass { key, bytes: b"proof".to_vec() }];
    store.append(&Append { passes, ..decision(&id, head.seq, 1) }).unwrap();
    let pass = store.pass(key).unwrap().unwrap();
    assert_eq!((pass.run, &pass.bytes[..]), (id, &b"proof"[..]));
    assert_eq!(store.pass(PassKey([2; 32])).unwrap(), None);
}

#[test]
fn a_follower_sees_that_something_changed() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, head) = filled(dir.path(), 1);
    let follower = Store::open_read_only(dir.path()).unwrap();
    let before = follower.change_mark().unwrap();
    assert_eq!(follower.change_mark().unwrap(), before);
    append(&mut store, &run_id(), head.seq, 1).unwrap();
    assert_ne!(follower.change_mark().unwrap(), before);
    assert_eq!(all(&follower, &run_id()).len(), 2);
}

#[test]
fn first_openers_do_not_fall_over_each_other() {
    for _ in 0..10 {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("new/home");
        let names: Vec<String> = std::thread::scope(|scope| {
            let open = |_| scope.spawn(|| Store::open(&home).unwrap().id().to_owned());
            let threads: Vec<_> = (0..6).map(open).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(names.iter().all(|name| *name == names[0]), "{names:?}");
    }
}

#[test]
fn a_new_folder_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home/repository");
    Store::open(&home).unwrap();
    assert_eq!(fs_err::metadata(&home).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_newer_format_is_refused_and_says_who_wrote_it() {
    let dir = tempfile::tempdir().unwrap();
    drop(filled(dir.path(), 1));
    tamper(dir.path(), "UPDATE meta SET value = '7' WHERE key = 'format'");
    tamper(dir.path(), "UPDATE meta SET value = 'windlass 9.1' WHERE key = 'writer'");
    for error in
        [Store::open(dir.path()).unwrap_err(), Store::open_read_only(dir.path()).unwrap_err()]
    {
        assert!(
            matches!(error, OpenError::NewerFormat { found: 7, known: JOURNAL_FORMAT, .. }),
            "{error:?}"
        );
        assert!(error.to_string().contains("windlass 9.1"), "{error}");
    }
}

#[test]
fn an_older_format_is_read_as_it_is_and_brought_up_to_date_by_whoever_writes() {
    let dir = tempfile::tempdir().unwrap();
    let count = filled(dir.path(), 1).0.runs().unwrap().len();
    tamper(dir.path(), "UPDATE meta SET value = '1' WHERE key = 'format'");
    let format = || -> String {
        let conn = rusqlite::Connection::open(database(dir.path())).unwrap();
        conn.query_row("SELECT value FROM meta WHERE key = 'format'", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(Store::open_read_only(dir.path()).unwrap().runs().unwrap().len(), count);
    assert_eq!(format(), "1", "a reader changes nothing");
    assert_eq!(Store::open(dir.path()).unwrap().runs().unwrap().len(), count);
    assert_eq!(format(), JOURNAL_FORMAT.to_string());
}

#[test]
fn readers_beside_working_drivers_raise_no_alarm() {
    let dir = tempfile::tempdir().unwrap();
    let (names, appends) = (["a", "b", "c"], 40);
    drop(Store::open(dir.path()).unwrap());
    let working = AtomicUsize::new(names.len());
    std::thread::scope(|scope| {
        for name in names {
            let (dir, working) = (dir.path(), &working);
            scope.spawn(move || {
                let mut store = Store::open(dir).unwrap();
                let id = RunId::from(name);
                let mut head = begin(&mut store, &id);
                for _ in 0..appends {
                    head = append(&mut store, &id, head.seq, 2).unwrap();
                }
                working.fetch_sub(1, Ordering::SeqCst);
            });
        }
        while working.load(Ordering::SeqCst) > 0 {
            let reader = Store::open_read_only(dir.path()).unwrap();
            reader.check_anchor().unwrap();
            for run in reader.runs().unwrap() {
                assert_eq!(reader.verify_chain(&run.id).unwrap().problems, []);
                assert!(all(&reader, &run.id).len() as u64 >= run.head.seq.0);
            }
            drop(Store::open(dir.path()).unwrap());
        }
    });
    let store = Store::open(dir.path()).unwrap();
    for name in names {
        assert_eq!(store.head(&RunId::from(name)).unwrap().seq, Seq(1 + 2 * appends));
    }
}
