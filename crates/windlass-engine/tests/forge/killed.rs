//! Death while publishing: whatever had happened, publishing again ends in one pull request.

use std::process::Command;

use windlass_core::id::ObjectId;
use windlass_engine::forge::{Remote, publish};
use windlass_testkit::{Gh as Scripted, Remote as Bare};

use crate::world::{BRANCH, change, environment, publish_request, user, world};

#[test]
#[ignore = "started by the test below, in a process that dies"]
fn publishes_and_dies() {
    let root = std::path::PathBuf::from(std::env::var_os("FORGE_TEST_REPOSITORY").unwrap());
    let found = windlass_engine::git::UserRepository::locate(&root).unwrap();
    let remote = Remote::of(&found, None).unwrap();
    let mut request = publish_request(&world(), &found.commit);
    request.body_file = std::path::PathBuf::from(std::env::var_os("FORGE_TEST_BODY").unwrap());
    publish(&remote, &request).unwrap();
}

#[test]
fn a_kill_at_any_point_leaves_one_pull_request() {
    let points = ["forge-push", "forge-pushed", "forge-open", "forge-opened"];
    for (at, point) in points.into_iter().enumerate() {
        let env = world();
        let (bare, gh) = (Bare::bare(&env), Scripted::new(&env));
        let commit: ObjectId = change(&env, "one");
        let request = publish_request(&env, &commit);
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed::publishes_and_dies", "--ignored", "--nocapture"])
            .env_clear()
            .envs(gh.variables(&env))
            .env("FORGE_TEST_REPOSITORY", env.repository.root())
            .env("FORGE_TEST_BODY", &request.body_file)
            .env("WINDLASS_FAULT", format!("{point}:1"))
            .output()
            .unwrap();
        let died = std::os::unix::process::ExitStatusExt::signal(&output.status);
        assert_eq!(died, Some(9), "{point}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(bare.branch(BRANCH).is_some(), at >= 1, "{point}");
        assert_eq!(gh.pull_requests().len(), usize::from(at >= 3), "{point}");
        let remote = Remote::with(&user(&env), None, environment(gh.variables(&env))).unwrap();
        let published = publish(&remote, &request).unwrap();
        assert_eq!(published.pull_request.unwrap().created, at < 3, "{point}");
        assert_eq!(gh.pull_requests().len(), 1, "{point}");
        assert_eq!(bare.branch(BRANCH).as_deref(), Some(commit.as_str()));
    }
}
