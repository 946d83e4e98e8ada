//! Platforms: what a repository is built with, as packs that say how it is built, tested and judged.
//!
//! A pack is a file `platform.json`. Nothing about a language stands in code: which packs there are is
//! the edge's question, and a plan keeps exactly what was read. In flow order:
//!
//! - `keys` has a row for every key, and `read` makes a [`Pack`] of a file or says everything that is
//!   wrong with it.
//! - `listing` is the repository as detection sees it: paths, the texts of a few files, and which
//!   programs the machine has; `script` and `dependency` read what stands in such texts.
//! - `detect` says which pack is at home in which folder, why, and what is left out.
//! - `own` puts the project's own test command in place of the pack's, where it has one.
//! - `describe` is the platform in words, for agents.

mod dependency;
mod describe;
mod detect;
mod keys;
mod kind;
mod listing;
mod own;
mod read;
mod script;

pub use describe::describe;
pub use detect::{
    BadWish, Choice, Detection, LeftOut, Match, Root, Undecided, Wanted, detect, programs_wanted,
    texts_wanted,
};
pub use listing::Listing;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::ContentHash;
use crate::measure::Percent;
use crate::protect::Protected;
use crate::story::Size;
use crate::time::Span;

/// A pack larger than this is refused.
pub const MAX_PACK_BYTES: usize = 64 << 10;

/// The folder of a root that is the repository itself.
pub const TOP: &str = ".";

/// The word for "no platform", in place of a pack's name.
pub const NONE: &str = "none";

/// The word for "look which", in place of a pack's name.
pub const DETECT: &str = "detect";

/// Stands in a command for the name that `*` was found to be in a key of its `if`.
pub(crate) const GROUP: &str = "{group}";

/// One pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// What workflows and people call it.
    pub name: String,
    /// What it is called in sentences.
    pub display_name: String,
    /// Its version, for people.
    pub version: String,
    /// Packs of one family share their folders: a root of one owns what lies below it.
    pub family: String,
    /// Files that it is known by.
    pub markers: Vec<FileTest>,
    /// How many of the markers have to be there.
    pub match_mode: MatchMode,
    /// The highest one wins where several packs match.
    pub priority: u32,
    /// Files that say that what lies below a root belongs to it; none means that it always does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<Vec<FileTest>>,
    /// Whether it only runs what others build: where another pack is at home, it lends its commands.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wraps: bool,
    /// What is run for what; of several ways the first that fits counts.
    pub commands: BTreeMap<CommandName, Vec<Way>>,
    /// Commands that windlass has no use for, by name: agents are told them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub more_commands: BTreeMap<String, String>,
    /// How people write code there.
    #[serde(default, skip_serializing_if = "Conventions::is_empty")]
    pub conventions: Conventions,
    /// The least line coverage, by the size of a story.
    pub coverage: CoverageBySize,
    /// Commands that have to be there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<CommandName>,
    /// Folders, and what belongs into each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub project_structure: BTreeMap<String, String>,
    /// What an agent should know its way around in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Globs of the files that hold tests, relative to the root.
    pub test_files: Vec<String>,
    /// Files that judge the work, relative to the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protect: Vec<Protected>,
    /// Where it comes from.
    pub source: PackSource,
    /// Hash of the whole file.
    pub hash: ContentHash,
}

/// Where a pack comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PackSource {
    /// It comes with windlass.
    Shipped,
    /// A file, as its reader named it.
    File(String),
}

/// How many markers have to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchMode {
    /// One of them.
    Any,
    /// Every one.
    All,
}

/// A file that has to be there, and what has to be in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileTest {
    /// The file, relative to the root; its last part may have `*`. Empty where `any` decides.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Tests of which one is enough, in place of a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub any: Vec<FileTest>,
    /// Text that it has to contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// Text that it must not contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
    /// A key that it has to have as JSON or TOML, with dots between the levels; one level may be `*`. With
    /// `depends` the package has to be in the list that the key names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// A program: the value of `key` has to be a command that ends in a call of it, so that arguments
    /// can be added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<String>,
    /// A package that it has to name as a dependency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends: Option<String>,
    /// A target that it has to have as a Makefile or justfile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

impl FileTest {
    /// Returns whether the content of the file matters.
    pub(crate) fn looks_inside(&self) -> bool {
        let inside = [&self.contains, &self.lacks, &self.key, &self.calls, &self.depends];
        self.target.is_some() || inside.into_iter().any(Option::is_some)
    }

    /// Returns the tests that are about a file: itself, or those of which one is enough.
    pub(crate) fn of_files(&self) -> &[Self] {
        if self.any.is_empty() { std::slice::from_ref(self) } else { &self.any }
    }
}

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CommandName {
    /// It compiles.
    Build,
    /// The tests pass.
    Test,
    /// A linter has nothing to say.
    Lint,
    /// Fixes what the linter can fix itself.
    LintFix,
    /// The tests run and write coverage reports.
    Coverage,
    /// Starts the program.
    Run,
    /// Makes a clean tree ready.
    Prepare,
}

