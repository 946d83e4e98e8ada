//! Changes that a diff of lines does not tell, and that change what a fresh clone gets: attributes,
//! addresses of submodules, executable bits, links, and commits of submodules.

use std::collections::BTreeMap;

use super::printable::{Lines, printable, printable_bytes};

/// How many links are followed from one to the next, as the kernel does.
const MAX_LINKS: usize = 40;

/// How many rules of an attributes file are told.
const MAX_RULES: usize = 5;

/// The longest text of others in a note, in characters.
const MAX_TOLD: usize = 200;

/// How many changed links are followed; the rest are counted.
pub const MAX_FOLLOWED: usize = 200;

/// How many notes there are; the rest are counted.
const MAX_NOTES: usize = 200;

/// What a path is in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum EntryKind {
    File,
    Executable,
    Link,
    Submodule,
    Folder,
}

impl EntryKind {
    /// Reads git's mode.
    pub fn of_mode(mode: u32) -> Self {
        match mode {
            0o100_755 => Self::Executable,
            0o120_000 => Self::Link,
            0o160_000 => Self::Submodule,
            0o040_000 => Self::Folder,
            _ => Self::File,
        }
    }
}

/// One changed path: what it was and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryChange {
    /// The path.
    pub path: Vec<u8>,
    /// What it was, and its object.
    pub old: Option<(EntryKind, String)>,
    /// What it is, and its object.
    pub new: Option<(EntryKind, String)>,
}

/// Which of the two compared trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Side {
    Old,
    New,
}

/// What the compared trees hold. What cannot be read is as good as not there.
pub trait Trees {
    /// Returns the content of a file, or where a link leads.
    fn read(&self, side: Side, path: &[u8]) -> Option<Vec<u8>>;

    /// Returns what a path of the new tree is.
    fn kind(&self, path: &[u8]) -> Option<EntryKind>;
}

/// Says what changed besides lines, what leads astray first.
pub fn clone_notes(changes: &[EntryChange], trees: &impl Trees) -> Vec<String> {
    let mut notes: Vec<(Weight, String)> = Vec::new();
    let mut links = 0;
    for change in changes {
        if change.new.as_ref().is_some_and(|(kind, _)| *kind == EntryKind::Link) {
            links += 1;
            if links > MAX_FOLLOWED {
                continue;
            }
        }
        let path = told(&change.path);
        of_kinds(change, &path, trees, &mut notes);
        if is_attributes(&change.path) {
            notes.push((Weight::Clone, attributes(change, &path, trees)));
        }
        if is_modules(&change.path) {
            let told = submodules(change, &path, trees);
            notes.extend(told.into_iter().map(|note| (Weight::Clone, note)));
        }
    }
    let unfollowed = links.saturating_sub(MAX_FOLLOWED);
    if unfollowed > 0 {
        let words = format!(
            "{unfollowed} more links are new or changed; where they lead is not looked at here"
        );
        notes.insert(0, (Weight::Outside, words));
    }
    // The order within a weight stays that of the paths.
    notes.sort_by_key(|(weight, _)| *weight);
    let more = notes.len().saturating_sub(MAX_NOTES);
    let mut notes: Vec<String> = notes.into_iter().take(MAX_NOTES).map(|(_, note)| note).collect();
    if more > 0 {
        notes.push(format!("{more} more such changes"));
    }
    notes
}

/// Returns whether git reads the file to know what a clone gets.
pub fn decides_what_is_cloned(path: &[u8]) -> bool {
    is_attributes(path) || is_modules(path)
}

/// Git reads it by its name, whatever case a file system makes of it.
fn is_attributes(path: &[u8]) -> bool {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    name.eq_ignore_ascii_case(b".gitattributes")
}

fn is_modules(path: &[u8]) -> bool {
    path.eq_ignore_ascii_case(b".gitmodules")
}

/// How much a note weighs, the heaviest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Outside,
    Clone,
    Kind,
    Mode,
}

