//! One change, looked at by all of the rules.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::always::{self, RUN_FOLDER};
use super::names::{hides_module, is_helper};
use super::{Only, Protected};
use crate::glob;

/// What a path holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A file.
    File,
    /// A symbolic link, or the commit of a submodule: other files may be found through it.
    Link,
}

/// A path that differs.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The path, relative to the repository.
    pub path: &'a str,
    /// What was there.
    pub was: Option<Entry>,
    /// What is there.
    pub now: Option<Entry>,
}

/// When a person is asked about a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Before the work is judged by what was changed.
    AtOnce,
    /// At the next gate, and at the latest before the run ends or publishes.
    Later,
}

/// What of a changed file counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counts {
    /// All of it.
    Whole(Asked),
    /// The values of keys.
    Keys(Keys),
}

/// The keys of a file that count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Those that are asked about at once.
    pub at_once: BTreeSet<String>,
    /// Those that are asked about later.
    pub later: BTreeSet<String>,
    /// Whether the rest of the file is asked about later.
    pub rest: bool,
}

impl Keys {
    /// Returns the keys of both kinds: whoever accepts a file accepts all of their values.
    pub fn all(&self) -> BTreeSet<String> {
        self.at_once.union(&self.later).cloned().collect()
    }

    /// Returns when a person is asked about changes of these keys.
    pub fn asked(&self, changed: &[String]) -> Asked {
        match changed.iter().any(|key| self.at_once.contains(key)) {
            true => Asked::AtOnce,
            false => Asked::Later,
        }
    }

    /// Returns whether some of these keys are asked about later, whatever is asked about the others.
    pub fn waits(&self, changed: &[String]) -> bool {
        self.rest || changed.iter().any(|key| self.later.contains(key))
    }

    /// Returns when a person is asked about a file whose keys nobody can read.
    pub fn unread(&self) -> Asked {
        if self.at_once.is_empty() { Asked::Later } else { Asked::AtOnce }
    }
}

/// The rules of a run, with those that always hold.
#[derive(Debug)]
pub struct Rules {
    own: Set,
}

/// Those that hold in every run: they are read once.
static ALWAYS: LazyLock<Set> =
    LazyLock::new(|| Set::new(&always::rules().collect::<Vec<_>>(), true));

/// Rules with their globs, which are matched together.
#[derive(Debug)]
struct Set {
    rules: Vec<Rule>,
    /// One for each rule.
    files: GlobSet,
    /// Folders on the way to the files of rules: a link in the place of one brings others.
    ways: GlobSet,
    /// The rule of each way.
    way_of: Vec<usize>,
}

#[derive(Debug)]
struct Rule {
    keys: Vec<String>,
    only: Option<Only>,
    later: bool,
    always: bool,
}

impl Rules {
    /// Returns these rules and those that always hold. A glob that cannot be read was refused long before.
    pub fn new(rules: &[Protected]) -> Self {
        Self { own: Set::new(rules, false) }
    }

    /// Returns what of a changed file counts; none for a file that no rule is about.
    pub fn look(&self, seen: Seen<'_>) -> Option<Counts> {
        let mut keys = Keys::default();
        for rule in ALWAYS.about(seen).into_iter().chain(self.own.about(seen)) {
            let link = [seen.was, seen.now].contains(&Some(Entry::Link));
            match (rule.keys.is_empty() || link, rule.later) {
                (true, false) => return Some(Counts::Whole(Asked::AtOnce)),
                (true, true) => keys.rest = true,
                (false, false) => keys.at_once.extend(rule.keys.iter().cloned()),
                (false, true) => keys.later.extend(rule.keys.iter().cloned()),
            }
        }
        match (keys.at_once.is_empty(), keys.rest) {
            (true, true) => Some(Counts::Whole(Asked::Later)),
            (true, false) if keys.later.is_empty() => None,
            _ => Some(Counts::Keys(keys)),
        }
    }
}

