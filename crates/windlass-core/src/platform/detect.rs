//! Which pack is at home in which folder.
//!
//! Folders are looked at from the repository's own downwards. Where packs match, the one with the
//! highest priority wins, and the folder is a root. What lies below a root belongs to it as far as packs
//! of the same family are concerned: the root's commands cover its members. A pack of another family
//! makes a folder below it a root of its own, and so does one of the same family where the root says that
//! it has no members. What is not run is left out by name, never silently.

use std::collections::{BTreeMap, BTreeSet};

use super::listing::{Listing, is_below};
use super::{CommandName, MatchMode, NONE, Pack, PinnedPlatform, TOP, is_pack_name, own};
use crate::glob::{self, BadPath};
use crate::source::suggest::shown;

/// Folders that hold what tools have made or fetched, or what only tests and examples are made of.
const NEVER: [&str; 26] = [
    "__fixtures__",
    "__pycache__",
    "_build",
    "bin",
    "bower_components",
    "build",
    "deps",
    "dist",
    "env",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "node_modules",
    "obj",
    "out",
    "samples",
    "target",
    "templates",
    "test",
    "testdata",
    "tests",
    "third_party",
    "vendor",
    "venv",
    "virtualenv",
];

/// More roots than anybody means; such a repository says what counts.
const MAX_ROOTS: usize = 20;

/// What somebody has said about the platform, besides what the files say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// This pack wins wherever it matches; where it matches nowhere, it is the repository's.
    pub prefer: Option<String>,
    /// The pack of a folder, whatever is in it; [`NONE`] leaves the folder and all below it out.
    pub folders: BTreeMap<String, String>,
}

impl Wanted {
    /// Reads what a flag says: `NAME`, or `FOLDER=NAME`.
    pub fn add(&mut self, said: &str) -> Result<(), BadWish> {
        let (folder, name) = match said.split_once('=') {
            Some((folder, name)) => (Some(folder), name),
            None => (None, said),
        };
        if !is_pack_name(name) && (name != NONE || folder.is_none()) {
            return Err(BadWish::Name { name: name.to_owned() });
        }
        match folder {
            Some(folder) => drop(self.folders.insert(Self::folder(folder)?, name.to_owned())),
            None => self.prefer = Some(name.to_owned()),
        }
        Ok(())
    }

    /// Returns a folder as it is listed.
    pub fn folder(said: &str) -> Result<String, BadWish> {
        let folder = said.trim_start_matches("./").trim_end_matches('/');
        if folder.is_empty() || folder == TOP {
            return Ok(TOP.to_owned());
        }
        glob::stays_inside(folder).map_err(|why| BadWish::Folder { why })?;
        if !folder.split('/').all(is_plain) {
            return Err(BadWish::Odd);
        }
        Ok(folder.to_owned())
    }

    /// Returns every pack that is named.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.prefer.iter().chain(self.folders.values());
        named.map(String::as_str).filter(|name| *name != NONE)
    }
}

/// Why a word about the platform cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadWish {
    /// It is no name of a pack.
    #[error("{} cannot be the name of a platform", shown(name))]
    Name {
        /// What it is.
        name: String,
    },
    /// The folder leaves the repository.
    #[error("{why}")]
    Folder {
        /// How.
        why: BadPath,
    },
    /// The folder's name means something else in globs and commands.
    #[error("the folder's name has signs that mean something else in globs and commands")]
    Odd,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detection {
    /// The roots, the shallowest first.
    pub roots: Vec<Root>,
    /// What looks like tests and is run by none of them.
    pub left_out: Vec<LeftOut>,
}

/// A folder whose tests nobody runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The folder, relative to the repository; [`TOP`] for the repository itself.
    pub folder: String,
    /// What is there, and why it is not run.
    pub why: String,
}

/// A folder in which a pack is at home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The folder, relative to the repository; [`TOP`] for the repository itself.
    pub folder: String,
    /// The packs that match there, the highest priority first.
    pub matches: Vec<Match>,
    /// Which of them it is.
    pub choice: Choice,
}

/// A pack that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The pack's name.
    pub pack: String,
    /// Its priority.
    pub priority: u32,
    /// The files that it was known by, relative to the repository.
    pub files: Vec<String>,
    /// Whether a root above covers it already.
    pub covered: bool,
}

/// Which pack it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This one, for this reason.
    Pack {
        /// The pack's name.
        pack: String,
        /// Why it and no other.
        why: String,
    },
    /// Several have the highest priority.
    Tie(Vec<String>),
}

