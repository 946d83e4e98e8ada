//! What the platforms that come with windlass ask a person about, and what they do not.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use windlass_core::plan::PlanRequest;
use windlass_core::platform::Pack;
use windlass_core::protect::{Asked, Counts, Entry, Protected, Rules, Seen, values};
use windlass_core::workflow::Workflow;

use super::Base;
use crate::builtin;
use crate::commands::workflow_file::Found;

/// The rules of each platform, by its name.
static RULES: LazyLock<BTreeMap<&str, Rules>> = LazyLock::new(|| {
    let rules = |source: &str| {
        let pack = Pack::parse(source.as_bytes(), "platform.json").unwrap();
        Rules::new(&pack.protected().cloned().collect::<Vec<Protected>>())
    };
    builtin::PLATFORMS.iter().map(|one| (one.name, rules(one.source))).collect()
});

/// Whether a person is asked when a file with one content gets another; none is no file.
fn asks(pack: &str, path: &str, before: Option<&str>, now: Option<&str>) -> bool {
    asked(pack, path, before, now).is_some()
}

/// When a person is asked.
fn asked(pack: &str, path: &str, before: Option<&str>, now: Option<&str>) -> Option<Asked> {
    let entry = |text: Option<&str>| text.map(|_| Entry::File);
    match RULES[pack].look(Seen { path, was: entry(before), now: entry(now) }) {
        None => None,
        Some(Counts::Whole(asked)) => Some(asked),
        Some(Counts::Keys(keys)) => {
            let all = keys.all();
            let read = |text: Option<&str>| values(path, text.map(str::as_bytes), &all);
            match (read(before), read(now)) {
                (Some(before), Some(now)) => {
                    let changed = before.changed(&now);
                    (keys.rest || !changed.is_empty()).then(|| keys.asked(&changed))
                }
                _ => Some(keys.unread()),
            }
        }
    }
}

