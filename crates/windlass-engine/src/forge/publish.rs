//! Publishing a run: the branch, then its pull request.
//!
//! A kill between any two lines is made good by calling this again. The push knows when it has
//! happened; the pull request is looked for before one is opened, and once more when opening one
//! failed, because `gh` may fail after the forge has done it.

use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;
use windlass_core::view::{Lines, beginning, printable};

use super::error::ForgeError;
use super::gh::{Gh, GhState};
use super::pull_request::{PullRequest, PullRequestSeen, PullRequestState};
use super::push::PushRequest;
use super::remote::{Remote, reference_of};
use crate::fault;

/// GitHub takes 65,536 characters; the note about the cut needs some.
const MAX_BODY_BYTES: usize = 65_000;

/// GitHub takes 256 characters.
const MAX_TITLE_CHARACTERS: usize = 250;

/// What to publish.
#[derive(Clone, Debug)]
pub struct PublishRequest {
    /// The run's branch.
    pub branch: String,
    /// The commit that it shall be at.
    pub commit: ObjectId,
    /// Where windlass last saw the branch at the remote; none when it must not exist.
    pub expected_remote: Option<ObjectId>,
    /// The branch that the work shall be merged into.
    pub base: String,
    /// The title of the pull request.
    pub title: String,
    /// Its description.
    pub body: String,
    /// The file that the description is written to; it stays there.
    pub body_file: PathBuf,
    /// Whether the pull request is opened as a draft.
    pub draft: bool,
}

/// What was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Where the branch is at the remote now.
    pub pushed: ObjectId,
    /// The pull request; none without a `gh` that is signed in.
    pub pull_request: Option<PublishedPullRequest>,
    /// The page on which a person opens it, where the address of the remote tells.
    pub compare_url: Option<String>,
    /// The description, for a person who opens the pull request.
    pub body_file: Option<PathBuf>,
    /// What people should be told: why there is no pull request, or that another was closed.
    pub notes: Vec<String>,
}

/// A pull request that was opened, or found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedPullRequest {
    /// Its number.
    pub number: u64,
    /// Its page.
    pub url: String,
    /// Whether this call opened it.
    pub created: bool,
}

/// Pushes the branch and finds or opens its pull request.
pub fn publish(remote: &Remote, request: &PublishRequest) -> Result<Published, ForgeError> {
    reference_of(&request.base)?;
    write_body(&request.body_file, &request.body)?;
    fault::point("forge-push");
    remote.push(&PushRequest {
        branch: request.branch.clone(),
        commit: request.commit.clone(),
        expected: request.expected_remote.clone(),
    })?;
    fault::point("forge-pushed");
    let mut published = Published {
        pushed: request.commit.clone(),
        pull_request: None,
        compare_url: remote.compare_url(&request.base, &request.branch),
        body_file: None,
        notes: Vec::new(),
    };
    let gh = Gh::beside(remote);
    let by_hand = match gh.state()? {
        GhState::Ready { .. } => match pull_request(&gh, request, &mut published.notes) {
            Ok(found) => {
                published.pull_request = Some(found);
                None
            }
            // There is a token, and the forge does not take it any more.
            Err(ForgeError::NotSignedIn { said }) => Some(format!("`gh` is not signed in: {said}")),
            Err(error) => return Err(error),
        },
        GhState::Absent => Some("`gh` is not installed".to_owned()),
        GhState::NotSignedIn { hint } => Some(format!("`gh` is not signed in ({hint})")),
    };
    if let Some(why) = by_hand {
        published.notes.push(format!("no pull request was opened: {why}"));
        published.body_file = Some(request.body_file.clone());
    }
    Ok(published)
}

fn pull_request(
    gh: &Gh,
    request: &PublishRequest,
    notes: &mut Vec<String>,
) -> Result<PublishedPullRequest, ForgeError> {
    let title = one_line(&request.title);
    let seen = gh.pull_requests_of(&request.branch)?;
    if let Some(found) = in_force(&seen, &request.commit) {
        return reuse(gh, request, found, &title, notes);
    }
    if let Some(last) = seen.first() {
        let how = match last.state {
            PullRequestState::Merged => "merged",
            PullRequestState::Closed | PullRequestState::Open => "closed",
        };
        notes.push(format!("{} was {how} before; a new one was opened", last.url));
    }
    fault::point("forge-open");
    let opened = gh.open(&PullRequest {
        title: title.clone(),
        body_file: request.body_file.clone(),
        base: request.base.clone(),
        head: request.branch.clone(),
        draft: request.draft,
    });
    fault::point("forge-opened");
    match opened {
        Ok((number, url)) => Ok(PublishedPullRequest { number, url, created: true }),
        Err(error) => {
            let again = gh.pull_requests_of(&request.branch).unwrap_or_default();
            let new = again.iter().find(|now| {
                now.state == PullRequestState::Open
                    && !seen.iter().any(|before| before.number == now.number)
            });
            match new {
                Some(new) => Ok(PublishedPullRequest {
                    number: new.number,
                    url: new.url.clone(),
                    created: true,
                }),
                None => Err(error),
            }
        }
    }
}

/// The pull request that this work already has: an open one, or one that was merged as it is.
fn in_force<'a>(seen: &'a [PullRequestSeen], commit: &ObjectId) -> Option<&'a PullRequestSeen> {
    seen.iter().find(|seen| match seen.state {
        PullRequestState::Open => true,
        PullRequestState::Merged => seen.is_at(commit),
        PullRequestState::Closed => false,
    })
}

fn reuse(
    gh: &Gh,
    request: &PublishRequest,
    found: &PullRequestSeen,
    title: &str,
    notes: &mut Vec<String>,
) -> Result<PublishedPullRequest, ForgeError> {
    if found.state == PullRequestState::Open {
        fault::point("forge-update");
        match gh.update(found.number, title, &request.body_file) {
            Ok(()) => {}
            // Some versions of `gh` cannot edit where old kinds of projects are; the pull request
            // is there and shows the commits, so that alone does not undo what was done.
            Err(ForgeError::Gh { said, .. }) => {
                notes.push(format!("its description could not be updated: {said}"));
            }
            Err(error) => return Err(error),
        }
        fault::point("forge-updated");
        if found.base != request.base {
            let base = printable(&found.base, Lines::One);
            notes.push(format!("the pull request goes to `{base}`, not to `{}`", request.base));
        }
    } else {
        notes.push("the pull request was merged already".to_owned());
    }
    Ok(PublishedPullRequest { number: found.number, url: found.url.clone(), created: false })
}

/// A title is one line without marks that reorder it.
fn one_line(title: &str) -> String {
    let words = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let clean = printable(&words, Lines::One);
    match clean.char_indices().nth(MAX_TITLE_CHARACTERS) {
        Some((at, _)) => format!("{} …", &clean[..at]),
        None if clean.is_empty() => "Change".to_owned(),
        None => clean,
    }
}

fn write_body(file: &Path, body: &str) -> Result<(), ForgeError> {
    let (start, left_out) = beginning(body, MAX_BODY_BYTES);
    let text = if left_out == 0 {
        body.to_owned()
    } else {
        // Half a line could be half of what sets off the text of others.
        let whole = start.rfind('\n').map_or("", |end| &start[..=end]);
        let left_out = left_out + start.len() - whole.len();
        format!("{whole}\n_{left_out} more bytes are left out: a description has a bound._\n")
    };
    let failed = |source| ForgeError::Io { what: format!("writing `{}`", file.display()), source };
    if let Some(folder) = file.parent() {
        fs_err::create_dir_all(folder).map_err(failed)?;
    }
    fs_err::write(file, text).map_err(failed)
}
