//! Which versions, and where they are.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::workspace::root;

/// One CLI of `.ci/agents.json`.
#[derive(Debug)]
pub(super) struct Pinned {
    pub(super) name: String,
    package: String,
    /// The program inside the set's `node_modules`; `*` stands for what differs by platform.
    program: String,
    pub(super) version: String,
    pub(super) set: String,
}

/// What is installed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Here(PathBuf),
    Other(String),
    Nothing,
}

impl Pinned {
    pub(super) fn of(name: &str) -> Self {
        let file = root().join(".ci/agents.json");
        let text = fs_err::read_to_string(&file).expect("the pinned versions");
        let all: Value = serde_json::from_str(&text).expect("JSON in .ci/agents.json");
        let field = |key: &str| {
            let value = all[name][key].as_str();
            value.unwrap_or_else(|| panic!(".ci/agents.json: {name} has no {key}")).to_owned()
        };
        Self {
            name: name.to_owned(),
            package: field("package"),
            program: field("program"),
            version: field("version"),
            set: field("set"),
        }
    }

    pub(super) fn installer(&self) -> String {
        format!("`.ci/agents {}`", self.set)
    }

    pub(super) fn find(&self) -> Found {
        let modules = root().join(".cache/agents").join(&self.set).join("node_modules");
        let manifest = modules.join(&self.package).join("package.json");
        let Ok(text) = fs_err::read_to_string(manifest) else { return Found::Nothing };
        let package: Value = serde_json::from_str(&text).unwrap_or_default();
        let version = package["version"].as_str().unwrap_or_default();
        if version != self.version {
            return Found::Other(version.to_owned());
        }
        matching(&modules, &self.program).map_or(Found::Nothing, Found::Here)
    }
}

/// The first file whose path matches; a `*` stands for any letters inside one part.
fn matching(folder: &Path, pattern: &str) -> Option<PathBuf> {
    let (part, rest) = match pattern.split_once('/') {
        Some((part, rest)) => (part, Some(rest)),
        None => (pattern, None),
    };
    let mut names: Vec<String> = match part.split_once('*') {
        None => vec![part.to_owned()],
        Some((begin, end)) => {
            let entries = fs_err::read_dir(folder).ok()?.flatten();
            let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
            names.filter(|name| name.starts_with(begin) && name.ends_with(end)).collect()
        }
    };
    names.sort();
    names.into_iter().map(|name| folder.join(name)).find_map(|path| match rest {
        Some(rest) => matching(&path, rest),
        None => path.is_file().then_some(path),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_behind_names_that_differ_by_platform() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("@a/cli-linux-x64/vendor/musl/bin/cli");
        fs_err::create_dir_all(program.parent().expect("a folder")).expect("folders");
        fs_err::create_dir_all(folder.path().join("@a/cli-other")).expect("a folder");
        fs_err::write(&program, "").expect("a file");
        assert_eq!(matching(folder.path(), "@a/cli-*/vendor/*/bin/cli"), Some(program));
        assert_eq!(matching(folder.path(), "@a/cli-*/bin/cli"), None);
    }
}
