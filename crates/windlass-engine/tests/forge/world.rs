//! A user's repository with a commit to publish.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;

use windlass_core::id::ObjectId;
use windlass_engine::forge::{ForgeError, PublishRequest, PushRequest, Remote, UserEnvironment};
use windlass_engine::git::UserRepository;
use windlass_testkit::{Layout, TestEnv};

pub(crate) const BRANCH: &str = "feature/issue-42-hello";

pub(crate) fn world() -> TestEnv {
    TestEnv::new("no-windlass-here", env!("CARGO_TARGET_TMPDIR"), Layout::Home)
}

pub(crate) fn user(env: &TestEnv) -> UserRepository {
    UserRepository::locate(env.repository.root()).unwrap()
}

pub(crate) fn environment(variables: Vec<(String, String)>) -> UserEnvironment {
    let native = |(name, value): (String, String)| (OsString::from(name), OsString::from(value));
    UserEnvironment::of(variables.into_iter().map(native))
}

pub(crate) fn remote(env: &TestEnv) -> Result<Remote, ForgeError> {
    Remote::with(&user(env), None, environment(env.variables()))
}

/// Commits a change on no branch in particular, and returns it.
pub(crate) fn change(env: &TestEnv, text: &str) -> ObjectId {
    env.repository.write("hello.txt", text);
    ObjectId::new(env.repository.commit(text))
}

pub(crate) fn push_request(commit: &ObjectId, expected: Option<&ObjectId>) -> PushRequest {
    PushRequest { branch: BRANCH.to_owned(), commit: commit.clone(), expected: expected.cloned() }
}

pub(crate) fn publish_request(env: &TestEnv, commit: &ObjectId) -> PublishRequest {
    PublishRequest {
        branch: BRANCH.to_owned(),
        commit: commit.clone(),
        expected_remote: None,
        base: "main".to_owned(),
        title: "feat(#42): Say hello".to_owned(),
        body: "What was done.\n".to_owned(),
        body_file: env.root().join("state/body.md"),
        draft: false,
    }
}

/// Puts a shell script on a search path of its own and returns the variables with it.
pub(crate) fn with_program(env: &TestEnv, name: &str, script: &str) -> Vec<(String, String)> {
    let path = env.file(&format!("tools/{name}"), script);
    fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let folder = path.parent().unwrap().display().to_string();
    let mut variables = env.variables();
    for (name, value) in &mut variables {
        if name == "PATH" {
            *value = format!("{folder}:{value}");
        }
    }
    variables
}
