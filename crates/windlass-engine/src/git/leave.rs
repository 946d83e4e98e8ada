//! Giving the user's checkout back when a run does not start after all.

use windlass_core::id::ObjectId;

use super::git_error::GitError;
use super::place::Place;
use super::process::Git;
use super::user::{Head, UserRepository};

impl Place {
    /// Puts HEAD back to where the user had it, and removes the run's branch.
    ///
    /// Only for a run that has done nothing yet: no file changes.
    pub fn leave(&self, user: &UserRepository) -> Result<(), GitError> {
        give_back(user, self.branch(), &user.head, &user.commit)
    }
}

/// Puts HEAD back to `back`, and removes `branch`, which a run made at `base` and did nothing on.
///
/// A branch that somebody has moved since is theirs, and a HEAD that is elsewhere stays there.
pub fn give_back(
    user: &UserRepository,
    branch: &str,
    back: &Head,
    base: &ObjectId,
) -> Result<(), GitError> {
    let reference = format!("refs/heads/{branch}");
    let git = || Git::at(&user.git_dir);
    let tip = git().args(["rev-parse", "--verify", "--quiet", &reference]).run_to_end()?;
    if tip.code != 0 || String::from_utf8_lossy(&tip.stdout).trim_end() != base.as_str() {
        return Ok(());
    }
    let head = git().args(["symbolic-ref", "--quiet", "HEAD"]).run_to_end()?;
    if String::from_utf8_lossy(&head.stdout).trim_end() == reference {
        match back {
            Head::Branch(branch) => {
                let back = format!("refs/heads/{branch}");
                git().args(["symbolic-ref", "HEAD", &back]).run()?;
            }
            Head::Detached => {
                git().args(["update-ref", "--no-deref", "HEAD", base.as_str()]).run()?;
            }
        }
    }
    git().args(["update-ref", "-d", &reference, base.as_str()]).run()?;
    Ok(())
}
