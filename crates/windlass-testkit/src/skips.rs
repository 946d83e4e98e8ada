//! Tests that could not run.

use std::io::Write as _;
use std::path::PathBuf;

use crate::workspace::root;

/// Names another list of skipped tests, for a user who cannot write in the checkout.
const LIST_VARIABLE: &str = "WINDLASS_SKIPPED_TESTS";

/// Says loudly that the calling test is skipped and why, and counts it for `.ci/test`.
#[expect(clippy::print_stderr, reason = "a skip is seen where the test runs")]
pub fn skip(why: &str) {
    let thread = std::thread::current();
    let line = format!("SKIPPED: {}: {why}", thread.name().unwrap_or("a test"));
    eprintln!("{line}");
    let list = std::env::var_os(LIST_VARIABLE).map(PathBuf::from);
    let list = list.unwrap_or_else(|| root().join(".cache/skipped-tests"));
    let folder = list.parent().expect("a folder around the list");
    fs_err::create_dir_all(folder).expect("a folder for the list of skipped tests");
    let mut options = fs_err::OpenOptions::new();
    let file = options.create(true).append(true).open(list);
    // One write, so that tests beside each other do not mix their lines.
    let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    written.expect("the list of skipped tests");
}
