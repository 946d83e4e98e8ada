//! Layers and rooms of a small repository, where nothing is mounted.

use std::process::Command;

use super::*;
use crate::git::{EngineRepository, PlaceRequest};

struct World {
    rooms: Rooms,
    dir: tempfile::TempDir,
}

impl World {
    /// A run that has begun, on a repository with two files.
    fn new() -> Self {
        Self::after(|_| ())
    }

    /// The same, where more was done in the checkout before the run.
    fn after(more: impl FnOnce(&Path)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let checkout = root.join("checkout");
        fs_err::create_dir(&checkout).unwrap();
        git(&checkout, &["init", "-q", "-b", "main"]);
        fs_err::write(checkout.join("one.txt"), "1").unwrap();
        fs_err::write(checkout.join("two.txt"), "2").unwrap();
        git(&checkout, &["add", "-A"]);
        git(&checkout, &["commit", "-q", "-m", "first"]);
        more(&checkout);
        let user = UserRepository::discover(&checkout).unwrap();
        let engine = EngineRepository::open_or_create(&root.join("engine.git"), &user).unwrap();
        let request = PlaceRequest {
            dir: root.join("place"),
            run_dir: root.join("run"),
            branch: "work".to_owned(),
            base: user.commit.clone(),
            lfs_filter: None,
            base_stores: None,
        };
        let place = Place::create_clone(&engine, &user, &request).unwrap();
        let (layers, exe) = (root.join("layers"), Path::new("/bin/true"));
        let made =
            Checkout::open_or_create(&layers.join("git"), &engine, &user, exe, &root.join("lfs"));
        let rooms = Rooms {
            dir: layers,
            root: user.top_level.clone(),
            origin: Origin {
                commit: user.commit.clone(),
                tree: engine.tree_of(&user.commit).unwrap(),
                branch: "work".to_owned(),
                person: Person::default(),
            },
            checkout: made.unwrap(),
            objects: user.object_folders(),
            exposed: Exposed::system_only(),
            level: Level::None { why: "a test".to_owned() },
            disk_limit: 1 << 30,
        };
        rooms.begin(&user, &place, &[], Copying::Nothing).unwrap();
        Self { rooms, dir }
    }

    /// Commits a file, and returns the tree, which the engine then has.
    fn tree_with(&self, file: &str, text: &str) -> ObjectId {
        let checkout = self.dir.path().join("checkout");
        fs_err::write(checkout.join(file), text).unwrap();
        git(&checkout, &["add", "-A"]);
        git(&checkout, &["commit", "-q", "-m", "more"]);
        let engine = format!("--git-dir={}", self.dir.path().join("engine.git").display());
        git(&checkout, &[&engine, "fetch", "-q", checkout.to_str().unwrap(), "main"]);
        ObjectId::new(git(&checkout, &["rev-parse", "HEAD^{tree}"]))
    }

    fn open(&self, code: &ObjectId) -> Result<Room, RoomError> {
        self.rooms.open(code, &Below { warm: true, ..Below::default() })
    }

    fn has_layer(&self, code: &ObjectId) -> bool {
        self.rooms.dir.join("snapshots").join(code.as_str()).is_dir()
    }
}