/// Why there is no platform to work with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecided {
    /// No pack matches anywhere.
    #[error("no platform matches this repository")]
    NoMatch,
    /// Several packs have the highest priority.
    #[error("{} of the same priority match in `{folder}`", packs.join(" and "))]
    Tie {
        /// Where.
        folder: String,
        /// Which.
        packs: Vec<String>,
    },
    /// A pack is named that there is none of.
    #[error("there is no platform `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
    /// There are more roots than anybody means.
    #[error("{count} folders look like a project of their own, more than {MAX_ROOTS}")]
    TooMany {
        /// How many.
        count: usize,
    },
}

/// Returns the files whose text decides something.
pub fn texts_wanted(packs: &[Pack], listing: &Listing) -> BTreeSet<String> {
    let mut wanted: BTreeSet<String> = own::ci_files(listing).into_iter().collect();
    let folders: Vec<String> =
        listing.folders().into_iter().filter(|folder| can_be_root(folder)).collect();
    for pack in packs {
        let ways = pack.commands.values().flatten().flat_map(|way| &way.when);
        let members = pack.members.iter().flatten();
        let all = pack.markers.iter().chain(ways).chain(members).flat_map(|test| test.of_files());
        let tests: Vec<_> = all.filter(|test| test.looks_inside()).collect();
        for folder in &folders {
            for test in &tests {
                wanted.extend(listing.candidates(folder, test));
            }
        }
    }
    wanted
}

/// Returns the programs that decide something by being there.
pub fn programs_wanted(packs: &[Pack]) -> BTreeSet<String> {
    let ways = || packs.iter().flat_map(|pack| pack.commands.values().flatten());
    let named = ways().flat_map(|way| way.needs.iter().chain(&way.unless)).cloned();
    let first = ways().filter_map(|way| way.run.split(' ').next()).filter(|word| {
        word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    });
    named.chain(first.map(str::to_owned)).collect()
}

/// Looks which pack is at home in which folder.
pub fn detect(packs: &[Pack], listing: &Listing, wanted: &Wanted) -> Detection {
    let mut roots: Vec<Root> = Vec::new();
    let mut left_out: Vec<LeftOut> = Vec::new();
    let mut homes: Vec<Home<'_>> = Vec::new();
    let is_left_out = |folder: &str| {
        wanted
            .folders
            .iter()
            .any(|(out, name)| name == NONE && (folder == out || is_below(folder, out)))
    };
    let mut folders = listing.folders();
    // What somebody has said holds also where there is no file yet.
    let unlisted = wanted.folders.keys().filter(|said| !folders.contains(said)).cloned();
    folders.extend(unlisted.collect::<Vec<_>>());
    for folder in folders {
        let said = wanted.folders.get(&folder).filter(|name| *name != NONE);
        if said.is_none() && (is_left_out(&folder) || !can_be_root(&folder)) {
            continue;
        }
        let above: Vec<&Home<'_>> =
            homes.iter().filter(|home| is_below(&folder, &home.folder)).collect();
        let owned = above.iter().filter(|home| home.owns).map(|home| home.family).collect();
        let matches = matches(packs, listing, &folder, &owned);
        let Some(choice) = choose(&matches, said, wanted.prefer.as_deref()) else { continue };
        let choice = untie(choice, packs, listing, &folder);
        let chosen: Vec<&Pack> = match &choice {
            Choice::Pack { pack, .. } => packs.iter().filter(|one| one.name == *pack).collect(),
            Choice::Tie(tied) => packs.iter().filter(|one| tied.contains(&one.name)).collect(),
        };
        if let (None, [pack]) = (said, chosen.as_slice()) {
            // What runs the builds of others is part of what it stands in.
            if pack.wraps && !above.is_empty() {
                continue;
            }
            let is_nested = above.iter().any(|home| home.family == pack.family);
            let is_aside = !above.is_empty() && !can_start(pack, &folder, listing);
            if (is_nested || is_aside) && !has_tests(pack, &folder, listing) {
                let why = match is_nested {
                    true => format!("a {} project of its own, without test files", pack.name),
                    false => format!("{} without test files, and not installed", pack.name),
                };
                left_out.push(LeftOut { folder, why });
                continue;
            }
        }
        left_out.extend(beside(&matches, &chosen, packs, listing, &folder));
        homes.extend(chosen.iter().map(|pack| Home {
            folder: folder.clone(),
            family: &pack.family,
            owns: owns(pack, &folder, listing),
        }));
        roots.push(Root { folder, matches, choice });
    }
    if let Some(name) = &wanted.prefer
        && !roots.iter().any(|root| root.is(name))
        && !wanted.folders.contains_key(TOP)
    {
        let why = format!("`{name}` is asked for, although none of its markers is here");
        let choice = Choice::Pack { pack: name.clone(), why };
        roots.retain(|root| root.folder != TOP);
        roots.insert(0, Root { folder: TOP.to_owned(), matches: Vec::new(), choice });
    }
    let mut detection = Detection { roots, left_out };
    let known: Vec<&Pack> = packs.iter().collect();
    for root in detection.pin(packs, listing).unwrap_or_default() {
        detection.left_out.extend(own::uncovered(&root, &known, listing));
        detection.left_out.extend(instead(&root, packs, listing));
    }
    detection
}

