//! Files that settings, variables and lists name.

use super::*;

const FILES: [(&str, &str); 20] = [
    ("Makefile", "test:\n\txargs -n1 sh < $(TESTS)\n"),
    ("list.txt", "cases/one.sh\ncases/two.sh\n"),
    ("cases/one.sh", ""),
    ("cases/two.sh", ""),
    ("args", "--strict"),
    ("strict.json", "{}"),
    ("ci.env", "STRICT=1"),
    (".env", "STRICT=1"),
    ("setup.js", ""),
    ("hook.rb", ""),
    ("plugin.py", ""),
    ("pytest.ci.ini", ""),
    ("tools/bin/run-it", ""),
    ("src/main.js", ""),
    ("src/data.json", "{}"),
    ("src/app.py", ""),
    ("VERSION", "1.0"),
    ("words.txt", ""),
    ("eslint.strict.json", "{}"),
    ("test.sh", ""),
];

#[test]
fn a_file_that_chooses_or_switches_something_asks() {
    for (command, changed) in [
        ("make test TESTS=list.txt", &["list.txt"][..]),
        ("xargs sh < list.txt", &["list.txt"]),
        ("xargs -a list.txt -n 1 sh", &["list.txt"]),
        ("xargs --arg-file=list.txt sh", &["list.txt"]),
        ("cat list.txt | xargs -I{} sh {}", &["list.txt"]),
        ("grep -v '#' list.txt | xargs pytest", &["list.txt"]),
        ("parallel sh :::: list.txt", &["list.txt"]),
        ("while read -r f; do sh \"$f\" || exit 1; done < list.txt", &["list.txt"]),
        ("for f in $(cat list.txt); do sh $f; done", &["list.txt"]),
        ("for f in $(<list.txt); do sh $f; done", &["list.txt"]),
        ("for f in `cat list.txt`; do sh $f; done", &["list.txt"]),
        ("mapfile -t all < list.txt; prove \"${all[@]}\"", &["list.txt"]),
        ("node --test $(cat list.txt)", &["list.txt"]),
        ("javac @args", &["args"]),
        ("pytest @list.txt", &["list.txt"]),
        ("env $(cat ci.env) sh test.sh", &["ci.env", "test.sh"]),
        ("export $(cat .env); sh test.sh", &[".env", "test.sh"]),
        (". ./ci.env && sh test.sh", &["ci.env", "test.sh"]),
        ("set -a; source .env; sh test.sh", &[".env"]),
        ("node --env-file=.env src/main.js", &[".env"]),
        ("CONFIG=strict.json sh test.sh", &["strict.json", "test.sh"]),
        ("export CONFIG=./strict.json; sh test.sh", &["strict.json"]),
        ("tool --config strict.json src", &["strict.json"]),
        ("tool --rcfile=strict.json src", &["strict.json"]),
        ("tool --files-from list.txt", &["list.txt"]),
        ("NODE_OPTIONS=--require=./setup.js node src/main.js", &["setup.js"]),
        ("NODE_OPTIONS='--import ./setup.js' npm test", &["setup.js"]),
        ("NODE_OPTIONS='-r ./setup' npm test", &["setup.js"]),
        ("RUBYOPT=-r./hook ruby -e 1", &["hook.rb"]),
        ("PYTEST_ADDOPTS='-c pytest.ci.ini' pytest", &["pytest.ci.ini"]),
        ("PYTEST_PLUGINS=plugin pytest", &["plugin.py"]),
        ("BASH_ENV=ci.env bash test.sh", &["ci.env"]),
        ("HOME=$PWD bash -i test.sh", &[".bashrc", ".gitconfig"]),
        ("HOME=$PWD/tools npm test", &["tools/.npmrc"]),
        ("sh test.sh < list.txt", &["list.txt"]),
        ("mocha --require ./setup.js", &["setup.js"]),
        ("mocha -r ./setup.js", &["setup.js"]),
        ("PYTHONPATH=src python3 -m pytest", &["src/unittest.py", "src/json/__init__.py"]),
        ("PATH=$PWD/tools/bin:$PATH sh test.sh", &["tools/bin/grep", "tools/bin/node"]),
        ("grep -f words.txt src/main.js", &["words.txt"]),
        ("! grep -rf words.txt src", &["words.txt"]),
        ("eslint -c eslint.strict.json src", &["eslint.strict.json"]),
        ("npx eslint --config=eslint.strict.json src", &["eslint.strict.json"]),
    ] {
        asks(command, &FILES, changed);
    }
}

#[test]
fn the_tests_of_a_list_are_those_that_it_names() {
    let all = [
        ("tests.list", "tests/one.sh\ntests/two.sh\n"),
        ("tests/one.sh", ""),
        ("tests/two.sh", ""),
        ("tests/left-out.sh", ""),
    ];
    asks("xargs -n1 sh < tests.list", &all, &["tests.list", "tests/one.sh", "tests/two.sh"]);
    asks("for t in $(cat tests.list); do sh $t; done", &all, &["tests/one.sh"]);
}

#[test]
fn what_is_looked_at_or_run_as_the_product_is_the_work() {
    for (command, changed) in [
        ("ENTRY=src/main.js sh test.sh", &["src/main.js"][..]),
        ("F=src/data.json; node src/main.js $F", &["src/data.json"]),
        ("for f in src/data.json; do node src/main.js $f; done", &["src/data.json"]),
        ("test \"$(cat VERSION)\" = 1.0", &["VERSION"]),
        ("V=$(cat VERSION); sh test.sh $V", &["VERSION"]),
        ("node src/main.js --data src/data.json", &["src/data.json"]),
        ("cat list.txt | grep one", &["list.txt"]),
        ("curl -d @src/data.json http://localhost", &["src/data.json"]),
        ("grep -c a src/data.json", &["src/data.json"]),
        ("eslint src", &["eslint.strict.json", "src/main.js"]),
        ("PYTHONPATH=src python3 -m pytest", &["src/app.py", "src/other.py"]),
        ("PATH=$PWD/tools/bin:$PATH sh test.sh", &["tools/bin/run-it", "tools/bin/greet"]),
        ("node src/main.js < src/data.json", &["src/data.json"]),
        ("sh test.sh < src/data.json", &["src/data.json"]),
    ] {
        leaves(command, &FILES, changed);
    }
}

#[test]
fn a_tool_of_the_repository_that_a_script_calls_is_a_judge() {
    let manifest = r#"{
        "scripts": {"test": "own-runner --all", "start": "node ."},
        "devDependencies": {"own-runner": "file:packages/runner", "left": "file:packages/left"},
        "dependencies": {"core": "file:packages/core"}
    }"#;
    let all = [
        ("package.json", manifest),
        ("packages/runner/package.json", r#"{"bin": {"own-runner": "run.js"}}"#),
        ("packages/runner/lib/deep.js", ""),
        ("packages/left/index.js", ""),
        ("packages/core/index.js", ""),
    ];
    asks("npm test", &all, &["packages/runner/lib/deep.js", "packages/runner/new.js"]);
    leaves("npm test", &all, &["packages/left/index.js", "packages/core/index.js"]);
}

#[test]
fn a_list_that_leads_to_itself_ends() {
    let all = [("list.txt", "$(cat list.txt) @list.txt list.txt")];
    asks("pytest $(cat list.txt)", &all, &["list.txt"]);
    asks("xargs -a list.txt xargs -a list.txt sh", &all, &["list.txt"]);
}
