//! Giving the user's checkout back when a run does not start after all.

use super::git_error::GitError;
use super::place::Place;
use super::process::Git;
use super::user::{Head, UserRepository};

impl Place {
    /// Puts HEAD back to where the user had it, and removes the run's branch.
    ///
    /// Only for a run that has done nothing yet: no file changes.
    pub fn leave(&self, user: &UserRepository) -> Result<(), GitError> {
        let reference = format!("refs/heads/{}", self.branch());
        match &user.head {
            Head::Branch(branch) => {
                let back = format!("refs/heads/{branch}");
                Git::at(&user.git_dir).args(["symbolic-ref", "HEAD", &back]).run()?;
            }
            Head::Detached => {
                let back = user.commit.as_str();
                Git::at(&user.git_dir).args(["update-ref", "--no-deref", "HEAD", back]).run()?;
            }
        }
        Git::at(&user.git_dir).args(["update-ref", "-d", &reference]).run()?;
        Ok(())
    }
}