impl Set {
    fn new(all: &[Protected], always: bool) -> Self {
        let (mut rules, mut way_of) = (Vec::new(), Vec::new());
        let (mut files, mut ways) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for rule in all {
            let compiled = |pattern: &str| match always {
                true => GlobBuilder::new(pattern)
                    .literal_separator(true)
                    .empty_alternates(true)
                    .backslash_escape(true)
                    .case_insensitive(always::in_any_case(&rule.file))
                    .build(),
                false => glob::compile(pattern),
            };
            let Ok(file) = compiled(&rule.file) else { continue };
            files.add(file);
            let parts: Vec<&str> = rule.file.split('/').collect();
            let named = |part: &str| !part.is_empty() && part.chars().any(|c| c != '*');
            let on_the_way = (1..parts.len())
                .filter(|end| named(parts[end - 1]))
                .map(|end| parts[..end].join("/"))
                // A slash within braces parts no folders.
                .filter(|way| way.matches('{').count() == way.matches('}').count())
                .filter_map(|way| compiled(&way).ok());
            for way in on_the_way {
                ways.add(way);
                way_of.push(rules.len());
            }
            let (keys, only, later) = (rule.keys.clone(), rule.only, rule.later);
            rules.push(Rule { keys, only, later, always });
        }
        let built = |set: GlobSetBuilder| set.build().expect("each of its globs was read alone");
        Self { rules, files: built(files), ways: built(ways), way_of }
    }

    /// The rules that are about a change.
    fn about(&self, seen: Seen<'_>) -> Vec<&Rule> {
        let mut about = self.files.matches(seen.path);
        if [seen.was, seen.now].contains(&Some(Entry::Link)) {
            about.extend(self.ways.matches(seen.path).into_iter().map(|way| self.way_of[way]));
        }
        about
            .into_iter()
            .map(|number| &self.rules[number])
            .filter(|rule| rule.counts(seen))
            .collect()
    }
}