fn of_kinds(
    change: &EntryChange,
    path: &str,
    trees: &impl Trees,
    notes: &mut Vec<(Weight, String)>,
) {
    use EntryKind::{Executable, File, Folder, Link, Submodule};
    let old = change.old.as_ref().map(|(kind, _)| *kind);
    let Some((kind, object)) = &change.new else {
        if old == Some(Submodule) {
            notes.push((Weight::Kind, format!("{path} is not a submodule any more")));
        }
        return;
    };
    let was = match old {
        Some(File | Executable) => "a file",
        Some(Link) => "a link",
        Some(Submodule) => "a submodule",
        Some(Folder) | None => "",
    };
    match kind {
        Link => {
            let (weight, words) = link(&change.path, path, trees);
            let was = if old.is_none_or(|old| old == Link) { "" } else { was };
            let was = if was.is_empty() { String::new() } else { format!("; it was {was}") };
            notes.push((weight, format!("{words}{was}")));
        }
        Submodule => {
            let commit = short(object);
            let words = match &change.old {
                Some((Submodule, before)) => {
                    format!("{path} is a submodule at commit {commit} (was {})", short(before))
                }
                _ if was.is_empty() => format!("{path} is a new submodule at commit {commit}"),
                _ => format!("{path} becomes a submodule at commit {commit}; it was {was}"),
            };
            notes.push((Weight::Clone, words));
        }
        File | Executable => {
            let executable = *kind == Executable;
            let words = match old {
                Some(Link | Submodule) if executable => {
                    format!("{path} becomes an executable file; it was {was}")
                }
                Some(Link | Submodule) => format!("{path} becomes a file; it was {was}"),
                None | Some(Folder) if executable => format!("{path} is new and executable"),
                Some(File) if executable => format!("{path} becomes executable"),
                Some(Executable) if !executable => format!("{path} is no longer executable"),
                _ => return,
            };
            let kinds = matches!(old, Some(Link | Submodule));
            notes.push((if kinds { Weight::Kind } else { Weight::Mode }, words));
        }
        Folder => {}
    }
}

/// What a link is: where it leads, and whether that is there.
fn link(at: &[u8], path: &str, trees: &impl Trees) -> (Weight, String) {
    let Some(target) = trees.read(Side::New, at) else {
        return (Weight::Kind, format!("{path} is a link"));
    };
    let shown = told(&target);
    match follow(at, trees) {
        Lead::Outside => {
            (Weight::Outside, format!("{path} links to {shown}, outside the repository"))
        }
        Lead::Nowhere => (Weight::Outside, format!("{path} links to {shown}, which is not there")),
        Lead::Git => {
            (Weight::Outside, format!("{path} links to {shown}, into the repository's own `.git`"))
        }
        Lead::Circle => (Weight::Outside, format!("{path} links to {shown}, in a circle")),
        Lead::Inside => (Weight::Kind, format!("{path} links to {shown}")),
    }
}

/// Where a link leads in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    Inside,
    Outside,
    Nowhere,
    Git,
    Circle,
}

/// Follows a link as the kernel would in a fresh clone: links on the way count, so `..` after one is
/// the folder above of where it leads.
fn follow(at: &[u8], trees: &impl Trees) -> Lead {
    let mut here: Vec<Vec<u8>> = Vec::new();
    let mut ahead: Vec<Vec<u8>> = pieces(at);
    let mut links = 0;
    while let Some(piece) = ahead.pop() {
        match piece.as_slice() {
            b"" | b"." => continue,
            b".." => {
                if here.pop().is_none() {
                    return Lead::Outside;
                }
                continue;
            }
            _ => {}
        }
        if here.is_empty() && piece.eq_ignore_ascii_case(b".git") {
            return Lead::Git;
        }
        here.push(piece);
        let path = here.join(&b'/');
        match trees.kind(&path) {
            None => return Lead::Nowhere,
            Some(EntryKind::Link) => {
                links += 1;
                if links > MAX_LINKS {
                    return Lead::Circle;
                }
                let Some(target) = trees.read(Side::New, &path) else { return Lead::Nowhere };
                if target.starts_with(b"/") {
                    return Lead::Outside;
                }
                here.pop();
                ahead.extend(pieces(&target));
            }
            // What a submodule holds is not known here.
            Some(EntryKind::Submodule) => return Lead::Inside,
            Some(EntryKind::File | EntryKind::Executable) if !ahead.is_empty() => {
                return Lead::Nowhere;
            }
            Some(EntryKind::File | EntryKind::Executable | EntryKind::Folder) => {}
        }
    }
    Lead::Inside
}

/// The pieces of a path, the last one first.
fn pieces(path: &[u8]) -> Vec<Vec<u8>> {
    path.split(|&byte| byte == b'/').rev().map(<[u8]>::to_vec).collect()
}

