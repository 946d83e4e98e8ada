//! The names of dependencies, out of the files that package managers know.
//!
//! Only names are read: which version, from where and whether it is installed is nobody's question
//! here. Files that are programs (`build.gradle`, `Gemfile`, `mix.exs`) are not run; what stands in
//! them in the usual form is seen, and a name that is put together at run time is not.

use std::sync::LazyLock;

use regex::Regex;

use crate::measure::xml::{Document, Part};

/// Why a manifest says nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` cannot be read: {why}")]
pub struct ManifestError {
    /// The file.
    pub path: String,
    /// What is wrong with it.
    pub why: String,
}

/// How dependencies are written down.
#[derive(Clone, Copy)]
enum Form {
    PackageJson,
    ComposerJson,
    CargoToml,
    Pyproject,
    Requirements,
    GoMod,
    Pom,
    Csproj,
    Gradle,
    Gemfile,
    Mix,
}

/// Returns whether a file of this name lists dependencies.
pub fn is_manifest(path: &str) -> bool {
    form(path).is_some()
}

fn form(path: &str) -> Option<Form> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match name {
        "package.json" => Form::PackageJson,
        "composer.json" => Form::ComposerJson,
        "Cargo.toml" => Form::CargoToml,
        "pyproject.toml" => Form::Pyproject,
        "go.mod" => Form::GoMod,
        "pom.xml" => Form::Pom,
        "build.gradle" | "build.gradle.kts" => Form::Gradle,
        "Gemfile" => Form::Gemfile,
        "mix.exs" => Form::Mix,
        _ if name.ends_with(".csproj") => Form::Csproj,
        _ if name.starts_with("requirements") && name.ends_with(".txt") => Form::Requirements,
        _ => return None,
    })
}

/// Returns the names of the dependencies that a manifest lists; none for a file of another kind.
pub(super) fn dependencies(path: &str, text: &str) -> Result<Vec<String>, ManifestError> {
    let Some(form) = form(path) else { return Ok(Vec::new()) };
    let read = match form {
        Form::PackageJson => json_keys(
            text,
            &["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"],
        ),
        Form::ComposerJson => json_keys(text, &["require", "require-dev"]),
        Form::CargoToml => cargo(text),
        Form::Pyproject => pyproject(text),
        Form::Pom => pom(text),
        Form::Csproj => csproj(text),
        Form::Requirements => Ok(text.lines().filter_map(requirement).collect()),
        Form::GoMod => Ok(go_mod(text)),
        Form::Gradle => Ok(captures(&GRADLE, text)),
        Form::Gemfile => Ok(captures(&GEM, text)),
        Form::Mix => Ok(captures(&MIX, text)),
    };
    read.map_err(|why| ManifestError { path: path.to_owned(), why })
}

fn json_keys(text: &str, groups: &[&str]) -> Result<Vec<String>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let lists = groups.iter().filter_map(|group| value.get(group)?.as_object());
    Ok(lists.flat_map(|list| list.keys().cloned()).collect())
}

fn table(text: &str) -> Result<toml::Table, String> {
    text.parse::<toml::Table>().map_err(|error| error.message().to_owned())
}

fn cargo(text: &str) -> Result<Vec<String>, String> {
    let root = table(text)?;
    let mut names = Vec::new();
    crates(&root, &mut names);
    if let Some(workspace) = root.get("workspace").and_then(toml::Value::as_table) {
        crates(workspace, &mut names);
    }
    let targets = root.get("target").and_then(toml::Value::as_table);
    for target in targets.into_iter().flatten().filter_map(|(_, target)| target.as_table()) {
        crates(target, &mut names);
    }
    Ok(names)
}

fn crates(table: &toml::Table, names: &mut Vec<String>) {
    for group in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let Some(listed) = table.get(group).and_then(toml::Value::as_table) else { continue };
        for (name, dependency) in listed {
            // Under another name here, it is still what it is.
            let package = dependency.get("package").and_then(toml::Value::as_str);
            names.push(package.unwrap_or(name).to_owned());
        }
    }
}

