//! From a commit to a pull request.

use windlass_core::id::ObjectId;
use windlass_engine::forge::{ForgeError, Remote, publish};
use windlass_testkit::{Gh as Scripted, Remote as Bare, TestEnv};

use crate::world::{BRANCH, change, environment, publish_request, user, world};

fn remote(env: &TestEnv, gh: &Scripted) -> Remote {
    Remote::with(&user(env), None, environment(gh.variables(env))).unwrap()
}

#[test]
fn publishing_twice_opens_one_pull_request() {
    let env = world();
    let (bare, gh) = (Bare::bare(&env), Scripted::new(&env));
    let first = change(&env, "one");
    let mut request = publish_request(&env, &first);
    request.title = "--help\n$(x) \u{202e}abc".to_owned();
    let published = publish(&remote(&env, &gh), &request).unwrap();
    assert_eq!(published.pushed, first);
    let opened = published.pull_request.unwrap();
    assert!(opened.created && published.body_file.is_none());
    assert_eq!(bare.branch(BRANCH).as_deref(), Some(first.as_str()));
    let seen = &gh.pull_requests()[0];
    assert_eq!(seen["title"], "--help $(x) \\u{202e}abc");
    assert_eq!(seen["body"], "What was done.\n");

    let second = change(&env, "two");
    let mut request = publish_request(&env, &second);
    request.expected_remote = Some(first);
    request.body = "More was done.\n".to_owned();
    let again = publish(&remote(&env, &gh), &request).unwrap().pull_request.unwrap();
    assert_eq!((again.number, again.created), (opened.number, false));
    assert_eq!(gh.pull_requests().len(), 1);
    assert_eq!(gh.pull_requests()[0]["body"], "More was done.\n");
    assert_eq!(gh.count("pr create"), 1);
}

#[test]
fn without_gh_there_is_a_page_and_a_file() {
    let env = world();
    let (bare, gh) = (Bare::bare(&env), Scripted::new(&env));
    gh.fail("*", "not-signed-in");
    // The address is one of a forge, and git goes to the bare repository.
    let rewritten = format!("url.{}.insteadOf", bare.root().display());
    let address = "https://ada:secret@github.com/ada/engine.git";
    env.repository.git(&["config", &rewritten, address]);
    env.repository.git(&["remote", "set-url", "origin", address]);
    let commit = change(&env, "one");
    let published = publish(&remote(&env, &gh), &publish_request(&env, &commit)).unwrap();
    assert_eq!(published.pull_request, None);
    assert_eq!(
        published.compare_url.as_deref(),
        Some("https://github.com/ada/engine/compare/main...feature/issue-42-hello?expand=1")
    );
    let file = published.body_file.unwrap();
    assert_eq!(fs_err::read_to_string(file).unwrap(), "What was done.\n");
    assert!(published.notes[0].contains("gh auth login --hostname github.com"));
    assert_eq!(bare.branch(BRANCH).as_deref(), Some(commit.as_str()));
}

#[test]
fn a_token_that_is_refused_leads_to_the_file_as_well() {
    let env = world();
    let (_bare, gh) = (Bare::bare(&env), Scripted::new(&env));
    gh.fail("*", "token-refused");
    let commit = change(&env, "one");
    let published = publish(&remote(&env, &gh), &publish_request(&env, &commit)).unwrap();
    assert!(published.pull_request.is_none() && published.body_file.is_some());
}

#[test]
fn a_pull_request_that_was_opened_although_gh_failed_is_found() {
    let env = world();
    let (_bare, gh) = (Bare::bare(&env), Scripted::new(&env));
    gh.fail("pr create", "fail-after");
    let commit = change(&env, "one");
    let published = publish(&remote(&env, &gh), &publish_request(&env, &commit)).unwrap();
    assert!(published.pull_request.unwrap().created);
    assert_eq!(gh.pull_requests().len(), 1);
}

