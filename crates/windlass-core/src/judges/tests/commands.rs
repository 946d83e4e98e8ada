use super::*;

const FILES: [(&str, &str); 27] = [
    ("Makefile", ""),
    ("package.json", "{}"),
    ("web/package.json", "{}"),
    ("src/main.js", ""),
    ("src/a.txt", ""),
    ("src/lib/check.rs", ""),
    ("main.py", ""),
    ("test.sh", ""),
    ("greet.sh", ""),
    ("run.sh", ""),
    ("scripts/all.sh", ""),
    ("ci/run", ""),
    ("tests/run.sh", ""),
    ("tests/lib.sh", ""),
    ("tests/a.test.js", ""),
    ("tests/unit/b.py", ""),
    ("t/basic.t", ""),
    ("spec/a_spec.rb", ""),
    ("web/test/a.js", ""),
    ("tools/verify.py", ""),
    ("checks.mk", ""),
    ("jest.ci.json", ""),
    ("conftest.py", ""),
    ("runTests.mjs", ""),
    ("setup/env.js", ""),
    ("data/tests.csv", ""),
    ("real/go.sh", ""),
];

const TESTS: &str = "tests/** (those that are there)";

/// Rules about new files are looked at elsewhere.
fn found(command: &str) -> Vec<String> {
    let mut found = protected(command, &FILES);
    found.retain(|rule| !rule.contains("(new ones"));
    found
}

#[test]
fn the_words_of_a_command_tell_the_judge_from_the_product() {
    const MAKE: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
    for (command, judges) in [
        ("sh tests/run.sh", &["tests/run.sh", TESTS][..]),
        ("./test.sh", &["test.sh"]),
        ("sh test.sh", &["test.sh"]),
        ("bash -eu test.sh --fast", &["test.sh"]),
        ("sh run.sh", &["run.sh"]),
        ("cd tests && ./run.sh", &["tests/run.sh", TESTS]),
        ("node tests/a.test.js", &["tests/a.test.js", TESTS]),
        ("node --test tests/", &[TESTS]),
        ("node runTests.mjs", &["runTests.mjs"]),
        ("node --require ./setup/env.js src/main.js", &["setup/env.js"]),
        ("python3 tools/verify.py src/a.txt", &["tools/verify.py"]),
        ("python -m pytest tests/", &[TESTS]),
        ("python3 -m unittest discover -s tests", &[TESTS]),
        ("prove t/basic.t", &["t/basic.t"]),
        ("prove t/*.t", &["t/*.t (those that are there)"]),
        ("ruby spec/a_spec.rb", &["spec/a_spec.rb", "spec/** (those that are there)"]),
        ("sh scripts/all.sh", &["scripts/all.sh"]),
        ("ci/run", &["ci/run"]),
        ("make", &MAKE),
        ("make -k check", &MAKE),
        ("make -C web test", &["web/GNUmakefile", "web/makefile", "web/Makefile"]),
        ("make --directory=web test", &["web/GNUmakefile", "web/makefile", "web/Makefile"]),
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
        ("find tests -name '*.sh' -exec chmod +x {} +", &[]),
        ("true", &[]),
        ("/usr/bin/test -e x", &[]),
    ] {
        assert_eq!(found(command), judges, "{command}");
    }
}

#[test]
fn a_shell_is_given_its_script_in_many_ways() {
    for command in [
        "sh -c './test.sh'",
        "bash -lc 'sh test.sh'",
        "sh -euc 'sh test.sh'",
        "bash -o pipefail -ec 'sh test.sh'",
        "bash --noprofile -euo pipefail test.sh",
        "eval 'sh test.sh'",
        "sh < test.sh",
        "cat test.sh | sh",
        "cat test.sh | bash -s -- --fast",
        ". ./test.sh",
        "source test.sh",
        "sh \"$PWD/test.sh\"",
        "sh ${PWD}/test.sh",
        "sh $(git rev-parse --show-toplevel)/test.sh",
        "sh \"$ROOT/test.sh\"",
        "T=test.sh; sh $T",
        "T='sh test.sh'; $T",
        "for f in test.sh other.sh; do sh \"$f\" || exit 1; done",
        "if true; then :; else sh test.sh; fi",
        "while ! sh test.sh; do exit 1; done",
        "timeout -k 5 60 bash test.sh",
        "env -u HOME A=1 sh test.sh",
        "nice -n 5 sh test.sh",
        "sh te*.sh",
        "sh ./{test,none}.sh",
        "find . -name 'test.sh' -exec sh {} ;",
        "find . -name 'test.sh' | xargs sh",
        "ls test.sh | xargs -n 1 sh",
        "echo test.sh | xargs -I {} sh {}",
        "find . -name 'test.sh' | xargs -I {} sh -c 'sh {}'",
        "X=$(sh test.sh); echo $X",
        "x=`./test.sh`",
        "trap 'sh test.sh' EXIT",
        "(cd src; true); sh test.sh",
        "busybox sh test.sh",
        "command sh test.sh",
        "{ sh test.sh; }",
        "true && { sh test.sh; } || exit 1",
    ] {
        assert!(found(command).contains(&"test.sh".to_owned()), "{command}: {:?}", found(command));
    }
    for command in
        ["for f in tests/*.sh; do sh \"$f\"; done", "find tests -name '*.sh' -exec sh {} +"]
    {
        asks(command, &FILES, &["tests/run.sh"]);
    }
}

