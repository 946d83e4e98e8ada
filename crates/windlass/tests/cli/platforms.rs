//! Platforms: what is found in real layouts, which file counts, and what a run makes of it.

use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;
use windlass_core::platform::{
    CommandName, Listing, Pack, PinnedPlatform, Undecided, Wanted, detect, programs_wanted,
    texts_wanted,
};
use windlass_testkit::{TestEnv, test_env};

/// The packs that come with windlass.
fn shipped() -> Vec<Pack> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("platforms");
    let mut packs: Vec<Pack> = fs_err::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("a name");
            let source = fs_err::read(entry.path().join("platform.json")).expect("a pack");
            let pack = Pack::parse(&source, &name).unwrap_or_else(|found| panic!("{found:#?}"));
            assert_eq!(pack.name, name);
            pack
        })
        .collect();
    packs.sort_by(|one, other| one.name.cmp(&other.name));
    packs
}

/// Looks at a repository of these files.
fn look(files: &[(&str, &str)]) -> Result<Vec<PinnedPlatform>, Undecided> {
    let packs = shipped();
    let mut listing = Listing::new(files.iter().map(|(path, _)| (*path).to_owned()));
    for path in texts_wanted(&packs, &listing) {
        let (_, text) = files.iter().find(|(file, _)| *file == path).expect("a listed file");
        listing.add_text(path, (*text).to_owned());
    }
    programs_wanted(&packs).into_iter().for_each(|program| listing.add_program(program));
    detect(&packs, &listing, &Wanted::default()).pin(&packs, &listing)
}

/// Every root with its platform and the commands that gates need.
fn found(files: &[(&str, &str)]) -> String {
    let pinned = match look(files) {
        Ok(pinned) => pinned,
        Err(undecided) => return undecided.to_string(),
    };
    let mut text = String::new();
    for platform in pinned {
        text.push_str(&format!("{}: {}\n", platform.root, platform.pack.name));
        for name in [
            CommandName::Prepare,
            CommandName::Build,
            CommandName::Test,
            CommandName::Lint,
            CommandName::Coverage,
        ] {
            if let Some(way) = platform.pack.command(name) {
                let run =
                    way.run.replace("mkdir -p .reports && echo '*' > .reports/.gitignore", "…");
                let report = way.report.as_ref().map(|glob| format!(" -> {glob}"));
                let lock = way.lock.as_ref().map(|lock| format!(" by {lock}"));
                text.push_str(&format!("  {name}: {run}"));
                text.push_str(&report.or(lock).unwrap_or_default());
                text.push('\n');
            }
        }
    }
    text
}

