//! Pushing the run's branch.
//!
//! Git has no push that compares the remote's branch with an expected value and yet refuses to go
//! back: its lease is a permission to force. So the two halves are put together here. That the
//! commit follows what is expected is checked before, on this machine; that the remote is where it
//! is expected is checked by the remote, in the push itself. What passes both is a fast-forward.

use std::time::Duration;

use windlass_core::id::ObjectId;

use super::error::ForgeError;
use super::large_files;
use super::remote::{Remote, reference_of};
use super::said::kept;
use crate::git::process::{Finished, Git};

/// How long a push may take: a first push of a large repository over a slow line takes long.
const PUSH: Duration = Duration::from_secs(30 * 60);

/// What to push.
#[derive(Clone, Debug)]
pub struct PushRequest {
    /// The branch at the remote.
    pub branch: String,
    /// Where it shall be.
    pub commit: ObjectId,
    /// Where windlass last saw it; none when it must not exist.
    pub expected: Option<ObjectId>,
}

impl Remote {
    /// Moves the branch at the remote from `expected` to `commit`, forwards only.
    ///
    /// A branch that is there already is success: an earlier call got that far.
    pub fn push(&self, request: &PushRequest) -> Result<(), ForgeError> {
        let PushRequest { branch, commit, expected } = request;
        let reference = reference_of(branch)?;
        let found = self.remote_branch(branch)?;
        if found.as_ref() == Some(commit) {
            return Ok(());
        }
        if found != *expected {
            return Err(self.moved(request, found));
        }
        if let Some(at) = expected
            && !self.follows(at, commit)?
        {
            let (branch, at, commit) = (branch.clone(), at.clone(), commit.clone());
            return Err(ForgeError::NotFastForward { branch, at, commit });
        }
        large_files::push(self, commit, expected.as_ref())?;
        let lease = expected.as_ref().map_or("", ObjectId::as_str);
        let pushed = self
            .git()
            .deadline(PUSH)
            .args(["push", "--porcelain", "--no-progress", "--no-verify", "--no-follow-tags"])
            .args(["--recurse-submodules=no", "--no-signed", "--no-force-if-includes"])
            .arg(format!("--force-with-lease={reference}:{lease}"))
            .args(["--", &self.target, &format!("{commit}:{reference}")])
            .run_to_end();
        let pushed = self.spoken(pushed)?;
        if pushed.code == 0 { Ok(()) } else { self.why_not(request, &reference, &pushed) }
    }

    fn follows(&self, older: &ObjectId, newer: &ObjectId) -> Result<bool, ForgeError> {
        let asked = ["merge-base", "--is-ancestor", older.as_str(), newer.as_str()];
        let answer = Git::at(&self.common_dir).args(asked).run_to_end()?;
        match answer.code {
            0 => Ok(true),
            1 => Ok(false),
            // A commit that is not on this machine is nobody's ancestor here.
            _ if answer.stderr.contains("Not a valid commit name") => Ok(false),
            _ => Err(answer.into_error().into()),
        }
    }

    /// Reads the answer of `git push --porcelain`: `!`, from and to, and a summary in one line.
    fn why_not(
        &self,
        request: &PushRequest,
        reference: &str,
        pushed: &Finished,
    ) -> Result<(), ForgeError> {
        let answer = String::from_utf8_lossy(&pushed.stdout);
        let summary = answer.lines().find_map(|line| {
            let mut fields = line.split('\t');
            let (flag, names, summary) = (fields.next()?, fields.next()?, fields.next()?);
            (flag == "!" && names.ends_with(reference)).then_some(summary)
        });
        let said = kept(&format!("{}\n{}", summary.unwrap_or_default(), pushed.stderr));
        let branch = request.branch.clone();
        match summary {
            Some(summary) if summary.starts_with("[remote rejected]") => {
                Err(ForgeError::Refused { branch, said })
            }
            Some(_) => {
                // Somebody was faster than this push, or an earlier one of windlass got through.
                let found = self.remote_branch(&request.branch)?;
                if found.as_ref() == Some(&request.commit) {
                    Ok(())
                } else if found == request.expected {
                    Err(ForgeError::Push { branch, said })
                } else {
                    Err(self.moved(request, found))
                }
            }
            None => Err(self.failure(&pushed.stderr).unwrap_or(ForgeError::Push { branch, said })),
        }
    }

    fn moved(&self, request: &PushRequest, found: Option<ObjectId>) -> ForgeError {
        let (branch, expected) = (request.branch.clone(), request.expected.clone());
        let by = found.as_ref().and_then(|commit| self.committer_of(commit));
        ForgeError::Moved { branch, expected, found, by }
    }

    /// Who made a commit, where it is on this machine already.
    fn committer_of(&self, commit: &ObjectId) -> Option<String> {
        let asked = ["log", "-1", "--no-show-signature", "--format=%cn", commit.as_str()];
        let answer = Git::at(&self.common_dir).args(asked).run().ok()?;
        answer.line().ok().map(|name| kept(&name)).filter(|name| !name.is_empty())
    }
}
