//! Dying before the run is in the journal: nothing of it stays.

use windlass_testkit::{Finished, TestEnv, in_parallel, test_env, wait};

use super::scenario::read_points;

const WORKFLOW: &str = "workflow: w\nsteps: [{id: a, agent: x, done: {file: out.txt}}]\n";
const AGENT: &str = "echo done > out.txt";

fn run(env: &TestEnv, more: &[&str], fault: Option<&str>) -> Finished {
    let mut command = env.run_command(WORKFLOW, AGENT, more);
    command.envs(fault.map(|fault| ("WINDLASS_FAULT", fault)));
    env.start(command).wait(wait::DEADLINE).expect("the run hangs")
}

/// The points that a start passes before the run is in the journal.
fn points(more: &[&str]) -> Vec<String> {
    let env = test_env!();
    let trace = env.root().join("trace");
    assert_eq!(run(&env, more, Some(&format!("trace:{}", trace.display()))).code, Some(0));
    let mut points = read_points(&trace);
    let created = points.iter().position(|point| point.starts_with("run-created"));
    points.truncate(created.expect("a run") + 1);
    assert!(points.len() > 3, "{points:?}");
    points
}

#[test]
fn a_checkout_is_given_back() {
    in_parallel(4, points(&["--here"]), |point| {
        let env = test_env!();
        let before = env.repository.git(&["symbolic-ref", "HEAD"]);
        assert_eq!(run(&env, &["--here"], Some(&point)).code, None, "{point}: nobody died there");
        let journalled = env.windlass(&["status", "--json"]).code == Some(0);
        if journalled {
            return;
        }
        let second = run(&env, &["--here"], None);
        assert_eq!(second.code, Some(0), "died at {point}: {second}");
        assert_eq!(env.log_json().of("run_started")[0]["facts"]["base_name"], "main");
        assert_eq!(before, "refs/heads/main");
        let branches = env.repository.git(&["for-each-ref", "--format=%(refname)", "refs/heads"]);
        assert_eq!(branches.lines().count(), 2, "died at {point}: {branches}");
    });
}

#[test]
fn a_private_clone_is_removed() {
    in_parallel(4, points(&[]), |point| {
        let env = test_env!();
        assert_eq!(run(&env, &[], Some(&point)).code, None, "{point}: nobody died there");
        let journalled = env.windlass(&["status", "--json"]).code == Some(0);
        env.windlass(&["place", "prune"]).assert_code(0);
        let left = windlass_places(&env);
        assert_eq!(left, usize::from(journalled), "died at {point}");
        // Where boxes cannot be made there are no stores.
        let stores = base_stores(&env);
        assert!(stores.len() <= left, "died at {point}: {stores:?}");
    });
}

/// The stores that places borrow from, and drafts of some.
fn base_stores(env: &TestEnv) -> Vec<std::path::PathBuf> {
    let Ok(repositories) = fs_err::read_dir(env.state().join("repos")) else { return Vec::new() };
    let bases = repositories.flatten().map(|entry| entry.path().join("base"));
    let stores = bases.filter_map(|base| fs_err::read_dir(base).ok()).flatten().flatten();
    stores.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// How many private clones there are.
fn windlass_places(env: &TestEnv) -> usize {
    let mut queue = vec![env.root().to_owned()];
    let mut places = 0;
    while let Some(folder) = queue.pop() {
        if folder.ends_with("places") {
            for repository in fs_err::read_dir(folder).expect("a folder").flatten() {
                let clones = fs_err::read_dir(repository.path()).expect("a folder").flatten();
                let real = |name: &str| !name.starts_with(".making-");
                places += clones.filter(|c| real(&c.file_name().to_string_lossy())).count();
            }
            continue;
        }
        for entry in fs_err::read_dir(folder).expect("a folder").flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                queue.push(entry.path());
            }
        }
    }
    places
}
