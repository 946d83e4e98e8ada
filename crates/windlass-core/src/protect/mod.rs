//! Files that judge the work, or that tell others how to work: a change to one asks a person.
//!
//! In flow order:
//!
//! - [`Protected`] is one rule: files, and where a whole file would ask too often the keys in it that count.
//! - `always` has the rules that hold for every run, whatever its workflow says.
//! - `keys` reads the values of keys out of a file (`json`, `ini`, `lines` its formats; `catalog`, `msbuild`,
//!   `package`, `pom` and `pyproject` what of some files decides), and says when it cannot.
//! - `names` and `modules` know files by their own names; [`judges`](crate::judges) finds the files that
//!   commands read.
//! - `rules` looks at one change by all of the rules.

mod always;
mod catalog;
mod found;
mod ini;
mod json;
mod keys;
pub(crate) mod lines;
mod modules;
mod msbuild;
pub(crate) mod names;
pub(crate) mod package;
mod pom;
mod pyproject;
mod rules;

pub use always::{ALWAYS, IN_SHORT, LATER};
pub use found::Found;
pub(crate) use keys::can_have_keys;
pub use keys::{Format, MAX_KEYED_BYTES, Values, values};
pub use rules::{Asked, Counts, Entry, Keys, Rules, Seen};

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
    /// Whether a person is asked about a change at the next gate, and not at once: for files that cannot
    /// change what a build or a test says.
    pub later: bool,
    /// Why it was found to judge the work; none for a rule that somebody wrote.
    pub why: Option<String>,
}

impl Protected {
    /// Returns the rule that all of these files count.
    pub fn whole(glob: impl Into<String>) -> Self {
        Self { file: glob.into(), keys: Vec::new(), only: None, later: false, why: None }
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
        words.extend(self.later.then(|| "asked at the next gate".to_owned()));
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
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    later: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl From<Written> for Protected {
    fn from(written: Written) -> Self {
        match written {
            Written::Glob(glob) => Self::whole(glob),
            Written::Rule(WrittenRule { file, keys, only, later, why }) => {
                Self { file, keys, only, later, why }
            }
        }
    }
}

impl From<Protected> for Written {
    fn from(rule: Protected) -> Self {
        if rule == Protected::whole(rule.file.clone()) {
            return Self::Glob(rule.file);
        }
        let Protected { file, keys, only, later, why } = rule;
        Self::Rule(WrittenRule { file, keys, only, later, why })
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
        let later = Protected { later: true, ..Protected::whole("ci.yml") };
        let new = Protected { only: Some(Only::New), ..Protected::whole("t/**") };
        for rule in [keyed, found, later, new] {
            let text = serde_json::to_string(&rule).unwrap();
            assert_eq!(serde_json::from_str::<Protected>(&text).unwrap(), rule, "{text}");
        }
        assert!(serde_json::from_str::<Protected>(r#"{"file": "a", "key": []}"#).is_err());
    }
}
