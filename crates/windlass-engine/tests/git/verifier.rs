//! Trees that checks run in.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use windlass_engine::git::TreePath;

use crate::world::{World, git, write};

#[test]
fn a_tree_matches_its_snapshot_and_keeps_caches() {
    let world = World::new();
    let mut run = world.start();
    let before = run.snapshot();
    let tree = world.verifier(&run);
    tree.checkout(&before.code).unwrap();
    tree.mark_used().unwrap();
    tree.carry(&[(TreePath::new(*b"target/.env"), b"X=1".to_vec())]).unwrap();

    // A check leaves all sorts of things behind.
    let dir = tree.dir();
    write(&dir.join("target/cache"), "x");
    write(&dir.join("leftover/file"), "x");
    write(&dir.join("README"), "changed");
    fs_err::remove_dir_all(dir.join("src")).unwrap();
    symlink(world.user(), dir.join("src")).unwrap();
    git(dir, ["init", "-q", "inner"]);
    write(&dir.join("inner/file"), "x");
    git(dir, ["init", "-q", "."]);
    write(&dir.join("closed/file"), "x");
    fs_err::set_permissions(dir.join("closed"), std::fs::Permissions::from_mode(0o500)).unwrap();
    write(&dir.with_file_name("tree.index.lock"), "");

    run.write("closed", "a file where a check made a folder");
    run.write("link-later", "x");
    symlink("/etc/passwd", run.root().join("outward")).unwrap();
    let after = run.snapshot();
    tree.checkout(&after.code).unwrap();
    assert!(dir.join("target/cache").exists());
    assert!(!dir.join("leftover").exists() && !dir.join("inner").exists());
    assert_eq!(fs_err::read_to_string(dir.join("README")).unwrap(), "hello\n");
    assert!(dir.join("closed").is_file());
    assert!(!dir.join("src").is_symlink() && dir.join("src/main.rs").is_file());
    assert_eq!(fs_err::read_link(dir.join("outward")).unwrap().to_str(), Some("/etc/passwd"));
    assert!(world.user().join("src/main.rs").exists());

    tree.checkout(&before.code).unwrap();
    assert!(!dir.join("closed").exists());
    tree.discard().unwrap();
    assert!(!dir.exists());
    tree.discard().unwrap();
}

#[test]
fn a_change_that_a_check_hides_by_restoring_times_is_undone() {
    let world = World::new();
    let mut run = world.start();
    let snapshot = run.snapshot();
    let tree = world.verifier(&run);
    tree.checkout(&snapshot.code).unwrap();
    let file = tree.dir().join("README");
    let before = fs_err::metadata(&file).unwrap().modified().unwrap();
    fs_err::write(&file, "HELLO\n").unwrap();
    let opened = fs_err::OpenOptions::new().write(true).open(&file).unwrap();
    opened.file().set_modified(before).unwrap();
    drop(opened);
    tree.checkout(&snapshot.code).unwrap();
    assert_eq!(fs_err::read_to_string(&file).unwrap(), "hello\n");
}

#[test]
fn a_folder_that_is_beyond_repair_is_made_anew() {
    let world = World::new();
    let mut run = world.start();
    let snapshot = run.snapshot();
    let tree = world.verifier(&run);
    tree.checkout(&snapshot.code).unwrap();
    fs_err::write(tree.dir().with_file_name("tree.index"), "not an index").unwrap();
    write(&tree.dir().join("README"), "changed");
    tree.checkout(&snapshot.code).unwrap();
    assert_eq!(fs_err::read_to_string(tree.dir().join("README")).unwrap(), "hello\n");
}

#[test]
fn a_fifo_that_a_check_left_costs_the_caches_and_no_more() {
    let world = World::new();
    let mut run = world.start();
    run.place = run.place.with_patience(std::time::Duration::from_millis(500));
    let snapshot = run.snapshot();
    let tree = world.verifier(&run);
    tree.checkout(&snapshot.code).unwrap();
    tree.mark_used().unwrap();
    write(&tree.dir().join("x/file"), "x");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, tree.dir().join("x/.gitignore"), mode).unwrap();
    tree.checkout(&snapshot.code).unwrap();
    assert!(!tree.dir().join("x").exists());
    assert!(tree.dir().join("README").exists());
}