/// What an attributes file newly says.
fn attributes(change: &EntryChange, path: &str, trees: &impl Trees) -> String {
    let old = rules(change.old.as_ref().and_then(|_| trees.read(Side::Old, &change.path)));
    let new = rules(change.new.as_ref().and_then(|_| trees.read(Side::New, &change.path)));
    let how = match (&change.old, &change.new) {
        (None, _) => "is new",
        (_, None) => "is deleted",
        _ => "changed",
    };
    let listed = |rules: Vec<&Vec<u8>>, word: &str| {
        let more = rules.len().saturating_sub(MAX_RULES);
        let mut shown: Vec<String> = rules.iter().take(MAX_RULES).map(|rule| told(rule)).collect();
        if more > 0 {
            shown.push(format!("{more} more"));
        }
        if shown.is_empty() { String::new() } else { format!("; {word} {}", shown.join(", ")) }
    };
    let added = listed(new.iter().filter(|rule| !old.contains(rule)).collect(), "it says");
    let gone = listed(old.iter().filter(|rule| !new.contains(rule)).collect(), "no longer");
    format!("{path} {how}: it decides what a fresh clone writes{added}{gone}")
}

fn rules(file: Option<Vec<u8>>) -> Vec<Vec<u8>> {
    let file = file.unwrap_or_default();
    let lines = file.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty() && !line.starts_with(b"#")).map(<[u8]>::to_vec).collect()
}

/// Which submodules come from elsewhere than before.
fn submodules(change: &EntryChange, path: &str, trees: &impl Trees) -> Vec<String> {
    let side = |side, entry: &Option<(EntryKind, String)>| {
        let text = entry.as_ref().and_then(|_| trees.read(side, &change.path));
        settings(&String::from_utf8_lossy(&text.unwrap_or_default()))
    };
    let (old, new) = (side(Side::Old, &change.old), side(Side::New, &change.new));
    let mut notes = Vec::new();
    for (name, now) in &new {
        let before = old.get(name);
        let shown = words(name);
        for (key, value) in now {
            let was = before.and_then(|before| before.get(key));
            if was == Some(value) {
                continue;
            }
            let was = was.map(|was| format!(" (was {})", words(was))).unwrap_or_default();
            let value = words(value);
            notes.push(match key.as_str() {
                "url" => format!("{path}: submodule {shown} comes from {value}{was}"),
                "path" => format!("{path}: submodule {shown} lies in {value}{was}"),
                key => format!("{path}: submodule {shown} has {} = {value}{was}", words(key)),
            });
        }
    }
    for (name, before) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        let from = before.get("url").map(|url| format!(", which came from {}", words(url)));
        notes.push(format!(
            "{path}: submodule {} is gone{}",
            words(name),
            from.unwrap_or_default()
        ));
    }
    if notes.is_empty() {
        notes.push(format!("{path} changed, and no submodule is otherwise than before"));
    }
    notes
}

/// The settings of each submodule. It is read as loosely as git reads it, so nothing that git would
/// take is overlooked; what it takes besides is only told.
fn settings(text: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut found: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut current = None;
    for line in text.replace("\\\n", " ").lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let (head, after) = rest.rsplit_once(']').unwrap_or((rest, ""));
            let (word, name) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
            let name = name.trim().trim_matches('"').replace("\\\"", "\"").replace("\\\\", "\\");
            current = word.eq_ignore_ascii_case("submodule").then_some(name);
            // A setting may stand behind the head of its section.
            line = after.trim();
        }
        let Some(name) = &current else { continue };
        let settings = found.entry(name.clone()).or_default();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        let value = value.trim().trim_matches('"').to_owned();
        settings.insert(key.trim().to_ascii_lowercase(), value);
    }
    found
}

/// Bytes of others, in backticks.
fn told(bytes: &[u8]) -> String {
    cut(&printable_bytes(bytes, Lines::One))
}

fn words(text: &str) -> String {
    cut(&printable(text, Lines::One))
}

fn cut(text: &str) -> String {
    // A backtick of others would end the quotes around it, here and in Markdown.
    let text = text.replace('`', "\\x60");
    match text.char_indices().nth(MAX_TOLD) {
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("`{}`… ({more} more characters)", &text[..end])
        }
        None => format!("`{text}`"),
    }
}

fn short(object: &str) -> &str {
    object.get(..12).unwrap_or(object)
}

#[cfg(test)]
#[path = "clone_notes_tests.rs"]
mod tests;