#[test]
fn every_stack_is_found_in_its_usual_layout() {
    const VITEST: &str = r#"{"scripts": {"test": "vitest", "build": "vite build", "lint": "eslint ."},
        "devDependencies": {"vitest": "1", "@vitest/coverage-v8": "1", "typescript": "5"}}"#;
    const NODE: &str = r#"{"scripts": {"test": "node --test"}, "type": "module"}"#;
    const JEST: &str = r#"{"scripts": {"test": "jest"}, "devDependencies": {"jest": "29"}}"#;
    let pytest = "[project]\nname = \"a\"\n[dependency-groups]\ndev = [\"pytest\", \"pytest-cov\"]\n[tool.ruff]\n";
    let layouts: [&[(&str, &str)]; 20] = [
        &[("Cargo.toml", ""), ("Cargo.lock", ""), ("src/main.rs", ""), ("crates/a/Cargo.toml", "")],
        &[("Cargo.toml", ""), (".config/nextest.toml", "[profile.ci.junit]\npath = \"junit.xml\"")],
        &[("package.json", NODE), ("src/a.js", ""), ("test/a.test.js", "")],
        &[("package.json", VITEST), ("package-lock.json", ""), ("node_modules/x/package.json", "")],
        &[(
            "package.json",
            r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#,
        )],
        &[("package.json", VITEST), ("pnpm-lock.yaml", ""), ("packages/a/package.json", "{}")],
        &[("package.json", JEST), ("yarn.lock", ""), (".yarnrc.yml", "")],
        &[("package.json", r#"{"scripts": {"test": "bun test"}}"#), ("bun.lock", "")],
        &[("pyproject.toml", pytest), ("uv.lock", ""), ("src/a/__init__.py", "")],
        &[
            (
                "pyproject.toml",
                "[tool.poetry]\n[tool.poetry.group.dev.dependencies]\npytest = \"8\"",
            ),
            ("poetry.lock", ""),
        ],
        &[("requirements.txt", "flask\npytest\ncoverage\n"), ("app.py", "")],
        &[("setup.py", ""), ("tests/test_a.py", "")],
        &[("go.mod", "module a\n"), ("go.sum", ""), ("main.go", ""), ("tools/go.mod", "")],
        &[
            ("pom.xml", "<artifactId>jacoco-maven-plugin</artifactId>"),
            ("mvnw", ""),
            ("core/pom.xml", ""),
        ],
        &[("build.gradle.kts", "plugins { jacoco }"), ("settings.gradle.kts", ""), ("gradlew", "")],
        &[("App.sln", ""), ("src/App/App.csproj", ""), ("tests/App.Tests/App.Tests.csproj", "")],
        &[
            ("Gemfile", "gem 'rspec'\ngem 'rspec_junit_formatter'"),
            ("Gemfile.lock", ""),
            (".rubocop.yml", ""),
        ],
        &[("composer.json", "{}"), ("composer.lock", ""), ("phpunit.xml.dist", "<source/>")],
        &[("mix.exs", "{:excoveralls, \"0\"}"), ("mix.lock", ""), (".formatter.exs", "")],
        &[("CMakeLists.txt", ""), ("src/CMakeLists.txt", ""), (".clang-format", "")],
    ];
    let all: Vec<String> = layouts.iter().map(|files| found(files)).collect();
    assert_snapshot!(all.join("\n"));
}

#[test]
fn monorepos_have_one_platform_for_each_root() {
    let roots = |files: &[&str]| {
        let files: Vec<(&str, &str)> = files.iter().map(|file| (*file, "{}")).collect();
        match look(&files) {
            Ok(pinned) => {
                let words = pinned.iter().map(PinnedPlatform::called);
                words.collect::<Vec<_>>().join(", ")
            }
            Err(undecided) => undecided.to_string(),
        }
    };
    assert_snapshot!(roots(&["backend/pom.xml", "frontend/package.json", "frontend/pnpm-lock.yaml"]),
        @"java-maven in `backend`, node-pnpm in `frontend`");
    assert_snapshot!(roots(&["package.json", "yarn.lock", "packages/a/package.json", "services/api/go.mod"]),
        @"node-yarn, go in `services/api`");
    // The tools around a project of another language are its members, not the repository.
    assert_snapshot!(roots(&["Gemfile", "package.json", "yarn.lock"]), @"ruby");
    assert_snapshot!(roots(&["Cargo.toml", "fuzz/Cargo.toml", "examples/web/package.json"]), @"rust");
    assert_snapshot!(roots(&["Cargo.toml", "go.mod"]), @"go and rust of the same priority match in `.`");
    assert_snapshot!(roots(&["package.json", "yarn.lock", "pnpm-lock.yaml"]),
        @"node-pnpm");
    assert_snapshot!(roots(&["README.md"]), @"no platform matches this repository");
}

const OWN: &str = r#"{
  "name": "shell", "displayName": "Shell", "version": "1", "markers": ["tests.sh"], "priority": 60,
  "commands": {
    "prepare": {"run": "touch ready", "lock": "tests.sh"},
    "build": "sh -n tests.sh",
    "test": {"run": "test -f ready && mkdir -p out && sh tests.sh > out/junit.xml", "report": "out/*.xml"}
  },
  "conventions": {"patterns": ["Quote every variable"]},
  "testFiles": ["tests.sh"]
}"#;

const OWN_FILE: &str = ".windlass/platforms/shell/platform.json";

const TESTS: &str = r#"
echo '<testsuite><testcase name="a" classname="b">'
grep -qx right answer.txt || echo '<failure message="wrong"/>'
echo '</testcase></testsuite>'
"#;

/// A repository with a platform of its own.
fn with_own() -> TestEnv {
    let env = test_env!();
    env.repository.write(OWN_FILE, OWN);
    env.repository.write("tests.sh", TESTS);
    env.repository.commit("a platform");
    env
}

