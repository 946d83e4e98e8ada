use super::*;
use crate::plan::PlanRequest;
use crate::workflow::Workflow;

const FILES: [&str; 26] = [
    "Makefile",
    "package.json",
    "web/package.json",
    "src/main.js",
    "src/a.txt",
    "src/lib/check.rs",
    "main.py",
    "test.sh",
    "greet.sh",
    "run.sh",
    "scripts/all.sh",
    "ci/run",
    "tests/run.sh",
    "tests/lib.sh",
    "tests/a.test.js",
    "tests/unit/b.py",
    "t/basic.t",
    "spec/a_spec.rb",
    "web/test/a.js",
    "tools/verify.py",
    "checks.mk",
    "jest.ci.json",
    "conftest.py",
    "runTests.mjs",
    "setup/env.js",
    "data/tests.csv",
];

fn found_in(command: &str, texts: &[(&str, &str)], packs: &[Pack]) -> Vec<String> {
    let quoted = serde_json::to_string(command).unwrap();
    let source =
        format!("workflow: w\nsteps: [{{id: work, agent: a, task: t, done: {{run: {quoted}}}}}]\n");
    let plan = Workflow::parse(&source, "w.yaml").unwrap().plan(PlanRequest::default()).unwrap();
    let files = Files {
        paths: FILES.into_iter().map(str::to_owned).collect(),
        texts: texts.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect(),
    };
    find(&plan, &files, packs).rules.iter().map(Protected::called).collect()
}

#[test]
fn the_words_of_a_command_tell_the_judge_from_the_product() {
    const TESTS: &str = "tests/** (those that are there)";
    const MAKE: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
    for (command, judges) in [
        ("sh tests/run.sh", &["tests/run.sh", TESTS][..]),
        ("./test.sh", &["test.sh"]),
        ("sh test.sh", &["test.sh"]),
        ("bash -eu test.sh --fast", &["test.sh"]),
        ("sh -c './test.sh'", &["test.sh"]),
        ("cd tests && ./run.sh", &["tests/run.sh", TESTS]),
        ("node tests/a.test.js", &["tests/a.test.js", TESTS]),
        ("node --test tests/", &[TESTS]),
        ("node runTests.mjs", &["runTests.mjs"]),
        ("node --require ./setup/env.js src/main.js", &["setup/env.js"]),
        ("python3 tools/verify.py src/a.txt", &["tools/verify.py"]),
        ("python -m pytest tests/", &[TESTS]),
        ("python3 -m unittest discover -s tests", &[TESTS]),
        ("prove t/basic.t", &["t/basic.t", "t/** (those that are there)"]),
        ("prove t/*.t", &["t/*.t (those that are there)"]),
        ("ruby spec/a_spec.rb", &["spec/a_spec.rb", "spec/** (those that are there)"]),
        ("sh scripts/all.sh", &["scripts/all.sh"]),
        ("ci/run", &["ci/run"]),
        ("make", &MAKE),
        ("make -k check", &MAKE),
        ("make -C web test", &["web/GNUmakefile", "web/makefile", "web/Makefile"]),
        ("make -f checks.mk all", &["checks.mk"]),
        ("npx jest --config jest.ci.json", &["jest.ci.json"]),
        ("npx jest --config=jest.ci.json", &["jest.ci.json"]),
        ("timeout 60 env A=1 sh test.sh > log 2>&1", &["test.sh"]),
        ("test -f src/a.txt && ./test.sh", &["test.sh"]),
        ("! sh test.sh", &["test.sh"]),
        ("(cd web; node test/a.js)", &["web/test/a.js", "web/test/** (those that are there)"]),
        // The product, what is only looked at, and what is not there.
        ("node src/main.js", &[]),
        ("python3 main.py", &[]),
        ("sh greet.sh | grep -q hello", &[]),
        ("grep -q right src/a.txt", &[]),
        ("eslint src", &[]),
        ("cat src/a.txt > tests.out", &[]),
        ("test -f src/a.txt", &[]),
        ("cargo test", &[]),
        ("go test ./...", &[]),
        ("sh missing-test.sh", &[]),
        ("./gone/test.sh", &[]),
        ("echo tests", &[]),
        ("npx eslint src tests", &[]),
        ("grep -q right tests/a.test.js", &[]),
        ("python3 -m ruff check tests", &[]),
        ("sh \"$SCRIPT\"", &[]),
        ("sh run.sh", &[]),
        ("true", &[]),
        ("/usr/bin/test -e x", &[]),
    ] {
        assert_eq!(found_in(command, &[], &[]), judges, "{command}");
    }
}