impl CommandName {
    /// Every one, in the order in which people use them.
    pub const ALL: [Self; 7] = [
        Self::Prepare,
        Self::Build,
        Self::Test,
        Self::Lint,
        Self::LintFix,
        Self::Coverage,
        Self::Run,
    ];

    /// Returns the name as it stands in packs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Test => "test",
            Self::Lint => "lint",
            Self::LintFix => "lintFix",
            Self::Coverage => "coverage",
            Self::Run => "run",
            Self::Prepare => "prepare",
        }
    }

    /// Returns the command of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.as_str() == name)
    }
}

impl std::fmt::Display for CommandName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One way to do what a command is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Way {
    /// The shell command, run in the root.
    pub run: String,
    /// What all has to be there; nothing means that it always fits.
    #[serde(default, rename = "if", skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<FileTest>,
    /// Programs that the machine has to have; `python3:NAME` is a module of Python.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Programs that the machine must not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// What says so, for people: only a pinned way has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Glob of the reports that it writes, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// The file whose content decides whether it has to run again, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// Files that judge the work when this way is taken, relative to the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protect: Vec<Protected>,
    /// How long it may take.
    pub timeout: Span,
}

/// How people write code on a platform.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conventions {
    /// How things are named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub naming: Vec<String>,
    /// What good code looks like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// What a commit's first line looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_format: Option<String>,
}

impl Conventions {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The least line coverage, by the size of a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the sizes are those of stories")]
pub struct CoverageBySize {
    #[serde(rename = "S")]
    pub s: Percent,
    #[serde(rename = "M")]
    pub m: Percent,
    #[serde(rename = "L")]
    pub l: Percent,
    #[serde(rename = "XL")]
    pub xl: Percent,
}

impl CoverageBySize {
    /// Returns what is asked of a story of this size.
    pub fn of(&self, size: Size) -> Percent {
        match size {
            Size::S => self.s,
            Size::M => self.m,
            Size::L => self.l,
            Size::XL => self.xl,
        }
    }
}

/// A pack in the folder that it is at home in, as a plan keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedPlatform {
    /// The folder, relative to the repository; [`TOP`] for the repository itself.
    pub root: String,
    /// The pack, each command with the one way that fits there.
    pub pack: Pack,
}

impl PinnedPlatform {
    /// Returns the folder that commands run in; none is the repository itself.
    pub fn folder(&self) -> Option<&str> {
        Some(self.root.as_str()).filter(|root| *root != TOP)
    }

    /// Returns a path or glob of the pack as seen from the repository.
    pub fn path(&self, path: &str) -> String {
        match self.folder() {
            Some(folder) => format!("{folder}/{path}"),
            None => path.to_owned(),
        }
    }

    /// Returns the globs of the files that hold tests, as seen from the repository.
    pub fn test_files(&self) -> Vec<String> {
        self.pack.test_files.iter().map(|glob| self.path(glob)).collect()
    }

    /// Returns what messages call it: the pack, and the folder where that is not the repository.
    pub fn called(&self) -> String {
        match self.folder() {
            Some(folder) => format!("{} in `{folder}`", self.pack.name),
            None => self.pack.name.clone(),
        }
    }

    /// Stands in where a workflow is only drawn or walked: every command is there, and none is run.
    pub fn stand_in() -> Self {
        let way = |name: CommandName| {
            let report = matches!(name, CommandName::Test | CommandName::Coverage);
            Way {
                run: format!("windlass platform get-command {name}"),
                when: Vec::new(),
                needs: Vec::new(),
                unless: Vec::new(),
                from: None,
                report: report.then(|| format!("{name}-report")),
                lock: None,
                protect: Vec::new(),
                timeout: read::TIMEOUT,
            }
        };
        // Preparing is no part of what is drawn.
        let commands = CommandName::ALL.into_iter().filter(|name| *name != CommandName::Prepare);
        let pack = Pack {
            name: "platform".to_owned(),
            display_name: "The platform".to_owned(),
            version: "0".to_owned(),
            family: "platform".to_owned(),
            markers: Vec::new(),
            match_mode: MatchMode::Any,
            priority: 0,
            members: None,
            wraps: false,
            commands: commands.map(|name| (name, vec![way(name)])).collect(),
            more_commands: BTreeMap::new(),
            conventions: Conventions::default(),
            coverage: read::COVERAGE,
            required: Vec::new(),
            project_structure: BTreeMap::new(),
            skills: Vec::new(),
            test_files: vec!["tests/**".to_owned()],
            protect: Vec::new(),
            source: PackSource::Shipped,
            hash: ContentHash::of(b""),
        };
        Self { root: TOP.to_owned(), pack }
    }
}

impl Pack {
    /// Returns whether this is one of its commands, word for word.
    pub fn has_command(&self, command: &str) -> bool {
        self.commands.values().flatten().any(|way| way.run == command)
    }

