use std::collections::BTreeMap;

use super::*;

#[derive(Default)]
struct Written {
    old: BTreeMap<Vec<u8>, (EntryKind, Vec<u8>)>,
    new: BTreeMap<Vec<u8>, (EntryKind, Vec<u8>)>,
}

impl Trees for Written {
    fn read(&self, side: Side, path: &[u8]) -> Option<Vec<u8>> {
        let tree = if side == Side::Old { &self.old } else { &self.new };
        tree.get(path).map(|(_, bytes)| bytes.clone())
    }

    fn kind(&self, path: &[u8]) -> Option<EntryKind> {
        let below = [path, b"/"].concat();
        let folder = || self.new.keys().any(|known| known.starts_with(&below));
        let known = self.new.get(path).map(|(kind, _)| *kind);
        known.or_else(|| folder().then_some(EntryKind::Folder))
    }
}

type Entry<'a> = (&'a str, EntryKind, &'a str);

fn notes(old: &[Entry<'_>], new: &[Entry<'_>]) -> Vec<String> {
    let tree = |entries: &[Entry<'_>]| {
        let entry = |(path, kind, text): &Entry<'_>| {
            (path.as_bytes().to_vec(), (*kind, text.as_bytes().to_vec()))
        };
        entries.iter().map(entry).collect::<BTreeMap<_, _>>()
    };
    let trees = Written { old: tree(old), new: tree(new) };
    let mut paths: Vec<Vec<u8>> = trees.old.keys().chain(trees.new.keys()).cloned().collect();
    paths.sort();
    paths.dedup();
    let object =
        |entry: &(EntryKind, Vec<u8>)| (entry.0, String::from_utf8_lossy(&entry.1).into_owned());
    let change = |path: Vec<u8>| EntryChange {
        old: trees.old.get(&path).map(object),
        new: trees.new.get(&path).map(object),
        path,
    };
    let changes: Vec<EntryChange> = paths.into_iter().map(change).collect();
    let changed: Vec<EntryChange> = changes.into_iter().filter(|c| c.old != c.new).collect();
    clone_notes(&changed, &trees)
}

use EntryKind::{Executable, File, Link, Submodule};

#[test]
fn links_are_told_by_where_they_lead() {
    let new = [
        ("a/ok", Link, "../x"),
        ("a/up", Link, "../../y"),
        ("gone", Link, "nothing"),
        ("git", Link, ".git/config"),
        ("passwd", Link, "/etc/passwd"),
        ("round", Link, "round"),
        ("x", File, "x"),
    ];
    assert_eq!(
        notes(&[], &new),
        [
            "`a/up` links to `../../y`, outside the repository",
            "`git` links to `.git/config`, into the repository's own `.git`",
            "`gone` links to `nothing`, which is not there",
            "`passwd` links to `/etc/passwd`, outside the repository",
            "`round` links to `round`, in a circle",
            "`a/ok` links to `../x`",
        ]
    );
}

#[test]
fn a_way_out_over_another_link_is_found() {
    // Read as words it stays inside: a/b/up is three folders deep.
    let old = [("a/b/up", Link, "..")];
    let new = [("a/b/up", Link, ".."), ("out", Link, "a/b/up/../../z")];
    assert_eq!(notes(&old, &new), ["`out` links to `a/b/up/../../z`, outside the repository"]);
}

#[test]
fn files_that_become_something_else_are_told() {
    let old = [
        ("link", Link, "x"),
        ("plain", File, "1"),
        ("run.sh", File, "1"),
        ("stops", Executable, "1"),
        ("sub", Submodule, "1111111111111111"),
        ("x", File, "x"),
    ];
    let new = [
        ("link", File, "now a file"),
        ("new.sh", Executable, "1"),
        ("plain", Link, "x"),
        ("run.sh", Executable, "1"),
        ("stops", File, "1"),
        ("sub", Submodule, "2222222222222222"),
        ("x", File, "x"),
    ];
    assert_eq!(
        notes(&old, &new),
        [
            "`sub` is a submodule at commit 222222222222 (was 111111111111)",
            "`link` becomes a file; it was a link",
            "`plain` links to `x`; it was a file",
            "`new.sh` is new and executable",
            "`run.sh` becomes executable",
            "`stops` is no longer executable",
        ]
    );
}

#[test]
fn addresses_of_submodules_are_told_with_what_they_were() {
    let old = [(".gitmodules", File, "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n")];
    let new = [(
        ".gitmodules",
        File,
        "[submodule \"lib\"]\n path = lib\n url = /nowhere/evil\n[submodule \"n\"] path = n\n\
         URL = \"ext::sh -c x\"\n update = !sh\n",
    )];
    assert_eq!(
        notes(&old, &new),
        [
            "`.gitmodules`: submodule `lib` comes from `/nowhere/evil` (was `../lib`)",
            "`.gitmodules`: submodule `n` lies in `n`",
            "`.gitmodules`: submodule `n` has `update` = `!sh`",
            "`.gitmodules`: submodule `n` comes from `ext::sh -c x`",
        ]
    );
    let gone = ["`.gitmodules`: submodule `lib` is gone, which came from `../lib`"];
    assert_eq!(notes(&old, &[]), gone);
}

#[test]
fn attributes_are_told_rule_by_rule() {
    let old = [("a/.gitattributes", File, "*.c text\n")];
    let new = [("a/.gitattributes", File, "# why\n*.sh text eol=crlf\n*.js\u{202e} -diff\n")];
    assert_eq!(
        notes(&old, &new),
        ["`a/.gitattributes` changed: it decides what a fresh clone writes; it says \
          `*.sh text eol=crlf`, `*.js\\u{202e} -diff`; no longer `*.c text`"]
    );
}

#[test]
fn a_name_does_not_end_the_quotes_around_it() {
    let new = [("a` @org `\n.sh", Executable, "1")];
    assert_eq!(notes(&[], &new), ["`a\\x60 @org \\x60\\n.sh` is new and executable"]);
}