#[test]
fn a_name_with_letters_of_a_pattern_is_a_name_where_there_is_such_a_file() {
    let files = [("app/[id]/run.sh", "true\n"), ("app/i/run.sh", "")];
    asks("sh 'app/[id]/run.sh'", &files, &["app/[id]/run.sh"]);
}

#[test]
fn a_new_helper_asks_and_an_ordinary_new_test_does_not() {
    for (command, helpers, tests) in [
        (
            "sh tests/run.sh",
            &["tests/setup.sh", "tests/hooks.d/a.sh", "tests/x.mk", "tests/.testrc"][..],
            &["tests/new_test.sh", "tests/test-more.sh", "tests/data/b.txt"][..],
        ),
        (
            "python -m pytest tests",
            &[
                "tests/conftest.py",
                "tests/unit/conftest.py",
                "tests/__init__.py",
                "tests/re.py",
                "json.py",
            ],
            &["tests/test_new.py", "tests/unit/test_config.py", "tests/test_main.py"],
        ),
        (
            "npx mocha tests",
            &[
                "tests/.mocharc.json",
                "tests/jest.config.js",
                "tests/setup.js",
                "tests/test_helper.js",
            ],
            &["tests/b.test.js", "tests/config.test.js"],
        ),
        (
            "bundle exec rspec spec",
            &["spec/spec_helper.rb", "spec/helpers.rb"],
            &["spec/b_spec.rb"],
        ),
    ] {
        asks(command, &FILES, helpers);
        leaves(command, &FILES, tests);
    }
}

#[test]
fn what_a_command_is_made_with_is_protected_as_its_platform_says() {
    let pack = r#"{"name": "p", "version": "1", "markers": ["x"], "testFiles": ["t"],
        "protect": ["rig.ini", {"file": "p.toml", "keys": ["tool.rig"]}],
        "commands": {"test": "mkdir -p r && python3 -m rig --out r"}}"#;
    let pack = Pack::parse(pack.as_bytes(), "p.json").unwrap();
    for command in ["rig", "python -m rig -q", "python3.12 main.py", "uv run rig", "sh -c 'rig -q'"]
    {
        let found = find(&plan_of(command), &files(&FILES), std::slice::from_ref(&pack));
        let found: Vec<String> = found.rules.iter().map(Protected::called).collect();
        assert_eq!(found, ["rig.ini", "p.toml (tool.rig)"], "{command}");
    }
    let none = find(&plan_of("mkdir -p a && echo b"), &files(&FILES), &[pack]);
    assert!(none.rules.is_empty() && none.judged.is_empty(), "{none:?}");
}

#[test]
fn tests_are_the_work_where_a_platform_proves_them() {
    let pack = r#"{"name": "p", "version": "1", "markers": ["x"], "testFiles": ["t"],
        "commands": {"test": "npm test"}}"#;
    let pack = Pack::parse(pack.as_bytes(), "p.json").unwrap();
    let manifest = ("package.json", r#"{"scripts": {"test": "mocha tests"}}"#);
    let all = [manifest, ("tests/a.js", "")];
    let called =
        |found: Found| -> Vec<String> { found.rules.iter().map(Protected::called).collect() };
    let by_pack = called(find(&plan_of("npm test"), &files(&all), &[pack]));
    assert_eq!(by_pack, ["package.json (scripts, dependencies from elsewhere)"]);
    let by_hand = called(find(&plan_of("npm test"), &files(&all), &[]));
    assert!(by_hand.contains(&TESTS.to_owned()), "{by_hand:?}");
}
