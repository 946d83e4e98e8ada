//! What is protected in every run, whatever its workflow says.
//!
//! These files judge later work or tell later agents what to do, so a change to one outlives the run that
//! made it; or they change what a fresh clone gets, so that what was proven is not what others have.

use super::Protected;

/// Globs that hold always. They are compared without regard to case, because on many machines `claude.md` is
/// `CLAUDE.md`; but not below folders, where `docs/agents.md` is a page for people.
pub const ALWAYS: [&str; 75] = [
    // Workflows, roles, platforms and settings of windlass; papers of a run are no part of the code.
    ".windlass/**",
    // What agents are told and what their programs run.
    "**/.claude/**",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "GEMINI.md",
    "QWEN.md",
    "**/CLAUDE.md",
    "**/CLAUDE.local.md",
    "**/AGENTS.md",
    "**/AGENTS.override.md",
    "**/GEMINI.md",
    "**/QWEN.md",
    "**/.mcp.json",
    "**/.codex/**",
    "**/.gemini/**",
    "**/.qwen/**",
    "**/.cursor/**",
    ".cursorrules",
    "**/.windsurf/**",
    ".windsurfrules",
    ".clinerules",
    ".clinerules/**",
    "**/.roo/**",
    ".roorules",
    "**/.continue/**",
    "**/.opencode/**",
    "opencode.json",
    "opencode.jsonc",
    ".aider.conf.yml",
    "**/.agents/**",
    ".github/copilot-instructions.md",
    ".github/instructions/**",
    ".github/prompts/**",
    ".github/agents/**",
    ".github/chatmodes/**",
    ".github/skills/**",
    "**/.junie/**",
    "**/.kiro/**",
    "**/.amazonq/**",
    "**/.augment/**",
    ".augment-guidelines",
    "**/.trae/**",
    "**/.zed/**",
    ".rules",
    "WARP.md",
    ".goosehints",
    "**/.goose/**",
    "**/.crush/**",
    "CRUSH.md",
    ".idx/**",
    "**/.factory/**",
    ".claude-plugin/**",
    ".vscode/mcp.json",
    ".aiderrules",
    "AGENT.md",
    // What a clone gets.
    "**/.gitattributes",
    ".gitmodules",
    ".lfsconfig",
    // Hooks of git that a repository brings.
    ".githooks/**",
    ".husky/**",
    "{.,}lefthook{-local,}.{yml,yaml,toml,json}",
    // What runs for whoever opens the folder.
    "**/.envrc",
    "{.,}mise{.local,}.toml",
    ".vscode/tasks.json",
    ".vscode/launch.json",
    "*.code-workspace",
    ".zed/tasks.json",
    "{.idea/runConfigurations,.run}/**",
    "**/{.exrc,.nvimrc,.nvim.lua,.lvimrc,.dir-locals.el,.gdbinit,.lldbinit}",
    ".devcontainer{.json,/**}",
    // Who has to review.
    ".github/CODEOWNERS",
    "CODEOWNERS",
    "docs/CODEOWNERS",
    ".gitlab/CODEOWNERS",
];

/// The same for what is asked about at the next gate: continuous integration judges later, and elsewhere, so
/// that nothing that windlass itself proves depends on it.
pub const LATER: [&str; 35] = [
    ".pre-commit-config.yaml",
    ".github/workflows/**",
    ".github/actions/**",
    ".gitlab-ci.yml",
    ".gitlab-ci.yaml",
    ".gitlab/ci/**",
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
    ".tekton/**",
    ".azuredevops/**",
    "netlify.toml",
    "vercel.json",
    "render.yaml",
    "fly.toml",
    ".vscode/settings.json",
];

/// What always holds, in a line for agents.
pub const IN_SHORT: &str = "`.windlass/` (but not your documents in `.windlass/run/`), what agents are told \
    (`.claude/`, `CLAUDE.md`, `AGENTS.md` and their like), git attributes, modules and hooks, and CI files";

/// The folder of a run, which holds papers and copies.
pub(super) const RUN_FOLDER: &str = ".windlass/run/";

/// Returns whether a glob is compared without regard to case.
pub(super) fn in_any_case(glob: &str) -> bool {
    !glob.strip_prefix("**/").is_some_and(|name| name.starts_with(char::is_uppercase))
}

/// Returns the rules.
pub(super) fn rules() -> impl Iterator<Item = Protected> {
    let later = |glob| Protected { later: true, ..Protected::whole(glob) };
    ALWAYS.into_iter().map(Protected::whole).chain(LATER.into_iter().map(later))
}