fn pyproject(text: &str) -> Result<Vec<String>, String> {
    let root = table(text)?;
    let at = |path: &[&str]| -> Option<&toml::Value> {
        let mut value = root.get(path[0])?;
        for key in &path[1..] {
            value = value.get(key)?;
        }
        Some(value)
    };
    let mut names: Vec<String> = Vec::new();
    let lists = [at(&["project", "dependencies"]), at(&["build-system", "requires"])];
    let groups = [at(&["project", "optional-dependencies"]), at(&["dependency-groups"])];
    let groups = groups.into_iter().flatten().filter_map(toml::Value::as_table);
    let lists = lists.into_iter().flatten().chain(groups.flat_map(toml::Table::values));
    for list in lists.filter_map(toml::Value::as_array) {
        names.extend(list.iter().filter_map(|one| requirement(one.as_str()?)));
    }
    let poetry = at(&["tool", "poetry"]);
    let groups = poetry.and_then(|poetry| poetry.get("group")?.as_table());
    let groups = groups.into_iter().flat_map(toml::Table::values);
    for group in poetry.into_iter().chain(groups) {
        for key in ["dependencies", "dev-dependencies"] {
            let listed = group.get(key).and_then(toml::Value::as_table);
            names.extend(listed.into_iter().flat_map(toml::Table::keys).cloned());
        }
    }
    Ok(names)
}

/// Reads the name at the beginning of a line such as `boto3[crt]>=1.34 ; python_version > "3.9"`.
fn requirement(line: &str) -> Option<String> {
    let line = line.trim();
    if line.starts_with(['#', '-']) {
        return None;
    }
    let belongs = |sign: char| sign.is_ascii_alphanumeric() || ['-', '_', '.'].contains(&sign);
    let name: String = line.chars().take_while(|sign| belongs(*sign)).collect();
    (!name.is_empty()).then_some(name)
}

fn go_mod(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let required = line.strip_prefix("require").map(str::trim);
        match (required, inside) {
            (Some(rest), _) if rest.starts_with('(') => inside = true,
            (Some(rest), false) => names.extend(rest.split_whitespace().next().map(str::to_owned)),
            (_, true) if line.starts_with(')') => inside = false,
            (_, true) => names.extend(line.split_whitespace().next().map(str::to_owned)),
            (None, false) => {}
        }
    }
    names
}

fn pom(text: &str) -> Result<Vec<String>, String> {
    let mut document = Document::new(text);
    let (mut open, mut group, mut artifact) = (Vec::new(), String::new(), String::new());
    let mut names = Vec::new();
    loop {
        match document.next().map_err(|error| error.to_string())? {
            Part::Open(element) => {
                if element.name() == "dependency" {
                    (group, artifact) = (String::new(), String::new());
                }
                open.push(element.name().to_owned());
            }
            Part::Text(words) => match open.as_slice() {
                [.., around, name] if around == "dependency" && name == "groupId" => {
                    group.push_str(words.trim());
                }
                [.., around, name] if around == "dependency" && name == "artifactId" => {
                    artifact.push_str(words.trim());
                }
                _ => {}
            },
            Part::Close => {
                if open.pop().as_deref() == Some("dependency") {
                    names.push(format!("{group}:{artifact}"));
                }
            }
            Part::End => return Ok(names),
        }
    }
}

fn csproj(text: &str) -> Result<Vec<String>, String> {
    let mut document = Document::new(text.trim_start_matches('\u{feff}'));
    let mut names = Vec::new();
    loop {
        match document.next().map_err(|error| error.to_string())? {
            Part::Open(element) if element.name() == "PackageReference" => {
                names.extend(element.text("Include"));
            }
            Part::Open(_) | Part::Text(_) | Part::Close => {}
            Part::End => return Ok(names),
        }
    }
}

