//! What people are shown of a change, whatever bytes and attributes an agent gives it.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use windlass_core::id::ObjectId;
use windlass_core::view::LINE_BYTES;
use windlass_engine::git::{TreePath, processes_started};

use super::world::{Run, World};

/// More than any of these patches has.
const ENOUGH: usize = 64 << 20;

fn patch(run: &Run, tree: &ObjectId) -> String {
    let patch = run.engine.patch(&run.last.tree, tree, &[], ENOUGH).unwrap();
    String::from_utf8_lossy(&patch).into_owned()
}

fn lines(run: &Run, tree: &ObjectId, path: &str) -> Option<(u64, u64)> {
    let (_, counts) = run.engine.diff_with_lines(&run.last.tree, tree).unwrap();
    counts.into_iter().find(|count| count.path.to_string() == path).unwrap().lines
}

#[test]
fn neither_a_nul_byte_nor_an_attribute_hides_lines() {
    let world = World::new();
    world.write_user("tests/a.test.js", "process.exit(judge());\n");
    world.write_user("plain.txt", "was\n");
    world.commit_user("more");
    let mut run = world.start();
    run.write("tests/a.test.js", "// \0 fixture\nprocess.exit(0); // the judge is gone\n");
    run.write("plain.txt", "is\n");
    run.write("turned", "a\0b\nc\n");
    run.write(".gitattributes", "* binary -diff linguist-generated\n");
    let code = run.snapshot().code;
    let shown = patch(&run, &code);
    assert!(shown.contains("+process.exit(0); // the judge is gone"), "{shown}");
    assert!(shown.contains("-was\n+is\n"), "{shown}");
    assert!(!shown.contains("Binary"), "{shown}");
    assert_eq!(lines(&run, &code, "tests/a.test.js"), Some((2, 1)));
    assert_eq!(lines(&run, &code, "plain.txt"), Some((1, 1)));
    assert_eq!(lines(&run, &code, "turned"), Some((2, 0)));
}

#[test]
fn what_cannot_be_read_is_named_unless_all_of_it_is_asked_for() {
    let world = World::new();
    let mut run = world.start();
    let noise: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    fs_err::write(run.root().join("image"), &noise).unwrap();
    run.write("a", "text\n");
    let code = run.snapshot().code;
    let shown = patch(&run, &code);
    assert!(shown.contains("+text\n"), "{shown}");
    assert!(shown.ends_with("diff --git a/image b/image\nBinary file: new, 10,000 bytes\n"));
    assert_eq!(lines(&run, &code, "image"), None);
    let all = run.engine.patch_as_text(&run.last.tree, &code, &[], ENOUGH).unwrap();
    assert!(all.windows(8).any(|bytes| bytes == b"\x0b\x0c\x0d\x0e\x0f\x10\x11\x12"));
    // Only what is asked for, also where something else cannot be read.
    let only = [TreePath::new(*b"a")];
    let one = run.engine.patch(&run.last.tree, &code, &only, ENOUGH).unwrap();
    assert!(!String::from_utf8_lossy(&one).contains("image"));
}

#[test]
fn no_file_is_free_of_weight() {
    let world = World::new();
    let mut run = world.start();
    let weigh = |run: &Run, tree: &ObjectId| {
        let (changes, weight) = run.engine.diff_and_weigh(&run.last.tree, tree).unwrap();
        assert_eq!(changes, run.engine.diff(&run.last.tree, tree).unwrap());
        weight
    };
    run.write("lines", &format!("\0\n{}", "x\n".repeat(5_000)));
    let code = run.snapshot().code;
    assert_eq!(weigh(&run, &code), 5_001);
    run.write("lines", &"x".repeat(5 << 20));
    let code = run.snapshot().code;
    assert_eq!(weigh(&run, &code), (5 << 20) / LINE_BYTES as u64);
    run.write("lines", "");
    run.write("README", "hello\nyou\n");
    let code = run.snapshot().code;
    assert_eq!(weigh(&run, &code), 2, "an empty file counts once");
    assert_eq!(weigh(&run, &run.last.tree.clone()), 0);
}

#[test]
fn many_paths_fit() {
    let world = World::new();
    let mut run = world.start();
    let name = |n: u32| format!("{}/{n}", "folder-with-a-long-name".repeat(8));
    (0..1_000).for_each(|n| run.write(&name(n), "x\n"));
    let code = run.snapshot().code;
    let paths: Vec<TreePath> = (0..1_000).map(|n| TreePath::new(name(n))).collect();
    let patch = run.engine.patch(&run.last.tree, &code, &paths, ENOUGH).unwrap();
    let patch = String::from_utf8_lossy(&patch).into_owned();
    assert_eq!(patch.lines().filter(|line| line.starts_with("diff --git ")).count(), 1_000);
}

#[test]
fn what_a_fresh_clone_gets_besides_lines_is_told() {
    let world = World::new();
    world.write_user(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n");
    world.write_user("run.sh", "exit 0\n");
    world.write_user("was", "a file\n");
    world.commit_user("more");
    let mut run = world.start();
    run.write(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = /nowhere/evil\n");
    run.write(".gitattributes", "*.sh text eol=crlf\n");
    let script = run.root().join("run.sh");
    fs_err::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    fs_err::remove_file(run.root().join("was")).unwrap();
    for (target, link) in [("/etc/passwd", "out"), ("z", "y"), ("src/main.rs", "was")] {
        symlink(target, run.root().join(link)).unwrap();
    }
    let code = run.snapshot().code;
    let changes = run.engine.diff(&run.last.tree, &code).unwrap();
    assert_eq!(
        run.engine.clone_notes(&code, &changes).unwrap(),
        [
            "`out` links to `/etc/passwd`, outside the repository",
            "`y` links to `z`, which is not there",
            "`.gitattributes` is new: it decides what a fresh clone writes; it says \
             `*.sh text eol=crlf`",
            "`.gitmodules`: submodule `lib` comes from `/nowhere/evil` (was `../lib`)",
            "`was` links to `src/main.rs`; it was a file",
            "`run.sh` becomes executable",
        ]
    );
}

/// A crowd of links and of files that git calls binary costs as many processes as one of each.
#[test]
fn a_crowd_costs_no_processes_of_its_own() {
    let mut counts = Vec::new();
    for many in [1, 300] {
        let world = World::new();
        let mut run = world.start();
        for n in 0..many {
            symlink("hop", run.root().join(format!("link{n}"))).unwrap();
            run.write(&format!("nul{n}"), "\0\nline\n");
            run.write(&format!("{n}/.gitattributes"), "* text\n");
        }
        symlink("/etc", run.root().join("hop")).unwrap();
        let code = run.snapshot().code;
        let changes = run.engine.diff(&run.last.tree, &code).unwrap();
        let before = processes_started();
        let notes = run.engine.clone_notes(&code, &changes).unwrap();
        let read = processes_started() - before;
        assert!(
            notes.iter().any(|note| note.contains("`hop`, outside the repository")),
            "{notes:?}"
        );
        let shown = patch(&run, &code);
        assert!(shown.contains("+line"), "{shown}");
        counts.push((read, processes_started() - before));
        if many > 1 {
            assert_eq!(notes.len(), 201);
            let not_followed = notes.iter().any(|note| note.starts_with("101 more links are new"));
            let more = notes.last().unwrap().ends_with("more such changes");
            assert!(not_followed && more, "{notes:?}");
        }
    }
    assert_eq!(counts[0], counts[1]);
    assert!(counts[0].0 <= 3, "{counts:?}");
}
