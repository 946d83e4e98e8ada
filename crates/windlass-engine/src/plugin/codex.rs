//! Codex: windlass's hooks in its `hooks.json`.

use std::path::PathBuf;

use windlass_core::plugin::{Plugin, codex};

use super::{Act, Change, Host, PluginError, Record, Scope, Surroundings, files};
use crate::agent;

fn hooks_file(surroundings: &Surroundings<'_>, scope: &Scope) -> Result<PathBuf, PluginError> {
    let folder = match scope {
        Scope::Project(folder) => Some(folder.join(".codex")),
        Scope::User => agent::codex_folder(surroundings.env),
    };
    Ok(folder.ok_or(PluginError::NoFolder { host: "Codex" })?.join("hooks.json"))
}

pub(super) fn install(
    surroundings: &Surroundings<'_>,
    plugin: &Plugin<'_>,
    scope: &Scope,
    record: &mut Record,
    act: Act,
) -> Result<Vec<Change>, PluginError> {
    let path = hooks_file(surroundings, scope)?;
    let edit = |source| PluginError::Edit { path: path.clone(), source };
    let now = files::read(&path)?;
    let text =
        codex::with_hooks(now.as_deref(), plugin.binary, plugin.longest_check).map_err(edit)?;
    let without = now.as_deref().map(codex::without_hooks).transpose().map_err(edit)?;
    let same = now.as_ref() == Some(&text);
    if act == Act::Do {
        record.begin(&path, now.as_deref(), without);
        record.add(Host::Codex, scope);
        record.save(surroundings.home)?;
        if !same {
            files::replace(&path, &text, 0o644)?;
        }
        record.end(&path, Some(text.clone()));
        record.save(surroundings.home)?;
    }
    Ok(vec![if same {
        Change::Unchanged { path }
    } else {
        Change::Written { path, text: Some(text) }
    }])
}

pub(super) fn uninstall(
    surroundings: &Surroundings<'_>,
    scope: &Scope,
    record: &mut Record,
    act: Act,
) -> Result<Vec<Change>, PluginError> {
    let path = hooks_file(surroundings, scope)?;
    let now = files::read(&path)?;
    let without = now.as_deref().map(codex::without_hooks).transpose();
    let without = without.map_err(|source| PluginError::Edit { path: path.clone(), source })?;
    let change = record.give_back(&path, now.as_deref(), without, act)?;
    record.forget(Host::Codex, scope);
    if act == Act::Do && !record.is_empty() {
        record.save(surroundings.home)?;
    }
    Ok(vec![change])
}

/// Looks whether the hooks are there as this windlass writes them.
pub(super) fn is_installed(
    surroundings: &Surroundings<'_>,
    plugin: &Plugin<'_>,
    scope: &Scope,
) -> Result<bool, PluginError> {
    let path = hooks_file(surroundings, scope)?;
    let now = files::read(&path)?;
    let text = codex::with_hooks(now.as_deref(), plugin.binary, plugin.longest_check);
    let text = text.map_err(|source| PluginError::Edit { path, source })?;
    Ok(now == Some(text))
}
