//! Commits, the user's branch and the place afterwards.

use windlass_engine::git::{PublishError, processes_started};

use crate::world::{BRANCH, World, git, try_git};

#[test]
fn the_same_request_gives_the_same_commit_as_git_would() {
    let world = World::new();
    let mut run = world.start();
    run.write("a", "x");
    let tree = run.snapshot().code;
    let new = run.commit(&tree);
    assert_eq!(run.commit(&tree), new);
    let made = std::process::Command::new("git")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GIT_DIR", run.engine.dir())
        .env("GIT_AUTHOR_NAME", "windlass")
        .env("GIT_AUTHOR_EMAIL", "windlass@localhost")
        .env("GIT_COMMITTER_NAME", "windlass")
        .env("GIT_COMMITTER_EMAIL", "windlass@localhost")
        .env("GIT_AUTHOR_DATE", "1700000000 +0000")
        .env("GIT_COMMITTER_DATE", "1700000000 +0000")
        .args(["commit-tree", tree.as_str(), "-p", run.last.commit.as_str(), "-m", "a step"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&made.stdout).trim_end(), new.commit.as_str());
}

#[test]
fn a_published_step_is_visible_to_the_user_and_clean_in_the_place() {
    let world = World::new();
    let mut run = world.start();
    for (name, text) in [("a", "1"), ("deep/er/b", "2"), ("a", "3")] {
        run.write(name, text);
        let new = run.publish();
        assert_eq!(git(&world.user(), ["rev-parse", BRANCH]), new.commit.as_str());
        assert_eq!(run.git(["rev-parse", "HEAD"]), new.commit.as_str());
        assert_eq!(run.git(["status", "--porcelain"]), "");
        // The agent's git sees a change of the same size within the same tick of the clock.
        run.write("README", &format!("hell{text}\n"));
        assert_eq!(run.git(["status", "--porcelain"]), " M README");
    }
    git(&world.user(), ["gc", "--quiet"]);
    git(&world.user(), ["fsck", "--strict", "--no-dangling"]);
    run.git(["fsck", "--strict", "--no-dangling"]);
    assert_eq!(run.git(["log", "--format=%s"]), "a step\na step\na step\nfirst");
    assert_eq!(git(&world.user(), ["status", "--porcelain"]), "");
}

#[test]
fn old_content_that_lies_in_a_pack_is_published() {
    let world = World::new();
    world.write_user("old", "old content");
    world.commit_user("with old");
    git(&world.user(), ["rm", "-q", "old"]);
    world.commit_user("without old");
    git(&world.user(), ["gc", "--quiet"]);
    let mut run = world.start();
    run.write("folder/again", "old content");
    run.publish();
    git(&world.user(), ["fsck", "--strict", "--no-dangling"]);
    assert_eq!(git(&world.user(), ["show", &format!("{BRANCH}:folder/again")]), "old content");
}

#[test]
fn publishing_twice_is_harmless() {
    let world = World::new();
    let mut run = world.start();
    run.write("a", "x");
    let before = run.last.clone();
    let new = run.publish();
    run.place.publish(&run.user, &before, &new).unwrap();
    assert_eq!(git(&world.user(), ["rev-parse", BRANCH]), new.commit.as_str());
}

#[test]
fn a_branch_that_someone_else_moved_is_refused() {
    let world = World::new();
    let mut run = world.start();
    run.write("a", "x");
    let first = run.publish();
    git(&world.user(), ["update-ref", &format!("refs/heads/{BRANCH}"), "main"]);
    run.write("a", "y");
    let snapshot = run.snapshot();
    let new = run.commit(&snapshot.code);
    let refused = run.place.publish(&run.user, &first, &new);
    assert!(matches!(refused, Err(PublishError::Moved { .. })), "{refused:?}");
    assert_eq!(git(&world.user(), ["rev-parse", BRANCH]), run.user.commit.as_str());
}

#[test]
fn a_branch_that_the_user_has_checked_out_is_refused() {
    let world = World::new();
    let mut run = world.start();
    run.write("a", "x");
    let first = run.publish();
    git(&world.user(), ["worktree", "add", "-q", "../looking", BRANCH]);
    run.write("a", "y");
    let snapshot = run.snapshot();
    let new = run.commit(&snapshot.code);
    let refused = run.place.publish(&run.user, &first, &new);
    assert!(matches!(refused, Err(PublishError::CheckedOut { .. })), "{refused:?}");
}

#[test]
fn an_agents_own_commits_stay_reachable_in_the_place() {
    let world = World::new();
    let mut run = world.start();
    run.write("a", "x");
    run.git(["add", "-A"]);
    run.git(["commit", "-q", "-m", "mine"]);
    let mine = run.git(["rev-parse", "HEAD"]);
    fs_err::write(run.root().join(".git/index.lock"), "").unwrap();
    let new = run.publish();
    assert_eq!(run.git(["rev-parse", "HEAD"]), new.commit.as_str());
    assert_eq!(run.git(["rev-parse", &format!("refs/windlass/agent/{mine}")]), mine);
    assert_eq!(run.git(["status", "--porcelain"]), "");
    assert!(try_git(&world.user(), ["cat-file", "-e", &mine]).status.code() != Some(0));
}

#[test]
fn a_proven_step_costs_four_git_processes_beside_its_room() {
    let world = World::new();
    let mut run = world.start();
    // The counter is the process's own; nextest gives every test a process of its own.
    let mut counts = Vec::new();
    for number in 0..3 {
        run.write("src/work.rs", &format!("// {number}\n"));
        run.write(".windlass/run/specs/plan.md", &format!("{number}\n"));
        let before = processes_started();
        let snapshot = run.snapshot();
        let changes = run.engine.diff(&run.last.tree, &snapshot.code).unwrap();
        assert_eq!(changes.len(), 1);
        let new = run.commit(&snapshot.code);
        run.place.publish(&run.user, &run.last, &new).unwrap();
        run.last = new;
        counts.push(processes_started() - before);
    }
    // The layer of a snapshot takes three more: its files, its commit, its pack.
    assert_eq!(counts, [4, 4, 4]);
}
