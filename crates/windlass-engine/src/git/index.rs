//! Reading git's index file: which paths there are, and what each is.
//!
//! `git add` records a folder with a repository in it as a mere link, and says so only in a
//! message for people. The index says it exactly, whatever the folder is called.

use super::object::ObjectFormat;

/// The type bits of a link to another repository.
const GITLINK: u32 = 0o160_000;

/// One path of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IndexEntry<'a> {
    pub(super) path: &'a [u8],
    pub(super) mode: u32,
    pub(super) object: &'a [u8],
    /// Whether git is told not to look at the file: assumed to be unchanged, or not checked out.
    pub(super) hidden: bool,
    /// Where it begins in the file.
    pub(super) at: usize,
}

/// Lists all entries, or `None` when the bytes are not an index of version 2 or 3.
pub(super) fn entries(index: &[u8], format: ObjectFormat) -> Option<Vec<IndexEntry<'_>>> {
    Some(entries_and_end(index, format)?.0)
}

/// Says whether all that an index holds is in the file itself, and not in one beside it; `None` when
/// the bytes are not an index of version 2 or 3.
pub(super) fn is_whole(index: &[u8], format: ObjectFormat) -> Option<bool> {
    let mut at = entries_and_end(index, format)?.1;
    let end = index.len().checked_sub(format.bytes())?;
    while at + 8 <= end {
        let size = u32::from_be_bytes(index.get(at + 4..at + 8)?.try_into().ok()?);
        if index.get(at..at + 4)? == b"link" {
            return Some(false);
        }
        at = at.checked_add(8)?.checked_add(usize::try_from(size).ok()?)?;
    }
    Some(true)
}

/// Gives the entries the times that `times` says, change and modification, for files whose content is as
/// the index has it; `None` when the bytes are not an index of version 2 or 3.
///
/// `git update-index --refresh` does the same and reads every file for it.
pub(super) fn set_times(
    index: &[u8],
    format: ObjectFormat,
    mut times: impl FnMut(&[u8]) -> Option<[(i64, i64); 2]>,
) -> Option<Vec<u8>> {
    let mut changed = index.to_vec();
    for IndexEntry { path, mode, at, .. } in entries(index, format)? {
        if mode & 0o170_000 == GITLINK {
            continue;
        }
        let Some([(ctime, ctime_nsec), (mtime, mtime_nsec)]) = times(path) else { continue };
        // Git keeps the lower half of each number.
        let numbers = [ctime, ctime_nsec, mtime, mtime_nsec].map(|number| number.to_be_bytes());
        for (field, number) in numbers.iter().enumerate() {
            changed[at + field * 4..at + field * 4 + 4].copy_from_slice(&number[4..]);
        }
    }
    let end = changed.len().checked_sub(format.bytes())?;
    let checksum = format.hash(&changed[..end]);
    changed[end..].copy_from_slice(&checksum);
    Some(changed)
}

/// Lists all entries, with where the last one ends.
fn entries_and_end(index: &[u8], format: ObjectFormat) -> Option<(Vec<IndexEntry<'_>>, usize)> {
    let number = |at: usize| -> Option<u32> {
        Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?))
    };
    if index.get(..4)? != b"DIRC" || !matches!(number(4)?, 2 | 3) {
        return None;
    }
    let mut found = Vec::new();
    let mut at = 12;
    for _ in 0..number(8)? {
        let mode = number(at + 24)?;
        let flags_at = at + 40 + format.bytes();
        let object = index.get(at + 40..flags_at)?;
        let flags = u16::from_be_bytes(index.get(flags_at..flags_at + 2)?.try_into().ok()?);
        let extended = flags & 0x4000 != 0;
        let name_at = flags_at + if extended { 4 } else { 2 };
        let skipped = extended && index.get(flags_at + 2)? & 0x40 != 0;
        let hidden = flags & 0x8000 != 0 || skipped;
        let rest = index.get(name_at..)?;
        let length = match usize::from(flags & 0xfff) {
            // The field is full: the name is as long as it is, up to its NUL.
            0xfff => rest.iter().position(|&byte| byte == 0)?,
            short => short,
        };
        found.push(IndexEntry { path: rest.get(..length)?, mode, object, hidden, at });
        // Entries are padded with one to eight NULs to a multiple of eight.
        at += ((name_at - at + length) / 8 + 1) * 8;
    }
    Some((found, at))
}

/// Lists the paths that git is told not to look at.
pub(super) fn hidden(index: &[u8], format: ObjectFormat) -> Option<Vec<Vec<u8>>> {
    let all = entries(index, format)?.into_iter().filter(|entry| entry.hidden);
    Some(all.map(|entry| entry.path.to_vec()).collect())
}

/// Lists the paths of all links to other repositories, or `None` when the bytes are not an index
/// of version 2 or 3.
pub(super) fn gitlinks(index: &[u8], format: ObjectFormat) -> Option<Vec<Vec<u8>>> {
    let all = entries(index, format)?.into_iter();
    let links = all.filter(|entry| entry.mode & 0o170_000 == GITLINK);
    Some(links.map(|entry| entry.path.to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of version 2 with one file and one submodule.
    fn index() -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x02".to_vec();
        for (mode, name) in [(0o100_644_u32, b"a"), (GITLINK, b"m")] {
            bytes.extend([0xff; 24]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; 12]);
            bytes.extend([7; 20]);
            bytes.extend([0, 1]);
            bytes.extend(name);
            bytes.push(0);
        }
        let checksum = ObjectFormat::Sha1.hash(&bytes);
        bytes.extend(checksum);
        bytes
    }

    #[test]
    fn times_are_set_and_everything_else_stays() {
        let before = index();
        let times = |path: &[u8]| (path == b"a").then_some([(1, 2), (0x1_0000_0003, 4)]);
        let after = set_times(&before, ObjectFormat::Sha1, times).unwrap();
        let at = entries(&after, ObjectFormat::Sha1).unwrap()[0].at;
        assert_eq!(after[at..at + 16], [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]);
        let (end, rest) = (after.len() - 20, at + 16);
        assert_eq!(after[rest..end], before[rest..end]);
        assert_eq!(after[end..], ObjectFormat::Sha1.hash(&after[..end]));
        assert_eq!(set_times(&before[1..], ObjectFormat::Sha1, times), None);
    }
}
