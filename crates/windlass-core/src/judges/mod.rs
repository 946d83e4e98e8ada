//! What judges the work, found by the words of the commands that check it.
//!
//! A script that a command runs is the judge where it is named or kept like one, or leads to one; a program
//! of the product is not. Tests that a command names may be added to and not changed. A command leads to
//! texts (scripts, recipes, the scripts of a manifest), and these to others: they are followed one after the
//! other, up to a bound. What lies behind it, and what is computed, is told as not followed.
//!
//! In flow order: `calls` looks at one call of a program by the lists of `programs`; `paths` says which files
//! a word means; `scripts`, `make` and `manifests` lead to further texts; `lists` is about files that
//! settings, variables and lists name; `suites` is about tests.

mod calls;
mod lists;
mod make;
mod manifests;
mod paths;
mod programs;
mod scripts;
mod suites;
mod words;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use self::words::join;
use crate::plan::{Plan, PlanStep, StepKind};
use crate::platform::Pack;
use crate::protect::lines::names_requirements;
use crate::protect::{Found, Only, Protected};

/// How often a text leads to another one.
const MAX_LEVEL: usize = 16;

/// How many texts are followed for a plan.
const MAX_TEXTS: usize = 1_000;

/// A script that is larger is not looked into.
pub const MAX_SCRIPT_BYTES: usize = 64 << 10;

/// More rules than anybody reads.
const MAX_FOUND: usize = 5_000;

/// How much is said to be not followed.
const MAX_UNFOLLOWED: usize = 20;

/// The files that the base has, and the texts of some.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Every file, relative to the repository.
    pub paths: BTreeSet<String>,
    /// Where symbolic links lead, as they are written.
    pub links: BTreeMap<String, String>,
    /// The texts that somebody asked for.
    pub texts: BTreeMap<String, String>,
    /// Files that were asked for and are too large, or no text.
    pub unread: BTreeSet<String>,
}

/// Looks for what judges the work of a plan's steps.
pub fn find(plan: &Plan, files: &Files, packs: &[Pack]) -> Found {
    let mut search = Search {
        files,
        packs,
        found: Found::default(),
        unfollowed: BTreeSet::new(),
        step: String::new(),
        via: Vec::new(),
        known: BTreeSet::new(),
        texts: BTreeSet::new(),
        scripts: BTreeSet::new(),
        queue: VecDeque::new(),
        current: String::new(),
    };
    for step in &plan.steps {
        search.step(step);
        if let StepKind::Foreach(foreach) = &step.kind {
            foreach.steps.iter().for_each(|step| search.step(step));
        }
    }
    // What makes a tree ready decides what the checks then run.
    search.step = "prepare".to_owned();
    for prepare in &plan.prepare {
        search.command(&prepare.run, prepare.folder.as_deref());
    }
    let known = &plan.protect;
    let same = |one: &Protected, other: &Protected| key(one) == key(other);
    search.found.rules.retain(|rule| !known.iter().any(|other| same(rule, other)));
    let more = search.unfollowed.len().saturating_sub(MAX_UNFOLLOWED);
    search.found.unfollowed = search.unfollowed.into_iter().take(MAX_UNFOLLOWED).collect();
    search.found.unfollowed.extend((more > 0).then(|| format!("and {more} more")));
    search.found
}

/// What makes two rules the same, whatever the reasons.
fn key(rule: &Protected) -> (&str, &[String], Option<Only>, bool) {
    (&rule.file, &rule.keys, rule.only, rule.later)
}

/// Where a text stands.
#[derive(Clone, Debug, Default)]
struct Place {
    /// The folder that its commands begin in.
    folder: String,
    /// The file that it is the text of.
    script: Option<String>,
    /// How many texts led to it.
    level: usize,
    /// Scripts on the way here that judge only if something here does.
    via: Vec<String>,
    /// Whether tests count that no word of the check's own command names.
    suite: bool,
}

impl Place {
    /// The place of a text that this one leads to.
    fn next(&self) -> Self {
        Self { level: self.level + 1, ..self.clone() }
    }

    fn is_doubtful(&self) -> bool {
        !self.via.is_empty()
    }
}

