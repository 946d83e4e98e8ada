//! What programs do with their words.

pub(super) const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh"];

pub(super) const INTERPRETERS: [&str; 19] = [
    "node", "nodejs", "deno", "bun", "python", "python2", "python3", "pypy", "pypy3", "ruby",
    "perl", "php", "lua", "tsx", "ts-node", "Rscript", "pwsh", "julia", "groovy",
];

/// Options of interpreters whose next word is a file that is run first.
pub(super) const PRELOADS: [&str; 6] =
    ["-r", "--require", "--import", "--loader", "--experimental-loader", "--preload"];

/// Options whose value is a file of settings.
pub(super) const SETTINGS: [&str; 28] = [
    "-c",
    "-f",
    "-p",
    "--args-file",
    "--argfile",
    "--cfg",
    "--conf",
    "--config-path",
    "--configuration",
    "--env-file",
    "--file-list",
    "--files-from",
    "--import-map",
    "--options",
    "--opts",
    "--test-list",
    "--testlist",
    "--tests-from",
    "--tsconfig",
    "--config",
    "--file",
    "--makefile",
    "--project",
    "--rcfile",
    "--settings",
    "--config-file",
    "--rootdir",
    "--setup",
];

/// Programs that run tests: a folder that they are given holds some, however it is called.
pub(super) const TEST_RUNNERS: [&str; 30] = [
    "pytest",
    "py.test",
    "unittest",
    "nose2",
    "nosetests",
    "trial",
    "behave",
    "robot",
    "mocha",
    "_mocha",
    "jest",
    "vitest",
    "ava",
    "tap",
    "tape",
    "jasmine",
    "cucumber",
    "playwright",
    "rspec",
    "minitest",
    "prove",
    "bats",
    "shellspec",
    "roundup",
    "phpunit",
    "pest",
    "busted",
    "ctest",
    "testthat",
    "nextest",
];

/// Programs that start the next word, after a word of their own where there is one.
pub(super) const WRAPPERS: [(&str, &[&str]); 14] = [
    ("npx", &[]),
    ("bunx", &[]),
    ("pnpx", &[]),
    ("uvx", &[]),
    ("uv", &["run"]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("rye", &["run"]),
    ("bundle", &["exec"]),
    ("c8", &[]),
    ("nyc", &[]),
    ("cross-env", &[]),
];

/// Programs that run what a file of a fixed name says.
pub(super) const RUNNERS: [(&str, &[&str]); 15] = [
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("gmake", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"]),
    ("rake", &["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"]),
    ("tox", &["tox.ini", "tox.toml"]),
    ("nox", &["noxfile.py"]),
    ("invoke", &["tasks.py"]),
    ("inv", &["tasks.py"]),
    ("doit", &["dodo.py"]),
    ("scons", &["SConstruct"]),
    ("ninja", &["build.ninja"]),
    ("gulp", &["gulpfile.js", "gulpfile.mjs", "gulpfile.ts"]),
    ("grunt", &["Gruntfile.js", "Gruntfile.coffee"]),
    ("mage", &["magefile.go"]),
];

pub(super) const PACKAGE_MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Programs that say nothing about what a project is made with.
pub(super) const COMMON: [&str; 9] =
    ["mkdir", "echo", "find", "xargs", "cd", "sh", "env", "cat", "test"];

/// Programs that look at files and run none: what they are given is the work.
pub(super) const LOOKERS: [&str; 47] = [
    "[",
    "[[",
    "awk",
    "biome",
    "black",
    "cat",
    "chmod",
    "clang-format",
    "cmp",
    "cp",
    "diff",
    "echo",
    "egrep",
    "eslint",
    "exit",
    "find",
    "flake8",
    "git",
    "grep",
    "gofmt",
    "head",
    "isort",
    "jq",
    "ls",
    "mkdir",
    "mv",
    "mypy",
    "oxlint",
    "prettier",
    "printf",
    "pylint",
    "pyright",
    "rg",
    "rm",
    "rubocop",
    "ruff",
    "rustfmt",
    "sed",
    "shellcheck",
    "standard",
    "tail",
    "tar",
    "test",
    "touch",
    "tsc",
    "wc",
    "tee",
];

/// Programs that print files: what others make of their output stands in these.
pub(super) const READERS: [&str; 9] =
    ["cat", "grep", "egrep", "head", "tail", "sort", "uniq", "sed", "shuf"];

/// Programs that look for what a file says.
pub(super) const OF_PATTERNS: [&str; 8] =
    ["grep", "egrep", "fgrep", "rg", "sed", "awk", "gawk", "jq"];

/// Programs that look at the work by settings.
pub(super) const LINTERS: [&str; 18] = [
    "biome",
    "black",
    "clang-format",
    "eslint",
    "flake8",
    "isort",
    "mypy",
    "oxlint",
    "prettier",
    "pylint",
    "pyright",
    "rubocop",
    "ruff",
    "rustfmt",
    "shellcheck",
    "standard",
    "stylelint",
    "tsc",
];
