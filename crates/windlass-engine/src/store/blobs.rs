//! Large bytes beside the journal: evidence, transcripts, reports, each named by its hash.
//!
//! A blob's content is synced before it gets its name, so a name always leads to whole content;
//! that is one sync per new blob and none for one that is there already. The *name* itself is
//! not synced: after power loss a blob may be missing that a durable record refers to. Blobs are
//! evidence and never state, [`GetError::Missing`] says so plainly, and the check that made it
//! can be run again.
//!
//! A temporary file of a process that was killed stays in the folder under a name that no hash
//! has; nothing reads it.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use windlass_core::id::ContentHash;
use windlass_core::proof::Blob;

const FOLDER: &str = "blobs";

/// How much of a file is in memory at once while it is taken in.
const CHUNK_BYTES: usize = 64 * 1024;

/// The blobs of one repository.
#[derive(Clone, Debug)]
pub struct Blobs {
    folder: PathBuf,
}

/// Why bytes were not kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PutError {
    /// The file to take in cannot be read; the source names it.
    #[error("the file cannot be taken in")]
    Source(#[source] io::Error),
    /// It is a folder, a pipe, a link or a device.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// It is larger than allowed.
    #[error("`{}` is larger than {max} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The bound.
        max: u64,
    },
    /// The folder cannot be written; the source says why.
    #[error("evidence cannot be kept in `{}`", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
}

/// Why bytes are not had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GetError {
    /// The name is not 64 lower-case hexadecimal digits.
    #[error("`{0}` is not a hash")]
    BadHash(ContentHash),
    /// There is no such blob.
    #[error("there is no evidence `{0}`")]
    Missing(ContentHash),
    /// The content is not what the name says.
    #[error("the evidence `{0}` is damaged")]
    Damaged(ContentHash),
    /// It is larger than the caller wants in memory.
    #[error("the evidence `{hash}` has {bytes} bytes, more than {max}")]
    TooLarge {
        /// The blob.
        hash: ContentHash,
        /// Its length.
        bytes: u64,
        /// The bound.
        max: u64,
    },
    /// The file cannot be read; the source names it.
    #[error("evidence cannot be read")]
    Io(#[source] io::Error),
}

impl Blobs {
    /// Names the blobs of the store in `dir`; the folder is created with the first one.
    pub fn in_store(dir: &Path) -> Self {
        Self { folder: dir.join(FOLDER) }
    }

    /// Keeps `bytes`.
    pub fn put(&self, bytes: &[u8]) -> Result<Blob, PutError> {
        let blob = Blob { hash: ContentHash::of(bytes), bytes: bytes.len() as u64 };
        if self.has(&blob) {
            return Ok(blob);
        }
        let mut file = self.temporary()?;
        file.write_all(bytes).map_err(|source| self.refused(source))?;
        self.keep(file, blob)
    }

    /// Keeps the content of the file at `path`, which must have at most `max` bytes.
    ///
    /// An agent may have put anything there: links are not followed, and a pipe is refused
    /// rather than waited for.
    pub fn put_file(&self, path: &Path, max: u64) -> Result<Blob, PutError> {
        let mut source = open_regular(path)?;
        let too_large = || PutError::TooLarge { path: path.to_owned(), max };
        if source.metadata().map_err(PutError::Source)?.len() > max {
            return Err(too_large());
        }
        let mut file = self.temporary()?;
        let mut hasher = blake3::Hasher::new();
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut bytes = 0;
        loop {
            let count = match source.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(PutError::Source(error)),
            };
            // It may grow while it is read.
            bytes += count as u64;
            if bytes > max {
                return Err(too_large());
            }
            hasher.update(&chunk[..count]);
            file.write_all(&chunk[..count]).map_err(|source| self.refused(source))?;
        }
        let hash = ContentHash::new(hasher.finalize().to_hex().as_str());
        let blob = Blob { hash, bytes };
        if self.has(&blob) {
            return Ok(blob);
        }
        self.keep(file, blob)
    }

    /// Returns the bytes of a blob, at most `max` of them, after comparing them with its name.
    pub fn get(&self, hash: &ContentHash, max: u64) -> Result<Vec<u8>, GetError> {
        let file = self.open(hash)?;
        let length = file.metadata().map_err(GetError::Io)?.len();
        if length > max {
            return Err(GetError::TooLarge { hash: hash.clone(), bytes: length, max });
        }
        let mut bytes = Vec::new();
        file.take(max).read_to_end(&mut bytes).map_err(GetError::Io)?;
        if ContentHash::of(&bytes) != *hash {
            return Err(GetError::Damaged(hash.clone()));
        }
        Ok(bytes)
    }

    /// Opens a blob to be read in pieces. Nothing is compared with its name.
    pub fn open(&self, hash: &ContentHash) -> Result<File, GetError> {
        let path = self.path(hash).ok_or_else(|| GetError::BadHash(hash.clone()))?;
        match fs_err::File::open(path) {
            Ok(file) => Ok(file.into_file()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(GetError::Missing(hash.clone()))
            }
            Err(error) => Err(GetError::Io(error)),
        }
    }

    /// Returns where a blob is or would be, or nothing when the name is no hash: names come from
    /// records, and one like `../..` must not lead anywhere.
    pub fn path(&self, hash: &ContentHash) -> Option<PathBuf> {
        let name = hash.as_str();
        let is_hash =
            name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_hash.then(|| self.folder.join(&name[..2]).join(&name[2..]))
    }

    /// Says whether a blob is there. One of another length was damaged and is written anew.
    fn has(&self, blob: &Blob) -> bool {
        self.path(&blob.hash)
            .and_then(|path| fs_err::symlink_metadata(path).ok())
            .is_some_and(|meta| meta.is_file() && meta.len() == blob.bytes)
    }

    fn temporary(&self) -> Result<NamedTempFile, PutError> {
        create_folder(&self.folder)
            .and_then(|()| tempfile::Builder::new().prefix("new-").tempfile_in(&self.folder))
            .map_err(|source| self.refused(source))
    }

    fn keep(&self, file: NamedTempFile, blob: Blob) -> Result<Blob, PutError> {
        let keep = || -> io::Result<()> {
            file.as_file().sync_data()?;
            if let Some(path) = self.path(&blob.hash) {
                create_folder(path.parent().unwrap_or(&path))?;
                file.persist(path).map_err(|error| error.error)?;
            }
            Ok(())
        };
        keep().map_err(|source| self.refused(source))?;
        Ok(blob)
    }

    fn refused(&self, source: io::Error) -> PutError {
        PutError::Folder { folder: self.folder.clone(), source }
    }
}

