//! Whether a manifest names a package as a dependency.
//!
//! A tool that is only configured (`[tool.coverage]`) is not installed by that.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Where manifests list dependencies: a path of keys, `*` for any of them.
const LISTS: [&[&str]; 17] = [
    &["dependencies"],
    &["devDependencies"],
    &["optionalDependencies"],
    &["peerDependencies"],
    &["require"],
    &["require-dev"],
    &["project", "dependencies"],
    &["project", "optional-dependencies", "*"],
    &["dependency-groups", "*"],
    &["tool", "poetry", "dependencies"],
    &["tool", "poetry", "dev-dependencies"],
    &["tool", "poetry", "group", "*", "dependencies"],
    &["tool", "pdm", "dev-dependencies", "*"],
    &["tool", "uv", "dev-dependencies"],
    &["tool", "hatch", "envs", "*", "dependencies"],
    &["tool", "hatch", "envs", "*", "extra-dependencies"],
    &["dev-dependencies"],
];

/// Returns whether the manifest at `path` names `package` as a dependency.
pub(super) fn names(path: &str, text: &str, package: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let package = normal(package);
    if let Some(document) = document(file, text) {
        return LISTS.iter().any(|keys| listed(&document, keys, &package));
    }
    // Requirements, one to a line; in the files of Ruby, Python and Go between quotes or blanks.
    text.lines().map(str::trim).filter(|line| !line.starts_with(['[', '#'])).any(|line| {
        let first = |text: &str| normal(requirement(text)) == package;
        let quoted = line.split(['"', '\'']).skip(1).step_by(2);
        first(line) || quoted.into_iter().any(first) || line.split_whitespace().any(first)
    })
}

/// Reads JSON or TOML; other files are read by their lines.
pub(super) fn document(path: &str, text: &str) -> Option<Value> {
    match path.rsplit_once('.')?.1 {
        "json" => Some(serde_json::from_str(text).unwrap_or_default()),
        "toml" => Some(toml::from_str(text).unwrap_or_default()),
        _ => None,
    }
}

/// Returns the name of the list at `key` that names `package`: what `*` stands for in the key, else its last part.
/// Of several the one that is for tests is taken, then the one for development.
///
/// A name that a shell could read as more than a word is no name.
pub(super) fn group(path: &str, text: &str, key: &str, package: Option<&str>) -> Option<String> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let package = package.map(normal);
    let (above, below) = match key.split_once(".*") {
        Some((above, below)) => (above, below.trim_start_matches('.')),
        None => (key.rsplit_once('.')?.0, ""),
    };
    let groups = match file {
        "setup.cfg" => section(text, above),
        _ => at(&document(file, text)?, above)?.as_object()?.clone(),
    };
    let wanted = key.rsplit('.').next().filter(|_| !key.contains('*'));
    let mut names: Vec<&String> = groups
        .iter()
        .filter(|(name, _)| wanted.is_none_or(|wanted| wanted == *name) && is_word(name))
        .filter(|(_, value)| {
            let Some(list) = at(value, below) else { return false };
            package.as_ref().is_none_or(|package| has(&groups, list, package, MOST_INCLUDED))
        })
        .map(|(name, _)| name)
        .collect();
    names.sort_by_key(|name| (purpose(name), name.len(), (*name).clone()));
    names.first().map(|name| (*name).clone())
}

/// How deep groups may include each other.
const MOST_INCLUDED: usize = 8;

/// Whether a list names a package, or includes a group that does.
fn has(groups: &Map<String, Value>, list: &Value, package: &str, depth: usize) -> bool {
    let included = |value: &Value| {
        let name = normal(value.get("include-group")?.as_str()?);
        groups.iter().find(|(key, _)| normal(key) == name).map(|(_, list)| list.clone())
    };
    holds(list, package)
        || (depth > 0
            && list.as_array().is_some_and(|all| {
                let mut lists = all.iter().filter_map(included);
                lists.any(|list| has(groups, &list, package, depth - 1))
            }))
}

/// What a group is for, the one that tests need first.
fn purpose(name: &str) -> u8 {
    match normal(name).as_str() {
        "test" | "tests" | "testing" => 0,
        name if name.contains("test") => 1,
        "dev" | "develop" | "development" => 2,
        _ => 3,
    }
}

fn is_word(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain)
}

/// The value at a path of keys; an empty path is the value itself.
fn at<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    key.split('.').filter(|part| !part.is_empty()).try_fold(value, |value, part| value.get(part))
}

/// The lists of a section of an INI file, a line for each entry.
fn section(text: &str, wanted: &str) -> Map<String, Value> {
    let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let (mut within, mut key) = (false, "");
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])) {
        let (indented, line) = (line.starts_with([' ', '\t']), line.trim());
        if line.starts_with('[') && !indented {
            within = line.trim_matches(['[', ']']) == wanted;
            continue;
        }
        let entry = match line.split_once('=') {
            Some((name, value)) if !indented => {
                key = name.trim();
                value
            }
            _ => line,
        };
        // A requirement ends where its marker begins: `mock; python_version < "3"`.
        let entry = entry.split(';').next().unwrap_or_default().trim();
        if within && !entry.is_empty() {
            lists.entry(key).or_default().push(entry);
        }
    }
    lists.into_iter().map(|(name, list)| (name.to_owned(), json!(list))).collect()
}

