//! The configuration of an agent's program in a box: a copy of its own, and a sign-in that is held for
//! the user.
//!
//! A program that is signed in by a file renews its token from time to time, and the old one is worth
//! nothing then. So what it renewed in its copy goes back to the user's file, whole, unless the user's
//! file changed meanwhile. Everything else that it writes stays in the copy: settings of the user are
//! read, never written.
//!
//! The copy is the agent's to write, and it stays for the next attempt. So nothing in it is followed:
//! a link to a file of the user's is replaced and never written through, a pipe is not waited for.
//! What both held when an attempt began lies beside the copy, where the box does not reach: whoever
//! comes after a driver that died gives back by it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::git::place_files::{self, PlaceFileError};
use crate::home::canonical;

/// The largest file or folder of a configuration that is copied.
const MAX_COPIED_BYTES: u64 = 16 << 20;

/// The largest sign-in file; real ones have a few kilobytes.
const MAX_SIGN_IN_BYTES: u64 = 1 << 20;

/// How deep a sign-in is looked into.
const MAX_DEPTH: usize = 8;

/// A sign-in file of the user, and the copy that an attempt works with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// The user's.
    user: PathBuf,
    /// The folder that is kept for the step and the role.
    kept: PathBuf,
    /// The attempt's copy, in it.
    own: PathBuf,
    /// What both held when the attempt began.
    began: Vec<u8>,
}

impl SignIn {
    /// Copies the user's sign-in file to `own`, a path in the folder `kept`; none if there is no such
    /// file. What an earlier attempt had renewed is given back first.
    pub(super) fn hold(user: &Path, kept: &Path, own: &Path) -> io::Result<Option<Self>> {
        if let Some(left) = Self::left(user, kept, own) {
            left.give_back()?;
        }
        // Without the copy, what it began with means nothing: so it goes first and comes last.
        place_files::remove_whatever(kept, own).map_err(io_error)?;
        let began = match fs_err::read(user) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                place_files::remove_whatever(kept, &began_with(own)).map_err(io_error)?;
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        place_files::write_private(kept, &began_with(own), &began).map_err(io_error)?;
        place_files::write_private(kept, own, &began).map_err(io_error)?;
        let [user, kept, own] = [user, kept, own].map(Path::to_owned);
        Ok(Some(Self { user, kept, own, began }))
    }

    /// Returns the sign-in that an earlier attempt held, whose driver may have died.
    pub(super) fn left(user: &Path, kept: &Path, own: &Path) -> Option<Self> {
        let began = began_with(own);
        let began = place_files::read_file_bounded(kept, &began, MAX_SIGN_IN_BYTES).ok()?;
        let [user, kept, own] = [user, kept, own].map(Path::to_owned);
        Some(Self { user, kept, own, began })
    }

    /// Gives back what the program renewed.
    ///
    /// # Errors
    /// The user's file cannot be written.
    pub fn give_back(&self) -> io::Result<()> {
        let renewed = place_files::read_file_bounded(&self.kept, &self.own, MAX_SIGN_IN_BYTES);
        // What is no plain file any more is no sign-in either.
        let Ok(renewed) = renewed else { return Ok(()) };
        let unchanged = fs_err::read(&self.user).is_ok_and(|now| now == self.began);
        if !unchanged || !is_renewed(&self.began, &renewed) {
            return Ok(());
        }
        // Where the user keeps a link, the file behind it is renewed.
        let user = canonical(&self.user);
        let (Some(folder), Some(name)) = (user.parent(), user.file_name()) else { return Ok(()) };
        place_files::write_private(folder, Path::new(name), &renewed).map_err(io_error)
    }
}

/// Where it is kept what a copy began with: beside the folder that the box shows.
fn began_with(own: &Path) -> PathBuf {
    PathBuf::from(format!("{}.began", own.to_string_lossy().replace('/', ".")))
}

/// Whether a sign-in is the same one with newer tokens: what an agent may have made of it is not given
/// back. It has the same keys as before, the same accounts and API keys, and ends later where it says
/// when it ends.
fn is_renewed(before: &[u8], after: &[u8]) -> bool {
    let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok().filter(Value::is_object);
    let (Some(before), Some(after)) = (read(before), read(after)) else { return false };
    if before == after || keys(&before) != keys(&after) {
        return false;
    }
    let (before, after) = (Facts::of(&before), Facts::of(&after));
    let mut ends = before.ends.iter().map(|(path, end)| (end, after.ends.get(path)));
    before.accounts == after.accounts
        && before.ends.keys().eq(after.ends.keys())
        && ends.clone().all(|(before, after)| after >= Some(before))
        && (before.ends.is_empty() || ends.any(|(before, after)| after > Some(before)))
}

