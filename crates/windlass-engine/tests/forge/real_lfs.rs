//! The real `git-lfs` against a scripted store of large files on loopback.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use windlass_engine::forge::Remote;
use windlass_testkit::Remote as Bare;

use crate::loopback::{Asked, is_there, serve};
use crate::world::{BRANCH, change, environment, push_request, user, world};

/// The content, and the SHA-256 that names it.
const CONTENT: &str = "abc";
const NAME: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn the_real_git_lfs_uploads_what_the_commits_point_to_before_they_are_pushed() {
    if !is_there("git-lfs") {
        return;
    }
    let env = world();
    let bare = Bare::bare(&env);
    let uploads: Arc<Mutex<Vec<(String, String, bool)>>> = Arc::default();
    let (seen, remote_folder) = (Arc::clone(&uploads), bare.root().to_owned());
    let port = Arc::new(Mutex::new(0));
    let own = Arc::clone(&port);
    *port.lock().unwrap() = serve(move |asked: &Asked| {
        let port = *own.lock().unwrap();
        if asked.target.ends_with("/objects/batch") {
            let wanted: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
            let objects = wanted["objects"].as_array().cloned().unwrap_or_default();
            let with_href = objects.iter().map(|object| {
                let href =
                    format!("http://127.0.0.1:{port}/put/{}", object["oid"].as_str().unwrap_or(""));
                json!({"oid": object["oid"], "size": object["size"], "authenticated": true,
                    "actions": {"upload": {"href": href}}})
            });
            return json!({"transfer": "basic", "objects": with_href.collect::<Vec<_>>()});
        }
        if let ("PUT", Some(name)) = (asked.method.as_str(), asked.target.strip_prefix("/put/")) {
            let pushed = remote_folder.join("refs/heads").join(BRANCH).exists();
            let content = String::from_utf8_lossy(&asked.body).into_owned();
            seen.lock().unwrap().push((name.to_owned(), content, pushed));
        }
        json!({"ours": [], "theirs": []})
    });
    let store = format!("http://127.0.0.1:{}/lfs", port.lock().unwrap());
    env.repository.git(&["config", "lfs.url", &store]);
    env.repository.write(
        "large.bin",
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{NAME}\nsize 3\n"),
    );
    env.repository.write(&format!(".git/lfs/objects/ba/78/{NAME}"), CONTENT);
    let commit = change(&env, "large");
    let mut variables = env.variables();
    for (name, value) in &mut variables {
        if name == "PATH" {
            *value = std::env::var("PATH").unwrap_or_default();
        }
    }
    variables.retain(|(name, _)| !name.to_lowercase().ends_with("_proxy"));
    let remote = Remote::with(&user(&env), None, environment(variables)).unwrap();
    remote.push(&push_request(&commit, None)).unwrap();
    assert_eq!(bare.branch(BRANCH).as_deref(), Some(commit.as_str()));
    let uploads = uploads.lock().unwrap();
    assert_eq!(*uploads, [(NAME.to_owned(), CONTENT.to_owned(), false)], "content comes first");
}