fn git(dir: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(dir)
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gc.auto=0"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

fn time_of(room: &Room) -> (i64, i64) {
    let found = fs_err::metadata(room.written()).unwrap();
    (found.mtime(), found.mtime_nsec())
}

#[test]
fn the_top_folder_is_as_old_as_the_base_until_its_names_change() {
    let world = World::new();
    let base = world.rooms.origin.tree.clone();
    let began = time_of(&world.open(&base).unwrap());
    let changed = world.tree_with("one.txt", "one");
    assert_eq!(time_of(&world.open(&changed).unwrap()), began);
    let added = world.tree_with("three.txt", "3");
    assert!(time_of(&world.open(&added).unwrap()) > began, "a name was added");
}

#[test]
fn a_clone_has_every_file_at_its_own_time() {
    let world = World::new();
    let base = world.rooms.origin.tree.clone();
    let began = time_of(&world.open(&base).unwrap());
    let clone = world.rooms.open(&base, &Below::default()).unwrap();
    assert!(time_of(&clone) > began, "it was checked out now");
    // Nothing is mounted in these tests, so that the room has a copy of everything.
    assert!(clone.written().join("one.txt").is_file() && clone.written().join(".git").is_dir());
    assert!(world.rooms.dir.join(format!("snapshots/clone-{base}/one.txt")).is_file());
}

#[test]
fn a_room_without_its_base_is_not_made() {
    let world = World::new();
    let base = world.rooms.origin.tree.clone();
    world.open(&base).unwrap();
    fs_err::remove_dir_all(world.rooms.dir.join("base")).unwrap();
    assert!(matches!(world.open(&base), Err(RoomError::Missing { .. })));
}

#[test]
fn a_layer_stays_while_a_room_stands_on_it() {
    let world = World::new();
    let base = world.rooms.origin.tree.clone();
    let room = world.open(&base).unwrap();
    for number in 0..8 {
        world.open(&world.tree_with("one.txt", &format!("number {number}"))).unwrap();
    }
    assert!(world.has_layer(&base), "somebody is in it");
    drop(room);
    world.open(&world.tree_with("one.txt", "last")).unwrap();
    assert!(!world.has_layer(&base));
    wait_until_swept();
    let rooms = fs_err::read_dir(world.rooms.dir.join("rooms")).unwrap().count();
    assert_eq!(rooms, 0, "rooms go with those who made them");
}

#[test]
fn closed_folders_of_a_suite_do_not_keep_the_baseline_from_being_kept() {
    let world = World::new();
    let room = world.open(&world.rooms.origin.tree.clone()).unwrap();
    let written = room.written().to_owned();
    for (folder, mode) in [("locked", 0o000), ("read-only", 0o555), ("target/deep", 0o755)] {
        fs_err::create_dir_all(written.join(folder)).unwrap();
        fs_err::write(written.join(folder).join("file"), "").unwrap();
        let mode = std::fs::Permissions::from_mode(mode);
        fs_err::set_permissions(written.join(folder), mode).unwrap();
    }
    fs_err::set_permissions(&written, std::fs::Permissions::from_mode(0o500)).unwrap();
    world.rooms.keep_warm(room, &|path| path.starts_with("target")).unwrap();
    let warm = world.rooms.dir.join("warm/u");
    assert!(warm.join("target/deep/file").is_file());
    assert!(!warm.join("locked").exists() && !warm.join("read-only").exists());
}

#[test]
fn layers_that_hold_too_much_are_refused_every_time() {
    let mut world = World::new();
    let base = world.rooms.origin.tree.clone();
    let room = world.open(&base).unwrap();
    let folder = world.rooms.prepared_folder().join("key");
    fs_err::create_dir_all(world.rooms.prepared_folder()).unwrap();
    world.rooms.disk_limit = 1;
    assert!(matches!(world.rooms.keep_prepared(room, &folder), Err(RoomError::Full { .. })));
    assert!(!folder.exists(), "the next one would take it for made");
    for _ in 0..2 {
        assert!(matches!(world.open(&base), Err(RoomError::Full { .. })));
    }
    world.rooms.disk_limit = 1 << 30;
    world.open(&base).unwrap();
}

#[test]
fn what_is_prepared_replaces_no_file_of_the_base() {
    let world = World::new();
    let room = world.open(&world.rooms.origin.tree.clone()).unwrap();
    let written = room.written();
    fs_err::write(written.join("one.txt"), "replaced").unwrap();
    let _ = fs_err::remove_file(written.join("two.txt"));
    for folder in ["two.txt", "node_modules", "target"] {
        fs_err::create_dir_all(written.join(folder)).unwrap();
        fs_err::write(written.join(folder).join("made"), "").unwrap();
    }
    fs_err::create_dir_all(world.rooms.prepared_folder()).unwrap();
    let folder = world.rooms.prepared_folder().join("key");
    let _layer = world.rooms.keep_prepared(room, &folder).unwrap();
    let made = |path: &str| folder.join("u").join(path).exists();
    assert!(made("node_modules/made") && made("target/made"));
    assert!(!made("one.txt") && !made("two.txt"));
}

#[test]
fn what_was_prepared_is_made_once_and_goes_by_its_last_use() {
    let world = World::new();
    let base = world.rooms.origin.tree.clone();
    let all = world.rooms.prepared_folder();
    fs_err::create_dir_all(&all).unwrap();
    let keep = |name: &str| {
        world.rooms.keep_prepared(world.open(&base).unwrap(), &all.join(name)).unwrap()
    };
    let first = keep("a");
    drop((keep("a"), keep("b"), keep("c")));
    assert!(world.rooms.prepared_layer(&all.join("b")).unwrap().is_some());
    world.rooms.forget_prepared(1).unwrap();
    let there = |name: &str| all.join(name).is_dir();
    assert!(there("a") && there("b") && !there("c"), "a is in use, b was used last");
    drop(first);
    world.rooms.forget_prepared(1).unwrap();
    assert!(!there("a") && there("b"));
    let cold = world.rooms.cold_folder().join("key");
    fs_err::create_dir_all(&cold).unwrap();
    world.rooms.forget_cold();
    assert!(!world.rooms.cold_folder().exists());
}

#[test]
fn a_room_on_inputs_takes_them_with_it() {
    let world = World::new();
    let whole = world.open(&world.rooms.origin.tree.clone()).unwrap();
    let paths = ["one.txt".to_owned()];
    let below = Below::default();
    let room = world.rooms.open_on_inputs(&whole.layers(), paths.iter(), &below).unwrap();
    assert!(room.written().join("one.txt").is_file() && !room.written().join("two.txt").exists());
    drop((whole, room));
    wait_until_swept();
    let names = fs_err::read_dir(&world.rooms.dir).unwrap().flatten();
    let left = names.filter(|entry| entry.file_name().to_string_lossy().starts_with("making-"));
    assert_eq!(left.count(), 0);
    assert_eq!(fs_err::read_dir(world.rooms.dir.join("rooms")).unwrap().count(), 0);
}

/// What a user's repository gathers besides what is pushed.
fn gather(checkout: &Path) {
    git(checkout, &["tag", "-a", "v1.0", "-m", "first release"]);
    git(checkout, &["remote", "add", "origin", "https://example.invalid/a.git"]);
    git(checkout, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    git(checkout, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    git(checkout, &["update-ref", "refs/remotes/origin/release", "HEAD"]);
    for branch in ["private", "windlass/other-run"] {
        git(checkout, &["checkout", "-q", "-b", branch]);
        fs_err::write(checkout.join("secret.txt"), branch).unwrap();
        git(checkout, &["add", "-A"]);
        git(checkout, &["commit", "-q", "-m", branch]);
    }
    git(checkout, &["tag", "of-a-branch"]);
    git(checkout, &["update-ref", "refs/remotes/origin/windlass/other-run", "HEAD"]);
    git(checkout, &["checkout", "-q", "--detach", "main"]);
    fs_err::write(checkout.join("dropped.txt"), "dropped").unwrap();
    git(checkout, &["add", "-A"]);
    git(checkout, &["commit", "-q", "-m", "dropped"]);
    git(checkout, &["checkout", "-q", "main"]);
    fs_err::write(checkout.join("one.txt"), "stashed").unwrap();
    git(checkout, &["stash", "-q"]);
}

#[test]
fn git_in_a_room_shows_what_a_clone_has_and_nothing_else() {
    let world = World::after(gather);
    let tree = world.tree_with("three.txt", "3");
    let room = world.open(&tree).unwrap();
    let at = room.written();
    let refs = git(at, &["for-each-ref", "--format=%(refname)"]);
    let expected = [
        "refs/heads/main",
        "refs/heads/work",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
        "refs/remotes/origin/release",
        "refs/tags/v1.0",
    ];
    assert_eq!(refs.lines().collect::<Vec<_>>(), expected);
    assert_eq!(
        git(at, &["log", "--all", "--topo-order", "--format=%s"]),
        "Work in progress\nfirst"
    );
    assert_eq!(git(at, &["stash", "list"]), "");
    assert_eq!(git(at, &["reflog", "--all"]), "");
    assert_eq!(git(at, &["fsck", "--full", "--unreachable", "--no-progress"]), "");
    // Two commits and the trees and files of both, and the tag: nothing that was dropped, stashed or never pushed.
    let objects = git(at, &["cat-file", "--batch-all-objects", "--batch-check=%(objecttype)"]);
    let count = |kind: &str| objects.lines().filter(|line| *line == kind).count();
    assert_eq!((count("commit"), count("tree"), count("blob"), count("tag")), (2, 2, 3, 1));
    assert!(git(at, &["describe"]).starts_with("v1.0-1-g"));
    assert_eq!(git(at, &["remote", "get-url", "origin"]), "https://example.invalid/a.git");
    assert_eq!(git(at, &["rev-parse", "--abbrev-ref", "origin/HEAD"]), "origin/main");
    assert_eq!(git(at, &["status", "--porcelain"]), "");
}

#[test]
fn without_a_remote_the_branch_that_the_run_began_on_is_its_origin() {
    let world = World::new();
    let room = world.open(&world.rooms.origin.tree).unwrap();
    let refs = git(room.written(), &["for-each-ref", "--format=%(refname)"]);
    let expected = [
        "refs/heads/main",
        "refs/heads/work",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
    ];
    assert_eq!(refs.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_clone_of_a_commit_has_that_commit_and_its_history() {
    let world = World::new();
    let tree = world.tree_with("three.txt", "3");
    let checkout = world.dir.path().join("checkout");
    let commit = ObjectId::new(git(&checkout, &["rev-parse", "HEAD"]));
    let below = Below { commit: Some(commit.clone()), ..Below::default() };
    let room = world.rooms.open(&tree, &below).unwrap();
    assert_eq!(git(room.written(), &["rev-parse", "HEAD"]), commit.as_str());
    assert_eq!(git(room.written(), &["log", "--format=%s"]), "more\nfirst");
    assert_eq!(git(room.written(), &["status", "--porcelain"]), "");
}
