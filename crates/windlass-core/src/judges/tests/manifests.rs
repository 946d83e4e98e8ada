use super::*;

const UNIT: (&str, &str) = ("tests/u.sh", "true");

#[test]
fn scripts_of_a_package_lead_to_others() {
    for scripts in [
        r#"{"test": "sh tests/u.sh"}"#,
        r#"{"test": "npm run a", "a": "npm run b", "b": "yarn c", "c": "sh tests/u.sh"}"#,
        r#"{"pretest": "sh tests/u.sh", "test": "true"}"#,
        r#"{"test": "true", "posttest": "sh tests/u.sh"}"#,
        r#"{"test": "npm-run-all lint test:*", "test:unit": "sh tests/u.sh"}"#,
        r#"{"test": "run-s a b", "b": "sh tests/u.sh"}"#,
        r#"{"test": "concurrently \"npm:b\" \"sh tests/u.sh\"", "b": "true"}"#,
        r#"{"test": "cross-env CI=1 sh tests/u.sh"}"#,
        r#"{"test": "c8 node --require ./tests/u.sh x"}"#,
        r#"{"test": "cd . && make check"}"#,
    ] {
        let package = format!("{{\"scripts\": {scripts}}}");
        let all =
            [("package.json", package.as_str()), ("Makefile", "check:\n\tsh tests/u.sh\n"), UNIT];
        for command in
            ["npm test", "npm t", "npm run test", "yarn test", "pnpm run test", "node --run test"]
        {
            asks(command, &all, &["package.json", "tests/u.sh"]);
        }
    }
    let none: [&str; 0] = [];
    assert_eq!(protected("npm run other", &[("package.json", "{}")]), none);
}

#[test]
fn a_package_may_lie_in_another_folder() {
    let all = [
        ("web/package.json", r#"{"scripts": {"test": "sh test/u.sh"}}"#),
        ("web/test/u.sh", ""),
        ("package.json", "{}"),
    ];
    for command in [
        "npm --prefix web test",
        "npm --prefix=web run test",
        "yarn --cwd web test",
        "pnpm -C web test",
        "pnpm --dir web run test",
        "npm test -w web",
        "npm run test --workspaces",
        "pnpm --filter web test",
        "pnpm -r test",
        "yarn workspace web test",
        "cd web && npm test",
    ] {
        asks(command, &all, &["web/package.json", "web/test/u.sh"]);
    }
}

#[test]
fn other_files_say_what_a_command_means() {
    for (command, file, text) in [
        ("just test", "justfile", "test: unit\n    @echo\nunit:\n    sh tests/u.sh\n"),
        ("just -f ci.just test", "ci.just", "test:\n    sh tests/u.sh\n"),
        ("task test", "Taskfile.yml", "tasks:\n  test:\n    cmds:\n      - sh tests/u.sh\n"),
        ("tox -e py", "tox.ini", "[testenv]\ncommands =\n    sh tests/u.sh\n"),
        ("rake test", "Rakefile", "task(:test) { sh 'tests/u.sh' }\n"),
        ("bundle exec rake", "Rakefile", "task(:default) { sh 'tests/u.sh' }\n"),
        ("composer test", "composer.json", r#"{"scripts": {"test": "sh tests/u.sh"}}"#),
        (
            "composer run test",
            "composer.json",
            r#"{"scripts": {"test": ["@a"], "a": "sh tests/u.sh"}}"#,
        ),
        ("deno task test", "deno.json", r#"{"tasks": {"test": "sh tests/u.sh"}}"#),
        ("nox", "noxfile.py", "session.run('sh', 'tests/u.sh')"),
        ("invoke test", "tasks.py", "c.run('sh tests/u.sh')"),
    ] {
        asks(command, &[(file, text), UNIT], &[file, "tests/u.sh"]);
    }
    asks("rake test", &[UNIT], &["Rakefile", "rakelib/x.rake"]);
}
