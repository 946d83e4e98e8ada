//! A store that is not what it was.

use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use windlass_testkit::TestEnv;

use crate::support::{GATED, HONEST, at_the_gate};

fn database(env: &TestEnv) -> PathBuf {
    let found = fs_err::read_dir(env.repository_state()).expect("a folder").flatten();
    let mut files =
        found.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "db"));
    files.next().expect("a database")
}

/// Nothing goes on, nothing panics, and it is not called a success.
fn is_noticed(env: &TestEnv) {
    let resumed = env.windlass(&["approve"]);
    assert_ne!(resumed.code, Some(0), "{resumed}");
    assert!(!resumed.stderr.contains("panicked"), "{resumed}");
    let audit = env.windlass(&["audit", "--json"]);
    assert_ne!(audit.code, Some(0), "{audit}");
    assert!(!audit.stderr.contains("panicked"), "{audit}");
}

#[test]
fn a_flipped_byte_in_a_record() {
    let env = at_the_gate();
    let path = database(&env);
    let bytes = fs_err::read(&path).unwrap();
    // In the goal, which the first record holds: the page stays well formed.
    let at = bytes.windows(5).position(|window| window == b"Do it").expect("the goal is stored");
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(b"Ko it", at as u64).unwrap();
    let audit = env.windlass(&["audit", "--json"]);
    assert_ne!(audit.code, Some(0), "{audit}");
    assert!(audit.stdout.contains("\"ok\":false"), "{audit}");
}

#[test]
fn a_truncated_database() {
    let env = at_the_gate();
    let file = std::fs::OpenOptions::new().write(true).open(database(&env)).unwrap();
    file.set_len(5000).unwrap();
    is_noticed(&env);
}

#[test]
fn a_database_replaced_by_an_empty_or_foreign_one() {
    for bytes in [&b""[..], b"this is no database at all, only some text"] {
        let env = at_the_gate();
        fs_err::remove_file(database(&env)).unwrap();
        fs_err::write(env.repository_state().join("journal.db"), bytes).unwrap();
        let resumed = env.windlass(&["approve"]);
        assert_ne!(resumed.code, Some(0), "{resumed}");
        assert!(!resumed.stderr.contains("panicked"), "{resumed}");
    }
}

#[test]
fn a_home_that_cannot_be_written() {
    // By a file in its way: root may write anything else.
    let env = windlass_testkit::test_env!();
    env.file(".local/state/windlass", "in the way");
    let finished = env.run(GATED, HONEST, &["--yes"]);
    finished.assert_code(1);
    assert!(finished.stderr.contains(".local/state/windlass"), "{finished}");
}
