//! The name of a run's branch.

use std::collections::BTreeSet;
use std::time::Duration;

use windlass_core::id::RunId;
use windlass_core::plan::{Issue, Plan, slug::slug};

use crate::forge::Remote;
use crate::git::process::Git;
use crate::git::{GitError, UserRepository};

/// How long the remote is waited for: a start must not hang because somebody is on a train.
const QUICK: Duration = Duration::from_secs(5);

/// Where branches of issues are.
const FOLDER: &str = "feature";

/// The branch of a run that is for an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueBranch {
    /// Its name.
    pub name: String,
    /// The name that it would have, where that one is taken.
    pub taken: Option<String>,
}

impl IssueBranch {
    /// Picks `feature/issue-42-slug`, or the next free number behind it.
    ///
    /// Names count as taken that are branches here or at the remote, if that one answers quickly,
    /// or that belong to a run which has published nothing yet (`in_use`).
    pub fn pick(
        user: &UserRepository,
        issue: &Issue,
        goal: &str,
        in_use: &[String],
    ) -> Result<Self, GitError> {
        let own_words = issue.title.is_empty() && goal != issue.goal();
        let words = if own_words { goal } else { &issue.title };
        let stem = format!("issue-{}-{}", issue.number, slug(words));
        let listed = Git::at(&user.common_dir)
            .args(["for-each-ref", "--format=%(refname:lstrip=2)"])
            .arg(format!("refs/heads/{FOLDER}"))
            .run()?;
        let mut taken: BTreeSet<String> = in_use.iter().cloned().collect();
        taken.extend(String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned));
        // Offline, or without a remote, the push will say whether the name is still free.
        if let Ok(remote) = Remote::of(user, None) {
            let patterns = [FOLDER.to_owned(), format!("{FOLDER}/{stem}*")];
            taken.extend(remote.branches_within(&patterns, QUICK).unwrap_or_default());
        }
        Ok(Self::free(&stem, &taken))
    }

    fn free(stem: &str, taken: &BTreeSet<String>) -> Self {
        // A branch called `feature` leaves no room for branches below it.
        let folder = if taken.contains(FOLDER) { "windlass" } else { FOLDER };
        let wished = format!("{FOLDER}/{stem}");
        let is_free = |name: &String| {
            let below = format!("{name}/");
            !taken.iter().any(|other| other == name || other.starts_with(&below))
        };
        let numbered = (2_u64..).map(|number| format!("{folder}/{stem}-{number}"));
        let mut names = std::iter::once(format!("{folder}/{stem}")).chain(numbered);
        let name = names.find(is_free).unwrap_or_else(|| wished.clone());
        let taken = (name != wished).then_some(wished);
        Self { name, taken }
    }
}

/// The branch of a run that is for no issue.
pub(super) fn of_goal(plan: &Plan, run: &RunId) -> String {
    let words: String = plan
        .goal
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' })
        .collect();
    let slug: Vec<&str> = words.split_whitespace().take(5).collect();
    let slug: String = slug.join("-").chars().take(40).collect();
    match slug.trim_matches('-') {
        "" => format!("windlass/{run}"),
        slug => format!("windlass/{slug}-{run}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(taken: &[&str]) -> IssueBranch {
        IssueBranch::free("issue-42-x", &taken.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn the_next_free_number_is_taken() {
        assert_eq!(free(&["feature/issue-42-xy"]).name, "feature/issue-42-x");
        assert_eq!(free(&["feature/issue-42-xy"]).taken, None);
        let third = free(&["feature/issue-42-x", "feature/issue-42-x-2"]);
        assert_eq!(third.name, "feature/issue-42-x-3");
        assert_eq!(third.taken.as_deref(), Some("feature/issue-42-x"));
    }

    #[test]
    fn a_branch_that_stands_in_the_way_is_gone_around() {
        assert_eq!(free(&["feature"]).name, "windlass/issue-42-x");
        assert_eq!(free(&["feature/issue-42-x/deep"]).name, "feature/issue-42-x-2");
    }
}
