//! Agents that plant things for the engine's git to trip over.

use std::os::unix::fs::symlink;
use std::time::Duration;

use windlass_core::proof::Trouble;
use windlass_engine::git::place_files::{self, PlaceFileError};

use crate::world::{World, git, script, write};

#[test]
fn attributes_and_filters_of_an_agent_change_no_stored_byte_and_run_nothing() {
    let world = World::new();
    let mut run = world.start();
    let ran = world.path("ran");
    script(&world.path("filter"), &format!("touch {}; tr a-z A-Z", ran.display()));
    let filter = world.path("filter");
    for name in
        ["filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv"]
    {
        run.git(["config", name, filter.to_str().unwrap()]);
    }
    run.git(["config", "core.autocrlf", "true"]);
    let files = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"];
    let texts = ["one\r\ntwo\n", "$Id$\n", "plain\n", "utf\n", "$Id: x $\r\n"];
    for (name, text) in files.into_iter().zip(texts) {
        run.write(name, text);
    }
    run.write(
        ".gitattributes",
        "[attr]binary text eol=crlf ident filter=evil\n\
         *.txt text eol=crlf ident filter=evil diff=evil\n\
         d.txt working-tree-encoding=UTF-16\ne.txt binary\nc.txt -diff\n",
    );
    write(&run.root().join(".git/info/attributes"), "* filter=evil\n");
    let snapshot = run.snapshot();
    let tree = world.clone_of(&run);
    tree.checkout(&run, &snapshot.code);
    for (name, text) in files.into_iter().zip(texts) {
        assert_eq!(run.bytes(&snapshot.code, name), text.as_bytes(), "{name}");
        assert!(tree.dir().join(name).is_file(), "{name}");
    }
    // `-diff` must not hide a change from people.
    let patch = run.engine.patch(&run.last.tree, &snapshot.code, &[], 100_000).unwrap();
    assert!(String::from_utf8_lossy(&patch).contains("+plain"));
    assert!(!ran.exists());
}

#[test]
fn hooks_monitors_and_aliases_of_an_agent_never_run() {
    let world = World::new();
    let mut run = world.start();
    let ran = world.path("ran");
    let touch = format!("touch {}", ran.display());
    for hook in
        ["post-checkout", "reference-transaction", "post-index-change", "pre-commit", "post-commit"]
    {
        script(&run.root().join(".git/hooks").join(hook), &touch);
    }
    script(&world.path("monitor"), &touch);
    let monitor = world.path("monitor");
    let monitor = monitor.to_str().unwrap();
    let config = run.root().join(".git/config");
    let mut text = fs_err::read_to_string(&config).unwrap();
    text.push_str(&format!(
        "[core]\n\tfsmonitor = {monitor}\n\tpager = {monitor}\n\tsshCommand = {monitor}\n\
         \talternateRefsCommand = {monitor}\n[diff]\n\texternal = {monitor}\n\
         [alias]\n\tadd = !{monitor}\n\twrite-tree = !{monitor}\n"
    ));
    fs_err::write(config, text).unwrap();
    run.write("a", "x");
    let new = run.publish();
    world.clone_of(&run).checkout(&run, &new.tree);
    run.place.reset_files(&new.tree).unwrap();
    assert!(!ran.exists());
}

#[test]
fn the_monitor_of_a_repository_inside_the_place_never_runs() {
    let world = World::new();
    let mut run = world.start();
    let ran = world.path("ran");
    script(&world.path("monitor"), &format!("touch {}", ran.display()));
    git(&run.root(), ["init", "-q", "inner"]);
    run.write("inner/file", "x");
    git(&run.root().join("inner"), ["add", "-A"]);
    git(&run.root().join("inner"), ["commit", "-q", "-m", "inner"]);
    run.write("inner/file", "y");
    run.write(".gitmodules", "[submodule \"inner\"]\npath = inner\nurl = ./inner\nignore = none\n");
    let monitor = world.path("monitor");
    git(&run.root().join("inner"), ["config", "core.fsmonitor", monitor.to_str().unwrap()]);
    for _ in 0..3 {
        let (snapshot, troubles) = run.observe();
        assert!(matches!(troubles[..], [Trouble::NestedRepository { .. }]), "{troubles:?}");
        assert_eq!(run.bytes(&snapshot.code, "inner/file"), b"y");
    }
    assert!(!ran.exists());
}

#[test]
fn broken_and_linked_git_files_do_not_stop_a_snapshot() {
    let world = World::new();
    let mut run = world.start();
    run.write(".gitmodules", "[broken\nfoo");
    symlink("/etc/passwd", run.root().join(".gitattributes")).unwrap();
    fs_err::create_dir_all(run.root().join("x")).unwrap();
    symlink("/etc/passwd", run.root().join("x/.gitignore")).unwrap();
    run.write("x/file", "x");
    let snapshot = run.snapshot();
    assert!(run.files(&snapshot.code).contains(&"x/file".to_owned()));
}

#[test]
fn a_fifo_that_git_would_wait_for_is_found_and_removed() {
    let world = World::new();
    let mut run = world.start();
    run.place = run.place.with_patience(Duration::from_millis(500));
    for name in [".gitattributes", "src/.gitignore"] {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, run.root().join(name), mode).unwrap();
    }
    run.write("kept", "x");
    let (snapshot, troubles) = run.observe();
    let [Trouble::Unreadable { message }] = &troubles[..] else { panic!("{troubles:?}") };
    assert!(message.contains("`src/.gitignore` was a FIFO"), "{message}");
    assert!(run.files(&snapshot.code).contains(&"kept".to_owned()));
    run.snapshot();
}

