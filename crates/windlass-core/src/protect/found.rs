//! What judges the work, found by the words of the commands that check it.
//!
//! A script that a command runs is the judge where it is named or kept like one; a program of the product is
//! not. Tests that a command names may be added to and not changed. What a manifest says a command means
//! counts, and the files that it names, one level deep.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{is_judge, is_test_file, is_test_folder};
use super::words::{Call, calls, join};
use super::{Only, Protected};
use crate::plan::{Plan, PlanStep, StepKind};
use crate::platform::{CommandName, Pack};

/// How often a text leads to another one: a command to a script, and what it says.
const MAX_LEVEL: usize = 2;

/// A script that is larger is not looked into.
pub const MAX_SCRIPT_BYTES: usize = 64 << 10;

/// More rules than anybody reads.
const MAX_FOUND: usize = 5_000;

/// The files that the base has, and the texts of some.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Every file, relative to the repository.
    pub paths: BTreeSet<String>,
    /// The texts that somebody asked for.
    pub texts: BTreeMap<String, String>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The rules, each with its reason.
    pub rules: Vec<Protected>,
    /// Files whose text would tell more.
    pub wants: BTreeSet<String>,
}

const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"];

const INTERPRETERS: [&str; 16] = [
    "node", "deno", "bun", "python", "python2", "python3", "pypy3", "ruby", "perl", "php", "lua",
    "tsx", "ts-node", "Rscript", "pwsh", "prove",
];

/// Options of interpreters whose next word is a file that is run first.
const PRELOADS: [&str; 4] = ["-r", "--require", "--import", "--loader"];

/// Options whose value is a file of settings.
const SETTINGS: [&str; 10] = [
    "-c",
    "-f",
    "-p",
    "--config",
    "--file",
    "--makefile",
    "--project",
    "--rcfile",
    "--settings",
    "--config-file",
];

/// Programs that run what a file of a fixed name says.
const RUNNERS: [(&str, &[&str]); 5] = [
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("gmake", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"]),
    ("rake", &["Rakefile", "rakefile", "Rakefile.rb"]),
];

const PACKAGE_MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Programs that say nothing about what a project is made with.
const COMMON: [&str; 9] = ["mkdir", "echo", "find", "xargs", "cd", "sh", "env", "cat", "test"];

/// Programs that look at files and run none: what they are given is the work.
const LOOKERS: [&str; 44] = [
    "[",
    "awk",
    "biome",
    "black",
    "cat",
    "clang-format",
    "cmp",
    "cp",
    "diff",
    "echo",
    "egrep",
    "eslint",
    "find",
    "flake8",
    "git",
    "grep",
    "gofmt",
    "head",
    "isort",
    "jq",
    "ls",
    "mkdir",
    "mv",
    "mypy",
    "oxlint",
    "prettier",
    "printf",
    "pylint",
    "pyright",
    "rg",
    "rm",
    "rubocop",
    "ruff",
    "rustfmt",
    "sed",
    "shellcheck",
    "standard",
    "tail",
    "tar",
    "test",
    "touch",
    "tsc",
    "wc",
    "xargs",
];

/// Looks for what judges the work of a plan's steps.
pub fn find(plan: &Plan, files: &Files, packs: &[Pack]) -> Found {
    let mut search = Search { files, packs, found: Found::default(), step: String::new() };
    for step in &plan.steps {
        search.step(step);
        if let StepKind::Foreach(foreach) = &step.kind {
            foreach.steps.iter().for_each(|step| search.step(step));
        }
    }
    // What makes a tree ready decides what the checks then run.
    search.step = "prepare".to_owned();
    for prepare in &plan.prepare {
        let folder = join("", prepare.folder.as_deref().unwrap_or_default());
        search.text(&prepare.run, &folder, 0);
    }
    let known = &plan.protect;
    let same = |one: &Protected, other: &Protected| {
        (&one.file, &one.keys, one.only) == (&other.file, &other.keys, other.only)
    };
    search.found.rules.retain(|rule| !known.iter().any(|other| same(rule, other)));
    search.found.rules.truncate(MAX_FOUND);
    search.found
}

struct Search<'a> {
    files: &'a Files,
    packs: &'a [Pack],
    found: Found,
    /// The step whose commands are looked at.
    step: String,
}

