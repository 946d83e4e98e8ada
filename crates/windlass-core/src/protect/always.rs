//! What is protected in every run, whatever its workflow says.
//!
//! These files judge later work or tell later agents what to do, so a change to one outlives the run that
//! made it; or they change what a fresh clone gets, so that what was proven is not what others have.

use super::Protected;

/// Globs that hold always. They are compared without regard to case, because on many machines `claude.md` is
/// `CLAUDE.md`; but not below folders, where `docs/agents.md` is a page for people.
pub const ALWAYS: [&str; 66] = [
    // Workflows, roles, platforms and settings of windlass; papers of a run are no part of the code.
    ".windlass/**",
    // What agents are told and what their programs run.
    "**/.claude/**",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "GEMINI.md",
    "**/CLAUDE.md",
    "**/CLAUDE.local.md",
    "**/AGENTS.md",
    "**/AGENTS.override.md",
    "**/GEMINI.md",
    "**/.mcp.json",
    ".codex/**",
    ".gemini/**",
    ".cursor/**",
    ".cursorrules",
    ".windsurf/**",
    ".windsurfrules",
    ".clinerules",
    ".clinerules/**",
    ".roo/**",
    ".roorules",
    ".continue/**",
    ".opencode/**",
    "opencode.json",
    "opencode.jsonc",
    ".aider.conf.yml",
    ".agents/**",
    ".github/copilot-instructions.md",
    ".github/instructions/**",
    // What a clone gets.
    "**/.gitattributes",
    ".gitmodules",
    ".lfsconfig",
    // Hooks of git that a repository brings.
    ".githooks/**",
    ".husky/**",
    // Continuous integration, and who has to review.
    ".github/workflows/**",
    ".github/actions/**",
    ".github/CODEOWNERS",
    "CODEOWNERS",
    "docs/CODEOWNERS",
    ".gitlab-ci.yml",
    ".gitlab-ci.yaml",
    ".gitlab/ci/**",
    ".gitlab/CODEOWNERS",
    ".circleci/**",
    ".forgejo/**",
    ".gitea/**",
    ".woodpecker/**",
    ".woodpecker.{yml,yaml}",
    ".drone.{yml,yaml,star,jsonnet}",
    ".travis.yml",
    ".buildkite/**",
    ".builds/**",
    ".build.yml",
    ".ci/**",
    ".cirrus.{yml,star}",
    ".semaphore/**",
    ".teamcity/**",
    "Jenkinsfile*",
    "azure-pipelines.{yml,yaml}",
    ".azure-pipelines/**",
    "bitbucket-pipelines.yml",
    "appveyor.yml",
    ".appveyor.yml",
    "buildspec.{yml,yaml}",
    "cloudbuild.{yml,yaml,json}",
];

/// What always holds, in a line for agents.
pub const IN_SHORT: &str = "`.windlass/` (but not your papers in `.windlass/run/`), what agents are told \
    (`.claude/`, `CLAUDE.md`, `AGENTS.md` and their like), git attributes, modules and hooks, and CI files";

/// The folder of a run, which holds papers and copies.
pub(super) const RUN_FOLDER: &str = ".windlass/run/";

/// Returns whether a glob is compared without regard to case.
pub(super) fn in_any_case(glob: &str) -> bool {
    !glob.strip_prefix("**/").is_some_and(|name| name.starts_with(char::is_uppercase))
}

/// Returns the rules.
pub(super) fn rules() -> impl Iterator<Item = Protected> {
    ALWAYS.into_iter().map(Protected::whole)
}
