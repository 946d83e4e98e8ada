//! The second tree of a snapshot: `.windlass/run/{specs,reports}`, whatever ignore rules say.
//!
//! Papers are few and small, so windlass reads them itself, without a git process, and stores them
//! as git objects. Files whose stat data did not change are not read again.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use windlass_core::id::ObjectId;
use windlass_core::proof::Trouble;

use super::engine_repository::EngineRepository;
use super::object::{self, Kind};
use super::observe::SnapshotError;
use super::place_files::{self, PlaceFileError};

/// The folders that are papers, in the order in which a tree lists them.
const FOLDERS: [&str; 2] = ["reports", "specs"];

/// The largest paper. A paper is a text that an agent reads; this is a thousand pages.
const MAX_PAPER_BYTES: u64 = 8 * 1024 * 1024;

/// How many papers are kept: a run of fifty items writes some hundreds.
const MAX_PAPERS: usize = 20_000;

/// How deep folders of papers go. It bounds the recursion and the open folders.
const MAX_DEPTH: usize = 16;

/// A file changed this recently could change again within the same tick of the file system's
/// clock, with equal stat data; it is read again next time.
const SETTLED_SECONDS: i64 = 2;

/// What is known about the papers of one place.
#[derive(Debug, Default)]
pub(super) struct Papers {
    known: HashMap<PathBuf, (Fingerprint, ObjectId)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fingerprint([i128; 6]);

impl Fingerprint {
    fn of(stat: &Stat) -> Self {
        Self([
            stat.st_dev as i128,
            stat.st_ino as i128,
            stat.st_mode as i128,
            stat.st_size as i128,
            stat.st_mtime as i128 * 1_000_000_000 + stat.st_mtime_nsec as i128,
            stat.st_ctime as i128 * 1_000_000_000 + stat.st_ctime_nsec as i128,
        ])
    }
}

/// One pass over the papers.
struct Pass<'a> {
    engine: &'a EngineRepository,
    before: &'a HashMap<PathBuf, (Fingerprint, ObjectId)>,
    settled_before: i64,
    now: HashMap<PathBuf, (Fingerprint, ObjectId)>,
    count: usize,
    problems: Vec<String>,
}

