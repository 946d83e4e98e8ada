//! Files that a command names without running them: settings in variables, lists of words, arguments that
//! stand in a file.
//!
//! What is named decides only where it can choose or switch something. A source of the product that a
//! variable names is the work; a list of tests, or a file that is read before the tests, is not.

use super::paths::Values;
use super::programs::{LINTERS, LOOKERS, OF_PATTERNS, PRELOADS, READERS, SETTINGS, TEST_RUNNERS};
use super::scripts::How;
use super::words::{Assigned, Call, join};
use super::{Place, Search};
use crate::protect::Protected;
use crate::protect::names::{is_judge, is_test_file};

/// How files end that say how something is done, or with what.
const OF_SETTINGS: [&str; 24] = [
    "txt",
    "list",
    "lst",
    "json",
    "json5",
    "jsonc",
    "toml",
    "yaml",
    "yml",
    "ini",
    "cfg",
    "conf",
    "config",
    "env",
    "rc",
    "properties",
    "xml",
    "mk",
    "args",
    "opts",
    "rules",
    "manifest",
    "runsettings",
    "files",
];

/// Manifests that ordinary work changes: what of them counts is said by key elsewhere.
const MANIFESTS: [&str; 10] = [
    "package.json",
    "package-lock.json",
    "pyproject.toml",
    "Cargo.toml",
    "composer.json",
    "pom.xml",
    "setup.cfg",
    "deno.json",
    "pubspec.yaml",
    "mix.lock",
];

/// Programs that checks are made of: a file of that name in a folder of `PATH` would be run instead.
const USUAL_PROGRAMS: &str = "{sh,bash,dash,env,test,[[],true,false,cat,cmp,diff,grep,egrep,sed,awk,find,\
    xargs,sort,head,tail,wc,tr,cut,jq,git,make,python,python3,pytest,node,npm,npx,pnpm,yarn,deno,bun,tsc,\
    jest,mocha,vitest,cargo,rustc,go,java,javac,mvn,gradle,ruby,rspec,rake,bundle,php,phpunit,perl,prove,\
    bats,dotnet,curl,timeout}";

/// How files end that list what is to be done; others hold data, which may be the work.
const OF_LISTS: [&str; 9] = ["", "txt", "list", "lst", "cases", "steps", "commands", "cmds", "sh"];

/// What programs read in a home before they do anything.
const START_FILES: &str = "{.bashrc,.bash_profile,.profile,.zshrc,.zshenv,.kshrc,.gitconfig,.npmrc,.yarnrc,\
    .yarnrc.yml,.pythonrc,.gemrc,.rspec,.inputrc,.cargo/config.toml,.config/**,git/**}";

/// The most words that are taken from one list.
const MAX_WORDS: usize = 500;

