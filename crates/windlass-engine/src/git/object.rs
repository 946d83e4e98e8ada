//! Git objects that windlass writes itself, without a process.
//!
//! A loose object is a zlib stream of `kind length NUL content`, named by the hash of what is
//! inside. A zlib stream may hold its bytes uncompressed, so writing one takes no compressor.
//! Papers and commits are few and small; writing them here saves two git processes per step.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use sha1::Digest as _;
use windlass_core::id::ObjectId;

use super::place_files::{self, Durability, PlaceFileError};

/// How a repository names its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectFormat {
    /// SHA-1, what nearly every repository uses.
    Sha1,
    /// SHA-256.
    Sha256,
}

impl ObjectFormat {
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// The object name that stands for "nothing there" in git's commands.
    pub(super) fn zero(self) -> ObjectId {
        ObjectId::new("0".repeat(self.bytes() * 2))
    }

    /// The tree without entries. Git knows it without having it stored.
    pub fn empty_tree(self) -> ObjectId {
        hexadecimal(&self.hash(b"tree 0\0"))
    }

    /// What the configuration of a repository of this format has to say.
    pub(super) fn configuration(self) -> &'static str {
        match self {
            Self::Sha1 => "[core]\n\trepositoryformatversion = 0\n",
            Self::Sha256 => {
                "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
            }
        }
    }

    /// Returns the name that git gives a file with these bytes.
    pub fn blob_name(self, bytes: &[u8]) -> ObjectId {
        let mut object = format!("blob {}\0", bytes.len()).into_bytes();
        object.extend_from_slice(bytes);
        hexadecimal(&self.hash(&object))
    }

    pub(super) fn hash(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha1 => sha1::Sha1::digest(bytes).to_vec(),
            Self::Sha256 => sha2::Sha256::digest(bytes).to_vec(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Blob,
    Tree,
    Commit,
}

/// Stores an object in the folder `objects` and returns its name.
pub(super) fn write(
    objects: &Path,
    format: ObjectFormat,
    kind: Kind,
    content: &[u8],
) -> Result<ObjectId, PlaceFileError> {
    // A commit is made again from its event after a power failure; papers may be gone by then.
    let durability = match kind {
        Kind::Commit => Durability::Remakeable,
        Kind::Blob | Kind::Tree => Durability::Synced,
    };
    let kind = match kind {
        Kind::Blob => "blob",
        Kind::Tree => "tree",
        Kind::Commit => "commit",
    };
    let mut whole = format!("{kind} {}\0", content.len()).into_bytes();
    whole.extend_from_slice(content);
    let id = hexadecimal(&format.hash(&whole));
    let path = loose_path(&id);
    // An empty file is what a power failure leaves of one that was not synced.
    if place_files::size_of(objects, &path)?.is_none_or(|size| size == 0) {
        place_files::write_read_only(objects, &path, &uncompressed_zlib(&whole), durability)?;
    }
    Ok(id)
}

/// Where the loose object `id` lies in a folder of objects.
pub(super) fn loose_path(id: &ObjectId) -> PathBuf {
    let (folder, file) = id.as_str().split_at(2);
    Path::new(folder).join(file)
}

/// The bytes of a name, as trees hold them.
pub(super) fn binary(id: &ObjectId) -> io::Result<Vec<u8>> {
    let digits = id.as_str().as_bytes();
    digits
        .chunks(2)
        .map(|pair| {
            let text = std::str::from_utf8(pair).map_err(io::Error::other)?;
            u8::from_str_radix(text, 16).map_err(io::Error::other)
        })
        .collect()
}

pub(super) fn hexadecimal(bytes: &[u8]) -> ObjectId {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    ObjectId::new(text)
}

/// Wraps bytes in a zlib stream of stored blocks.
fn uncompressed_zlib(bytes: &[u8]) -> Vec<u8> {
    let mut stream = Vec::with_capacity(bytes.len() + 16);
    stream.extend_from_slice(&[0x78, 0x01]);
    let mut blocks = bytes.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        stream.push(u8::from(blocks.peek().is_none()));
        #[expect(clippy::cast_possible_truncation, reason = "chunks are at most u16::MAX long")]
        let length = block.len() as u16;
        stream.extend_from_slice(&length.to_le_bytes());
        stream.extend_from_slice(&(!length).to_le_bytes());
        stream.extend_from_slice(block);
    }
    let (mut low, mut high) = (1_u32, 0_u32);
    // 5552 is the most bytes whose sums cannot overflow before the modulo (RFC 1950's Adler-32).
    for run in bytes.chunks(5552) {
        for &byte in run {
            low += u32::from(byte);
            high += low;
        }
        low %= 65521;
        high %= 65521;
    }
    stream.extend_from_slice(&((high << 16) | low).to_be_bytes());
    stream
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_tree_has_the_name_that_git_gives_it() {
        assert_eq!(
            ObjectFormat::Sha1.empty_tree().as_str(),
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
        );
    }

    #[test]
    fn a_name_survives_its_binary_form() {
        let id = ObjectFormat::Sha256.empty_tree();
        assert_eq!(hexadecimal(&binary(&id).unwrap()), id);
    }
}