/// What became of an entry: its mode and object, nothing to keep, or its own problem.
type Stored = Result<Option<(&'static str, ObjectId)>, PlaceFileError>;

/// A line of a tree: mode, name, object.
type Line = (&'static str, OsString, ObjectId);

impl Papers {
    /// Stores the papers below `root` and returns their tree.
    pub(super) fn store(
        &mut self,
        engine: &EngineRepository,
        root: &Path,
        troubles: &mut Vec<Trouble>,
    ) -> Result<ObjectId, SnapshotError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut pass = Pass {
            engine,
            before: &self.known,
            settled_before: i64::try_from(now).unwrap_or(i64::MAX) - SETTLED_SECONDS,
            now: HashMap::new(),
            count: 0,
            problems: Vec::new(),
        };
        let mut lines = Vec::new();
        for name in FOLDERS {
            let relative = Path::new(".windlass/run").join(name);
            match place_files::open_folder(root, &relative) {
                Ok(folder) => {
                    let tree = pass.folder(folder, &relative, 0)?;
                    lines.extend(tree.map(|tree| ("40000", OsString::from(name), tree)));
                }
                Err(error) if error.is_missing() => {}
                Err(error) => pass.problems.push(error.to_string()),
            }
        }
        let tree = pass.tree(lines)?.unwrap_or_else(|| engine.format().empty_tree());
        if !pass.problems.is_empty() {
            pass.problems.truncate(10);
            troubles.push(Trouble::Unreadable { message: pass.problems.join("; ") });
        }
        self.known = pass.now;
        Ok(tree)
    }
}

impl Pass<'_> {
    fn folder(
        &mut self,
        folder: OwnedFd,
        relative: &Path,
        depth: usize,
    ) -> Result<Option<ObjectId>, SnapshotError> {
        let failed = |errno: rustix::io::Errno| {
            SnapshotError::Papers(PlaceFileError::Io {
                path: relative.to_owned(),
                source: io::Error::from(errno),
            })
        };
        let mut names = Vec::new();
        for entry in Dir::read_from(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_bytes();
            // `.git` cannot be in a tree, and a temporary name is a write under way.
            if !matches!(name, b"." | b"..") && !name.eq_ignore_ascii_case(b".git") {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        let mut lines = Vec::new();
        for name in names {
            let path = relative.join(&name);
            self.count += 1;
            if self.count > MAX_PAPERS || depth > MAX_DEPTH {
                self.problems.push(format!("too many documents in `{}`", relative.display()));
                break;
            }
            match self.entry(&folder, &name, &path, depth)? {
                Ok(line) => lines.extend(line.map(|(mode, id)| (mode, name, id))),
                Err(problem) => self.problems.push(problem.to_string()),
            }
        }
        self.tree(lines)
    }

    /// Stores one entry. The inner error is the entry's own problem and spoils nothing else.
    fn entry(
        &mut self,
        folder: &OwnedFd,
        name: &OsStr,
        path: &Path,
        depth: usize,
    ) -> Result<Stored, SnapshotError> {
        let io = |errno: rustix::io::Errno| PlaceFileError::Io {
            path: path.to_owned(),
            source: io::Error::from(errno),
        };
        let stat = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(errno) => return Ok(Err(io(errno))),
        };
        let (mode, content) = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                return match rustix::fs::openat(folder, name, flags, Mode::empty()) {
                    Ok(inner) => {
                        Ok(Ok(self.folder(inner, path, depth + 1)?.map(|tree| ("40000", tree))))
                    }
                    Err(errno) => Ok(Err(io(errno))),
                };
            }
            // No git process takes a tree with such a link.
            FileType::Symlink if name.eq_ignore_ascii_case(".gitmodules") => {
                return Ok(Err(PlaceFileError::Replaced { path: path.to_owned() }));
            }
            FileType::Symlink => match rustix::fs::readlinkat(folder, name, Vec::new()) {
                Ok(target) => ("120000", target.into_bytes()),
                Err(errno) => return Ok(Err(io(errno))),
            },
            FileType::RegularFile => {
                let mode = if stat.st_mode & 0o100 == 0 { "100644" } else { "100755" };
                let fingerprint = Fingerprint::of(&stat);
                if let Some((then, id)) = self.before.get(path)
                    && *then == fingerprint
                    && stat.st_ctime < self.settled_before
                {
                    self.now.insert(path.to_owned(), (fingerprint, id.clone()));
                    return Ok(Ok(Some((mode, id.clone()))));
                }
                match place_files::read_in(folder.as_fd(), name, path, MAX_PAPER_BYTES) {
                    Ok(content) => (mode, content),
                    Err(error) => return Ok(Err(error)),
                }
            }
            // Sockets, FIFOs and devices hold nothing that could be kept.
            _ => return Ok(Ok(None)),
        };
        let id = object::write(&self.engine.objects(), self.engine.format(), Kind::Blob, &content)
            .map_err(SnapshotError::Papers)?;
        if mode != "120000" {
            self.now.insert(path.to_owned(), (Fingerprint::of(&stat), id.clone()));
        }
        Ok(Ok(Some((mode, id))))
    }

    /// Stores a tree; one without entries is none, as in git.
    fn tree(&self, mut lines: Vec<Line>) -> Result<Option<ObjectId>, SnapshotError> {
        if lines.is_empty() {
            return Ok(None);
        }
        // Git sorts a folder as if its name ended in a slash.
        lines.sort_by_cached_key(|(mode, name, _)| {
            let mut key = name.as_bytes().to_vec();
            if *mode == "40000" {
                key.push(b'/');
            }
            key
        });
        let mut content = Vec::new();
        for (mode, name, id) in &lines {
            content.extend_from_slice(mode.as_bytes());
            content.push(b' ');
            content.extend_from_slice(name.as_bytes());
            content.push(0);
            content.extend(object::binary(id).map_err(SnapshotError::Io)?);
        }
        object::write(&self.engine.objects(), self.engine.format(), Kind::Tree, &content)
            .map(Some)
            .map_err(SnapshotError::Papers)
    }
}
