//! The content of large files, which a remote wants before the commits that point to it.
//!
//! The hook with which git-lfs sees to this does not run (no hook does), so it is called for
//! exactly the pointers that the pushed commits add and whose content is on this machine.

use std::io::Read as _;
use std::time::Duration;

use windlass_core::id::ObjectId;

use super::error::ForgeError;
use super::remote::Remote;
use super::said::kept;
use crate::git::lfs::{self, MAX_POINTER_BYTES, Pointer};
use crate::git::process::Git;

/// How long the upload of one batch may take.
const UPLOAD: Duration = Duration::from_secs(60 * 60);

/// How many names go on one command line.
const BATCH: usize = 500;

pub(super) fn push(
    remote: &Remote,
    commit: &ObjectId,
    expected: Option<&ObjectId>,
) -> Result<(), ForgeError> {
    let store = lfs::store_in(&remote.common_dir);
    if !store.is_dir() {
        return Ok(());
    }
    let mut names: Vec<String> = new_pointers(remote, commit, expected)?
        .into_iter()
        .filter(|pointer| store.join(pointer.path()).is_file())
        .map(|pointer| pointer.oid)
        .collect();
    names.sort();
    names.dedup();
    for batch in names.chunks(BATCH) {
        let upload = remote
            .git()
            .deadline(UPLOAD)
            .args(["lfs", "push", "--object-id", &remote.name])
            .args(batch)
            .run_to_end();
        let upload = remote.spoken(upload)?;
        if upload.code != 0 {
            let said = kept(&upload.stderr);
            let missing = said.contains("is not a git command");
            let failure = (!missing).then(|| remote.failure(&upload.stderr)).flatten();
            let count = names.len();
            return Err(failure.unwrap_or(ForgeError::LargeFiles { count, said }));
        }
    }
    Ok(())
}

/// Reads every small blob that the remote does not have yet, and keeps the pointers among them.
fn new_pointers(
    remote: &Remote,
    commit: &ObjectId,
    expected: Option<&ObjectId>,
) -> Result<Vec<Pointer>, ForgeError> {
    let mut listed = Git::at(&remote.common_dir)
        .args(["rev-list", "--objects", "--no-object-names", "--filter-provided-objects"])
        .arg(format!("--filter=combine:object:type=blob+blob:limit={MAX_POINTER_BYTES}"))
        .arg(commit.as_str())
        .args(["--not", &format!("--remotes={}", glob_escaped(&remote.name))]);
    if let Some(expected) = expected {
        listed = listed.arg(expected.as_str());
    }
    let blobs = listed.run()?.stdout;
    if blobs.is_empty() {
        return Ok(Vec::new());
    }
    let read = Git::at(&remote.common_dir).args(["cat-file", "--batch"]).stdin(blobs).run()?;
    let mut rest = read.stdout.as_slice();
    let mut pointers = Vec::new();
    // Each answer is `name blob SIZE`, the content, and a line break.
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let Some(size) = head.rsplit(' ').next().and_then(|size| size.parse::<usize>().ok()) else {
            continue;
        };
        let mut content = Vec::with_capacity(size);
        let taken = rest.by_ref().take(size as u64).read_to_end(&mut content);
        taken.map_err(|source| ForgeError::Io { what: "reading pointers".to_owned(), source })?;
        rest = rest.get(1..).unwrap_or_default();
        pointers.extend(Pointer::parse(&content));
    }
    Ok(pointers)
}

/// The name of a remote as a pattern that matches only itself.
fn glob_escaped(name: &str) -> String {
    name.chars().flat_map(|c| "*?[\\".contains(c).then_some('\\').into_iter().chain([c])).collect()
}