impl Search<'_> {
    /// What a variable is set to, for a command or on the command line of `make`.
    pub(super) fn assigned(&mut self, set: &Assigned, at: &Place, values: &Values) {
        let value = set.value.as_str();
        match set.name.as_str() {
            "NODE_OPTIONS" | "RUBYOPT" | "PERL5OPT" | "JAVA_TOOL_OPTIONS" | "BUN_OPTIONS" => {
                self.options(value, at, values);
            }
            "PYTEST_ADDOPTS" => self.follow(format!("pytest {value}"), at.next()),
            "PYTEST_PLUGINS" | "DJANGO_SETTINGS_MODULE" => {
                for module in value.split(',') {
                    for path in self.module(module.trim(), at) {
                        self.preloaded(&path, at);
                    }
                }
            }
            "BASH_ENV" | "ENV" | "PYTHONSTARTUP" => self.script(value, How::Sourced, at, values),
            "PYTHONPATH" => {
                for folder in value.split(':') {
                    for folder in self.files.meant(folder, at, values).folders {
                        self.hidden_modules(&folder);
                    }
                }
            }
            "HOME" | "ZDOTDIR" | "XDG_CONFIG_HOME" => {
                for folder in self.files.meant(value, at, values).folders {
                    self.start_files(&folder);
                }
                if matches!(value, "." | "$PWD" | "${PWD}" | "$(pwd)") {
                    self.start_files(&at.folder);
                }
            }
            "PATH" => {
                for folder in value.split(':') {
                    for folder in self.files.meant(folder, at, values).folders {
                        self.hidden_programs(&folder);
                    }
                }
            }
            // A variable of the script alone counts where it is used.
            _ if set.exported => self.named_settings(value, at, values),
            _ => {}
        }
    }

    /// Options of an interpreter that stand in a variable.
    fn options(&mut self, value: &str, at: &Place, values: &Values) {
        let words: Vec<&str> = value.split_whitespace().collect();
        for (number, word) in words.iter().enumerate() {
            let (option, given) = word.split_once(['=', ':']).unwrap_or((word, ""));
            // `-r./setup` and `-Mmodule` have their value at once.
            let joined = ["-r", "-M"].iter().find_map(|short| word.strip_prefix(short));
            let next = words.get(number + 1).copied().unwrap_or_default();
            let value = match (joined.filter(|rest| !rest.is_empty()), given) {
                (Some(rest), _) => rest,
                (None, "") => next,
                (None, given) => given,
            };
            let loads = PRELOADS.contains(&option) || option == "-javaagent" || joined.is_some();
            if loads {
                for path in self.with_ending(value, at, values) {
                    self.preloaded(&path, at);
                }
            } else if SETTINGS.contains(&option) {
                self.named_settings(value, at, values);
            }
        }
    }

    /// The files that a word means to an interpreter, which adds an ending of its own.
    fn with_ending(&self, word: &str, at: &Place, values: &Values) -> Vec<String> {
        let endings = ["", ".js", ".cjs", ".mjs", ".ts", ".rb", ".pm", "/index.js"];
        let found = endings
            .iter()
            .map(|ending| self.files.meant(&format!("{word}{ending}"), at, values).files)
            .find(|files| !files.is_empty());
        found.unwrap_or_default()
    }

    /// Files of settings among the words of a value.
    fn named_settings(&mut self, value: &str, at: &Place, values: &Values) {
        for word in value.split(|c: char| c.is_whitespace() || c == ',' || c == ':') {
            let word = word.rsplit_once('=').map_or(word, |(_, value)| value);
            let meant = self.files.meant(word.trim_start_matches('@'), at, values);
            if !meant.patterns.is_empty() {
                continue;
            }
            for path in meant.files {
                if is_setting(&path) {
                    self.setting(&path);
                }
            }
        }
    }

    /// Programs in a folder that stands in `PATH` before those of the machine.
    fn hidden_programs(&mut self, folder: &str) {
        let why = format!("the command of `{}` runs it in the place of another", self.step);
        let file = format!("{}/{USUAL_PROGRAMS}", globset::escape(folder));
        self.add(Protected { why: Some(why), ..Protected::whole(file) });
    }

    /// Files that programs read by themselves in what is their home.
    fn start_files(&mut self, folder: &str) {
        let why = format!("the command of `{}` has its home there", self.step);
        let above = if folder.is_empty() { String::new() } else { globset::escape(folder) + "/" };
        let rule = Protected::whole(format!("{above}{START_FILES}"));
        self.add(Protected { why: Some(why), ..rule });
    }

    /// What a judge reads as its input, where that is a list of what it does.
    pub(super) fn judge_input(&mut self, call: &Call, at: &Place, values: &Values) {
        let Some(input) = call.input.as_deref() else { return };
        let judges = |word: &String| {
            let name = word.rsplit('/').next().unwrap_or(word);
            TEST_RUNNERS.contains(&name) || (word.contains(['/', '.']) && is_judge(word))
        };
        if at.is_doubtful() || !call.words.iter().any(judges) {
            return;
        }
        for path in self.lists(input, at, values) {
            let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            if OF_LISTS.contains(&ending) || is_judge(&path) || is_test_file(&path) {
                self.file_rule(&path, "reads");
            }
        }
    }

    /// A file whose words are arguments: it counts, and so do the tests that it names. Returns the words.
    pub(super) fn listed(&mut self, path: &str, at: &Place) -> Vec<String> {
        self.file_rule(path, "takes words from");
        let Some(text) = self.text_of(path) else { return Vec::new() };
        let place = Place { script: Some(path.to_owned()), ..at.next() };
        if place.level <= super::MAX_LEVEL {
            self.named_in(&text, &place);
        }
        let words = text.split_whitespace().filter(|word| !word.starts_with('#'));
        // What is computed there, or another list, could lead here again.
        words
            .filter(|word| !word.contains(['$', '`', '@']))
            .take(MAX_WORDS)
            .map(str::to_owned)
            .collect()
    }

    /// The lists that a text reads: `$(cat FILE)`, or the name of a file.
    pub(super) fn lists(&self, word: &str, at: &Place, values: &Values) -> Vec<String> {
        let inner = word.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
        let words: Vec<&str> = match inner {
            Some(inner) => match inner.trim_start().strip_prefix('<') {
                Some(file) => vec![file.trim()],
                None => {
                    let mut words = inner.split_whitespace();
                    if !words.next().is_some_and(|first| READERS.contains(&first)) {
                        return Vec::new();
                    }
                    words.take_while(|word| !["|", ";", "&&", "||"].contains(word)).collect()
                }
            },
            None => vec![word],
        };
        let named = |word: &&str| {
            let word = word.trim_matches(['"', '\'']).trim_start_matches('<');
            let meant = self.files.meant(word, at, values);
            if meant.patterns.is_empty() { meant.files } else { Vec::new() }
        };
        words.iter().flat_map(named).collect()
    }

    /// The words of a call with those of its lists in their place; none where it has no list.
    pub(super) fn with_lists(
        &mut self,
        call: &Call,
        at: &Place,
        values: &Values,
    ) -> Option<Vec<String>> {
        let program = call.words.first()?;
        let name = program.rsplit('/').next().unwrap_or(program);
        if LOOKERS.contains(&name) || at.is_doubtful() {
            return None;
        }
        let (mut words, mut any) = (Vec::new(), false);
        for (number, word) in call.words.iter().enumerate() {
            let file = match word.strip_prefix('@') {
                // `@FILE` is a list to most programs that are given one, and data to a client of the web.
                Some(file) if number > 0 && !["curl", "http", "wget"].contains(&name) => file,
                Some(_) => "",
                None if word.starts_with("$(") => word,
                None => "",
            };
            let found = if file.is_empty() { Vec::new() } else { self.lists(file, at, values) };
            any |= !found.is_empty();
            match (found.is_empty(), number) {
                (true, _) => words.push(word.clone()),
                // `env $(cat .env) program`: they are set, and the next word is run.
                (false, 0) => found.iter().for_each(|path| drop(self.listed(path, at))),
                (false, _) => {
                    for path in found {
                        words.extend(self.listed(&path, at));
                    }
                }
            }
        }
        any.then_some(words)
    }

    /// What decides among the words of a program that only looks: patterns and settings of its own.
    pub(super) fn looker(&mut self, name: &str, call: &Call, at: &Place, values: &Values) {
        let words = &call.words[1..];
        for (number, word) in words.iter().enumerate() {
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            let next = words.get(number + 1).map_or("", String::as_str);
            let value = if value.is_empty() { next } else { value };
            // `-rf FILE` is several short ones.
            let short =
                option.starts_with('-') && !option.starts_with("--") && option.ends_with('f');
            let patterns = OF_PATTERNS.contains(&name)
                && (short || ["--file", "--from-file"].contains(&option));
            let settings = LINTERS.contains(&name)
                && (SETTINGS.contains(&option) || option == "--settings-path");
            for path in self.files.meant(value, at, values).files {
                if patterns {
                    self.file_rule(&path, "looks by");
                } else if settings {
                    let why = Some(format!("the command of `{}` reads it", self.step));
                    let rule = Protected::whole(globset::escape(&path));
                    self.add(Protected { why, later: true, ..rule });
                }
            }
        }
    }

    /// A package of the repository that is there for development only, and whose program a script calls.
    pub(super) fn own_tools(&mut self, manifest: &serde_json::Value, text: &str, at: &Place) {
        let Some(all) = manifest.get("devDependencies").and_then(|all| all.as_object()) else {
            return;
        };
        for (name, version) in all {
            let local = ["file:", "link:", "portal:"];
            let version = version.as_str().unwrap_or_default();
            let Some(path) = local.iter().find_map(|kind| version.strip_prefix(kind)) else {
                continue;
            };
            let folder = join(&at.folder, path);
            let own = self.text_of(&join(&folder, "package.json"));
            let bins = own.as_deref().map(programs_of).unwrap_or_default();
            let is_called = |word: &str| {
                word == name
                    || name.rsplit('/').next() == Some(word)
                    || bins.iter().any(|b| b == word)
            };
            let called = text.split(|c: char| c.is_whitespace() || "'\"=;&|".contains(c));
            if self.files.is_folder(&folder) && called.into_iter().any(is_called) {
                let why = format!("the command of `{}` runs it as a tool", self.step);
                let rule = Protected::whole(globset::escape(&folder) + "/**");
                self.add(Protected { why: Some(why), ..rule });
            }
        }
    }
}

/// The names of the programs that a package brings.
fn programs_of(manifest: &str) -> Vec<String> {
    let manifest: serde_json::Value = serde_json::from_str(manifest).unwrap_or_default();
    let bins = manifest.get("bin").and_then(|bin| bin.as_object());
    bins.map(|bins| bins.keys().cloned().collect()).unwrap_or_default()
}

/// Whether a file that something is told by its name says how it is done.
fn is_setting(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if MANIFESTS.contains(&name) {
        return false;
    }
    let by_ending = match name.rsplit_once('.') {
        Some(("", _)) => true,
        Some((_, ending)) => OF_SETTINGS.contains(&ending),
        None => false,
    };
    by_ending || is_judge(path) || is_test_file(path)
}
