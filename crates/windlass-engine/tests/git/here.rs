//! Runs in the user's own checkout.

use windlass_engine::git::{Place, PlaceError, UserRepository};

use crate::world::{BRANCH, World, git, write};

#[test]
fn a_run_here_switches_the_branch_without_touching_a_file() {
    let world = World::new();
    let mut run = world.try_here().unwrap();
    assert_eq!(run.root(), world.user());
    assert_eq!(git(&world.user(), ["symbolic-ref", "--short", "HEAD"]), BRANCH);
    assert_eq!(git(&world.user(), ["status", "--porcelain"]), "");
    let snapshot = run.snapshot();
    assert_eq!(snapshot.code, run.last.tree);
    run.write("a", "x");
    let new = run.publish();
    assert_eq!(git(&world.user(), ["rev-parse", "HEAD"]), new.commit.as_str());
    assert_eq!(git(&world.user(), ["status", "--porcelain"]), "");

    let again = Place::here(&run.engine, &run.user, &world.request(&run.user)).unwrap();
    assert_eq!(again.branch(), BRANCH);
    let exclude = fs_err::read_to_string(world.user().join(".git/info/exclude")).unwrap();
    assert_eq!(exclude.matches("/.windlass/run/").count(), 1);
}

#[test]
fn a_dirty_checkout_is_refused_with_its_paths() {
    let world = World::new();
    world.write_user("README", "changed");
    world.write_user("new", "x");
    let Err(PlaceError::Dirty { paths }) = world.try_here() else { panic!("it is dirty") };
    assert_eq!(paths, ["README", "new"]);
    assert_eq!(git(&world.user(), ["symbolic-ref", "--short", "HEAD"]), "main");
}

#[test]
fn a_clean_checkout_with_converted_files_has_the_tree_of_its_commit() {
    let world = World::new();
    world.write_user(
        ".gitattributes",
        "*.bat text eol=crlf\n*.id ident\nwide* working-tree-encoding=UTF-16LE-BOM\n",
    );
    world.write_user("odd [name]*.bat", "one\ntwo\n");
    world.write_user("c.id", "$Id$\n");
    world.write_user("auto.md", "one\ntwo\n");
    fs_err::write(world.user().join("wide.txt"), b"\xff\xfea\x00\n\x00").unwrap();
    world.commit_user("converted");
    git(&world.user(), ["config", "core.autocrlf", "true"]);
    git(&world.user(), ["rm", "-q", "--cached", "-r", "."]);
    git(&world.user(), ["reset", "-q", "--hard"]);
    let bat = world.user().join("odd [name]*.bat");
    assert_eq!(fs_err::read(&bat).unwrap(), b"one\r\ntwo\r\n");
    assert_eq!(fs_err::read(world.user().join("auto.md")).unwrap(), b"one\r\ntwo\r\n");

    let mut run = world.try_here().unwrap();
    let snapshot = run.snapshot();
    assert_eq!(snapshot.code, run.last.tree);
    let tree = world.clone_of(&run);
    tree.checkout(&run, &snapshot.code);
    for name in ["odd [name]*.bat", "c.id", "auto.md", "wide.txt", "README"] {
        let (ours, theirs) = (tree.dir().join(name), world.user().join(name));
        assert_eq!(fs_err::read(ours).unwrap(), fs_err::read(theirs).unwrap(), "{name}");
    }
    // What the agent writes into the attributes now has no effect.
    write(&world.user().join(".gitattributes"), "* text eol=lf ident\n");
    write(&world.user().join("new.bat"), "one\r\n$Id$\n");
    let snapshot = run.snapshot();
    assert_eq!(run.bytes(&snapshot.code, "new.bat"), b"one\r\n$Id$\n");
    assert_eq!(run.engine.diff(&run.last.tree, &snapshot.code).unwrap().len(), 2);
}

#[test]
fn a_checkout_behind_a_filter_is_refused() {
    let world = World::new();
    git(&world.user(), ["config", "filter.upper.clean", "tr a-z A-Z"]);
    git(&world.user(), ["config", "filter.upper.smudge", "tr A-Z a-z"]);
    world.write_user(".gitattributes", "*.up filter=upper\n");
    world.write_user("a.up", "text\n");
    world.commit_user("filtered");
    let result = world.try_here();
    let Err(PlaceError::Filtered { paths }) = result.map(drop) else { panic!("it is filtered") };
    assert_eq!(paths, ["a.up"]);
}

#[test]
fn a_linked_worktree_can_be_the_place() {
    let world = World::new();
    git(&world.user(), ["worktree", "add", "-q", "-b", "side", "../linked"]);
    let user = UserRepository::discover(&world.path("linked")).unwrap();
    let engine = world.engine(&user);
    let mut place = Place::here(&engine, &user, &world.request(&user)).unwrap();
    assert_eq!(git(&world.path("linked"), ["symbolic-ref", "--short", "HEAD"]), BRANCH);
    assert_eq!(git(&world.user(), ["symbolic-ref", "--short", "HEAD"]), "main");
    let (snapshot, troubles) = place.observe(&user.commit).unwrap();
    assert_eq!(troubles, []);
    assert_eq!(snapshot.code, engine.tree_of(&user.commit).unwrap());
}

#[test]
fn the_engines_objects_survive_an_agent_that_overwrites_the_users() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let run = world.try_here().unwrap();
    let mut folders = vec![world.user().join(".git/objects")];
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
    git(run.engine.dir(), ["fsck", "--strict"]);
    assert_eq!(run.bytes(&run.last.tree, "README"), b"hello\n");
}

#[test]
fn what_leads_the_users_git_elsewhere_is_told_after_an_attempt() {
    let world = World::new();
    let place = world.try_here().unwrap().place;
    let git_dir = world.user().join(".git");
    fs_err::remove_dir_all(git_dir.join("hooks")).ok();
    let changed = || place.changed_git_directory().unwrap().join(", ");
    assert_eq!(changed(), "", "nothing was noted");
    place.note_git_directory().unwrap();
    assert!(git_dir.join("hooks").is_dir(), "so that a box can show it");
    assert_eq!(changed(), "");
    // No person makes this one, and every git of the user would follow it.
    place.note_git_directory().unwrap();
    write(&git_dir.join("commondir"), "elsewhere");
    let aside = git_dir.join("commondir.set-aside-by-windlass");
    assert!(changed().contains("commondir` was made, and is now"));
    assert_eq!(fs_err::read_to_string(&aside).unwrap(), "elsewhere");
    assert!(!git_dir.join("commondir").exists());
    assert_eq!(changed(), "", "the person was told");
    // Others may be a person's.
    for made in ["config.worktree", "info/attributes"] {
        place.note_git_directory().unwrap();
        write(&git_dir.join(made), "x");
        for _ in 0..2 {
            assert!(changed().ends_with(&format!("{made}` was made")), "{}", changed());
        }
        fs_err::remove_file(git_dir.join(made)).unwrap();
        assert_eq!(changed(), "");
    }
    place.note_git_directory().unwrap();
    let note = world.path("state/run/here-git.json");
    let noted = fs_err::read(&note).unwrap();
    fs_err::write(&note, "{").unwrap();
    place.changed_git_directory().unwrap_err();
    fs_err::write(&note, noted).unwrap();
    fs_err::rename(&git_dir, world.path("moved")).unwrap();
    fs_err::create_dir(&git_dir).unwrap();
    assert!(changed().contains(".git` was replaced"), "{}", changed());
    fs_err::remove_dir(&git_dir).unwrap();
    fs_err::rename(world.path("moved"), &git_dir).unwrap();
    assert_eq!(changed(), "");
}
