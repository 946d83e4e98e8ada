//! The page about platforms: its example is one, and it has every key and every shipped platform.

use std::process::Command;

use windlass_core::platform::Pack;

use crate::pages;

#[test]
fn the_example_is_a_platform_with_every_key() {
    let page = pages::read("docs/platforms.md");
    let [example] = &pages::blocks(&page, "json")[..] else { panic!("one example") };
    let pack = Pack::parse(example.as_bytes(), "docs").unwrap_or_else(|found| panic!("{found:#?}"));
    assert_eq!(pack.commands.len(), 7);
    // A key that nobody knows is answered with the list of those that there are.
    let found = Pack::parse(b"{\"xyzzy\": 1}", "x").expect_err("it is refused");
    let known = found.iter().find_map(|one| one.help.as_ref()?.strip_prefix("known here: "));
    let known: Vec<&str> = known.expect("the keys").split(", ").collect();
    assert!(known.len() > 14, "{known:?}");
    for key in known.into_iter().filter(|key| *key != "`$schema`") {
        let key = key.trim_matches('`');
        assert!(example.contains(&format!("\"{key}\":")), "{key} is not in the example");
        assert!(page.contains(&format!("\n| `{key}")), "{key} is not in the table");
    }
}

#[test]
fn the_page_names_every_platform_that_comes_with_windlass() {
    let page = pages::read("docs/platforms.md");
    let folder = tempfile::tempdir().unwrap();
    let list = Command::new(env!("CARGO_BIN_EXE_windlass"))
        .args(["platform", "list", "--json"])
        .env("XDG_CONFIG_HOME", folder.path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let lines = String::from_utf8(list.stdout).unwrap();
    assert!(lines.lines().count() > 15, "{lines}");
    for line in lines.lines() {
        let platform: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = platform["name"].as_str().unwrap();
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}