impl Search<'_> {
    fn step(&mut self, step: &PlanStep) {
        let Some(done) = &step.done else { return };
        self.step = step.id.to_string();
        for check in done.checks() {
            let Some(command) = check.kind.command() else { continue };
            let folder = join("", command.folder.unwrap_or_default());
            self.text(command.command, &folder, 0);
        }
    }

    /// Looks at a text of the shell that begins in `folder`.
    fn text(&mut self, text: &str, folder: &str, level: usize) {
        for call in calls(text) {
            let at = join(folder, &call.folder);
            self.call(&call, &at, level);
        }
    }

    fn call(&mut self, call: &Call, folder: &str, level: usize) {
        let [program, arguments @ ..] = call.words.as_slice() else { return };
        let name = program.rsplit('/').next().unwrap_or(program);
        if SHELLS.contains(&name) || matches!(name, "." | "source") {
            let text = arguments.iter().position(|word| word == "-c" || word == "-ec");
            match text.and_then(|at| arguments.get(at + 1)) {
                Some(text) if level < MAX_LEVEL => self.text(text, folder, level),
                Some(_) => {}
                None => self.first_script(arguments, folder, level),
            }
            return;
        }
        if program.contains('/') {
            self.script(program, folder, level);
        }
        self.platforms(call, folder);
        if INTERPRETERS.contains(&name) {
            self.preloaded(arguments, folder);
            self.first_script(arguments, folder, level);
        }
        if let Some((_, names)) = RUNNERS.iter().find(|(runner, _)| *runner == name) {
            self.runner(name, names, arguments, folder, level);
        }
        if PACKAGE_MANAGERS.contains(&name) {
            self.package_script(name, arguments, folder, level);
        }
        // Their words are targets and scripts, whatever folders are called like them.
        let names_targets = RUNNERS.iter().any(|(runner, _)| *runner == name)
            || (PACKAGE_MANAGERS.contains(&name) && name != "bun");
        let looks = |program: &str| LOOKERS.contains(&program);
        if !names_targets && !looks(name) && !programs(call).iter().any(|program| looks(program)) {
            self.arguments(arguments, folder, level);
        }
    }

    /// What a command is made with decides what it does.
    fn platforms(&mut self, call: &Call, folder: &str) {
        let called = programs(call);
        let packs = self.packs;
        for pack in packs {
            let Some(program) = called.iter().find(|program| uses(pack, program)) else { continue };
            let why = format!("`{}` runs {program} ({})", self.step, pack.display_name);
            for rule in pack.protected() {
                let rule = if folder.is_empty() { rule.clone() } else { rule.below(folder) };
                self.add(Protected { why: Some(why.clone()), ..rule });
            }
        }
    }

    /// Files that an interpreter runs before anything else.
    fn preloaded(&mut self, arguments: &[String], folder: &str) {
        for (at, word) in arguments.iter().enumerate() {
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            let next = arguments.get(at + 1).map_or("", String::as_str);
            let value = if value.is_empty() { next } else { value };
            if PRELOADS.contains(&option)
                && let Some(path) = self.file(folder, value)
            {
                self.file_rule(&path, "runs");
            }
        }
    }

    /// The first word that is no option is the script, unless an option says that there is none.
    fn first_script(&mut self, arguments: &[String], folder: &str, level: usize) {
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-e" | "-m" | "-c" | "--eval" | "--test" => return,
                option if PRELOADS.contains(&option) => drop(words.next()),
                option if option.starts_with('-') => {}
                // Subcommands of those that have some.
                "run" | "test" => {}
                script => return self.script(script, folder, level),
            }
        }
    }

    fn script(&mut self, word: &str, folder: &str, level: usize) {
        let Some(path) = self.file(folder, word) else { return };
        if !is_judge(&path) {
            return;
        }
        self.file_rule(&path, "runs");
        if level > 0 {
            return;
        }
        if let Some((below, _)) = path.rsplit_once('/')
            && is_test_folder(below)
        {
            self.tests(&format!("{}/**", globset::escape(below)));
        }
        self.inside(&path, folder);
    }

    /// What a script names beside itself.
    fn inside(&mut self, path: &str, folder: &str) {
        let Some(text) = self.files.texts.get(path) else {
            self.found.wants.insert(path.to_owned());
            return;
        };
        let beside = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let parted = |c: char| c.is_whitespace() || "'\"`;|&<>()=,".contains(c);
        for word in text.split(parted).filter(|word| word.len() > 2 && word.len() < 200) {
            // What stands before it is the folder of the script itself, in whatever words.
            let word =
                word.rsplit_once("}/").map_or(word, |(_, rest)| rest).trim_start_matches('/');
            for at in [folder, beside] {
                match self.file(at, word) {
                    Some(named) if is_judge(&named) || is_test_file(&named) => {
                        self.file_rule(&named, "runs");
                    }
                    Some(_) => {}
                    None => self.test_glob(at, word),
                }
            }
        }
    }

    /// A pattern in a folder of tests.
    fn test_glob(&mut self, folder: &str, word: &str) {
        let path = join(folder, word);
        let Some((below, name)) = path.rsplit_once('/') else { return };
        let plain = |c: char| c.is_alphanumeric() || "*._-/".contains(c);
        if name.contains('*')
            && is_test_folder(below)
            && self.is_folder(below)
            && path.chars().all(plain)
        {
            self.tests(&path);
        }
    }

    /// A file that says what a command means.
    fn runner(&mut self, name: &str, names: &[&str], words: &[String], folder: &str, level: usize) {
        let after = |option: &str| {
            let at = words.iter().position(|word| word == option)?;
            words.get(at + 1)
        };
        let folder = after("-C").map_or_else(|| folder.to_owned(), |to| join(folder, to));
        let why = format!("`{}` runs {name}, which follows it", self.step);
        if after("-f").is_none() {
            // Also those that are not there: the first of them is taken.
            for file in names {
                let file = globset::escape(&join(&folder, file));
                self.add(Protected { why: Some(why.clone()), ..Protected::whole(file) });
            }
        }
        let named = after("-f").and_then(|file| self.file(&folder, file));
        if let Some(path) = &named {
            self.file_rule(path, "follows");
        }
        let there = named.or_else(|| names.iter().find_map(|file| self.file(&folder, file)));
        let Some(path) = there.filter(|_| level < MAX_LEVEL && name.contains("make")) else {
            return;
        };
        let Some(text) = self.files.texts.get(&path) else {
            self.found.wants.insert(path);
            return;
        };
        let included = text.lines().filter_map(|line| {
            line.strip_prefix("include ").or_else(|| line.strip_prefix("-include "))
        });
        let included: Vec<String> =
            included.flat_map(str::split_whitespace).map(str::to_owned).collect();
        for file in included {
            if let Some(path) = self.file(&folder, &file) {
                self.file_rule(&path, "runs");
            }
        }
        let targets: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
        let recipe = recipe(text, &targets);
        self.text(&recipe, &folder, level + 1);
    }

    /// What `scripts` of a manifest says a command means.
    fn package_script(&mut self, name: &str, words: &[String], folder: &str, level: usize) {
        let mut words = words.iter().filter(|word| !word.starts_with('-'));
        let script = match words.next().map(String::as_str) {
            Some("run" | "run-script") => words.next().map(String::as_str),
            Some("t" | "tst") if name == "npm" => Some("test"),
            other => other,
        };
        let Some(script) = script else { return };
        let Some(path) = self.file(folder, "package.json") else { return };
        let Some(text) = self.files.texts.get(&path) else {
            self.found.wants.insert(path);
            return;
        };
        let json: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let Some(scripts) = json.get("scripts").and_then(|scripts| scripts.as_object()) else {
            return;
        };
        if !scripts.contains_key(script) {
            return;
        }
        let why = format!("`{}` runs `{name} {script}`", self.step);
        let keys = Protected::keys(globset::escape(&path), vec!["scripts".to_owned()]);
        self.add(Protected { why: Some(why), ..keys });
        for name in [format!("pre{script}"), script.to_owned(), format!("post{script}")] {
            if let Some(text) = scripts.get(&name).and_then(|text| text.as_str())
                && level < MAX_LEVEL
            {
                self.text(text, folder, level + 1);
            }
        }
    }

    /// Tests and settings among the arguments of a program.
    fn arguments(&mut self, words: &[String], folder: &str, level: usize) {
        for (at, word) in words.iter().enumerate() {
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            let is_setting = before.is_some_and(|before| SETTINGS.contains(&before.as_str()));
            let value = if option.starts_with('-') { value } else { word };
            if value.is_empty() || word.len() > 200 {
                continue;
            }
            let is_setting = is_setting || SETTINGS.contains(&option);
            if let Some(path) = self.file(folder, value) {
                if is_setting || is_test_file(&path) {
                    self.file_rule(&path, "reads");
                }
            } else if level == 0 && !is_setting {
                let path = join(folder, value);
                if is_test_folder(&path) && self.is_folder(&path) {
                    self.tests(&format!("{}/**", globset::escape(&path)));
                }
                self.test_glob(folder, value);
            }
        }
    }

    fn file(&self, folder: &str, word: &str) -> Option<String> {
        let path = join(folder, word);
        (!word.starts_with('/') && self.files.paths.contains(&path)).then_some(path)
    }

    fn is_folder(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let first = self.files.paths.range(below.clone()..).next();
        !path.is_empty() && first.is_some_and(|first| first.starts_with(&below))
    }

    fn file_rule(&mut self, path: &str, does: &str) {
        let why = Some(format!("the command of `{}` {does} it", self.step));
        self.add(Protected { why, ..Protected::whole(globset::escape(path)) });
    }

    fn tests(&mut self, glob: &str) {
        let why = Some(format!("tests that the command of `{}` runs", self.step));
        self.add(Protected { why, only: Some(Only::Existing), ..Protected::whole(glob) });
    }

    fn add(&mut self, rule: Protected) {
        let same = |other: &Protected| {
            (&other.file, &other.keys, other.only) == (&rule.file, &rule.keys, rule.only)
        };
        if !self.found.rules.iter().any(same) {
            self.found.rules.push(rule);
        }
    }
}

