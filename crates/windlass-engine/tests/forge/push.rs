//! Remotes and pushes.

use windlass_core::id::ObjectId;
use windlass_engine::forge::{ForgeError, PushRequest, Remote};
use windlass_testkit::Remote as Bare;

use crate::world::{BRANCH, change, environment, push_request, remote, user, with_program, world};

#[test]
fn the_remote_is_origin_or_the_only_one() {
    let env = world();
    assert!(matches!(remote(&env), Err(ForgeError::NoRemote)));
    env.repository.git(&["remote", "add", "upstream", "git@github.com:ada/engine.git"]);
    let only = remote(&env).unwrap();
    assert_eq!((only.name(), only.slug().as_deref()), ("upstream", Some("github.com/ada/engine")));
    env.repository.git(&["remote", "add", "fork", "https://t:secret@example.org/eve/engine"]);
    let error = remote(&env).unwrap_err();
    assert!(matches!(&error, ForgeError::SeveralRemotes { names } if names.len() == 2), "{error}");
    env.repository.git(&["remote", "add", "origin", "/nowhere"]);
    assert_eq!(remote(&env).unwrap().name(), "origin");
    let wish = |name| Remote::with(&user(&env), Some(name), environment(env.variables()));
    let wished = wish("fork").unwrap();
    assert_eq!(wished.url(), "https://example.org/eve/engine");
    assert!(!format!("{:?}", wished.compare_url("main", "x")).contains("secret"));
    assert!(matches!(wish("nobody"), Err(ForgeError::UnknownRemote { .. })));
}

#[test]
fn a_branch_is_pushed_once_and_then_forwards() {
    let env = world();
    let bare = Bare::bare(&env);
    let remote = remote(&env).unwrap();
    assert_eq!(remote.remote_branch(BRANCH).unwrap(), None);
    let first = change(&env, "one");
    remote.push(&push_request(&first, None)).unwrap();
    assert_eq!(remote.remote_branch(BRANCH).unwrap().as_ref(), Some(&first));
    // Again, as after a crash: there already.
    remote.push(&push_request(&first, None)).unwrap();
    let second = change(&env, "two");
    remote.push(&push_request(&second, Some(&first))).unwrap();
    assert_eq!(bare.branch(BRANCH).as_deref(), Some(second.as_str()));
    // A branch whose name ends like ours is another one.
    bare.git(&["update-ref", &format!("refs/heads/x/{BRANCH}"), first.as_str()]);
    assert_eq!(remote.remote_branch(BRANCH).unwrap().as_ref(), Some(&second));
}

#[test]
fn a_push_stops_when_somebody_else_moved_the_branch() {
    let env = world();
    let bare = Bare::bare(&env);
    let remote = remote(&env).unwrap();
    let first = change(&env, "one");
    remote.push(&push_request(&first, None)).unwrap();
    let theirs = bare.commit(BRANCH);
    let second = change(&env, "two");
    let error = remote.push(&push_request(&second, Some(&first))).unwrap_err();
    let ForgeError::Moved { found, expected, .. } = &error else { panic!("{error}") };
    assert_eq!(found.as_ref().map(ObjectId::as_str), Some(theirs.as_str()));
    assert_eq!(expected.as_ref(), Some(&first));
    assert_eq!(bare.branch(BRANCH), Some(theirs.clone()));
    // With the commit on this machine, the message says whose it is.
    env.repository.git(&["fetch", "--quiet", "origin", BRANCH]);
    let error = remote.push(&push_request(&second, Some(&first))).unwrap_err();
    assert!(matches!(&error, ForgeError::Moved { by: Some(by), .. } if by == "Ada"), "{error}");
    // A branch that was deleted at the remote was moved, too.
    bare.git(&["update-ref", "-d", &format!("refs/heads/{BRANCH}")]);
    let error = remote.push(&push_request(&second, Some(&first))).unwrap_err();
    assert!(matches!(error, ForgeError::Moved { found: None, .. }), "{error}");
    assert_eq!(bare.branch(BRANCH), None);
}

