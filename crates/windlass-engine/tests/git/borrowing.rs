//! Places that borrow the user's objects from a base store.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use windlass_engine::git::{
    Place, PlaceRequest, UserRepository, remove_place, remove_unused_stores,
};

use crate::world::{BRANCH, Run, World, git, script, try_git, write};

fn alternates(run: &Run) -> PathBuf {
    run.root().join(".git/objects/info/alternates")
}

fn stores(world: &World) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(world.path("state/base")).unwrap();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

/// Starts a second run beside the first.
fn start_another(world: &World, name: &str) -> (UserRepository, Place) {
    let user = world.discover();
    let request = PlaceRequest {
        dir: world.path("data").join(name),
        run_dir: world.path("state").join(name),
        branch: format!("windlass/{name}"),
        ..world.request(&user)
    };
    let place = Place::create_clone(&world.engine(&user), &user, &request).unwrap();
    (user, place)
}

fn size(folder: &Path) -> u64 {
    let entries = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let sizes = entries.map(|entry| match entry.file_type().unwrap().is_dir() {
        true => size(&entry.path()),
        false => entry.metadata().unwrap().blocks() * 512,
    });
    sizes.sum()
}

#[test]
fn a_place_has_the_history_and_none_of_its_objects() {
    let world = World::new();
    // What does not shrink.
    let noise: String =
        (0..60_000_u32).map(|n| format!("{:08x}", n.wrapping_mul(2_654_435_761))).collect();
    world.write_user("large", &noise);
    world.commit_user("large");
    fs_err::remove_file(world.user().join("large")).unwrap();
    world.commit_user("small again");
    git(&world.user(), ["gc", "-q"]);
    world.write_user("later", "x");
    world.commit_user("loose");
    let mut run = world.start();
    assert_eq!(run.git(["log", "--format=%s"]), "loose\nsmall again\nlarge\nfirst");
    assert_eq!(run.git(["show", "HEAD~2:large"]), noise);
    assert_eq!(run.git(["count-objects"]), "0 objects, 0 kilobytes");
    assert!(size(&run.root().join(".git")) < 100_000, "{}", size(&run.root()));
    run.write("a", "b");
    run.publish();
    run.git(["fsck", "--strict", "--no-dangling"]);
    assert_eq!(run.git(["status", "--porcelain"]), "");
}

#[test]
fn a_place_outlives_what_the_user_does_to_the_repository() {
    let world = World::new();
    world.write_user("a", "1");
    let gone = world.commit_user("goes");
    let mut run = world.start();
    let history = "goes\nfirst";
    git(&world.user(), ["reset", "-q", "--hard", "HEAD~1"]);
    git(&world.user(), ["reflog", "expire", "--expire=now", "--all"]);
    git(&world.user(), ["gc", "-q", "--prune=now"]);
    assert!(!try_git(&world.user(), ["cat-file", "-e", gone.as_str()]).status.success());
    assert_eq!(run.git(["log", "--format=%s"]), history);
    run.write("b", "2");
    run.publish();
    assert_eq!(run.git(["log", "--format=%s"]), format!("a step\n{history}"));
    fs_err::rename(world.user(), world.path("moved")).unwrap();
    run.git(["fsck", "--no-dangling"]);
    fs_err::remove_dir_all(world.path("moved")).unwrap();
    run.git(["fsck", "--no-dangling"]);
}

#[test]
fn a_store_goes_when_nobody_borrows_from_it_any_more() {
    let world = World::new();
    let run = world.start();
    let first = stores(&world);
    assert_eq!(first.len(), 1);
    let (_, second) = start_another(&world, "two");
    assert_eq!(stores(&world), first, "nothing changed, so the store is the same");

    world.write_user("more", "x");
    world.commit_user("more");
    let (_, third) = start_another(&world, "three");
    assert_eq!(stores(&world).len(), 2, "a store never changes");
    remove_place(&world.path("data"), &run.root()).unwrap();
    remove_unused_stores(&world.path("state/base")).unwrap();
    assert_eq!(stores(&world).len(), 2, "the second place still borrows");
    remove_place(&world.path("data"), second.root()).unwrap();
    fs_err::create_dir(world.path("state/base/.making-killed")).unwrap();
    remove_unused_stores(&world.path("state/base")).unwrap();
    assert_eq!(stores(&world).len(), 1);
    assert!(!stores(&world).contains(&first[0]));
    git(third.root(), ["fsck"]);
}

#[test]
fn what_cannot_be_asked_counts_as_a_borrower() {
    let world = World::new();
    let run = world.start();
    fs_err::write(world.path("state/run/place.json"), "{").unwrap();
    remove_unused_stores(&world.path("state/base")).unwrap();
    assert_eq!(stores(&world).len(), 1);
    run.git(["fsck"]);
}