/// Names the test program that the project configures and the machine does not have, where another one runs
/// in its place.
fn instead(root: &PinnedPlatform, packs: &[Pack], listing: &Listing) -> Option<LeftOut> {
    let taken = root.pack.command(CommandName::Test)?;
    let pack = packs.iter().find(|pack| pack.name == root.pack.name)?;
    let missing = pack.wanted_program(CommandName::Test, &root.root, listing)?;
    let runs = own::tool(&taken.run);
    let why = format!("`{missing}` is not installed, so `{runs}` runs the tests in its place");
    Some(LeftOut { folder: root.root.clone(), why })
}

/// A pack in its folder, and whether what lies below belongs to it.
struct Home<'p> {
    folder: String,
    family: &'p str,
    owns: bool,
}

fn owns(pack: &Pack, folder: &str, listing: &Listing) -> bool {
    let members = pack.members.as_ref();
    members.is_none_or(|tests| tests.iter().any(|test| listing.find(folder, test).is_some()))
}

/// Whether a folder has files that hold tests, by the globs of the pack.
fn has_tests(pack: &Pack, folder: &str, listing: &Listing) -> bool {
    let globs = pack.test_files.iter().filter_map(|glob| glob::compile(glob).ok());
    let matchers: Vec<_> = globs.map(|glob| glob.compile_matcher()).collect();
    listing.below(folder).any(|path| matchers.iter().any(|matcher| matcher.is_match(&path)))
}

/// Whether the machine has the program that a pack's tests begin with.
fn can_start(pack: &Pack, folder: &str, listing: &Listing) -> bool {
    let pinned = pack.pin(folder, listing);
    let program = pinned.pack.command(CommandName::Test).and_then(|way| way.run.split(' ').next());
    program.is_none_or(|program| program.starts_with("./") || listing.has_program(program))
}

/// Names packs of other families that would test something in the same folder.
fn beside(
    matches: &[Match],
    chosen: &[&Pack],
    packs: &[Pack],
    listing: &Listing,
    folder: &str,
) -> Vec<LeftOut> {
    let others = matches.iter().filter(|one| !one.covered).filter_map(|one| {
        let pack = packs.iter().find(|pack| pack.name == one.pack)?;
        let is_other = !pack.wraps && chosen.iter().all(|by| by.family != pack.family);
        let test = pack.pin(folder, listing);
        let test = test.pack.command(CommandName::Test)?;
        is_other.then(|| LeftOut {
            folder: folder.to_owned(),
            why: format!(
                "`{}` would be tested by {} (`{}`); another platform has the higher priority",
                one.files.join("`, `"),
                one.pack,
                test.run
            ),
        })
    });
    others.collect()
}

/// Picks one of several packs of a family: they are ways to build the same code.
fn untie(choice: Choice, packs: &[Pack], listing: &Listing, folder: &str) -> Choice {
    let Choice::Tie(names) = &choice else { return choice };
    let tied: Vec<&Pack> = packs.iter().filter(|pack| names.contains(&pack.name)).collect();
    let Some((first, rest)) = tied.split_first() else { return choice };
    if rest.iter().any(|pack| pack.family != first.family) {
        return choice;
    }
    let reasons = |pack: &Pack| {
        let pinned = pack.pin(folder, listing);
        let Some(way) = pinned.pack.command(CommandName::Test) else { return [false; 3] };
        let program = way.run.split(' ').next().unwrap_or_default();
        let is_run = own::is_run_by_ci(way, listing);
        [is_run, way.run.starts_with("./"), listing.has_program(program)]
    };
    // Of equals the first by name: `max_by_key` would take the last.
    let Some(best) = tied.iter().rev().max_by_key(|pack| reasons(pack)) else { return choice };
    let others: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| *name != best.name).collect();
    let reason = match reasons(best) {
        [true, ..] => "continuous integration runs it",
        [_, true, _] => "its wrapper is here",
        [.., true] => "its program is installed",
        [..] => "nothing else decides",
    };
    let why = format!(
        "{} builds the same code, and {reason}; `--platform {}` takes the other",
        others.join(" or "),
        others.first().unwrap_or(&"NAME")
    );
    Choice::Pack { pack: best.name.clone(), why }
}

