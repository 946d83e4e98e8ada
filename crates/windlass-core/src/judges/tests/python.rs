use super::*;

const ALL: [(&str, &str); 9] = [
    ("tests/__init__.py", ""),
    ("tests/test_a.py", ""),
    ("checks/__init__.py", ""),
    ("checks/run.py", "import checks.words"),
    ("checks/words.py", ""),
    ("app/tests.py", ""),
    ("app/models.py", ""),
    ("manage.py", ""),
    ("app/__main__.py", ""),
];

#[test]
fn modules_are_files() {
    for (command, judges) in [
        (
            "python3 -m unittest tests.test_a",
            &["tests/test_a.py", "tests/__init__.py", "unittest.py"][..],
        ),
        ("python3 -m unittest tests.test_a.T.test_x", &["tests/test_a.py"]),
        ("python -m checks.run", &["checks/run.py", "checks/words.py", "json.py"]),
        (
            "python3 -m unittest",
            &["tests/test_a.py", "tests/conftest.py", "difflib.py", "re/__init__.py"],
        ),
        ("cd tests && python3 -m unittest", &["tests/test_a.py", "tests/difflib.py"]),
        (
            "python3 -m unittest discover -s tests",
            &["tests/test_a.py", "tests/difflib.py", "difflib.py"],
        ),
        ("python3 manage.py test", &["manage.py", "app/tests.py", "tests/test_a.py"]),
        ("python -m pytest tests/test_a.py::test_x", &["tests/test_a.py", "pytest.py"]),
        ("coverage run -m unittest tests.test_a", &["tests/test_a.py"]),
        ("uv run python -m unittest tests.test_a", &["tests/test_a.py"]),
        ("pytest app", &["app/tests.py"]),
    ] {
        asks(command, &ALL, judges);
        leaves(command, &ALL, &["app/models.py", "app/new.py", "new.py", "tests/test_new.py"]);
    }
    leaves("python -m app", &ALL, &["app/__main__.py", "app/models.py", "json.py"]);
}

#[test]
fn other_runners_look_for_their_tests_themselves() {
    let all = [("test/a.test.js", ""), ("src/a.js", ""), ("src/b_test.ts", "")];
    asks("node --test", &all, &["test/a.test.js"]);
    asks("deno test", &all, &["test/a.test.js", "src/b_test.ts"]);
    asks("bun test", &all, &["test/a.test.js"]);
    leaves("node --test", &all, &["src/a.js", "test/new.test.js"]);
}

#[test]
fn tox_counts_wherever_its_settings_stand() {
    let called = protected("tox run -e py", &[("setup.cfg", ""), ("pyproject.toml", "")]);
    for file in ["tox.ini", "setup.cfg", "pyproject.toml"] {
        assert!(called.iter().any(|rule| rule.starts_with(file)), "{file}: {called:?}");
    }
}
