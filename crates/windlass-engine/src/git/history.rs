//! Commits that are there, read back.

use windlass_core::id::ObjectId;
use windlass_core::time::Timestamp;

use super::engine_repository::EngineRepository;
use super::git_error::GitError;
use super::place::Place;
use super::process::Git;
use super::publish::PublishError;
use super::user::UserRepository;

/// A commit of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryCommit {
    /// The commit.
    pub id: ObjectId,
    /// The one before it.
    pub parent: ObjectId,
    /// Its files.
    pub tree: ObjectId,
    /// The moment that it names.
    pub at: Timestamp,
    /// Its message.
    pub message: String,
}

impl HistoryCommit {
    /// Returns the values of a trailer.
    pub fn trailers(&self, name: &str) -> impl Iterator<Item = &str> {
        self.message.lines().filter_map(move |line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

impl UserRepository {
    /// Returns the first lines of the last commits up to `commit`, the newest first.
    ///
    /// # Errors
    /// Git fails.
    pub fn subjects_before(&self, commit: &ObjectId, most: usize) -> Result<Vec<String>, GitError> {
        let log = Git::at(&self.common_dir)
            .args(["log", "--no-show-signature", "--no-decorate", "--format=%s"])
            .arg(format!("--max-count={most}"))
            .args([commit.as_str(), "--"])
            .run()?;
        Ok(String::from_utf8_lossy(&log.stdout).lines().map(str::to_owned).collect())
    }
}

impl EngineRepository {
    /// Returns the commits of a run from `base` (without it) to `head`, the oldest first.
    ///
    /// # Errors
    /// Git fails, or says what it never says.
    pub fn commits_since(
        &self,
        base: &ObjectId,
        head: &ObjectId,
    ) -> Result<Vec<HistoryCommit>, GitError> {
        let range = format!("{base}..{head}");
        let log = self
            .git()
            .args(["log", "--first-parent", "--reverse", "--no-show-signature", "-z"])
            .args(["--format=%H%n%P%n%T%n%ct%n%B", &range, "--"])
            .run()?;
        let text = String::from_utf8_lossy(&log.stdout).into_owned();
        let commits = text.split('\0').filter(|text| !text.is_empty());
        commits.map(|text| parse(text).ok_or_else(|| log.unexpected())).collect()
    }
}

fn parse(text: &str) -> Option<HistoryCommit> {
    let mut parts = text.splitn(5, '\n');
    let (id, parent, tree) = (parts.next()?, parts.next()?, parts.next()?);
    let seconds: i64 = parts.next()?.parse().ok()?;
    Some(HistoryCommit {
        id: ObjectId::new(id),
        // Commits of windlass have one.
        parent: ObjectId::new(parent.split(' ').next()?),
        tree: ObjectId::new(tree),
        at: Timestamp(seconds.checked_mul(1000)?),
        message: parts.next()?.to_owned(),
    })
}

impl Place {
    /// Copies commits of the engine into the user's repository, whose trees are there already.
    ///
    /// # Errors
    /// An object cannot be read or written.
    pub fn hand_over(
        &self,
        user: &UserRepository,
        commits: &[ObjectId],
    ) -> Result<(), PublishError> {
        self.copy_to_user(user, commits)
    }
}