const WORKFLOW: &str = "
workflow: w
platform: detect
defaults: {retries: 2}
steps:
  - id: build
    agent: developer
    done: [{platform: build}, {platform: test}, {platform: lint}]
";

#[test]
fn a_run_works_with_the_platform_that_it_found() {
    let env = with_own();
    let kept = env.root().join("tmp");
    let agent = format!(
        "cp \"$WINDLASS_PROMPT_FILE\" '{0}/prompt'; cp .windlass/run/platform.md '{0}/platform'
         if test -f answer.txt; then echo right > answer.txt; else echo wrong > answer.txt; fi",
        kept.display()
    );
    let finished = env.run(WORKFLOW, &agent, &[]);
    finished.assert_code(0);
    assert!(
        finished.stderr.contains("platform: shell (`windlass platform detect` says why)"),
        "{finished}"
    );
    assert!(finished.stderr.contains("not checked: shell has no `lint` command"), "{finished}");
    let read = |name: &str| fs_err::read_to_string(kept.join(name)).unwrap();
    let prompt = read("prompt");
    assert!(prompt.contains("## Platform\n\nShell:\n- test: `test -f ready &&"), "{prompt}");
    assert!(prompt.contains("`.windlass/run/platform.md`"), "{prompt}");
    assert!(prompt.contains("## Try 2 of 2"), "the report shows the first answer: {prompt}");
    assert!(read("platform").contains("- prepare: `touch ready`\n"), "{}", read("platform"));
    let report = env.windlass(&["report"]).stdout;
    assert!(report.contains("- **Not checked:** shell has no `lint` command"), "{report}");
    assert_eq!(env.json(&["report", "--json"])["unchecked"][0], "shell has no `lint` command");
    let html = env.windlass(&["report", "--html"]).stdout;
    assert!(html.contains("Not checked"), "{html}");
    env.assert_audit();
}

