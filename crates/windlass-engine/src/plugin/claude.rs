//! Claude Code: a marketplace folder of windlass's own, and two entries in its settings.
//!
//! Its own command makes the entries where it is there. Settings alone suffice too, but an older
//! Claude Code then runs one session without the hooks before it has seen them.

use std::path::{Path, PathBuf};

use windlass_core::plugin::settings::{self, Entry};
use windlass_core::plugin::{EditError, MARKETPLACE, PLUGIN_ID, Plugin};

use super::host::Claude;
use super::{Act, Change, Host, PluginError, Record, Scope, Surroundings, files};
use crate::agent;

/// One file of settings, and what of windlass's belongs into it.
struct Settings<'a> {
    path: PathBuf,
    entries: Vec<Entry<'a>>,
}

impl Settings<'_> {
    fn edited<T>(&self, done: Result<T, EditError>) -> Result<T, PluginError> {
        done.map_err(|source| PluginError::Edit { path: self.path.clone(), source })
    }

    /// Its text, once it is known that it can be edited.
    fn read(&self) -> Result<Option<String>, PluginError> {
        let now = files::read(&self.path)?;
        self.with(now.as_deref())?;
        Ok(now)
    }

    fn with(&self, text: Option<&str>) -> Result<Option<String>, PluginError> {
        let mut text = text.map(str::to_owned);
        for entry in &self.entries {
            text = Some(self.edited(settings::with(text.as_deref(), *entry))?);
        }
        Ok(text)
    }

    /// Returns a text of it without anything of windlass's.
    fn bare(&self, text: Option<&str>) -> Result<Option<String>, PluginError> {
        let without = |text: &str| {
            let text = settings::without(text, Entry::Marketplace(""))?;
            settings::without(&text, Entry::Plugin)
        };
        self.edited(text.map(without).transpose())
    }

    fn is_complete(&self, text: Option<&str>) -> Result<bool, PluginError> {
        for entry in &self.entries {
            if !self.edited(settings::has(text, *entry))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The user's settings, as Claude Code finds them.
fn user_settings(surroundings: &Surroundings<'_>) -> Result<PathBuf, PluginError> {
    let folder = agent::claude_folder(surroundings.env);
    Ok(folder.ok_or(PluginError::NoFolder { host: "Claude Code" })?.join("settings.json"))
}

/// The file that says whether the plugin is on.
fn enabling(surroundings: &Surroundings<'_>, scope: &Scope) -> Result<PathBuf, PluginError> {
    match scope {
        Scope::User => user_settings(surroundings),
        Scope::Project(folder) => Ok(folder.join(".claude/settings.json")),
    }
}

/// The files that an installation needs. The marketplace is always the user's: a project cannot say
/// where a program of the user's is.
fn needed<'a>(
    surroundings: &Surroundings<'_>,
    scope: &Scope,
    marketplace: &'a str,
) -> Result<Vec<Settings<'a>>, PluginError> {
    let user = user_settings(surroundings)?;
    let place = Entry::Marketplace(marketplace);
    Ok(match scope {
        Scope::User => vec![Settings { path: user, entries: vec![place, Entry::Plugin] }],
        Scope::Project(_) => vec![
            Settings { path: user, entries: vec![place] },
            Settings { path: enabling(surroundings, scope)?, entries: vec![Entry::Plugin] },
        ],
    })
}

fn claude<'a>(surroundings: &Surroundings<'a>) -> Option<Claude<'a>> {
    let program = agent::claude_program(surroundings.env)?;
    Some(Claude { program, env: surroundings.env })
}

fn scope_word(scope: &Scope) -> &'static str {
    match scope {
        Scope::User => "user",
        Scope::Project(_) => "project",
    }
}

/// Where Claude Code is asked: what belongs to a project is found from its folder.
fn folder<'a>(surroundings: &'a Surroundings<'_>, scope: &'a Scope) -> &'a Path {
    match scope {
        // A folder without settings of a project.
        Scope::User => &surroundings.home.state,
        Scope::Project(folder) => folder,
    }
}

pub(super) fn install(
    surroundings: &Surroundings<'_>,
    plugin: &Plugin<'_>,
    scope: &Scope,
    record: &mut Record,
    act: Act,
) -> Result<Vec<Change>, PluginError> {
    let marketplace = surroundings.marketplace();
    let place = marketplace.to_string_lossy().into_owned();
    let needed = needed(surroundings, scope, &place)?;
    let mut before = Vec::new();
    for settings in &needed {
        before.push(settings.read()?);
    }
    let mut changes = files::write_tree(&marketplace, &plugin.files(), act)?;
    if act == Act::Do {
        for (settings, now) in needed.iter().zip(&before) {
            let bare = settings.bare(now.as_deref())?;
            record.begin(&settings.path, now.as_deref(), bare);
        }
        record.add(Host::Claude, scope);
        record.save(surroundings.home)?;
    }
    // Asked again, it would write its settings anew, in another order.
    let done = record.has_by_host(Host::Claude, scope) && is_enabled(surroundings, scope)?;
    let host = claude(surroundings).filter(|_| !done);
    if let Some(host) = &host {
        let word = scope_word(scope);
        let calls: [&[&str]; 2] = [
            &["plugin", "marketplace", "add", &place],
            &["plugin", "install", PLUGIN_ID, "--scope", word],
        ];
        for call in calls {
            if act == Act::Do {
                host.demand(folder(surroundings, scope), call)?;
            }
            changes.push(Change::Called { command: Claude::told(call) });
        }
        record.done_by_host(Host::Claude, scope);
    }
    for (settings, now) in needed.iter().zip(&before) {
        changes.push(enter(settings, now.as_deref(), host.is_some(), record, act)?);
    }
    if act == Act::Do {
        record.save(surroundings.home)?;
    }
    Ok(changes)
}

