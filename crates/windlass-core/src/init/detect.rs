//! Finding the tools of a repository by their files.

use super::folder::Folder;
use super::{runners, scripts, tools};
use crate::protect::Protected;

/// What a command shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// The tests pass.
    Test,
    /// A linter or a formatter has nothing to say.
    Lint,
    /// It builds.
    Build,
}

/// One tool in one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The folder, relative to the repository; empty for the repository itself.
    pub folder: String,
    /// The tool, for people.
    pub tool: &'static str,
    /// The file it was found by.
    pub file: String,
    /// The command that makes a clean tree ready, and the lock file that it depends on.
    pub prepare: Option<(String, Option<String>)>,
    /// Commands that judge the work.
    pub checks: Vec<(Purpose, String)>,
    /// Files that judge the work, relative to the folder.
    pub protect: Vec<Protected>,
}

impl Project {
    pub(super) fn new(tool: &'static str, file: impl Into<String>) -> Self {
        Self {
            folder: String::new(),
            tool,
            file: file.into(),
            prepare: None,
            checks: Vec::new(),
            protect: Vec::new(),
        }
    }

    pub(super) fn check(mut self, purpose: Purpose, command: impl Into<String>) -> Self {
        self.checks.push((purpose, command.into()));
        self
    }

    pub(super) fn protect(mut self, path: impl Into<String>) -> Self {
        self.protect.push(Protected::whole(path));
        self
    }

    /// Protects some keys of a file whose other keys change with the work.
    pub(super) fn protect_keys(mut self, path: &str, keys: &[&str]) -> Self {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        self.protect.push(Protected::keys(path, keys));
        self
    }

    pub(super) fn prepare(mut self, command: &str, lock: Option<&str>) -> Self {
        self.prepare = Some((command.to_owned(), lock.map(str::to_owned)));
        self
    }

    /// Returns a path of the project as seen from the repository.
    pub(super) fn path(&self, path: &str) -> String {
        if self.folder.is_empty() { path.to_owned() } else { format!("{}/{path}", self.folder) }
    }

    fn covers(&self, purpose: Purpose) -> bool {
        self.checks.iter().any(|(covered, _)| *covered == purpose)
    }
}

/// What was found in a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The tools, those of the repository's own folder first.
    pub projects: Vec<Project>,
    /// Configuration of continuous integration, as globs.
    pub ci: Vec<String>,
}

impl Found {
    /// Returns whether anything found runs tests.
    pub fn has_tests(&self) -> bool {
        self.projects.iter().any(|project| project.covers(Purpose::Test))
    }

    /// Returns everything that judges the work, each once.
    pub fn protect(&self) -> Vec<Protected> {
        let mut rules: Vec<Protected> = self.ci.iter().map(Protected::whole).collect();
        for project in &self.projects {
            let of_project = project.protect.iter();
            rules.extend(of_project.map(|rule| match project.folder.as_str() {
                "" => rule.clone(),
                folder => rule.below(folder),
            }));
        }
        let mut seen = std::collections::BTreeSet::new();
        rules.retain(|rule| seen.insert((rule.file.clone(), rule.keys.clone())));
        rules
    }
}

/// Files and folders that drive continuous integration, and their globs.
const CI: [(&str, &str); 14] = [
    (".github", ".github/**"),
    (".gitlab-ci.yml", ".gitlab-ci.yml"),
    (".gitlab", ".gitlab/**"),
    (".circleci", ".circleci/**"),
    (".forgejo", ".forgejo/**"),
    (".gitea", ".gitea/**"),
    (".woodpecker", ".woodpecker/**"),
    (".woodpecker.yml", ".woodpecker.yml"),
    (".drone.yml", ".drone.yml"),
    (".travis.yml", ".travis.yml"),
    (".buildkite", ".buildkite/**"),
    ("Jenkinsfile", "Jenkinsfile"),
    ("azure-pipelines.yml", "azure-pipelines.yml"),
    ("bitbucket-pipelines.yml", "bitbucket-pipelines.yml"),
];

/// A rule that finds one tool.
type Rule = fn(&Folder) -> Option<Project>;

const RULES: [Rule; 15] = [
    tools::cargo,
    scripts::node,
    scripts::deno,
    tools::python,
    tools::go,
    tools::maven,
    tools::gradle,
    tools::sbt,
    tools::ruby,
    tools::elixir,
    scripts::php,
    tools::dotnet,
    tools::cmake,
    tools::swift,
    tools::dart,
];

/// Rules for programs that run what others build; they fill in what no tool covers.
const RUNNERS: [Rule; 2] = [runners::just, runners::make];

/// Finds the tools of a repository: its own folder first, then folders directly beneath it.
///
/// A tool that is at home in the repository's own folder is not looked for beneath it: a workspace's
/// root command covers its members.
pub fn detect(folders: &[Folder]) -> Found {
    let mut found = Found::default();
    let root = folders.iter().find(|folder| folder.path.is_empty());
    if let Some(root) = root {
        let there = |name: &str| root.has(name) || root.folders.contains(name);
        let ci = CI.iter().filter(|(name, _)| there(name));
        found.ci = ci.map(|(_, glob)| (*glob).to_owned()).collect();
        found.projects = of_folder(root);
    }
    let at_root: Vec<&str> = found.projects.iter().map(|project| project.tool).collect();
    let mut beneath = Vec::new();
    for folder in folders.iter().filter(|folder| is_plain(&folder.path)) {
        let new = of_folder(folder).into_iter().filter(|one| !at_root.contains(&one.tool));
        beneath.extend(new);
    }
    found.projects.extend(beneath);
    found
}

fn of_folder(folder: &Folder) -> Vec<Project> {
    let mut projects: Vec<Project> = RULES.iter().filter_map(|rule| rule(folder)).collect();
    for rule in RUNNERS {
        let Some(mut runner) = rule(folder) else { continue };
        runner.checks.retain(|(purpose, _)| !projects.iter().any(|one| one.covers(*purpose)));
        if !runner.checks.is_empty() {
            projects.push(runner);
        }
    }
    for project in &mut projects {
        project.folder.clone_from(&folder.path);
    }
    projects
}

/// Whether a folder's name means itself in paths, globs and texts with placeholders.
fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with('.')
        && path.chars().all(|c| c.is_alphanumeric() || "._- ".contains(c))
}