struct Search<'a> {
    files: &'a Files,
    packs: &'a [Pack],
    found: Found,
    /// What could not be followed, all of it.
    unfollowed: BTreeSet<String>,
    /// The step whose commands are looked at.
    step: String,
    /// Scripts that judge as soon as a rule is found.
    via: Vec<String>,
    /// Rules that were found already.
    known: BTreeSet<(String, Vec<String>, u8)>,
    /// Texts that were looked at already: a text in a folder, and whether it is one of a judge.
    texts: BTreeSet<(String, String, bool)>,
    /// Scripts that were looked at already, by folder, path and as what.
    scripts: BTreeSet<(String, String, &'static str)>,
    queue: VecDeque<(String, Place)>,
    /// The text that is looked at.
    current: String,
}

impl Search<'_> {
    fn step(&mut self, step: &PlanStep) {
        let Some(done) = &step.done else { return };
        self.step = step.id.to_string();
        for check in done.checks() {
            if let Some(command) = check.kind.command() {
                self.command(command.command, command.folder);
            }
        }
    }

    /// Looks at a command, and at all that it leads to.
    fn command(&mut self, command: &str, folder: Option<&str>) {
        // Tests are the work where a platform proves them: report and gates count them instead.
        let of_pack = |pack: &Pack| pack.commands.values().flatten().any(|way| way.run == command);
        let suite = !self.packs.iter().any(of_pack);
        let folder = join("", folder.unwrap_or_default());
        // What another step led to counts for this one as well.
        self.texts.clear();
        self.scripts.clear();
        self.queue.push_back((command.to_owned(), Place { folder, suite, ..Place::default() }));
        while let Some((text, place)) = self.queue.pop_front() {
            self.via.clone_from(&place.via);
            self.current.clone_from(&text);
            self.text(&text, &place);
        }
    }

    /// Remembers a text for later; what is too far away is told.
    fn follow(&mut self, text: String, place: Place) {
        if place.level > MAX_LEVEL || self.texts.len() >= MAX_TEXTS {
            let from = place.script.as_deref().unwrap_or(&self.step).to_owned();
            return self.unfollowed(&format!("what `{from}` leads to is too far away"));
        }
        if self.texts.insert((place.folder.clone(), text.clone(), place.is_doubtful())) {
            self.queue.push_back((text, place));
        }
    }

    /// Returns the text of a file, or asks for it.
    fn text_of(&mut self, path: &str) -> Option<String> {
        let path = self.files.real(path)?;
        if self.files.unread.contains(&path) {
            self.unfollowed(&format!("`{path}` is too large or no text"));
        } else if let Some(text) = self.files.texts.get(&path) {
            return Some(text.clone());
        } else if self.files.paths.contains(&path) {
            self.found.wants.insert(path);
        }
        None
    }

    fn unfollowed(&mut self, what: &str) {
        self.unfollowed.insert(format!("`{}`: {what}", self.step));
    }

    /// A file counts, and so does the link that leads to it.
    fn file_rule(&mut self, path: &str, does: &str) {
        let why = Some(format!("the command of `{}` {does} it", self.step));
        let real = self.files.real(path).filter(|real| real != path);
        for path in [Some(path.to_owned()), real].into_iter().flatten() {
            self.add(Protected { why: why.clone(), ..Protected::whole(globset::escape(&path)) });
        }
    }

    /// A file of settings counts; one that names what is to be installed only where it leads elsewhere.
    fn setting(&mut self, path: &str) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if !(name.ends_with(".txt") && names_requirements(name)) {
            return self.file_rule(path, "reads");
        }
        let why = Some(format!("the command of `{}` reads it", self.step));
        let rule = Protected::keys(globset::escape(path), vec!["settings".to_owned()]);
        self.add(Protected { why, ..rule });
    }

    fn add(&mut self, rule: Protected) {
        for path in std::mem::take(&mut self.via) {
            self.file_rule(&path, "runs");
        }
        self.found.judged.insert(self.step.clone());
        let only = rule.only.map_or(0, |only| only as u8 + 1);
        if !self.known.insert((rule.file.clone(), rule.keys.clone(), only)) {
            return;
        }
        if self.found.rules.len() == MAX_FOUND {
            return self.unfollowed(&format!("more than {MAX_FOUND} files judge"));
        }
        self.found.rules.push(rule);
    }
}

#[cfg(test)]
mod tests;
