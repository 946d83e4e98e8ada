//! Whether what is installed is what this windlass would install.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use windlass_core::plugin::{KNOWN_TO_OLDEST_CLAUDE, OLDEST_CLAUDE, PLUGIN};

use super::{Host, PluginError, Record, Scope, Surroundings, claude, codex, files, same_file};

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What.
    pub check: String,
    /// How it is; none where it could not be looked at.
    pub ok: Option<bool>,
    /// What is wrong, or why it was not looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

impl Finding {
    fn of(check: impl Into<String>, wrong: Vec<String>) -> Self {
        Self { check: check.into(), ok: Some(wrong.is_empty()), details: wrong }
    }

    fn skipped(check: impl Into<String>, why: &str) -> Self {
        Self { check: check.into(), ok: None, details: vec![why.to_owned()] }
    }
}

/// Looks at a marketplace folder; at the installed one, and at what hosts were told, where none is named.
pub fn validate(
    surroundings: &Surroundings<'_>,
    folder: Option<&Path>,
) -> Result<Vec<Finding>, PluginError> {
    let record = Record::load(surroundings.home)?;
    let mut findings = Vec::new();
    if folder.is_none() {
        if record.is_empty() {
            let wrong = vec!["nothing is installed: `windlass plugin install`".to_owned()];
            return Ok(vec![Finding::of("installed", wrong)]);
        }
        for each in &record.installations {
            findings.push(told(surroundings, &record, each.host, &each.scope)?);
        }
        if !record.installations.iter().any(|each| each.host == Host::Claude) {
            return Ok(findings);
        }
    }
    let installed = surroundings.marketplace();
    let folder = folder.unwrap_or(&installed);
    findings.push(Finding::of("files", differences(surroundings, &record, folder)?));
    let hooks = fs_err::read(folder.join(PLUGIN).join("hooks/hooks.json")).unwrap_or_default();
    let hooks: Value = serde_json::from_slice(&hooks).unwrap_or_default();
    findings.push(Finding::of("hook events", unknown_events(&hooks)));
    findings.push(Finding::of("program", other_programs(&hooks, surroundings.exe)));
    for (name, part) in [("plugin", folder.join(PLUGIN)), ("marketplace", folder.to_owned())] {
        let check = format!("claude plugin validate --strict ({name})");
        findings.push(match part.is_dir() {
            false => Finding::skipped(check, "there is no such folder"),
            true => match claude::judged(surroundings, &part)? {
                None => Finding::skipped(check, "`claude` is not on PATH"),
                Some((true, _)) => Finding::of(check, Vec::new()),
                Some((false, said)) => {
                    Finding::of(check, said.lines().map(str::to_owned).collect())
                }
            },
        });
    }
    Ok(findings)
}

/// Whether a host's own files still have what was put there.
fn told(
    surroundings: &Surroundings<'_>,
    record: &Record,
    host: Host,
    scope: &Scope,
) -> Result<Finding, PluginError> {
    let (name, there) = match host {
        Host::Claude => ("Claude Code", claude::is_enabled(surroundings, scope)?),
        Host::Codex => {
            let plugin = surroundings.plugin(record.longest_check());
            ("Codex", codex::is_installed(surroundings, &plugin, scope)?)
        }
    };
    let place = match scope {
        Scope::User => "for the user".to_owned(),
        Scope::Project(folder) => format!("for `{}`", folder.display()),
    };
    let gone = format!("{name}'s own files do not say so any more: `windlass plugin install`");
    let wrong = if there { Vec::new() } else { vec![gone] };
    Ok(Finding::of(format!("installed in {name} {place}"), wrong))
}

fn differences(
    surroundings: &Surroundings<'_>,
    record: &Record,
    folder: &Path,
) -> Result<Vec<String>, PluginError> {
    let wanted = surroundings.plugin(record.longest_check()).files();
    let mut there = files::present(folder)?;
    let mut wrong = Vec::new();
    for (name, text) in &wanted {
        if !there.remove(name) {
            wrong.push(format!("`{name}` is missing"));
        } else if fs_err::read(folder.join(name))? != text.as_bytes() {
            wrong.push(format!("`{name}` is not as this windlass writes it"));
        }
    }
    wrong.extend(there.iter().map(|name| format!("`{name}` does not belong to it")));
    Ok(wrong)
}

fn unknown_events(hooks: &Value) -> Vec<String> {
    let Some(events) = hooks["hooks"].as_object() else {
        return vec!["`hooks/hooks.json` has no hooks".to_owned()];
    };
    let unknown = events.keys().filter(|name| !KNOWN_TO_OLDEST_CLAUDE.contains(&name.as_str()));
    let told = |name: &String| {
        format!("Claude Code {OLDEST_CLAUDE} does not know `{name}`, and would drop all hooks")
    };
    unknown.map(told).collect()
}

/// Programs of hooks that are not this one.
fn other_programs(hooks: &Value, exe: &str) -> Vec<String> {
    let events = hooks["hooks"].as_object().into_iter().flat_map(|events| events.values());
    let groups = events.filter_map(Value::as_array).flatten();
    let each = groups.filter_map(|group| group["hooks"].as_array()).flatten();
    let programs: BTreeSet<&str> = each.filter_map(|hook| hook["command"].as_str()).collect();
    let mut wrong = Vec::new();
    if programs.is_empty() {
        wrong.push("no hook names a program".to_owned());
    }
    for program in programs {
        let path = Path::new(program);
        if !path.is_absolute() {
            wrong.push(format!("`{program}` is not a whole path, so anybody can be it"));
        } else if !path.is_file() {
            wrong.push(format!("`{program}` is not there: `windlass plugin install`"));
        } else if !same_file(path, Path::new(exe)) {
            wrong.push(format!("`{program}` is another program than this one, `{exe}`"));
        }
    }
    wrong
}
