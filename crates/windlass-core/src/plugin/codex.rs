//! Codex's `hooks.json`: windlass's hooks beside those of others.
//!
//! Codex trusts a hook by file, event and position. So windlass's stand behind those of others, and
//! change in their place.

use std::path::Path;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::event;
use super::object::{EditError, Object, list_text, means, value_text};
use crate::run::HostKind;

const HOOKS: &str = "hooks";

/// Returns the file with windlass's hooks; as it is where they are there already.
pub fn with_hooks(
    text: Option<&str>,
    binary: &str,
    longest_check: Option<Duration>,
) -> Result<String, EditError> {
    let mut file = Object::of_file(text)?;
    let mut hooks = file.object(HOOKS)?;
    let mut changed = text.is_none();
    for called in event::HOOKS.iter().filter(|called| called.event.is_known_to(HostKind::Codex)) {
        let command = format!("{} hook codex {}", quoted(binary), called.event.argument());
        let timeout = called.codex_timeout(longest_check);
        let hook = json!({"type": "command", "command": command, "timeout": timeout});
        let wanted = json!({"hooks": [hook]});
        let mut groups = hooks.list(called.event.name())?;
        let ours: Vec<usize> = (0..groups.len()).filter(|at| is_ours(&groups[*at])).collect();
        match ours.as_slice() {
            [only] if means(&groups[*only], &wanted) => continue,
            [] => groups.push(raw(&wanted)?),
            [first, more @ ..] => {
                groups[*first] = raw(&wanted)?;
                for at in more.iter().rev() {
                    groups.remove(*at);
                }
            }
        }
        hooks.set(called.event.name(), list_text(&groups, 2))?;
        changed = true;
    }
    match text {
        Some(text) if !changed => Ok(text.to_owned()),
        _ => {
            file.set(HOOKS, hooks.text(1))?;
            Ok(file.text(0) + "\n")
        }
    }
}

/// Returns the file without windlass's hooks; as it is where there are none.
pub fn without_hooks(text: &str) -> Result<String, EditError> {
    let mut file = Object::of_file(Some(text))?;
    let mut hooks = file.object(HOOKS)?;
    let mut changed = false;
    for name in hooks.names() {
        let groups = hooks.list(&name)?;
        let others: Vec<Box<RawValue>> =
            groups.iter().filter(|group| !is_ours(group)).cloned().collect();
        if others.len() == groups.len() {
            continue;
        }
        changed = true;
        if others.is_empty() {
            hooks.remove(&name);
        } else {
            hooks.set(&name, list_text(&others, 2))?;
        }
    }
    if !changed {
        return Ok(text.to_owned());
    }
    if hooks.is_empty() {
        file.remove(HOOKS);
    } else {
        file.set(HOOKS, hooks.text(1))?;
    }
    Ok(file.text(0) + "\n")
}

fn raw(value: &Value) -> Result<Box<RawValue>, EditError> {
    RawValue::from_string(value_text(value, 3)).map_err(EditError::NotJson)
}

/// A path as a word for the shell, which Codex hands the command to.
fn quoted(binary: &str) -> String {
    // Only a NUL cannot be quoted, and no path has one.
    shlex::try_quote(binary).map_or_else(|_| binary.to_owned(), std::borrow::Cow::into_owned)
}

/// A group in which every hook is `windlass hook codex EVENT`.
fn is_ours(group: &RawValue) -> bool {
    let group: Value = serde_json::from_str(group.get()).unwrap_or_default();
    let hooks = group["hooks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ours = |hook: &Value| {
        let words = hook["command"].as_str().and_then(shlex::split).unwrap_or_default();
        matches!(words.as_slice(), [program, hook, host, _event]
            if hook == "hook" && host == "codex" && is_windlass(program))
    };
    !hooks.is_empty() && hooks.iter().all(ours)
}

fn is_windlass(program: &str) -> bool {
    Path::new(program).file_name().is_some_and(|name| name == "windlass")
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEIRS: &str = r#"{"note": "mine", "hooks": {"Stop": [{"hooks": [{"type":"command","command":"say done"}]}]}}"#;

    fn meant(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn hooks_stand_behind_those_of_others_and_are_taken_back_alone() {
        let text = with_hooks(Some(THEIRS), "/opt/my tools/windlass", None).unwrap();
        let stop = &meant(&text)["hooks"]["Stop"];
        assert_eq!(stop[0]["hooks"][0]["command"], "say done");
        assert_eq!(stop[1]["hooks"][0]["command"], "'/opt/my tools/windlass' hook codex stop");
        assert_eq!(meant(&text)["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"], 3);
        assert_eq!(meant(&text)["hooks"].get("TaskCompleted"), None, "Codex does not know it");
        let again = with_hooks(Some(&text), "/opt/my tools/windlass", None).unwrap();
        assert_eq!(again, text);
        assert_eq!(meant(&without_hooks(&text).unwrap()), meant(THEIRS));
        assert_eq!(without_hooks(THEIRS).unwrap(), THEIRS, "nothing of ours, nothing changed");
    }

    #[test]
    fn a_windlass_that_moved_is_changed_in_its_place() {
        let text = with_hooks(None, "/old/windlass", None).unwrap();
        let moved = with_hooks(Some(&text), "/new/windlass", None).unwrap();
        let stop = &meant(&moved)["hooks"]["Stop"];
        assert_eq!(stop.as_array().map(Vec::len), Some(1));
        assert_eq!(stop[0]["hooks"][0]["command"], "/new/windlass hook codex stop");
        assert_eq!(without_hooks(&moved).unwrap(), "{}\n");
    }

    #[test]
    fn a_file_of_another_form_is_refused() {
        let said =
            |text: &str| with_hooks(Some(text), "/w/windlass", None).unwrap_err().to_string();
        assert_eq!(said("{ broken"), "it is not JSON");
        assert_eq!(said(r#"{"hooks": {"Stop": {}}}"#), "`Stop` in it is not a list");
    }
}
