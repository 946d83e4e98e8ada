//! Which pack is at home in which folder.
//!
//! Folders are looked at from the repository's own downwards. Where packs match, the one with the
//! highest priority wins, and the folder is a root. What lies below a root belongs to it as far as packs
//! of the same family are concerned: the root's commands cover its members. A pack of another family
//! makes a folder below it a root of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::listing::{Listing, is_below};
use super::{MatchMode, NONE, Pack, PinnedPlatform, TOP, is_pack_name};
use crate::plan::glob::{self, BadPath};
use crate::workflow::suggest::shown;

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
    let mut wanted = BTreeSet::new();
    let folders: Vec<String> =
        listing.folders().into_iter().filter(|folder| can_be_root(folder)).collect();
    for pack in packs {
        let ways = pack.commands.values().flatten().flat_map(|way| &way.when);
        let tests: Vec<_> = pack.markers.iter().chain(ways).filter(|t| t.looks_inside()).collect();
        for folder in &folders {
            for test in &tests {
                wanted.extend(listing.candidates(folder, test));
            }
        }
    }
    wanted
}

/// Looks which pack is at home in which folder.
pub fn detect(packs: &[Pack], listing: &Listing, wanted: &Wanted) -> Detection {
    let mut roots: Vec<Root> = Vec::new();
    let mut families: Vec<(String, BTreeSet<&str>)> = Vec::new();
    let family_of = |name: &str| packs.iter().find(|pack| pack.name == name).map(|p| &*p.family);
    let left_out = |folder: &str| {
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
        if said.is_none() && (left_out(&folder) || !can_be_root(&folder)) {
            continue;
        }
        let above: BTreeSet<&str> = families
            .iter()
            .filter(|(root, _)| is_below(&folder, root))
            .flat_map(|(_, owned)| owned.iter().copied())
            .collect();
        let matches = matches(packs, listing, &folder, &above);
        let Some(choice) = choose(&matches, said, wanted.prefer.as_deref()) else { continue };
        let chosen: Vec<&str> = match &choice {
            Choice::Pack { pack, .. } => vec![pack],
            Choice::Tie(packs) => packs.iter().map(String::as_str).collect(),
        };
        let owned = chosen.iter().filter_map(|name| family_of(name)).collect();
        families.push((folder.clone(), owned));
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
    Detection { roots }
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
fn can_be_root(folder: &str) -> bool {
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
}

impl Detection {
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
            let Some(pack) = packs.iter().find(|pack| pack.name == *name) else {
                return Err(Undecided::Unknown { name: name.clone() });
            };
            pinned.push(pack.pin(&root.folder, listing));
        }
        if pinned.is_empty() { Err(Undecided::NoMatch) } else { Ok(pinned) }
    }
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
