//! The remote that a run is published to.

use std::path::PathBuf;
use std::time::Duration;

use windlass_core::id::ObjectId;

use super::address::Address;
use super::error::ForgeError;
use super::said::{Cause, cause, kept, without_credentials};
use crate::git::UserEnvironment;
use crate::git::process::{Finished, Git};
use crate::git::{GitError, UserRepository};

/// How long a question to the remote may take; over a slow line ssh alone takes seconds.
const QUESTION: Duration = Duration::from_secs(60);

/// A remote of the user's repository.
#[derive(Clone, Debug)]
pub struct Remote {
    pub(super) checkout: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) environment: UserEnvironment,
    pub(super) name: String,
    /// What git is given: the name, or the address when pushes go elsewhere than fetches do.
    pub(super) target: String,
    url: String,
    pub(super) address: Option<Address>,
}

/// What pull requests at a remote can be for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets {
    /// Its default branch.
    pub default: Option<String>,
    /// Whether the branch that was asked about is there.
    pub has_branch: bool,
    /// Whether the remote said so itself; else it is what was last fetched.
    pub answered: bool,
}

impl Remote {
    /// Finds the remote to publish to: the wished one, else `origin`, else the only one.
    pub fn of(user: &UserRepository, wished: Option<&str>) -> Result<Self, ForgeError> {
        Self::with(user, wished, UserEnvironment::inherited())
    }

    /// As [`Remote::of`], in another environment than that of this process.
    pub fn with(
        user: &UserRepository,
        wished: Option<&str>,
        environment: UserEnvironment,
    ) -> Result<Self, ForgeError> {
        let git = || Git::to_a_remote(&user.top_level, environment.variables());
        let names: Vec<String> =
            git().arg("remote").run()?.line()?.lines().map(str::to_owned).collect();
        let name = match wished {
            Some(wished) if names.iter().any(|name| name == wished) => wished.to_owned(),
            Some(wished) => {
                return Err(ForgeError::UnknownRemote { wished: wished.to_owned(), names });
            }
            None if names.iter().any(|name| name == "origin") => "origin".to_owned(),
            None => match names.as_slice() {
                [] => return Err(ForgeError::NoRemote),
                [only] => only.clone(),
                _ => return Err(ForgeError::SeveralRemotes { names }),
            },
        };
        let url = git().args(["remote", "get-url", "--", &name]).run()?.line()?;
        let push = git().args(["remote", "get-url", "--push", "--", &name]).run()?.line()?;
        // An address that is rewritten (`insteadOf`) may say less than the one before.
        let configured = |key: &str| {
            let asked = git().args(["config", "--get", &format!("remote.{name}.{key}")]);
            asked.run_to_end().ok().filter(|answer| answer.code == 0)?.line().ok()
        };
        let address = Address::parse(&push)
            .or_else(|| Address::parse(&configured("pushurl").or_else(|| configured("url"))?));
        Ok(Self {
            checkout: user.top_level.clone(),
            common_dir: user.common_dir.clone(),
            address,
            target: if push == url { name.clone() } else { push.clone() },
            url: push,
            name,
            environment,
        })
    }

    /// What the user calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where pushes go, without credentials.
    pub fn url(&self) -> String {
        without_credentials(&self.url)
    }

    /// `host/owner/repository`, where the address is one of a forge.
    pub fn slug(&self) -> Option<String> {
        self.address.as_ref().map(Address::slug)
    }

    /// The page on which a person opens a pull request of `branch` into `base`.
    pub fn compare_url(&self, base: &str, branch: &str) -> Option<String> {
        Some(self.address.as_ref()?.compare_url(base, branch))
    }

    /// Counts the commits that the remote did not have when it was last fetched from; none where
    /// nothing is known of it. Asks nobody.
    pub fn unknown_commits(&self, commit: &ObjectId) -> Result<Option<u64>, ForgeError> {
        let there = format!("refs/remotes/{}/", self.name);
        let refs = self.git().args(["for-each-ref", "--count=1", "--format=x", "--", &there]);
        if refs.run()?.stdout.is_empty() {
            return Ok(None);
        }
        let remotes = format!("--remotes={}", self.name);
        let count = self.git().args(["rev-list", "--count", commit.as_str(), "--not", &remotes]);
        Ok(String::from_utf8_lossy(&count.run()?.stdout).trim().parse().ok())
    }

    /// Asks where `branch` is at the remote.
    pub fn remote_branch(&self, branch: &str) -> Result<Option<ObjectId>, ForgeError> {
        self.remote_branch_within(branch, QUESTION)
    }

