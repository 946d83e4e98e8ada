//! Workflows that are filled in for a repository can run, whatever it is built with.

use proptest::prelude::*;
use windlass_core::init::{Folder, Found, detect, fill, wants};
use windlass_core::plan::PlanRequest;
use windlass_core::workflow::Workflow;

/// The workflows that come with windlass, as they are.
const BUILT_IN: [(&str, &str); 3] = [
    (
        "change",
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../windlass/workflows/change.yaml")),
    ),
    ("fix", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../windlass/workflows/fix.yaml"))),
    ("docs", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../windlass/workflows/docs.yaml"))),
];

const SCRIPTS: &str =
    r#"{"scripts": {"test": "vitest", "lint": "eslint .", "build": "vite build"}}"#;

/// A name, files with their content, and the commands that are found by them.
type Stack = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

/// Files of repositories as they are found in the wild, and the commands that belong to them.
const STACKS: [Stack; 26] = [
    ("rust", &[("Cargo.toml", ""), ("Cargo.lock", "")], &["cargo test"]),
    (
        "rust with lints",
        &[("Cargo.toml", ""), ("clippy.toml", ""), ("rustfmt.toml", "")],
        &["cargo test", "cargo clippy --all-targets -- -D warnings", "cargo fmt --check"],
    ),
    (
        "npm",
        &[("package.json", SCRIPTS), ("package-lock.json", "{}")],
        &["npm run test", "npm run lint", "npm run build"],
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
        "yarn",
        &[("package.json", SCRIPTS), ("yarn.lock", "")],
        &["yarn run test", "yarn run lint", "yarn run build"],
    ),
    (
        "pnpm",
        &[("package.json", SCRIPTS), ("pnpm-lock.yaml", "")],
        &["pnpm run test", "pnpm run lint", "pnpm run build"],
    ),
    (
        "bun",
        &[("package.json", SCRIPTS), ("bun.lockb", "")],
        &["bun run test", "bun run lint", "bun run build"],
    ),
    ("deno", &[("deno.json", "{}")], &["deno test", "deno lint"]),
    (
        "uv",
        &[("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n"), ("uv.lock", "")],
        &["uv run pytest", "uv run ruff check ."],
    ),
    (
        "poetry",
        &[("pyproject.toml", "pytest = \"8\""), ("poetry.lock", "")],
        &["poetry run pytest"],
    ),
    ("unittest", &[("setup.py", ""), ("tests/", "")], &["python3 -m unittest discover"]),
    ("python without tests", &[("requirements.txt", "flask\n")], &[]),
    ("go", &[("go.mod", ""), ("go.sum", "")], &["go test ./...", "go vet ./..."]),
    ("maven", &[("pom.xml", "")], &["mvn -q verify"]),
    ("maven wrapper", &[("pom.xml", ""), ("mvnw", "")], &["./mvnw -q verify"]),
    ("gradle wrapper", &[("build.gradle.kts", ""), ("gradlew", "")], &["./gradlew check"]),
    (
        "ruby",
        &[("Gemfile", ""), ("Gemfile.lock", ""), ("spec/", ""), (".rubocop.yml", "")],
        &["bundle exec rspec", "bundle exec rubocop"],
    ),
    (
        "elixir",
        &[("mix.exs", ""), (".formatter.exs", "")],
        &["mix test", "mix format --check-formatted"],
    ),
    (
        "php",
        &[("composer.json", r#"{"scripts": {"test": ["phpunit"]}}"#), ("composer.lock", "")],
        &["composer test"],
    ),
    ("phpunit", &[("composer.json", "{}"), ("phpunit.xml.dist", "")], &["vendor/bin/phpunit"]),
    (".net", &[("App.sln", "")], &["dotnet test"]),
    (
        "cmake",
        &[("CMakeLists.txt", "enable_testing()")],
        &[
            "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
        ],
    ),
    (
        "cmake without tests",
        &[("CMakeLists.txt", "project(x)")],
        &["cmake -S . -B build && cmake --build build"],
    ),
    (
        "make",
        &[("Makefile", "CC := gcc\nall: a\ntest: all\n\t./run\nlint:\n")],
        &["make test", "make lint"],
    ),
    ("nothing", &[("README.md", "")], &[]),
];

fn folder(path: &str, files: &[(&str, &str)]) -> Folder {
    let mut folder = Folder { path: path.to_owned(), ..Folder::default() };
    for (name, text) in files {
        if let Some(name) = name.strip_suffix('/') {
            folder.folders.insert(name.to_owned());
            continue;
        }
        folder.files.insert((*name).to_owned());
        if wants(name) {
            folder.texts.insert((*name).to_owned(), (*text).to_owned());
        }
    }
    folder
}

fn commands(found: &Found) -> Vec<&str> {
    let checks = found.projects.iter().flat_map(|project| &project.checks);
    checks.map(|(_, command)| command.as_str()).collect()
}

/// Fills in every workflow and reads it; returns the text of `change`.
fn filled(found: &Found) -> String {
    let mut change = String::new();
    for (name, source) in BUILT_IN {
        let text = fill(source, found);
        let workflow = Workflow::parse(&text, name)
            .unwrap_or_else(|wrong| panic!("{}\n{text}", super::listed(&wrong)));
        assert_eq!(workflow.name(), name);
        assert_eq!(workflow.warnings(), [], "{text}");
        let request = PlanRequest { goal: "g".to_owned(), ..PlanRequest::default() };
        workflow.plan(request).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        assert!(!text.contains("{inputs.test}"), "{text}");
        for command in commands(found).into_iter().filter(|_| name != "docs") {
            assert!(text.contains(command), "{command}\n{text}");
        }
        if name == "change" {
            change = text;
        }
    }
    change
}

#[test]
fn every_stack_gets_its_commands_and_workflows_that_can_run() {
    for (name, files, expected) in STACKS {
        let found = detect(&[folder("", files)]);
        assert_eq!(commands(&found), expected, "{name}");
        filled(&found);
        // The same beneath the repository's own folder.
        let found = detect(&[folder("", &[]), folder("part", files)]);
        assert_eq!(commands(&found), expected, "{name} in a folder");
        filled(&found);
    }
}

#[test]
fn the_built_in_workflows_can_run_as_they_are() {
    for (name, source) in BUILT_IN {
        let workflow = super::parsed(source);
        assert_eq!(workflow.name(), name);
        assert_eq!(workflow.warnings(), []);
        let mut request = PlanRequest { goal: "g".to_owned(), ..PlanRequest::default() };
        if name != "docs" {
            assert!(workflow.plan(request.clone()).is_err(), "{name} asks for the test command");
            request.inputs.insert("test".to_owned(), "make 'a b'".to_owned());
        }
        let plan = workflow.plan(request).unwrap();
        let plan = serde_json::to_string(&plan).unwrap();
        assert_eq!(plan.contains("sh -c"), name != "docs", "{plan}");
    }
}

#[test]
fn a_workflow_for_several_tools_reads_well() {
    let node = [("package.json", SCRIPTS), ("package-lock.json", "{}")];
    let found = detect(&[
        folder(
            "",
            &[
                ("Cargo.toml", ""),
                ("Cargo.lock", ""),
                ("Makefile", "test:\nbuild:\n"),
                (".github/", ""),
            ],
        ),
        folder("frontend", &node),
        folder("member", &[("Cargo.toml", "")]),
        folder("odd {name}", &node),
    ]);
    insta::assert_snapshot!(filled(&found));
}

#[test]
fn a_repository_without_tests_is_told_so() {
    let text = filled(&detect(&[folder("", &[])]));
    assert!(text.contains("No test command was found"), "{text}");
    assert!(text.contains("# Put your test command here"), "{text}");
    assert!(!text.contains("protect:") && !text.contains("prepare:"), "{text}");
}

fn any_folder(path: &'static str) -> impl Strategy<Value = Folder> {
    proptest::sample::subsequence(STACKS.to_vec(), 0..6).prop_map(move |stacks| {
        let files: Vec<(&str, &str)> =
            stacks.iter().flat_map(|(_, files, _)| files.iter().copied()).collect();
        folder(path, &files)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_mixture_of_stacks_gives_workflows_that_can_run(
        root in any_folder(""), one in any_folder("web app"), other in any_folder("back.end"),
    ) {
        filled(&detect(&[root, one, other]));
    }
}