static GRADLE: LazyLock<Regex> = LazyLock::new(|| {
    let configurations = "api|implementation|compileOnly|runtimeOnly|annotationProcessor|kapt|ksp";
    pattern(&format!(
        r#"^\s*(?:test|androidTest|debug|release)?(?i:{configurations})\s*\(?\s*(?:platform\()?["']([^"':]+:[^"':]+)"#
    ))
});
static GEM: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^\s*gem\s*\(?\s*["']([^"']+)"#));
static MIX: LazyLock<Regex> = LazyLock::new(|| pattern(r"\{\s*:([a-z_0-9]+)\s*,"));

fn pattern(text: &str) -> Regex {
    let built = regex::RegexBuilder::new(text).multi_line(true).build();
    built.expect("the patterns of this file are right: a test uses all of them")
}

fn captures(pattern: &Regex, text: &str) -> Vec<String> {
    let found = pattern.captures_iter(text);
    found.filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, text: &str) -> String {
        dependencies(path, text).unwrap().join(" ")
    }

    #[test]
    fn names_are_read_from_every_kind_of_manifest() {
        let json = r#"{"name": "stripe-shop", "dependencies": {"@aws-sdk/client-s3": "3"},
            "devDependencies": {"jest": "1"}, "scripts": {"kafka": "x"}}"#;
        assert_eq!(names("web/package.json", json), "@aws-sdk/client-s3 jest");
        let json = r#"{"require": {"stripe/stripe-php": "*"}, "require-dev": {"a/b": "*"}}"#;
        assert_eq!(names("composer.json", json), "stripe/stripe-php a/b");
        let cargo = "[package]\nname = \"s3\"\n[dependencies]\nserde = \"1\"\n\
            pay = {package = \"async-stripe\", version = \"1\"}\n[dev-dependencies.lettre]\nversion = \"1\"\n\
            [workspace.dependencies]\naws-sdk-s3 = \"1\"\n[target.'cfg(unix)'.dependencies]\nnix = \"1\"\n";
        assert_eq!(names("Cargo.toml", cargo), "async-stripe serde lettre aws-sdk-s3 nix");
        let python = "[project]\nname = \"x\"\ndependencies = [\n \"boto3[crt]>=1.34\", # s3\n \"flask\"]\n\
            [project.optional-dependencies]\npay = [\"stripe ~= 9\"]\n[dependency-groups]\n\
            dev = [\"pytest\", {include-group = \"pay\"}]\n[tool.poetry.dependencies]\npython = \"3\"\n\
            [tool.poetry.group.dev.dependencies]\ntwilio = \"*\"\n";
        assert_eq!(names("pyproject.toml", python), "boto3 flask stripe pytest python twilio");
        let text =
            "# boto3\n-r other.txt\nstripe==9\n  twilio ; python_version > '3'\n\n--hash=x\n";
        assert_eq!(names("requirements-dev.txt", text), "stripe twilio");
        let go = "module x\nrequire github.com/stripe/stripe-go/v76 v76.1.0\nrequire (\n\
            \tgithub.com/IBM/sarama v1.4 // indirect\n)\nreplace a => b\n";
        assert_eq!(names("go.mod", go), "github.com/stripe/stripe-go/v76 github.com/IBM/sarama");
        let pom = "<project><groupId>kafka</groupId><dependencies><dependency>\
            <groupId>com.stripe</groupId><artifactId>stripe-java</artifactId></dependency></dependencies></project>";
        assert_eq!(names("pom.xml", pom), "com.stripe:stripe-java");
        let csproj = r#"<Project><ItemGroup><PackageReference Include="Azure.Storage.Blobs" Version="1"/></ItemGroup></Project>"#;
        assert_eq!(names("src/App.csproj", csproj), "Azure.Storage.Blobs");
        let gradle = "dependencies {\n  implementation 'com.stripe:stripe-java:24.0'\n\
            \n  testImplementation(\"com.twilio.sdk:twilio:9\")\n  // implementation 'a:b:1'\n}\n";
        assert_eq!(
            names("build.gradle.kts", gradle),
            "com.stripe:stripe-java com.twilio.sdk:twilio"
        );
        assert_eq!(
            names("Gemfile", "gem 'stripe', '~> 10'\n# gem 'x'\ngem(\"bunny\")\n"),
            "stripe bunny"
        );
        assert_eq!(names("mix.exs", "[{:amqp, \"~> 3\"}, {:brod, \"1\"}]"), "amqp brod");
        assert_eq!(names("README.md", "stripe"), "");
    }

    #[test]
    fn a_broken_manifest_is_named_with_what_is_wrong() {
        for (path, text) in [
            ("package.json", "{"),
            ("Cargo.toml", "[dependencies\n"),
            ("pyproject.toml", "= 1"),
            ("a/pom.xml", "<project><dependency>"),
        ] {
            let error = dependencies(path, text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{path}` cannot be read: ")), "{error}");
        }
    }
}