    /// As [`Remote::remote_branch`], with a time after which the remote counts as unreachable.
    pub fn remote_branch_within(
        &self,
        branch: &str,
        deadline: Duration,
    ) -> Result<Option<ObjectId>, ForgeError> {
        let reference = reference_of(branch)?;
        let asked = self.git().deadline(deadline).args(["ls-remote", "--quiet", "--"]);
        let answer = self.spoken(asked.arg(&self.target).arg(&reference).run_to_end())?;
        if answer.code != 0 {
            return Err(self.failure(&answer.stderr).unwrap_or_else(|| answer.into_error().into()));
        }
        // A pattern of ls-remote matches the end of a name, so other references may be listed.
        let text = String::from_utf8_lossy(&answer.stdout);
        let mut lines = text.lines().filter_map(|line| line.split_once('\t'));
        Ok(lines.find(|(_, name)| *name == reference).map(|(commit, _)| ObjectId::from(commit)))
    }

    /// Asks which branch is the default of the remote, and whether `branch` is there. Where it does not
    /// answer in time, what was last fetched counts.
    pub fn targets_within(&self, branch: &str, deadline: Duration) -> Result<Targets, ForgeError> {
        let reference = reference_of(branch)?;
        let asked = self.git().deadline(deadline).args(["ls-remote", "--quiet", "--symref", "--"]);
        let answer = asked.arg(&self.target).args(["HEAD", &reference]).run_to_end();
        if let Ok(answer) = answer
            && answer.code == 0
        {
            let text = String::from_utf8_lossy(&answer.stdout);
            let default = text
                .lines()
                .filter_map(|line| line.strip_prefix("ref: refs/heads/")?.strip_suffix("\tHEAD"))
                .next();
            let has = |line: &str| line.split_once('\t').is_some_and(|(_, name)| name == reference);
            return Ok(Targets {
                default: default.map(str::to_owned),
                has_branch: text.lines().any(has),
                answered: true,
            });
        }
        let known = |name: String| {
            let asked = self.git().args(["rev-parse", "--verify", "--quiet", &name]).run_to_end();
            asked.is_ok_and(|answer| answer.code == 0)
        };
        let head = format!("refs/remotes/{}/HEAD", self.name);
        let default = self.git().args(["symbolic-ref", "--quiet", &head]).run_to_end()?;
        let prefix = format!("refs/remotes/{}/", self.name);
        let default = String::from_utf8_lossy(&default.stdout).trim().to_owned();
        Ok(Targets {
            default: default.strip_prefix(&prefix).map(str::to_owned),
            has_branch: known(format!("{prefix}{branch}")),
            answered: false,
        })
    }

    /// Lists the branches that match patterns, or says within the deadline why it cannot.
    pub fn branches_within(
        &self,
        patterns: &[String],
        deadline: Duration,
    ) -> Result<Vec<String>, ForgeError> {
        let asked = self.git().deadline(deadline).args(["ls-remote", "--quiet", "--"]);
        let patterns = patterns.iter().map(|pattern| format!("refs/heads/{pattern}"));
        let answer = self.spoken(asked.arg(&self.target).args(patterns).run_to_end())?;
        if answer.code != 0 {
            return Err(self.failure(&answer.stderr).unwrap_or_else(|| answer.into_error().into()));
        }
        let text = String::from_utf8_lossy(&answer.stdout);
        let names = text.lines().filter_map(|line| line.split_once("\trefs/heads/"));
        Ok(names.map(|(_, name)| name.to_owned()).collect())
    }

    pub(super) fn git(&self) -> Git {
        Git::to_a_remote(&self.checkout, self.environment.variables())
    }

    /// Gives a deadline that passed its meaning here: the remote cannot be reached.
    pub(super) fn spoken(&self, ended: Result<Finished, GitError>) -> Result<Finished, ForgeError> {
        ended.map_err(|error| match error {
            GitError::TimedOut { .. } => ForgeError::Unreachable {
                remote: self.name.clone(),
                said: "it did not answer in time".to_owned(),
            },
            other => other.into(),
        })
    }

    /// Reads from git's words why it failed, where they tell.
    pub(super) fn failure(&self, stderr: &str) -> Option<ForgeError> {
        let (remote, said) = (self.name.clone(), kept(stderr));
        match cause(stderr) {
            Cause::Credentials => Some(ForgeError::Credentials { remote, said }),
            Cause::Network => Some(ForgeError::Unreachable { remote, said }),
            Cause::Repository => Some(ForgeError::NoRepository { remote, said }),
            Cause::Other => None,
        }
    }
}

/// Returns the whole name of a branch, if a branch can have that name.
pub(super) fn reference_of(branch: &str) -> Result<String, ForgeError> {
    let reference = format!("refs/heads/{branch}");
    let bad = || ForgeError::BranchName { branch: kept(branch) };
    // A dash in front is legal in a reference, and trouble for everyone who types it.
    if branch.starts_with('-') || branch.contains('\0') {
        return Err(bad());
    }
    let checked = Git::anywhere().args(["check-ref-format", &reference]).run_to_end()?;
    if checked.code == 0 { Ok(reference) } else { Err(bad()) }
}