fn matches(packs: &[Pack], listing: &Listing, folder: &str, above: &BTreeSet<&str>) -> Vec<Match> {
    let mut matches: Vec<Match> = packs
        .iter()
        .filter_map(|pack| {
            let found = pack.markers.iter().map(|test| listing.find(folder, test));
            let files = match pack.match_mode {
                MatchMode::All => found.collect::<Option<Vec<String>>>()?,
                MatchMode::Any => found.flatten().collect(),
            };
            let covered = above.contains(pack.family.as_str());
            let found = Match { pack: pack.name.clone(), priority: pack.priority, files, covered };
            (!found.files.is_empty()).then_some(found)
        })
        .collect();
    matches.sort_by(|one, other| (other.priority, &one.pack).cmp(&(one.priority, &other.pack)));
    matches
}

fn choose(matches: &[Match], said: Option<&String>, prefer: Option<&str>) -> Option<Choice> {
    if let Some(name) = said {
        let why = "it is set for this folder".to_owned();
        return Some(Choice::Pack { pack: name.clone(), why });
    }
    let open: Vec<&Match> = matches.iter().filter(|one| !one.covered).collect();
    let first = open.first()?;
    if let Some(preferred) = open.iter().find(|one| Some(one.pack.as_str()) == prefer) {
        let why = format!("it is asked for, and `{}` is here", preferred.files.join("`, `"));
        return Some(Choice::Pack { pack: preferred.pack.clone(), why });
    }
    let best: Vec<&&Match> = open.iter().filter(|one| one.priority == first.priority).collect();
    if best.len() > 1 {
        return Some(Choice::Tie(best.iter().map(|one| one.pack.clone()).collect()));
    }
    let why = match open.get(1) {
        None => format!("`{}` is here, and nothing else matches", first.files.join("`, `")),
        Some(next) => {
            format!("its priority {} is above {} of {}", first.priority, next.priority, next.pack)
        }
    };
    Some(Choice::Pack { pack: first.pack.clone(), why })
}

/// Whether a folder can be a root: nothing on the way to it is hidden, made by tools or part of tests,
/// and its name means itself in paths, globs and commands.
pub(super) fn can_be_root(folder: &str) -> bool {
    folder == TOP
        || folder
            .split('/')
            .all(|part| !part.starts_with('.') && is_plain(part) && !NEVER.contains(&part))
}

/// Whether a folder's name means itself in paths, globs and commands.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._-+@ ".contains(c))
}

impl Root {
    fn is(&self, name: &str) -> bool {
        matches!(&self.choice, Choice::Pack { pack, .. } if pack == name)
    }

    /// Pins a pack here, with the commands that others lend to it.
    fn pin(&self, name: &str, packs: &[Pack], listing: &Listing) -> Option<PinnedPlatform> {
        let pack = packs.iter().find(|pack| pack.name == name)?;
        let mut platform = pack.pin(&self.folder, listing);
        for lender in self.lenders(packs).filter(|lender| lender.name != name) {
            own::lend(&mut platform, lender, listing);
        }
        Some(platform)
    }

    /// Packs in the folder that run what others build, the highest priority first.
    fn lenders<'p>(&self, packs: &'p [Pack]) -> impl Iterator<Item = &'p Pack> {
        let names = self.matches.iter().map(|one| one.pack.clone()).collect::<Vec<_>>();
        let found = names.into_iter().filter_map(|name| packs.iter().find(|p| p.name == name));
        found.filter(|pack| pack.wraps)
    }
}

impl Detection {
    /// Pins every pack that could be meant: of a tie all of them.
    pub fn pin_each(&self, packs: &[Pack], listing: &Listing) -> Vec<PinnedPlatform> {
        let mut pinned = Vec::new();
        for root in self.roots.iter().take(MAX_ROOTS) {
            let names = match &root.choice {
                Choice::Pack { pack, .. } => std::slice::from_ref(pack),
                Choice::Tie(packs) => packs.as_slice(),
            };
            pinned.extend(names.iter().filter_map(|name| root.pin(name, packs, listing)));
        }
        pinned
    }

    /// Pins the packs that were chosen; a tie, or nothing at all, is no choice.
    pub fn pin(&self, packs: &[Pack], listing: &Listing) -> Result<Vec<PinnedPlatform>, Undecided> {
        if self.roots.len() > MAX_ROOTS {
            return Err(Undecided::TooMany { count: self.roots.len() });
        }
        let mut pinned = Vec::new();
        for root in &self.roots {
            let name = match &root.choice {
                Choice::Pack { pack, .. } => pack,
                Choice::Tie(packs) => {
                    let (folder, packs) = (root.folder.clone(), packs.clone());
                    return Err(Undecided::Tie { folder, packs });
                }
            };
            let Some(platform) = root.pin(name, packs, listing) else {
                return Err(Undecided::Unknown { name: name.clone() });
            };
            pinned.push(platform);
        }
        if pinned.is_empty() { Err(Undecided::NoMatch) } else { Ok(pinned) }
    }
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
