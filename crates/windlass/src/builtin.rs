//! The workflows, the roles and the platforms that come with windlass.

/// A workflow that comes with windlass.
#[derive(Debug)]
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
}

/// Those that `windlass run` starts, the one that most people want first.
pub(crate) const ALL: [BuiltIn; 5] = [
    BuiltIn { name: "change", source: include_str!("../workflows/change.yaml") },
    BuiltIn { name: "autonomous", source: include_str!("../workflows/autonomous.yaml") },
    BuiltIn { name: "feature", source: include_str!("../workflows/feature.yaml") },
    BuiltIn { name: "fix", source: include_str!("../workflows/fix.yaml") },
    BuiltIn { name: "docs", source: include_str!("../workflows/docs.yaml") },
];

/// Those that a command of its own starts: `windlass story implement`, `windlass review`.
pub(crate) const OF_COMMANDS: [BuiltIn; 2] = [
    BuiltIn { name: "story", source: include_str!("../workflows/story.yaml") },
    BuiltIn { name: "review", source: include_str!("../workflows/review.yaml") },
];

/// Returns every built-in workflow.
pub(crate) fn all() -> impl Iterator<Item = &'static BuiltIn> {
    ALL.iter().chain(&OF_COMMANDS)
}

/// Returns the built-in workflow of this name.
pub(crate) fn find(name: &str) -> Option<&'static BuiltIn> {
    all().find(|builtin| builtin.name == name)
}

/// A role that comes with windlass.
#[derive(Debug)]
pub(crate) struct BuiltInRole {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
}

macro_rules! role {
    ($name:literal) => {
        BuiltInRole { name: $name, source: include_str!(concat!("../agents/", $name, ".md")) }
    };
}

/// All of them: those for any repository and those for stories, then those of the `feature` workflow.
pub(crate) const ROLES: [BuiltInRole; 20] = [
    role!("planner"),
    role!("developer"),
    role!("reviewer"),
    role!("tester"),
    role!("test-writer"),
    role!("writer"),
    role!("analyst"),
    role!("architect"),
    role!("security"),
    role!("devops"),
    role!("architect-planner"),
    role!("ui-designer"),
    role!("api-architect"),
    role!("postgresql-architect"),
    role!("spring-boot-developer"),
    role!("angular-frontend-developer"),
    role!("test-engineer"),
    role!("security-auditor"),
    role!("code-reviewer"),
    role!("architect-reviewer"),
];

/// Returns the built-in role of this name.
pub(crate) fn find_role(name: &str) -> Option<&'static BuiltInRole> {
    ROLES.iter().find(|role| role.name == name)
}

/// A platform that comes with windlass.
#[derive(Debug)]
pub(crate) struct BuiltInPlatform {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
}

macro_rules! platform {
    ($name:literal) => {
        BuiltInPlatform {
            name: $name,
            source: include_str!(concat!("../platforms/", $name, "/platform.json")),
        }
    };
}

/// All of them, one family after the other.
pub(crate) const PLATFORMS: [BuiltInPlatform; 23] = [
    platform!("rust"),
    platform!("node-npm"),
    platform!("node-pnpm"),
    platform!("node-yarn"),
    platform!("node-bun"),
    platform!("python-pip"),
    platform!("python-poetry"),
    platform!("python-uv"),
    platform!("go"),
    platform!("java-maven"),
    platform!("java-gradle"),
    platform!("dotnet"),
    platform!("ruby"),
    platform!("php"),
    platform!("elixir"),
    platform!("cmake"),
    platform!("autotools"),
    platform!("deno"),
    platform!("sbt"),
    platform!("swift"),
    platform!("dart"),
    platform!("just"),
    platform!("make"),
];

/// Returns the built-in platform of this name.
pub(crate) fn find_platform(name: &str) -> Option<&'static BuiltInPlatform> {
    PLATFORMS.iter().find(|platform| platform.name == name)
}
