//! Full disks and folders that cannot be written, on real file systems.
//!
//! Permissions do not bind root and a full disk cannot be had without a disk, so these tests run
//! again in a mount namespace of their own. Where that is not allowed they say so and pass.

use std::path::Path;
use std::process::Command;

use windlass_engine::store::{Append, AppendError, Fault, NewRecord, OpenError, Store};

use crate::support::*;

/// Runs this test again as `work`, after `script` has prepared `$dir`; says whether it could.
fn in_a_namespace(test: &str, work: &str, dir: &Path, script: &str) -> bool {
    let own = ["-m"].as_slice();
    let as_user = ["-U", "-r", "-m"].as_slice();
    let may = |flags: &&[&str]| {
        let mut probe = Command::new("unshare");
        probe.args(*flags).args(["mount", "-t", "tmpfs", "x"]).arg(dir);
        probe.output().is_ok_and(|output| output.status.success())
    };
    let Some(flags) = [own, as_user].into_iter().find(may) else {
        println!("skipped: no mount namespace can be had here");
        return false;
    };
    let inner = child(test, work, dir);
    let status = Command::new("unshare")
        .args(flags)
        .args(["sh", "-ec", &format!("{script}\nexec \"$@\""), "sh"])
        .arg(inner.get_program())
        .args(inner.get_args())
        .envs(inner.get_envs().filter_map(|(key, value)| Some((key, value?))))
        .env("dir", dir)
        .status()
        .unwrap();
    assert!(status.success(), "{work} failed in its namespace");
    true
}

#[test]
fn a_full_disk_takes_no_append_and_is_usable_once_there_is_room() {
    if let Some(dir) = child_dir("full") {
        return fill_the_disk(&dir);
    }
    let dir = tempfile::tempdir().unwrap();
    let test = "room::a_full_disk_takes_no_append_and_is_usable_once_there_is_room";
    in_a_namespace(test, "full", dir.path(), "mount -t tmpfs -o size=1m tmpfs \"$dir\"");
}

fn fill_the_disk(dir: &Path) {
    let ballast = dir.join("ballast");
    fs_err::write(&ballast, vec![1; 300_000]).unwrap();
    let (mut store, mut head) = filled(&dir.join("home"), 3);
    let id = run_id();
    let large = || NewRecord::new("plan", &"x".repeat(30_000)).unwrap();
    let fault = loop {
        let mut next = decision(&id, head.seq, 2);
        next.records.push(large());
        match store.append(&next) {
            Ok(next) => head = next,
            Err(AppendError::Fault(fault)) => break fault,
            Err(error) => panic!("{error:?}"),
        }
    };
    assert!(matches!(fault, Fault::Full { .. }), "{fault:?}");
    assert_eq!(store.head(&id).unwrap(), head);
    assert_eq!(store.verify_chain(&id).unwrap().problems, []);

    fs_err::remove_file(ballast).unwrap();
    let mut next = Append { ..decision(&id, head.seq, 1) };
    next.records.push(large());
    let next = store.append(&next).unwrap();
    assert_eq!(next.decision, head.decision + 1);
    drop(store);
    let store = Store::open(&dir.join("home")).unwrap();
    assert_eq!(store.verify_chain(&id).unwrap().events, next.seq.0);
}

#[test]
fn a_home_that_cannot_be_written_can_be_read() {
    if let Some(dir) = child_dir("read") {
        return read_everything(&dir);
    }
    let dir = tempfile::tempdir().unwrap();
    let home = |name: &str| dir.path().join(name);
    drop(filled(&home("closed"), 4));
    // As a killed driver leaves it: with its log, with and without the shared memory.
    let (open, _) = filled(&home("open"), 4);
    for (name, files) in [
        ("cut-off", ["journal.db", "journal.db-wal", "journal.anchor"].as_slice()),
        ("killed", &["journal.db", "journal.db-wal", "journal.db-shm", "journal.anchor"]),
    ] {
        fs_err::create_dir(home(name)).unwrap();
        for file in files {
            fs_err::copy(home("open").join(file), home(name).join(file)).unwrap();
        }
    }
    let test = "room::a_home_that_cannot_be_written_can_be_read";
    let script = "mount --bind \"$dir\" \"$dir\"\nmount -o remount,ro,bind \"$dir\"";
    in_a_namespace(test, "read", dir.path(), script);
    drop(open);
}

fn read_everything(dir: &Path) {
    for name in ["closed", "open", "cut-off", "killed"] {
        let home = dir.join(name);
        let store =
            Store::open_read_only(&home).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!(all(&store, &run_id()).len(), 10, "{name}");
        assert_eq!(store.verify_chain(&run_id()).unwrap().problems, [], "{name}");
        store.check_anchor().unwrap();
        let error = Store::open(&home).unwrap_err();
        let OpenError::Fault(Fault::ReadOnly { .. }) = error else { panic!("{name}: {error:?}") };
    }
    let error = Store::open(&dir.join("new")).unwrap_err();
    assert!(matches!(error, OpenError::Folder { .. }), "{error:?}");
}

#[test]
fn a_store_that_was_opened_to_read_takes_no_writes() {
    let dir = tempfile::tempdir().unwrap();
    let (_writer, head) = filled(dir.path(), 2);
    let mut reader = Store::open_read_only(dir.path()).unwrap();
    let error = append(&mut reader, &run_id(), head.seq, 1).unwrap_err();
    assert!(matches!(error, AppendError::Fault(Fault::ReadOnly { .. })), "{error:?}");
}

#[test]
fn a_home_that_is_a_file_or_is_not_there_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs_err::write(&file, b"").unwrap();
    assert!(matches!(Store::open(&file), Err(OpenError::Folder { .. })));
    assert!(matches!(Store::open(&file.join("below")), Err(OpenError::Folder { .. })));
    let error = Store::open_read_only(&dir.path().join("none")).unwrap_err();
    assert!(matches!(error, OpenError::NoStore { .. }), "{error:?}");
}