#[test]
fn a_manifest_says_what_a_command_means() {
    let package = |script: &str| format!("{{\"scripts\": {{\"test\": {script:?}}}}}");
    for (script, judges) in [
        ("node --test tests/", &["package.json (scripts)"][..]),
        ("node tests/a.test.js", &["package.json (scripts)", "tests/a.test.js"]),
        ("sh test.sh", &["package.json (scripts)", "test.sh"]),
        ("node src/main.js", &["package.json (scripts)"]),
    ] {
        let text = package(script);
        for command in ["npm test", "npm t", "npm run test", "yarn test", "pnpm run test"] {
            assert_eq!(found_in(command, &[("package.json", &text)], &[]), judges, "{script}");
        }
    }
    let none: [&str; 0] = [];
    assert_eq!(found_in("npm run other", &[("package.json", "{}")], &[]), none);
    let makefile =
        "include checks.mk\nall:\n\ttrue\ntest: all\n\t@sh test.sh\n\tnode src/main.js\n";
    let judges = ["GNUmakefile", "makefile", "Makefile", "checks.mk", "test.sh"];
    assert_eq!(found_in("make test", &[("Makefile", makefile)], &[]), judges);
    assert_eq!(found_in("make", &[("Makefile", makefile)], &[]), judges[..4]);
}

#[test]
fn a_script_leads_to_what_it_runs() {
    let script = ". \"${0%/*}/lib.sh\"\nfor t in t/*.t; do sh \"$t\"; done\nsh greet.sh\n";
    let judges = ["tests/run.sh", "tests/** (those that are there)", "tests/lib.sh"];
    let found = found_in("sh tests/run.sh", &[("tests/run.sh", script)], &[]);
    assert_eq!(found[..3], judges);
    assert_eq!(found[3..], ["t/*.t (those that are there)"]);
}

#[test]
fn what_a_command_is_made_with_is_protected_as_its_platform_says() {
    let pack = r#"{"name": "p", "version": "1", "markers": ["x"], "testFiles": ["t"],
        "protect": ["rig.ini", {"file": "p.toml", "keys": ["tool.rig"]}],
        "commands": {"test": "mkdir -p r && python3 -m rig --out r"}}"#;
    let pack = Pack::parse(pack.as_bytes(), "p.json").unwrap();
    for command in ["rig", "python -m rig -q", "python3.12 main.py", "uv run rig"] {
        let found = found_in(command, &[], std::slice::from_ref(&pack));
        assert_eq!(found, ["rig.ini", "p.toml (tool.rig)"], "{command}");
    }
    let none: [&str; 0] = [];
    assert_eq!(found_in("mkdir -p a && echo b", &[], &[pack]), none);
}

#[test]
fn what_would_tell_more_is_asked_for() {
    let source = "workflow: w\nsteps: [{id: s, agent: a, task: t, done: {all: [{run: npm test}, \
                  {run: make}, {run: sh test.sh}]}}]\n";
    let plan = Workflow::parse(source, "w.yaml").unwrap().plan(PlanRequest::default()).unwrap();
    let paths = FILES.into_iter().map(str::to_owned).collect();
    let found = find(&plan, &Files { paths, ..Files::default() }, &[]);
    let wants: Vec<&str> = found.wants.iter().map(String::as_str).collect();
    assert_eq!(wants, ["Makefile", "package.json", "test.sh"]);
}
