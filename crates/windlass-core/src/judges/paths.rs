//! Words of a command as files of the repository.

use std::collections::BTreeMap;

use super::words::join;
use super::{Files, Place};
use crate::glob;

/// How many links lead to one another.
const MAX_LINKS: usize = 8;

/// How many files one word can mean, and how many words one with variables can be.
const MAX_MEANT: usize = 200;

/// A word longer than this is no name.
const MAX_WORD: usize = 400;

/// What variables are set to.
pub(super) type Values = BTreeMap<String, Vec<String>>;

/// What a word means.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Meant {
    /// The files that it names, through links.
    pub(super) files: Vec<String>,
    /// The folders.
    pub(super) folders: Vec<String>,
    /// The pattern that it is, where it is one.
    pub(super) patterns: Vec<String>,
    /// Whether it depends on something that is computed, and nothing was found.
    pub(super) unknown: bool,
}

impl Files {
    /// Follows links: none where there is no such file or folder.
    pub(super) fn real(&self, path: &str) -> Option<String> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
            let link = ends.map(|end| &path[..end]).find_map(|part| {
                let target = self.links.get(part)?;
                Some((
                    part.len(),
                    join(part.rsplit_once('/').map_or("", |(above, _)| above), target),
                ))
            });
            match link {
                Some((end, target)) => path = join(&target, path[end..].trim_start_matches('/')),
                None => {
                    return (self.paths.contains(&path) || self.is_folder(&path)).then_some(path);
                }
            }
        }
        None
    }

    pub(super) fn is_folder(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let first = self.paths.range(below.clone()..).next();
        path.is_empty() || first.is_some_and(|first| first.starts_with(&below))
    }

    fn matching(&self, pattern: &str) -> Vec<String> {
        let Ok(glob) = glob::compile(pattern) else { return Vec::new() };
        let glob = glob.compile_matcher();
        let found = self.paths.iter().filter(|path| glob.is_match(path));
        found.take(MAX_MEANT).cloned().collect()
    }

    /// Looks up what a word means for a command of a place.
    pub(super) fn meant(&self, word: &str, at: &Place, values: &Values) -> Meant {
        let mut meant = Meant::default();
        if word.is_empty() || word.len() > MAX_WORD || word.contains('\n') || word.starts_with('-')
        {
            return meant;
        }
        let mut words = Vec::new();
        set(word, values, 0, &mut words);
        for word in words {
            self.one(&word, at, &mut meant);
        }
        meant.unknown = word.contains('$') && meant.files.is_empty() && meant.folders.is_empty();
        meant
    }

    fn one(&self, word: &str, at: &Place, meant: &mut Meant) {
        let (bases, rest) = bases(word, at);
        if rest.starts_with('/') || rest.starts_with('~') {
            return;
        }
        let pattern = rest.contains(['*', '?', '[', '{', '$']);
        for base in &bases {
            let path = join(base, &without_computed(&rest));
            // A quoted word may hold letters of a pattern: `app/[id]/run.sh` is a file of that name.
            if pattern && self.paths.contains(&join(base, &rest)) {
                meant.files.push(join(base, &rest));
                return;
            }
            if pattern {
                if path.trim_matches(['*', '/', '.']).is_empty() {
                    continue;
                }
                let found = self.matching(&path);
                if !found.is_empty() {
                    meant.patterns.push(path);
                    meant.files.extend(found);
                    return;
                }
                continue;
            }
            if let Some(real) = self.real(&path) {
                let into =
                    if self.paths.contains(&real) { &mut meant.files } else { &mut meant.folders };
                into.extend(
                    [Some(real.clone()), (path != real).then(|| path.clone())]
                        .into_iter()
                        .flatten(),
                );
                return;
            }
        }
        // What stands before it is computed: whatever ends like it.
        if word.starts_with('$') && !pattern && rest.len() > 3 && !bases.is_empty() {
            let end = format!("/{}", join("", &rest));
            let found = self.paths.iter().filter(|path| path.ends_with(&end));
            meant.files.extend(found.take(MAX_MEANT).cloned());
        }
    }
}

/// Puts in what variables are set to.
fn set(word: &str, values: &Values, depth: usize, into: &mut Vec<String>) {
    let name = word.strip_prefix('$').map(|rest| {
        let rest = rest.trim_start_matches('{');
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        (&rest[..end], rest[end..].trim_start_matches(['}', '"']))
    });
    let known = name.and_then(|(name, rest)| Some((values.get(name)?, rest)));
    match known {
        Some((all, rest))
            if depth < 4 && into.len() < MAX_MEANT && !rest.starts_with(['%', '#', ':']) =>
        {
            for value in all.iter().filter(|value| *value != word) {
                set(&format!("{value}{rest}"), values, depth + 1, into);
            }
        }
        _ => into.push(word.to_owned()),
    }
}

/// The folders that a word may be relative to, and the rest of it.
fn bases(word: &str, at: &Place) -> (Vec<String>, String) {
    let beside =
        at.script.as_deref().map(|path| path.rsplit_once('/').map_or("", |(above, _)| above));
    let usual = || [Some(at.folder.as_str()), beside].into_iter().flatten().map(str::to_owned);
    let Some(rest) = word.strip_prefix('$') else { return (usual().collect(), word.to_owned()) };
    let end = match rest.chars().next() {
        Some('(') => closing(rest, '(', ')'),
        Some('{') => closing(rest, '{', '}'),
        _ => rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()),
    };
    let (computed, rest) = rest.split_at(end.min(rest.len()));
    let rest = rest.trim_start_matches('/').to_owned();
    // `$(cd "$(dirname "$0")/.." && pwd)` is a way of its own.
    let more = computed.rsplit_once("dirname").map_or("", |(_, rest)| rest);
    let up = "../".repeat(more.matches("..").count());
    let of_script = ["dirname", "%/*", "BASH_SOURCE", "$0", "__dirname", ":h}"];
    let rest = if up.is_empty() { rest } else { format!("{up}{rest}") };
    if of_script.iter().any(|part| computed.contains(part)) {
        let beside = beside.unwrap_or(&at.folder);
        return (vec![beside.to_owned(), at.folder.clone()], rest);
    }
    if computed.contains("show-toplevel") {
        return (vec![String::new()], rest);
    }
    if computed.eq_ignore_ascii_case("pwd") || computed.to_lowercase().contains("pwd") {
        return (vec![at.folder.clone()], rest);
    }
    // A variable alone may be anything.
    let bases = if rest.is_empty() { Vec::new() } else { usual().chain([String::new()]).collect() };
    (bases, rest)
}

/// Where the bracket that a text begins with is closed.
fn closing(text: &str, open: char, close: char) -> usize {
    let mut depth = 0;
    for (at, sign) in text.char_indices() {
        depth += i32::from(sign == open) - i32::from(sign == close);
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// What is computed within a name may be anything.
fn without_computed(word: &str) -> String {
    let mut plain = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('$') {
        plain.push_str(before);
        plain.push('*');
        let end = match after.chars().next() {
            Some('(') => closing(after, '(', ')'),
            Some('{') => closing(after, '{', '}'),
            _ => after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len()),
        };
        rest = after.get(end..).unwrap_or_default();
    }
    plain + rest
}
