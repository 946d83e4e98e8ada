//! `init` on small repositories with the traits of public ones, with the real tools.

use serde_json::Value;
use windlass_testkit::{TestEnv, test_env};

/// Commits files and returns what `init --yes --json` says about them.
fn init(env: &TestEnv, files: &[(&str, &str)]) -> Value {
    for (path, text) in files {
        env.repository.write(path, text);
    }
    env.repository.commit("a sample");
    env.json(&["init", "--yes", "--json"])
}

fn change(env: &TestEnv) -> String {
    env.repository.read(".windlass/workflows/change.yaml")
}

/// Says whether the machine has programs; on the machine of the tests it has to.
fn has(env: &TestEnv, commands: &str) -> bool {
    let there = env.shell(commands).code == Some(0);
    assert!(there || std::env::var_os("CI").is_none(), "`{commands}` has to work");
    there
}

/// A stand-in for mocha that takes its flags in any order, as mocha does.
const MOCHA: &str = r#"#!/usr/bin/env node
const fs = require('fs');
const words = process.argv.slice(2);
const folders = words.filter((word) => word.endsWith('/'));
const files = folders.flatMap((folder) => fs.readdirSync(folder).map((name) => folder + name));
const output = words.find((word) => word.startsWith('output='));
const cases = files.map((file) => `<testcase classname="a" name="${file}"/>`);
fs.writeFileSync(output.slice('output='.length), `<testsuite>${cases.join('')}</testsuite>`);
"#;

#[test]
fn a_script_with_flags_and_several_folders_runs_whole() {
    let env = test_env!();
    if !has(&env, "node --version && npm --version") {
        return;
    }
    let manifest = r#"{"name": "a", "version": "1.0.0", "scripts": {
        "test": "tools/mocha --reporter spec test/ test/acceptance/", "lint": "true"}}"#;
    env.repository.write("tools/mocha", MOCHA);
    env.shell("chmod +x tools/mocha");
    let said = init(
        &env,
        &[
            ("package.json", manifest),
            ("test/one.txt", ""),
            ("test/two.txt", ""),
            ("test/acceptance/three.txt", ""),
        ],
    );
    let test = &said["tried"][0];
    // A folder in a folder is one more name.
    assert_eq!((&test["outcome"], &test["ran"]), (&"works".into(), &4.into()), "{said:#}");
    assert_eq!(said["tried"][1]["outcome"], "works", "{said:#}");
    assert!(change(&env).contains("{junit: \".reports/junit.xml\", min: 1, "), "{}", change(&env));
}

#[test]
fn tests_that_fail_already_are_kept_and_only_new_failures_count() {
    let env = test_env!();
    if !has(&env, "node --version && npm --version") {
        return;
    }
    let test = "const test = require('node:test');\ntest('a', () => {});\n\
                test('b', () => { throw new Error('no'); });\n";
    let said = init(
        &env,
        &[
            (
                "package.json",
                r#"{"name": "a", "version": "1.0.0", "scripts": {"test": "node --test"}}"#,
            ),
            ("test/a.test.js", test),
        ],
    );
    let tried = &said["tried"][0];
    assert_eq!(tried["outcome"], "tests_fail", "{said:#}");
    assert_eq!(
        (&tried["ran"], &tried["failed"], &tried["kept"]),
        (&2.into(), &1.into(), &true.into())
    );
    assert!(change(&env).contains("baseline: no_new_failures"), "{}", change(&env));
}

#[test]
fn what_does_not_work_is_left_out_with_its_reason() {
    let env = test_env!();
    let makefile = "test:\n\ttrue\nlint:\n\techo bad line 7; exit 3\n";
    let said = init(&env, &[("Makefile", makefile)]);
    assert_eq!(
        (&said["tried"][0]["kept"], &said["tried"][1]["kept"]),
        (&true.into(), &false.into())
    );
    assert!(said["tried"][1]["output"].as_str().unwrap().contains("bad line 7"), "{said:#}");
    let text = change(&env);
    assert!(
        text.contains("# Left out after a trial: `make lint` failed (exited with 2)."),
        "{text}"
    );
    assert!(
        text.contains("{run: \"make test\"") && !text.contains("{run: \"make lint\""),
        "{text}"
    );
}

#[test]
fn nothing_is_run_where_nobody_wants_it() {
    let env = test_env!();
    env.repository.write("Makefile", "test:\n\tfalse\n");
    env.repository.commit("a sample");
    let said = env.json(&["init", "--no-run", "--yes", "--json"]);
    assert_eq!(said["tried"][0]["outcome"], "not_tried", "{said:#}");
    assert_eq!(said["tried"][0]["kept"], true, "what nobody tried is taken");
}

/// What `prepare` downloads or installs is there for the checks, and the trial says when it fails.
#[test]
fn a_prepare_that_fails_is_shown_with_its_output() {
    let env = test_env!();
    if !has(&env, "node --version && npm --version") {
        return;
    }
    let manifest = r#"{"name": "a", "version": "1.0.0", "scripts": {"test": "true"},
        "dependencies": {"b": "file:./not-there"}}"#;
    let lock = r#"{"name": "a", "version": "1.0.0", "lockfileVersion": 3, "packages": {}}"#;
    let said = init(&env, &[("package.json", manifest), ("package-lock.json", lock)]);
    let tried = &said["tried"][0];
    assert_eq!(tried["outcome"], "cannot_run", "{said:#}");
    assert!(tried["words"].as_str().unwrap().contains("`npm ci` failed before it"), "{said:#}");
    assert!(tried["output"].as_str().unwrap().contains("npm"), "{said:#}");
}

#[test]
fn autotools_and_python_without_a_manager_are_tried() {
    let env = test_env!();
    if !has(&env, "python3 --version && make --version") {
        return;
    }
    // A `configure` that is there is run; nobody needs autoconf for it.
    env.repository
        .write("configure", "#!/bin/sh\nprintf 'all:\\ncheck:\\n\\ttrue\\n' > Makefile\n");
    env.shell("chmod +x configure");
    let said = init(
        &env,
        &[
            ("configure.ac", ""),
            ("scripts/setup.py", ""),
            ("scripts/test/test_a.py", "import unittest\n"),
        ],
    );
    assert_eq!(said["tried"][0]["command"], "./configure && make && make check", "{said:#}");
    assert_eq!(said["tried"][0]["outcome"], "works", "{said:#}");
    assert_eq!(said["found"][1]["platform"], "python-pip", "{said:#}");
}

#[test]
fn a_repository_without_tests_is_told_so() {
    let env = test_env!();
    let said = init(&env, &[("package.json", r#"{"name": "a", "version": "1.0.0"}"#)]);
    assert_eq!(said["tests_found"], false, "{said:#}");
    assert!(change(&env).contains("No test command was found"), "{}", change(&env));
}
