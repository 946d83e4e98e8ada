//! The values of some keys of a file, so that the rest of it may change.
//!
//! The file was written by an agent, and programs read it in their own ways. So whatever could mean one
//! thing here and another thing there (a key twice, an alias, a byte order mark, comments in JSON) makes the
//! file unreadable, and then all of it counts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::lines::Kind;
use super::{catalog, ini, json, msbuild, package, pom, pyproject};
use crate::id::ContentHash;
use crate::measure::xml;
use crate::source::At;
use crate::source::diagnostic::Findings;
use crate::source::suggest::shown;
use crate::source::yaml;

/// Larger files are not read: all of them counts.
pub const MAX_KEYED_BYTES: usize = 1 << 20;

/// How deep values are nested at most, in formats whose reader has no bound of its own.
const MAX_DEPTH: usize = 100;

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the formats")]
pub enum Format {
    Json,
    Toml,
    Yaml,
    Ini,
    Xml,
    /// A program, by its lines.
    Lines,
}

impl Format {
    /// Returns how files of this name are read; a glob counts by how it ends.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.rsplit('/').next().unwrap_or(name);
        if Kind::of(name).is_some() {
            return Some(Self::Lines);
        }
        match name.rsplit_once('.')?.1 {
            "json" => Some(Self::Json),
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            "ini" | "cfg" => Some(Self::Ini),
            "xml" | "csproj" | "fsproj" | "vbproj" => Some(Self::Xml),
            _ => None,
        }
    }

    fn read(self, name: &str, text: &str) -> Option<Value> {
        match self {
            Self::Lines => Kind::of(name.rsplit('/').next().unwrap_or(name))?.read(text),
            Self::Json => {
                let tree = json::read(text)?;
                let is_manifest = name.rsplit('/').next() == Some("package.json");
                Some(if is_manifest { package::with_elsewhere(tree) } else { tree })
            }
            Self::Toml => {
                let tree = from_toml(toml::Value::Table(text.parse().ok()?));
                Some(match name.rsplit('/').next() {
                    Some("pyproject.toml") => pyproject::decides(tree),
                    Some(name) if name.ends_with(".versions.toml") => catalog::decides(tree),
                    Some(_) | None => tree,
                })
            }
            Self::Yaml => from_yaml(yaml::parse_plain(text)?, 0),
            Self::Ini => ini::read(text),
            Self::Xml if name.ends_with("pom.xml") => from_xml(text).and_then(pom::decides),
            Self::Xml if name.ends_with("proj") => from_xml(text).map(msbuild::decides),
            Self::Xml => from_xml(text),
        }
    }
}

/// The values of the protected keys of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values(BTreeMap<String, Map<String, Value>>);

impl Values {
    /// Returns the keys whose values are not the same. Of a key with `+` in front only what was added counts,
    /// of one with `-` only what was there.
    pub fn changed(&self, other: &Self) -> Vec<String> {
        let keys: BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        let nothing = Map::new();
        let differs = |key: &&String| {
            let (before, now) =
                (self.0.get(*key).unwrap_or(&nothing), other.0.get(*key).unwrap_or(&nothing));
            match key.rsplit('.').next().and_then(|name| name.chars().next()) {
                Some('+') => !lines(now).all(|line| lines(before).any(|old| old == line)),
                Some('-') => !entries(before).all(|entry| entries(now).any(|new| new == entry)),
                _ => before != now,
            }
        };
        keys.into_iter().filter(differs).cloned().collect()
    }

    /// Returns a hash that is the same exactly for the same values.
    pub fn hash(&self) -> ContentHash {
        ContentHash::of(&serde_json::to_vec(&self.0).unwrap_or_default())
    }
}

/// The lines of lists.
fn lines(values: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    values.values().filter_map(Value::as_array).flatten()
}

/// The entries of mappings.
fn entries(values: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    values.values().filter_map(Value::as_object).flatten()
}

/// Reads the values of `keys`; a file that is not there has none. None means that nobody can be sure what
/// the file says.
pub fn values(path: &str, bytes: Option<&[u8]>, keys: &BTreeSet<String>) -> Option<Values> {
    let tree = match bytes {
        None => Value::Object(Map::new()),
        Some(bytes) if bytes.len() > MAX_KEYED_BYTES => return None,
        Some(bytes) => Format::of(path)?.read(path, std::str::from_utf8(bytes).ok()?)?,
    };
    // What is no mapping has no keys, and programs read it as they like.
    tree.as_object()?;
    let mut found = BTreeMap::new();
    for key in keys {
        let mut of_key = Map::new();
        look(&tree, key, "", &mut of_key);
        found.insert(key.clone(), of_key);
    }
    Some(Values(found))
}