#[test]
fn a_branch_that_exists_is_not_taken_over() {
    let env = world();
    let bare = Bare::bare(&env);
    let theirs = bare.commit(BRANCH);
    let ours = change(&env, "one");
    let error = remote(&env).unwrap().push(&push_request(&ours, None)).unwrap_err();
    assert!(matches!(error, ForgeError::Moved { expected: None, .. }), "{error}");
    assert_eq!(bare.branch(BRANCH), Some(theirs));
}

#[test]
fn nobody_is_overtaken_between_the_look_and_the_push() {
    let env = world();
    let bare = Bare::bare(&env);
    let ours = change(&env, "one");
    // The other one is faster: it moves the branch when our push asks, after our look.
    let theirs = bare.git(&["rev-parse", "main"]);
    let real = env.command("sh").args(["-c", "command -v git"]).output().unwrap();
    let real = String::from_utf8(real.stdout).unwrap();
    let script = format!(
        "#!/bin/sh\nfor word in \"$@\"; do if [ \"$word\" = push ]; then {git} --git-dir={bare} \
         update-ref refs/heads/{BRANCH} {theirs}; fi; done\nexec {git} \"$@\"\n",
        git = real.trim(),
        bare = bare.root().display(),
    );
    let variables = with_program(&env, "git", &script);
    let faster = Remote::with(&user(&env), None, environment(variables)).unwrap();
    let error = faster.push(&push_request(&ours, None)).unwrap_err();
    assert!(matches!(error, ForgeError::Moved { found: Some(_), .. }), "{error}");
    assert_eq!(bare.branch(BRANCH), Some(theirs));
}

#[test]
fn a_push_never_goes_back() {
    let env = world();
    let bare = Bare::bare(&env);
    let remote = remote(&env).unwrap();
    let base = ObjectId::new(env.repository.git(&["rev-parse", "HEAD"]));
    let first = change(&env, "one");
    remote.push(&push_request(&first, None)).unwrap();
    let error = remote.push(&push_request(&base, Some(&first))).unwrap_err();
    assert!(matches!(error, ForgeError::NotFastForward { .. }), "{error}");
    // A commit that this machine does not have is followed by nothing here.
    let theirs = ObjectId::new(bare.commit(BRANCH));
    let error = remote.push(&push_request(&change(&env, "two"), Some(&theirs))).unwrap_err();
    assert!(matches!(error, ForgeError::NotFastForward { .. }), "{error}");
    assert_eq!(bare.branch(BRANCH).as_deref(), Some(theirs.as_str()));
}