#[test]
fn places_are_made_at_once_while_stores_are_tidied_up() {
    let world = World::new();
    world.engine(&world.discover());
    std::thread::scope(|scope| {
        let names = ["r1", "r2", "r3", "r4"];
        let threads = names.map(|name| {
            let world = &world;
            scope.spawn(move || start_another(world, name).1.root().to_owned())
        });
        for _ in 0..20 {
            let _ = remove_unused_stores(&world.path("state/base"));
        }
        for thread in threads {
            git(&thread.join().unwrap(), ["fsck"]);
        }
    });
    assert_eq!(stores(&world).len(), 1, "no drafts are left");
}

#[test]
fn work_that_other_runs_publish_later_is_not_in_a_place() {
    let world = World::new();
    let run = world.start();
    let (user, mut other) = start_another(&world, "other");
    write(&other.root().join("theirs"), "secret\n");
    let (snapshot, _) = other.observe(&user.commit).unwrap();
    let blob = git(other.root(), ["hash-object", "theirs"]);
    assert!(!snapshot.code.as_str().is_empty());
    assert!(!try_git(&run.root(), ["cat-file", "-e", &blob]).status.success());
    // Also not when a third run needs a store that has more.
    world.write_user("theirs", "secret\n");
    world.commit_user("taken over");
    let (_, third) = start_another(&world, "third");
    assert!(try_git(third.root(), ["cat-file", "-e", &blob]).status.success());
    assert!(!try_git(&run.root(), ["cat-file", "-e", &blob]).status.success());
}

#[test]
fn objects_that_the_user_borrows_are_linked_as_well() {
    let world = World::new();
    fs_err::rename(world.user(), world.path("origin")).unwrap();
    git(&world.path(""), ["clone", "-q", "--shared", "origin", "user"]);
    world.write_user("own", "x");
    world.commit_user("own");
    let run = world.start();
    assert!(alternates(&run).is_file());
    fs_err::remove_dir_all(world.path("origin")).unwrap();
    assert_eq!(run.git(["log", "--format=%s"]), "own\nfirst");
    run.git(["fsck"]);
}

#[test]
fn what_cannot_be_linked_is_copied() {
    let world = World::new();
    let user = world.discover();
    let request = PlaceRequest { base_stores: None, ..world.request(&user) };
    let place = Place::create_clone(&world.engine(&user), &user, &request).unwrap();
    assert!(place.borrowed().is_empty());
    assert!(!place.root().join(".git/objects/info/alternates").exists());
    fs_err::remove_dir_all(world.user()).unwrap();
    git(place.root(), ["fsck"]);
}

#[test]
fn a_place_that_borrowed_can_be_made_to_own_its_objects() {
    let world = World::new();
    let mut run = world.start();
    assert_eq!(run.place.borrowed().len(), 1);
    run.place.restore_git_directory(&run.user, &run.last.commit, None).unwrap();
    assert!(run.place.borrowed().is_empty() && !alternates(&run).exists());
    remove_unused_stores(&world.path("state/base")).unwrap();
    assert_eq!(stores(&world).len(), 0, "nobody borrows any more");
    run.git(["fsck"]);
}

#[test]
fn a_new_git_directory_has_what_was_published_meanwhile() {
    let world = World::new();
    let mut run = world.start();
    run.write("a", "b");
    run.publish();
    fs_err::remove_dir_all(run.root().join(".git")).unwrap();
    let base = world.path("state/base");
    run.place.restore_git_directory(&run.user, &run.last.commit, Some(&base)).unwrap();
    assert_eq!(run.git(["log", "--format=%s"]), "a step\nfirst");
    assert_eq!(run.git(["branch", "--show-current"]), BRANCH);
    remove_unused_stores(&base).unwrap();
    run.git(["fsck"]);
    assert_eq!(stores(&world).len(), 1, "the first one is not needed any more");
}

#[test]
fn an_agent_in_the_checkout_cannot_write_what_places_borrow() {
    let world = World::new();
    let run = world.start();
    let user = world.discover();
    let request = PlaceRequest {
        run_dir: world.path("state/here"),
        branch: "windlass/here".to_owned(),
        ..world.request(&user)
    };
    Place::here(&run.engine, &user, &request).unwrap();
    let mut folders = vec![stores(&world)[0].join("objects")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            match entry.metadata().unwrap() {
                found if found.is_dir() => folders.push(entry.path()),
                found => {
                    seen += 1;
                    assert_eq!(found.nlink(), 1, "{}", entry.path().display());
                }
            }
        }
    }
    assert!(seen > 0);
    run.git(["fsck"]);
}

#[test]
fn hooks_of_the_user_do_not_run_for_a_store() {
    let world = World::new();
    let ran = world.path("ran");
    for hook in ["post-checkout", "reference-transaction"] {
        script(&world.user().join(".git/hooks").join(hook), &format!("touch {}", ran.display()));
    }
    world.start();
    assert!(!ran.exists());
}
