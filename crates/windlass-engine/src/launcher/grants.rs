//! Which paths to grant so that some paths beneath them stay out of reach.
//!
//! Landlock adds: a rule on a folder covers everything beneath it, and no later rule takes a part
//! away. Where a path that must never be written lies beneath one that may be, the grant is
//! therefore *replaced by an enumeration*: every entry of the folder is granted by itself, except
//! the one on the way to the forbidden path, which is opened up in the same manner. The price is
//! that no new name can be made directly in an enumerated folder; the words of the confinement say
//! so.
//!
//! Symbolic links are followed in the paths of the policy, which the engine wrote, and never in an
//! enumeration, whose entries the agent of an earlier attempt may have planted.

use std::path::{Path, PathBuf};

/// How many entries one enumeration may have.
///
/// Each costs an open descriptor while the ruleset is built and some 20 µs. A folder with more than
/// that is a home or temp folder full of strangers' files, and granting it piecemeal helps nobody.
pub(super) const MAX_ENUMERATED: usize = 4096;

/// What to grant.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Grants {
    /// Paths to grant with everything beneath them.
    pub(super) paths: Vec<PathBuf>,
    /// Folders that are granted entry by entry.
    pub(super) enumerated: Vec<PathBuf>,
    /// Paths that the policy asked for and that are not granted, with the reason.
    pub(super) refused: Vec<(PathBuf, &'static str)>,
}

/// Works out the grants for `write` without `never`.
pub(super) fn work_out(write: &[PathBuf], never: &[PathBuf]) -> Grants {
    let never: Vec<PathBuf> = never.iter().map(|path| resolve(path)).collect();
    let mut grants = Grants::default();
    for asked in write {
        let Ok(path) = fs_err::canonicalize(asked) else {
            grants.refused.push((asked.clone(), "not there"));
            continue;
        };
        if never.iter().any(|never| path.starts_with(never)) {
            grants.refused.push((asked.clone(), "must never be written"));
            continue;
        }
        let inside: Vec<&Path> =
            never.iter().map(PathBuf::as_path).filter(|never| never.starts_with(&path)).collect();
        if inside.is_empty() {
            grants.paths.push(path);
            continue;
        }
        let mut entries = Vec::new();
        let mut enumerated = Vec::new();
        match enumerate(&path, &inside, &mut entries, &mut enumerated) {
            Ok(()) => {
                grants.paths.extend(entries);
                grants.enumerated.extend(enumerated);
            }
            Err(reason) => grants.refused.push((asked.clone(), reason)),
        }
    }
    grants
}

/// Lists the entries of `folder` that are not on the way to a path in `never`.
fn enumerate(
    folder: &Path,
    never: &[&Path],
    entries: &mut Vec<PathBuf>,
    enumerated: &mut Vec<PathBuf>,
) -> Result<(), &'static str> {
    enumerated.push(folder.to_owned());
    for entry in fs_err::read_dir(folder).map_err(|_| "cannot be listed")? {
        let entry = entry.map_err(|_| "cannot be listed")?;
        let path = entry.path();
        // An entry that vanished needs no grant; a link must not carry the grant to its target.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_symlink() || never.contains(&path.as_path()) {
            continue;
        }
        if never.iter().any(|never| never.starts_with(&path)) {
            enumerate(&path, never, entries, enumerated)?;
            continue;
        }
        if entries.len() >= MAX_ENUMERATED {
            return Err("has too many entries beside a path that must never be written");
        }
        entries.push(path);
    }
    Ok(())
}

/// Resolves a path whose last parts need not exist: a folder that must never be written must not
/// be *made* either.
fn resolve(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let Ok(real) = fs_err::canonicalize(ancestor) {
            return match path.strip_prefix(ancestor) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                Ok(_) | Err(_) => real,
            };
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes folders and returns the resolved root.
    fn tree(folders: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        for folder in folders {
            fs_err::create_dir_all(root.path().join(folder)).unwrap();
        }
        let path = root.path().canonicalize().unwrap();
        (root, path)
    }

    #[test]
    fn a_folder_with_nothing_forbidden_in_it_is_granted_whole() {
        let (_keep, root) = tree(&["place", "state"]);
        let grants = work_out(&[root.join("place")], &[root.join("state")]);
        assert_eq!(grants, Grants { paths: vec![root.join("place")], ..Grants::default() });
    }

    #[test]
    fn a_forbidden_path_deep_inside_splits_every_folder_on_its_way() {
        let (_keep, root) = tree(&["place/src", "place/.git/hooks", "place/.git/objects"]);
        fs_err::os::unix::fs::symlink("/etc", root.join("place/link")).unwrap();
        let mut grants = work_out(&[root.join("place")], &[root.join("place/.git/hooks")]);
        grants.paths.sort();
        assert_eq!(
            grants,
            Grants {
                paths: vec![root.join("place/.git/objects"), root.join("place/src")],
                enumerated: vec![root.join("place"), root.join("place/.git")],
                refused: vec![],
            }
        );
    }

    #[test]
    fn what_lies_beneath_a_forbidden_path_or_leads_there_by_a_link_is_refused() {
        let (_keep, root) = tree(&["state/tmp"]);
        fs_err::os::unix::fs::symlink(root.join("state"), root.join("innocent")).unwrap();
        let asked = [root.join("state/tmp"), root.join("innocent"), root.join("missing")];
        let grants = work_out(&asked, &[root.join("state")]);
        let [tmp, innocent, missing] = asked;
        assert_eq!(
            grants,
            Grants {
                refused: vec![
                    (tmp, "must never be written"),
                    (innocent, "must never be written"),
                    (missing, "not there"),
                ],
                ..Grants::default()
            }
        );
    }

    #[test]
    fn a_forbidden_path_that_does_not_exist_yet_cannot_be_made() {
        let (_keep, root) = tree(&["place/src"]);
        let grants = work_out(&[root.join("place")], &[root.join("place/.windlass/state")]);
        assert_eq!(grants.paths, [root.join("place/src")]);
    }
}
