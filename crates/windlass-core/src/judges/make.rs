//! Makefiles: the targets that are wanted, what they need, and the recipes of both.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::Values;
use super::words::{Assigned, join};
use super::{Place, Search};
use crate::protect::{Only, Protected};

/// How deep variables are put in, and how many files are included.
const MAX_DEPTH: usize = 8;
const MAX_INCLUDED: usize = 40;

/// The longest text that comes of putting variables in.
const MAX_EXPANDED: usize = 64 << 10;

/// What a makefile says.
#[derive(Debug, Default)]
pub(super) struct Makefile {
    variables: BTreeMap<String, String>,
    rules: Vec<MakeRule>,
    includes: Vec<String>,
}

#[derive(Debug, Default)]
struct MakeRule {
    targets: Vec<String>,
    needs: Vec<String>,
    recipe: Vec<String>,
}

impl Makefile {
    pub(super) fn read(&mut self, text: &str) {
        let text = text.replace("\\\n", " ");
        let mut in_rule = false;
        for line in text.lines() {
            if let Some(command) = line.strip_prefix('\t') {
                if let Some(rule) = self.rules.last_mut().filter(|_| in_rule) {
                    rule.recipe.push(command.trim_start_matches(['@', '-', '+', ' ']).to_owned());
                }
                continue;
            }
            let line = line.trim();
            let words = line.trim_start_matches("export ").trim_start_matches("override ");
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let included = ["include ", "-include ", "sinclude "];
            if let Some(files) = included.iter().find_map(|word| line.strip_prefix(word)) {
                // Parted when variables are put in: `$(wildcard a/*.mk)` has a space of its own.
                self.includes.push(files.to_owned());
                continue;
            }
            let equals = words.find('=');
            let colon = colon(words);
            match (equals, colon) {
                // `A := b` and `a: B = c` differ in what comes first.
                (Some(equals), colon) if colon.is_none_or(|colon| colon + 2 >= equals) => {
                    in_rule = false;
                    let name = words[..equals].trim_end_matches([':', '?', '+', '!', ' ', '\t']);
                    let value = words[equals + 1..].trim();
                    let old = self.variables.entry(name.trim().to_owned()).or_default();
                    // Both, where it is set twice: which of them counts is computed.
                    *old = if old.is_empty() { value.to_owned() } else { format!("{old} {value}") };
                }
                (_, Some(colon)) => {
                    in_rule = true;
                    let rest = words[colon..].trim_start_matches(':');
                    let (needs, inline) = rest.split_once(';').unwrap_or((rest, ""));
                    let list = |text: &str| -> Vec<String> {
                        text.split_whitespace()
                            .filter(|word| *word != "|")
                            .map(str::to_owned)
                            .collect()
                    };
                    let recipe = (!inline.trim().is_empty()).then(|| inline.trim().to_owned());
                    self.rules.push(MakeRule {
                        targets: list(&words[..colon]),
                        needs: list(needs),
                        recipe: recipe.into_iter().collect(),
                    });
                }
                _ => {}
            }
        }
    }

    /// Puts variables in.
    fn expand(&self, text: &str, depth: usize) -> String {
        let mut done = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            done.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            let close = match after.chars().next() {
                Some('(') => ')',
                Some('{') => '}',
                Some('$') => {
                    done.push('$');
                    rest = &after[1..];
                    continue;
                }
                _ => {
                    done.push('$');
                    rest = after;
                    continue;
                }
            };
            let open = if close == ')' { '(' } else { '{' };
            let (mut level, mut end) = (0, after.len());
            for (at, sign) in after.char_indices() {
                level += i32::from(sign == open) - i32::from(sign == close);
                if level == 0 {
                    end = at;
                    break;
                }
            }
            let name = &after[1..end.max(1)];
            rest = after.get(end + 1..).unwrap_or_default();
            let value = match self.variables.get(name) {
                _ if depth >= MAX_DEPTH || done.len() > MAX_EXPANDED => String::new(),
                Some(value) => self.expand(value, depth + 1),
                None if name == "MAKE" => "make".to_owned(),
                None if name == "CURDIR" => ".".to_owned(),
                // `$(shell x)` runs x, and of other functions the words count.
                None => name.split_once(' ').map_or_else(String::new, |(function, words)| {
                    let words = self.expand(words, depth + 1);
                    if function == "shell" {
                        format!("$({words})")
                    } else {
                        words.replace(',', " ")
                    }
                }),
            };
            done.push_str(&value);
        }
        done + rest
    }

    /// The recipes of targets and of all that they need; of the first rule where none is named. With them the
    /// targets that a file of their name would make up to date.
    fn recipes(&self, targets: &[String]) -> (String, BTreeSet<String>) {
        let words = |list: &[String]| -> Vec<String> {
            self.expand(&list.join(" "), 0).split_whitespace().map(str::to_owned).collect()
        };
        let rules: Vec<(Vec<String>, Vec<String>, &MakeRule)> = self
            .rules
            .iter()
            .map(|rule| (words(&rule.targets), words(&rule.needs), rule))
            .collect();
        let is_special = |name: &String| name.starts_with('.') && !name.contains('/');
        let mut wanted: Vec<String> = targets.to_vec();
        if wanted.is_empty() {
            let goal = self.variables.get(".DEFAULT_GOAL").cloned();
            let first = rules.iter().flat_map(|(names, ..)| names).find(|name| !is_special(name));
            wanted.extend(goal.or_else(|| first.cloned()));
        }
        let phony = rules.iter().filter(|(names, ..)| names.iter().any(|name| name == ".PHONY"));
        let phony: BTreeSet<&String> = phony.flat_map(|(_, needs, _)| needs).collect();
        let (mut seen, mut lines) = (BTreeSet::new(), Vec::new());
        let mut as_files = BTreeSet::new();
        while let Some(target) = wanted.pop() {
            if !seen.insert(target.clone()) {
                continue;
            }
            let fits = |name: &String| match name.split_once('%') {
                Some((head, tail)) => target.starts_with(head) && target.ends_with(tail),
                None => *name == target,
            };
            for (_, needs, rule) in rules.iter().filter(|(names, ..)| names.iter().any(fits)) {
                wanted.extend(needs.iter().cloned());
                if !phony.contains(&target) && !target.contains(['$', '%', '*', '?', '[']) {
                    as_files.insert(target.clone());
                }
                // `$<` and `$^` are what it needs, `$@` what it makes.
                for line in &rule.recipe {
                    let line = self.expand(line, 0);
                    let all = needs.join(" ");
                    let line = line.replace("$<", &all).replace("$^", &all).replace("$@", &target);
                    lines.push(line.trim_start_matches(['@', '-', '+']).to_owned());
                }
            }
        }
        (lines.join("\n"), as_files)
    }
}

