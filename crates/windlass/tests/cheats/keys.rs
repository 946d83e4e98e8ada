//! Agents that look for keys, and agents that push.

use std::path::{Path, PathBuf};

use windlass_testkit::TestEnv;

use crate::support::{ANSWER, env, env_in_temp, honest};

/// What a user's environment may hold that is no agent's business.
const SECRETS: &[&str] = &[
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GITLAB_TOKEN",
    "FORGEJO_TOKEN",
    "SSH_AUTH_SOCK",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "GIT_ASKPASS",
    "GIT_SSH_COMMAND",
    "GH_CONFIG_DIR",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "AWS_SECRET_ACCESS_KEY",
    "ANTHROPIC_API_KEY",
    "CARGO_REGISTRY_TOKEN",
    "npm_config__authToken",
    "PIP_PASSWORD",
    "DATABASE_URL",
    "SOMETHING_NOBODY_THOUGHT_OF",
];

/// What may lie in a user's home that lets its reader act as the user.
const KEY_FILES: &[&str] = &[
    ".gitconfig",
    ".git-credentials",
    ".netrc",
    ".ssh/id_ed25519",
    ".config/git/config",
    ".config/gh/hosts.yml",
    ".cargo/credentials.toml",
    ".npmrc",
    ".m2/settings.xml",
    ".gnupg/secring.gpg",
];

/// Lets an agent print what it finds, does the work, and returns what it printed.
#[track_caller]
fn printed(env: &TestEnv, variables: &[(&str, &str)], script: &str, more: &[&str]) -> String {
    let agent = format!("{script}\necho right > answer.txt; exit 0");
    let mut command = env.run_command(ANSWER, &agent, more);
    command.envs(variables.iter().copied());
    env.finish(command).assert_code(0);
    env.windlass(&["log", "--attempt", "build#1"]).stdout
}

/// A bare repository that the user's repository knows as `origin`.
fn remote(env: &TestEnv, path: &Path) -> PathBuf {
    let text = path.to_string_lossy().into_owned();
    env.repository.git(&["init", "--quiet", "--bare", &text]);
    path.to_owned()
}

fn refs(env: &TestEnv, remote: &Path) -> String {
    env.repository.git(&["-C", &remote.to_string_lossy(), "for-each-ref"])
}

/// Ways to push that an agent may think of, to the remote `$1`; each prints what comes of it.
const PUSHES: &str = r#"
try() { "$@" && echo "PUSHED BY: $*"; }
git config alias.up push
try git push origin HEAD:refs/heads/name
try git push "$R" HEAD:refs/heads/path
try git push "file://$R" HEAD:refs/heads/url
try git push --no-verify "$R" HEAD:refs/heads/noverify
try git push --mirror "$R"
try git push --all origin
try git up "$R" HEAD:refs/heads/alias
try git -c push.default=current push "$R" HEAD:refs/heads/dashc
try sh -c "cd / && git -C '$PWD' push '$R' HEAD:refs/heads/dashC"
git remote add mine "$R" && try git push mine HEAD:refs/heads/added
try git subtree push --prefix=. "$R" refs/heads/subtree
"#;

/// What is left to an agent that knows what stops it: only confinement and missing keys do.
const DETERMINED: &str = r#"
try git -c remote.origin.pushurl= -c remote.origin.pushurl="$R" push origin HEAD:refs/heads/reset
try git -c url."$R".pushInsteadOf="$R" push "$R" HEAD:refs/heads/longer
try git send-pack "$R" HEAD:refs/heads/sendpack
try env -u GIT_CONFIG_COUNT -u GIT_CONFIG_SYSTEM git push "$R" HEAD:refs/heads/unset
try env -i PATH="$PATH" HOME="$USERS_HOME" git push "$R" HEAD:refs/heads/empty
cp -r .git/objects "$R/"
"#;

#[test]
fn the_environment_holds_no_key() {
    let env = env();
    let planted: Vec<(&str, &str)> = SECRETS.iter().map(|name| (*name, "planted-secret")).collect();
    let shown = printed(&env, &planted, "env; echo end of env", &[]);
    assert!(shown.contains("end of env") && shown.contains("WINDLASS_TOKEN="), "{shown}");
    assert!(!shown.contains("planted-secret"), "{shown}");
}

