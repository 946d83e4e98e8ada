//! Removing layers after the answer, so that nobody waits for it: one may hold gigabytes.
//!
//! A layer is renamed first, which takes it out of sight at once. One whose remover was killed is
//! removed by the next run of windlass that opens these layers.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

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

/// Removes what an earlier process left: layers that waited, rooms of a driver that was killed.
pub(super) fn leftovers(dir: &Path) {
    let mut found = Vec::new();
    for folder in [dir.to_owned(), dir.join("rooms"), dir.join("snapshots")] {
        let Ok(entries) = fs_err::read_dir(folder) else { continue };
        found.extend(entries.flatten().map(|entry| entry.path()).filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(PREFIX) || name.starts_with("making-") || name.starts_with("room-")
        }));
    }
    found.iter().for_each(|path| remove(path));
}

/// A layer that cannot be removed now is tried again when the run's layers are opened next.
fn drop_now(folder: &Path) {
    let _ = crate::git::remove_whole(folder);
}
