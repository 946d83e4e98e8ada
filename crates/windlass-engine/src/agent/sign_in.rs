//! The configuration of an agent's program in a box: a copy of its own, and a sign-in that is held for
//! the user.
//!
//! A program that is signed in by a file renews its token from time to time, and the old one is worth
//! nothing then. So what it renewed in its copy goes back to the user's file, whole, unless the user's
//! file changed meanwhile. Everything else that it writes stays in the copy: settings of the user are
//! read, never written.

use std::io;
use std::path::{Path, PathBuf};

/// The largest file or folder of a configuration that is copied.
const MAX_COPIED_BYTES: u64 = 16 << 20;

/// A sign-in file of the user, and the copy that an attempt works with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// The user's.
    user: PathBuf,
    /// The attempt's.
    own: PathBuf,
    /// What both held when the attempt began.
    began: Vec<u8>,
}

impl SignIn {
    /// Copies the user's sign-in file; none if there is no such file.
    pub(super) fn hold(user: &Path, own: &Path) -> io::Result<Option<Self>> {
        let began = match fs_err::read(user) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        write_private(own, &began)?;
        Ok(Some(Self { user: user.to_owned(), own: own.to_owned(), began }))
    }

    /// Gives back what the program renewed.
    ///
    /// # Errors
    /// The user's file cannot be written.
    pub fn give_back(&self) -> io::Result<()> {
        let Ok(renewed) = fs_err::read(&self.own) else { return Ok(()) };
        let unchanged = fs_err::read(&self.user).is_ok_and(|now| now == self.began);
        if renewed == self.began || !unchanged || !is_alike(&self.began, &renewed) {
            return Ok(());
        }
        let draft = self.user.with_extension("windlass");
        write_private(&draft, &renewed)?;
        fs_err::rename(draft, &self.user)
    }
}

/// Whether a file has the same keys as before: what an agent may have made of it is not given back.
fn is_alike(before: &[u8], after: &[u8]) -> bool {
    let keys = |bytes: &[u8]| -> Option<Vec<String>> {
        let value: serde_json::Value = serde_json::from_slice(bytes).ok()?;
        let mut found = Vec::new();
        for (key, inner) in value.as_object()? {
            found.push(key.clone());
            let inner = inner.as_object().into_iter().flatten();
            found.extend(inner.map(|(name, _)| format!("{key}.{name}")));
        }
        Some(found)
    };
    keys(before).is_some_and(|before| keys(after) == Some(before))
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut open = std::fs::OpenOptions::new();
    open.write(true).create(true).truncate(true).mode(0o600);
    open.open(path)?.write_all(bytes)
}

/// Copies files and folders of a configuration by name, those that are there and small.
pub(super) fn copy_settings(user: &Path, own: &Path, names: &[&str]) -> io::Result<()> {
    fs_err::create_dir_all(own)?;
    for name in names {
        let (from, to) = (user.join(name), own.join(name));
        let Ok(metadata) = fs_err::metadata(&from) else { continue };
        if metadata.is_file() && metadata.len() <= MAX_COPIED_BYTES {
            write_private(&to, &fs_err::read(&from)?)?;
        } else if metadata.is_dir() {
            crate::git::remove_whole(&to)?;
            copy_folder(&from, &to, &mut 0)?;
        }
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path, copied: &mut u64) -> io::Result<()> {
    fs_err::create_dir_all(to)?;
    for entry in fs_err::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let Ok(metadata) = fs_err::metadata(&source) else { continue };
        *copied += metadata.len();
        if *copied > MAX_COPIED_BYTES {
            return Ok(());
        }
        if metadata.is_dir() {
            copy_folder(&source, &target, copied)?;
        } else if metadata.is_file() {
            fs_err::copy(&source, &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(before: &str) -> (tempfile::TempDir, SignIn) {
        let dir = tempfile::tempdir().unwrap();
        fs_err::write(dir.path().join("user.json"), before).unwrap();
        let held = SignIn::hold(&dir.path().join("user.json"), &dir.path().join("own.json"));
        (dir, held.unwrap().unwrap())
    }

    #[test]
    fn a_renewed_token_goes_back_to_the_user() {
        let (dir, held) = held(r#"{"oauth": {"token": "old", "until": 1}}"#);
        let renewed = r#"{"oauth": {"token": "new", "until": 2}}"#;
        fs_err::write(dir.path().join("own.json"), renewed).unwrap();
        held.give_back().unwrap();
        assert_eq!(fs_err::read_to_string(dir.path().join("user.json")).unwrap(), renewed);
    }

    #[test]
    fn nonsense_and_an_older_copy_do_not() {
        let (dir, first) = held(r#"{"token": "old"}"#);
        for nonsense in ["", "{}", "[]", "{\"token\": \"x\", \"hook\": \"sh\"}"] {
            fs_err::write(dir.path().join("own.json"), nonsense).unwrap();
            first.give_back().unwrap();
            let now = fs_err::read_to_string(dir.path().join("user.json")).unwrap();
            assert_eq!(now, r#"{"token": "old"}"#, "{nonsense}");
        }
        fs_err::write(dir.path().join("user.json"), r#"{"token": "of the user"}"#).unwrap();
        fs_err::write(dir.path().join("own.json"), r#"{"token": "late"}"#).unwrap();
        first.give_back().unwrap();
        let now = fs_err::read_to_string(dir.path().join("user.json")).unwrap();
        assert_eq!(now, r#"{"token": "of the user"}"#);
    }
}