#[test]
fn a_failure_to_open_leaves_the_push_and_can_be_done_again() {
    let env = world();
    let (bare, gh) = (Bare::bare(&env), Scripted::new(&env));
    gh.fail("pr create", "refuse");
    let commit = change(&env, "one");
    let request = publish_request(&env, &commit);
    let error = publish(&remote(&env, &gh), &request).unwrap_err();
    assert!(matches!(error, ForgeError::Gh { .. }), "{error}");
    assert_eq!(bare.branch(BRANCH).as_deref(), Some(commit.as_str()));
    gh.heal();
    assert!(publish(&remote(&env, &gh), &request).unwrap().pull_request.unwrap().created);
    assert_eq!(gh.pull_requests().len(), 1);
}

#[test]
fn only_an_open_pull_request_of_this_repository_is_used_again() {
    let env = world();
    let (_bare, gh) = (Bare::bare(&env), Scripted::new(&env));
    gh.pull_request(3, BRANCH, "CLOSED").pull_request(5, BRANCH, "OPEN");
    gh.change(5, "isCrossRepository", true);
    let commit = change(&env, "one");
    let published = publish(&remote(&env, &gh), &publish_request(&env, &commit)).unwrap();
    let opened = published.pull_request.unwrap();
    assert_eq!((opened.number, opened.created), (6, true));
    assert!(published.notes[0].contains("/pull/3 was closed before"), "{:?}", published.notes);
    // Once merged with exactly this commit, it is the one, and there is nothing to open.
    gh.change(6, "state", "MERGED");
    let again = publish(&remote(&env, &gh), &publish_request(&env, &commit)).unwrap();
    assert_eq!(again.pull_request.map(|pr| (pr.number, pr.created)), Some((6, false)));
    assert_eq!(gh.count("pr edit"), 0);
}

#[test]
fn a_body_beyond_the_bound_of_the_forge_is_cut_and_says_so() {
    let env = world();
    let (_bare, gh) = (Bare::bare(&env), Scripted::new(&env));
    let commit = change(&env, "one");
    let mut request = publish_request(&env, &commit);
    request.body = "ä".repeat(70_000);
    request.title = "t".repeat(10_000);
    publish(&remote(&env, &gh), &request).unwrap();
    let body = gh.pull_requests()[0]["body"].as_str().unwrap().to_owned();
    assert!(body.ends_with("a description has a bound._\n"), "{}", body.len());
}

#[test]
fn a_refused_push_opens_nothing() {
    let env = world();
    let (bare, gh) = (Bare::bare(&env), Scripted::new(&env));
    bare.protect(BRANCH, "no");
    let commit = change(&env, "one");
    let error = publish(&remote(&env, &gh), &publish_request(&env, &commit)).unwrap_err();
    assert!(matches!(error, ForgeError::Refused { .. }), "{error}");
    let elsewhere = ObjectId::new(bare.commit("other"));
    let mut request = publish_request(&env, &commit);
    request.expected_remote = Some(elsewhere);
    request.branch = "gone".to_owned();
    let error = publish(&remote(&env, &gh), &request).unwrap_err();
    assert!(matches!(error, ForgeError::Moved { .. }), "{error}");
    assert!(gh.calls().is_empty());
}

#[test]
fn a_description_that_is_too_long_ends_with_a_whole_line() {
    let env = world();
    let (_bare, gh) = (Bare::bare(&env), Scripted::new(&env));
    let commit = change(&env, "one");
    let mut request = publish_request(&env, &commit);
    // Half of such a line would call somebody: its code would not be closed.
    let line = "- `@org/everyone` said so\n";
    request.body = line.repeat(5_000);
    publish(&remote(&env, &gh), &request).unwrap();
    let body = gh.pull_requests()[0]["body"].as_str().unwrap().to_owned();
    let (lines, note) = body.split_once("\n\n_").unwrap();
    assert!(lines.lines().all(|found| format!("{found}\n") == line), "{lines}");
    let left_out: usize = note.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(lines.len() + 1 + left_out, request.body.len());
}