/// The lines below the rules of some targets; of the first rule where none is named.
fn recipe(text: &str, targets: &[&String]) -> String {
    let (mut takes, mut lines, mut had_rule) = (false, Vec::new(), false);
    for line in text.lines() {
        if let Some(command) = line.strip_prefix('\t') {
            if takes {
                lines.push(command.trim_start_matches(['@', '-', '+']));
            }
        } else if let Some((names, _)) = line.split_once(':')
            && !line.starts_with(['#', ' ', '.'])
            && !line.contains('=')
        {
            let wanted = names.split_whitespace().any(|n| targets.iter().any(|t| t.as_str() == n));
            takes = wanted || (targets.is_empty() && !had_rule);
            had_rule = true;
        }
    }
    lines.join("\n")
}

/// The programs that a call starts, by name.
fn programs(call: &Call) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let plain = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or(word);
        if name.starts_with("python") { "python".to_owned() } else { name.to_owned() }
    };
    names.extend(call.words.first().map(plain));
    let module = call.words.iter().position(|word| word == "-m");
    names.extend(module.and_then(|at| call.words.get(at + 1)).map(plain));
    // `npx`, `uv run` and their like start the next word.
    let first = call.words.first().map(String::as_str);
    if matches!(
        first,
        Some("npx" | "bunx" | "uv" | "poetry" | "bundle" | "pipenv" | "hatch" | "yarn")
    ) {
        let words = call.words.iter().skip(1).filter(|word| !word.starts_with('-'));
        let mut words = words.filter(|word| !["run", "exec"].contains(&word.as_str()));
        names.extend(words.next().map(plain));
    }
    names.retain(|name| !COMMON.contains(&name.as_str()));
    names
}

/// Whether the commands of a pack that judge start this program.
fn uses(pack: &Pack, program: &str) -> bool {
    let judging = [CommandName::Build, CommandName::Test, CommandName::Lint, CommandName::Coverage];
    let ways = judging.iter().filter_map(|name| pack.commands.get(name)).flatten();
    ways.flat_map(|way| calls(&way.run)).any(|call| programs(&call).contains(program))
}

#[cfg(test)]
#[path = "found_tests.rs"]
mod tests;