impl Rule {
    fn counts(&self, seen: Seen<'_>) -> bool {
        if self.always && seen.path.starts_with(RUN_FOLDER) {
            return false;
        }
        match self.only {
            Some(Only::Existing) => seen.was.is_some(),
            Some(Only::New) => seen.was.is_none(),
            Some(Only::Helpers) => seen.was.is_none() && is_helper(seen.path),
            Some(Only::Shadows) => seen.was.is_none() && hides_module(seen.path),
            None => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(path: &str) -> Seen<'_> {
        Seen { path, was: None, now: Some(Entry::File) }
    }

    #[test]
    fn some_files_are_protected_in_every_run() {
        let rules = Rules::new(&[]);
        for path in [
            ".windlass/workflows/change.yaml",
            ".windlass/config.yaml",
            ".Windlass/config.yaml",
            ".claude/settings.json",
            "app/.claude/agents/reviewer.md",
            "CLAUDE.md",
            "claude.md",
            "app/AGENTS.md",
            ".gitattributes",
            "docs/.gitattributes",
            ".gitmodules",
            ".github/CODEOWNERS",
            ".cursor/rules/all.mdc",
            ".mcp.json",
            ".vscode/mcp.json",
            ".kiro/steering/all.md",
            ".github/prompts/review.prompt.md",
            "mise.toml",
            ".mise.local.toml",
            "sub/.dir-locals.el",
            "shop.code-workspace",
        ] {
            assert_eq!(rules.look(new(path)), Some(Counts::Whole(Asked::AtOnce)), "{path}");
            let removed = Seen { path, was: Some(Entry::File), now: None };
            assert_eq!(rules.look(removed), Some(Counts::Whole(Asked::AtOnce)), "{path}");
        }
        for path in [
            ".github/workflows/ci.yml",
            ".github/actions/setup/action.yml",
            ".gitlab-ci.yml",
            ".circleci/config.yml",
            "Jenkinsfile",
        ] {
            assert_eq!(rules.look(new(path)), Some(Counts::Whole(Asked::Later)), "{path}");
        }
        for path in [
            ".windlass/run/specs/plan.md",
            "src/main.rs",
            ".github/ISSUE_TEMPLATE/bug.md",
            ".github/dependabot.yml",
            "docs/agents.md",
            ".gitignore",
            "README.md",
            "src/ci/mod.rs",
        ] {
            assert_eq!(rules.look(new(path)), None, "{path}");
        }
    }

    #[test]
    fn a_link_in_the_place_of_a_folder_brings_other_files() {
        let rules = Rules::new(&[Protected::whole(".cargo/config.toml")]);
        let link = |path| Seen { path, was: None, now: Some(Entry::Link) };
        let asked = Some(Counts::Whole(Asked::Later));
        assert_eq!(rules.look(link(".github/workflows")), asked);
        for path in [".cargo", ".windlass", ".claude", "app/.claude"] {
            assert_eq!(rules.look(link(path)), Some(Counts::Whole(Asked::AtOnce)), "{path}");
            assert_eq!(rules.look(new(path)), None, "a file named {path}");
        }
        assert_eq!(rules.look(link("src/other")), None);
    }

    #[test]
    fn keys_count_only_in_files() {
        let rule = Protected::keys("**/package.json", vec!["scripts".to_owned()]);
        let rules = Rules::new(&[rule]);
        let at_once = ["scripts".to_owned()].into();
        let keys = Some(Counts::Keys(Keys { at_once, ..Keys::default() }));
        assert_eq!(rules.look(new("app/package.json")), keys);
        let link = Seen { path: "package.json", was: Some(Entry::File), now: Some(Entry::Link) };
        assert_eq!(rules.look(link), Some(Counts::Whole(Asked::AtOnce)));
    }

    #[test]
    fn what_is_asked_at_once_is_not_put_off_by_another_rule() {
        let key = |name: &str| vec![name.to_owned()];
        let later = |rule: Protected| Protected { later: true, ..rule };
        let rules = Rules::new(&[
            Protected::whole(".github/workflows/test.yml"),
            Protected::keys("tool.toml", key("test")),
            later(Protected::keys("tool.toml", key("lint"))),
            Protected::keys("mixed.toml", key("test")),
            later(Protected::whole("mixed.toml")),
            later(Protected::keys("lint.toml", key("rules"))),
        ]);
        let at_once = Some(Counts::Whole(Asked::AtOnce));
        assert_eq!(rules.look(new(".github/workflows/test.yml")), at_once, "a check runs it");
        let keys = |at_once: &[&str], later: &[&str], rest| {
            let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            Keys { at_once: set(at_once), later: set(later), rest }
        };
        let tool = keys(&["test"], &["lint"], false);
        assert_eq!(rules.look(new("tool.toml")), Some(Counts::Keys(tool.clone())));
        assert_eq!(tool.asked(&key("lint")), Asked::Later);
        assert_eq!(tool.asked(&["lint".to_owned(), "test".to_owned()]), Asked::AtOnce);
        assert_eq!(tool.unread(), Asked::AtOnce);
        let mixed = Some(Counts::Keys(keys(&["test"], &[], true)));
        assert_eq!(rules.look(new("mixed.toml")), mixed);
        let lint = keys(&[], &["rules"], false);
        assert_eq!((lint.unread(), lint.asked(&key("rules"))), (Asked::Later, Asked::Later));
        assert_eq!(rules.look(new("lint.toml")), Some(Counts::Keys(lint)));
    }

    #[test]
    fn what_is_added_may_be_allowed() {
        let rules =
            Rules::new(&[Protected { only: Some(Only::Existing), ..Protected::whole("tests/**") }]);
        assert_eq!(rules.look(new("tests/new.sh")), None);
        let changed = Seen { was: Some(Entry::File), ..new("tests/old.sh") };
        assert_eq!(rules.look(changed), Some(Counts::Whole(Asked::AtOnce)));
        let link = Seen { path: "tests", was: None, now: Some(Entry::Link) };
        assert_eq!(rules.look(link), None, "its files are gone, and that counts");
        let rules = Rules::new(&[Protected { only: Some(Only::New), ..Protected::whole("c.py") }]);
        assert_eq!(rules.look(new("c.py")), Some(Counts::Whole(Asked::AtOnce)));
        assert_eq!(rules.look(Seen { was: Some(Entry::File), ..new("c.py") }), None);
        let helpers = Protected { only: Some(Only::Helpers), ..Protected::whole("tests/**") };
        let shadows = Protected { only: Some(Only::Shadows), ..Protected::whole("*.py") };
        let rules = Rules::new(&[helpers, shadows]);
        for path in ["tests/conftest.py", "tests/lib.sh", "tests/a/__init__.py", "json.py", "re.py"]
        {
            assert_eq!(rules.look(new(path)), Some(Counts::Whole(Asked::AtOnce)), "{path}");
            assert_eq!(rules.look(Seen { was: Some(Entry::File), ..new(path) }), None, "{path}");
        }
        for path in ["tests/test_a.py", "tests/a_test.sh", "app.py", "src/json.py", "json.txt"] {
            assert_eq!(rules.look(new(path)), None, "{path}");
        }
    }
}