#[test]
fn nothing_is_written_through_a_link_out_of_the_place() {
    let world = World::new();
    let mut run = world.start();
    let outside = world.path("outside");
    fs_err::create_dir_all(&outside).unwrap();
    for replaced in [".git/refs", ".git/objects", ".git/logs", ".git"] {
        run.write("a", replaced);
        let snapshot = run.observe().0;
        let new = run.commit(&snapshot.code);
        let path = run.root().join(replaced);
        let kept = world.path("kept");
        fs_err::rename(&path, &kept).unwrap();
        symlink(&outside, &path).unwrap();
        let result = run.place.publish(&run.user, &run.last, &new);
        assert!(result.is_err(), "{replaced}: {result:?}");
        assert_eq!(fs_err::read_dir(&outside).unwrap().count(), 0, "{replaced}");
        fs_err::remove_file(&path).unwrap();
        fs_err::rename(&kept, &path).unwrap();
        run.place.publish(&run.user, &run.last, &new).unwrap();
        run.last = new;
    }
}

#[test]
fn papers_behind_a_link_are_trouble_and_not_read() {
    let world = World::new();
    let mut run = world.start();
    fs_err::remove_dir_all(run.root().join(".windlass/run")).unwrap();
    write(&world.path("outside/specs/secret"), "x");
    symlink(world.path("outside"), run.root().join(".windlass/run")).unwrap();
    let (snapshot, troubles) = run.observe();
    assert_eq!(snapshot.papers, run.engine.format().empty_tree());
    assert!(matches!(troubles[..], [Trouble::Unreadable { .. }]), "{troubles:?}");
    assert!(!run.files(&snapshot.code).iter().any(|path| path.contains("windlass")));

    let state = std::path::Path::new(".windlass/run/state.json");
    let refused = place_files::write_file(&run.root(), state, b"{}");
    assert!(matches!(refused, Err(PlaceFileError::Replaced { .. })), "{refused:?}");
    assert!(!world.path("outside/state.json").exists());
}

#[test]
fn the_writer_stays_inside_and_replaces_what_is_there() {
    let world = World::new();
    let root = world.path("home");
    let path = |name: &'static str| std::path::Path::new(name);
    for outside in ["../x", "/etc/x", "a/../../x", ""] {
        let refused = place_files::write_file(&root, path(outside), b"x");
        assert!(matches!(refused, Err(PlaceFileError::NotInside { .. })), "{outside}");
    }
    write(&world.path("victim"), "safe");
    symlink(world.path("victim"), root.join("link")).unwrap();
    fs_err::hard_link(world.path("victim"), root.join("hard")).unwrap();
    place_files::write_file(&root, path("link"), b"new").unwrap();
    place_files::write_file(&root, path("hard"), b"new").unwrap();
    assert_eq!(fs_err::read_to_string(world.path("victim")).unwrap(), "safe");
    assert_eq!(place_files::read_file_bounded(&root, path("link"), 3).unwrap(), b"new");
    let large = place_files::read_file_bounded(&root, path("link"), 2);
    assert!(matches!(large, Err(PlaceFileError::TooLarge { .. })));
    place_files::create_dir(&root, path("a/b")).unwrap();
    place_files::rename_within(&root, path("link"), path("a/b/c")).unwrap();
    place_files::remove_file(&root, path("a/b/c")).unwrap();
    place_files::remove_file(&root, path("a/b/c")).unwrap();
    assert_eq!(fs_err::read_dir(&root).unwrap().count(), 2);
}

#[test]
fn pruning_and_overwriting_objects_in_the_place_harms_no_snapshot() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let mut run = world.start();
    run.write("a", "first\n");
    let first = run.snapshot();
    run.publish();
    run.write("a", "second\n");
    run.git(["gc", "--quiet", "--prune=now"]);
    let mut folders = vec![run.root().join(".git/objects")];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
                fs_err::write(&path, "garbage").unwrap();
            }
        }
    }
    let (second, _) = run.observe();
    let changes = run.engine.diff(&first.code, &second.code).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(run.bytes(&first.code, "a"), b"first\n");
    git(&world.user(), ["fsck", "--strict"]);
    git(run.engine.dir(), ["fsck", "--strict"]);
}

#[test]
fn names_that_git_refuses_do_not_stop_a_snapshot() {
    let world = World::new();
    let mut run = world.start();
    for name in [".GIT/config", "x/.Git", "git~1/file", ".git /file", "y/.git::$INDEX_ALLOCATION"] {
        run.write(name, "x");
    }
    run.write("kept", "x");
    let (snapshot, troubles) = run.observe();
    assert!(run.files(&snapshot.code).contains(&"kept".to_owned()), "{troubles:?}");
    let tree = world.clone_of(&run);
    tree.checkout(&run, &snapshot.code);
    let [Trouble::Unreadable { message }] = &troubles[..] else { panic!("{troubles:?}") };
    assert!(message.contains("invalid path '.GIT/config'"), "{message}");
}

#[test]
fn a_repository_around_the_papers_does_not_bring_them_into_the_code() {
    let world = World::new();
    let mut run = world.start();
    git(&run.root(), ["init", "-q", ".windlass"]);
    run.write(".windlass/run/specs/plan.md", "x");
    run.write(".windlass/config.yaml", "x");
    let (snapshot, troubles) = run.observe();
    assert!(matches!(troubles[..], [Trouble::NestedRepository { .. }]), "{troubles:?}");
    let files = run.files(&snapshot.code);
    assert!(files.contains(&".windlass/config.yaml".to_owned()));
    assert!(!files.iter().any(|path| path.contains("plan.md")));
}
