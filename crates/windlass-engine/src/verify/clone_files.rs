//! Files and failures that a criterion wants at the end, looked at on a fresh clone.

use windlass_core::glob;
use windlass_core::id::{ContentHash, ObjectId};
use windlass_core::plan::{CheckCommand, CheckKind, negated_command, template};

use super::changes::set;
use super::seen::Seen;
use super::verifier::{Broken, Looking};
use crate::git::{PAPERS, TreePath};

/// Git's kinds of entries, without the bits for permissions.
const KIND_BITS: u32 = 0o170_000;

/// Git's kind of a plain file.
const PLAIN_FILE: u32 = 0o100_000;

/// How a file begins whose content is kept elsewhere by git-lfs.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The largest file that is searched for a text.
const MAX_SEARCHED_BYTES: usize = 64 << 20;

/// The largest file that is carried along.
const MAX_CARRIED_BYTES: u64 = 64 << 20;

/// A file that matches, and where its content is.
struct Candidate {
    path: String,
    content: Content,
}

enum Content {
    Tree(ObjectId, TreePath),
    Carried(ContentHash),
}

impl Looking<'_> {
    /// Whether the commit or the papers of the run have a file that a criterion wants. That it was new when
    /// its step was proven was looked at then.
    pub(super) fn file_of_clone(&self, check: &CheckKind) -> Result<Seen, Broken> {
        let CheckKind::File { glob: pattern, min_bytes, contains, .. } = check else {
            return Ok(Seen::unanswered("this is not a file check".to_owned()));
        };
        let filled = match template::fill_context(pattern, self.request.context) {
            Ok(filled) => filled,
            Err(missing) => return Ok(Seen::unanswered(format!("file `{pattern}`: {missing}"))),
        };
        if let Err(bad) = glob::stays_inside(&filled) {
            return Ok(Seen::unanswered(format!("file `{filled}`: {bad}")));
        }
        let mut why_not = "neither the commit nor the papers of the run have such a file";
        for candidate in self.candidates(&filled)? {
            let Some(bytes) = self.read(&candidate.content)? else { continue };
            let large = bytes.starts_with(LFS_POINTER);
            let size = if large { lfs_size(&bytes) } else { bytes.len() as u64 };
            if min_bytes.is_some_and(|least| size < least) {
                why_not = "too small";
                continue;
            }
            if let Some(text) = contains {
                if large || bytes.len() > MAX_SEARCHED_BYTES {
                    let path = &candidate.path;
                    let why = format!("file `{filled}`: `{path}` is too large to be searched");
                    return Ok(Seen::unanswered(why));
                }
                if !has(&bytes, text.as_bytes()) {
                    why_not = "does not contain what it should";
                    continue;
                }
            }
            let which = match candidate.path == filled {
                true => String::new(),
                false => format!("`{}`, ", candidate.path),
            };
            return Ok(Seen::yes(format!("file `{filled}`: {which}{size} bytes")));
        }
        Ok(Seen::no(format!("file `{filled}`: {why_not}")))
    }

    /// The plain files that match, in the commit, in the papers and among what is carried along.
    fn candidates(&self, glob: &str) -> Result<Vec<Candidate>, Broken> {
        let snapshot = self.request.snapshot;
        let globs = set(&[glob.to_owned()]);
        let mut found = Vec::new();
        for (name, entry) in self.engine.ls_tree(&snapshot.code, &globs)? {
            if entry.mode & KIND_BITS == PLAIN_FILE {
                let path = name.to_string();
                found.push(Candidate { path, content: Content::Tree(snapshot.code.clone(), name) });
            }
        }
        let every = set(&["**".to_owned()]);
        for (name, entry) in self.engine.ls_tree(&snapshot.papers, &every)? {
            let path = format!("{PAPERS}{name}");
            if entry.mode & KIND_BITS == PLAIN_FILE && globs.is_match(&path) {
                let content = Content::Tree(snapshot.papers.clone(), name);
                found.push(Candidate { path, content });
            }
        }
        let carried = self.verifier.carried.iter().filter(|(path, _)| globs.is_match(path));
        found.extend(carried.map(|(path, hash)| Candidate {
            path: path.clone(),
            content: Content::Carried(hash.clone()),
        }));
        Ok(found)
    }

    fn read(&self, content: &Content) -> Result<Option<Vec<u8>>, Broken> {
        Ok(match content {
            Content::Tree(tree, name) => self.engine.read_blob(tree, name)?,
            Content::Carried(hash) => Some(self.verifier.blobs.get(hash, MAX_CARRIED_BYTES)?),
        })
    }

    /// Looks at why a command fails that has to: a tool that only the clone lacks says nothing.
    pub(super) fn fails_for_its_reason(
        &self,
        check: &CheckKind,
        seen: Seen,
    ) -> Result<Seen, Broken> {
        let Some(asked) = check.command() else { return Ok(seen) };
        // Of `! command` it is the command that fails.
        let inner = negated_command(asked.command);
        let failed = if inner.is_some() { seen.holds() } else { seen.fails() };
        if !failed {
            return Ok(seen);
        }
        let command = CheckCommand { command: inner.unwrap_or(asked.command), ..asked };
        Ok(match self.fails_otherwise(&command, &seen)? {
            None => seen,
            Some(how) => seen.without_answer().but(&format!(
                "on a fresh clone it fails for another reason, and that proves nothing: {how}"
            )),
        })
    }
}

fn has(bytes: &[u8], text: &[u8]) -> bool {
    text.is_empty() || bytes.windows(text.len()).any(|window| window == text)
}

/// The size of the file that a pointer of git-lfs stands for.
fn lfs_size(pointer: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(pointer);
    let size = text.lines().find_map(|line| line.strip_prefix("size "));
    size.and_then(|size| size.trim().parse().ok()).unwrap_or_default()
}
