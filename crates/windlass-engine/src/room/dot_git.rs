//! The git directory of a room: a real one, with the history that a clone has.
//!
//! Its branches and tags are those that a clone has. It sees a pack with the objects of these, made when the
//! run began, and one with this snapshot. Windlass's own store, which holds other attempts, is not among it.
//! Where the history is large, the user's objects are mounted read-only instead: then what nothing names any
//! more is there as well, for whoever knows or lists it.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;

use super::{OBJECTS, RoomError, Rooms, layers};
use crate::git::{UserRepository, configuration_head, quoted};

/// Where in the layers of a run the objects of a clone are.
pub(super) const CLONED_OBJECTS: &str = "clone/objects";

/// The largest history that is packed anew for a run: that takes about a second.
const MAX_PACKED_BYTES: u64 = 64 << 20;

/// Notes what a clone would have, in a folder of the run's layers.
pub(super) fn begin(rooms: &Rooms, user: &UserRepository, folder: &Path) -> Result<(), RoomError> {
    let base = &rooms.origin.commit;
    let refs = user.cloned_refs(base).unwrap_or_default();
    fs_err::write(folder.join("packed-refs"), refs.packed())?;
    // Where there is no remote, people clone the checkout. In a room nobody answers at either: it has no keys,
    // and mostly no network.
    let checkout = || rooms.root.to_string_lossy().into_owned();
    fs_err::write(folder.join("origin-address"), refs.address.clone().unwrap_or_else(checkout))?;
    if let Some(head) = refs.origin_head() {
        fs_err::write(folder.join("origin-head"), head)?;
    }
    let objects = folder.join("objects");
    fs_err::create_dir_all(objects.join("pack"))?;
    // What cannot be measured is not packed either.
    let small = size(&rooms.objects).is_ok_and(|bytes| bytes <= MAX_PACKED_BYTES);
    if !small || user.pack_clone(&refs, base, &objects).is_err() {
        // Then the user's own are shown.
        crate::git::remove_whole(&objects)?;
    }
    Ok(())
}

fn size(folders: &[PathBuf]) -> io::Result<u64> {
    let mut bytes = 0;
    for folder in folders {
        layers::walk(folder, &mut |_, metadata| {
            bytes += metadata.size();
            Ok(())
        })?;
    }
    Ok(bytes)
}

pub(super) fn make(
    rooms: &Rooms,
    git_dir: &Path,
    code: &ObjectId,
    index: &Path,
    commit: Option<&ObjectId>,
) -> Result<(), RoomError> {
    let origin = &rooms.origin;
    for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"] {
        fs_err::create_dir_all(git_dir.join(folder))?;
    }
    fs_err::write(git_dir.join("objects/info/alternates"), format!("{OBJECTS}\n"))?;
    let head = if *code == origin.tree {
        origin.commit.clone()
    } else if let Some(commit) = commit {
        // The commit itself, so that nobody can tell this clone from others by its history.
        rooms.checkout.pack_history(git_dir, commit, &origin.commit)?;
        commit.clone()
    } else {
        let began = rooms.began()?.tv_sec;
        let who = format!("{} <{}> {began} +0000", origin.person.name, origin.person.email);
        let rest = format!("author {who}\ncommitter {who}\n\nWork in progress\n");
        rooms.checkout.pack_commit(git_dir, code, &origin.commit, &rest)?
    };
    let branch = git_dir.join("refs/heads").join(&origin.branch);
    fs_err::create_dir_all(branch.parent().unwrap_or(git_dir))?;
    fs_err::write(branch, format!("{head}\n"))?;
    fs_err::write(git_dir.join("HEAD"), format!("ref: refs/heads/{}\n", origin.branch))?;
    let address = fs_err::read_to_string(rooms.dir.join("clone/origin-address"))?;
    let configuration = format!(
        "{}\tbare = false\n\tfilemode = true\n\tlogallrefupdates = true\n\
         [user]\n\tname = {}\n\temail = {}\n\
         [remote \"origin\"]\n\turl = {}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
        configuration_head(rooms.checkout.format()),
        quoted(&origin.person.name),
        quoted(&origin.person.email),
        quoted(&address),
    );
    fs_err::write(git_dir.join("config"), configuration)?;
    let noted = rooms.dir.join("clone");
    fs_err::copy(noted.join("packed-refs"), git_dir.join("packed-refs"))?;
    if noted.join("origin-head").is_file() {
        fs_err::create_dir_all(git_dir.join("refs/remotes/origin"))?;
        fs_err::copy(noted.join("origin-head"), git_dir.join("refs/remotes/origin/HEAD"))?;
    }
    let shallow = rooms.dir.join("shallow");
    if shallow.is_file() {
        fs_err::copy(shallow, git_dir.join("shallow"))?;
    }
    fs_err::copy(index, git_dir.join("index"))?;
    Ok(())
}
