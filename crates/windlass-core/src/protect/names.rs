//! Names that tell tests and judges from the product.

/// Folders that hold tests.
const TEST_FOLDERS: [&str; 17] = [
    "test",
    "tests",
    "spec",
    "specs",
    "__tests__",
    "__test__",
    "t",
    "e2e",
    "testing",
    "unittests",
    "unit-tests",
    "integration-tests",
    "integration_tests",
    "acceptance",
    "functional",
    "testsuite",
    "test-suite",
];

/// Folders that hold what is run beside the product.
const SCRIPT_FOLDERS: [&str; 17] = [
    "scripts",
    "script",
    "ci",
    ".ci",
    "tools",
    "hack",
    "dev",
    "checks",
    "check",
    "judge",
    "judges",
    "qa",
    "verify",
    "verification",
    "validation",
    "harness",
    "lint",
];

/// Parts of the names of scripts that judge.
const JUDGING: [&str; 34] = [
    "test",
    "tests",
    "check",
    "checks",
    "ci",
    "lint",
    "verify",
    "spec",
    "judge",
    "validate",
    "e2e",
    "smoke",
    "build",
    "suite",
    "accept",
    "acceptance",
    "regress",
    "coverage",
    "qa",
    "grade",
    "gate",
    "runtests",
    "run",
    "runner",
    "all",
    "harness",
    "assert",
    "asserts",
    "assertions",
    "expect",
    "verification",
    "validation",
    "unittest",
    "preflight",
];

/// Whether a folder, or one that it lies in, holds tests.
pub(crate) fn is_test_folder(path: &str) -> bool {
    let is_one = |part: &str| {
        let part = part.to_lowercase();
        TEST_FOLDERS.contains(&part.as_str())
            || part.ends_with("_tests")
            || part.ends_with("-tests")
            || part.ends_with(".tests")
    };
    path.split('/').any(is_one)
}

/// Whether a file is a test by its own name, or by where it lies.
pub(crate) fn is_test_file(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let words = parts(name);
    let ends = [words.first(), words.last()];
    is_test_folder(folder)
        || ends.into_iter().flatten().any(|part| ["test", "tests", "spec"].contains(&part.as_str()))
}

/// Whether a script judges, rather than being the product.
pub(crate) fn is_judge(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let by_folder = |part: &str| SCRIPT_FOLDERS.contains(&part.to_lowercase().as_str());
    is_test_folder(folder)
        || folder.split('/').any(by_folder)
        || parts(name).iter().any(|part| JUDGING.contains(&part.as_str()))
}

/// Whether runners load a file by themselves, or the tests of its folder share it: a new one can change what
/// every test there says. An ordinary new test is none.
pub(super) fn is_helper(path: &str) -> bool {
    let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.to_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let words = parts(&name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let is_test = has(&["test", "tests", "spec"]);
    HELPERS.contains(&name.as_str())
        || HELPER_STEMS.contains(&stem)
        || [".config.", ".conf.", ".setup."].iter().any(|part| name.contains(part))
        || (name.starts_with('.') && (name.contains("rc") || name.starts_with(".env")))
        || ["mk", "pth", "cmake", "rake", "runsettings"].contains(&ending)
        || has(&["helper", "helpers", "harness"])
        // What no name calls a test is what tests share.
        || (!is_test && (["sh", "bash"].contains(&ending) || has(&["runner", "bootstrap", "preload"])))
        || hides_module(&name)
}

const HELPERS: [&str; 20] = [
    "conftest.py",
    "__init__.py",
    "__main__.py",
    "load_tests.py",
    "main_test.go",
    "testmain_test.go",
    "setup_test.go",
    "spec_helper.rb",
    "test_helper.rb",
    "test_helper.exs",
    "pest.php",
    "testcase.php",
    "junit-platform.properties",
    "makefile",
    "gnumakefile",
    "rakefile",
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "cmakelists.txt",
];

const HELPER_STEMS: [&str; 9] = [
    "setup",
    "teardown",
    "globalsetup",
    "global-setup",
    "global_setup",
    "setuptests",
    "support",
    "jest",
    "vitest",
];

/// Whether a new file or folder of this name is imported in the place of a module of Python, or of what
/// runs its tests.
pub(super) fn hides_module(path: &str) -> bool {
    let package = ["/__init__.py", "/__init__.pyc", "/__main__.py", "/__main__.pyc"];
    let name = package.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    let name = name.rsplit('/').next().unwrap_or(name);
    // Python also loads compiled modules, libraries and archives in the place of a source.
    let is_file =
        [".py", ".pyc", ".pyd", ".so", ".zip", ".egg"].iter().any(|end| path.ends_with(end));
    let stem = name.split('.').next().unwrap_or(name);
    is_file && super::modules::PYTHON.binary_search(&stem).is_ok()
}

/// The words that a name without its ending is made of: `runTests-fast.sh` has `run`, `tests` and `fast`.
fn parts(name: &str) -> Vec<String> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut words = vec![String::new()];
    let mut before = ' ';
    for sign in stem.chars() {
        let begins = !sign.is_alphanumeric() || (sign.is_uppercase() && before.is_lowercase());
        if begins {
            words.push(String::new());
        }
        if sign.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(sign.to_lowercase());
        }
        before = sign;
    }
    words.retain(|word| !word.is_empty());
    words
}
