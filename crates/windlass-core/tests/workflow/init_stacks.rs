//! Repositories as they are found in the wild, and the commands that belong to them.

/// A name, files with their content, and the commands that are found by them.
pub(crate) type Stack =
    (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

/// A command that writes its report into a folder of its own.
macro_rules! reporting {
    ($command:literal) => {
        concat!("mkdir -p .reports && echo '*' > .reports/.gitignore && ", $command)
    };
}

pub(crate) const STACKS: [Stack; 36] = [
    ("rust", &[("Cargo.toml", ""), ("Cargo.lock", "")], &["cargo test --workspace"]),
    (
        "rust with lints",
        &[("Cargo.toml", ""), ("clippy.toml", ""), ("rustfmt.toml", "")],
        &[
            "cargo test --workspace",
            "cargo fmt --all --check && cargo clippy --workspace --all-targets -- -D warnings",
        ],
    ),
    (
        "npm without tests",
        &[(
            "package.json",
            r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#,
        )],
        &[],
    ),
    ("npm, broken manifest", &[("package.json", "{")], &[]),
    (
        "mocha with flags and several folders",
        &[(
            "package.json",
            r#"{"scripts": {"test": "mocha --require test/env --reporter spec test/ test/more/"}}"#,
        )],
        &[reporting!("npm test -- --reporter xunit --reporter-options output=.reports/junit.xml")],
    ),
    (
        "mocha with something behind it",
        &[("package.json", r#"{"scripts": {"test": "mocha && npm run size"}}"#)],
        &["npm test"],
    ),
    (
        "a script of several scripts",
        &[
            ("package.json", r#"{"scripts": {"test": "pnpm test:types && pnpm test:unit run"}}"#),
            ("pnpm-lock.yaml", ""),
        ],
        &["pnpm test"],
    ),
    (
        "npm",
        &[
            (
                "package.json",
                r#"{"scripts": {"test": "vitest", "lint": "eslint .", "build": "vite build"}}"#,
            ),
            ("package-lock.json", "{}"),
        ],
        &[
            reporting!(
                "npm test -- --run --reporter=default --reporter=junit --outputFile.junit=.reports/junit.xml"
            ),
            "npm run lint",
            "npm run build",
        ],
    ),
    (
        "yarn",
        &[("package.json", r#"{"scripts": {"test": "tap"}}"#), ("yarn.lock", "")],
        &["yarn run test"],
    ),
    (
        "bun",
        &[("package.json", r#"{"scripts": {"test": "tap"}}"#), ("bun.lockb", "")],
        &["bun run test"],
    ),
    ("deno", &[("deno.json", "{}")], &[reporting!("deno test --junit-path=.reports/junit.xml")]),
    (
        "uv",
        &[
            (
                "pyproject.toml",
                "[dependency-groups]\ndev = [\"pytest\", \"ruff\"]\n[tool.ruff]\n[tool.coverage.run]\n",
            ),
            ("uv.lock", ""),
        ],
        &[
            reporting!("uv run --offline pytest --junitxml=.reports/junit.xml"),
            "uv run --offline ruff check .",
        ],
    ),
    (
        "poetry",
        &[("pyproject.toml", "[tool.poetry]\npytest = \"8\""), ("poetry.lock", "")],
        &[reporting!("poetry run pytest --junitxml=.reports/junit.xml")],
    ),
    (
        "an editable package",
        &[
            ("pyproject.toml", "[project]\nname = \"a\"\n[tool.pytest.ini_options]\n"),
            ("requirements-dev.txt", "pytest>=8\n"),
            ("Makefile", "test:\n\tpython -m pytest tests\n"),
        ],
        &[reporting!("python3 -m pytest --junitxml=.reports/junit.xml")],
    ),
    (
        "unittest",
        &[("setup.py", ""), ("tests/test_a.py", "")],
        &["python3 -m unittest discover -s tests"],
    ),
    ("python without tests", &[("requirements.txt", "flask\n")], &[]),
    ("go", &[("go.mod", ""), ("go.sum", "")], &["go test ./...", "go vet ./..."]),
    (
        "go whose Makefile does the same",
        &[("go.mod", ""), ("Makefile", "test: deps\n\tgo test -v $(FLAGS) ./...\n")],
        &["go test ./...", "go vet ./..."],
    ),
    (
        "go whose Makefile does more",
        &[("go.mod", ""), ("Makefile", "test:\n\tgo test -tags integration ./...\n")],
        &["make test", "go vet ./..."],
    ),
    (
        "go whose continuous integration says make",
        &[
            ("go.mod", ""),
            ("Makefile", "test:\n\tgo test ./...\n"),
            (".github/workflows/ci.yml", "- run: make test\n"),
        ],
        &["make test", "go vet ./..."],
    ),
    (
        "rust whose continuous integration says cargo",
        &[
            ("Cargo.toml", ""),
            ("justfile", "test:\n\tcargo test --all-features\n"),
            (".github/workflows/ci.yml", "- run: cargo test\n"),
        ],
        &["cargo test --workspace"],
    ),
    ("maven", &[("pom.xml", "")], &["mvn -q -B verify"]),
    (
        "maven reactor",
        &[
            ("pom.xml", "<modules><module>a</module></modules>"),
            ("mvnw", ""),
            ("a/pom.xml", ""),
            ("a/src/test/java/T.java", ""),
        ],
        &["./mvnw -q -B verify"],
    ),
    (
        "gradle wrapper",
        &[("build.gradle.kts", ""), ("gradlew", "")],
        &["./gradlew --console=plain test"],
    ),
    (
        "maven and gradle for the same code",
        &[("pom.xml", ""), ("build.gradle", ""), ("gradlew", "")],
        &["./gradlew --console=plain test"],
    ),
    (
        "ruby",
        &[("Gemfile", "gem 'rspec'\ngem 'rubocop'"), (".rspec", ""), (".rubocop.yml", "")],
        &["bundle exec rspec", "bundle exec rubocop"],
    ),
    (
        "elixir",
        &[("mix.exs", ""), (".formatter.exs", "")],
        &["mix test", "mix format --check-formatted"],
    ),
    (
        "php",
        &[
            ("composer.json", r#"{"scripts": {"test": ["@phpstan", "phpunit"]}}"#),
            ("composer.lock", ""),
        ],
        &["composer test"],
    ),
    (
        "phpunit",
        &[
            ("composer.json", r#"{"scripts": {"test": "@php vendor/bin/phpunit"}}"#),
            ("phpunit.xml.dist", ""),
        ],
        &[reporting!("composer test -- --log-junit .reports/junit.xml")],
    ),
    (".net", &[("App.sln", "")], &["dotnet test --nologo"]),
    (
        "cmake",
        &[("CMakeLists.txt", "enable_testing()")],
        &[
            "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure --no-tests=error --output-junit junit.xml",
        ],
    ),
    (
        "autotools",
        &[("configure.ac", ""), ("Makefile.am", "")],
        &["autoreconf -i && ./configure && make && make check"],
    ),
    (
        "make",
        &[("Makefile", "CC := gcc\nall: a\ntest: all\n\t./run\nlint:\n\tx\n")],
        &["make test", "make lint"],
    ),
    ("make without tests", &[("Makefile", "all: a\n")], &[]),
    ("just", &[("justfile", "check:\n  x\n")], &["just check"]),
    ("nothing", &[("README.md", "")], &[]),
];
