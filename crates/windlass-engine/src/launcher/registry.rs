//! The registry of launchers: which ones live, for whom they work, and where their output goes.
//!
//! Each launcher leaves two files in the registry while it lives. The one named by its pid holds its
//! start time and decides who may decide (see [`crate::process_table::ancestry`]). The other says what it
//! is for, and is for people who watch; nothing is decided by it.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::life;
use super::policy::LaunchPolicy;
use crate::home::canonical;
use crate::process_table::Process;

/// What a launcher was started for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launched {
    /// The launcher's process.
    pub pid: i32,
    /// When it started, in clock ticks since boot.
    pub start_time: u64,
    /// The attempt, as `step#number`; none for a check.
    pub attempt: Option<String>,
    /// The file that the program's output goes to while it runs.
    pub output: PathBuf,
}

/// The launcher's entries in the registry, removed when it ends.
pub(super) struct Registered {
    files: Vec<PathBuf>,
}

impl Registered {
    pub(super) fn enter(policy: &LaunchPolicy) -> Result<Self, String> {
        let Some(registry) = &policy.registry else { return Ok(Self { files: Vec::new() }) };
        let mut entered = Self { files: Vec::new() };
        let mut write = || -> io::Result<()> {
            let me = life::launcher()?;
            fs_err::create_dir_all(registry)?;
            let start = format!("{}\n", me.start_time);
            entered.files.push(put(registry, &me.pid.to_string(), start.as_bytes())?);
            let attempt = policy.env.iter().find(|(name, _)| name == "WINDLASS_ATTEMPT");
            let launched = Launched {
                pid: me.pid,
                start_time: me.start_time,
                attempt: attempt.map(|(_, attempt)| attempt.clone()),
                output: policy.stdout.clone(),
            };
            let purpose = serde_json::to_vec(&launched)?;
            entered.files.push(put(registry, &format!("{}.json", me.pid), &purpose)?);
            Ok(())
        };
        write().map_err(|error| format!("failed to register the launcher: {error}"))?;
        Ok(entered)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = fs_err::remove_file(file);
        }
    }
}

/// Writes a file whole or not at all: a half-written start time would let an agent pass for a
/// person.
fn put(registry: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let (draft, file) = (registry.join(format!("{name}.new")), registry.join(name));
    fs_err::write(&draft, bytes)?;
    fs_err::rename(&draft, &file)?;
    Ok(file)
}

/// Lists the living launchers whose output goes below `scratch`, oldest first.
///
/// Entries of launchers that were killed stay until their pid is given again; they are left out.
pub fn launched(registry: &Path, scratch: &Path) -> Vec<Launched> {
    let Ok(entries) = fs_err::read_dir(registry) else { return Vec::new() };
    let real = canonical(scratch);
    let mut found: Vec<Launched> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        // One that ended between the listing and the reading is not there.
        .filter_map(|path| serde_json::from_slice(&fs_err::read(path).ok()?).ok())
        .filter(|launched: &Launched| {
            launched.output.starts_with(scratch) || launched.output.starts_with(&real)
        })
        .filter(|launched| {
            Process::read(launched.pid).is_ok_and(|now| now.start_time == launched.start_time)
        })
        .collect();
    found.sort_by_key(|launched| (launched.start_time, launched.pid));
    found
}