fn create_folder(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn open_regular(path: &Path) -> Result<fs_err::File, PutError> {
    let not_a_file = || PutError::NotAFile { path: path.to_owned() };
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut options = std::fs::OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    let file = match options.open(path) {
        Ok(file) => file,
        // What opening a link with `NOFOLLOW`, or a socket, gives.
        Err(error)
            if [rustix::io::Errno::LOOP, rustix::io::Errno::NXIO]
                .iter()
                .any(|errno| error.raw_os_error() == Some(errno.raw_os_error())) =>
        {
            return Err(not_a_file());
        }
        Err(error) => return Err(PutError::Source(named(path, &error))),
    };
    if !file.metadata().map_err(PutError::Source)?.is_file() {
        return Err(not_a_file());
    }
    Ok(fs_err::File::from_parts(file, path))
}

/// Gives an error of the standard library the path that it lacks.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("failed to open file `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blobs() -> (tempfile::TempDir, Blobs) {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_store(dir.path());
        (dir, blobs)
    }

    #[test]
    fn bytes_come_back_by_their_hash_and_are_kept_once() {
        let (dir, blobs) = blobs();
        let blob = blobs.put(b"evidence").unwrap();
        assert_eq!(blobs.get(&blob.hash, 8).unwrap(), b"evidence");
        let source = dir.path().join("report.xml");
        fs_err::write(&source, b"evidence").unwrap();
        assert_eq!(blobs.put_file(&source, 8).unwrap(), blob);
        let kept = fs_err::read_dir(dir.path().join(FOLDER)).unwrap().count();
        assert_eq!(kept, 1, "one folder for the prefix and no temporary file");
    }

    #[test]
    fn bounds_hold_for_taking_in_and_for_reading() {
        let (dir, blobs) = blobs();
        let source = dir.path().join("big");
        fs_err::write(&source, vec![7; 200_000]).unwrap();
        let error = blobs.put_file(&source, 199_999).unwrap_err();
        assert!(matches!(error, PutError::TooLarge { max: 199_999, .. }));
        let blob = blobs.put_file(&source, 200_000).unwrap();
        let error = blobs.get(&blob.hash, 199_999).unwrap_err();
        assert!(matches!(error, GetError::TooLarge { bytes: 200_000, .. }));
        assert_eq!(blobs.get(&blob.hash, 200_000).unwrap().len(), 200_000);
    }

    #[test]
    fn a_damaged_blob_is_noticed_and_a_cut_one_is_written_anew() {
        let (_dir, blobs) = blobs();
        let blob = blobs.put(b"evidence").unwrap();
        let path = blobs.path(&blob.hash).unwrap();
        fs_err::write(&path, b"evidencf").unwrap();
        assert!(matches!(blobs.get(&blob.hash, 99), Err(GetError::Damaged(_))));
        fs_err::write(&path, b"evi").unwrap();
        blobs.put(b"evidence").unwrap();
        assert_eq!(blobs.get(&blob.hash, 99).unwrap(), b"evidence");
    }

    #[test]
    fn names_that_are_no_hash_lead_nowhere() {
        let (_dir, blobs) = blobs();
        for name in ["", "../../etc/passwd", "AB", &"A".repeat(64), &"ä".repeat(32)] {
            let hash = ContentHash::from(name);
            assert!(matches!(blobs.get(&hash, 9), Err(GetError::BadHash(_))), "{name}");
        }
        let hash = ContentHash::of(b"never put");
        assert!(matches!(blobs.get(&hash, 9), Err(GetError::Missing(_))));
    }

    #[test]
    fn links_pipes_and_folders_are_refused_without_waiting() {
        let (dir, blobs) = blobs();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let pipe = dir.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for path in [&link, &pipe, &dir.path().to_owned()] {
            let error = blobs.put_file(path, 9).unwrap_err();
            assert!(matches!(error, PutError::NotAFile { .. }), "{error:?}");
        }
    }
}
