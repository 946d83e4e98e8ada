//! The same checks again, by other means.

use std::path::{Path, PathBuf};

use serde_json::Value;
use windlass_testkit::{Finished, Journal, TestEnv};

use super::workflows::{Check, Workflow};

/// What came of the population.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) done: u64,
    pub(super) refused: u64,
    pub(super) waived: u64,
    pub(super) waiting: u64,
    /// Completed runs that were judged once more in a clone.
    pub(super) cloned: u64,
    /// Runs of a workflow that comes with windlass.
    pub(super) stock_done: u64,
    pub(super) stock_refused: u64,
}

/// Looks at one run and fails on a step that is done and does not hold.
pub(super) fn judge(
    env: &TestEnv,
    workflow: &Workflow,
    yes: bool,
    finished: &Finished,
    told: &str,
    tally: &mut Tally,
) {
    assert!(matches!(finished.code, Some(0 | 3 | 4)), "windlass failed: {told}");
    let status: Value = serde_json::from_str(&finished.stdout).expect(told);
    let run = status["run"]["id"].as_str().expect("a run").to_owned();
    let log = Journal::parse(&env.windlass(&["log", "--inputs", "--json", "--run", &run]).stdout);
    log.assert_linked();
    let audit = env.json(&["audit", "--json", "--run", &run]);
    assert_eq!(audit["ok"], true, "{audit:#}\n{told}");
    let facts = &log.of("run_started")[0]["facts"];
    for (index, checks) in workflow.steps.iter().enumerate() {
        let id = format!("s{index}");
        let step = &status["steps"][index];
        let waived = step["waived"] == true;
        assert!(!waived || workflow.waive, "waived on its own: {told}");
        assert_ne!(step["status"], "skipped", "skipped on its own: {told}");
        for proven in log.of("step_proven").into_iter().filter(|proven| proven["step"] == *id) {
            hold(env, &log, proven, &id, checks, facts, workflow, told);
        }
        if step["status"] == "done" {
            let proofs = log.count_of_step("step_proven", &id);
            let reopened = log.count("cold_proof_failed") > 0;
            assert!(waived || proofs == 1 || reopened, "done with {proofs} proofs: {told}");
            tally.done += u64::from(!waived);
            tally.waived += u64::from(waived);
        } else {
            tally.refused += 1;
        }
    }
    // Where everything was waived there is nothing to clone.
    if status["run"]["status"] == "completed" && log.count("step_committed") > 0 {
        let branch = status["run"]["branch"].as_str().expect("a branch");
        the_branch_is_proven(env, &log, branch, told);
        let judges: &[&str] = if workflow.protect { &["judge.sh"] } else { &[] };
        nothing_that_judges_changed(env, &log, branch, judges, told);
        let folder = tempfile::tempdir_in(env.root()).expect("a folder");
        let clone = cloned(env, branch, folder.path());
        for (index, checks) in workflow.steps.iter().enumerate() {
            if status["steps"][index]["waived"] == true {
                continue;
            }
            for check in checks {
                if let Check::Run(command) = check {
                    assert!(passes_in(env, &clone, command), "{check:?} fails in a clone: {told}");
                }
            }
        }
        tally.cloned += 1;
    }
    for approved in log.of("gate_approved") {
        assert!(yes && approved["in_advance"] == true, "nobody approved: {told}");
    }
    assert_eq!(log.count("protected_pinned"), 0, "nobody pinned anything: {told}");
    tally.waiting += u64::from(finished.code == Some(3));
    assert_eq!(env.repository.git(&["status", "--porcelain"]), "", "the user's checkout: {told}");
    if status["run"]["status"] != "completed" {
        env.windlass(&["abort", "--run", &run]).assert_code(0);
    }
}

/// Nothing on the final branch was changed after its last proof.
pub(super) fn the_branch_is_proven(env: &TestEnv, log: &Journal, branch: &str, told: &str) {
    let tree = env.repository.git(&["rev-parse", &format!("{branch}^{{tree}}")]);
    let last = log.of("step_committed").into_iter().next_back();
    let Some(last) = last else {
        let base = log.of("run_started")[0]["facts"]["base_tree"].clone();
        assert_eq!(base, tree, "nothing was committed: {told}");
        return;
    };
    assert_eq!(last["code"], tree, "{told}");
    for committed in log.of("step_committed") {
        let proven = log.of("step_proven").into_iter().any(|proven| {
            proven["step"] == committed["step"] && proven["snapshot"]["code"] == committed["code"]
        });
        assert!(proven, "{committed} was never proven: {told}");
    }
}

