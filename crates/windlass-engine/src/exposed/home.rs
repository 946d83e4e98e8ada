//! What tools keep in a home: programs, toolchains and caches, by subfolder.
//!
//! A home holds keys beside caches (`~/.cargo/credentials.toml`, `~/.m2/settings.xml`, `~/.npmrc`), so
//! a folder is listed only as far down as there is nothing else in it. Registries of daemons
//! (`~/.gradle/daemon`) are on no list: a daemon outside would do the work on another tree.

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

pub(super) fn look(around: &Around<'_>, exposed: &mut Exposed) {
    let Some(home) = around.home() else { return };
    for (folders, how) in [(PROGRAMS, How::Programs), (CACHES, How::Cache)] {
        for path in folders.iter().map(|folder| home.join(folder)).filter(|path| path.is_dir()) {
            exposed.show(&path, how, around.hidden);
        }
    }
}