/// Makes the entries, or looks whether the host has made them.
fn enter(
    settings: &Settings<'_>,
    before: Option<&str>,
    by_host: bool,
    record: &mut Record,
    act: Act,
) -> Result<Change, PluginError> {
    let path = settings.path.clone();
    let wanted = settings.with(before)?;
    if act == Act::Do && !by_host {
        match &wanted {
            Some(text) if wanted.as_deref() != before => files::replace(&path, text, 0o644)?,
            _ => {}
        }
    }
    let after = if act == Act::Do { files::read(&path)? } else { wanted };
    if act == Act::Do && !settings.is_complete(after.as_deref())? {
        let command = Claude::told(&["plugin", "install", PLUGIN_ID]);
        return Err(PluginError::NotThere { command, path });
    }
    let same = after.as_deref() == before;
    record.end(&path, after);
    Ok(if same { Change::Unchanged { path } } else { Change::Written { path, text: None } })
}

pub(super) fn uninstall(
    surroundings: &Surroundings<'_>,
    scope: &Scope,
    record: &mut Record,
    act: Act,
) -> Result<Vec<Change>, PluginError> {
    let marketplace = surroundings.marketplace();
    let place = marketplace.to_string_lossy().into_owned();
    let known = record.has(Host::Claude, scope);
    record.forget(Host::Claude, scope);
    let last = !record.installations.iter().any(|each| each.host == Host::Claude);
    let mut affected = needed(surroundings, scope, &place)?;
    if !last {
        // Others still need the marketplace.
        affected.iter_mut().for_each(|each| each.entries.retain(|entry| *entry == Entry::Plugin));
        affected.retain(|each| !each.entries.is_empty());
    }
    let mut untouched = Vec::new();
    for settings in &affected {
        untouched.push(settings.read()?);
    }
    let mut changes = Vec::new();
    if let Some(host) = claude(surroundings).filter(|_| known) {
        changes.extend(ask_host(&host, surroundings, scope, last, act)?);
    }
    for (settings, untouched) in affected.iter().zip(&untouched) {
        let now = files::read(&settings.path)?;
        let still_needed = !last && settings.path == user_settings(surroundings)?;
        changes.push(if still_needed {
            switch_off(settings, untouched.as_deref(), now.as_deref(), record, act)?
        } else {
            let bare = settings.bare(now.as_deref())?;
            record.give_back(&settings.path, untouched.as_deref(), bare, act)?
        });
    }
    if last && marketplace.exists() {
        if act == Act::Do {
            fs_err::remove_dir_all(&marketplace)?;
        }
        changes.push(Change::Removed { path: marketplace });
    }
    if act == Act::Do && !record.is_empty() {
        record.save(surroundings.home)?;
    }
    Ok(changes)
}

/// Has Claude Code forget it. Where it knows nothing of it, that is what is wanted.
fn ask_host(
    host: &Claude<'_>,
    surroundings: &Surroundings<'_>,
    scope: &Scope,
    last: bool,
    act: Act,
) -> Result<Vec<Change>, PluginError> {
    let word = scope_word(scope);
    let mut calls = vec![vec!["plugin", "uninstall", PLUGIN_ID, "--scope", word]];
    if last {
        calls.push(vec!["plugin", "marketplace", "remove", MARKETPLACE]);
    }
    let mut changes = Vec::new();
    for call in calls {
        // A project that is gone has nothing to take back.
        let folder = Some(folder(surroundings, scope)).filter(|folder| folder.is_dir());
        let folder = folder.unwrap_or(&surroundings.home.state);
        if act == Act::Look || host.call(folder, &call)?.ok {
            changes.push(Change::Called { command: Claude::told(&call) });
        }
    }
    Ok(changes)
}

/// Takes the plugin out of settings in which the marketplace stays. `untouched` is their text before the
/// host was asked, `now` the one afterwards.
fn switch_off(
    settings: &Settings<'_>,
    untouched: Option<&str>,
    now: Option<&str>,
    record: &mut Record,
    act: Act,
) -> Result<Change, PluginError> {
    let path = settings.path.clone();
    let off = now.map(|text| settings::without(text, Entry::Plugin)).transpose();
    let off = settings.edited(off)?;
    if act == Act::Do {
        record.begin(&path, untouched, settings.bare(untouched)?);
        if let Some(text) = off.as_deref().filter(|_| off.as_deref() != now) {
            files::replace(&path, text, 0o644)?;
        }
        record.end(&path, off.clone());
    }
    let same = off.as_deref() == untouched;
    Ok(if same { Change::Unchanged { path } } else { Change::Written { path, text: None } })
}

/// Looks whether the entries of an installation are there.
pub(super) fn is_enabled(
    surroundings: &Surroundings<'_>,
    scope: &Scope,
) -> Result<bool, PluginError> {
    let place = surroundings.marketplace().to_string_lossy().into_owned();
    for settings in needed(surroundings, scope, &place)? {
        let text = files::read(&settings.path)?;
        if !settings.is_complete(text.as_deref())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Has Claude Code itself judge a folder; none where it is not there.
pub(super) fn judged(
    surroundings: &Surroundings<'_>,
    folder: &Path,
) -> Result<Option<(bool, String)>, PluginError> {
    let Some(host) = claude(surroundings) else { return Ok(None) };
    let path = folder.to_string_lossy();
    let answer = host.call(folder, &["plugin", "validate", "--strict", &path])?;
    Ok(Some((answer.ok, answer.said)))
}
