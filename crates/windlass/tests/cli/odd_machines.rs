//! Checkouts in odd places, and what commands leave in a room.

use std::path::{Path, PathBuf};

use windlass_testkit::{Finished, TestEnv, skip, test_env};

/// Its check needs a copied folder, changes everything in it, and leaves what is hard to remove.
const WORKFLOW: &str = r#"
workflow: odd
cold: false
steps:
  - id: work
    agent: developer
    task: Work.
    done: {all: [{file: work.md}, {run: sh check.sh}]}
"#;

const CHECK: &str = r#"
set -e
grep -q built target/deep/out
echo more >> target/deep/out
mv target/deep target/moved
grep -q more target/moved/out
mv target renamed
mkdir target
test ! -e target/deep
rm -rf renamed
mkdir -p closed/inner
chmod 000 closed
git status --porcelain > /dev/null
printf 'stands in %s\n' "$(pwd)"
"#;

/// Clones the repository to `checkout`, with a check and something that was built.
fn clone_to(env: &TestEnv, checkout: &Path) {
    fs_err::create_dir_all(checkout.parent().expect("a folder")).expect("a folder");
    let mut git = env.command("git");
    git.args(["clone", "--quiet"]).arg(env.repository.root()).arg(checkout);
    env.finish(git).assert_code(0);
    let write = |name: &str, text: &str| {
        let path = checkout.join(name);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs_err::write(path, text).expect("a file");
    };
    write("check.sh", CHECK);
    write(".gitignore", "target/\n");
    for arguments in [&["add", "-A"][..], &["commit", "--quiet", "-m", "a check"]] {
        let mut git = env.command("git");
        env.finish(with(git.args(arguments), checkout)).assert_code(0);
    }
    write("target/deep/out", "built\n");
}

fn with(command: &mut std::process::Command, folder: &Path) -> std::process::Command {
    let mut same = std::process::Command::new(command.get_program());
    same.args(command.get_args()).env_clear().current_dir(folder);
    same.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    same
}

fn worked_in(env: &TestEnv, checkout: &Path) -> Finished {
    let mut run = env.run_command(WORKFLOW, "echo done > work.md", &[]);
    env.finish(with(&mut run, checkout))
}

fn proofs_of(env: &TestEnv, checkout: &Path) -> String {
    let mut proofs = env.windlass_command(&["proofs", "--output"]);
    env.finish(with(&mut proofs, checkout)).assert_code(0).stdout.clone()
}

/// The rooms that were left behind.
fn rooms(env: &TestEnv) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![env.home().join(".cache/windlass")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs_err::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if folder.file_name().is_some_and(|name| name == "rooms") {
                found.push(path);
            } else if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            }
        }
    }
    found
}

fn works_in(env: &TestEnv, checkout: &Path) {
    clone_to(env, checkout);
    worked_in(env, checkout).assert_code(0);
    let proofs = proofs_of(env, checkout);
    assert!(proofs.contains(&format!("stands in {}", checkout.display())), "{proofs}");
    assert_eq!(
        fs_err::read_to_string(checkout.join("target/deep/out")).expect("a file"),
        "built\n"
    );
    assert_eq!(rooms(env), Vec::<PathBuf>::new());
    env.assert_no_orphans();
}

#[test]
fn a_checkout_in_a_path_with_blanks_colons_and_the_like() {
    let env = test_env!();
    works_in(&env, &env.home().join("my work: a,b\\c 'd'/project"));
}

#[test]
fn a_checkout_on_a_disk_in_memory() {
    let Ok(folder) = tempfile::Builder::new().prefix("wl-").tempdir_in("/dev/shm") else {
        return skip("no folder in /dev/shm");
    };
    let env = test_env!();
    works_in(&env, &folder.path().join("project"));
}

#[test]
fn a_checkout_that_is_a_mount() {
    if !rustix::process::geteuid().is_root() {
        return skip("only root mounts");
    }
    let env = test_env!();
    let checkout = env.home().join("mounted");
    clone_to(&env, &checkout);
    let run = env.run_command(WORKFLOW, "echo done > work.md", &[]);
    let mut unshare = env.command("unshare");
    unshare.args(["--mount", "sh", "-c", r#"mount --bind "$0" "$0" && cd "$0" && exec "$@""#]);
    unshare.arg(&checkout).arg(run.get_program()).args(run.get_args());
    env.finish(unshare).assert_code(0);
    let proofs = proofs_of(&env, &checkout);
    assert!(proofs.contains(&format!("stands in {}", checkout.display())), "{proofs}");
    assert_eq!(rooms(&env), Vec::<PathBuf>::new());
    env.assert_no_orphans();
}

#[test]
fn folders_of_somebody_else_are_copied_and_can_be_changed() {
    if !rustix::process::geteuid().is_root() {
        return skip("only root gives files away");
    }
    let env = test_env!();
    let checkout = env.home().join("shared");
    clone_to(&env, &checkout);
    let owner = Some(4242);
    for path in ["target/deep/out", "target/deep", "target"] {
        std::os::unix::fs::chown(checkout.join(path), owner, owner).expect("another owner");
    }
    worked_in(&env, &checkout).assert_code(0);
    assert_eq!(rooms(&env), Vec::<PathBuf>::new());
}

#[test]
fn a_network_that_cannot_be_closed_is_told_before_anything_starts() {
    let env = test_env!().without_namespaces();
    let workflow = |network: &str| {
        format!(
            "workflow: w\nsteps:\n  - {{id: work, agent: x, task: t, network: {network}, done: {{file: work.md}}}}\n"
        )
    };
    let finished = env.run(&workflow("provider"), "echo done > work.md", &[]);
    finished.assert_code(0);
    let words = "`work` asks for `network: provider`, which cannot be enforced here";
    assert!(finished.stderr.contains(words), "{finished}");
    // A filter closes the network as a whole.
    let env = test_env!().without_namespaces();
    let agent =
        "bash -c ': > /dev/tcp/127.0.0.1/9' 2>&1 | grep -q 'not permitted' && echo done > work.md";
    let finished = env.run(&workflow("off"), agent, &[]);
    finished.assert_code(0);
    assert!(!finished.stderr.contains("cannot be enforced here"), "{finished}");
}