#[test]
fn what_is_pinned_stays_when_the_file_changes() {
    let env = with_own();
    let gated = WORKFLOW.replace("done:", "gate: approval\n    done:");
    env.run(&gated, "echo right > answer.txt", &[]).assert_code(3);
    env.repository.write(OWN_FILE, "{ broken");
    env.windlass(&["approve"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    env.assert_audit();
}

#[test]
fn a_platform_that_is_not_clear_stops_a_run_before_it_starts() {
    let env = with_own();
    env.repository.write("Cargo.toml", "");
    env.repository.write(OWN_FILE, OWN.replace("60", "50"));
    env.repository.commit("two");
    let tied = env.run(WORKFLOW, "true", &[]);
    tied.assert_code(2);
    assert_snapshot!(env.normalise(&tied.stderr), @r"
    error: rust and shell of the same priority match in `.`

    hint: say which with `--platform rust`, or with `platform` in .windlass/config.yaml
    ");
    env.run(WORKFLOW, "echo right > answer.txt", &["--platform", "shell"]).assert_code(0);
    env.repository.write(".windlass/config.yaml", "platform: {.: shell}\n");
    env.run(WORKFLOW, "echo right > answer.txt; echo > two", &[]).assert_code(0);
    let unknown = env.run(WORKFLOW, "true", &["--platform", "shel"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("did you mean `shell`?"), "{unknown}");
    let useless = env.run(
        &WORKFLOW
            .replace("platform: detect\n", "")
            .replace("{platform: build}, {platform: test}, {platform: lint}", "{run: \"true\"}"),
        "true",
        &["--platform", "shell"],
    );
    useless.assert_code(2);
    assert!(useless.stderr.contains("it works without a platform"), "{useless}");
}

#[test]
fn no_match_says_what_to_do() {
    let env = test_env!();
    let detected = env.windlass(&["platform", "detect"]);
    detected.assert_code(2);
    assert!(detected.stdout.starts_with("No platform matches"), "{detected}");
    assert_snapshot!(detected.stderr, @r"
    error: no platform matches this repository

    hint: only files that git tracks count: `windlass platform list` shows the markers

    hint: name one with `--platform NAME`, or with `platform` in .windlass/config.yaml
    ");
    env.windlass(&["platform", "detect", "--platform", "go"]).assert_code(0);
}

#[test]
fn detection_is_told_with_its_reasons() {
    let env = with_own();
    env.repository.write("Cargo.toml", "");
    env.repository.write("web/package.json", r#"{"scripts": {"test": "node --test"}}"#);
    env.repository.commit("more");
    let detected = env.windlass(&["platform", "detect"]);
    detected.assert_code(0);
    let (roots, _) = detected.stdout.split_once("\nLooked at").unwrap();
    assert_snapshot!(roots);
    let json = env.json(&["platform", "detect", "--json"]);
    assert_eq!(json["roots"][0]["platform"], "shell");
    assert_eq!(json["roots"][0]["matches"][1]["files"][0], "Cargo.toml");
    assert_eq!(json["roots"][1]["root"], "web");
    assert_eq!(json["platforms"][0]["file"], OWN_FILE);
}

#[test]
fn a_command_is_printed_alone_or_its_absence_is_said() {
    let env = with_own();
    let command = |arguments: &[&str]| {
        let all: Vec<&str> = ["platform", "get-command"].iter().chain(arguments).copied().collect();
        env.windlass(&all)
    };
    assert_eq!(command(&["build"]).stdout, "sh -n tests.sh\n");
    let missing = command(&["lint"]);
    missing.assert_code(2);
    assert_eq!(missing.stdout, "");
    assert!(missing.stderr.starts_with("error: shell has no `lint` command\n"), "{missing}");
    let unknown = command(&["tests"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("did you mean `test`?"), "{unknown}");
    env.repository.write("web/go.mod", "module a\n");
    env.repository.write("web/a_test.go", "package a\n");
    env.repository.commit("go");
    assert_eq!(command(&["test", "--root", "./web/"]).stdout, "go test ./...\n");
    assert_eq!(command(&["build"]).stdout, "sh -n tests.sh\n", "the repository's own");
    let nowhere = command(&["test", "--root", "app"]);
    nowhere.assert_code(2);
    assert!(nowhere.stderr.contains("say which with `--root`: ., web"), "{nowhere}");
    let json = env.json(&["platform", "get-command", "test", "--json"]);
    assert_eq!((&json["report"], &json["root"]), (&Value::from("out/*.xml"), &Value::from(".")));
}

#[test]
fn the_repository_comes_before_the_user_and_that_before_windlass() {
    let env = with_own();
    let rust =
        |words: &str| OWN.replace("shell", "rust").replace("\"Shell\"", &format!("\"{words}\""));
    let user = env.home().join(".config/windlass/platforms/rust/platform.json");
    fs_err::create_dir_all(user.parent().unwrap()).unwrap();
    fs_err::write(&user, rust("Mine")).unwrap();
    let shown = env.json(&["platform", "show", "rust", "--json"]);
    assert_eq!((&shown["from"], &shown["display_name"]), (&"user".into(), &"Mine".into()));
    env.windlass(&["platform", "eject", "rust"]).assert_code(0);
    assert_eq!(env.json(&["platform", "show", "rust", "--json"])["from"], "repository");
    let again = env.windlass(&["platform", "eject", "rust"]);
    again.assert_code(2);
    assert!(again.stderr.contains("is there already"), "{again}");
    let list = env.windlass(&["platform", "list"]).stdout;
    let hidden: Vec<&str> = list.lines().filter(|line| line.starts_with("rust ")).collect();
    assert_eq!(hidden.len(), 3, "{list}");
    assert!(hidden[2].ends_with("(hidden: the one from repository is used)"), "{list}");
}

#[test]
fn a_platform_that_cannot_be_used_is_said_and_stops_detection() {
    let env = with_own();
    env.repository
        .write(".windlass/platforms/zig/platform.json", "{\"name\": \"zig\", \"prioritty\": 1}");
    let list = env.windlass(&["platform", "list"]);
    list.assert_code(0);
    assert!(
        list.stdout.contains("cannot be used: .windlass/platforms/zig/platform.json:1"),
        "{list}"
    );
    let detected = env.windlass(&["platform", "detect"]);
    detected.assert_code(2);
    assert!(detected.stderr.contains("did you mean `priority`?"), "{detected}");
    assert!(detected.stderr.contains("a platform needs `markers`"), "{detected}");
    let checked = env.windlass(&["platform", "check", ".windlass/platforms/zig/platform.json"]);
    checked.assert_code(2);
    env.windlass(&["platform", "check", OWN_FILE]).assert_code(0);
    // A name that is not its folder's, and a link that leads away.
    env.repository.write(".windlass/platforms/zig/platform.json", OWN);
    let named = env.windlass(&["platform", "detect"]);
    assert!(named.stderr.contains("is called `shell` inside"), "{named}");
    let file = env.repository.root().join(".windlass/platforms/zig/platform.json");
    fs_err::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
    let led_away = env.windlass(&["platform", "show", "zig"]);
    led_away.assert_code(2);
    assert!(led_away.stderr.contains("leads out of the repository"), "{led_away}");
}

/// A file that was written for another program is used, and what is not is said.
#[test]
fn a_platform_from_elsewhere_is_used_with_warnings() {
    let env = with_own();
    let foreign = OWN
        .replace("\"version\": \"1\", ", "\"owner\": \"team\", ")
        .replace("\"build\":", "\"migrate\": \"flyway migrate\", \"build\":");
    env.repository.write(OWN_FILE, foreign);
    let checked = env.windlass(&["platform", "check", OWN_FILE]);
    checked.assert_code(0);
    for said in ["no key `owner`", "without `version`", "`migrate` is not a command"] {
        assert!(checked.stderr.contains(said), "{said}: {checked}");
    }
    let detected = env.windlass(&["platform", "detect"]);
    detected.assert_code(0);
    assert!(detected.stderr.contains("is used with 3 warnings"), "{detected}");
}

#[test]
fn a_check_names_the_platform_and_what_it_leaves_out() {
    let env = with_own();
    let workflow = env.workflow(WORKFLOW);
    let checked = env.windlass(&["check", &workflow]);
    checked.assert_code(0);
    assert!(
        checked.stdout.contains("\nplatform: shell\nnot checked: shell has no `lint` command\n"),
        "{checked}"
    );
    assert_eq!(env.json(&["check", &workflow, "--json"])["platforms"][0], "shell");
    let only = env.workflow(&WORKFLOW.replace("{platform: build}, {platform: test}, ", ""));
    let refused = env.windlass(&["check", &only]);
    refused.assert_code(2);
    assert!(
        refused.stderr.contains("nothing proves step `build`: shell has no `lint` command"),
        "{refused}"
    );
    // Where nothing matches, a workflow can still be looked at.
    let elsewhere = test_env!();
    let workflow = elsewhere.workflow(WORKFLOW);
    let drawn = elsewhere.windlass(&["graph", &workflow]);
    drawn.assert_code(0);
    assert!(drawn.stderr.contains("its commands are not filled in here"), "{drawn}");
    elsewhere.windlass(&["simulate", &workflow]).assert_code(0);
}

/// Node's own test runner writes JUnit and lcov, whatever the script says besides.
#[test]
fn a_real_node_project_is_judged_by_its_reports() {
    let env = test_env!();
    let node = env.shell("node --version && npm --version");
    if node.code != Some(0) {
        assert!(std::env::var_os("CI").is_none(), "node and npm are needed");
        return;
    }
    env.repository.write("package.json", r#"{"name": "a", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test || true"}}"#);
    env.repository.write("src/add.js", "export const add = (a, b) => a - b;\n");
    env.repository.write("test/add.test.js", "import test from 'node:test';\nimport assert from 'node:assert';\nimport { add } from '../src/add.js';\ntest('adds', () => assert.equal(add(1, 2), 3));\n");
    env.repository.commit("a project");
    let workflow = "workflow: w\nplatform: detect\ndefaults: {retries: 1}\nsteps:\n  - {id: a, agent: d, done: [{platform: test}, {platform: coverage}]}\n";
    // The script hides that a test fails; the report does not.
    let failed = env.run(workflow, "echo > other.txt", &[]);
    failed.assert_code(4);
    let proofs = env.windlass(&["proofs"]).stdout;
    assert!(proofs.contains("1 failed"), "{proofs}");
    let right = "echo 'export const add = (a, b) => a + b;' > src/add.js";
    env.run(workflow, right, &[]).assert_code(0);
}
