//! What runs on one machine share: limits, and a file that may be missing, damaged or too new.

use std::path::Path;
use std::sync::Mutex;

use rusqlite::Connection;
use windlass_core::id::RunId;
use windlass_core::time::Timestamp;
use windlass_engine::machine::{Limit, Machine, MachineError, SpendFilter};

fn quiet(_: &str) {}

fn limit(until: i64, message: &str) -> Limit {
    Limit { until: Timestamp(until), message: message.to_owned(), seen_by: RunId::new("k3") }
}

fn damaged_beside(folder: &Path) -> usize {
    let entries = fs_err::read_dir(folder).expect("the folder").flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().contains("db.damaged-")).count()
}

#[test]
fn the_later_end_of_two_limits_counts_and_only_what_has_ended_is_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let machine = Machine::new(folder.path(), quiet);
    assert_eq!(machine.limit("a", Timestamp(0)).unwrap(), None);
    machine.note_limit("a", &limit(100, "week"), Timestamp(1)).unwrap();
    machine.note_limit("a", &limit(50, "hour"), Timestamp(2)).unwrap();
    assert_eq!(machine.limit("a", Timestamp(60)).unwrap(), Some(limit(100, "week")));
    assert_eq!(machine.limit("b", Timestamp(60)).unwrap(), None, "another account");
    machine.clear_limit("a", Timestamp(60)).unwrap();
    assert!(machine.limit("a", Timestamp(60)).unwrap().is_some(), "it has not ended");
    assert_eq!(machine.limit("a", Timestamp(100)).unwrap(), None);
    machine.clear_limit("a", Timestamp(100)).unwrap();
    machine.note_limit("a", &limit(90, "anew"), Timestamp(101)).unwrap();
    assert_eq!(machine.limit("a", Timestamp(80)).unwrap(), Some(limit(90, "anew")));
}

#[test]
fn a_limit_that_a_wrong_clock_noted_holds_up_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let machine = Machine::new(folder.path(), quiet);
    let (now, year) = (Timestamp(1_000), 365 * 86_400_000);
    machine.note_limit("a", &limit(year, "far"), Timestamp(year - 1)).unwrap();
    assert_eq!(machine.limit("a", now).unwrap(), None);
    machine.note_limit("a", &limit(5_000, "near"), now).unwrap();
    assert_eq!(machine.limit("a", now).unwrap(), Some(limit(5_000, "near")));
}

#[test]
fn many_may_open_it_for_the_first_time_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("not/there/yet");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let folder = &folder;
            scope.spawn(move || {
                let machine = Machine::new(folder, quiet);
                let account = format!("account-{number}");
                machine.note_limit(&account, &limit(9, "x"), Timestamp(1)).unwrap();
            });
        }
    });
    let machine = Machine::new(&folder, quiet);
    for number in 0..8 {
        let found = machine.limit(&format!("account-{number}"), Timestamp(1)).unwrap();
        assert_eq!(found, Some(limit(9, "x")), "{number}");
    }
}

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn hear(text: &str) {
    TOLD.lock().expect("nobody panicked").push(text.to_owned());
}

#[test]
fn a_damaged_file_is_moved_aside_once_whoever_finds_it_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("machine.db");
    fs_err::write(&path, "no database at all".repeat(500)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let machine = Machine::new(folder.path(), hear);
                machine.note_limit("a", &limit(9, "x"), Timestamp(1)).unwrap();
            });
        }
    });
    assert_eq!(damaged_beside(folder.path()), 1);
    let told = TOLD.lock().unwrap().clone();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("moved aside to") && told[0].contains("is damaged"), "{told:?}");
    let machine = Machine::new(folder.path(), quiet);
    assert_eq!(machine.limit("a", Timestamp(1)).unwrap(), Some(limit(9, "x")));
}

#[test]
fn a_page_that_is_damaged_in_the_middle_is_noticed_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("machine.db");
    let machine = Machine::new(folder.path(), quiet);
    for number in 0..200 {
        let account = format!("account-{number}");
        machine.note_limit(&account, &limit(9, &"x".repeat(200)), Timestamp(1)).unwrap();
    }
    // Everything into the file itself, and then a hole into all but its first page.
    let database = Connection::open(&path).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(database);
    let mut bytes = fs_err::read(&path).unwrap();
    bytes[4096..].fill(0xA5);
    fs_err::write(&path, bytes).unwrap();
    assert_eq!(machine.limit("account-7", Timestamp(1)).unwrap(), None);
    assert_eq!(damaged_beside(folder.path()), 1);
    machine.note_limit("account-7", &limit(9, "x"), Timestamp(1)).unwrap();
    assert_eq!(machine.limit("account-7", Timestamp(1)).unwrap(), Some(limit(9, "x")));
}

#[test]
fn what_a_newer_windlass_wrote_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let machine = Machine::new(folder.path(), quiet);
    machine.note_limit("a", &limit(9, "x"), Timestamp(1)).unwrap();
    let database = Connection::open(folder.path().join("machine.db")).unwrap();
    database.pragma_update(None, "user_version", 7).unwrap();
    drop(database);
    let refused = machine.limit("a", Timestamp(1)).unwrap_err();
    assert!(matches!(refused, MachineError::NewerFormat { found: 7, .. }), "{refused}");
    assert_eq!(damaged_beside(folder.path()), 0);
}

#[test]
fn another_programs_database_is_kept_aside_whole() {
    let folder = tempfile::tempdir().unwrap();
    let database = Connection::open(folder.path().join("machine.db")).unwrap();
    database.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);").unwrap();
    drop(database);
    let machine = Machine::new(folder.path(), quiet);
    assert_eq!(machine.spend(&SpendFilter::default()).unwrap(), []);
    assert_eq!(damaged_beside(folder.path()), 1);
}