fn listed(value: &Value, keys: &[&str], package: &str) -> bool {
    match keys.split_first() {
        None => holds(value, package),
        Some((&"*", rest)) => {
            let Value::Object(all) = value else { return false };
            all.values().any(|value| listed(value, rest, package))
        }
        Some((key, rest)) => value.get(key).is_some_and(|value| listed(value, rest, package)),
    }
}

fn holds(value: &Value, package: &str) -> bool {
    match value {
        Value::Object(all) => all.keys().any(|key| normal(key) == package),
        Value::Array(all) => {
            let mut texts = all.iter().filter_map(Value::as_str);
            texts.any(|text| normal(requirement(text)) == package)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The name in front of versions, extras and markers.
fn requirement(text: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@');
    let text = text.trim();
    text.find(|c| !is_name(c)).map_or(text, |end| &text[..end])
}

/// Python's packages are the same whichever sign is between their words.
fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::{group, names};

    #[test]
    fn the_group_that_has_the_test_tool_is_found() {
        let find = |text: &str, key: &str| group("pyproject.toml", text, key, Some("pytest"));
        let groups = "[dependency-groups]\ndev = [{include-group = \"Tests\"}, \"ruff\"]\n\
                      docs = [\"sphinx\"]\ntests = [\"pytest>=8\", \"pytest-mock\"]\n";
        assert_eq!(find(groups, "dependency-groups.*").as_deref(), Some("tests"));
        let included = "[dependency-groups]\ndev = [{include-group = \"all_of\"}]\n\
                        all-of = [\"pytest\"]\n";
        assert_eq!(find(included, "dependency-groups.*").as_deref(), Some("dev"));
        let round = "[dependency-groups]\na = [{include-group = \"a\"}]\n";
        assert_eq!(find(round, "dependency-groups.*"), None);
        let extras = "[project.optional-dependencies]\nall = [\"x\"]\nqa = [\"pytest\"]\n";
        assert_eq!(find(extras, "project.optional-dependencies.*").as_deref(), Some("qa"));
        assert_eq!(find(extras, "dependency-groups.*"), None);
        let poetry = "[tool.poetry.group.check.dependencies]\npytest = \"8\"\n";
        assert_eq!(find(poetry, "tool.poetry.group.*.dependencies").as_deref(), Some("check"));
        let hostile = "[dependency-groups]\n\"x; rm -r .\" = [\"pytest\"]\n";
        assert_eq!(find(hostile, "dependency-groups.*"), None);
        let setup = "[options.extras_require]\ndocs = sphinx\ntesting =\n    pytest>=6\n    mock\n";
        let of_setup = group("setup.cfg", setup, "options.extras_require.*", Some("pytest"));
        assert_eq!(of_setup.as_deref(), Some("testing"));
    }

    #[test]
    fn only_dependencies_count_and_not_what_is_configured() {
        let configured = "[tool.coverage.run]\nbranch = true\n[tool.pytest.ini_options]\n";
        assert!(!names("pyproject.toml", configured, "coverage"));
        for manifest in [
            "[project]\ndependencies = [\"coverage>=7\"]",
            "[project.optional-dependencies]\ntest = [\"coverage[toml] ; python_version > '3'\"]",
            "[dependency-groups]\ntests = [{include-group = \"x\"}, \"Coverage\"]",
            "[tool.poetry.group.dev.dependencies]\ncoverage = \"7\"",
            "[tool.uv]\ndev-dependencies = [\"coverage\"]",
        ] {
            assert!(names("a/pyproject.toml", manifest, "coverage"), "{manifest}");
            assert!(!names("a/pyproject.toml", manifest, "pytest"), "{manifest}");
        }
        assert!(names("package.json", r#"{"devDependencies": {"jest-junit": "1"}}"#, "jest-junit"));
        assert!(!names("package.json", r#"{"jest-junit": {}}"#, "jest-junit"));
        assert!(names(
            "composer.json",
            r#"{"require-dev": {"pestphp/pest": "1"}}"#,
            "pestphp/pest"
        ));
    }

    #[test]
    fn lines_of_requirements_are_read() {
        let text = "-e .[socks]\npytest>=2.8.0,<9\npytest_cov # why\n# black\n[coverage:run]\n";
        assert!(names("requirements-dev.txt", text, "pytest"));
        assert!(names("requirements-dev.txt", text, "pytest-cov"));
        assert!(!names("requirements-dev.txt", text, "black"));
        assert!(!names("setup.cfg", text, "coverage"));
        assert!(names("Gemfile", "gem \"rspec\", '~> 3'\n", "rspec"));
        assert!(!names("Gemfile", "gem 'rspec_junit_formatter'", "rspec"));
        assert!(names("setup.py", "tests_require=['pytest>=3', 'mock'],", "pytest"));
    }
}
