//! The branch that a pull request is for is known, and there, before anything is spent.

use crate::publish::{WORKFLOW, World};

fn base(world: &World) -> String {
    world.pull_request()["baseRefName"].as_str().expect("a branch").to_owned()
}

#[test]
fn a_branch_that_only_you_have_is_no_target_and_the_remotes_default_is() {
    let world = World::new();
    world.env.repository.git(&["push", "-q", "origin", "main"]);
    world.env.repository.git(&["switch", "-q", "-c", "mine"]);
    let run = world.run(WORKFLOW, &["--yes"]);
    assert!(
        run.stderr.contains("the pull request will be for `main`, the default of `origin`"),
        "{run}"
    );
    world.assert_published();
    assert_eq!(base(&world), "main");
}

#[test]
fn the_branch_that_is_checked_out_is_the_target_where_the_remote_has_it() {
    let world = World::new();
    let git = &world.env.repository;
    git.git(&["push", "-q", "origin", "main"]);
    git.git(&["switch", "-q", "-c", "develop"]);
    git.git(&["push", "-q", "origin", "develop"]);
    world.run(WORKFLOW, &["--yes", "--branch", "my/own"]);
    world.assert_published();
    assert_eq!(
        (base(&world), world.env.status_json()["run"]["branch"].clone()),
        ("develop".to_owned(), "my/own".into())
    );
}

#[test]
fn a_wished_target_has_to_be_there() {
    let world = World::new();
    world.env.repository.git(&["push", "-q", "origin", "main"]);
    let refused = world.run(WORKFLOW, &["--base", "release"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("there is no branch `release` at `origin`"), "{refused}");
    assert!(refused.stderr.contains("`--base main` is its default branch"), "{refused}");
    let taken = world.run(WORKFLOW, &["--branch", "main"]);
    taken.assert_code(2);
    assert!(taken.stderr.contains("the branch `main` is there already"), "{taken}");
    assert!(world.env.windlass(&["status"]).stderr.contains("there is no run"));
}