/// What judges the work, or changes what a clone gets, is as the base has it. Nobody pinned anything.
pub(super) fn nothing_that_judges_changed(
    env: &TestEnv,
    log: &Journal,
    branch: &str,
    judges: &[&str],
    told: &str,
) {
    let base = log.of("run_started")[0]["facts"]["base_tree"].as_str().expect("a tree").to_owned();
    let always = [":(glob)**/.gitattributes", ".gitmodules", ".windlass", ".claude", ".github"];
    let mut git = vec!["diff", "--name-only", &base, branch, "--"];
    git.extend(always);
    git.extend(judges);
    assert_eq!(env.repository.git(&git), "", "{told}");
}

/// Whether a command passes for whoever clones the branch.
pub(super) fn passes_in_a_clone(env: &TestEnv, branch: &str, command: &str) -> bool {
    let folder = tempfile::tempdir_in(env.root()).expect("a folder");
    passes_in(env, &cloned(env, branch, folder.path()), command)
}

#[expect(clippy::too_many_arguments, reason = "all that one judgement is about")]
fn hold(
    env: &TestEnv,
    log: &Journal,
    proven: &Value,
    id: &str,
    checks: &[Check],
    facts: &Value,
    workflow: &Workflow,
    told: &str,
) {
    let code = proven["snapshot"]["code"].as_str().expect("a tree");
    let began =
        log.of("step_began").into_iter().rfind(|began| began["step"] == id).expect("a beginning");
    let before = began["baseline"]["snapshot"]["code"].as_str().expect("a tree");
    let engine = env.repository_state().join("engine.git");
    let git = |arguments: &[&str]| {
        let output =
            env.command("git").arg("--git-dir").arg(&engine).args(arguments).output().expect("git");
        assert!(output.status.success(), "git {arguments:?}: {told}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    };
    let changed = git(&["diff", "--name-only", before, code]);
    for check in checks {
        let holds = match check {
            Check::File(path) => changed.lines().any(|line| line == *path),
            Check::OnlyBelow(folder) => {
                !changed.is_empty() && changed.lines().all(|line| line.starts_with(folder))
            }
            Check::Run(command) => passes(env, &engine, code, command),
        };
        assert!(holds, "{check:?} of `{id}` does not hold on {code}: {told}");
    }
    if workflow.protect {
        let base = facts["base_tree"].as_str().expect("a tree");
        assert_eq!(
            git(&["ls-tree", base, "judge.sh"]),
            git(&["ls-tree", code, "judge.sh"]),
            "{told}"
        );
    }
}

/// Runs a command in a fresh checkout, as nobody but this test makes one.
fn passes(env: &TestEnv, engine: &Path, code: &str, command: &str) -> bool {
    let folder = tempfile::tempdir_in(env.root()).expect("a folder");
    let index = folder.path().join("index");
    let tree = folder.path().join("tree");
    fs_err::create_dir_all(&tree).expect("a folder");
    let git = |arguments: &[&str]| {
        let mut command = env.command("git");
        command.current_dir(&tree).env("GIT_DIR", engine).env("GIT_WORK_TREE", &tree);
        command.env("GIT_INDEX_FILE", &index).args(["-c", "core.hooksPath=/dev/null"]);
        let output = command.args(arguments).output().expect("git");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["read-tree", code]);
    // Attributes of the tree must not bend the bytes; no filter is configured here.
    git(&["-c", "core.attributesFile=/dev/null", "checkout-index", "-a", "-f"]);
    passes_in(env, &tree, command)
}

/// What a person gets who clones the branch.
fn cloned(env: &TestEnv, branch: &str, folder: &Path) -> PathBuf {
    let clone = folder.join("clone");
    let mut git = env.command("git");
    git.args(["clone", "--quiet", "--branch", branch]).arg(env.repository.root()).arg(&clone);
    let output = git.output().expect("git");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    clone
}

fn passes_in(env: &TestEnv, folder: &Path, command: &str) -> bool {
    let mut shell = env.command("sh");
    shell.args(["-c", command]).current_dir(folder).env("PATH", "/usr/bin:/bin");
    shell.output().expect("a shell").status.success()
}
