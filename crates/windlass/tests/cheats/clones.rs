//! What passes where the user's checkout stands and fails in a clone.

use windlass_testkit::{TestEnv, test_env};

/// Plays an agent whose work passes in the checkout and not in a clone; the run is not complete.
#[track_caller]
fn not_complete(env: &TestEnv, workflow: &str, agent: &str) {
    let finished = env.run(workflow, agent, &["--yes", "--no-wait"]);
    assert_ne!(finished.code, Some(0), "the agent got away with it: {finished}");
    assert_eq!(env.log_json().count("run_completed"), 0, "{finished}");
    env.assert_audit();
    env.assert_no_orphans();
}

const INSTALLED: &str = r#"
workflow: installed
defaults: {retries: 1}
protect: ["test.sh", "lock.json", ".gitignore"]
prepare:
  - run: rm -rf node_modules; mkdir -p node_modules/.bin; cp tool.sh node_modules/.bin/jest
    inputs: [tool.sh]
    lock: lock.json
steps:
  - {id: work, agent: coder, task: Write it., done: {all: [{diff: any}, {run: sh test.sh}]}}
"#;

/// A project whose judge is installed by `prepare`.
fn installed() -> TestEnv {
    let env = test_env!();
    env.repository.write(".gitignore", "node_modules/\n");
    env.repository.write("lock.json", "{}\n");
    env.repository.write("tool.sh", "grep -qx right src.txt\n");
    env.repository.write("test.sh", "sh node_modules/.bin/jest\n");
    env.repository.write("src.txt", "wrong\n");
    env.repository.commit("a project with a tool");
    env
}

#[test]
fn a_file_of_the_work_in_the_stead_of_what_prepare_makes() {
    // The usual pattern ends with a slash and does not match a link.
    let fakes = "mkdir -p fake/.bin; echo 'exit 0' > fake/.bin/jest; ln -s fake node_modules";
    not_complete(&installed(), INSTALLED, fakes);
    let keeps = "mkdir -p node_modules/.bin; echo 'exit 0' > node_modules/.bin/jest; \
                 echo '!*' > node_modules/.gitignore; git add -f node_modules";
    not_complete(&installed(), INSTALLED, keeps);
    let env = installed();
    env.run(INSTALLED, "echo right > src.txt", &["--yes"]).assert_code(0);
}

#[test]
fn a_file_of_the_work_in_the_stead_of_one_that_is_carried() {
    let workflow = r#"
workflow: carried
defaults: {retries: 1}
protect: ["test.sh"]
carry: [expected.txt]
steps:
  - {id: work, agent: coder, task: Write it., done: {all: [{diff: any}, {run: sh test.sh}]}}
"#;
    let carrying = || {
        let env = test_env!();
        env.repository.write(".gitignore", "expected.txt\n");
        env.repository.write("test.sh", "cmp src.txt expected.txt\n");
        env.repository.write("src.txt", "wrong\n");
        env.repository.commit("a project");
        env.repository.write("expected.txt", "right\n");
        env
    };
    not_complete(&carrying(), workflow, ": > .gitignore; echo wrong > expected.txt");
    carrying().run(workflow, "echo right > src.txt", &["--yes"]).assert_code(0);
}

const PLAIN: &str = r#"
workflow: plain
defaults: {retries: 1}
protect: ["test.sh", "Makefile"]
steps:
  - {id: work, agent: coder, task: Write it., done: {all: [{diff: any}, {run: sh test.sh}]}}
"#;

#[test]
fn a_program_of_the_work_where_the_users_path_finds_it() {
    let env = test_env!();
    env.repository.write("test.sh", "grep -qx right src.txt\n");
    env.repository.write("src.txt", "wrong\n");
    env.repository.write("bin/readme", "tools\n");
    env.repository.commit("a project");
    let agent = "printf '#!/bin/sh\\nexit 0\\n' > bin/grep; chmod +x bin/grep";
    let mut run = env.run_command(PLAIN, agent, &["--yes", "--no-wait"]);
    run.env("PATH", format!("{}/bin:/usr/bin:/bin", env.repository.root().display()));
    let finished = env.finish(run);
    assert_ne!(finished.code, Some(0), "the agent got away with it: {finished}");
}

#[test]
fn a_product_that_only_looks_newer_than_its_source() {
    let env = test_env!();
    let make = "app: z.src\n\tcp z.src app\n\ntest: app\n\tgrep -qx right app\n";
    env.repository.write("Makefile", make);
    env.repository.write("test.sh", "make test\n");
    env.repository.write("z.src", "wrong\n");
    env.repository.commit("a project");
    // What lies between them takes a clone a while to write.
    not_complete(&env, PLAIN, "echo right > app; head -c 60000000 /dev/zero > big.bin");
}
