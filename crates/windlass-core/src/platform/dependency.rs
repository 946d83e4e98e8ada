//! Whether a manifest names a package as a dependency.
//!
//! A tool that is only configured (`[tool.coverage]`) is not installed by that.

use serde_json::Value;

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
    use super::names;

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