    /// Returns the files that judge the work, whichever way its commands go.
    pub fn protected(&self) -> impl Iterator<Item = &Protected> {
        let of_ways = self.commands.values().flatten().flat_map(|way| &way.protect);
        self.protect.iter().chain(of_ways)
    }

    /// Returns the way that a command goes; of a pinned pack the only one.
    pub fn command(&self, name: CommandName) -> Option<&Way> {
        self.commands.get(&name)?.first()
    }

    /// Returns the pack as one that comes with windlass.
    #[must_use]
    pub fn shipped(self) -> Self {
        Self { source: PackSource::Shipped, ..self }
    }

    /// Pins the pack to a folder: of every command the first way that fits there is kept.
    #[must_use]
    pub fn pin(&self, root: &str, listing: &Listing) -> PinnedPlatform {
        let mut pack = self.clone();
        pack.commands = self
            .commands
            .iter()
            .filter_map(|(name, ways)| {
                let way = ways.iter().find(|way| way.fits(root, listing))?.clone();
                let lock = way.lock.clone().filter(|lock| listing.has(root, lock));
                let from = way.decided_by(root, listing);
                let run = way.filled(root, listing);
                let way = Way { when: Vec::new(), needs: Vec::new(), unless: Vec::new(), ..way };
                Some((*name, vec![Way { run, lock, from, ..way }]))
            })
            .collect();
        PinnedPlatform { root: root.to_owned(), pack }
    }

    /// Returns why a command that the pack knows is not there in a folder, where one thing is missing.
    pub fn missing(&self, name: CommandName, root: &str, listing: &Listing) -> Option<String> {
        let ways = self.commands.get(&name)?;
        if ways.iter().any(|way| way.fits(root, listing)) {
            return None;
        }
        ways.iter().find_map(|way| way.missing(root, listing))
    }

    /// Returns the program for want of which an earlier way of a command is not taken. A module of Python is
    /// none: it is installed where it is missing.
    pub(crate) fn wanted_program(
        &self,
        name: CommandName,
        root: &str,
        listing: &Listing,
    ) -> Option<&str> {
        let ways = self.commands.get(&name)?;
        let earlier = ways.iter().take_while(|way| !way.fits(root, listing));
        let wanted = earlier.filter(|way| {
            !way.when.is_empty() && way.when.iter().all(|test| listing.find(root, test).is_some())
        });
        let mut programs = wanted.flat_map(|way| &way.needs).map(String::as_str);
        programs.find(|program| !program.contains(':') && !listing.has_program(program))
    }
}

impl Way {
    fn fits(&self, root: &str, listing: &Listing) -> bool {
        self.when.iter().all(|test| listing.find(root, test).is_some())
            && self.needs.iter().all(|program| listing.has_program(program))
            && !self.unless.iter().any(|program| listing.has_program(program))
    }

    /// The file that decided for this way, for people.
    fn decided_by(&self, root: &str, listing: &Listing) -> Option<String> {
        let test = self.when.first()?;
        let file = listing.find(root, test)?;
        Some(match &test.key {
            Some(key) => {
                let group = listing.group(root, test).unwrap_or_else(|| "*".to_owned());
                format!("`{}` in {file}", key.replace('*', &group))
            }
            None => file,
        })
    }

    /// The command with the name that `*` stands for in a key of its tests.
    fn filled(&self, root: &str, listing: &Listing) -> String {
        if !self.run.contains(GROUP) {
            return self.run.clone();
        }
        let group = self.when.iter().find_map(|test| listing.group(root, test));
        self.run.replace(GROUP, &group.unwrap_or_default())
    }

    /// What keeps this way from fitting, if only a package or a program is not there.
    fn missing(&self, root: &str, listing: &Listing) -> Option<String> {
        let open = self.when.iter().filter(|test| listing.find(root, test).is_none());
        let mut packages = Vec::new();
        for test in open {
            let package = test.of_files().iter().find_map(|one| one.depends.as_ref())?;
            packages.push(format!("`{package}` is not a dependency"));
        }
        let programs = self.needs.iter().filter(|program| !listing.has_program(program));
        let programs = programs.map(|program| match program.split_once(':') {
            Some((python, module)) => format!("`{python}` has no module `{module}`"),
            None => format!("`{program}` is not installed"),
        });
        packages.into_iter().chain(programs).next()
    }
}

/// Returns whether `name` can be the name of a pack: a plain word in lower case, which is safe in a
/// path and in an argument, and none of the words that mean something else in its place.
pub fn is_pack_name(name: &str) -> bool {
    const LONGEST: usize = 64;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    name.len() <= LONGEST
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.chars().all(plain)
        && ![NONE, DETECT].contains(&name)
}

/// Returns the files that judge work on these platforms.
pub(crate) fn protected(platforms: &[PinnedPlatform]) -> Vec<Protected> {
    let mut rules = Vec::new();
    for platform in platforms {
        for rule in platform.pack.protected() {
            let rule = platform.folder().map_or_else(|| rule.clone(), |folder| rule.below(folder));
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    rules
}
