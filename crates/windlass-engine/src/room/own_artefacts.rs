//! Artefacts of this project in the caches of the home, which are left out of rooms.
//!
//! `mvn install` puts what it built into the cache that the next build reads. A room with the project's
//! own artefacts in it could test what the user built an hour ago instead of the snapshot.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use regex::Regex;

use crate::git::place_files;

/// The largest build file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// More modules than any reactor has.
const MAX_MODULES: usize = 2000;

/// Returns the folders below a Maven repository that hold artefacts of the project in `tree`.
///
/// Whoever wrote the build files says what they are called, so nothing in them is taken for a path:
/// each folder that is returned is a list of plain names.
pub(super) fn in_maven(tree: &Path) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([PathBuf::new()]);
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let Some(text) = read(tree, &folder.join("pom.xml")) else { continue };
        if let (Some(group), Some(artifact)) = (first(&text, "groupId"), first(&text, "artifactId"))
        {
            found.extend(folder_of(&group, &artifact));
        }
        // A reactor names its modules, and one may name another that names it.
        for module in all(&text, "module", "[A-Za-z0-9_./-]+") {
            let Some(module) = within(&folder, &module) else { continue };
            if seen.len() < MAX_MODULES && seen.insert(module.clone()) {
                folders.push(module);
            }
        }
    }
    found.into_iter().collect()
}

/// The folder of an artefact; none if its names are none.
fn folder_of(group: &str, artifact: &str) -> Option<PathBuf> {
    let names: Vec<&str> = group.split('.').chain([artifact]).collect();
    let plain = |name: &&str| !matches!(*name, "" | "." | "..") && !name.contains('/');
    names.iter().all(plain).then(|| names.iter().collect())
}

/// Where a module is, relative to the tree; none if that is outside.
fn within(folder: &Path, module: &str) -> Option<PathBuf> {
    let mut at = folder.to_owned();
    for part in Path::new(module).components() {
        match part {
            Component::Normal(name) => at.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !at.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(at)
}

fn read(tree: &Path, file: &Path) -> Option<String> {
    let bytes = place_files::read_file_bounded(tree, file, MAX_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn all(text: &str, tag: &str, value: &str) -> Vec<String> {
    let Ok(pattern) = Regex::new(&format!(r"<{tag}>\s*({value})\s*</{tag}>")) else {
        return Vec::new();
    };
    // What a project is called stands before what it depends on.
    pattern.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

/// The project's own value: outside `parent` and `dependencies`, else the parent's.
fn first(text: &str, tag: &str) -> Option<String> {
    let own = text.split("<dependencies>").next().unwrap_or(text);
    let own = match (own.find("<parent>"), own.find("</parent>")) {
        (Some(start), Some(end)) if start < end => format!("{}{}", &own[..start], &own[end..]),
        _ => own.to_owned(),
    };
    let find = |text: &str| all(text, tag, "[A-Za-z0-9_.-]+").into_iter().next();
    find(&own).or_else(|| find(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_and_its_modules_are_found() {
        let tree = tempfile::tempdir().unwrap();
        let pom = "<project><parent><groupId>org.up</groupId><artifactId>up</artifactId></parent>\
                   <groupId>org.example.shop</groupId><artifactId>shop</artifactId>\
                   <modules><module>cart</module></modules>\
                   <dependencies><groupId>other</groupId></dependencies></project>";
        fs_err::write(tree.path().join("pom.xml"), pom).unwrap();
        fs_err::create_dir(tree.path().join("cart")).unwrap();
        let module = "<project><parent><groupId>org.example.shop</groupId></parent>\
                      <artifactId>cart</artifactId></project>";
        fs_err::write(tree.path().join("cart/pom.xml"), module).unwrap();
        let found = in_maven(tree.path());
        assert_eq!(found, ["org/example/shop/cart", "org/example/shop/shop"].map(PathBuf::from));
    }

    #[test]
    fn nothing_in_a_build_file_becomes_a_path() {
        let tree = tempfile::tempdir().unwrap();
        for (group, artifact) in [
            ("org.example", "/home/ada/x"),
            ("org.example", "../../x"),
            ("org.example", ".."),
            ("org.example", "."),
            ("./home/ada", "x"),
            (".home.ada", "x"),
            ("org..example", "x"),
            ("..", "x"),
            ("org/../../x", "y"),
        ] {
            let pom = format!(
                "<project><groupId>{group}</groupId><artifactId>{artifact}</artifactId></project>"
            );
            fs_err::write(tree.path().join("pom.xml"), pom).unwrap();
            assert_eq!(in_maven(tree.path()), Vec::<PathBuf>::new(), "{group} {artifact}");
        }
    }

    #[test]
    fn modules_are_read_once_each_and_within_the_tree_only() {
        let outside = tempfile::tempdir().unwrap();
        let tree = outside.path().join("tree");
        fs_err::create_dir_all(tree.join("a/b")).unwrap();
        let pom = |name: &str, modules: &str| {
            format!(
                "<project><groupId>org</groupId><artifactId>{name}</artifactId>{modules}</project>"
            )
        };
        fs_err::write(outside.path().join("pom.xml"), pom("outside", "")).unwrap();
        let link = tree.join("linked");
        std::os::unix::fs::symlink(outside.path(), &link).unwrap();
        // Read as often as they are named, these would not be read in a lifetime.
        let above = format!("<module>{}</module>", outside.path().display());
        let circles = "<module>.</module><module>a</module><module>a/../a</module>".repeat(200);
        let modules = format!("<module>..</module><module>linked</module>{above}{circles}");
        fs_err::write(tree.join("pom.xml"), pom("top", &modules)).unwrap();
        let back = "<module>..</module><module>b</module>".repeat(200);
        fs_err::write(tree.join("a/pom.xml"), pom("a", &back)).unwrap();
        fs_err::write(tree.join("a/b/pom.xml"), pom("b", "<module>../..</module>")).unwrap();
        assert_eq!(in_maven(&tree), ["org/a", "org/b", "org/top"].map(PathBuf::from));
    }
}
