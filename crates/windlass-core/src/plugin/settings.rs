//! Claude Code's `settings.json`: the two entries that make it load the plugin.

use serde_json::json;

use super::object::{EditError, Object, value_text};
use super::{MARKETPLACE, PLUGIN_ID};

const MARKETPLACES: &str = "extraKnownMarketplaces";
const PLUGINS: &str = "enabledPlugins";

/// An entry of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// Where the plugin is: the folder of the marketplace. It belongs into the user's settings; in a
    /// project's, Claude Code does not load it before somebody has trusted the project.
    Marketplace(&'a str),
    /// That the plugin is on.
    Plugin,
}

impl Entry<'_> {
    fn place(&self) -> (&'static str, &'static str, serde_json::Value) {
        match self {
            Self::Marketplace(folder) => {
                let source = json!({"source": {"source": "directory", "path": folder}});
                (MARKETPLACES, MARKETPLACE, source)
            }
            Self::Plugin => (PLUGINS, PLUGIN_ID, json!(true)),
        }
    }
}

/// Returns whether the settings have an entry.
pub fn has(text: Option<&str>, entry: Entry<'_>) -> Result<bool, EditError> {
    let (member, name, value) = entry.place();
    Ok(Object::of_file(text)?.object(member)?.has(name, &value))
}

/// Returns the settings with an entry; as they are where it is there already.
pub fn with(text: Option<&str>, entry: Entry<'_>) -> Result<String, EditError> {
    let (member, name, value) = entry.place();
    let mut settings = Object::of_file(text)?;
    let mut inner = settings.object(member)?;
    match text {
        Some(text) if inner.has(name, &value) => return Ok(text.to_owned()),
        _ => inner.set(name, value_text(&value, 2))?,
    }
    settings.set(member, inner.text(1))?;
    Ok(settings.text(0) + "\n")
}

/// Returns the settings without an entry of windlass, wherever it points; as they are where there is none.
///
/// What is empty without it goes with it: Claude Code leaves empty objects behind.
pub fn without(text: &str, entry: Entry<'_>) -> Result<String, EditError> {
    let (member, name, _) = entry.place();
    let mut settings = Object::of_file(Some(text))?;
    let mut inner = settings.object(member)?;
    let removed = inner.remove(name);
    if inner.is_empty() {
        if !settings.remove(member) {
            return Ok(text.to_owned());
        }
    } else if removed {
        settings.set(member, inner.text(1))?;
    } else {
        return Ok(text.to_owned());
    }
    Ok(settings.text(0) + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: &str = r#"{ "zeta": 1.50, "enabledPlugins": {"other@x":   false},
  "alpha": [1,
2] }"#;

    #[test]
    fn all_that_others_wrote_keeps_its_order_and_its_bytes() {
        let folder = Entry::Marketplace("/home/u/windlass plugin");
        let text = with(Some(&with(Some(ODD), Entry::Plugin).unwrap()), folder).unwrap();
        insta::assert_snapshot!(text, @r#"
        {
          "zeta": 1.50,
          "enabledPlugins": {
            "other@x": false,
            "windlass@windlass": true
          },
          "alpha": [1,
        2],
          "extraKnownMarketplaces": {
            "windlass": {
              "source": {
                "path": "/home/u/windlass plugin",
                "source": "directory"
              }
            }
          }
        }
        "#);
        assert_eq!(
            with(Some(&text), Entry::Plugin).unwrap(),
            text,
            "a second time changes nothing"
        );
        assert!(has(Some(&text), folder).unwrap());
        let moved = Entry::Marketplace("/elsewhere");
        assert!(!has(Some(&text), moved).unwrap(), "another folder is another entry");
        let less = without(&without(&text, moved).unwrap(), Entry::Plugin).unwrap();
        let meant = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(meant(&less), meant(ODD));
    }

    #[test]
    fn settings_that_are_not_there_are_made_and_end_empty() {
        let text = with(None, Entry::Plugin).unwrap();
        assert_eq!(text, "{\n  \"enabledPlugins\": {\n    \"windlass@windlass\": true\n  }\n}\n");
        assert_eq!(without(&text, Entry::Plugin).unwrap(), "{}\n");
        assert_eq!(without(ODD, Entry::Plugin).unwrap(), ODD, "nothing of ours, nothing changed");
    }

    #[test]
    fn settings_of_another_form_are_refused() {
        let said = |text: &str| with(Some(text), Entry::Plugin).unwrap_err().to_string();
        assert_eq!(said("{ broken"), "it is not JSON");
        assert_eq!(said("// a remark\n{}"), "it is not JSON");
        assert_eq!(said("[]"), "what stands in it is not an object");
        assert_eq!(said(r#"{"enabledPlugins": []}"#), "`enabledPlugins` in it is not an object");
    }
}
