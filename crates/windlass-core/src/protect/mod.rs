//! Files that judge the work, or that tell others how to work: a change to one asks a person.
//!
//! In flow order:
//!
//! - [`Protected`] is one rule: files, and where a whole file would ask too often the keys in it that count.
//! - `always` has the rules that hold for every run, whatever its workflow says.
//! - `keys` reads the values of keys out of a file (`json`, `ini` and `lines` its formats), and says when it cannot.
//! - `found` looks which files judge, by the words of commands (`words`) and by their own names (`names`,
//!   `modules`).
//! - `rules` looks at one change by all of the rules.

mod always;
mod found;
mod ini;
mod json;
mod keys;
mod lines;
mod modules;
mod names;
mod rules;
mod words;

pub use always::{ALWAYS, IN_SHORT};
pub use found::{Files, Found, MAX_SCRIPT_BYTES, find};
pub use keys::{Format, MAX_KEYED_BYTES, Values, values};
pub use rules::{Counts, Entry, Rules, Seen};

use serde::{Deserialize, Serialize};

/// Which of the files of a rule count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Only {
    /// Those that were there: others may be added.
    Existing,
    /// Those that were not: the others may change.
    New,
    /// Those that were not and that runners load by themselves, or that tests share.
    Helpers,
    /// Those that were not and that a module of the language is hidden by.
    Shadows,
}

/// One rule: which files count, and what of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Protected {
    /// Glob of the files.
    pub file: String,
    /// The keys that count, with dots between the levels; all of the file where there is none.
    pub keys: Vec<String>,
    /// Which of the files count; all where it says nothing.
    pub only: Option<Only>,
    /// Why it was found to judge the work; none for a rule that somebody wrote.
    pub why: Option<String>,
}

impl Protected {
    /// Returns the rule that all of these files count.
    pub fn whole(glob: impl Into<String>) -> Self {
        Self { file: glob.into(), keys: Vec::new(), only: None, why: None }
    }

    /// Returns the rule that these keys of the files count.
    pub fn keys(glob: impl Into<String>, keys: Vec<String>) -> Self {
        Self { keys, ..Self::whole(glob) }
    }

    /// Returns the rule for files that lie below `folder`.
    #[must_use]
    pub fn below(&self, folder: &str) -> Self {
        Self { file: format!("{folder}/{}", self.file), ..self.clone() }
    }

    /// Returns whether it was found that these are tests: new ones may be added.
    pub fn is_found_tests(&self) -> bool {
        self.why.is_some() && self.only == Some(Only::Existing)
    }

    /// Returns what is protected, in words for a list.
    pub fn called(&self) -> String {
        let mut words = Vec::new();
        words.extend((!self.keys.is_empty()).then(|| self.keys.join(", ")));
        words.extend(self.only.map(|only| match only {
            Only::Existing => "those that are there".to_owned(),
            Only::New => "new ones".to_owned(),
            Only::Helpers => "new ones that tests load".to_owned(),
            Only::Shadows => "new ones that hide a module".to_owned(),
        }));
        if words.is_empty() {
            self.file.clone()
        } else {
            format!("{} ({})", self.file, words.join("; "))
        }
    }
}

/// A rule as it stands in journals and packs: a glob alone is a text, as it was before there were keys.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Glob(String),
    Rule(WrittenRule),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    file: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keys: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    only: Option<Only>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl From<Written> for Protected {
    fn from(written: Written) -> Self {
        match written {
            Written::Glob(glob) => Self::whole(glob),
            Written::Rule(WrittenRule { file, keys, only, why }) => Self { file, keys, only, why },
        }
    }
}

impl From<Protected> for Written {
    fn from(rule: Protected) -> Self {
        if rule == Protected::whole(rule.file.clone()) {
            return Self::Glob(rule.file);
        }
        let Protected { file, keys, only, why } = rule;
        Self::Rule(WrittenRule { file, keys, only, why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_is_a_text_as_journals_of_earlier_versions_have_it() {
        let old: Vec<Protected> = serde_json::from_str(r#"["Makefile"]"#).unwrap();
        assert_eq!(old, [Protected::whole("Makefile")]);
        assert_eq!(serde_json::to_string(&old).unwrap(), r#"["Makefile"]"#);
        let keyed = Protected::keys("package.json", vec!["scripts".to_owned()]);
        let found = Protected { why: Some("w".to_owned()), ..Protected::whole("a") };
        for rule in [keyed, found, Protected { only: Some(Only::New), ..Protected::whole("t/**") }]
        {
            let text = serde_json::to_string(&rule).unwrap();
            assert_eq!(serde_json::from_str::<Protected>(&text).unwrap(), rule, "{text}");
        }
        assert!(serde_json::from_str::<Protected>(r#"{"file": "a", "key": []}"#).is_err());
    }
}
