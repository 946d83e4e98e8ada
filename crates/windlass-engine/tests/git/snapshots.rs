//! What a snapshot holds, and what is noticed with it.

use std::os::unix::ffi::OsStrExt as _;

use globset::{Glob, GlobSetBuilder};
use windlass_core::proof::Trouble;
use windlass_engine::git::{ChangeStatus, TreePath};

use crate::world::{BRANCH, World, git};

#[test]
fn a_fresh_place_has_the_tree_of_its_base() {
    let world = World::new();
    let mut run = world.start();
    let snapshot = run.snapshot();
    assert_eq!(snapshot.code, run.last.tree);
    assert_eq!(snapshot.papers, run.engine.format().empty_tree());
}

#[test]
fn ignore_rules_hold_for_code_and_not_for_papers() {
    let world = World::new();
    let mut run = world.start();
    run.write("target/cache", "x");
    run.write("new/file", "x");
    // The agent tries to bring the papers into its code, and to hide one.
    run.write(".gitignore", "target/\n!/.windlass/run/\nhidden.md\n");
    run.write(".windlass/run/specs/hidden.md", "text");
    run.write(".windlass/run/reports/deep/er/report.md", "text");
    run.write(".windlass/run/log/transitions.jsonl", "{}");
    std::os::unix::fs::symlink("/etc/passwd", run.root().join(".windlass/run/specs/link")).unwrap();
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        run.root().join(".windlass/run/specs/fifo"),
        rustix::fs::Mode::from_raw_mode(0o600),
    )
    .unwrap();
    let snapshot = run.snapshot();
    assert_eq!(run.files(&snapshot.code), [".gitignore", "README", "new/file", "src/main.rs"]);
    assert_eq!(
        run.files(&snapshot.papers),
        ["reports/deep/er/report.md", "specs/hidden.md", "specs/link"]
    );
    assert_eq!(run.bytes(&snapshot.papers, "specs/link"), b"/etc/passwd");
    git(run.engine.dir(), ["fsck", "--strict"]);
}

#[test]
fn a_rule_that_ignores_the_papers_changes_nothing() {
    for rule in ["/.windlass/run/", ".windlass/", ".windlass/*", "run", "*"] {
        let world = World::new();
        let mut run = world.start();
        run.write(".gitignore", rule);
        run.write("src/main.rs", "changed");
        run.write(".windlass/run/specs/plan.md", "text");
        let snapshot = run.snapshot();
        assert_ne!(snapshot.code, run.last.tree, "{rule}");
        assert_eq!(run.files(&snapshot.papers), ["specs/plan.md"], "{rule}");
    }
}

#[test]
fn papers_changed_within_one_tick_are_seen() {
    let world = World::new();
    let mut run = world.start();
    let mut seen = std::collections::BTreeSet::new();
    for text in ["one", "two", "six", "ten"] {
        run.write(".windlass/run/specs/plan.md", text);
        run.write("README", text);
        let snapshot = run.snapshot();
        assert_eq!(run.bytes(&snapshot.papers, "specs/plan.md"), text.as_bytes());
        assert_eq!(run.bytes(&snapshot.code, "README"), text.as_bytes());
        seen.insert(snapshot);
    }
    assert_eq!(seen.len(), 4);
}

#[test]
fn a_change_with_its_old_size_and_time_restored_is_seen() {
    let world = World::new();
    let mut run = world.start();
    let file = run.root().join("README");
    run.snapshot();
    let before = fs_err::metadata(&file).unwrap();
    fs_err::write(&file, "HELLO\n").unwrap();
    let opened = fs_err::OpenOptions::new().write(true).open(&file).unwrap();
    let times = std::fs::FileTimes::new()
        .set_modified(before.modified().unwrap())
        .set_accessed(before.accessed().unwrap());
    opened.file().set_times(times).unwrap();
    drop(opened);
    let snapshot = run.snapshot();
    assert_eq!(run.bytes(&snapshot.code, "README"), b"HELLO\n");
}

