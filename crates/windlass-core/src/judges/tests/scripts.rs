use super::*;

#[test]
fn a_script_leads_to_what_it_runs_however_deep() {
    let all = [
        (
            "tests/run.sh",
            ". \"${0%/*}/lib.sh\"\nfor t in t/*.t; do sh \"$t\"; done\nsh greet.sh\nsh ci/a.sh\n",
        ),
        ("tests/lib.sh", ""),
        ("t/a.t", ""),
        ("greet.sh", "echo hello"),
        ("ci/a.sh", "exec ./qa/b.sh"),
        ("qa/b.sh", "bash -c 'sh lint/c.sh'"),
        ("lint/c.sh", "true"),
    ];
    asks(
        "sh tests/run.sh",
        &all,
        &["tests/run.sh", "tests/lib.sh", "t/a.t", "ci/a.sh", "qa/b.sh", "lint/c.sh"],
    );
    leaves("sh tests/run.sh", &all, &["greet.sh", "t/new.t"]);
}

#[test]
fn what_a_judge_reads_in_is_part_of_it_whatever_its_name() {
    for (script, named) in [
        (". lib/words.sh", "lib/words.sh"),
        (". ./lib/words.sh", "lib/words.sh"),
        ("source \"$(dirname \"$0\")/../lib/words.sh\"", "lib/words.sh"),
        ("cd $(dirname $0)/..\n. ./lib/words.sh", "lib/words.sh"),
        ("cd \"$(dirname \"$0\")\" && . ../lib/words.sh", "lib/words.sh"),
        ("HERE=$(cd \"$(dirname \"$0\")\" && pwd)\n. \"$HERE/../lib/words.sh\"", "lib/words.sh"),
        ("ROOT=$(git rev-parse --show-toplevel)\n. \"$ROOT/lib/words.sh\"", "lib/words.sh"),
        ("[ -f local.sh ] && . local.sh", "local.sh"),
        ("exec ./harness", "harness"),
        ("sh ./lib/assert.sh", "lib/assert.sh"),
    ] {
        let all = [
            ("tests/run.sh", script),
            ("lib/words.sh", ""),
            ("harness", ""),
            ("lib/assert.sh", ""),
        ];
        asks("sh tests/run.sh", &all, &[named]);
    }
}

#[test]
fn a_script_that_leads_to_a_judge_is_one() {
    for text in [
        "sh tests/all.sh",
        "npm test",
        "make check",
        "exec ./tests/all.sh",
        "pytest tests",
        "sh lib/b.sh",
    ] {
        let all = [
            ("go", text),
            ("lib/b.sh", "sh tests/all.sh"),
            ("tests/all.sh", "true"),
            ("package.json", r#"{"scripts": {"test": "true"}}"#),
        ];
        asks("./go", &all, &["go"]);
    }
    let product =
        [("go", "echo hello; cat tests/data.txt; exec node src/main.js"), ("tests/data.txt", "")];
    leaves("./go | grep -q hello", &product, &["go"]);
}

#[test]
fn links_lead_to_what_they_name() {
    let all = [
        ("tests/run.sh", "-> ../real/go.sh"),
        ("real/go.sh", ". real/more.sh"),
        ("real/more.sh", ""),
    ];
    asks("sh tests/run.sh", &all, &["tests/run.sh", "real/go.sh", "real/more.sh"]);
    let all = [("t", "-> real"), ("real/run.sh", ""), ("real/b.sh", "")];
    asks("sh t/run.sh", &all, &["real/run.sh"]);
    let all = [("tests", "-> real"), ("real/a.py", ""), ("real/b.py", "")];
    asks("python -m pytest tests", &all, &["tests", "real/a.py", "real/b.py"]);
    let round = [("tests/run.sh", "-> run.sh")];
    let none: [&str; 0] = [];
    assert_eq!(protected("sh tests/run.sh", &round), none, "and one in a circle to nothing");
}

#[test]
fn languages_name_their_helpers_in_their_own_ways() {
    let all = [
        ("checks/run.js", "const a = require('./lib/assert'); import '../src/main.js'"),
        ("checks/lib/assert.js", ""),
        ("src/main.js", ""),
        (
            "tools/verify.py",
            "from tools.words import x\nimport subprocess\nsubprocess.run(['sh', 'ci/x.sh'])",
        ),
        ("tools/words.py", ""),
        ("ci/x.sh", "sh ci/y.sh"),
        ("ci/y.sh", ""),
        ("spec/a_spec.rb", "require_relative 'more'"),
        ("spec/more.rb", ""),
    ];
    asks("node checks/run.js", &all, &["checks/lib/assert.js"]);
    leaves("node checks/run.js", &all, &["src/main.js"]);
    asks("python3 tools/verify.py", &all, &["tools/words.py", "ci/x.sh", "ci/y.sh", "tools/re.py"]);
    asks("ruby spec/a_spec.rb", &all, &["spec/more.rb"]);
}

#[test]
fn what_is_read_in_if_it_is_there_counts_before_it_is() {
    let run = |text: &'static str| [("tests/run.sh", text)];
    for text in [
        "[ -f local.sh ] && . ./local.sh",
        "if test -e local.sh; then . local.sh; fi",
        ". ./local.sh 2>/dev/null",
        ". local.sh || true",
    ] {
        asks("sh tests/run.sh", &run(text), &["local.sh"]);
    }
    leaves("sh tests/run.sh", &run(". ./local.sh"), &["local.sh"]);
}

#[test]
fn scripts_that_a_pattern_finds_are_tests() {
    let all =
        [("run-tests.sh", "for t in tests/*.sh; do sh \"$t\"; done"), ("tests/test_a.sh", "")];
    let found = find_in("sh run-tests.sh", &all);
    let about = |rule: &&Protected| rule.file.starts_with("tests/test_a");
    assert!(found.rules.iter().filter(about).all(Protected::is_found_tests), "{:?}", found.rules);
    asks("sh run-tests.sh", &all, &["tests/test_a.sh", "run-tests.sh"]);
}
