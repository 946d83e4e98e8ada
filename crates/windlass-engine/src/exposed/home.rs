//! What tools keep in a home: programs, toolchains and caches, by subfolder.
//!
//! A home holds keys beside caches (`~/.cargo/credentials.toml`, `~/.m2/settings.xml`, `~/.npmrc`), so
//! a folder is listed only as far down as there is nothing else in it. Registries of daemons
//! (`~/.gradle/daemon`) are on no list: a daemon outside would do the work on another tree.

use std::path::Path;

use super::{Around, Exposed, How};

/// Programs and toolchains.
const PROGRAMS: &[&str] = &[
    ".asdf",
    ".bun/bin",
    ".cabal/bin",
    ".cargo/bin",
    ".deno/bin",
    ".dotnet",
    ".fnm",
    ".ghcup",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/rtx",
    ".local/share/uv/python",
    ".local/share/uv/tools",
    ".nvm",
    ".opam",
    ".phpbrew",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rvm",
    ".sdkman",
    ".stack/programs",
    ".volta",
    "go/bin",
    "anaconda3",
    "mambaforge",
    "miniconda3",
    "miniforge3",
];

/// Caches of downloads, and of builds whose entries are named by what they were built from.
const CACHES: &[&str] = &[
    ".bun/install",
    ".cabal/packages",
    ".cabal/store",
    ".cache/Cypress",
    ".cache/ccache",
    ".cache/composer",
    ".cache/coursier",
    ".cache/deno",
    ".cache/electron",
    ".cache/fontconfig",
    ".cache/go-build",
    ".cache/ms-playwright",
    ".cache/node",
    ".cache/pip",
    ".cache/pipenv",
    ".cache/pnpm",
    ".cache/puppeteer",
    ".cache/pypoetry",
    ".cache/uv",
    ".cache/yarn",
    ".cargo/git",
    ".cargo/registry",
    ".composer/cache",
    ".gem/ruby",
    ".gradle/caches",
    ".gradle/wrapper",
    ".hex/packages",
    ".ivy2/cache",
    ".julia/packages",
    ".local/share/pnpm",
    ".m2/repository",
    ".m2/wrapper",
    ".mix",
    ".npm/_cacache",
    ".nuget/packages",
    ".pub-cache/hosted",
    ".sbt/boot",
    ".stack/snapshots",
    ".yarn/berry",
    "go/pkg",
];

/// Caches of downloads that a tool makes by itself where they are not there yet, by its program. In a room
/// they are layers, so that nothing of them reaches the home.
const MADE_BY: &[(&str, &[&str])] = &[
    ("bun", &[".bun/install/cache"]),
    ("cargo", &[".cargo/git", ".cargo/registry"]),
    ("composer", &[".cache/composer"]),
    ("dart", &[".pub-cache/hosted"]),
    ("deno", &[".cache/deno"]),
    ("dotnet", &[".nuget/packages"]),
    ("go", &[".cache/go-build", "go/pkg"]),
    ("java", &[".gradle/caches", ".gradle/wrapper", ".m2/repository", ".m2/wrapper"]),
    ("mix", &[".hex/packages", ".mix"]),
    ("npm", &[".npm/_cacache"]),
    ("pip3", &[".cache/pip"]),
    ("pnpm", &[".cache/pnpm"]),
    ("poetry", &[".cache/pypoetry"]),
    ("sbt", &[".cache/coursier", ".ivy2/cache", ".sbt/boot"]),
    ("uv", &[".cache/uv"]),
    ("yarn", &[".cache/yarn", ".yarn/berry"]),
];

/// Shows caches that are not there yet, of tools that are: as empty ones that take writes.
fn look_for_new(around: &Around<'_>, exposed: &mut Exposed, home: &Path) {
    let path = around.variable("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(path).filter(|f| f.is_absolute()).collect();
    for (program, caches) in MADE_BY {
        if !folders.iter().any(|folder| folder.join(program).is_file()) {
            continue;
        }
        for cache in caches.iter().map(|cache| home.join(cache)) {
            if cache.symlink_metadata().is_err() {
                exposed.show_new(&cache);
            }
        }
    }
}

pub(super) fn look(around: &Around<'_>, exposed: &mut Exposed) {
    let Some(home) = around.home() else { return };
    for (folders, how) in [(PROGRAMS, How::Programs), (CACHES, How::Cache)] {
        for path in folders.iter().map(|folder| home.join(folder)).filter(|path| path.is_dir()) {
            exposed.show(&path, how, around.hidden);
        }
    }
    look_for_new(around, exposed, &home);
}
