//! Tools whose commands follow from the files that are there.

use super::detect::{Project, Purpose};
use super::folder::Folder;

pub(super) fn cargo(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["Cargo.toml"])?;
    let mut project = Project::new("Rust", file).check(Purpose::Test, "cargo test");
    // Clippy and rustfmt are parts of a toolchain that not everybody has: only who configures them
    // surely uses them.
    if folder.first(&["clippy.toml", ".clippy.toml"]).is_some() {
        project = project.check(Purpose::Lint, "cargo clippy --all-targets -- -D warnings");
    }
    if folder.first(&["rustfmt.toml", ".rustfmt.toml"]).is_some() {
        project = project.check(Purpose::Lint, "cargo fmt --check");
    }
    Some(locked(project, folder, &["rust-toolchain", "rust-toolchain.toml"]))
}

/// Protects those of the files that are there.
fn locked(mut project: Project, folder: &Folder, files: &[&str]) -> Project {
    for file in files.iter().filter(|file| folder.has(file)) {
        project = project.protect(*file);
    }
    project
}

pub(super) fn python(folder: &Folder) -> Option<Project> {
    let found_by = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "tox.ini"];
    let file = folder.first(&found_by)?;
    let said = |word: &str| found_by.iter().any(|name| folder.text(name).contains(word));
    let mut project = Project::new("Python", file);
    let prefix = if folder.has("uv.lock") {
        project = project.prepare("uv sync --frozen", Some("uv.lock"));
        "uv run "
    } else if folder.has("poetry.lock") {
        project = project.prepare("poetry install --no-interaction", Some("poetry.lock"));
        "poetry run "
    } else if folder.has("Pipfile.lock") {
        project = project.prepare("pipenv sync --dev", Some("Pipfile.lock"));
        "pipenv run "
    } else {
        ""
    };
    let python = if prefix.is_empty() { "python3 -m " } else { prefix };
    let has_pytest = said("pytest")
        || folder.text("requirements-dev.txt").contains("pytest")
        || folder.first(&["pytest.ini", "conftest.py"]).is_some();
    if has_pytest {
        project = project.check(Purpose::Test, format!("{python}pytest"));
    } else if folder.folders.contains("tests") || folder.folders.contains("test") {
        project = project.check(Purpose::Test, format!("{prefix}python3 -m unittest discover"));
    }
    if said("[tool.ruff") || folder.first(&["ruff.toml", ".ruff.toml"]).is_some() {
        project = project.check(Purpose::Lint, format!("{prefix}ruff check ."));
    }
    if said("[tool.mypy") || folder.has("mypy.ini") {
        project = project.check(Purpose::Lint, format!("{prefix}mypy ."));
    }
    let judges = ["pytest.ini", "tox.ini", "mypy.ini"];
    Some(locked(project, folder, &judges))
}

pub(super) fn go(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["go.mod"])?;
    let project = Project::new("Go", file)
        .check(Purpose::Test, "go test ./...")
        .check(Purpose::Lint, "go vet ./...");
    Some(locked(project, folder, &["go.work"]))
}

pub(super) fn maven(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["pom.xml"])?;
    let wrapper = folder.has("mvnw");
    let command = if wrapper { "./mvnw -q verify" } else { "mvn -q verify" };
    let project = Project::new("Maven", file)
        .check(Purpose::Test, command)
        .protect_keys(file, &["project.build", "project.profiles", "project.modules"]);
    Some(if wrapper { project.protect("mvnw").protect(".mvn/**") } else { project })
}

pub(super) fn gradle(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["build.gradle", "build.gradle.kts", "settings.gradle"])?;
    let wrapper = folder.has("gradlew");
    let command = if wrapper { "./gradlew check" } else { "gradle check" };
    let project = Project::new("Gradle", file).check(Purpose::Test, command).protect(file);
    Some(if wrapper { project.protect("gradlew").protect("gradle/wrapper/**") } else { project })
}

pub(super) fn sbt(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["build.sbt"])?;
    Some(Project::new("sbt", file).check(Purpose::Test, "sbt test").protect(file))
}

pub(super) fn ruby(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["Gemfile"])?;
    let lock = folder.first(&["Gemfile.lock"]);
    let mut project = Project::new("Ruby", file).prepare("bundle install", lock);
    if folder.folders.contains("spec") || folder.has(".rspec") {
        project = project.check(Purpose::Test, "bundle exec rspec");
    } else if folder.folders.contains("test") && folder.has("Rakefile") {
        project = project.check(Purpose::Test, "bundle exec rake test").protect("Rakefile");
    }
    if folder.has(".rubocop.yml") {
        project = project.check(Purpose::Lint, "bundle exec rubocop").protect(".rubocop.yml");
    }
    Some(locked(project, folder, &[".rspec"]))
}

pub(super) fn elixir(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["mix.exs"])?;
    let lock = folder.first(&["mix.lock"]);
    let mut project =
        Project::new("Elixir", file).prepare("mix deps.get", lock).check(Purpose::Test, "mix test");
    if folder.has(".formatter.exs") {
        project = project.check(Purpose::Lint, "mix format --check-formatted");
    }
    Some(locked(project, folder, &[".formatter.exs"]))
}

pub(super) fn dotnet(folder: &Folder) -> Option<Project> {
    let endings = [".sln", ".slnx", ".csproj", ".fsproj"];
    let file = endings.iter().find_map(|ending| folder.ending(ending))?;
    let project = Project::new(".NET", file).check(Purpose::Test, "dotnet test");
    Some(locked(project, folder, &["global.json", "Directory.Build.props"]))
}

pub(super) fn cmake(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["CMakeLists.txt"])?;
    let build = "cmake -S . -B build && cmake --build build";
    let text = folder.text(file);
    let has_tests = text.contains("enable_testing") || text.contains("include(CTest)");
    Some(if has_tests {
        let test = format!("{build} && ctest --test-dir build --output-on-failure");
        Project::new("CMake", file).check(Purpose::Test, test).protect(file)
    } else {
        Project::new("CMake", file).check(Purpose::Build, build)
    })
}

pub(super) fn swift(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["Package.swift"])?;
    let project = Project::new("Swift", file).check(Purpose::Test, "swift test");
    Some(locked(project, folder, &["Package.resolved"]))
}

pub(super) fn dart(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["pubspec.yaml"])?;
    let tool = if folder.text(file).contains("flutter:") { "flutter" } else { "dart" };
    let lock = folder.first(&["pubspec.lock"]);
    let mut project = Project::new("Dart", file)
        .prepare(&format!("{tool} pub get"), lock)
        .check(Purpose::Lint, format!("{tool} analyze"));
    if folder.folders.contains("test") {
        project = project.check(Purpose::Test, format!("{tool} test"));
    }
    Some(locked(project, folder, &["pubspec.lock", "analysis_options.yaml"]))
}
