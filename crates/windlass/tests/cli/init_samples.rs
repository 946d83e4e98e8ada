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

/// A file of the machine that nobody minds is opened with `--yes`; keys and the network are named.
#[test]
fn what_a_check_reaches_for_is_opened_where_nothing_speaks_against_it() {
    let outside = tempfile::Builder::new().prefix("words-").tempdir_in("/var/tmp").unwrap();
    fs_err::write(outside.path().join("words.txt"), "a word\n").unwrap();
    let words = outside.path().join("words.txt").to_string_lossy().into_owned();
    let env = test_env!();
    env.repository.write("local.cfg", "x\n");
    env.repository.write(".env.test", "KEY=1\n");
    let makefile = format!(
        "test:\n\tcat {words}\n\tcat local.cfg\nlint:\n\tcat .env.test\nbuild:\n\t\
         @echo connect ECONNREFUSED 127.0.0.1:1; exit 1\n"
    );
    let said = init(&env, &[("Makefile", &makefile), (".gitignore", "local.cfg\n.env.test\n")]);
    let tried = |purpose: &str| {
        let all = said["tried"].as_array().unwrap().iter();
        all.into_iter().find(|one| one["purpose"] == purpose).unwrap()
    };
    let test = tried("test");
    assert_eq!(test["outcome"], "works", "{said:#}");
    let opened = format!("room: {{expose: [{words}]}}");
    assert_eq!(test["opened"], serde_json::json!([opened, "carry: [local.cfg]"]), "{said:#}");
    let lint = tried("lint");
    let left = serde_json::json!([{"line": "carry: [.env.test]", "why": "it may hold keys"}]);
    assert_eq!((&lint["kept"], &lint["not_opened"]), (&false.into(), &left), "{said:#}");
    let text = change(&env);
    assert!(text.contains(&format!("room: {{expose: [\"{words}\"]}}")), "{text}");
    assert!(text.contains("carry: [\"local.cfg\"]") && !text.contains(".env.test\"]"), "{text}");
}

/// A stand-in for uv: `sync` makes an environment, `run` needs it.
const UV: &str = r#"#!/bin/sh
case "$1" in
  sync) mkdir -p .venv && echo made > .venv/made ;;
  run)
    test -f .venv/made || { echo no environment; exit 2; }
    test "$2 $3" = "--offline pytest" || { echo "$@"; exit 3; }
    echo '<testsuite><testcase classname="a" name="b"/></testsuite>' > "${4#--junitxml=}" ;;
esac
"#;

#[test]
fn uv_works_where_its_environment_is_not_ignored() {
    let env = test_env!();
    let tools = env.shared("tools/uv", UV);
    env.shell(&format!("chmod +x {}", tools.display()));
    env.repository.write("pyproject.toml", "[dependency-groups]\ndev = [\"pytest\"]\n");
    env.repository.write("uv.lock", "");
    env.repository.write("tests/test_a.py", "");
    env.repository.commit("a sample");
    let path = format!(
        "{}:{}",
        tools.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let finished = env.windlass_with(&[("PATH", &path)], &["init", "--yes", "--json"]);
    finished.assert_code(0);
    let said: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(said["tried"][0]["outcome"], "works", "{said:#}");
    assert_eq!(said["tried"][0]["ran"], 1, "{said:#}");
}

/// An editable package: what is tried is the package of the tree, installed in an environment of its own.
#[test]
fn an_editable_python_package_is_tried_in_an_environment_of_its_own() {
    let env = test_env!();
    // Stand-ins for Python without pytest and for the environment that it makes.
    let python = r#"#!/bin/sh
case "$*" in
  *import*) exit 1 ;;
  "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
  *"pip install"*"-e"*) pwd > .venv/editable ;;
  *"pip install"*) ;;
  *"-m pytest"*) grep -qx "$(pwd)" .venv/editable && test -f src/number/__init__.py &&
    echo '<testsuite><testcase classname="a" name="b"/></testsuite>' > .reports/junit.xml ;;
  *) echo "unexpected: $*"; exit 9 ;;
esac
"#;
    let python = env.shared("tools/python3", python);
    env.shell(&format!("chmod +x {}", python.display()));
    let manifest =
        "[project]\nname = \"number\"\n[project.optional-dependencies]\ntest = [\"pytest\"]\n";
    env.repository.write("pyproject.toml", manifest);
    env.repository.write("src/number/__init__.py", "");
    env.repository.write("tests/test_a.py", "");
    env.repository.commit("a sample");
    let path = format!(
        "{}:{}",
        python.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let finished = env.windlass_with(&[("PATH", &path)], &["init", "--yes", "--json"]);
    let said: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert!(said["found"][0]["prepare"].as_str().unwrap().contains("-e '.[test]'"), "{said:#}");
    assert_eq!(said["tried"][0]["outcome"], "works", "{said:#}");
}

/// A workspace whose root has no script: the scripts of all packages run.
#[test]
fn every_package_of_a_workspace_is_tried() {
    let env = test_env!();
    if !has(&env, "node --version && npm --version") {
        return;
    }
    let package = |name: &str| {
        format!(r#"{{"name": "{name}", "version": "1.0.0", "scripts": {{"test": "node t.js"}}}}"#)
    };
    let (a, b) = (package("a"), package("b"));
    let said = init(
        &env,
        &[
            ("package.json", r#"{"name": "w", "version": "1.0.0", "workspaces": ["p/*"]}"#),
            ("p/a/package.json", &a),
            ("p/a/t.js", ""),
            ("p/b/package.json", &b),
            ("p/b/t.js", "console.log('of b'); process.exit(1);"),
        ],
    );
    let tried = &said["tried"][0];
    assert_eq!(tried["outcome"], "fails", "{said:#}");
    assert!(tried["output"].as_str().unwrap().contains("of b"), "{said:#}");
}
