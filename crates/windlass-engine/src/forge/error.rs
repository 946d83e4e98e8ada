//! Why something at the forge could not be done, and what a person can do about it.

use std::io;
use std::time::Duration;

use windlass_core::id::ObjectId;

use crate::git::GitError;

/// Why something at the forge could not be done.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are what the message shows")]
pub enum ForgeError {
    /// There is nowhere to push to.
    #[error("the repository has no remote")]
    NoRemote,
    /// There are several remotes and none is called `origin`.
    #[error("the repository has several remotes, and none is called `origin`: {}", names.join(", "))]
    SeveralRemotes { names: Vec<String> },
    /// The remote that was asked for is not there.
    #[error("there is no remote `{wished}` (there is: {})", listed(names))]
    UnknownRemote { wished: String, names: Vec<String> },
    /// Settings of the repository differ from those that were pinned.
    #[error(
        "settings of the repository that decide about a push are not those the run started with: \
         {}; a push would go to {target}",
        changed.join(", ")
    )]
    Settings { changed: Vec<String>, target: String },
    /// The other side did not answer.
    #[error("`{remote}` cannot be reached: {said}")]
    Unreachable { remote: String, said: String },
    /// The other side does not take the user's credentials.
    #[error("`{remote}` refused the credentials: {said}")]
    Credentials { remote: String, said: String },
    /// There is no such repository, or it may not be seen.
    #[error("`{remote}` is not a repository that can be seen: {said}")]
    NoRepository { remote: String, said: String },
    /// A rule or hook of the other side said no.
    #[error("the remote refused the branch `{branch}`: {said}")]
    Refused { branch: String, said: String },
    /// Somebody else moved the branch.
    #[error(
        "the branch `{branch}` at the remote was moved by someone else: it is at {}{}, not at {}",
        place(found.as_ref()), by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default(),
        place(expected.as_ref())
    )]
    Moved {
        branch: String,
        expected: Option<ObjectId>,
        found: Option<ObjectId>,
        by: Option<String>,
    },
    /// The branch at the remote is no ancestor of the commit.
    #[error("the branch `{branch}` at the remote is at {at}, which {commit} does not follow")]
    NotFastForward { branch: String, at: ObjectId, commit: ObjectId },
    /// A name that no branch can have.
    #[error("`{branch}` cannot be the name of a branch")]
    BranchName { branch: String },
    /// The content of large files could not be pushed.
    #[error("{count} large files could not be pushed: {said}")]
    LargeFiles { count: usize, said: String },
    /// The push failed for another reason.
    #[error("the branch `{branch}` could not be pushed: {said}")]
    Push { branch: String, said: String },
    /// There is no `gh`.
    #[error("`gh` is not installed, or not in PATH")]
    NoGh,
    /// Nobody is signed in with `gh`.
    #[error("`gh` is not signed in: {said}")]
    NotSignedIn { said: String },
    /// There is no such issue.
    #[error("there is no issue {number}: {said}")]
    UnknownIssue { number: u64, said: String },
    /// `gh` answered something else than what it documents.
    #[error("`{call}` answered in an unknown shape: {what}")]
    Garbage { call: String, what: String },
    /// `gh` printed more than any sane answer.
    #[error("`{call}` printed more than {limit} bytes")]
    TooMuch { call: String, limit: usize },
    /// `gh` did not answer in time.
    #[error("`{call}` did not answer within {} s", deadline.as_secs())]
    TimedOut { call: String, deadline: Duration },
    /// `gh` failed for another reason.
    #[error("`{call}` failed with code {code}: {said}")]
    Gh { call: String, code: i32, said: String },
    /// A program could not be run, or a file not be written.
    #[error("{what} failed")]
    Io {
        what: String,
        #[source]
        source: io::Error,
    },
    /// Git failed on this machine.
    #[error("git failed")]
    Git(#[from] GitError),
}

impl ForgeError {
    /// What a person can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoRemote => "add one with `git remote add origin URL`".to_owned(),
            Self::SeveralRemotes { .. } => {
                "make one of them `origin` with `git remote rename NAME origin`".to_owned()
            }
            Self::UnknownRemote { .. } => "`git remote -v` lists them".to_owned(),
            Self::Settings { .. } => {
                "an agent may have changed them: put back what is not yours with \
                 `git config --local --edit`, or leave what you changed yourself, for who resumes \
                 accepts what is told here"
                    .to_owned()
            }
            Self::Unreachable { .. } => {
                "check the network and the address (`git remote -v`), then do it again".to_owned()
            }
            Self::Credentials { .. } => {
                "try `git push --dry-run` by hand: it shows what your git asks for".to_owned()
            }
            Self::NoRepository { .. } => {
                "check the address with `git remote -v`, and that you may see it".to_owned()
            }
            Self::Refused { .. } => {
                "the rules of the remote decide this; the commits are on your local branch, \
                 nothing is lost"
                    .to_owned()
            }
            Self::Moved { branch, .. } => format!(
                "look at it with `git fetch` and `git log FETCH_HEAD..{branch}`; windlass pushes \
                 over nobody's work"
            ),
            Self::NotFastForward { .. } => {
                "windlass never forces a push: merge or rename the branch at the remote".to_owned()
            }
            Self::BranchName { .. } => "`git help check-ref-format` says which can".to_owned(),
            Self::LargeFiles { .. } => {
                "install git-lfs (`git lfs version` shows it), then do it again".to_owned()
            }
            Self::Push { .. } => "try `git push` by hand: it shows the whole answer".to_owned(),
            Self::NoGh => {
                "install the GitHub CLI, or give the issue's text with `--title` and `--file`"
                    .to_owned()
            }
            Self::NotSignedIn { .. } => {
                "sign in with `gh auth login`, or give the issue's text with `--title` and `--file`"
                    .to_owned()
            }
            Self::UnknownIssue { .. } => "`gh issue list` lists the open ones".to_owned(),
            Self::Garbage { .. } | Self::TooMuch { .. } => {
                "run it by hand to see what it prints; `gh --version` should be 2.17 or newer"
                    .to_owned()
            }
            Self::TimedOut { .. } => "check the network, then do it again".to_owned(),
            Self::Gh { .. } => "run it by hand to see the whole answer".to_owned(),
            Self::Io { .. } | Self::Git(_) => "see the cause above".to_owned(),
        }
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn place(commit: Option<&ObjectId>) -> String {
    commit.map_or_else(|| "no commit".to_owned(), ToString::to_string)
}
