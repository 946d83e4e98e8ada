//! Scripts that a command runs or reads in, and what they lead to.

use super::paths::Values;
use super::words::join;
use super::{Place, Search};
use crate::protect::Only;
use crate::protect::names::{is_judge, is_test_file, is_test_folder};

/// How a script comes to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// As a program of its own: the product is run like that, too.
    Started,
    /// As part of the text that names it.
    Sourced,
    /// As one of many that a pattern finds: a test.
    Test,
}

/// Endings of scripts that the shell runs.
const OF_SHELL: [&str; 5] = ["sh", "bash", "zsh", "ksh", "bats"];

impl Search<'_> {
    pub(super) fn script(&mut self, word: &str, how: How, at: &Place, values: &Values) {
        let meant = self.files.meant(word, at, values);
        if how == How::Sourced && meant.files.is_empty() && !word.contains(['$', '*']) {
            self.absent(word, at);
        }
        if meant.unknown {
            self.unfollowed(&format!("`{word}` is computed"));
        }
        self.suite_word(&meant, at, false);
        let many = how == How::Started && !meant.patterns.is_empty();
        for path in meant.files {
            let how =
                if many && path.rsplit_once('/').is_some_and(|(below, _)| is_test_folder(below)) {
                    How::Test
                } else {
                    how
                };
            self.script_file(&path, how, at);
        }
    }

    /// What is read in only if it is there changes everything as soon as it is. A text that fails without
    /// it waits for the work instead.
    fn absent(&mut self, word: &str, at: &Place) {
        let plain = self.current.replace(['"', '\''], "");
        let name = word.trim_start_matches("./");
        let may_fail = [format!("{word} ||"), format!("{word} 2>")];
        let optional =
            plain.matches(name).count() > 1 || may_fail.iter().any(|part| plain.contains(part));
        if optional && !at.is_doubtful() && !word.starts_with(['/', '~']) {
            self.file_rule(&join(&at.folder, word), "would run");
        }
    }

    pub(super) fn script_file(&mut self, path: &str, how: How, at: &Place) {
        let judges = is_judge(path) || (how == How::Sourced && !at.is_doubtful());
        let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
        let of_shell = ending.is_none_or(|(_, ending)| OF_SHELL.contains(&ending));
        let mut next = Place { script: Some(path.to_owned()), ..at.next() };
        if judges {
            match how {
                How::Test => self.tests(&globset::escape(path), Only::Existing),
                How::Started | How::Sourced => self.file_rule(path, "runs"),
            }
            next.via.clear();
            if let Some((below, _)) = path.rsplit_once('/')
                && is_test_folder(below)
                && (at.level == 0 || at.suite)
            {
                let below = below.to_owned();
                self.tests_in(&below);
                // Also the folder that a link leads to.
                if let Some(real) = self.files.real(&below).filter(|real| *real != below) {
                    self.tests_in(&real);
                }
            }
        } else if !of_shell || next.via.len() >= super::MAX_LEVEL {
            // A program of the product.
            return;
        } else {
            next.via.push(path.to_owned());
        }
        if next.level > super::MAX_LEVEL {
            return self.unfollowed(&format!("what `{path}` leads to is too far away"));
        }
        // Scripts name each other, also in a circle.
        let how = if judges { "judge" } else { "doubtful" };
        if !self.scripts.insert((at.folder.clone(), path.to_owned(), how)) {
            return;
        }
        let Some(text) = self.text_of(path) else { return };
        if judges {
            self.named_in(&text, &next);
        }
        let first = text.lines().next().unwrap_or_default();
        if of_shell && (!first.starts_with("#!") || first.contains("sh")) {
            self.follow(text, next);
        }
    }

    /// Judges and tests that a text of whatever language names.
    pub(super) fn named_in(&mut self, text: &str, at: &Place) {
        let parted = |c: char| c.is_whitespace() || "'\"`;|&<>()=,".contains(c);
        let none = Values::new();
        let mut names = Vec::new();
        for word in text.split(parted).filter(|word| word.len() > 2 && word.len() < 200) {
            // What stands before it is the folder of the script itself, in whatever words.
            let word =
                word.rsplit_once("}/").map_or(word, |(_, rest)| rest).trim_start_matches('/');
            let meant = self.files.meant(word, at, &none);
            if !meant.patterns.is_empty() {
                self.suite_word(&meant, at, false);
            } else {
                names.extend(
                    meant.files.into_iter().filter(|path| is_judge(path) || is_test_file(path)),
                );
            }
            names.extend(self.imported(word, at));
        }
        names.sort();
        names.dedup();
        for path in names {
            match is_judge(&path) {
                true => self.script_file(&path, How::Started, at),
                false => self.file_rule(&path, "runs"),
            }
        }
    }

    /// A name that a language gives an ending of its own.
    fn imported(&self, word: &str, at: &Place) -> Vec<String> {
        let beside = at.script.as_deref().and_then(|path| path.rsplit_once('/'));
        let beside = beside.map_or("", |(folder, _)| folder);
        let of_script = at.script.as_deref().and_then(|path| path.rsplit_once('.'));
        let judges = |path: &String| is_judge(path) || is_test_file(path);
        let endings: &[&str] = match of_script.map(|(_, ending)| ending) {
            Some("py") => {
                let here = Place { folder: beside.to_owned(), ..at.clone() };
                let word = word.trim_start_matches('.');
                let found = self.module(word, &here).into_iter().chain(self.module(word, at));
                return found.filter(judges).collect();
            }
            Some("js" | "mjs" | "cjs" | "ts" | "mts") if word.starts_with('.') => {
                &[".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"]
            }
            Some("rb") => &[".rb"],
            Some("pl" | "t") => &[".pm", ".pl"],
            _ => return Vec::new(),
        };
        let path = join(beside, word);
        let files = endings.iter().map(|ending| format!("{path}{ending}"));
        files.filter(|file| self.files.paths.contains(file)).filter(judges).collect()
    }

    /// Files that an interpreter runs before anything else.
    pub(super) fn preloaded(&mut self, path: &str, at: &Place) {
        self.file_rule(path, "runs");
        let next = Place { script: Some(path.to_owned()), ..at.next() };
        if let Some(text) = self.text_of(path) {
            self.named_in(&text, &next);
        }
    }
}
