//! Locks that the kernel frees when their holder dies.
//!
//! A [`DriverLock`] says who drives a run; a file that launchers hold shared says which attempts
//! of a dead driver still live. Both are `flock`s: they belong to the open file, not to the
//! process, so they end with the last descriptor, however the process ends. Descriptors are
//! close-on-exec; only between `fork` and `exec` of a child can one live a moment longer.
//!
//! What the lock file says about its holder is for messages alone. Whether it is held is asked
//! of the kernel.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use windlass_core::time::Timestamp;

/// How often a waiter asks again; the kernel has no `flock` with a deadline.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How long an acquirer that meets only askers tries again. An asker holds the lock for a microsecond, but
/// on a busy machine the kernel may take the processor from it in that very moment.
const ASKERS_LEAVE: Duration = Duration::from_secs(10);

/// How often it tries again before it sleeps in between.
const QUICK_TRIES: u32 = 100;

/// What is read of a lock file at most; the rest of a longer one is not ours.
const MOST_HOLDER_BYTES: u64 = 4096;

/// A lock file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the lock file `{}` cannot be used", path.display())]
pub struct LockError {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    #[source]
    pub source: io::Error,
}

/// Why an exclusive lock was not had.
#[derive(Debug, thiserror::Error)]
pub enum WaitError {
    /// Someone still held it at the deadline.
    #[error("`{}` is still held by another process", path.display())]
    Deadline {
        /// The file.
        path: PathBuf,
        /// Who holds it, as far as the file tells.
        holder: Option<Holder>,
    },
    /// The file cannot be used.
    #[error(transparent)]
    Lock(#[from] LockError),
}

/// Who wrote themselves into a lock file. For messages; it proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The process.
    pub pid: u32,
    /// When it took the lock.
    pub since: Timestamp,
}

/// What the kernel says about a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nobody has it.
    Free,
    /// Somebody has it; the file may say who.
    By(Option<Holder>),
}

/// The right to drive a run, held until dropped or until the process dies.
#[derive(Debug)]
pub struct DriverLock {
    file: File,
}

impl DriverLock {
    /// Takes the lock, or returns nothing when another driver has it.
    #[expect(
        clippy::disallowed_methods,
        reason = "the kernel cannot wait for shared holders alone"
    )]
    pub fn try_acquire(path: &Path) -> Result<Option<Self>, LockError> {
        let deadline = Instant::now() + ASKERS_LEAVE;
        for tries in 0u32.. {
            let file = open(path)?;
            if try_lock(&file, FlockOperation::NonBlockingLockExclusive, path)? {
                if !is_at(&file, path)? {
                    continue;
                }
                write_holder(&file).map_err(at(path))?;
                return Ok(Some(Self { file }));
            }
            // A shared holder is only somebody in `held`, asking the same question; nobody who
            // drives. To take that for a driver would leave an input without one.
            if !try_lock(&file, FlockOperation::NonBlockingLockShared, path)? {
                return Ok(None);
            }
            drop(file);
            if Instant::now() > deadline {
                break;
            }
            if tries < QUICK_TRIES {
                std::thread::yield_now();
            } else {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        Ok(None)
    }

    /// Takes the lock as soon as it is free, or returns nothing when another driver has it at `deadline`.
    #[expect(clippy::disallowed_methods, reason = "the kernel has no flock with a deadline")]
    pub fn acquire_until(path: &Path, deadline: Instant) -> Result<Option<Self>, LockError> {
        loop {
            if let Some(lock) = Self::try_acquire(path)? {
                return Ok(Some(lock));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            std::thread::sleep(left.min(POLL_INTERVAL));
        }
    }
}

impl AsFd for DriverLock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// A launcher's sign of life: any number of processes can hold it at once.
#[derive(Debug)]
pub struct SharedLock {
    file: File,
}

impl SharedLock {
    /// Takes the lock, or returns nothing while someone holds it exclusively.
    pub fn try_acquire(path: &Path) -> Result<Option<Self>, LockError> {
        loop {
            let file = open(path)?;
            if !try_lock(&file, FlockOperation::NonBlockingLockShared, path)? {
                return Ok(None);
            }
            if is_at(&file, path)? {
                return Ok(Some(Self { file }));
            }
        }
    }
}

impl AsFd for SharedLock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// The certainty that nobody else holds a lock file, shared or not.
#[derive(Debug)]
pub struct ExclusiveLock {
    _file: File,
}

impl ExclusiveLock {
    /// Waits until every other holder is gone, and gives up at `deadline`.
    ///
    /// A driver that takes over waits so for the launchers of the dead one.
    #[expect(clippy::disallowed_methods, reason = "the kernel has no flock with a deadline")]
    pub fn wait(path: &Path, deadline: Instant) -> Result<Self, WaitError> {
        loop {
            let file = open(path)?;
            if try_lock(&file, FlockOperation::NonBlockingLockExclusive, path)? {
                if is_at(&file, path)? {
                    return Ok(Self { _file: file });
                }
                continue;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let holder = read_holder(&file);
                return Err(WaitError::Deadline { path: path.to_owned(), holder });
            }
            drop(file);
            std::thread::sleep(left.min(POLL_INTERVAL));
        }
    }
}

/// Asks whether a driver holds the lock at `path`.
pub fn held(path: &Path) -> Result<Held, LockError> {
    let file = match fs_err::File::open(path) {
        Ok(file) => file.into_file(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Held::Free),
        Err(error) => return Err(at(path)(error)),
    };
    if try_lock(&file, FlockOperation::NonBlockingLockShared, path)? {
        return Ok(Held::Free);
    }
    Ok(Held::By(read_holder(&file)))
}

fn at(path: &Path) -> impl Fn(io::Error) -> LockError + '_ {
    |source| LockError { path: path.to_owned(), source }
}

fn open(path: &Path) -> Result<File, LockError> {
    // The standard library opens close-on-exec.
    std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(at(path))
}

/// Says whether the lock was had. On a descriptor that is closed afterwards, it is freed with it.
fn try_lock(file: &File, operation: FlockOperation, path: &Path) -> Result<bool, LockError> {
    loop {
        match flock(file, operation) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(at(path)(errno.into())),
        }
    }
}

