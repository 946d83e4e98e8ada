//! The real `gh` against a scripted forge on loopback.
//!
//! `github.localhost` is the one host that `gh` speaks to without TLS; a proxy on loopback answers for it.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use windlass_engine::forge::{ForgeError, Gh, GhState, Remote, publish};
use windlass_testkit::{Remote as Bare, TestEnv};

use crate::loopback::{Asked, is_there, serve};
use crate::world::{BRANCH, change, environment, publish_request, user, world};

const PAGE: &str = "http://github.localhost/ada/project";

/// What the forge has and was asked.
#[derive(Default)]
struct Forge {
    pull_requests: Vec<Value>,
    created: usize,
    other: Vec<String>,
}

fn answer(forge: &Mutex<Forge>, asked: &Asked) -> Value {
    let forge = &mut *forge.lock().unwrap();
    let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
    let query = body["query"].as_str().unwrap_or_default();
    let variables = &body["variables"];
    if asked.method != "POST" || asked.target != "http://api.github.localhost/graphql" {
        forge.other.push(format!("{} {}", asked.method, asked.target));
        return json!({});
    }
    let repository = |value: Value| json!({"data": {"repository": value}});
    if query.contains("createPullRequest(") {
        forge.created += 1;
        let input = &variables["input"];
        forge.pull_requests.push(json!({
            "id": "PR_7", "number": 7, "url": format!("{PAGE}/pull/7"), "state": "OPEN",
            "title": input["title"], "body": input["body"], "isDraft": input["draft"],
            "baseRefName": input["baseRefName"], "headRefName": input["headRefName"],
            "headRefOid": "", "isCrossRepository": false,
        }));
        return json!({"data": {"createPullRequest": {"pullRequest": forge.pull_requests[0]}}});
    }
    if query.contains("updatePullRequest(") {
        for field in ["title", "body"] {
            forge.pull_requests[0][field] = variables["input"][field].clone();
        }
        return json!({"data": {"updatePullRequest": {"pullRequest": {"id": "PR_7"}}}});
    }
    if query.contains("issueOrPullRequest(") {
        let issue = json!({
            "__typename": "Issue", "number": 42, "title": "Say hello", "body": "To everyone.",
            "url": format!("{PAGE}/issues/42"), "state": "OPEN",
            "labels": {"nodes": [{"name": "bug"}], "totalCount": 1},
        });
        if variables["number"] == 42 {
            return repository(json!({"hasIssuesEnabled": true, "issue": issue}));
        }
        let message = "Could not resolve to an issue or pull request with the number of 43.";
        return json!({
            "data": {"repository": {"hasIssuesEnabled": true, "issue": null}},
            "errors": [{"type": "NOT_FOUND", "path": ["repository", "issue"], "message": message}],
        });
    }
    if query.contains("projectItems(") {
        let none = json!({"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": ""}});
        return repository(json!({"pullRequest": {"projectItems": none}}));
    }
    if query.contains("pullRequest(number") {
        return repository(json!({"pullRequest": forge.pull_requests[0]}));
    }
    if query.contains("pullRequests(") {
        let page = json!({"hasNextPage": false, "endCursor": ""});
        let count = forge.pull_requests.len();
        return repository(json!({
            "pullRequests": {"totalCount": count, "nodes": forge.pull_requests, "pageInfo": page},
            "defaultBranchRef": {"name": "main"},
        }));
    }
    if query.contains("query RepositoryInfo") {
        return repository(json!({
            "id": "R_1", "name": "project", "owner": {"login": "ada"}, "hasIssuesEnabled": true,
            "viewerPermission": "ADMIN", "defaultBranchRef": {"name": "main"}, "parent": null,
        }));
    }
    forge.other.push(query.to_owned());
    json!({"data": {}})
}

/// A repository whose pull requests are at the scripted forge, and whose branches are in a folder.
fn signed_in(env: &TestEnv, bare: &Bare, forge: &Arc<Mutex<Forge>>) -> Vec<(String, String)> {
    let behind = Arc::clone(forge);
    let port = serve(move |asked| answer(&behind, asked));
    env.repository.git(&["remote", "set-url", "origin", &format!("{PAGE}.git")]);
    let folder = bare.root().display().to_string();
    env.repository.git(&["remote", "set-url", "--push", "origin", &folder]);
    let mut variables = env.variables();
    let path = std::env::var("PATH").unwrap_or_default();
    variables.retain(|(name, _)| !name.eq_ignore_ascii_case("http_proxy") && name != "PATH");
    for (name, value) in [
        ("PATH", path),
        ("GH_TOKEN", "a-dummy".to_owned()),
        ("GH_HOST", "github.localhost".to_owned()),
        ("HTTP_PROXY", format!("http://127.0.0.1:{port}")),
        ("GH_NO_UPDATE_NOTIFIER", "1".to_owned()),
    ] {
        variables.push((name.to_owned(), value));
    }
    variables
}

#[test]
fn the_real_gh_opens_one_pull_request_and_updates_it() {
    if !is_there("gh") {
        return;
    }
    let env = world();
    let (bare, forge) = (Bare::bare(&env), Arc::new(Mutex::new(Forge::default())));
    let variables = signed_in(&env, &bare, &forge);
    let remote = || Remote::with(&user(&env), None, environment(variables.clone())).unwrap();
    let first = change(&env, "one");
    let published = publish(&remote(), &publish_request(&env, &first)).unwrap();
    let opened = published.pull_request.expect("a pull request");
    assert_eq!((opened.number, opened.created), (7, true));
    assert_eq!(opened.url, format!("{PAGE}/pull/7"));
    assert_eq!(bare.branch(BRANCH).as_deref(), Some(first.as_str()));

    let second = change(&env, "two");
    let mut request = publish_request(&env, &second);
    request.expected_remote = Some(first);
    request.title = "--help $(x)".to_owned();
    request.body = "More was done.\n".to_owned();
    let again = publish(&remote(), &request).unwrap().pull_request.expect("the same one");
    assert_eq!((again.number, again.created), (7, false));
    let forge = forge.lock().unwrap();
    assert_eq!((forge.pull_requests.len(), forge.created), (1, 1));
    assert_eq!(forge.pull_requests[0]["title"], "--help $(x)");
    assert_eq!(forge.pull_requests[0]["body"], "More was done.\n");
    assert_eq!(forge.other, Vec::<String>::new(), "nothing else was asked");
}

#[test]
fn the_real_gh_reads_an_issue_and_says_when_there_is_none() {
    if !is_there("gh") {
        return;
    }
    let env = world();
    let (bare, forge) = (Bare::bare(&env), Arc::new(Mutex::new(Forge::default())));
    let variables = signed_in(&env, &bare, &forge);
    let remote = Remote::with(&user(&env), None, environment(variables.clone())).unwrap();
    let gh = Gh::with(&user(&env), Some(&remote), environment(variables));
    assert!(matches!(gh.state().unwrap(), GhState::Ready { .. }));
    let issue = gh.issue(42).unwrap();
    assert_eq!((issue.title.as_str(), issue.body.as_str()), ("Say hello", "To everyone."));
    assert_eq!(issue.labels, ["bug"]);
    let none = gh.issue(43);
    assert!(matches!(none, Err(ForgeError::UnknownIssue { number: 43, .. })), "{none:?}");
}
