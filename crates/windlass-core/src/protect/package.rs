//! What of a `package.json` decides besides what it says itself: where its packages come from.
//!
//! Which packages a project has, and in which version, is ordinary work. One that comes from a folder of the
//! repository, from an address or under another name can be anything, also the program that runs the tests.

use serde_json::{Map, Value};

/// The key under which packages stand that do not come from the registry by their own name.
pub(crate) const ELSEWHERE: &str = "dependencies from elsewhere";

const SECTIONS: [&str; 4] =
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// Adds what comes from elsewhere to a manifest.
pub(super) fn with_elsewhere(mut manifest: Value) -> Value {
    let Some(fields) = manifest.as_object_mut() else { return manifest };
    let mut elsewhere = Map::new();
    for section in SECTIONS {
        let Some(packages) = fields.get(section).and_then(Value::as_object) else { continue };
        for (name, version) in packages {
            if version.as_str().is_none_or(is_elsewhere) {
                elsewhere.insert(format!("{section}/{name}"), version.clone());
            }
        }
    }
    if !elsewhere.is_empty() {
        fields.insert(ELSEWHERE.to_owned(), Value::Object(elsewhere));
    }
    manifest
}

/// `file:…`, `npm:other@1`, an address or `owner/repository`; packages of the workspace are found by name.
fn is_elsewhere(version: &str) -> bool {
    let from_workspace = version.starts_with("workspace:") || version.starts_with("catalog:");
    !from_workspace && version.contains([':', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordinary_and_other_sources_are_not() {
        for version in ["^29.1.0", "*", "latest", ">=1 <2", "workspace:*", "catalog:", ""] {
            assert!(!is_elsewhere(version), "{version}");
        }
        for version in
            ["file:tools/jest", "link:../x", "npm:fake@1", "github:a/b", "a/b#main", "./x"]
        {
            assert!(is_elsewhere(version), "{version}");
        }
        let manifest = serde_json::json!({"devDependencies": {"jest": "file:x", "a": "1"}});
        let wanted = serde_json::json!({"devDependencies/jest": "file:x"});
        assert_eq!(with_elsewhere(manifest)[ELSEWHERE], wanted);
    }
}
