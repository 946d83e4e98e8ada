//! Signs of life of somebody else's process tree, for people who watch.
//!
//! The launcher judges its own tree by the same counters; this reads them from outside. Nothing is
//! decided here.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags};

use crate::launcher::Launched;
use crate::process_table::ancestry::pid_namespace;
use crate::process_table::moved::io;
use crate::process_table::{self as table};

/// The clock tick that `/proc` counts in, on every architecture that Rust's Linux targets have.
const MS_PER_TICK: u64 = 10;

/// What the kernel knows of a tree at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Living processes.
    pub processes: usize,
    /// CPU time that they and the children they waited for have used.
    pub cpu_ms: u64,
    /// Bytes that went through their read and write calls.
    pub io_bytes: u64,
    /// Bytes of output that were kept so far.
    pub output_bytes: u64,
    /// When the output last grew, in milliseconds since 1970.
    pub output_at_ms: Option<i64>,
}

/// Looks at everything below a launcher.
pub fn activity(launched: &Launched) -> Activity {
    let mut seen = Activity::default();
    let tree = table::descendants(launched.pid).unwrap_or_default();
    // The init of a view is windlass's own. As a child of the launcher it is in another namespace.
    let ours = pid_namespace(launched.pid).ok();
    let is_init = |process: &table::Process| {
        process.parent == launched.pid && pid_namespace(process.pid).ok() != ours
    };
    let living = tree.iter().filter(|process| !process.is_dead());
    for process in living.filter(|process| !is_init(process)) {
        seen.processes += 1;
        seen.cpu_ms += process.cpu_ticks * MS_PER_TICK;
        seen.io_bytes += io(process.pid).calls;
    }
    if let Ok(output) = fs_err::symlink_metadata(&launched.output) {
        seen.output_bytes = output.len();
        let grown = output.modified().ok().filter(|_| output.len() > 0);
        let since = grown.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        seen.output_at_ms = since.and_then(|since| i64::try_from(since.as_millis()).ok());
    }
    seen
}

/// Reads the end of a launcher's output, at most `max` bytes of it, whole lines only.
///
/// Never through a link and never from a pipe, which an unconfined program could put there.
pub fn output_tail(output: &Path, max: u64) -> String {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(descriptor) = rustix::fs::open(output, flags, Mode::empty()) else {
        return String::new();
    };
    let mut file = std::fs::File::from(descriptor);
    let Ok(metadata) = file.metadata() else { return String::new() };
    if !metadata.is_file() {
        return String::new();
    }
    let start = metadata.len().saturating_sub(max);
    let mut bytes = Vec::new();
    if file.seek(SeekFrom::Start(start)).is_err() || file.take(max).read_to_end(&mut bytes).is_err()
    {
        return String::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    match (start, text.split_once('\n')) {
        (1.., Some((_, whole))) => whole.to_owned(),
        _ => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_whole_lines_of_a_real_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("output");
        assert_eq!(output_tail(&output, 100), "");
        fs_err::write(&output, "first line\nsecond line\n").unwrap();
        assert_eq!(output_tail(&output, 100), "first line\nsecond line\n");
        assert_eq!(output_tail(&output, 15), "second line\n");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&output, &link).unwrap();
        assert_eq!(output_tail(&link, 100), "");
    }

    #[test]
    fn a_tree_is_seen_from_outside() {
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let me = i32::try_from(std::process::id()).unwrap();
        let launched = Launched {
            pid: me,
            start_time: 0,
            attempt: None,
            output: std::path::PathBuf::from("/nonexistent"),
        };
        let seen = activity(&launched);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(seen.processes >= 1, "{seen:?}");
        assert_eq!(seen.output_at_ms, None);
    }
}