/// Says whether `file` is what `path` leads to: a lock on a removed file excludes nobody.
fn is_at(file: &File, path: &Path) -> Result<bool, LockError> {
    let ours = file.metadata().map_err(at(path))?;
    match fs_err::metadata(path) {
        Ok(there) => Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(at(path)(error)),
    }
}

fn write_holder(file: &File) -> io::Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let since = Timestamp(i64::try_from(now.as_millis()).unwrap_or(i64::MAX));
    let holder = Holder { pid: std::process::id(), since };
    file.set_len(0)?;
    file.write_all_at(&serde_json::to_vec(&holder)?, 0)
}

fn read_holder(file: &File) -> Option<Holder> {
    let mut bytes = Vec::new();
    // Best effort: the holder may be writing itself in just now.
    file.take(MOST_HOLDER_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_driver_holds_the_lock_and_says_who_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("driver.lock");
        assert_eq!(held(&path).unwrap(), Held::Free);
        let lock = DriverLock::try_acquire(&path).unwrap().unwrap();
        assert!(DriverLock::try_acquire(&path).unwrap().is_none());
        let Held::By(Some(holder)) = held(&path).unwrap() else { panic!("not held") };
        assert_eq!(holder.pid, std::process::id());
        drop(lock);
        assert_eq!(held(&path).unwrap(), Held::Free);
        assert!(DriverLock::try_acquire(&path).unwrap().is_some());
    }

    #[test]
    fn who_waits_gets_the_lock_when_its_holder_leaves() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("driver.lock");
        let lock = DriverLock::try_acquire(&path).unwrap().unwrap();
        let (refused, was_refused) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let at_once = DriverLock::acquire_until(&path, Instant::now()).unwrap();
                refused.send(at_once.is_none()).unwrap();
                let deadline = Instant::now() + std::time::Duration::from_secs(60);
                DriverLock::acquire_until(&path, deadline).unwrap().is_some()
            });
            assert!(was_refused.recv().unwrap());
            drop(lock);
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn a_program_started_meanwhile_does_not_keep_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("driver.lock");
        let lock = DriverLock::try_acquire(&path).unwrap().unwrap();
        // `cat` lives until its input ends.
        let mut other =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        drop(lock);
        assert!(DriverLock::try_acquire(&path).unwrap().is_some());
        drop(other.stdin.take());
        other.wait().unwrap();
    }

    #[test]
    fn a_lock_on_a_removed_file_does_not_count() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("driver.lock");
        let _old = DriverLock::try_acquire(&path).unwrap().unwrap();
        fs_err::remove_file(&path).unwrap();
        let new = DriverLock::try_acquire(&path).unwrap().unwrap();
        assert!(is_at(&new.file, &path).unwrap());
    }

    #[test]
    fn those_who_ask_never_keep_a_driver_from_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("driver.lock");
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        held(&path).unwrap();
                    }
                });
            }
            let missed =
                (0..500).filter(|_| DriverLock::try_acquire(&path).unwrap().is_none()).count();
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(missed, 0);
        });
    }

    #[test]
    fn taking_over_waits_for_every_launcher_and_gives_up_at_the_deadline() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("launchers.lock");
        let first = SharedLock::try_acquire(&path).unwrap().unwrap();
        let second = SharedLock::try_acquire(&path).unwrap().unwrap();
        drop(first);
        let error = ExclusiveLock::wait(&path, Instant::now()).unwrap_err();
        assert!(matches!(error, WaitError::Deadline { .. }));
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                ExclusiveLock::wait(&path, Instant::now() + Duration::from_secs(60)).unwrap()
            });
            drop(second);
            let lock = waiter.join().unwrap();
            assert!(SharedLock::try_acquire(&path).unwrap().is_none());
            drop(lock);
        });
        assert!(SharedLock::try_acquire(&path).unwrap().is_some());
    }
}