const PYTHON: [&str; 3] = ["python-pip", "python-poetry", "python-uv"];
const NODE: [&str; 4] = ["node-npm", "node-yarn", "node-pnpm", "node-bun"];

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn a_new_file_that_decides_what_a_command_does_asks() {
    let of = |packs: &[&str], files: &[&str]| {
        for pack in packs {
            for file in files {
                assert!(asks(pack, file, None, Some("x")), "{pack} {file}");
            }
        }
    };
    of(
        &["rust"],
        &[
            ".cargo/config",
            ".cargo/config.toml",
            "crates/a/.cargo/config.toml",
            "rust-toolchain",
            "rust-toolchain.toml",
            "build.rs",
            "crates/a/build.rs",
            "app/build.rs",
            "clippy.toml",
            ".clippy.toml",
            "rustfmt.toml",
            ".rustfmt.toml",
            "deny.toml",
            ".config/nextest.toml",
            ".config/insta.yaml",
            "tarpaulin.toml",
        ],
    );
    of(
        &PYTHON,
        &[
            "pytest.ini",
            ".pytest.ini",
            "pytest.toml",
            "tests/pytest.ini",
            "conftest.py",
            "tests/conftest.py",
            "tests/unit/conftest.py",
            "src/app/conftest.py",
            "noxfile.py",
            "tox.toml",
            "sitecustomize.py",
            "src/usercustomize.py",
            ".coveragerc",
            ".flake8",
            "mypy.ini",
            ".ruff.toml",
            "pytest.py",
            "unittest.py",
            "_pytest/__init__.py",
            "coverage.py",
            "argparse.py",
            "json.py",
            "re/__init__.py",
            "packaging/__init__.py",
            "src/difflib.py",
            "tests/difflib.py",
            "tests/__init__.py",
            "rig.pth",
        ],
    );
    of(
        &NODE,
        &[
            ".npmrc",
            "jest.config.js",
            "jest.config.ts",
            "jest.setup.js",
            "packages/a/jest.config.js",
            "vitest.config.mts",
            "vitest.workspace.ts",
            ".mocharc.json",
            ".mocharc.cjs",
            "ava.config.js",
            "babel.config.js",
            ".babelrc",
            ".nycrc",
            ".c8rc.json",
            ".swcrc",
            "tsconfig.json",
            "tsconfig.test.json",
            "eslint.config.js",
            ".eslintrc.json",
            "biome.json",
            "playwright.config.ts",
            "cypress.config.ts",
            "karma.conf.js",
            "node_modules/mocha/index.js",
            "packages/a/node_modules/.bin/jest",
            "__mocks__/supertest.js",
            "npm-shrinkwrap.json",
            "binding.gyp",
            "vite.config.ts",
            ".nvmrc",
            "test/setup.js",
            "test/.mocharc.yml",
        ],
    );
    of(&["node-yarn"], &[".yarnrc.yml", ".yarnrc", ".yarn/releases/yarn.cjs", ".pnp.cjs"]);
    of(&["node-pnpm"], &[".pnpmfile.cjs"]);
    of(&["node-bun"], &["bunfig.toml"]);
    of(&["go"], &[".golangci.yml", "go.work", "vendor/modules.txt"]);
    of(&["java-maven"], &["mvnw", ".mvn/maven.config", ".mvn/extensions.xml", ".mvn/jvm.config"]);
    of(
        &["java-gradle"],
        &[
            "gradlew",
            "settings.gradle",
            "gradle/test.gradle",
            "buildSrc/build.gradle",
            "init.gradle",
            "gradle/init.kts",
            "gradle/wrapper/gradle-wrapper.jar",
            "app/settings.gradle",
        ],
    );
    of(&["php"], &["phpunit.xml", "phpunit.xml.dist", "tests/bootstrap.php", "vendor/bin/phpunit"]);
    of(
        &["dotnet"],
        &["Directory.Build.props", "src/Directory.Build.targets", "a.runsettings", "nuget.config"],
    );
    of(
        &["ruby"],
        &[
            ".rspec",
            "Rakefile",
            "spec/spec_helper.rb",
            "test/test_helper.rb",
            "bin/rspec",
            "rakelib/x.rake",
            "spec/support_helper.rb",
            "lib/rspec.rb",
        ],
    );
    of(&["elixir"], &["config/test.exs", "test/test_helper.exs", ".credo.exs"]);
    of(
        &["cmake"],
        &["CTestCustom.cmake", "CMakePresets.json", ".clang-tidy", "test/CTestTestfile.cmake"],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn keys_that_decide_ask_and_others_do_not() {
    let cargo = "[package]\nname = 'a'\nversion = '1.0.0'\n[dependencies]\na = '1'\n";
    let with = |more: &str| format!("{cargo}{more}");
    for (more, gate) in [
        ("b = '2'\n", false),
        ("[dev-dependencies]\nb = '1'\n", false),
        ("[features]\nx = []\n", false),
        ("[features]\ndefault = ['x']\n", true),
        ("[dev-dependencies]\nb = {path = 'rig'}\n", true),
        ("[dev-dependencies]\nb = {git = 'rig'}\n", true),
        ("[dev-dependencies.b]\nversion = '1'\nfeatures = ['x']\n", false),
        ("[workspace]\n", true),
        ("[profile.test]\ndebug-assertions = false\n", true),
        ("[profile.dev]\ndebug = 'line-tables-only'\n", false),
        ("[profile.test.package.a]\ndebug-assertions = false\n", true),
        ("[lints.rust]\nunsafe_code = 'allow'\n", true),
        ("[[test]]\nname = 'a'\nharness = false\n", true),
        ("[lib]\ntest = false\n", true),
        ("[lib]\nname = 'a'\n", false),
        ("[lib]\ndoctest = false\n", true),
        ("[[bin]]\nname = 'a'\ntest = false\n", true),
        ("[workspace]\nexclude = ['b']\n", true),
        ("[patch.crates-io]\nproptest = {path = 'rig'}\n", true),
    ] {
        for path in ["Cargo.toml", "crates/a/Cargo.toml"] {
            assert_eq!(asks("rust", path, Some(cargo), Some(&with(more))), gate, "{path} {more}");
        }
    }
    let renamed = cargo.replace("1.0.0", "1.1.0");
    assert!(!asks("rust", "Cargo.toml", Some(cargo), Some(&renamed)));
    assert!(!asks(
        "rust",
        "crates/new/Cargo.toml",
        None,
        Some(&with("[lints]\nworkspace = true\n"))
    ));
    let pyproject = "[project]\nname = 'a'\ndependencies = []\n";
    for (more, gate) in [
        ("[project.optional-dependencies]\ndev = ['x']\n", false),
        ("[tool.poetry.dependencies]\na = '1'\n", false),
        ("[dependency-groups]\ndev = ['pytest']\n", false),
        ("[tool.pytest.ini_options]\naddopts = '-p rig'\n", true),
        ("[tool.pytest]\naddopts = ['-p', 'rig']\n", true),
        ("[tool.coverage.run]\nomit = ['*']\n", true),
        ("[tool.ruff]\nexclude = ['*']\n", true),
        ("[tool.mypy]\nignore_errors = true\n", true),
        ("[tool.hatch.envs.default.scripts]\ntest = 'true'\n", true),
        ("[project.entry-points.pytest11]\nrig = 'rig'\n", true),
        ("[project.scripts]\na = 'a:main'\n", false),
    ] {
        let now = format!("{pyproject}{more}");
        for pack in PYTHON {
            assert_eq!(asks(pack, "pyproject.toml", Some(pyproject), Some(&now)), gate, "{more}");
        }
    }
    let cfg = "[metadata]\nname = a\n";
    for (more, gate) in [
        ("version = 2\n", false),
        ("[options]\ninstall_requires = x\n", false),
        ("[tool:pytest]\naddopts = -p rig\n", true),
        ("[coverage:run]\nomit = *\n", true),
        ("[flake8]\nexclude = *\n", true),
    ] {
        let now = format!("{cfg}{more}");
        assert_eq!(asks("python-pip", "setup.cfg", Some(cfg), Some(&now)), gate, "{more}");
    }
    assert!(asks("python-pip", "tox.ini", None, Some("[testenv]\ncommands = true\n")));
    let package = |more: &str| format!("{{\"version\": \"1\", \"dependencies\": {{}}{more}}}");
    for (more, gate) in [
        (r#", "devDependencies": {"a": "1"}"#, false),
        (r#", "files": ["lib"], "main": "lib/a.js", "exports": "./a.js""#, false),
        (r#", "scripts": {"test": "true"}"#, true),
        (r#", "scripts": {"pretest": "node rig.js"}"#, true),
        (r#", "jest": {"testMatch": []}"#, true),
        (r#", "mocha": {"require": "rig"}"#, true),
        (r#", "ava": {"files": []}"#, true),
        (r#", "type": "module""#, true),
        (r#", "imports": {"\#a": "./rig.js"}"#.replace("\\#", "#").as_str(), true),
        (r#", "overrides": {"mocha": "file:rig"}"#, true),
        (r#", "scripts": {}, "scripts": {"test": "true"}"#, true),
    ] {
        for pack in NODE {
            let (before, now) = (package(""), package(more));
            assert_eq!(asks(pack, "package.json", Some(&before), Some(&now)), gate, "{more}");
        }
    }
    let pom = |more: &str| format!("<project><version>1</version>{more}</project>");
    for (more, gate) in [
        ("<dependencies><dependency/></dependencies>", false),
        ("<properties><junit.version>5</junit.version></properties>", false),
        ("<properties><skipTests>true</skipTests></properties>", true),
        ("<properties><maven.test.skip>true</maven.test.skip></properties>", true),
        ("<build><plugins><plugin/></plugins></build>", false),
        (
            "<build><plugins><plugin><executions><execution/></executions></plugin></plugins></build>",
            false,
        ),
        (
            "<build><plugins><plugin><executions><execution><phase>test</phase></execution>\
             </executions></plugin></plugins></build>",
            true,
        ),
        (
            "<build><plugins><plugin><artifactId>maven-antrun-plugin</artifactId></plugin></plugins>\
             </build>",
            true,
        ),
        (
            "<build><plugins><plugin><configuration><testFailureIgnore>true</testFailureIgnore>\
             </configuration></plugin></plugins></build>",
            true,
        ),
        (
            "<build><pluginManagement><plugins><plugin><configuration><excludes><exclude>*</exclude>\
             </excludes></configuration></plugin></plugins></pluginManagement></build>",
            true,
        ),
        (
            "<build><plugins><plugin><configuration><compilerArgs><arg>-Xlint</arg></compilerArgs>\
             </configuration></plugin></plugins></build>",
            false,
        ),
        (
            "<build><plugins><plugin><configuration><compilerArgs><arg>-sourcepath</arg>\
             </compilerArgs></configuration></plugin></plugins></build>",
            true,
        ),
        (
            "<build><plugins><plugin><artifactId>maven-deploy-plugin</artifactId><configuration>\
             <skip>true</skip></configuration></plugin></plugins></build>",
            false,
        ),
        ("<build><testSourceDirectory>rig</testSourceDirectory></build>", true),
        (
            "<profiles><profile><activation><jdk>[1,)</jdk></activation><properties>\
             <skipTests>true</skipTests></properties></profile></profiles>",
            true,
        ),
        // Nothing activates it.
        (
            "<profiles><profile><id>a</id><properties><skipTests>true</skipTests></properties>\
             </profile></profiles>",
            false,
        ),
        ("<properties><surefire.excludesFile>x</surefire.excludesFile></properties>", true),
        (
            "<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>\
             <enableAssertions>false</enableAssertions></configuration></plugin></plugins></build>",
            true,
        ),
        ("<properties><failsafe.includes>x</failsafe.includes></properties>", true),
        ("<modules><module>a</module></modules>", true),
    ] {
        let (before, now) = (pom(""), pom(more));
        assert_eq!(asks("java-maven", "pom.xml", Some(&before), Some(&now)), gate, "{more}");
    }
    let named = |skip: &str| {
        pom(&format!(
            "<profiles><profile><id>ci</id><properties><a>{skip}</a></properties></profile></profiles>"
        ))
    };
    let (before, now) = (named("1"), named("2"));
    assert!(asks("java-maven", "pom.xml", Some(&before), Some(&now)), "a command may name it");
    let composer = r#"{"require": {}}"#;
    assert!(!asks("php", "composer.json", Some(composer), Some(r#"{"require": {"a/b": "1"}}"#)));
    assert!(asks("php", "composer.json", Some(composer), Some(r#"{"scripts": {"test": "true"}}"#)));
}

#[test]
fn settings_of_linters_and_of_ci_wait_for_the_next_gate() {
    for (pack, file) in [
        ("go", ".golangci.yml"),
        ("rust", "clippy.toml"),
        ("rust", ".github/workflows/ci.yml"),
        ("php", "phpstan.neon.dist"),
        ("ruby", ".rubocop.yml"),
        ("cmake", ".clang-tidy"),
        ("node-npm", ".eslintrc.json"),
        ("node-pnpm", "biome.json"),
        ("python-uv", ".flake8"),
        ("python-pip", "ruff.toml"),
        ("python-poetry", "noxfile.py"),
        ("java-maven", "checkstyle.xml"),
    ] {
        for (before, now) in [(None, Some("x")), (Some("x"), Some("y")), (Some("x"), None)] {
            assert_eq!(asked(pack, file, before, now), Some(Asked::Later), "{pack} {file}");
        }
    }
    for (file, before, now, when) in [
        ("pyproject.toml", "", "[tool.ruff]\nexclude = ['*']\n", Asked::Later),
        ("pyproject.toml", "", "[tool.pytest]\naddopts = ['-p', 'rig']\n", Asked::AtOnce),
        ("pyproject.toml", "", "[tool.ruff]\na = 1\n[tool.pytest]\na = 1\n", Asked::AtOnce),
        ("pyproject.toml", "", "[build-system]\nbackend-path = ['rig']\n", Asked::AtOnce),
        ("pyproject.toml", "", "not toml", Asked::AtOnce),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\nfilterwarnings = ['error']\n",
            "[tool.pytest.ini_options]\nfilterwarnings = ['error', 'ignore:a']\n",
            Asked::AtOnce,
        ),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\nfilterwarnings = ['ignore:a', 'error']\n",
            "[tool.pytest.ini_options]\nfilterwarnings = ['error', 'ignore:a']\n",
            Asked::AtOnce,
        ),
        ("tox.ini", "", "[testenv]\ncommands = true\n", Asked::Later),
        ("tox.ini", "", "[pytest]\naddopts = -p rig\n", Asked::AtOnce),
        ("setup.cfg", "", "[flake8]\nexclude = *\n", Asked::Later),
    ] {
        for pack in PYTHON {
            assert_eq!(asked(pack, file, Some(before), Some(now)), Some(when), "{file} {now}");
        }
    }
    let stricter = "[tool.pytest.ini_options]\nfilterwarnings = ['error']\n";
    let before = "[tool.pytest.ini_options]\nfilterwarnings = ['error', 'ignore:a']\n";
    assert!(!asks("python-uv", "pyproject.toml", Some(before), Some(stricter)), "{before}");
    for when in ["[build-system]\nrequires = ['flit_core<4']\n", "[project]\nname = 'b'\n"] {
        assert!(!asks("python-uv", "pyproject.toml", Some(""), Some(when)), "{when}");
    }
    assert_eq!(
        asked("node-npm", "package.json", Some("{}"), Some(r#"{"eslintConfig": {"a": 1}}"#)),
        Some(Asked::Later)
    );
}

#[test]
fn honest_work_does_not_ask() {
    let (old, new) = (Some("x"), Some("y"));
    for (pack, file) in [
        ("rust", "Cargo.lock"),
        ("rust", "src/lib.rs"),
        ("rust", "src/build.rs"),
        ("rust", "crates/a/src/plan/build.rs"),
        ("rust", "tests/a.rs"),
        ("python-pip", "requirements.txt"),
        ("python-pip", "tests/test_a.py"),
        ("python-uv", "uv.lock"),
        ("python-poetry", "poetry.lock"),
        ("python-pip", "src/app/coverage.py"),
        ("node-npm", "package-lock.json"),
        ("node-yarn", "yarn.lock"),
        ("node-pnpm", "pnpm-lock.yaml"),
        ("node-npm", "src/config.js"),
        ("node-npm", "test/a.test.js"),
        ("go", "go.sum"),
        ("go", "vendor/modules.txt"),
        ("go", "a_test.go"),
        ("php", "composer.lock"),
        ("ruby", "Gemfile.lock"),
        ("elixir", "mix.lock"),
    ] {
        assert!(!asks(pack, file, old, new), "{pack} {file}");
    }
    for (pack, file) in [
        ("rust", "tests/new.rs"),
        ("rust", "src/build.rs"),
        ("python-pip", "tests/test_new.py"),
        ("python-pip", "src/app/coverage.py"),
        ("node-npm", "test/new.test.js"),
        ("node-npm", "test/fixtures/a/package.json"),
        ("go", "vendor/a/b.go"),
    ] {
        assert!(!asks(pack, file, None, new), "new: {pack} {file}");
    }
    // Of these it depends on what is changed.
    let project = "<Project Sdk='a'><ItemGroup><PackageReference Include='x' Version='1'/></ItemGroup></Project>";
    let catalogue =
        "[versions]\na = \"1\"\n[libraries]\na = {module = \"g:a\", version.ref = \"a\"}\n";
    let package = r#"{"scripts": {"test": "x"}, "devDependencies": {"mocha": "^1"}}"#;
    for (pack, file, before, old, new, gate) in [
        ("dotnet", "src/a.csproj", project, "Version='1'", "Version='2'", false),
        ("dotnet", "src/a.csproj", project, "</Project>", "<Target Name='t'/></Project>", true),
        ("java-gradle", "gradle/libs.versions.toml", catalogue, "\"1\"", "\"2\"", false),
        ("java-gradle", "gradle/libs.versions.toml", catalogue, "g:a", "rig:a", true),
        ("node-npm", "package.json", package, "^1", "^2", false),
        ("node-npm", "package.json", package, "^1", "file:rig", true),
    ] {
        let now = before.replace(old, new);
        assert_eq!(asks(pack, file, Some(before), Some(&now)), gate, "{pack} {file} {now}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn programs_count_by_their_lines() {
    for (pack, path, before, now, gate) in [
        (
            "java-gradle",
            "build.gradle",
            "x {\n}\n",
            "x {\n  implementation 'a b'.execute()\n}\n",
            true,
        ),
        ("ruby", "Gemfile", "gem 'a'\n", "gem 'a', path:'rig'\n", true),
        ("ruby", "Gemfile", "gem 'a'\n", "gem \"a#{exit! 0}\"\n", true),
        (
            "java-gradle",
            "build.gradle",
            "plugins {}\ndependencies {\n}\n",
            "plugins {}\ndependencies {\n  testImplementation 'a:b:1'\n}\n",
            false,
        ),
        ("java-gradle", "app/build.gradle.kts", "version = \"1\"\n", "version = \"2\"\n", false),
        (
            "java-gradle",
            "build.gradle",
            "plugins {}\n",
            "plugins {}\ntest { enabled = false }\n",
            true,
        ),
        (
            "java-gradle",
            "build.gradle",
            "dependencies {\n}\n",
            "dependencies {\n  implementation 'a:b:1'; test.enabled = false\n}\n",
            true,
        ),
        (
            "java-gradle",
            "build.gradle",
            "dependencies {\n}\n",
            "dependencies {\n  testImplementation files('rig.jar')\n}\n",
            true,
        ),
        ("java-gradle", "gradle.properties", "version=1\n", "version=2\n", false),
        (
            "java-gradle",
            "gradle.properties",
            "version=1\n",
            "version=1\norg.gradle.jvmargs=-Dx\n",
            true,
        ),
        ("java-gradle", "gradle.properties", "version=1\n", "version=1\nskipTests=true\n", true),
        (
            "go",
            "go.mod",
            "module x\nrequire a v1\n",
            "module x\nrequire (\n  a v2\n  b v1\n)\n",
            false,
        ),
        ("go", "go.mod", "module x\n", "module x\nreplace a => ./rig\n", true),
        ("go", "go.mod", "module x\n", "module x\nreplace (\n  a => ./rig\n)\n", true),
        ("go", "a_test.go", "package x\n", "package x\nfunc TestA(t *testing.T) {\n}\n", false),
        (
            "go",
            "a_test.go",
            "package x\n",
            "package x\nfunc TestMain(m *testing.M) { os.Exit(0) }\n",
            true,
        ),
        ("go", "a_test.go", "package x\n", "package x\nfunc init() {\n\tos.Exit(0)\n}\n", true),
        ("go", "a_test.go", "package x\n", "package x\nfunc\nTestMain (m *testing.M) {}\n", true),
        ("ruby", "Gemfile", "gem 'a'\n", "gem 'a', '~> 2.0'\ngem \"b\"\n", false),
        ("ruby", "Gemfile", "gem 'a'\n", "gem 'a', path: 'rig'\n", true),
        ("ruby", "Gemfile", "gem 'a'\n", "gem 'a', :git => 'rig'\n", true),
        ("ruby", "Gemfile", "gem 'a'\n", "gem 'a'\nat_exit { exit! 0 }\n", true),
        ("ruby", "Gemfile", "gem 'a', github: 'b/a'\n", "gem 'a'\n", false),
        ("ruby", "Gemfile", "gem 'a'\n", "gem 'a', github: 'b/a'\n", true),
        ("ruby", "Gemfile", "if OLD\n  gem 'a', '1'\nelse\n  gem 'a'\nend\n", "gem 'a'\n", false),
        ("ruby", "Gemfile", "gem 'a'\n", "gem 'a' unless ENV['CI']\n", true),
        ("ruby", "Gemfile", "gem 'a', path: '..'\n", "gem 'a'\n", true),
        (
            "elixir",
            "mix.exs",
            "[\n  {:a, \"~> 1.0\"},\n]\n",
            "[\n  {:a, \"~> 1.1\"},\n  {:b, \"1.0\"}\n]\n",
            false,
        ),
        ("elixir", "mix.exs", "[\n]\n", "[\n  {:a, path: \"rig\"}\n]\n", true),
        ("elixir", "mix.exs", "[\n]\n", "[\n  aliases: [test: \"true\"]\n]\n", true),
        (
            "cmake",
            "CMakeLists.txt",
            "add_library(a a.cc)\nadd_test(t t)\n",
            "add_library(a a.cc\n  b.cc)\nadd_test(t t)\n",
            false,
        ),
        (
            "cmake",
            "CMakeLists.txt",
            "set(SOURCES a.cc)\n",
            "set(SOURCES a.cc b.cc) # more\n",
            false,
        ),
        ("cmake", "CMakeLists.txt", "add_test(t t)\n", "\n", true),
        (
            "cmake",
            "test/CMakeLists.txt",
            "string(REPLACE \"a \\\"(\" b)\nadd_test(t t)\ntarget_link_libraries(t-test PUBLIC a)\n",
            "string(REPLACE \"a \\\"(\" b)\nadd_test(t t)\ntarget_link_libraries(t-test PRIVATE a)\n",
            false,
        ),
        (
            "cmake",
            "test/CMakeLists.txt",
            "target_link_libraries(t-test PUBLIC a)\n",
            "target_link_libraries(t-test PUBLIC rig)\n",
            true,
        ),
        ("cmake", "CMakeLists.txt", "add_test(t t)\n", "if(NO)\nadd_test(t t)\nendif()\n", true),
        (
            "cmake",
            "cmake/a.cmake",
            "enable_testing()\n",
            "enable_testing()\nset_tests_properties(t PROPERTIES DISABLED 1)\n",
            true,
        ),
        (
            "cmake",
            "test/CMakeLists.txt",
            "add_executable(test_a a.cc)\n",
            "add_executable(test_a fake.cc)\n",
            true,
        ),
    ] {
        assert_eq!(asks(pack, path, Some(before), Some(now)), gate, "{pack} {path} {now}");
    }
}

#[test]
fn what_is_there_and_shared_by_tests_asks() {
    let (old, new) = (Some("x"), Some("y"));
    for (pack, file) in [
        ("python-pip", "tests/conftest.py"),
        ("python-uv", "src/app/conftest.py"),
        ("php", "tests/TestCase.php"),
        ("ruby", "rakelib/x.rake"),
        ("java-gradle", "settings.gradle"),
        ("elixir", "test/test_helper.exs"),
    ] {
        assert!(asks(pack, file, old, new), "{pack} {file}");
    }
}

#[test]
fn nothing_starts_where_the_commit_cannot_be_read() {
    let source =
        "workflow: w\nsteps: [{id: work, agent: a, task: t, done: {run: sh tests/run.sh}}]\n";
    let workflow = Workflow::parse(source, "w.yaml").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = Found::File(folder.path().join("w.yaml"));
    let protect = |base: Base| {
        let mut plan = workflow.plan(PlanRequest::default()).unwrap();
        super::protect(&mut plan, &workflow, &file, folder.path(), base)
    };
    // No repository, or one whose commit is gone: a workflow may be looked at, and not run.
    let git = |words: &[&str]| {
        let done =
            std::process::Command::new("git").current_dir(folder.path()).args(words).output();
        assert!(done.unwrap().status.success(), "{words:?}");
    };
    git(&["init", "-q"]);
    assert!(protect(Base::MayBeMissing).is_ok());
    let refused = protect(Base::Needed).unwrap_err();
    assert!(
        refused.in_one_line().contains("the files that judge its work are unknown"),
        "{refused:?}"
    );
    // A commit whose files are gone is no reason to look at nothing.
    fs_err::write(folder.path().join("a"), "x").unwrap();
    git(&["add", "a"]);
    git(&["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a"]);
    assert!(protect(Base::Needed).is_ok());
    let tree = std::process::Command::new("git")
        .current_dir(folder.path())
        .args(["rev-parse", "HEAD^{tree}"])
        .output()
        .unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    let (head, rest) = tree.trim().split_at(2);
    std::fs::remove_file(folder.path().join(".git/objects").join(head).join(rest)).unwrap();
    assert!(protect(Base::MayBeMissing).is_err(), "also for a look: it would show too little");
}
