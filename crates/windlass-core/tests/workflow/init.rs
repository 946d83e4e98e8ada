//! Workflows that are filled in for a repository can run, whatever it is built with.

use proptest::prelude::*;
use windlass_core::hint::Opening;
use windlass_core::init::{Found, Purpose, Tried, Verdict, fill, trial};
use windlass_core::plan::PlanRequest;
use windlass_core::platform::{Listing, Pack, Wanted, detect, programs_wanted, texts_wanted};
use windlass_core::time::Span;
use windlass_core::workflow::Workflow;

use super::init_stacks::STACKS;

/// The workflows that come with windlass, as they are.
const BUILT_IN: [(&str, &str); 3] = [
    (
        "change",
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../windlass/workflows/change.yaml")),
    ),
    ("fix", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../windlass/workflows/fix.yaml"))),
    ("docs", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../windlass/workflows/docs.yaml"))),
];

/// Reads packs that come with windlass.
macro_rules! packs {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"), "/../windlass/platforms/", $name, "/platform.json"
        )))),*]
    };
}

fn packs() -> Vec<Pack> {
    let all = packs![
        "rust",
        "node-npm",
        "node-pnpm",
        "node-yarn",
        "node-bun",
        "python-pip",
        "python-poetry",
        "python-uv",
        "go",
        "java-maven",
        "java-gradle",
        "dotnet",
        "ruby",
        "php",
        "elixir",
        "cmake",
        "autotools",
        "deno",
        "sbt",
        "swift",
        "dart",
        "just",
        "make"
    ];
    let read = all.map(|(name, source)| {
        let read = Pack::parse_with_warnings(source.as_bytes(), name);
        let (pack, warnings) = read.unwrap_or_else(|wrong| panic!("{}", super::listed(&wrong)));
        assert_eq!(warnings, [], "{name}");
        pack
    });
    read.to_vec()
}

fn listing(packs: &[Pack], files: &[(String, String)]) -> Listing {
    let mut listing = Listing::new(files.iter().map(|(path, _)| path.clone()));
    for path in texts_wanted(packs, &listing) {
        let (_, text) = files.iter().find(|(file, _)| *file == path).expect("a listed file");
        listing.add_text(path, text.clone());
    }
    listing
}

fn in_listing(packs: &[Pack], listing: &Listing) -> Found {
    Found::of(&detect(packs, listing, &Wanted::default()), packs, listing)
}

/// Looks at a repository of these files, on a machine that has every program.
fn found(files: &[(String, String)]) -> Found {
    let packs = packs();
    let mut listing = listing(&packs, files);
    programs_wanted(&packs).into_iter().for_each(|program| listing.add_program(program));
    in_listing(&packs, &listing)
}

fn files(folder: &str, files: &[(&str, &str)]) -> Vec<(String, String)> {
    let path = |name: &str| match folder {
        "" => name.to_owned(),
        _ => format!("{folder}/{name}"),
    };
    files.iter().map(|(name, text)| (path(name), (*text).to_owned())).collect()
}

fn here(of: &[(&str, &str)]) -> Found {
    found(&files("", of))
}

fn commands(found: &Found) -> Vec<&str> {
    let checks = found.projects.iter().flat_map(|project| &project.checks);
    checks.map(|check| check.command.as_str()).collect()
}

/// Every folder that is tested, and every one that is left out.
fn folders(found: &Found) -> (Vec<&str>, Vec<&str>) {
    let tested = found.projects.iter().filter(|project| project.covers(Purpose::Test));
    let left_out = found.left_out.iter().map(|one| one.folder.as_str());
    (tested.map(|project| project.folder.as_str()).collect(), left_out.collect())
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
            // Commands are written with braces doubled and quotes escaped.
            let plain: String = command.chars().take_while(|c| !"{\"\\".contains(*c)).collect();
            assert!(text.contains(&plain), "{command}\n{text}");
        }
        if name == "change" {
            change = text;
        }
    }
    change
}

#[test]
fn every_stack_gets_its_commands_and_workflows_that_can_run() {
    for (name, of, expected) in STACKS {
        let found = here(of);
        assert_eq!(commands(&found), expected, "{name}");
        filled(&found);
        for project in &found.projects {
            let text = trial(project);
            assert_eq!(text.is_some(), !project.checks.is_empty(), "{name}");
            text.iter().for_each(|text| drop(super::parsed(text)));
        }
    }
}

#[test]
fn what_is_not_installed_is_not_used() {
    let packs = packs();
    let mut listing = listing(&packs, &files("", &[("go.mod", ""), (".golangci.yml", "")]));
    let found = in_listing(&packs, &listing);
    assert_eq!(commands(&found), ["go test ./...", "go vet ./..."]);
    listing.add_program("golangci-lint".to_owned());
    let found = in_listing(&packs, &listing);
    assert_eq!(commands(&found), ["go test ./...", "golangci-lint run"]);
    let uv = here(&[
        ("uv.lock", ""),
        ("pyproject.toml", "[dependency-groups]\ntests = [\"pytest\"]\n[tool.coverage.run]\n"),
    ]);
    assert_eq!(uv.projects[0].coverage, None);
    let mut missing = uv.projects[0].missing.iter();
    let why = missing.find(|(name, _)| name.as_str() == "coverage").map(|(_, why)| &**why);
    assert_eq!(why, Some("`pytest-cov` is not a dependency"));
}

