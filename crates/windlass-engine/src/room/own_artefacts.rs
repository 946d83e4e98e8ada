//! Artefacts of this project in the caches of the home, which are left out of rooms.
//!
//! `mvn install` puts what it built into the cache that the next build reads. A room with the project's
//! own artefacts in it could test what the user built an hour ago instead of the snapshot.

use std::path::{Path, PathBuf};

use regex::Regex;

/// The largest build file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// Returns the folders below a Maven repository that hold artefacts of the project in `tree`.
pub(super) fn in_maven(tree: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![(tree.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Some(text) = read(&folder.join("pom.xml")) else { continue };
        if let Some(group) = first(&text, "groupId") {
            let group: PathBuf = group.split('.').collect();
            found.extend(first(&text, "artifactId").map(|artifact| group.join(artifact)));
        }
        // A reactor names its modules; deeper than this nobody nests them.
        if depth < 4 {
            let modules = all(&text, "module").into_iter();
            folders.extend(modules.map(|module| (folder.join(module), depth + 1)));
        }
    }
    found.sort();
    found.dedup();
    found
}

fn read(file: &Path) -> Option<String> {
    let size = fs_err::metadata(file).ok()?.len();
    if size > MAX_BYTES { None } else { fs_err::read_to_string(file).ok() }
}

fn all(text: &str, tag: &str) -> Vec<String> {
    let Ok(pattern) = Regex::new(&format!(r"<{tag}>\s*([A-Za-z0-9._/-]+)\s*</{tag}>")) else {
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
    all(&own, tag).into_iter().next().or_else(|| all(text, tag).into_iter().next())
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
}
