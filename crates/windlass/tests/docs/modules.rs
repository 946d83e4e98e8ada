//! The modules of core and engine use each other in one direction, and ARCHITECTURE.md draws it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- modules, made by tests: WINDLASS_UPDATE_DOCS=1 writes it anew -->";
const END: &str = "<!-- end of modules -->";

type Uses = BTreeMap<String, BTreeSet<String>>;

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(folder).expect("a folder of sources can be read");
    entries.map(|entry| entry.expect("an entry can be read").path()).collect()
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a source has a name").to_string_lossy().into_owned()
}

/// Which module of a crate uses which others, by the words `crate::NAME` outside of tests and comments.
fn uses(source: &Path) -> Uses {
    let mut uses = Uses::new();
    for path in entries(source) {
        let module = stem(&path);
        if !["lib", "clippy"].contains(&module.as_str()) && !module.ends_with("_tests") {
            uses.insert(module, BTreeSet::new());
        }
    }
    let modules: Vec<String> = uses.keys().cloned().collect();
    for module in &modules {
        let mut files = vec![source.join(format!("{module}.rs")), source.join(module)];
        while let Some(path) = files.pop() {
            let name = stem(&path);
            if name.contains("tests") || name == "testing" || !path.exists() {
                continue;
            }
            if path.is_dir() {
                files.extend(entries(&path));
                continue;
            }
            let text = fs_err::read_to_string(&path).expect("a source file can be read");
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
                for used in line.split("crate::").skip(1) {
                    let end = used.find(|sign: char| !sign.is_alphanumeric() && sign != '_');
                    let used = &used[..end.unwrap_or(used.len())];
                    if used != module && modules.iter().any(|other| other == used) {
                        uses.entry(module.clone()).or_default().insert(used.to_owned());
                    }
                }
            }
        }
    }
    uses
}

/// Modules by how far they are from the ground: each uses only modules of lower levels.
fn levels(mut uses: Uses) -> Vec<Vec<String>> {
    let mut levels = Vec::new();
    while !uses.is_empty() {
        let free =
            |(module, used): (&String, &BTreeSet<String>)| used.is_empty().then(|| module.clone());
        let ground: Vec<String> = uses.iter().filter_map(free).collect();
        assert!(!ground.is_empty(), "these modules use each other in a circle: {uses:#?}");
        uses.retain(|module, _| !ground.contains(module));
        for used in uses.values_mut() {
            used.retain(|module| !ground.contains(module));
        }
        levels.push(ground);
    }
    levels
}

fn drawn(name: &str, source: &Path) -> String {
    let levels = levels(uses(source));
    let lines = levels.iter().rev().map(|level| format!("    {}\n", level.join("  ")));
    format!("{name}\n{}", lines.collect::<String>())
}

#[test]
fn modules_form_no_circle_and_are_drawn_as_they_are() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text: String = ["windlass-core", "windlass-engine"]
        .map(|name| drawn(name, &crates.join(name).join("src")))
        .join("\n");
    let expected = format!("{BEGIN}\n\n```\n{text}```\n\n{END}");
    let page = crates.parent().unwrap().join("ARCHITECTURE.md");
    let written = fs_err::read_to_string(&page).unwrap();
    let begin = written.find(BEGIN).expect("the page has the picture");
    let end = written.find(END).expect("the picture has an end") + END.len();
    if std::env::var_os("WINDLASS_UPDATE_DOCS").is_some() {
        let new = format!("{}{expected}{}", &written[..begin], &written[end..]);
        fs_err::write(&page, new).unwrap();
        return;
    }
    assert_eq!(&written[begin..end], expected, "WINDLASS_UPDATE_DOCS=1 writes it anew");
}
