//! Where a run starts from, the engine's repository and the private clone.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use windlass_engine::git::{
    DiscoverError, EngineRepository, Head, Place, PlaceError, UserRepository, remove_place,
};

use crate::world::{BRANCH, World, git, script, try_git};

#[test]
fn a_repository_is_found_from_a_folder_inside_it() {
    let world = World::new();
    world.write_user("new file", "x");
    let user = UserRepository::discover(&world.user().join("src")).unwrap();
    assert_eq!(user.top_level, world.user());
    assert_eq!(user.common_dir, world.user().join(".git"));
    assert_eq!(user.head, Head::Branch("main".to_owned()));
    assert_eq!(user.dirty, [b"new file".to_vec()]);
    assert_eq!(user.key.len(), 16);
    assert!(!user.shallow);
}

#[test]
fn what_cannot_be_a_start_is_refused_with_a_reason() {
    let world = World::new();
    fs_err::create_dir_all(world.path("plain")).unwrap();
    let plain = UserRepository::discover(&world.path("plain"));
    assert!(matches!(plain, Err(DiscoverError::NotARepository { .. })), "{plain:?}");

    git(&world.path(""), ["init", "-q", "--bare", "bare.git"]);
    let bare = UserRepository::discover(&world.path("bare.git"));
    assert!(matches!(bare, Err(DiscoverError::Bare { .. })), "{bare:?}");

    git(&world.path(""), ["init", "-q", "unborn"]);
    let unborn = UserRepository::discover(&world.path("unborn"));
    assert!(matches!(unborn, Err(DiscoverError::NoCommit { .. })), "{unborn:?}");

    let inside = UserRepository::discover(&world.user().join(".git"));
    assert!(matches!(inside, Err(DiscoverError::InsideGitDirectory { .. })), "{inside:?}");
}

#[test]
fn looking_at_the_users_repository_runs_no_hook_and_no_monitor() {
    let world = World::new();
    let ran = world.path("ran");
    let touch = format!("touch {}", ran.display());
    script(&world.path("monitor"), &touch);
    for hook in
        ["post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"]
    {
        script(&world.user().join(".git/hooks").join(hook), &touch);
    }
    git(&world.user(), ["config", "core.fsmonitor", world.path("monitor").to_str().unwrap()]);
    let mut run = world.start();
    run.write("a", "b");
    run.publish();
    assert!(!ran.exists());
}

#[test]
fn a_private_clone_shares_nothing_with_the_user() {
    let world = World::new();
    git(&world.user(), ["config", "user.name", "Some \"One\""]);
    git(&world.user(), ["config", "user.email", "one@example.org"]);
    git(&world.user(), ["remote", "add", "origin", "https://example.org/x.git"]);
    script(&world.user().join(".git/hooks/pre-commit"), "exit 1");
    let run = world.start();

    assert_eq!(run.git(["remote"]), "");
    assert_eq!(run.git(["symbolic-ref", "--short", "HEAD"]), BRANCH);
    assert_eq!(run.git(["status", "--porcelain"]), "");
    assert_eq!(run.git(["config", "user.name"]), "Some \"One\"");
    assert!(!run.root().join(".git/hooks").exists());
    assert!(run.root().join(".windlass/run/specs").is_dir());
    assert!(try_git(&world.user(), ["rev-parse", "--verify", BRANCH]).status.code() != Some(0));

    let mut folders = vec![run.root().join(".git/objects")];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                folders.push(entry.path());
            } else {
                assert_eq!(metadata.nlink(), 1, "{}", entry.path().display());
            }
        }
    }
}

#[test]
fn making_a_place_twice_opens_it() {
    let world = World::new();
    let run = world.start();
    run.write("kept", "x");
    let again = Place::create_clone(&run.engine, &run.user, &world.request(&run.user)).unwrap();
    assert!(again.root().join("kept").exists());
    assert!(Place::open(&run.engine, &world.path("state/run")).unwrap().is_some());
}

#[test]
fn a_taken_branch_or_folder_is_refused() {
    let world = World::new();
    git(&world.user(), ["branch", BRANCH]);
    let user = world.discover();
    let engine = world.engine(&user);
    let taken = Place::create_clone(&engine, &user, &world.request(&user));
    assert!(matches!(taken, Err(PlaceError::BranchExists { .. })), "{taken:?}");

    git(&world.user(), ["branch", "-D", BRANCH]);
    fs_err::create_dir_all(world.path("data/place")).unwrap();
    let occupied = Place::create_clone(&engine, &user, &world.request(&user));
    assert!(matches!(occupied, Err(PlaceError::Occupied { .. })), "{occupied:?}");
}

#[test]
fn later_commits_of_the_user_are_brought_over() {
    let world = World::new();
    world.engine(&world.discover());
    world.write_user("later", "x");
    world.commit_user("later");
    git(&world.user(), ["checkout", "-q", "--detach"]);
    world.write_user("detached", "x");
    world.commit_user("on no branch");
    let user = world.discover();
    assert_eq!(user.head, Head::Detached);
    let mut run = world.start_from(user);
    let code = run.snapshot().code;
    assert_eq!(code, run.last.tree);
}

