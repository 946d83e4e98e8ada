//! A folder as detection sees it.

use std::collections::{BTreeMap, BTreeSet};

/// Files whose content is looked at.
const WANTED: [&str; 16] = [
    "package.json",
    "composer.json",
    "deno.json",
    "pyproject.toml",
    "requirements.txt",
    "requirements-dev.txt",
    "setup.cfg",
    "tox.ini",
    "CMakeLists.txt",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    ".justfile",
    "pubspec.yaml",
];

/// Returns whether detection looks into a file of this name.
pub fn wants(name: &str) -> bool {
    WANTED.contains(&name)
}

/// What is in one folder of the repository.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// Its path, relative to the repository; empty for the repository itself.
    pub path: String,
    /// The files in it.
    pub files: BTreeSet<String>,
    /// The folders in it.
    pub folders: BTreeSet<String>,
    /// The content of the files that [`wants`] names.
    pub texts: BTreeMap<String, String>,
}

impl Folder {
    pub(super) fn has(&self, name: &str) -> bool {
        self.files.contains(name)
    }

    /// Returns the first of these names that is a file here.
    pub(super) fn first<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.has(name))
    }

    /// Returns the first file whose name ends so.
    pub(super) fn ending(&self, ending: &str) -> Option<&str> {
        self.files.iter().find(|name| name.ends_with(ending)).map(String::as_str)
    }

    pub(super) fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }

    /// Returns the keys of the object `scripts` in a JSON file, with what each runs.
    pub(super) fn scripts(&self, name: &str) -> BTreeMap<String, String> {
        let json: serde_json::Value = serde_json::from_str(self.text(name)).unwrap_or_default();
        let Some(scripts) = json.get("scripts").and_then(|scripts| scripts.as_object()) else {
            return BTreeMap::new();
        };
        // A script of several commands is a list in some of these files.
        scripts
            .iter()
            .map(|(name, runs)| {
                let runs = runs.as_str().map_or_else(|| runs.to_string(), str::to_owned);
                (name.clone(), runs)
            })
            .collect()
    }
}
