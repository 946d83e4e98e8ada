//! Many files at once: one process for all of them.

use std::collections::BTreeMap;

use windlass_core::id::ObjectId;

use super::engine_repository::EngineRepository;
use super::git_error::GitError;
use super::process::Git;

/// How much one process is asked for.
const MAX_BATCH_BYTES: u64 = 64 << 20;

/// Files by the names of their objects.
pub(crate) type Blobs = BTreeMap<ObjectId, Vec<u8>>;

/// How much is read at most.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Files.
    pub files: usize,
    /// Bytes of one file.
    pub each: usize,
    /// Bytes of all of them.
    pub all: usize,
}

impl EngineRepository {
    /// Returns how many bytes each of these objects has; none for one that is not there.
    pub(super) fn object_sizes(&self, ids: &[&ObjectId]) -> Result<Vec<Option<u64>>, GitError> {
        sizes(&|| self.git(), ids)
    }

    /// Reads many small files; those beyond the bounds are left out of the answer.
    pub(crate) fn read_within(&self, ids: &[&ObjectId], bounds: Bounds) -> Result<Blobs, GitError> {
        read_bounded(&|| self.git(), ids, bounds)
    }

    /// Reads those of the files that have at most `max` bytes each.
    ///
    /// Costs a process for the sizes and one for each 64 MiB.
    pub(super) fn read_small(&self, ids: &[&ObjectId], max: u64) -> Result<Blobs, GitError> {
        let mut sized = Vec::new();
        for (id, size) in ids.iter().zip(self.object_sizes(ids)?) {
            sized.extend(size.filter(|size| *size <= max).map(|size| (*id, size)));
        }
        let mut blobs = Blobs::new();
        let mut rest = &sized[..];
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |(_, size): &&(&ObjectId, u64)| {
                bytes += size;
                bytes <= MAX_BATCH_BYTES
            };
            let (these, after) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            read(&|| self.git(), these, &mut blobs)?;
            rest = after;
        }
        Ok(blobs)
    }
}

/// Reads files within bounds. Those that are too large, too many or not there are left out of the answer.
pub(super) fn read_bounded(
    git: &dyn Fn() -> Git,
    ids: &[&ObjectId],
    bounds: Bounds,
) -> Result<Blobs, GitError> {
    let asked = &ids[..ids.len().min(bounds.files)];
    let (mut small, mut bytes) = (Vec::new(), 0);
    for (id, size) in asked.iter().zip(sizes(git, asked)?) {
        let Some(size) = size.filter(|size| *size <= bounds.each as u64) else { continue };
        if bytes + size <= bounds.all as u64 {
            bytes += size;
            small.push((*id, size));
        }
    }
    let mut blobs = Blobs::new();
    read(git, &small, &mut blobs)?;
    Ok(blobs)
}

fn sizes(git: &dyn Fn() -> Git, ids: &[&ObjectId]) -> Result<Vec<Option<u64>>, GitError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let git = git().args(["cat-file", "--batch-check=%(objectsize)"]);
    let answer = git.stdin(asked(ids)).run()?;
    let text = String::from_utf8_lossy(&answer.stdout);
    let sizes: Vec<Option<u64>> = text.lines().map(|line| line.parse().ok()).collect();
    if sizes.len() == ids.len() { Ok(sizes) } else { Err(answer.unexpected()) }
}

fn read(
    git: &dyn Fn() -> Git,
    these: &[(&ObjectId, u64)],
    blobs: &mut Blobs,
) -> Result<(), GitError> {
    if these.is_empty() {
        return Ok(());
    }
    let ids: Vec<&ObjectId> = these.iter().map(|(id, _)| *id).collect();
    let git = git().args(["cat-file", "--batch=%(objectname)"]);
    let answer = git.stdin(asked(&ids)).run()?;
    let mut rest = &answer.stdout[..];
    for (id, size) in these {
        // `<name>LF<content>LF`
        let size = usize::try_from(*size).unwrap_or(usize::MAX);
        let content = rest.strip_prefix(id.as_str().as_bytes());
        let content = content.and_then(|rest| rest.strip_prefix(b"\n"));
        let Some((content, after)) = content.and_then(|rest| rest.split_at_checked(size)) else {
            return Err(answer.unexpected());
        };
        blobs.insert((*id).clone(), content.to_vec());
        rest = after.strip_prefix(b"\n").unwrap_or(after);
    }
    Ok(())
}

fn asked(ids: &[&ObjectId]) -> Vec<u8> {
    ids.iter().flat_map(|id| [id.as_str(), "\n"]).collect::<String>().into_bytes()
}
