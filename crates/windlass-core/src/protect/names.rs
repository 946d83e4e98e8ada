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
const SCRIPT_FOLDERS: [&str; 9] =
    ["scripts", "script", "ci", ".ci", "tools", "hack", "dev", "checks", "judge"];

/// Parts of the names of scripts that judge.
const JUDGING: [&str; 22] = [
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
];

/// Whether a folder, or one that it lies in, holds tests.
pub(super) fn is_test_folder(path: &str) -> bool {
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
pub(super) fn is_test_file(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let words = parts(name);
    let ends = [words.first(), words.last()];
    is_test_folder(folder)
        || ends.into_iter().flatten().any(|part| ["test", "tests", "spec"].contains(&part.as_str()))
}

/// Whether a script judges, rather than being the product.
pub(super) fn is_judge(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let by_folder = |part: &str| SCRIPT_FOLDERS.contains(&part.to_lowercase().as_str());
    is_test_folder(folder)
        || folder.split('/').any(by_folder)
        || parts(name).iter().any(|part| JUDGING.contains(&part.as_str()))
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