/// A package without an environment gets one, so that a clean room has what its tests need.
#[test]
fn a_python_package_gets_an_environment_where_the_machine_has_no_pytest() {
    let packs = packs();
    let of = [("setup.py", ""), ("requirements-dev.txt", "pytest\n"), ("tests/test_a.py", "")];
    let mut listing = listing(&packs, &files("", &of));
    listing.add_program("python3".to_owned());
    let found = in_listing(&packs, &listing);
    let (prepare, _) = found.projects[0].prepare.as_ref().expect("something to prepare");
    assert!(prepare.starts_with("python3 -m venv .venv && "), "{prepare}");
    assert!(commands(&found)[0].contains(".venv/bin/python -m pytest"), "{found:?}");
    listing.add_program("python3:pytest".to_owned());
    let found = in_listing(&packs, &listing);
    assert_eq!(found.projects[0].prepare, None);
}

/// The project's own script comes first where its program is there; else it is told what runs in its place.
#[test]
fn tox_and_nox_run_where_they_are_installed_and_are_named_where_not() {
    let packs = packs();
    let of = [("setup.py", ""), ("tox.ini", "[testenv]\ndeps = pytest\n"), ("tests/test_a.py", "")];
    let mut tox = listing(&packs, &files("", &of));
    let found = in_listing(&packs, &tox);
    assert!(commands(&found)[0].contains("-m pytest"), "{found:?}");
    let why = "`tox` is not installed, so `pytest` runs the tests in its place";
    assert_eq!(found.left_out[0].why, why);
    tox.add_program("tox".to_owned());
    let found = in_listing(&packs, &tox);
    assert!(commands(&found)[0].contains("tox run --skip-pkg-install -e py "), "{found:?}");
    let (prepare, lock) = found.projects[0].prepare.as_ref().expect("something to prepare");
    // Without a lock it is made anew for every tree: what is tested is installed there.
    assert_eq!((prepare.as_str(), lock), ("tox run -q --notest -e py", &None));
    assert_eq!(found.left_out, []);
    let mut nox = listing(&packs, &files("", &[("setup.py", ""), ("noxfile.py", "")]));
    nox.add_program("nox".to_owned());
    assert_eq!(commands(&in_listing(&packs, &nox)), ["nox -R"]);
}

/// A machine whose caches are empty can try them: what is fetched depends on the manifests alone.
#[test]
fn a_reactor_and_its_like_are_made_ready_by_their_manifests() {
    let modules = "<project><modules><module>a</module></modules></project>";
    let reactor =
        here(&[("pom.xml", modules), ("a/pom.xml", "<project/>"), ("a/src/test/java/T.java", "")]);
    assert_eq!(folders(&reactor), (vec![""], vec![]));
    let (prepare, lock) = reactor.projects[0].prepare.as_ref().expect("something to prepare");
    assert!(prepare.contains("mvn -q -B verify -Dtest=WindlassProbeTest"), "{prepare}");
    assert_eq!(lock.as_deref(), Some("pom.xml"));
    let gradle =
        here(&[("sub/build.gradle.kts", ""), ("sub/gradlew", ""), ("sub/src/test/T.kt", "")]);
    let (prepare, lock) = gradle.projects[0].prepare.as_ref().expect("something to prepare");
    assert!(prepare.contains("./gradlew") && prepare.contains("windlassFetch"), "{prepare}");
    assert_eq!(lock.as_deref(), Some("sub/build.gradle.kts"));
    for manifest in ["package.json", "Cargo.toml", "composer.json", "Gemfile"] {
        let text = r#"{"dependencies": {"a": "1"}}"#;
        let found = here(&[(manifest, text)]);
        let (_, lock) = found.projects[0].prepare.as_ref().expect(manifest);
        assert_eq!(lock.as_deref(), Some(manifest));
    }
}

/// What was opened stands in the workflow, and nothing of it where the check is left out.
#[test]
fn what_a_check_needs_from_outside_is_written_down() {
    let mut found = here(&[("Makefile", "test:\n\ttrue\nlint:\n\ttrue\n")]);
    let openings = [
        Opening::HostNetwork,
        Opening::Expose { path: "/opt/data".to_owned(), socket: false },
        Opening::Carry { path: "local.cfg".to_owned() },
    ];
    let project = &mut found.projects[0];
    for opening in &openings {
        assert!(project.open("make test", opening) && !project.open("make test", opening));
        assert!(!project.open("make other", opening));
    }
    let text = filled(&found);
    let check =
        "{run: \"make test\", network: host, room: {expose: [\"/opt/data\"]}, timeout: 20m}";
    assert!(text.contains(check), "{text}");
    assert!(
        text.contains("carry: [\"local.cfg\"]") && text.contains("{run: \"make lint\", timeout")
    );
    found.projects[0].checks.retain(|check| check.command != "make test");
    let text = filled(&found);
    assert!(!text.contains("carry:") && !text.contains("network:"), "{text}");
}

