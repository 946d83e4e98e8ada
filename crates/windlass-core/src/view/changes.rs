//! What differs between two snapshots, path by path.

use serde::Serialize;

/// How a path changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Difference {
    Added,
    Deleted,
    Modified,
    TypeChanged,
}

impl Difference {
    /// Returns the letter that git has for it.
    pub fn letter(self) -> char {
        match self {
            Self::Added => 'A',
            Self::Deleted => 'D',
            Self::Modified => 'M',
            Self::TypeChanged => 'T',
        }
    }
}

/// One changed path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// The path, as in a place.
    pub path: String,
    /// How it changed.
    pub status: Difference,
    /// Added lines; none for a file that cannot be shown as text.
    pub added: Option<u64>,
    /// Deleted lines; none for a file that cannot be shown as text.
    pub deleted: Option<u64>,
}

/// What differs between two snapshots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// Everything git would track.
    pub code: Vec<FileChange>,
    /// `.windlass/run/{specs,reports}`.
    pub papers: Vec<FileChange>,
    /// What changed in the code besides lines, and what a fresh clone gets for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Changes {
    /// Returns whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty() && self.papers.is_empty()
    }

    /// Returns all of it.
    pub fn all(&self) -> impl Iterator<Item = &FileChange> {
        self.code.iter().chain(&self.papers)
    }

    /// Returns the sum in words: `2 files, +10 -3`.
    pub fn sum(&self) -> String {
        let count = self.code.len() + self.papers.len();
        let total = |lines: fn(&FileChange) -> Option<u64>| -> u64 {
            self.all().filter_map(lines).fold(0, u64::saturating_add)
        };
        let files = if count == 1 { "file" } else { "files" };
        format!("{count} {files}, +{} -{}", total(|file| file.added), total(|file| file.deleted))
    }
}