/// The keys of an object and of the objects in it.
fn keys(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (key, inner) in value.as_object().into_iter().flatten() {
        found.push(key.clone());
        let inner = inner.as_object().into_iter().flatten();
        found.extend(inner.map(|(name, _)| format!("{key}.{name}")));
    }
    found
}

/// What a sign-in says about itself, by where it says it.
#[derive(Default)]
struct Facts {
    /// Who is signed in.
    accounts: BTreeMap<String, Value>,
    /// Until when.
    ends: BTreeMap<String, i64>,
}

impl Facts {
    fn of(value: &Value) -> Self {
        let mut facts = Self::default();
        facts.look("", value, 0);
        facts
    }

    fn look(&mut self, path: &str, value: &Value, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for (key, inner) in value.as_object().into_iter().flatten() {
            let path = format!("{path}/{key}");
            let plain = key.to_ascii_lowercase().replace(['_', '-'], "");
            let is_account = ["accountid", "accountuuid", "userid", "useruuid", "apikey", "email"]
                .into_iter()
                .chain(["emailaddress", "organizationid", "organizationuuid"])
                .any(|ending| plain.ends_with(ending));
            let ends = plain.contains("expir") || plain == "exp" || plain == "until";
            match inner {
                _ if is_account || plain == "sub" => {
                    self.accounts.insert(path, inner.clone());
                }
                Value::Number(number) if ends => {
                    let end = number.as_i64().or_else(|| number.as_f64().map(|end| end as i64));
                    self.ends.insert(path, end.unwrap_or(i64::MIN));
                }
                Value::String(text) => {
                    if let Some(claims) = claims(text) {
                        self.look(&path, &claims, depth + 1);
                    }
                }
                _ => self.look(&path, inner, depth + 1),
            }
        }
    }
}

/// What a token in three parts says about itself. Nobody checks its signature here: one that is forged
/// signs nobody in.
fn claims(token: &str) -> Option<Value> {
    let mut parts = token.split('.');
    let (_, claims, _) = (parts.next()?, parts.next()?, parts.next()?);
    let claims = serde_json::from_slice(&from_base64(claims)?).ok()?;
    parts.next().is_none().then_some(claims)
}

/// Reads base64 as tokens have it: for URLs, without padding.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' | b'+' => 62,
            b'_' | b'/' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    Some(bytes)
}

fn io_error(error: PlaceFileError) -> io::Error {
    io::Error::other(error)
}

/// Copies files and folders of a configuration by name into the folder `own` of `kept`, those that are
/// there and small. What an earlier attempt made of one that the user does not have goes.
pub(super) fn copy_settings(
    user: &Path,
    kept: &Path,
    own: &Path,
    names: &[&str],
) -> io::Result<()> {
    make_folder(kept, own)?;
    for name in names {
        let (from, to) = (user.join(name), own.join(name));
        place_files::remove_whatever(kept, &to).map_err(io_error)?;
        let Ok(metadata) = fs_err::metadata(&from) else { continue };
        if metadata.is_file() && metadata.len() <= MAX_COPIED_BYTES {
            place_files::write_private(kept, &to, &fs_err::read(&from)?).map_err(io_error)?;
        } else if metadata.is_dir() {
            copy_folder(&from, kept, &to, &mut 0)?;
        }
    }
    Ok(())
}

/// Makes a folder of an attempt's configuration; whatever else stands there goes.
pub(crate) fn make_folder(kept: &Path, own: &Path) -> io::Result<()> {
    match place_files::create_dir(kept, own) {
        Err(PlaceFileError::Replaced { .. }) => place_files::remove_whatever(kept, own)
            .and_then(|()| place_files::create_dir(kept, own))
            .map_err(io_error),
        made => made.map_err(io_error),
    }
}

fn copy_folder(from: &Path, kept: &Path, to: &Path, copied: &mut u64) -> io::Result<()> {
    place_files::create_dir(kept, to).map_err(io_error)?;
    for entry in fs_err::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let Ok(metadata) = fs_err::metadata(&source) else { continue };
        *copied += metadata.len();
        if *copied > MAX_COPIED_BYTES {
            return Ok(());
        }
        if metadata.is_dir() {
            copy_folder(&source, kept, &target, copied)?;
        } else if metadata.is_file() {
            let program = std::os::unix::fs::MetadataExt::mode(&metadata) & 0o100 != 0;
            let write =
                if program { place_files::write_program } else { place_files::write_private };
            write(kept, &target, &fs_err::read(&source)?).map_err(io_error)?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "sign_in_tests.rs"]
mod tests;
