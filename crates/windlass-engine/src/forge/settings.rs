//! The repository's own settings that decide where a push goes and what runs for it.
//!
//! With `--here` they lie in the place, so an agent can write them: an address, a rewriting rule, a
//! program that git starts. What is read here is what git itself would go by, includes and the
//! checkout's own configuration among it. Settings of the user and of the machine are out of an
//! agent's reach and do not count. A program that an unchanged setting names inside the place is
//! not looked at.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use windlass_core::id::{ContentHash, RunId};
use windlass_core::run::PushSettings;

use super::error::ForgeError;
use super::said::kept;
use crate::git::UserEnvironment;
use crate::git::UserRepository;
use crate::git::place_files::{PlaceFileError, read_file_bounded};
use crate::git::process::Git;

/// A configuration can include a pipe, which would block git.
const DEADLINE: Duration = Duration::from_secs(10);

/// Sections that say nothing about a push to a named address. Git and people change them while a
/// run is at work: a new branch alone writes one.
const HARMLESS: &[&str] = &["advice", "alias", "branch", "color", "user"];

/// git-lfs reads addresses from this file of the checkout, too.
const LARGE_FILES: &str = ".lfsconfig";

/// The largest such file that is read; a real one has some lines.
const MAX_LARGE_FILES_BYTES: u64 = 1 << 20;

/// Reads the settings. The hashes of two runs differ, so that they tell nothing about a value.
pub fn push_settings(user: &UserRepository, run: &RunId) -> Result<PushSettings, ForgeError> {
    let listed = Git::to_a_remote(&user.top_level, UserEnvironment::inherited().variables())
        .deadline(DEADLINE)
        .args(["config", "--list", "--includes", "--show-scope", "-z"])
        .run()?;
    let mut values: BTreeMap<String, blake3::Hasher> = BTreeMap::new();
    let mut add = |key: &str, value: &[u8]| {
        let hash = values.entry(kept(key)).or_insert_with(|| {
            let mut hash = blake3::Hasher::new_derive_key("windlass settings of a push");
            hash.update(run.as_str().as_bytes());
            hash
        });
        // With its length, so that no two lists of values look the same.
        hash.update(&(value.len() as u64).to_le_bytes()).update(value);
    };
    let mut fields = listed.stdout.split(|&byte| byte == 0);
    while let (Some(scope), Some(entry)) = (fields.next(), fields.next()) {
        let end = entry.iter().position(|&byte| byte == b'\n').unwrap_or(entry.len());
        let key = String::from_utf8_lossy(&entry[..end]).into_owned();
        let own = scope == b"local" || scope == b"worktree";
        if own && !HARMLESS.contains(&key.split('.').next().unwrap_or_default()) {
            add(&key, &entry[end..]);
        }
    }
    if let Some(text) = large_files(&user.top_level) {
        add(LARGE_FILES, &text);
    }
    let hashed = values.into_iter().map(|(key, hash)| {
        let text = hash.finalize().to_hex();
        (key, ContentHash::from(text.as_str()))
    });
    Ok(PushSettings(hashed.collect()))
}

fn large_files(checkout: &Path) -> Option<Vec<u8>> {
    match read_file_bounded(checkout, Path::new(LARGE_FILES), MAX_LARGE_FILES_BYTES) {
        Ok(text) => Some(text),
        Err(PlaceFileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => None,
        // Something that is no plain file is another thing than what was there.
        Err(error) => Some(error.to_string().into_bytes()),
    }
}