#[test]
fn odd_names_survive() {
    let world = World::new();
    let mut run = world.start();
    let names: [&[u8]; 7] = [
        b"-dash",
        b"new\nline",
        b"not \xff utf-8",
        b"qu\"ote",
        b":(exclude)magic",
        b"back\\slash",
        b"tab\there",
    ];
    for name in names {
        fs_err::write(run.root().join(std::ffi::OsStr::from_bytes(name)), name).unwrap();
    }
    let snapshot = run.snapshot();
    let (changes, counted) = run.engine.diff_with_lines(&run.last.tree, &snapshot.code).unwrap();
    assert_eq!(changes, run.engine.diff(&run.last.tree, &snapshot.code).unwrap());
    assert_eq!(changes.len(), names.len());
    for name in names {
        let path = TreePath::new(name);
        let change = changes.iter().find(|change| change.path == path).unwrap();
        assert_eq!(change.status, ChangeStatus::Added);
        assert_eq!(run.bytes(&snapshot.code, name), name);
    }
    assert_eq!(counted.len(), names.len());
    let only = [TreePath::new(*b"-dash")];
    let patch = run.engine.patch(&run.last.tree, &snapshot.code, &only, 10_000).unwrap();
    assert!(String::from_utf8_lossy(&patch).contains("+-dash"));
    let cut = run.engine.patch(&run.last.tree, &snapshot.code, &[], 20).unwrap();
    assert_eq!(cut.len(), 20);
    let tree = world.clone_of(&run);
    tree.checkout(&run, &snapshot.code);
    for name in names {
        let bytes = fs_err::read(tree.dir().join(std::ffi::OsStr::from_bytes(name))).unwrap();
        assert_eq!(bytes, name);
    }
}

#[test]
fn differences_tell_modes_types_and_removals() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let mut run = world.start();
    fs_err::remove_file(run.root().join("README")).unwrap();
    run.write("README/inside", "a file became a folder");
    let main = run.root().join("src/main.rs");
    fs_err::set_permissions(&main, std::fs::Permissions::from_mode(0o755)).unwrap();
    fs_err::remove_file(run.root().join(".gitignore")).unwrap();
    std::os::unix::fs::symlink("README", run.root().join(".gitignore")).unwrap();
    let snapshot = run.snapshot();
    let changes = run.engine.diff(&run.last.tree, &snapshot.code).unwrap();
    let told: Vec<_> = changes
        .iter()
        .map(|change| {
            let mode = change.new.as_ref().map_or(0, |new| new.mode);
            (change.path.to_string(), change.status, mode)
        })
        .collect();
    assert_eq!(
        told,
        [
            (".gitignore".to_owned(), ChangeStatus::TypeChanged, 0o120_000),
            ("README".to_owned(), ChangeStatus::Deleted, 0),
            ("README/inside".to_owned(), ChangeStatus::Added, 0o100_644),
            ("src/main.rs".to_owned(), ChangeStatus::Modified, 0o100_755),
        ]
    );
    let globs = GlobSetBuilder::new().add(Glob::new("**/*.rs").unwrap()).build().unwrap();
    let listed = run.engine.ls_tree(&snapshot.code, &globs).unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].1.mode, 0o100_755);
}

#[test]
fn an_agents_own_commits_are_no_trouble() {
    let world = World::new();
    let mut run = world.start();
    run.write("a", "x");
    run.git(["add", "-A"]);
    run.git(["commit", "-q", "-m", "mine"]);
    run.write("b", "x");
    let snapshot = run.snapshot();
    assert_eq!(run.files(&snapshot.code), [".gitignore", "README", "a", "b", "src/main.rs"]);
    run.git(["gc", "--quiet", "--prune=now"]);
    run.git(["pack-refs", "--all", "--prune"]);
    run.snapshot();
}

#[test]
fn leaving_the_branch_is_trouble() {
    let world = World::new();
    let mut run = world.start();
    run.git(["checkout", "-q", "-b", "elsewhere"]);
    let (_, troubles) = run.observe();
    let expected = format!("refs/heads/{BRANCH}");
    assert_eq!(
        troubles,
        [Trouble::HeadMoved {
            expected: expected.clone(),
            found: "refs/heads/elsewhere".to_owned()
        }]
    );
    run.git(["checkout", "-q", "--detach"]);
    let (_, troubles) = run.observe();
    let found = run.user.commit.to_string();
    assert_eq!(troubles, [Trouble::HeadMoved { expected, found }]);
    run.place.settle(&run.last).unwrap();
    run.snapshot();
}

#[test]
fn rewriting_the_branch_is_trouble() {
    let world = World::new();
    world.commit_user("second");
    let mut run = world.start();
    run.git(["commit", "-q", "--amend", "--allow-empty", "-m", "rewritten"]);
    let (_, troubles) = run.observe();
    let lost = run.user.commit.to_string();
    assert_eq!(troubles, [Trouble::BranchRewritten { branch: BRANCH.to_owned(), lost }]);
    run.git(["update-ref", "-d", &format!("refs/heads/{BRANCH}")]);
    let (_, troubles) = run.observe();
    assert!(matches!(troubles[..], [Trouble::BranchRewritten { .. }]), "{troubles:?}");
}

