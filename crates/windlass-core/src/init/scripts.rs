//! Tools whose commands a manifest names: only scripts that are there are used.

use super::detect::{Project, Purpose};
use super::folder::Folder;

/// Names of scripts, and what each shows.
const NAMES: [(&str, Purpose); 6] = [
    ("test", Purpose::Test),
    ("lint", Purpose::Lint),
    ("typecheck", Purpose::Lint),
    ("type-check", Purpose::Lint),
    ("check", Purpose::Lint),
    ("build", Purpose::Build),
];

pub(super) fn node(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["package.json"])?;
    let (program, install, lock) = package_manager(folder);
    // The manifest says what `test` means, so changing that changes the judge; dependencies are work.
    let judging = ["scripts", "type", "jest", "mocha", "ava", "vitest"];
    let mut project =
        Project::new("Node", file).prepare(install, lock).protect_keys(file, &judging);
    let scripts = folder.scripts(file);
    for (name, purpose) in NAMES {
        let Some(runs) = scripts.get(name) else { continue };
        // What `npm init` writes where there are no tests.
        if !runs.contains("no test specified") {
            project = project.check(purpose, format!("{program} run {name}"));
        }
    }
    Some(project)
}

/// The program, the command that installs what the lock file names, and that file.
fn package_manager(folder: &Folder) -> (&'static str, &'static str, Option<&'static str>) {
    let said = |name: &str| folder.text("package.json").contains(&format!("\"{name}@"));
    if folder.has("pnpm-lock.yaml") {
        ("pnpm", "pnpm install --frozen-lockfile", Some("pnpm-lock.yaml"))
    } else if folder.has("yarn.lock") {
        let modern = folder.has(".yarnrc.yml");
        let install =
            if modern { "yarn install --immutable" } else { "yarn install --frozen-lockfile" };
        ("yarn", install, Some("yarn.lock"))
    } else if let Some(lock) = folder.first(&["bun.lock", "bun.lockb"]) {
        ("bun", "bun install --frozen-lockfile", Some(lock))
    } else if let Some(lock) = folder.first(&["package-lock.json", "npm-shrinkwrap.json"]) {
        ("npm", "npm ci", Some(lock))
    } else if said("pnpm") {
        ("pnpm", "pnpm install", None)
    } else if said("yarn") {
        ("yarn", "yarn install", None)
    } else {
        ("npm", "npm install", None)
    }
}

pub(super) fn deno(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["deno.json", "deno.jsonc"])?;
    let project = Project::new("Deno", file)
        .check(Purpose::Test, "deno test")
        .check(Purpose::Lint, "deno lint");
    Some(match file {
        "deno.json" => project.protect_keys(file, &["tasks", "test", "lint"]),
        // Nobody reads keys out of JSON with comments.
        _ => project,
    })
}

pub(super) fn php(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["composer.json"])?;
    let lock = folder.first(&["composer.lock"]);
    let mut project = Project::new("PHP", file)
        .prepare("composer install --no-interaction --no-progress", lock)
        .protect_keys(file, &["scripts", "config", "autoload", "autoload-dev"]);
    let scripts = folder.scripts(file);
    if scripts.contains_key("test") {
        project = project.check(Purpose::Test, "composer test");
    } else if let Some(config) = folder.first(&["phpunit.xml", "phpunit.xml.dist"]) {
        project = project.check(Purpose::Test, "vendor/bin/phpunit").protect(config);
    }
    if scripts.contains_key("lint") {
        project = project.check(Purpose::Lint, "composer lint");
    }
    Some(project)
}
