//! A repository as detection sees it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{FileTest, TOP, dependency, script};
use crate::glob;

/// The files of a repository, and the texts of those that somebody looks into.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The names of the files in each folder.
    folders: BTreeMap<String, BTreeSet<String>>,
    texts: BTreeMap<String, String>,
    programs: BTreeSet<String>,
}

impl Listing {
    /// Makes a listing of paths relative to the repository; those that cannot be one are left out.
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        let mut listing = Self::default();
        for path in paths {
            if glob::stays_inside(&path).is_err() {
                continue;
            }
            let (folder, name) = path.rsplit_once('/').unwrap_or((TOP, &path));
            listing.folders.entry(folder.to_owned()).or_default().insert(name.to_owned());
        }
        listing
    }

    /// Adds the text of a file.
    pub fn add_text(&mut self, path: String, text: String) {
        self.texts.insert(path, text);
    }

    /// Notes a program that the machine has, or a module of Python as `python3:NAME`.
    pub fn add_program(&mut self, name: String) {
        self.programs.insert(name);
    }

    pub(super) fn has_program(&self, name: &str) -> bool {
        self.programs.contains(name)
    }

    /// Returns the text of a file, as far as it was handed over.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    /// Returns every path at or below a folder, relative to that folder.
    pub(super) fn below<'l>(&'l self, root: &'l str) -> impl Iterator<Item = String> + 'l {
        let inside = self
            .folders
            .iter()
            .filter(move |(folder, _)| folder.as_str() == root || is_below(folder, root));
        inside.flat_map(move |(folder, names)| {
            let folder = match root {
                TOP => folder.as_str(),
                _ => folder.strip_prefix(root).unwrap_or("").trim_start_matches('/'),
            };
            let folder = if folder.is_empty() { TOP } else { folder };
            names.iter().map(move |name| join(folder, name))
        })
    }

    /// Returns every folder that has files of its own or below it, the shallowest first.
    pub(super) fn folders(&self) -> Vec<String> {
        let mut all = BTreeSet::new();
        for folder in self.folders.keys() {
            let mut at = folder.as_str();
            while all.insert(at.to_owned()) {
                at = at.rsplit_once('/').map_or(TOP, |(above, _)| above);
            }
        }
        let mut all: Vec<String> = all.into_iter().collect();
        all.sort_by_key(|folder| (depth(folder), folder.clone()));
        all
    }

    /// Returns whether the repository's own folder has a file or a folder of this name.
    pub(crate) fn is_at_top(&self, name: &str) -> bool {
        self.has(TOP, name)
            || self.folders.keys().any(|folder| folder.split('/').next() == Some(name))
    }

    /// Returns whether `root` has this file.
    pub(crate) fn has_file(&self, root: &str, file: &str) -> bool {
        self.has(root, file)
    }

    pub(super) fn has(&self, root: &str, file: &str) -> bool {
        let path = join(root, file);
        let (folder, name) = path.rsplit_once('/').unwrap_or((TOP, &path));
        self.folders.get(folder).is_some_and(|names| names.contains(name))
    }

    /// Returns the files below `root` that a test may be about, whatever is in them.
    pub(super) fn candidates(&self, root: &str, test: &FileTest) -> Vec<String> {
        if !test.any.is_empty() {
            return test.any.iter().flat_map(|one| self.candidates(root, one)).collect();
        }
        let (below, name) = test.file.rsplit_once('/').unwrap_or(("", &test.file));
        let folder = if below.is_empty() { root.to_owned() } else { join(root, below) };
        let Some(names) = self.folders.get(&folder) else { return Vec::new() };
        let found: Vec<&String> = match glob::compile(name) {
            Ok(glob) if is_pattern(name) => {
                let matcher = glob.compile_matcher();
                names.iter().filter(|name| matcher.is_match(name)).collect()
            }
            Ok(_) | Err(_) => names.get(name).into_iter().collect(),
        };
        found.into_iter().map(|name| join(&folder, name)).collect()
    }

    /// Returns the file below `root` that passes a test.
    pub(super) fn find(&self, root: &str, test: &FileTest) -> Option<String> {
        if !test.any.is_empty() {
            return test.any.iter().find_map(|one| self.find(root, one));
        }
        let candidates = self.candidates(root, test);
        candidates.into_iter().find(|path| !test.looks_inside() || self.passes(path, test))
    }

    /// Returns the name that `*` stands for in the key of a test.
    pub(super) fn group(&self, root: &str, test: &FileTest) -> Option<String> {
        if !test.any.is_empty() {
            return test.any.iter().find_map(|one| self.group(root, one));
        }
        let key = test.key.as_ref().filter(|key| key.contains('*'))?;
        let path = self.find(root, test)?;
        dependency::group(&path, self.texts.get(&path)?, key, test.depends.as_deref())
    }

    fn passes(&self, path: &str, test: &FileTest) -> bool {
        let Some(text) = self.texts.get(path) else { return false };
        test.contains.as_ref().is_none_or(|wanted| text.contains(wanted))
            && test.lacks.as_ref().is_none_or(|unwanted| !text.contains(unwanted))
            && test.key.as_ref().is_none_or(|key| match key.contains('*') {
                true => dependency::group(path, text, key, test.depends.as_deref()).is_some(),
                false => value_of(path, text, key).is_some(),
            })
            && test.depends.as_ref().is_none_or(|name| match &test.key {
                Some(key) => dependency::group(path, text, key, Some(name)).is_some(),
                None => dependency::names(path, text, name),
            })
            && test.target.as_ref().is_none_or(|name| script::has_target(text, name))
            && test.calls.as_ref().is_none_or(|program| {
                let value = test.key.as_ref().and_then(|key| value_of(path, text, key));
                value.is_some_and(|value| calls(&value, program))
            })
    }
}

/// Returns the value of a key of a JSON or TOML file, with dots between the levels.
pub(super) fn value_of(path: &str, text: &str, key: &str) -> Option<Value> {
    let document = dependency::document(path, text)?;
    key.split('.').try_fold(&document, |value, part| value.get(part)).cloned()
}

/// Whether a script calls a program at its end; of several commands each would get the arguments.
fn calls(script: &Value, program: &str) -> bool {
    let text = match script {
        Value::String(text) => Some(text),
        Value::Array(all) => match all.as_slice() {
            [Value::String(text)] => Some(text),
            [..] => None,
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    };
    text.is_some_and(|text| script::ends_in_call(text, program))
}

/// Returns whether a name means more than itself.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[', '{', '\\'])
}

pub(super) fn join(folder: &str, path: &str) -> String {
    if folder == TOP { path.to_owned() } else { format!("{folder}/{path}") }
}

pub(super) fn depth(folder: &str) -> usize {
    if folder == TOP { 0 } else { 1 + folder.matches('/').count() }
}

/// Returns whether `folder` lies below `above`.
pub(super) fn is_below(folder: &str, above: &str) -> bool {
    folder != above
        && (above == TOP || folder.strip_prefix(above).is_some_and(|rest| rest.starts_with('/')))
}