#[test]
fn a_refusal_of_the_remote_is_told_in_its_words() {
    let env = world();
    let bare = Bare::bare(&env);
    bare.protect(BRANCH, "GH006: Protected branch update failed\u{1b}[31m");
    let error = remote(&env).unwrap().push(&push_request(&change(&env, "x"), None)).unwrap_err();
    let ForgeError::Refused { said, .. } = &error else { panic!("{error}") };
    assert!(said.contains("GH006") && said.contains("pre-receive hook declined"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
    assert!(!error.hint().is_empty());
}

#[test]
fn what_cannot_be_reached_is_told_apart_from_what_is_not_there() {
    let env = world();
    env.repository.git(&["remote", "add", "origin", "http://127.0.0.1:1/ada/engine.git"]);
    let error = remote(&env).unwrap().push(&push_request(&change(&env, "x"), None)).unwrap_err();
    assert!(matches!(error, ForgeError::Unreachable { .. }), "{error}");
    env.repository.git(&["remote", "set-url", "origin", "/nowhere/engine.git"]);
    let error = remote(&env).unwrap().remote_branch(BRANCH).unwrap_err();
    assert!(matches!(error, ForgeError::NoRepository { .. }), "{error}");
}

#[test]
fn refused_credentials_are_told_and_never_asked_for() {
    let env = world();
    env.repository.git(&["remote", "add", "origin", "ssh://git@127.0.0.1/ada/engine.git"]);
    let ssh = "#!/bin/sh\n[ \"$SSH_ASKPASS_REQUIRE\" = force ] || exit 9\n\
               echo 'git@127.0.0.1: Permission denied (publickey).' >&2; exit 255\n";
    let mut variables = with_program(&env, "ssh", ssh);
    variables.push(("SSH_ASKPASS_REQUIRE".to_owned(), "never".to_owned()));
    let remote = Remote::with(&user(&env), None, environment(variables)).unwrap();
    let error = remote.remote_branch(BRANCH).unwrap_err();
    assert!(matches!(error, ForgeError::Credentials { .. }), "{error}");
}

#[test]
fn a_remote_that_never_answers_counts_as_unreachable() {
    let env = world();
    env.repository.git(&["remote", "add", "origin", "ssh://git@127.0.0.1/ada/engine.git"]);
    let variables = with_program(&env, "ssh", "#!/bin/sh\nexec sleep 600\n");
    let remote = Remote::with(&user(&env), None, environment(variables)).unwrap();
    let soon = std::time::Duration::from_millis(300);
    let error = remote.remote_branch_within(BRANCH, soon).unwrap_err();
    assert!(matches!(error, ForgeError::Unreachable { .. }), "{error}");
    env.assert_no_orphans();
}

#[test]
fn a_hostile_name_never_becomes_a_flag() {
    let env = world();
    let bare = Bare::bare(&env);
    let remote = remote(&env).unwrap();
    let commit = change(&env, "x");
    for branch in ["--mirror", "-d", "a..b", "a b", "", "x:main", "refs/../main", "a\nb", "@{u}"] {
        let request =
            PushRequest { branch: branch.to_owned(), commit: commit.clone(), expected: None };
        let error = remote.push(&request).unwrap_err();
        assert!(matches!(error, ForgeError::BranchName { .. }), "{branch}: {error}");
    }
    assert_eq!(bare.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
}

#[test]
fn hooks_of_the_repository_do_not_run_and_large_files_are_pushed() {
    let env = world();
    let _bare = Bare::bare(&env);
    let marker = env.root().join("hook-ran");
    env.repository.write(".git/hooks/pre-push", format!("#!/bin/sh\ntouch {}\n", marker.display()));
    env.command("chmod").args(["+x", ".git/hooks/pre-push"]).status().unwrap();
    let (here, away) = ("a".repeat(64), "b".repeat(64));
    let pointer = |name: &str| {
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{name}\nsize 3\n")
    };
    env.repository.write("here.bin", pointer(&here));
    env.repository.write("away.bin", pointer(&away));
    env.repository.write(&format!(".git/lfs/objects/aa/aa/{here}"), "abc");
    let commit = change(&env, "with large files");
    let request = push_request(&commit, None);
    // As git says it where there is no git-lfs.
    let none = "#!/bin/sh\necho \"git: 'lfs' is not a git command.\" >&2\nexit 1\n";
    let absent = environment(with_program(&env, "git-lfs", none));
    let without = Remote::with(&user(&env), None, absent).unwrap().push(&request).unwrap_err();
    assert!(matches!(without, ForgeError::LargeFiles { count: 1, .. }), "{without}");

    let called = env.root().join("lfs-called");
    let script = format!("#!/bin/sh\necho \"$@\" >> {}\n", called.display());
    let variables = with_program(&env, "git-lfs", &script);
    let remote = Remote::with(&user(&env), None, environment(variables)).unwrap();
    remote.push(&request).unwrap();
    let called = fs_err::read_to_string(called).unwrap();
    assert_eq!(called, format!("push --object-id origin {here}\n"));
    assert!(!marker.exists());
}
