//! Removing layers after the answer, so that nobody waits for it: one may hold gigabytes.
//!
//! A layer is renamed first, which takes it out of sight at once. One whose remover was killed is
//! removed when somebody drives the run again.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

use super::in_use::remove_unused;

/// The name that a layer has while it waits to be removed.
const PREFIX: &str = "gone-";

/// What the remover is asked.
enum Job {
    Remove(PathBuf),
    /// Say when everything before is gone.
    Tell(Sender<()>),
}

/// The thread that removes; none where no thread can be started.
fn remover() -> Option<&'static Sender<Job>> {
    static REMOVER: OnceLock<Option<Sender<Job>>> = OnceLock::new();
    let remover = REMOVER.get_or_init(|| {
        let (send, receive) = channel::<Job>();
        let work = move || {
            receive.into_iter().for_each(|job| match job {
                Job::Remove(folder) => drop_now(&folder),
                // Whoever asked may have gone.
                Job::Tell(asked) => drop(asked.send(())),
            });
        };
        let started = std::thread::Builder::new().name("sweeper".to_owned()).spawn(work);
        started.ok().map(|_| send)
    });
    remover.as_ref()
}

/// Takes a folder away and removes it in the background.
pub(super) fn remove(folder: &Path) {
    let parent = folder.parent().unwrap_or(folder);
    let gone = parent.join(format!("{PREFIX}{}", uuid::Uuid::new_v4().simple()));
    if fs_err::rename(folder, &gone).is_err() {
        return;
    }
    let sent = remover().is_some_and(|remover| remover.send(Job::Remove(gone.clone())).is_ok());
    if !sent {
        drop_now(&gone);
    }
}

/// Waits until everything that was taken away is removed.
pub fn wait_until_swept() {
    let (send, receive) = channel();
    if remover().is_some_and(|remover| remover.send(Job::Tell(send)).is_ok()) {
        // An error means that the remover is gone, and nothing more to wait for.
        let _ = receive.recv();
    }
}

/// Removes what earlier processes left: layers that waited, rooms and drafts of those that were killed,
/// what a proof on a fresh clone had prepared. What somebody uses who is alive stays.
pub(crate) fn leftovers(dir: &Path) {
    for (folder, all) in [
        (dir.to_owned(), false),
        (dir.join("rooms"), false),
        (dir.join("snapshots"), false),
        (dir.join("prepared"), false),
        (dir.join("prepared-cold"), true),
    ] {
        let Ok(entries) = fs_err::read_dir(folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if is_gone(&path) {
                // Two who remove the same do no harm.
                remove(&path);
            } else if all || name.starts_with("making-") || name.starts_with("room-") {
                remove_unused(&path);
            }
        }
    }
}

/// Whether a layer waits to be removed.
pub(super) fn is_gone(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(PREFIX))
}

/// A layer that cannot be removed now is tried again when the run is driven next.
fn drop_now(folder: &Path) {
    let _ = crate::git::remove_whole(folder);
}

#[cfg(test)]
mod tests {
    use super::super::in_use::{Draft, InUse};
    use super::*;

    #[test]
    fn what_the_dead_left_is_removed_and_what_the_living_use_stays() {
        let dir = tempfile::tempdir().unwrap();
        let dead = ["rooms/room-1", "making-2", "gone-3", "snapshots/gone-4", "prepared-cold/key"];
        let alive =
            ["base", "snapshots/tree", "prepared/key", "rooms/room-5", "prepared-cold/other"];
        for path in dead.iter().chain(&alive) {
            fs_err::create_dir_all(dir.path().join(path).join("inside")).unwrap();
        }
        let room = InUse::mark(&dir.path().join("rooms/room-5")).unwrap().unwrap();
        let cold = InUse::mark(&dir.path().join("prepared-cold/other")).unwrap().unwrap();
        let draft = Draft::make(dir.path(), "making-").unwrap();
        leftovers(dir.path());
        wait_until_swept();
        for path in dead {
            assert!(!dir.path().join(path).exists(), "{path}");
        }
        for path in alive {
            assert!(dir.path().join(path).is_dir(), "{path}");
        }
        assert!(draft.path().is_dir());
        let names = |folder: &str| fs_err::read_dir(dir.path().join(folder)).unwrap().count();
        assert_eq!((names("rooms"), names("snapshots")), (1, 1), "nothing waits any more");
        drop((room, cold, draft));
    }
}
