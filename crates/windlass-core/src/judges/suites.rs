//! Tests: those that are there may not change, ordinary ones may be added, and helpers may not.

use super::paths::{Meant, Values};
use super::words::join;
use super::{Place, Search};
use crate::protect::names::is_test_folder;
use crate::protect::{Only, Protected};

/// Names of tests, for a folder that holds more than these.
const NAMED: [&str; 4] = [
    "{test_*,test-*,*_test.*,*_tests.*,*-test.*,*.test.*,*.tests.*,*_spec.*,*-spec.*,*.spec.*}",
    "{*Test.*,*Tests.*,*Spec.*,test.*,tests.*}",
    "{test,tests,spec,specs,__tests__}/**",
    "test*.py",
];

impl Search<'_> {
    /// All that lies in a folder of tests.
    pub(super) fn tests_in(&mut self, folder: &str) {
        let below = |name: &str| match folder {
            "" => name.to_owned(),
            folder => format!("{}/{name}", globset::escape(folder)),
        };
        self.tests(&below("**"), Only::Existing);
        self.tests(&below("**"), Only::Helpers);
        // A link in its place brings other files.
        if self.files.links.contains_key(folder) {
            self.file_rule(folder, "runs tests through");
        }
    }

    /// Those in a folder that are tests by their names.
    pub(super) fn named_tests_in(&mut self, folder: &str) {
        let above = if folder.is_empty() { String::new() } else { globset::escape(folder) + "/" };
        for name in NAMED {
            self.tests(&format!("{above}**/{name}"), Only::Existing);
        }
        self.tests(&format!("{above}**/conftest.py"), Only::New);
    }

    pub(super) fn tests(&mut self, glob: &str, only: Only) {
        let why = Some(format!("tests that the command of `{}` runs", self.step));
        self.add(Protected { why, only: Some(only), ..Protected::whole(glob) });
    }

    /// Modules of a folder that Python looks into first.
    pub(super) fn hidden_modules(&mut self, folder: &str) {
        let why = format!("the command of `{}` imports it in the place of another", self.step);
        let above = if folder.is_empty() { String::new() } else { globset::escape(folder) + "/" };
        for name in ["*.py", "*/__init__.py"] {
            let rule = Protected::whole(format!("{above}{name}"));
            self.add(Protected { why: Some(why.clone()), only: Some(Only::Shadows), ..rule });
        }
    }

    /// What a word of a program that runs tests means.
    pub(super) fn suite_word(&mut self, meant: &Meant, at: &Place, runs_tests: bool) {
        if at.level > 0 && !at.suite {
            return;
        }
        // By its own name or by that of a link that leads to it.
        let of_tests = meant.folders.iter().any(|folder| is_test_folder(folder));
        for folder in &meant.folders {
            if of_tests {
                self.tests_in(folder);
            } else if runs_tests {
                self.named_tests_in(folder);
            }
        }
        for pattern in &meant.patterns {
            let below = pattern.rsplit_once('/').map_or("", |(below, _)| below);
            if is_test_folder(below) || runs_tests {
                self.tests(pattern, Only::Existing);
                let fixed: Vec<&str> =
                    below.split('/').take_while(|part| !part.contains(['*', '{', '['])).collect();
                let fixed = fixed.join("/");
                if is_test_folder(&fixed) {
                    let below = format!("{}/**", globset::escape(&fixed));
                    self.tests(&below, Only::Helpers);
                }
            }
        }
    }

    /// Those in folders of tests, where tests may lie beside the code as well: these are counted instead.
    pub(super) fn test_folders(&mut self, at: &Place) {
        if at.suite && is_test_folder(&at.folder) {
            self.tests_in(&at.folder.clone());
        } else if at.suite {
            let above = if at.folder.is_empty() {
                String::new()
            } else {
                globset::escape(&at.folder) + "/"
            };
            self.tests(&format!("{above}**/{{test,tests}}/**"), Only::Existing);
            self.tests(&format!("{above}**/{{test,tests}}/**"), Only::Helpers);
        }
    }

    /// A runner that is given no tests looks for them itself.
    pub(super) fn looked_for(&mut self, at: &Place) {
        if !at.suite {
            return;
        }
        match is_test_folder(&at.folder) {
            true => self.tests_in(&at.folder.clone()),
            false => self.named_tests_in(&at.folder.clone()),
        }
    }

    /// A dotted name of Python as the files that it means.
    pub(super) fn module(&self, name: &str, at: &Place) -> Vec<String> {
        let parts: Vec<&str> = name.split('.').collect();
        let plain =
            |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !parts.iter().all(plain) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for end in (1..=parts.len()).rev() {
            let path = join(&at.folder, &parts[..end].join("/"));
            let files = ["", "/__init__", "/__main__"].map(|more| format!("{path}{more}.py"));
            found.extend(files.into_iter().filter(|file| self.files.real(file).is_some()));
        }
        found
    }

    /// Whether all words mean nothing.
    pub(super) fn names_nothing(&self, words: &[String], at: &Place, values: &Values) -> bool {
        words.iter().all(|word| {
            let meant = self.files.meant(word, at, values);
            meant.files.is_empty() && meant.folders.is_empty() && self.module(word, at).is_empty()
        })
    }
}
