//! The forge side: reading an issue, pushing the run's branch, opening its pull request.
//!
//! Everything here runs as the user, with the user's environment and credentials, and never in an
//! attempt. Two programs do the work: the user's `git`, and `gh` where there is one. Both have a
//! deadline, a bound on what they may print, and nobody to ask.
//!
//! Two invariants. **Text from outside is a value, never a flag**: what comes from an issue or a
//! branch name follows `--`, or stands behind the `=` of a flag. **Doing it twice is harmless**:
//! a push that happened is seen as done, and an open pull request of the branch is used again, so
//! a crash at any point is made good by publishing once more.

mod address;
mod error;
mod gh;
mod large_files;
mod program;
mod publish;
mod pull_request;
mod push;
mod remote;
mod said;
mod settings;

pub use crate::git::UserEnvironment;
pub use error::ForgeError;
pub use gh::{Gh, GhState, IssueText};
pub use publish::{PublishRequest, Published, PublishedPullRequest, publish};
pub use pull_request::{PullRequest, PullRequestSeen, PullRequestState};
pub use push::PushRequest;
pub use remote::{Remote, Targets};
pub use settings::push_settings;