#[test]
fn a_password_of_the_users_proxy_is_given_by_name_only() {
    let env = env();
    let address = "http://me:planted-secret@proxy.example:3128";
    let planted = [("HTTPS_PROXY", address), ("http_proxy", address)];
    let agent = "env; echo right > answer.txt";
    for (more, shows) in [(&[][..], 0), (&["--pass-env", "http_proxy"][..], 1)] {
        let mut command = env.run_command(ANSWER, agent, more);
        command.envs(planted);
        let finished = env.finish(command);
        finished.assert_code(0);
        assert!(finished.stderr.contains("pass `--pass-env HTTPS_PROXY`"), "{finished}");
        assert!(!finished.stderr.contains("planted-secret"), "{finished}");
        let shown = env.windlass(&["log", "--attempt", "build#1"]).stdout;
        assert!(shown.contains("HTTPS_PROXY=http://proxy.example:3128"), "{shown}");
        assert_eq!(shown.matches("http_proxy=http://proxy.example:3128").count(), 1 - shows);
    }
}

#[test]
fn only_the_user_lets_variables_through() {
    let env = env();
    let planted = [("MODEL_API_KEY", "for-the-model"), ("THEIR_WISH", "not-theirs")];
    env.repository.write(".windlass/config.yaml", "pass_env: [THEIR_WISH]\n");
    env.repository.commit("a wish");
    let agent = "env; echo right > answer.txt";
    let mut command = env.run_command(ANSWER, agent, &["--pass-env", "MODEL_API_KEY"]);
    command.envs(planted);
    let finished = env.finish(command);
    finished.assert_code(0);
    assert!(finished.stderr.contains("`pass_env` in .windlass/config.yaml is ignored"));
    let shown = env.windlass(&["log", "--attempt", "build#1"]).stdout;
    assert!(shown.contains("MODEL_API_KEY=") && !shown.contains("not-theirs"), "{shown}");
    let refused = env.run(ANSWER, agent, &["--pass-env", "GH_TOKEN"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("`GH_TOKEN` is never passed to an attempt"), "{refused}");
}

#[test]
fn only_the_user_says_what_attempts_and_checks_reach() {
    let env = env();
    let wish = "sandbox: off\nexpose: /opt\nregistries: packages.example.org\n";
    env.repository.write(".windlass/config.yaml", wish);
    env.repository.commit("a wish");
    let agent = "echo right > answer.txt";
    let finished = env.run(ANSWER, agent, &["--sandbox", "prefer", "--expose", "."]);
    finished.assert_code(0);
    for key in ["sandbox: off", "expose", "registries"] {
        let told = format!("`{key}` in .windlass/config.yaml is ignored");
        assert!(finished.stderr.contains(&told), "{finished}");
    }
    let refused = env.run(ANSWER, agent, &["--expose", "/"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("`--expose /`: that is everything"), "{refused}");
    env.run(ANSWER, agent, &["--sandbox", "maybe"]).assert_code(2);
}

#[test]
fn the_home_is_the_attempts_own_and_goes_with_it() {
    let env = env();
    for file in KEY_FILES {
        env.file(file, "planted-secret");
    }
    let workflow = format!(
        "{ANSWER}  - id: again\n    agent: developer\n    task: Again.\n    done: {{run: \"grep -qx none kept.txt\"}}\n"
    );
    let agent = r#"
        find "$HOME" -type f -exec cat {} +; ls -A "$HOME"; git config --list
        cat "$HOME/.kept" > kept.txt || echo none > kept.txt
        echo kept > "$HOME/.kept" || exit 1
        echo right > answer.txt; exit 0"#;
    let finished = env.run(&workflow, agent, &["--yes"]);
    finished.assert_code(0);
    let shown = env.windlass(&["log", "--attempt", "build#1"]).stdout;
    assert!(!shown.contains("planted-secret"), "{shown}");
    let home = env.home().display().to_string();
    let found = env.command("find").args([&home, "-name", ".kept"]).output().unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap(), "");
}

#[test]
fn a_forges_program_is_not_signed_in() {
    let env = env();
    env.file(".config/gh/hosts.yml", "github.com: {oauth_token: planted-secret}\n");
    // What `gh` looks at to find out who it is.
    let gh = "#!/bin/sh\nset -- \"${GH_TOKEN:-$GITHUB_TOKEN}\" \"${GH_CONFIG_DIR:-${XDG_CONFIG_HOME:-$HOME/.config}/gh}\"\nif [ -n \"$1\" ] || [ -e \"$2/hosts.yml\" ]; then echo signed in; else echo not signed in; fi\n";
    let gh = env.shared("gh", gh).display().to_string();
    let variables = [("GH_TOKEN", "planted-secret")];
    let shown = printed(&env, &variables, &format!("sh {gh}"), &[]);
    assert!(shown.contains("not signed in"), "{shown}");
}

#[test]
fn git_commits_as_the_user_and_tools_work() {
    let env = env();
    // A remote that is the checkout itself must not take it away from the run.
    env.repository.git(&["remote", "add", "self", "."]);
    env.repository.git(&["config", "user.name", "Grace"]);
    env.repository.git(&["config", "user.email", "grace@example.org"]);
    let script = "git log -1 --format='%an <%ae>' $(git commit-tree -m mine 'HEAD^{tree}'); git config --global x.y works && git config x.y; echo cached > \"$HOME/.cache-file\" && cat \"$HOME/.cache-file\"";
    let shown = printed(&env, &[], script, &["--here"]);
    for word in ["Grace <grace@example.org>", "works", "cached"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
}

#[test]
fn cargo_works_in_a_home_without_the_users_credentials() {
    // Below this workspace cargo would take the new crate for a part of it.
    let env = env_in_temp();
    // The user's toolchains, as an installed rustup has them.
    let Some(rustup) = rustup_home() else {
        return windlass_testkit::skip("there is no rustup on this machine");
    };
    let variables = [("RUSTUP_HOME", rustup.as_str())];
    let script = "cargo --version && cargo init --quiet --vcs none --name tiny tiny && (cd tiny && cargo run --quiet) && rm -rf tiny; echo \"home: ${CARGO_HOME:-none}\"";
    let shown = printed(&env, &variables, script, &[]);
    assert!(shown.contains("Hello, world!"), "{shown}");
}

fn rustup_home() -> Option<String> {
    let set = std::env::var("RUSTUP_HOME").ok();
    let usual = std::env::var("HOME").map(|home| format!("{home}/.rustup")).ok();
    set.or(usual).filter(|path| Path::new(path).is_dir())
}

#[test]
fn a_private_clone_has_no_remotes_and_its_pushes_reach_nothing() {
    for env in [env(), env_in_temp()] {
        let bare = remote(&env, &env.home().join("remote.git"));
        let url = bare.to_string_lossy().into_owned();
        env.repository.git(&["remote", "add", "origin", &url]);
        let script = format!("echo \"remotes: [$(git remote)]\"; R={url}\n{PUSHES}{DETERMINED}");
        let shown = printed(&env, &[], &script, &[]);
        assert!(shown.contains("remotes: []"), "{shown}");
        assert!(!shown.contains("PUSHED BY"), "{shown}");
        assert_eq!(refs(&env, &bare), "", "{shown}");
    }
}

#[test]
fn pushes_from_the_users_checkout_reach_nothing() {
    for env in [env(), env_in_temp()] {
        let bare = remote(&env, &env.home().join("remote.git"));
        let url = bare.to_string_lossy().into_owned();
        env.repository.git(&["remote", "add", "origin", &url]);
        let script = format!("R={url}\n{PUSHES}{DETERMINED}");
        let shown = printed(&env, &[], &script, &["--here"]);
        assert!(shown.contains("transport 'windlass-bars-push' not allowed"), "{shown}");
        assert!(!shown.contains("PUSHED BY"), "{shown}");
        assert_eq!(refs(&env, &bare), "", "{shown}");
    }
}

/// The remote is one that windlass cannot know, in a folder that agents may write: nothing but
/// git's settings stops these.
#[test]
fn git_itself_refuses_to_push_where_confinement_would_not() {
    let env = env();
    let bare = remote(&env, &env.root().join("tmp/remote.git"));
    let script = format!("R={}\n{PUSHES}", bare.display());
    let shown = printed(&env, &[], &script, &["--here"]);
    assert!(!shown.contains("PUSHED BY"), "{shown}");
    assert_eq!(refs(&env, &bare), "", "{shown}");
}

/// The limit that `windlass doctor` tells: such a remote needs no key, and settings can be unset.
#[test]
fn a_remote_where_agents_may_write_is_open_to_one_that_unsets_its_settings() {
    let env = env();
    let bare = remote(&env, &env.root().join("tmp/remote.git"));
    let script = format!("env -i PATH=\"$PATH\" git push {} HEAD:refs/heads/x", bare.display());
    printed(&env, &[], &script, &[]);
    assert!(refs(&env, &bare).contains("refs/heads/x"));
    let told = env.windlass(&["doctor"]).stdout;
    assert!(told.contains("a remote in a folder that agents may write"), "{told}");
}

#[test]
fn an_address_for_pushing_in_the_repositorys_settings_does_not_help() {
    let env = env();
    let bare = remote(&env, &env.root().join("tmp/remote.git"));
    let url = bare.to_string_lossy().into_owned();
    let git = |arguments: &[&str]| env.repository.git(arguments);
    git(&["remote", "add", "origin", "https://127.0.0.1:1/x.git"]);
    git(&["config", "remote.origin.pushurl", &url]);
    git(&["config", &format!("url.{url}.pushInsteadOf"), "short:"]);
    git(&["remote", "add", "other", "short:"]);
    git(&["config", "http.https://127.0.0.1:1/.extraheader", "AUTHORIZATION: planted"]);
    let script = "try() { \"$@\" && echo \"PUSHED BY: $*\"; }\ntry git push origin HEAD:refs/heads/a; try git push other HEAD:refs/heads/b; try git push short: HEAD:refs/heads/c; git config --get-urlmatch http.extraheader https://127.0.0.1:1/x";
    let shown = printed(&env, &[], script, &["--here"]);
    assert!(!shown.contains("PUSHED BY") && !shown.contains("planted"), "{shown}");
    assert_eq!(refs(&env, &bare), "", "{shown}");
    // Without windlass each of them gets through.
    for (remote, branch) in [("origin", "a"), ("other", "b"), ("short:", "c")] {
        git(&["push", "--quiet", remote, &format!("HEAD:refs/heads/{branch}")]);
        assert!(refs(&env, &bare).contains(&format!("refs/heads/{branch}")));
    }
}

#[test]
fn neither_a_helper_nor_a_question_gives_git_a_password() {
    let env = env();
    env.file(".git-credentials", "https://me:planted-secret@127.0.0.1\n");
    env.repository.git(&[
        "config",
        "credential.helper",
        "!echo password=planted-secret; echo username=me; true",
    ]);
    env.repository.git(&["config", "core.askPass", "echo planted-secret; true"]);
    let script = "printf 'protocol=https\\nhost=127.0.0.1\\n\\n' | git credential fill; echo \"code $?\"; git ls-remote ssh://127.0.0.1/x; echo asked";
    let shown = printed(&env, &[], script, &["--here"]);
    assert!(shown.contains("code 128") && shown.contains("asked"), "{shown}");
    assert!(!shown.contains("planted-secret"), "{shown}");
}

#[test]
fn an_honest_attempt_is_not_in_the_way_of_the_users_own_push() {
    let env = env();
    let bare = remote(&env, &env.home().join("remote.git"));
    env.repository.git(&["remote", "add", "origin", &bare.to_string_lossy()]);
    honest(&env, ANSWER, "echo right > answer.txt");
    env.repository.git(&["push", "--quiet", "origin", "main"]);
    assert!(refs(&env, &bare).contains("refs/heads/main"));
}

#[test]
fn words_of_the_repository_open_no_file_of_the_user() {
    let env = env();
    let key = env.file(".ssh/id_ed25519", "SECRET KEY");
    let command = format!("cat {}; echo right > answer.txt", key.display());
    let settings = format!("agent_command: '{command}'\nnotify: off\n");
    env.repository.write(".windlass/config.yaml", settings);
    let workflow = env.workflow(ANSWER);
    env.windlass(&["run", "Do it", "--workflow", &workflow, "--yes"]).assert_code(0);
    let said = env.windlass(&["log", "--attempt", "build#1"]).stdout;
    assert!(!said.contains("SECRET KEY"), "{said}");
}
