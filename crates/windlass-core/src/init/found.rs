//! What detection found, as a workflow needs it.

use std::collections::BTreeSet;

use super::tried::{Tried, Verdict};
use crate::hint::Opening;
use crate::platform::{
    Choice, CommandName, Detection, LeftOut, Listing, Pack, PinnedPlatform, TOP, Way,
};
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
    /// Coverage can be measured.
    Coverage,
}

impl Purpose {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Lint => "lint",
            Self::Build => "build",
            Self::Coverage => "coverage",
        }
    }
}

/// A command that judges the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundCheck {
    /// What it shows.
    pub purpose: Purpose,
    /// The command, run in the project's folder.
    pub command: String,
    /// Glob of the reports that it writes, relative to the repository: JUnit's, or of coverage.
    pub report: Option<String>,
    /// What says so, for people.
    pub from: Option<String>,
    /// What its room opens besides.
    pub opens: BTreeSet<Opening>,
}

/// One platform in one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The folder, relative to the repository; empty for the repository itself.
    pub folder: String,
    /// The platform, for people.
    pub tool: String,
    /// The platform's name.
    pub platform: String,
    /// The file it was found by, relative to the repository.
    pub file: String,
    /// The command that makes a clean tree ready, and the lock file that it depends on.
    pub prepare: Option<(String, Option<String>)>,
    /// Commands that judge the work.
    pub checks: Vec<FoundCheck>,
    /// The command that measures coverage.
    pub coverage: Option<FoundCheck>,
    /// Commands that there are none of, and why.
    pub missing: Vec<(CommandName, String)>,
    /// Files that judge the work, relative to the folder.
    pub protect: Vec<Protected>,
}

impl Project {
    /// Returns whether one of its commands has this purpose.
    pub fn covers(&self, purpose: Purpose) -> bool {
        self.checks.iter().any(|check| check.purpose == purpose)
    }

    /// Opens something for one of its commands; returns whether it was closed before.
    pub fn open(&mut self, command: &str, opening: &Opening) -> bool {
        let all = self.checks.iter_mut().chain(&mut self.coverage);
        let mut opened = false;
        for check in all.filter(|check| check.command == command) {
            opened |= check.opens.insert(opening.clone());
        }
        opened
    }

    /// Returns the ignored files that its checks need.
    pub(super) fn carries(&self) -> BTreeSet<&str> {
        let opens = self.checks.iter().flat_map(|check| &check.opens);
        let carried = opens.filter_map(|opening| match opening {
            Opening::Carry { path } => Some(path.as_str()),
            Opening::HostNetwork | Opening::Expose { .. } => None,
        });
        carried.collect()
    }
}

/// A command that was found and is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The command.
    pub command: String,
    /// Why it is not taken.
    pub why: String,
}

/// What was found in a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The platforms, that of the repository's own folder first.
    pub projects: Vec<Project>,
    /// Configuration of continuous integration, as globs.
    pub ci: Vec<String>,
    /// What looks like tests and is run by none of them.
    pub left_out: Vec<LeftOut>,
    /// Commands that were tried and are not taken.
    pub dropped: Vec<Dropped>,
    /// Whether tests fail already, so that only new failures can count.
    pub fails_already: bool,
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

impl Found {
    /// Takes what a workflow needs from what was detected.
    pub fn of(detection: &Detection, packs: &[Pack], listing: &Listing) -> Self {
        let ci = CI.iter().filter(|(name, _)| listing.is_at_top(name));
        Self {
            projects: detection
                .pin_each(packs, listing)
                .iter()
                .map(|platform| project(platform, detection, packs, listing))
                .collect(),
            ci: ci.map(|(_, glob)| (*glob).to_owned()).collect(),
            left_out: detection.left_out.clone(),
            dropped: Vec::new(),
            fails_already: false,
        }
    }

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
        let mut seen = BTreeSet::new();
        rules.retain(|rule| seen.insert((rule.file.clone(), rule.keys.clone())));
        rules
    }

    /// Takes out the commands that are not wanted after the trial, and notes why.
    pub fn keep(&mut self, tried: &[Tried]) {
        for one in tried.iter().filter(|one| one.purpose != Purpose::Coverage) {
            let Some(project) = self.projects.get_mut(one.project) else { continue };
            if one.kept {
                self.fails_already |= matches!(one.verdict, Verdict::TestsFail { .. });
                continue;
            }
            project.checks.retain(|check| check.command != one.command);
            let why = one.verdict.why();
            self.dropped.push(Dropped { command: one.command.clone(), why });
        }
    }
}

