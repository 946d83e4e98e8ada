//! How much of the disk a program uses: a walk over its folders, a little at every tick.
//!
//! No kernel gives an ordinary user a quota by folder, so the launcher counts. It has one thread and
//! other things to watch, so a walk is taken in turns of bounded time, over many ticks where there are
//! many files, and what was counted so far is enough to say that it is too much.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::policy::DiskLimit;

/// The shortest time between two walks.
const PAUSE: Duration = Duration::from_secs(1);

/// How long one turn of a walk takes.
const TURN: Duration = Duration::from_millis(20);

/// How many entries are looked at between two looks at the clock.
const ENTRIES_PER_LOOK: usize = 64;

/// The unit of a file's blocks, whatever those of the disk are.
const BLOCK_BYTES: u64 = 512;

/// The walk over the folders of one program.
pub(super) struct DiskWatch<'a> {
    limit: &'a DiskLimit,
    /// Folders that are still to be looked at.
    folders: Vec<PathBuf>,
    /// The one that is being read.
    reading: Option<fs_err::ReadDir>,
    counted: u64,
    /// When the next walk begins.
    next: Instant,
}

impl<'a> DiskWatch<'a> {
    pub(super) fn new(limit: &'a DiskLimit, began: Instant) -> Self {
        Self { limit, folders: Vec::new(), reading: None, counted: 0, next: began }
    }

    /// Walks on for one turn; says whether more was counted than is allowed.
    pub(super) fn is_over(&mut self, now: Instant) -> bool {
        if self.reading.is_none() && self.folders.is_empty() {
            if now < self.next {
                return false;
            }
            self.counted = 0;
            self.folders.clone_from(&self.limit.folders);
        }
        let end = Instant::now() + TURN;
        while Instant::now() < end {
            for _ in 0..ENTRIES_PER_LOOK {
                if !self.look_at_one() {
                    self.next = Instant::now() + PAUSE;
                    return self.counted > self.limit.bytes;
                }
            }
            if self.counted > self.limit.bytes {
                return true;
            }
        }
        self.counted > self.limit.bytes
    }

    /// Looks at the next entry; there may be none. What cannot be read is not counted: the program may
    /// have removed it meanwhile.
    fn look_at_one(&mut self) -> bool {
        let Some(reading) = &mut self.reading else {
            let Some(folder) = self.folders.pop() else { return false };
            self.reading = fs_err::read_dir(folder).ok();
            return true;
        };
        let Some(entry) = reading.next() else {
            self.reading = None;
            return true;
        };
        let Ok(entry) = entry else { return true };
        let Ok(metadata) = entry.path().symlink_metadata() else { return true };
        if metadata.is_dir() {
            self.folders.push(entry.path());
        }
        // Each of several names of a file has its part.
        self.counted += metadata.blocks() * BLOCK_BYTES / metadata.nlink().max(1);
        true
    }
}