/// Notes every value that `rest` of a key leads to. Names may have dots themselves, and `*` stands for any
/// letters of a name.
fn look(tree: &Value, rest: &str, above: &str, found: &mut Map<String, Value>) {
    match tree {
        Value::Object(entries) => {
            for (name, value) in entries {
                let here = format!("{above}/{name}");
                if fits(rest, name) {
                    found.insert(here, value.clone());
                    continue;
                }
                if rest.strip_suffix('?').is_some_and(|key| fits(key, name)) {
                    // Only whether it is there.
                    found.insert(here, true.into());
                    continue;
                }
                for (at, _) in rest.match_indices('.') {
                    // Of any name something without keys is not what the key is about.
                    let is_any = &rest[..at] == "*" && !value.is_object() && !value.is_array();
                    if fits(&rest[..at], name) && !is_any {
                        look(value, &rest[at + 1..], &here, found);
                    }
                }
            }
        }
        // Several elements of one name.
        Value::Array(list) if list.iter().all(Value::is_object) => {
            for (number, value) in list.iter().enumerate() {
                look(value, rest, &format!("{above}[{number}]"), found);
            }
        }
        // Something else stands in the place of the mapping.
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            drop(found.insert(above.to_owned(), tree.clone()))
        }
    }
}

/// Whether a name is meant by a pattern with `*`.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(head) else { return false };
    match rest.split('*').next_back() {
        Some(tail) if !rest.contains('*') => name.ends_with(tail),
        _ => (0..=name.len())
            .filter(|at| name.is_char_boundary(*at))
            .any(|at| fits(rest, &name[at..])),
    }
}

fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        // JSON has no word for some of them.
        toml::Value::Float(number) => Value::String(format!("float {number:?}")),
        toml::Value::Boolean(value) => value.into(),
        toml::Value::Datetime(date) => Value::String(format!("date {date}")),
        toml::Value::Array(list) => list.into_iter().map(from_toml).collect(),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(key, value)| (key, from_toml(value))).collect())
        }
    }
}

fn from_yaml(node: yaml::Node, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match node.value {
        yaml::Value::Null => Value::Null,
        yaml::Value::Boolean(value) => value.into(),
        yaml::Value::Number(text) => Value::String(format!("number {text}")),
        yaml::Value::Text(text) => Value::String(text),
        yaml::Value::List(nodes) => {
            nodes.into_iter().map(|node| from_yaml(node, depth + 1)).collect::<Option<_>>()?
        }
        yaml::Value::Map(entries) => {
            let mut map = Map::new();
            for (key, value) in entries {
                let yaml::Value::Text(key) = key.value else { return None };
                map.insert(key, from_yaml(value, depth + 1)?);
            }
            Value::Object(map)
        }
    })
}

/// Reads elements as mappings: those of one name are a list, and attributes begin with `@`. An element
/// `version` does not count: what a build is made with gets newer all the time.
fn from_xml(text: &str) -> Option<Value> {
    let mut document = xml::Document::new(text);
    let mut open: Vec<(String, Map<String, Value>, String)> =
        vec![(String::new(), Map::new(), String::new())];
    loop {
        match document.next().ok()? {
            xml::Part::Open(element) => {
                let attributes = element.attributes().into_iter();
                let attributes = attributes.map(|(name, text)| (format!("@{name}"), text.into()));
                open.push((element.name().to_owned(), attributes.collect(), String::new()));
            }
            xml::Part::Text(text) => open.last_mut()?.2.push_str(&text),
            xml::Part::Close => {
                let (name, mut map, text) = open.pop()?;
                let text = text.trim();
                let value = match map.is_empty() && !text.is_empty() {
                    true => Value::String(text.to_owned()),
                    false => {
                        if !text.is_empty() {
                            map.insert("#text".to_owned(), text.into());
                        }
                        Value::Object(map)
                    }
                };
                if name == "version" {
                    continue;
                }
                let siblings = &mut open.last_mut()?.1;
                let list = siblings.entry(name).or_insert_with(|| Value::Array(Vec::new()));
                list.as_array_mut()?.push(value);
            }
            xml::Part::End => return Some(Value::Object(open.pop()?.1)),
        }
    }
}

/// Reports a file in which keys cannot be told from each other.
pub(crate) fn can_have_keys(file: &str, at: At, findings: &mut Findings) {
    if Format::of(file).is_none() {
        findings.error_with_help(
            at,
            format!("{} is of no kind whose keys can be read", shown(file)),
            "keys are for files that end in `.json`, `.toml`, `.yaml`, `.yml`, `.cfg`, `.ini` or `.xml`; \
             without `keys` the whole file is protected",
        );
    }
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