fn project(
    platform: &PinnedPlatform,
    detection: &Detection,
    packs: &[Pack],
    listing: &Listing,
) -> Project {
    let pack = &platform.pack;
    let original = packs.iter().find(|one| one.name == pack.name);
    let missing = CommandName::ALL.into_iter().filter_map(|name| {
        // What another one lent is there.
        let why = original?.missing(name, &platform.root, listing)?;
        pack.command(name).is_none().then_some((name, why))
    });
    let mut project = Project {
        folder: platform.folder().unwrap_or_default().to_owned(),
        tool: pack.display_name.clone(),
        platform: pack.name.clone(),
        file: found_by(platform, detection),
        prepare: pack
            .command(CommandName::Prepare)
            .map(|way| (way.run.clone(), way.lock.as_ref().map(|lock| platform.path(lock)))),
        checks: Vec::new(),
        coverage: pack.command(CommandName::Coverage).map(|way| FoundCheck {
            purpose: Purpose::Coverage,
            command: way.run.clone(),
            report: way.report.as_ref().map(|glob| platform.path(glob)),
            from: way.from.clone(),
            opens: BTreeSet::new(),
        }),
        missing: missing.collect(),
        protect: if pack.wraps { existing(&pack.protect, platform, listing) } else { Vec::new() },
    };
    let of = [
        (Purpose::Test, CommandName::Test),
        (Purpose::Lint, CommandName::Lint),
        (Purpose::Build, CommandName::Build),
    ];
    for (purpose, name) in of {
        let Some(way) = pack.command(name) else { continue };
        // Whoever runs the tests has built them; a script of the project's own may do more.
        if purpose == Purpose::Build && project.covers(Purpose::Test) && !is_own(way) {
            continue;
        }
        project.protect.extend(existing(&way.protect, platform, listing));
        let report = way.report.as_ref().filter(|_| purpose == Purpose::Test);
        project.checks.push(FoundCheck {
            purpose,
            command: way.run.clone(),
            report: report.map(|glob| platform.path(glob)),
            from: way.from.clone(),
            opens: BTreeSet::new(),
        });
    }
    project
}

fn is_own(way: &Way) -> bool {
    way.from.as_ref().is_some_and(|from| from.contains("scripts."))
}

/// Rules for files that are there, so that nobody reads three names of one Makefile.
fn existing(rules: &[Protected], platform: &PinnedPlatform, listing: &Listing) -> Vec<Protected> {
    let is_there = |rule: &&Protected| {
        rule.file.contains(['*', '{', '[']) || listing.has_file(&platform.root, &rule.file)
    };
    rules.iter().filter(is_there).cloned().collect()
}

/// The marker that the platform was chosen by.
fn found_by(platform: &PinnedPlatform, detection: &Detection) -> String {
    let root = detection.roots.iter().find(|root| root.folder == platform.root);
    let found = root.and_then(|root| {
        let found = root.matches.iter().find(|one| one.pack == platform.pack.name)?;
        found.files.first().cloned()
    });
    found.unwrap_or_else(|| match root.map(|root| &root.choice) {
        Some(Choice::Pack { .. }) | None => TOP.to_owned(),
        Some(Choice::Tie(packs)) => packs.join(", "),
    })
}