#[test]
fn every_package_with_tests_is_tested_or_said_to_be_left_out() {
    const SCRIPT: &str = r#"{"scripts": {"test": "tap"}}"#;
    // Bundler knows no workspaces: each folder is a project of its own.
    let gems = here(&[
        ("Gemfile", "gem 'rake'"),
        ("Rakefile", "Minitest::TestTask.create"),
        ("protection/Gemfile", "gem 'rspec'"),
        ("protection/.rspec", ""),
        ("protection/spec/a_spec.rb", ""),
        ("docs/Gemfile", ""),
    ]);
    assert_eq!(folders(&gems), (vec!["", "protection"], vec!["docs"]));
    // A workspace whose root runs nothing is run everywhere.
    let workspace = here(&[
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        ("packages/a/package.json", SCRIPT),
    ]);
    assert_eq!(commands(&workspace), ["npm test --workspaces --if-present"]);
    assert_eq!(folders(&workspace), (vec![""], vec![]));
    let by_script = here(&[
        ("package.json", r#"{"workspaces": ["p/*"], "scripts": {"test": "npm t --workspaces"}}"#),
        ("p/a/package.json", SCRIPT),
    ]);
    assert_eq!(folders(&by_script), (vec![""], vec![]));
    let some = here(&[
        ("package.json", r#"{"workspaces": ["p/*"], "scripts": {"test": "tap"}}"#),
        ("p/a/package.json", SCRIPT),
    ]);
    assert_eq!(folders(&some), (vec![""], vec!["p/a"]));
    // Two states of one project side by side, each with two ways to build it.
    let guide = here(&[
        ("initial/pom.xml", ""),
        ("initial/build.gradle", ""),
        ("complete/pom.xml", ""),
        ("complete/build.gradle", ""),
        ("complete/src/test/java/T.java", ""),
    ]);
    assert_eq!(folders(&guide), (vec!["complete", "initial"], vec![]));
    let beside = here(&[("Gemfile", ""), (".rspec", ""), ("package.json", SCRIPT)]);
    assert_eq!(folders(&beside), (vec![""], vec!["."]));
}

#[test]
fn what_did_not_work_is_left_out_and_tests_that_fail_already_do_not_count() {
    let mut found = here(&[("go.mod", "")]);
    let tried = |purpose, command: &str, verdict, kept| Tried {
        project: 0,
        purpose,
        command: command.to_owned(),
        verdict,
        said: String::new(),
        hints: Vec::new(),
        opened: Vec::new(),
        kept,
    };
    let fails = Verdict::TestsFail { ran: 9, failed: 2, took: Span(1) };
    let cannot = Verdict::CannotRun { words: "exited with 127".to_owned() };
    found.keep(&[
        tried(Purpose::Test, "go test ./...", fails, true),
        tried(Purpose::Lint, "go vet ./...", cannot, false),
    ]);
    assert_eq!(commands(&found), ["go test ./..."]);
    let text = filled(&found);
    assert!(text.contains("baseline: no_new_failures\n"), "{text}");
    let left_out = "# Left out after a trial: `go vet ./...` could not run (exited with 127).\n";
    assert!(text.contains(left_out), "{text}");
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
    let scripts = r#"{"scripts": {"test": "vitest", "lint": "eslint .", "build": "vite build"}}"#;
    let node = [("package.json", scripts), ("package-lock.json", "{}")];
    let top = [
        ("Cargo.toml", "[workspace]"),
        ("Cargo.lock", ""),
        ("Makefile", "test:\n\tcargo test\nbuild:\n"),
        (".github/dependabot.yml", ""),
    ];
    let all = [
        files("", &top),
        files("frontend", &node),
        files("member", &[("Cargo.toml", "")]),
        files("odd {name}", &node),
    ];
    insta::assert_snapshot!(filled(&found(&all.concat())));
}

#[test]
fn a_repository_without_tests_is_told_so() {
    let text = filled(&here(&[]));
    assert!(text.contains("No test command was found"), "{text}");
    assert!(text.contains("# Put your test command here"), "{text}");
    assert!(!text.contains("protect:") && !text.contains("prepare:"), "{text}");
}

fn any_folder(path: &'static str) -> impl Strategy<Value = Vec<(String, String)>> {
    proptest::sample::subsequence(STACKS.to_vec(), 0..6).prop_map(move |stacks| {
        let of = stacks.iter().flat_map(|(_, of, _)| of.iter().copied()).collect::<Vec<_>>();
        files(path, &of)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_mixture_of_stacks_gives_workflows_that_can_run(
        root in any_folder(""), one in any_folder("web app"), other in any_folder("back.end"),
    ) {
        filled(&found(&[root, one, other].concat()));
    }
}
