//! Bringing the work of a run into the user's checkout, as the user.

use std::path::Path;

use windlass_core::id::ObjectId;

use super::git_error::GitError;
use super::process::{Finished, Git};
use super::user::{Head, UserRepository};
use super::user_environment::UserEnvironment;

/// How many files a refusal names.
const MOST_NAMED: usize = 8;

/// How many paths one call of git gets; a command line has an end.
const MOST_PATHS: usize = 500;

/// How the work came into the checkout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenHow {
    /// The checkout has it already.
    Nothing,
    /// Nothing happened there since the run began.
    FastForward,
    /// Both were joined by a commit.
    Merge,
}

impl TakenHow {
    /// Returns the word for other programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::FastForward => "fast_forward",
            Self::Merge => "merge",
        }
    }
}

/// What was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// How.
    pub how: TakenHow,
    /// How many commits of the run are new in the checkout.
    pub commits: u64,
    /// Where the checkout is now.
    pub head: ObjectId,
    /// The branch that is checked out; none on a detached HEAD.
    pub into: Option<String>,
}

/// Why nothing was taken. The checkout is as it was.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum TakeError {
    #[error("there is no branch `{branch}` in this repository")]
    NoBranch { branch: String },
    #[error("your checkout has changes that are not committed: {}", listed(paths))]
    Dirty { paths: Vec<String> },
    #[error("`{branch}` would overwrite files that git does not track: {}", listed(paths))]
    Untracked { branch: String, paths: Vec<String> },
    #[error("`{branch}` and your checkout changed the same lines: {}", listed(paths))]
    Conflicts { branch: String, paths: Vec<String> },
    #[error("git does not merge `{branch}`: {said}")]
    Refused { branch: String, said: String },
    #[error("the repository cannot be read")]
    Git(#[from] GitError),
}

fn listed(paths: &[String]) -> String {
    let named: Vec<&str> = paths.iter().take(MOST_NAMED).map(String::as_str).collect();
    match paths.len().saturating_sub(MOST_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Brings a branch into the user's checkout: by a fast-forward, else by a merge that has no conflicts.
///
/// Untracked files are no obstacle, unless the branch has files of the same names.
///
/// # Errors
/// Something would be lost or has to be decided by a person. Nothing is changed then.
pub fn take(user: &UserRepository, branch: &str) -> Result<Taken, TakeError> {
    let git = || as_the_user(&user.top_level);
    let reference = format!("refs/heads/{branch}");
    let found = git().args(["rev-parse", "--verify", "--quiet", &reference]).run_to_end()?;
    if found.code != 0 {
        return Err(TakeError::NoBranch { branch: branch.to_owned() });
    }
    let into = match &user.head {
        Head::Branch(name) => Some(name.clone()),
        Head::Detached => None,
    };
    let counted = git().args(["rev-list", "--count", &reference, "--not", "HEAD"]).run()?;
    let commits: u64 = counted.line()?.trim().parse().unwrap_or(0);
    let taken = |how| {
        let head = git().args(["rev-parse", "--verify", "HEAD"]).run()?.line()?;
        Ok(Taken { how, commits, head: ObjectId::from(head.as_str()), into: into.clone() })
    };
    if commits == 0 {
        return taken(TakenHow::Nothing);
    }
    let changed = git()
        .args(["status", "--porcelain", "-z", "--no-renames", "--untracked-files=no"])
        .run()?;
    let paths: Vec<String> =
        records(&changed).map(|record| record.get(3..).unwrap_or(&record).to_owned()).collect();
    if !paths.is_empty() {
        return Err(TakeError::Dirty { paths });
    }
    let paths = untracked_in_the_way(user, &reference)?;
    if !paths.is_empty() {
        return Err(TakeError::Untracked { branch: branch.to_owned(), paths });
    }
    let behind = git().args(["merge-base", "--is-ancestor", "HEAD", &reference]).run_to_end()?;
    let (how, merge) = if behind.code == 0 {
        (TakenHow::FastForward, vec!["merge".to_owned(), "--ff-only".to_owned()])
    } else {
        refuse_conflicts(&reference, branch, user)?;
        let message = format!("Merge branch '{branch}'");
        (TakenHow::Merge, vec!["merge".to_owned(), "-m".to_owned(), message])
    };
    // By its full name: a tag of the same name would be merged instead.
    let merged = git().args(&merge).args(["--quiet", &reference]).run_to_end()?;
    if merged.code != 0 {
        // An index that was being merged goes back; where nothing had begun, there is nothing to abort.
        let _ = git().args(["merge", "--abort"]).run_to_end();
        let said = merged.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        return Err(TakeError::Refused { branch: branch.to_owned(), said });
    }
    taken(how)
}

/// Returns the files that git does not track and the branch would replace. Git itself keeps untracked ones,
/// and overwrites ignored ones without a word.
fn untracked_in_the_way(user: &UserRepository, reference: &str) -> Result<Vec<String>, GitError> {
    let git = || as_the_user(&user.top_level);
    let added = git()
        .args(["diff", "--name-only", "-z", "--no-renames", "--diff-filter=A", "HEAD", reference])
        .run()?;
    let mut spots = std::collections::BTreeSet::new();
    for path in records(&added) {
        // A file where the branch has a folder is in the way as well.
        let above = Path::new(&path).ancestors().skip(1);
        for folder in above.filter(|folder| !folder.as_os_str().is_empty()) {
            let there = user.top_level.join(folder).symlink_metadata();
            if there.is_ok_and(|there| !there.is_dir()) {
                spots.insert(folder.to_string_lossy().into_owned());
            }
        }
        if user.top_level.join(&path).symlink_metadata().is_ok() {
            spots.insert(path);
        }
    }
    let spots: Vec<String> = spots.into_iter().collect();
    let mut found = Vec::new();
    for some in spots.chunks(MOST_PATHS) {
        let others = git()
            .args(["--literal-pathspecs", "ls-files", "--others", "-z", "--"])
            .args(some)
            .run()?;
        found.extend(records(&others));
    }
    Ok(found)
}

fn refuse_conflicts(reference: &str, branch: &str, user: &UserRepository) -> Result<(), TakeError> {
    let tried = as_the_user(&user.top_level)
        .args([
            "merge-tree",
            "--write-tree",
            "--name-only",
            "--no-messages",
            "-z",
            "HEAD",
            reference,
        ])
        .run_to_end()?;
    match tried.code {
        0 => Ok(()),
        // The first record is the tree.
        1 => Err(TakeError::Conflicts {
            branch: branch.to_owned(),
            paths: records(&tried).skip(1).collect(),
        }),
        _ => Err(tried.into_error().into()),
    }
}

fn records(answer: &Finished) -> impl Iterator<Item = String> {
    let records = answer.stdout.split(|&byte| byte == 0).filter(|record| !record.is_empty());
    records
        .map(|record| String::from_utf8_lossy(record).into_owned())
        .collect::<Vec<_>>()
        .into_iter()
}

/// The user's own git, without hooks: nobody who takes work wants to run what came with it.
fn as_the_user(folder: &Path) -> Git {
    Git::to_a_remote(folder, UserEnvironment::inherited().variables())
}
