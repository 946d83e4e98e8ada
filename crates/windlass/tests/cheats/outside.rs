//! Writing where no agent may write.

use crate::support::{ANSWER, caught, env, env_in_temp};

#[test]
fn the_journal_and_everything_beside_it() {
    for env in [env(), env_in_temp()] {
        let state = env.state().display().to_string();
        let agent = format!(
            "find {state} -type f | while read -r f; do echo broken > \"$f\"; rm -f \"$f\"; done; rm -rf {state}; mkdir -p {state}/x; echo wrong > answer.txt"
        );
        caught(&env, ANSWER, &agent);
        assert!(!env.state().join("x").exists());
    }
}

#[test]
fn the_judges_tree() {
    for env in [env(), env_in_temp()] {
        let cache = env.home().join(".cache").display().to_string();
        // A first step fills the judge's tree; the second one's agent tries to get at it.
        let workflow = format!(
            "{ANSWER}  - id: again\n    agent: developer\n    task: Again.\n    done: {{run: \"grep -qx wrong answer.txt\", cache: false}}\n"
        );
        let agent = format!(
            "echo right > answer.txt; find {cache} -name answer.txt | while read -r f; do echo wrong > \"$f\"; rm -f \"$f\"; done; find {cache} -name 'tree*' -exec touch {{}} + 2>/dev/null; exit 0"
        );
        let finished = env.run(&workflow, &agent, &["--yes"]);
        assert_eq!(finished.code, Some(4), "{finished}");
        assert_eq!(env.step("build"), "done");
        assert_eq!(env.step("again"), "failed");
    }
}

#[test]
fn the_users_repository() {
    for env in [env(), env_in_temp()] {
        let agent = "cd \"$USERS_HOME/project\"; echo hacked > README.md; echo x > new; git branch hacked; printf '#!/bin/sh\\nexit 1' > .git/hooks/pre-commit; git config x.y z; exit 0";
        let before = fs_err::read_to_string(env.repository.root().join(".git/config")).unwrap();
        caught(&env, ANSWER, agent);
        assert_eq!(env.repository.read("README.md"), "A project.\n");
        assert_eq!(env.repository.git(&["status", "--porcelain"]), "");
        assert!(!env.repository.git_succeeds(&["rev-parse", "--verify", "hacked"]));
        assert!(!env.repository.root().join(".git/hooks/pre-commit").exists());
        assert_eq!(
            fs_err::read_to_string(env.repository.root().join(".git/config")).unwrap(),
            before
        );
    }
}

#[test]
fn a_check_writes_neither_journal_nor_place_nor_repository() {
    for env in [env(), env_in_temp()] {
        let (state, home) = (env.state().display().to_string(), env.home().display().to_string());
        let workflow =
            ANSWER.replace("grep -qx right answer.txt", "sh test.sh; grep -qx right answer.txt");
        let agent = format!(
            "cat > test.sh <<'E'\nfind {home}/.local/share -name answer.txt | while read -r f; do echo right > \"$f\"; done\nrm -rf {state}; echo x > {home}/project/README.md\nE\necho wrong > answer.txt"
        );
        caught(&env, &workflow, &agent);
        assert_eq!(env.repository.read("README.md"), "A project.\n");
        let place = fs_err::read_to_string(env.place().join("answer.txt")).unwrap();
        assert_eq!(place, "wrong\n");
    }
}
