//! What is stored has a version, and its shape does not change without a new one.
//!
//! The shape is read off the source: the definitions of every type that an input, an event or the state
//! is made of, without comments. It is kept as a hash per version, because only a difference matters.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use windlass_core::run::{DECIDER_VERSION, FOLD_FORMAT, JOURNAL_FORMAT};

/// One line per version: `journal NUMBER HASH` or `fold NUMBER HASH`.
const KEPT: &str = include_str!("shapes.txt");

#[test]
fn the_shape_of_the_journal_does_not_change_without_a_new_format() {
    kept_shape_is("journal", JOURNAL_FORMAT, &shape_of(&["InputKind", "Event"]));
}

#[test]
fn the_shape_of_the_fold_does_not_change_without_a_new_format() {
    kept_shape_is("fold", FOLD_FORMAT, &shape_of(&["RunState"]));
}

#[test]
fn a_field_and_an_attribute_are_part_of_a_shape_and_a_comment_is_not() {
    let shape = |text: &str| {
        let mut types = BTreeMap::new();
        collect(text, &mut types);
        reachable(&types, &["A"])
    };
    let b = "#[derive(Clone, Serialize)]\npub(crate) struct B(u8);\n";
    let a = "#[derive(Serialize)]\n#[serde(transparent)]\npub struct A {\n    b: Vec<B>,\n}\n";
    let plain = shape(&format!("{a}{b}"));
    assert!(plain.contains("Vec<B>") && plain.contains("B(u8)"), "{plain}");
    let comment = a.replace("    b:", "    /// Words.\n    b:");
    assert_eq!(plain, shape(&format!("{comment}\n{b}\n#[derive(Serialize)]\nstruct C;\n")));
    for other in [
        format!("{a}{}", b.replace("u8", "u16")),
        format!("{}{b}", a.replace("    b:", "    #[serde(default)]\n    b:")),
        format!("{}{b}", a.replace("transparent", "deny_unknown_fields")),
    ] {
        assert_ne!(plain, shape(&other));
    }
}

#[test]
fn the_architecture_names_these_versions() {
    let text = include_str!("../../../../ARCHITECTURE.md");
    for (what, version) in [
        ("inputs and events", JOURNAL_FORMAT),
        ("stored fold", FOLD_FORMAT),
        ("decider", DECIDER_VERSION),
    ] {
        assert!(text.contains(&format!("\n| {what} | {version} |")), "{what}: {version}");
    }
}

fn kept_shape_is(what: &str, format: u32, shape: &str) {
    let line = format!("{what} {format} {}", &blake3::hash(shape.as_bytes()).to_hex()[..16]);
    let newest = KEPT.lines().rev().find(|kept| kept.starts_with(what));
    assert_eq!(
        newest,
        Some(line.as_str()),
        "the shape of what is stored in the {what} changed: raise its number in run/format.rs, unless \
         no program with the present one was released, and keep the new line in tests/journals/shapes.txt"
    );
}

fn shape_of(roots: &[&str]) -> String {
    let mut types = BTreeMap::new();
    for path in sources(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")) {
        collect(&std::fs::read_to_string(&path).unwrap(), &mut types);
    }
    for root in roots {
        assert!(types.contains_key(*root), "there is no type `{root}`");
    }
    reachable(&types, roots)
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" && name != "testing" {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && !name.ends_with("_tests.rs") && !name.starts_with("test")
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Adds the definitions of types that are stored, under their names, without comments and blanks.
///
/// The source is formatted, so a definition begins with its attributes at the margin and ends with the
/// first line at the margin that closes it. Two types of one name count as one: a change of either is
/// noticed.
fn collect(text: &str, types: &mut BTreeMap<String, Vec<String>>) {
    let mut attributes = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("#[") {
            attributes.push_str(line);
            continue;
        }
        let stored = attributes.contains("Serialize") || attributes.contains("Deserialize");
        let Some(name) = stored.then(|| type_name(line)).flatten() else {
            // A comment or the rest of a long attribute stands between attributes and their type.
            if !line.starts_with("//") && !line.starts_with([' ', ')']) {
                attributes.clear();
            }
            continue;
        };
        let mut definition = how_written(&attributes);
        definition.push_str(line);
        if !line.ends_with(';') && !line.ends_with('}') {
            for line in lines.by_ref() {
                if !line.trim_start().starts_with("//") {
                    definition.push_str(line.trim());
                }
                if line.starts_with(['}', ')']) {
                    break;
                }
            }
        }
        types.entry(name.to_owned()).or_default().push(definition);
        attributes.clear();
    }
}

fn type_name(line: &str) -> Option<&str> {
    let mut words = line.split([' ', '(', '<', '{', ';']).filter(|word| !word.is_empty());
    words.by_ref().find(|word| matches!(*word, "struct" | "enum"))?;
    words.next()
}

/// The attributes that decide how a type is written; the others, such as its derives, do not.
fn how_written(attributes: &str) -> String {
    let parts = attributes.split("#[").filter(|part| part.starts_with("serde"));
    parts.map(|part| format!("#[{part}")).collect()
}

/// The definitions of the roots and of all that they are made of.
fn reachable(types: &BTreeMap<String, Vec<String>>, roots: &[&str]) -> String {
    let mut waiting: Vec<String> = roots.iter().map(|root| (*root).to_owned()).collect();
    let mut seen = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        let Some(definitions) = types.get(&name) else { continue };
        if !seen.insert(name) {
            continue;
        }
        let words = definitions
            .iter()
            .flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
        waiting.extend(words.map(str::to_owned));
    }
    let mut shape = String::new();
    for name in seen {
        for definition in &types[&name] {
            let _ = writeln!(shape, "{definition}");
        }
    }
    shape
}