#[test]
fn two_engines_made_at_once_are_one() {
    let world = World::new();
    let user = world.discover();
    let dir = world.path("state/engine.git");
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| EngineRepository::open_or_create(&dir, &user).map(drop)))
            .collect();
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
    });
    let left: Vec<_> = fs_err::read_dir(world.path("state")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_shallow_source_works_also_when_it_moves_on() {
    let world = World::new();
    world.commit_user("second");
    world.commit_user("third");
    let url = format!("file://{}", world.user().display());
    git(&world.path(""), ["clone", "-q", "--depth", "1", &url, "shallow"]);
    let shallow = world.path("shallow");
    let user = UserRepository::discover(&shallow).unwrap();
    assert!(user.shallow);
    world.engine(&user);
    fs_err::write(shallow.join("more"), "x").unwrap();
    git(&shallow, ["add", "-A"]);
    git(&shallow, ["commit", "-q", "-m", "more"]);
    git(&shallow, ["checkout", "-q", "--detach"]);
    let mut run = world.start_from(UserRepository::discover(&shallow).unwrap());
    run.write("a", "b");
    run.publish();
    assert_eq!(run.git(["log", "--format=%s"]), "a step\nmore\nthird");
    assert_eq!(git(&shallow, ["log", "--format=%s", BRANCH]), "a step\nmore\nthird");
}

#[test]
fn a_linked_worktree_is_a_start_like_any_other() {
    let world = World::new();
    git(&world.user(), ["worktree", "add", "-q", "-b", "side", "../linked"]);
    let linked = world.path("linked");
    fs_err::write(linked.join("side"), "x").unwrap();
    git(&linked, ["add", "-A"]);
    git(&linked, ["commit", "-q", "-m", "side"]);
    let user = UserRepository::discover(&linked).unwrap();
    assert_eq!(user.key, world.discover().key);
    assert_eq!(user.head, Head::Branch("side".to_owned()));
    let mut run = world.start_from(user);
    assert!(run.root().join("side").exists());
    run.write("a", "b");
    let new = run.publish();
    assert_eq!(git(&world.user(), ["rev-parse", BRANCH]), new.commit.as_str());
}

#[test]
fn a_repository_with_sha256_names_works() {
    let world = World::new();
    fs_err::remove_dir_all(world.user()).unwrap();
    git(&world.path(""), ["init", "-q", "-b", "main", "--object-format=sha256", "user"]);
    world.write_user("a", "x\n");
    world.commit_user("first");
    let mut run = world.start();
    run.write(".windlass/run/specs/plan.md", "plan");
    run.write("b", "y");
    let new = run.publish();
    assert_eq!(new.commit.as_str().len(), 64);
    let opened = EngineRepository::open(run.engine.dir()).unwrap().unwrap();
    assert_eq!(opened.format(), run.engine.format());
    assert!(EngineRepository::open(&world.user()).unwrap().is_none());
    assert_eq!(git(&world.user(), ["show", &format!("{BRANCH}:b")]), "y");
    git(&world.user(), ["fsck", "--strict"]);
}

#[test]
fn only_a_place_below_the_data_folder_is_removed() {
    let world = World::new();
    let run = world.start();
    let data = world.path("data");
    fs_err::create_dir_all(run.root().join("closed")).unwrap();
    run.write("closed/file", "x");
    let mut permissions = fs_err::metadata(run.root().join("closed")).unwrap().permissions();
    permissions.set_readonly(true);
    fs_err::set_permissions(run.root().join("closed"), permissions).unwrap();
    run.engine.keep("abcd1234", "last", &run.last.commit).unwrap();

    assert!(remove_place(&data, &world.user()).is_err());
    assert!(remove_place(&data, &data.join("place/../../user")).is_err());
    std::os::unix::fs::symlink(world.user(), data.join("link")).unwrap();
    assert!(remove_place(&data, &data.join("link")).is_err());
    assert!(world.user().join("README").exists());

    remove_place(&data, &run.root()).unwrap();
    remove_place(&data, &run.root()).unwrap();
    assert!(!run.root().exists());
    let kept = run.engine.kept("abcd1234").unwrap();
    assert_eq!(kept, [("last".to_owned(), run.last.commit.clone())]);
}

#[test]
fn submodules_are_filled_from_disk_and_watched() {
    let world = World::new();
    git(&world.path(""), ["init", "-q", "-b", "main", "library"]);
    fs_err::write(world.path("library/lib.c"), "int x;\n").unwrap();
    git(&world.path("library"), ["add", "-A"]);
    git(&world.path("library"), ["commit", "-q", "-m", "library"]);
    git(&world.user(), ["submodule", "--quiet", "add", "../library", "deps/library"]);
    git(&world.user(), ["submodule", "--quiet", "add", "../library", "gone"]);
    world.commit_user("with submodules");
    git(&world.user(), ["submodule", "--quiet", "deinit", "-f", "gone"]);
    fs_err::remove_dir_all(world.user().join(".git/modules/gone")).unwrap();

    let mut run = world.start();
    let filled: Vec<bool> = run.place.submodules().iter().map(|s| s.is_filled()).collect();
    assert_eq!(filled, [true, false]);
    assert!(run.root().join("deps/library/lib.c").is_file());
    assert_eq!(run.git(["status", "--porcelain", "deps"]), "");
    let before = run.snapshot();
    assert_eq!(before.code, run.last.tree);

    let tree = world.clone_of(&run);
    tree.checkout(&run, &before.code);
    assert!(tree.dir().join("deps/library/lib.c").is_file());

    let file = run.root().join("deps/library/lib.c");
    assert!(fs_err::metadata(&file).unwrap().permissions().readonly());
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    fs_err::write(&file, "int y;\n").unwrap();
    let ran = world.path("ran");
    script(&world.path("monitor"), &format!("touch {}", ran.display()));
    run.git([
        "-C",
        "deps/library",
        "config",
        "core.fsmonitor",
        world.path("monitor").to_str().unwrap(),
    ]);
    let (_, troubles) = run.observe();
    assert!(format!("{troubles:?}").contains("SubmoduleChanged"), "{troubles:?}");
    assert!(!ran.exists());
    remove_place(&world.path("data"), &run.root()).unwrap();
}