/// Where the colon of a rule stands: not one within a variable.
fn colon(line: &str) -> Option<usize> {
    let mut level = 0;
    line.char_indices().find_map(|(at, sign)| {
        level += i32::from("({".contains(sign)) - i32::from(")}".contains(sign));
        (sign == ':' && level == 0).then_some(at)
    })
}

impl Search<'_> {
    pub(super) fn make(&mut self, words: &[String], at: &Place, names: &[&str]) {
        let mut make = Makefile::default();
        let (mut folder, mut files, mut targets) = (at.folder.clone(), Vec::new(), Vec::new());
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            let mut value_of = |short: &str| match (option.strip_prefix(short), value) {
                (Some(""), "") => words.next().cloned(),
                (Some(joined), "") if !short.starts_with("--") => Some(joined.to_owned()),
                (Some(""), value) => Some(value.to_owned()),
                _ => None,
            };
            if word.starts_with("-C") || option == "--directory" {
                let to = value_of(if option == "--directory" { option } else { "-C" });
                folder = join(&folder, &to.unwrap_or_default());
            } else if word.starts_with("-f") || ["--file", "--makefile"].contains(&option) {
                files.extend(value_of(if option.starts_with("--") { option } else { "-f" }));
            } else if ["-j", "-l", "-o", "-W", "-I", "--include-dir"].contains(&option) {
                // The number of `-j` is optional.
                if !["-j", "-l"].contains(&option) {
                    let _ = words.next();
                }
            } else if word.starts_with('-') || word.parse::<u32>().is_ok() {
            } else if word.contains('=') {
                make.variables.insert(option.to_owned(), value.to_owned());
                let here = Place { folder: folder.clone(), ..at.clone() };
                let (name, value) = (option.to_owned(), value.to_owned());
                let set = Assigned { name, value, exported: true };
                self.assigned(&set, &here, &Values::new());
            } else {
                targets.push(word.clone());
            }
        }
        let here = Place { folder: folder.clone(), ..at.next() };
        let given = !files.is_empty();
        if !given {
            // Also those that are not there: the first of them is taken.
            let why = format!("`{}` runs make, which follows it", self.step);
            for file in names {
                let file = globset::escape(&join(&folder, file));
                self.add(Protected { why: Some(why.clone()), ..Protected::whole(file) });
            }
            let there = names.iter().find(|file| self.files.real(&join(&folder, file)).is_some());
            files.extend(there.map(|file| (*file).to_owned()));
        }
        let mut included = 0;
        while let Some(file) = files.pop() {
            for word in make.expand(&file, 0).split_whitespace() {
                included += 1;
                if included > MAX_INCLUDED {
                    return self.unfollowed("a makefile includes too much");
                }
                let meant = self.files.meant(word, &here, &Values::new());
                if meant.files.is_empty()
                    && !word.contains(['$', '*', '%'])
                    && !word.starts_with('/')
                {
                    // It is followed as soon as it is there.
                    self.file_rule(&join(&folder, word), "would follow");
                }
                if word.contains(['*', '?', '[']) && !word.starts_with(['/', '~', '$']) {
                    // Also what fits as soon as it is there.
                    let why = format!("`{}` runs make, which follows it", self.step);
                    let rule = Protected::whole(join(&folder, word));
                    self.add(Protected { why: Some(why), ..rule });
                }
                if meant.unknown {
                    self.unfollowed(&format!("`include {word}` is computed"));
                }
                for path in meant.files {
                    self.file_rule(&path, "follows");
                    if let Some(text) = self.text_of(&path) {
                        make.read(&text);
                        files.append(&mut make.includes);
                    }
                }
            }
        }
        let (recipes, as_files) = make.recipes(&targets);
        for target in as_files.iter().filter(|target| !target.starts_with(['/', '~'])) {
            let path = join(&folder, target);
            if path.is_empty() || self.files.real(&path).is_some() {
                continue;
            }
            let why = format!(
                "`{}` runs the target of this name, which it would make up to date",
                self.step
            );
            let path = globset::escape(&path);
            for file in [path.clone(), format!("{path}/**")] {
                let (why, only) = (Some(why.clone()), Some(Only::New));
                self.add(Protected { why, only, ..Protected::whole(file) });
            }
        }
        if recipes.len() > MAX_EXPANDED {
            self.unfollowed("the recipes are too long");
        } else if !recipes.is_empty() {
            self.follow(recipes, here);
        }
    }
}
