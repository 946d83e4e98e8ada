//! The git directory of a room: a real one, with the history that a clone has.
//!
//! It sees the user's objects, which are mounted read-only, and a pack with this snapshot. Windlass's
//! own store, which holds other attempts, is not among it.

use std::path::Path;

use windlass_core::id::ObjectId;

use super::{OBJECTS, RoomError, Rooms};
use crate::git::{configuration_head, quoted};

pub(super) fn make(
    rooms: &Rooms,
    git_dir: &Path,
    code: &ObjectId,
    index: &Path,
) -> Result<(), RoomError> {
    let origin = &rooms.origin;
    for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"] {
        fs_err::create_dir_all(git_dir.join(folder))?;
    }
    fs_err::write(git_dir.join("objects/info/alternates"), format!("{OBJECTS}\n"))?;
    let head = if *code == origin.tree {
        origin.commit.clone()
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
    let configuration = format!(
        "{}\tbare = false\n\tfilemode = true\n\tlogallrefupdates = true\n[user]\n\tname = {}\n\temail = {}\n",
        configuration_head(rooms.checkout.format()),
        quoted(&origin.person.name),
        quoted(&origin.person.email),
    );
    fs_err::write(git_dir.join("config"), configuration)?;
    fs_err::copy(rooms.dir.join("packed-refs"), git_dir.join("packed-refs"))?;
    let shallow = rooms.dir.join("shallow");
    if shallow.is_file() {
        fs_err::copy(shallow, git_dir.join("shallow"))?;
    }
    fs_err::copy(index, git_dir.join("index"))?;
    Ok(())
}