#[test]
fn repositories_inside_the_place_are_trouble_and_their_files_are_kept() {
    let world = World::new();
    let mut run = world.start();
    run.write("plain/file", "x");
    git(&run.root(), ["init", "-q", "empty"]);
    git(&run.root(), ["init", "-q", "files"]);
    run.write("files/one", "x");
    git(&run.root(), ["init", "-q", "src/commits"]);
    run.write("src/commits/two", "x");
    git(&run.root().join("src/commits"), ["add", "-A"]);
    git(&run.root().join("src/commits"), ["commit", "-q", "-m", "inner"]);
    git(&run.root(), ["init", "-q", "src/commits/deeper"]);
    run.write("src/commits/deeper/three", "x");
    git(&run.root(), ["init", "-q", "target/ignored"]);
    for _ in 0..2 {
        let (snapshot, troubles) = run.observe();
        let paths = ["empty", "files", "src/commits", "src/commits/deeper"];
        assert_eq!(
            troubles,
            [Trouble::NestedRepository { paths: paths.map(str::to_owned).to_vec() }]
        );
        assert_eq!(
            run.files(&snapshot.code),
            [
                ".gitignore",
                "README",
                "files/one",
                "plain/file",
                "src/commits/deeper/three",
                "src/commits/two",
                "src/main.rs"
            ]
        );
    }
    for path in ["empty", "files", "src/commits"] {
        fs_err::remove_dir_all(run.root().join(path)).unwrap();
    }
    let snapshot = run.snapshot();
    assert_eq!(run.files(&snapshot.code), [".gitignore", "README", "plain/file", "src/main.rs"]);
}

#[test]
fn a_git_directory_that_is_gone_or_replaced_is_trouble_and_the_files_are_kept() {
    let world = World::new();
    let mut run = world.start();
    run.write("kept", "x");
    fs_err::rename(run.root().join(".git"), world.path("moved")).unwrap();
    for replace in [0, 1, 2] {
        let git_dir = run.root().join(".git");
        match replace {
            0 => {}
            1 => std::os::unix::fs::symlink(world.path("moved"), &git_dir).unwrap(),
            _ => fs_err::write(&git_dir, "gitdir: ../../moved\n").unwrap(),
        }
        let (snapshot, troubles) = run.observe();
        assert!(matches!(troubles[..], [Trouble::Unreadable { .. }]), "{troubles:?}");
        assert!(run.files(&snapshot.code).contains(&"kept".to_owned()));
        assert!(run.place.settle(&run.last).is_err());
        fs_err::remove_file(&git_dir).ok();
    }
    let stores = world.path("state/base");
    run.place.restore_git_directory(&run.user, &run.last.commit, Some(&stores)).unwrap();
    assert_eq!(run.git(["log", "--format=%s"]), "first");
    run.publish();
    assert_eq!(run.git(["status", "--porcelain"]), "");
}

#[test]
fn unreadable_files_are_trouble_and_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    if rustix::process::geteuid().is_root() {
        // Nothing is unreadable for root.
        return;
    }
    let world = World::new();
    let mut run = world.start();
    run.write("closed/file", "x");
    run.write("secret", "x");
    for name in ["closed", "secret"] {
        let path = run.root().join(name);
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
    }
    let (snapshot, troubles) = run.observe();
    assert!(matches!(troubles[..], [Trouble::Unreadable { .. }]), "{troubles:?}");
    let files = run.files(&snapshot.code);
    assert!(files.contains(&"closed/file".to_owned()) && files.contains(&"secret".to_owned()));
}

#[test]
fn a_file_that_was_being_written_when_windlass_was_killed_is_nobodys_work() {
    let world = World::new();
    let mut run = world.start();
    let before = run.snapshot();
    run.write(".windlass-26395-17", "");
    run.write("src/.windlass-26395-18", "half of");
    assert_eq!(run.snapshot(), before);
    run.write(".windlass-notes", "a file like any other");
    assert_ne!(run.snapshot(), before);
}

#[test]
fn resetting_the_files_keeps_ignored_ones() {
    let world = World::new();
    let mut run = world.start();
    let before = run.snapshot();
    run.write("added", "x");
    run.write("README", "changed");
    run.write("target/cache", "x");
    fs_err::remove_dir_all(run.root().join("src")).unwrap();
    run.snapshot();
    run.place.reset_files(&before.code).unwrap();
    assert_eq!(run.snapshot(), before);
    assert!(!run.root().join("added").exists());
    assert!(run.root().join("target/cache").exists());
    assert_eq!(fs_err::read_to_string(run.root().join("README")).unwrap(), "hello\n");
}

#[test]
fn a_broken_or_missing_index_of_the_engine_is_made_anew() {
    let world = World::new();
    let mut run = world.start();
    run.write("a", "x");
    let before = run.snapshot();
    let index = world.path("state/run/index");
    for broken in ["", "DIRC", "not an index at all"] {
        fs_err::write(&index, broken).unwrap();
        fs_err::write(world.path("state/run/index.lock"), "").unwrap();
        assert_eq!(run.snapshot(), before);
    }
    fs_err::remove_file(&index).unwrap();
    assert_eq!(run.snapshot(), before);
}
