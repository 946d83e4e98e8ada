//! What was installed, and what the files of others were before.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Act, Change, Host, PluginError, Scope, files};
use crate::home::Home;

/// The record's own format.
const FORMAT: u32 = 1;

/// What windlass has installed on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    format: u32,
    /// For which hosts and scopes.
    pub installations: Vec<Installation>,
    longest_check_seconds: Option<u64>,
    /// The files of others that were changed.
    kept: BTreeMap<PathBuf, Kept>,
}

/// One installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Installation {
    /// The program.
    pub host: Host,
    /// For whom.
    pub scope: Scope,
    /// Whether the host itself was asked to do it.
    pub by_host: bool,
}

/// A file of others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// Its text before; none where it was not there.
    before: Option<String>,
    /// Its text afterwards; none while it is being changed.
    after: Option<String>,
}

impl Default for Record {
    fn default() -> Self {
        let (installations, kept) = (Vec::new(), BTreeMap::new());
        Self { format: FORMAT, installations, longest_check_seconds: None, kept }
    }
}

impl Record {
    /// Reads it; an empty one where nothing was installed.
    pub fn load(home: &Home) -> Result<Self, PluginError> {
        let path = path(home);
        match files::read(&path)? {
            None => Ok(Self::default()),
            Some(text) => {
                serde_json::from_str(&text).map_err(|source| PluginError::Record { path, source })
            }
        }
    }

    /// Writes it for its owner alone: settings of others may have keys in them.
    pub(super) fn save(&self, home: &Home) -> Result<(), PluginError> {
        let path = path(home);
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|source| PluginError::Record { path: path.clone(), source })?;
        Ok(files::replace(&path, &(text + "\n"), 0o600)?)
    }

    /// Removes it, with the folder if that is empty.
    pub(super) fn remove(&self, home: &Home) -> Result<Vec<Change>, PluginError> {
        let path = path(home);
        match fs_err::remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            done => done?,
        }
        // What somebody else has put there stays.
        let _ = fs_err::remove_dir(home.plugin());
        Ok(vec![Change::Removed { path }])
    }

    /// Whether nothing is installed.
    pub fn is_empty(&self) -> bool {
        self.installations.is_empty()
    }

    /// Whether it is installed for this host and scope.
    pub fn has(&self, host: Host, scope: &Scope) -> bool {
        self.installations.iter().any(|each| each.host == host && each.scope == *scope)
    }

    /// How long the longest check takes, where somebody has said.
    pub fn longest_check(&self) -> Option<Duration> {
        self.longest_check_seconds.map(Duration::from_secs)
    }

    pub(super) fn set_longest_check(&mut self, longest: Option<Duration>) {
        self.longest_check_seconds = longest.map(|longest| longest.as_secs());
    }

    /// Whether the host itself was asked to install it.
    pub(super) fn has_by_host(&self, host: Host, scope: &Scope) -> bool {
        let mut all = self.installations.iter();
        all.any(|each| each.host == host && each.scope == *scope && each.by_host)
    }

    pub(super) fn add(&mut self, host: Host, scope: &Scope) {
        if !self.has(host, scope) {
            let scope = scope.clone();
            self.installations.push(Installation { host, scope, by_host: false });
        }
    }

    /// Notes that the host itself was asked, with success.
    pub(super) fn done_by_host(&mut self, host: Host, scope: &Scope) {
        let mut all = self.installations.iter_mut();
        if let Some(each) = all.find(|each| each.host == host && each.scope == *scope) {
            each.by_host = true;
        }
    }

    pub(super) fn forget(&mut self, host: Host, scope: &Scope) {
        self.installations.retain(|each| each.host != host || each.scope != *scope);
    }

    /// Notes that a file is about to be changed. `without` is its text now, without anything of
    /// windlass's.
    ///
    /// What was before is kept only as long as nobody else changes the file: afterwards, going back to
    /// it would take back what they did.
    pub(super) fn begin(&mut self, path: &Path, now: Option<&str>, without: Option<String>) {
        let known = self.kept.get(path).filter(|kept| kept.after.is_some());
        let before = match known.filter(|kept| kept.after.as_deref() == now) {
            Some(kept) => kept.before.clone(),
            None => without,
        };
        self.kept.insert(path.to_owned(), Kept { before, after: None });
    }

    /// Notes what a file has become.
    pub(super) fn end(&mut self, path: &Path, after: Option<String>) {
        if let Some(kept) = self.kept.get_mut(path) {
            kept.after = after;
        }
    }

    /// Gives a file back: as it was before where nobody has changed it since, else `without`, what is in
    /// it now without anything of windlass's. `untouched` is its text before the host was asked.
    pub(super) fn give_back(
        &mut self,
        path: &Path,
        untouched: Option<&str>,
        without: Option<String>,
        act: Act,
    ) -> Result<Change, PluginError> {
        let kept = self.kept.remove(path);
        let unchanged =
            kept.as_ref().is_some_and(|k| k.after.is_some() && k.after.as_deref() == untouched);
        let was_there = kept.as_ref().is_none_or(|kept| kept.before.is_some());
        let wanted = match (unchanged, kept) {
            (true, Some(kept)) => kept.before,
            // Windlass made the file, and nobody has put anything into it.
            (false, Some(_)) if !was_there => without.filter(|text| text.trim() != "{}"),
            _ => without,
        };
        let path = path.to_owned();
        let now = files::read(&path)?;
        if act == Act::Look {
            return Ok(match wanted {
                _ if unchanged => Change::Restored { path },
                Some(text) if Some(&text) == now.as_ref() => Change::Unchanged { path },
                Some(_) => Change::Written { path, text: None },
                None => Change::Removed { path },
            });
        }
        match wanted {
            Some(text) if Some(&text) == now.as_ref() && !unchanged => {
                Ok(Change::Unchanged { path })
            }
            Some(text) => {
                files::replace(&path, &text, 0o644)?;
                let changed = Change::Written { path: path.clone(), text: None };
                Ok(if unchanged { Change::Restored { path } } else { changed })
            }
            None if now.is_none() => Ok(Change::Unchanged { path }),
            None => {
                fs_err::remove_file(&path)?;
                if let Some(folder) = path.parent() {
                    // A folder that others use is not empty.
                    let _ = fs_err::remove_dir(folder);
                }
                Ok(Change::Removed { path })
            }
        }
    }
}

fn path(home: &Home) -> PathBuf {
    home.plugin().join("installed.json")
}
