//! Pull requests through `gh`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use windlass_core::id::ObjectId;

use super::error::ForgeError;
use super::gh::{Gh, fields, garbage, parsed};

/// A pull request to be opened.
#[derive(Clone, Debug)]
pub struct PullRequest {
    /// One line.
    pub title: String,
    /// The file that holds its description.
    pub body_file: PathBuf,
    /// The branch that it shall be merged into.
    pub base: String,
    /// The branch with the work.
    pub head: String,
    /// Whether it is opened as a draft.
    pub draft: bool,
}

/// Where a pull request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum PullRequestState {
    /// It waits for its merge.
    Open,
    /// It was merged.
    Merged,
    /// It was closed without a merge.
    Closed,
}

/// A pull request that the forge has.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullRequestSeen {
    /// Its number.
    pub number: u64,
    /// Its page.
    pub url: String,
    /// Where it stands.
    pub state: PullRequestState,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// The branch that it shall be merged into.
    #[serde(default, rename = "baseRefName")]
    pub base: String,
    #[serde(default)]
    head_ref_name: String,
    #[serde(default)]
    head_ref_oid: String,
    #[serde(default)]
    is_cross_repository: bool,
}

impl PullRequestSeen {
    /// Whether it is, or was when it was merged, about exactly this commit.
    pub fn is_at(&self, commit: &ObjectId) -> bool {
        self.head_ref_oid == commit.as_str()
    }
}

const SEEN: &str = "number,url,state,title,baseRefName,headRefName,headRefOid,isCrossRepository";

impl Gh {
    /// Finds the pull requests of a branch: open ones first, then the newest.
    ///
    /// Branches of the same name in forks are other people's.
    pub fn pull_requests_of(&self, branch: &str) -> Result<Vec<PullRequestSeen>, ForgeError> {
        let told = "gh pr list";
        let arguments: Vec<OsString> = vec![
            "pr".into(),
            "list".into(),
            format!("--head={branch}").into(),
            "--state=all".into(),
            "--limit=100".into(),
            fields(SEEN),
        ];
        let ended = self.call(told, arguments)?;
        if ended.code != 0 {
            return Err(self.failure(told, &ended));
        }
        let mut seen: Vec<PullRequestSeen> = parsed(told, &ended)?;
        seen.retain(|seen| seen.head_ref_name == branch && !seen.is_cross_repository);
        seen.sort_by_key(|seen| (seen.state != PullRequestState::Open, u64::MAX - seen.number));
        Ok(seen)
    }

    /// Finds the pull request of a branch: the open one, else the newest.
    pub fn pull_request_of(&self, branch: &str) -> Result<Option<PullRequestSeen>, ForgeError> {
        Ok(self.pull_requests_of(branch)?.into_iter().next())
    }

    /// Opens a pull request and returns its number and page.
    pub fn open(&self, request: &PullRequest) -> Result<(u64, String), ForgeError> {
        let told = "gh pr create";
        let mut arguments: Vec<OsString> = vec![
            "pr".into(),
            "create".into(),
            format!("--title={}", request.title).into(),
            with_path("--body-file=", &request.body_file),
            format!("--base={}", request.base).into(),
            format!("--head={}", request.head).into(),
        ];
        if request.draft {
            arguments.push("--draft".into());
        }
        let ended = self.call(told, arguments)?;
        if ended.code != 0 {
            return Err(self.failure(told, &ended));
        }
        let text = String::from_utf8_lossy(&ended.stdout);
        let url = text.lines().map(str::trim).rfind(|line| line.starts_with("http"));
        let number = url
            .and_then(|url| url.trim_end_matches('/').rsplit_once("/pull/"))
            .and_then(|(_, number)| number.parse().ok());
        match (number, url) {
            (Some(number), Some(url)) => Ok((number, url.to_owned())),
            _ => Err(garbage(told, "no address of a pull request in it")),
        }
    }

    /// Gives a pull request another title and description.
    pub fn update(&self, number: u64, title: &str, body_file: &Path) -> Result<(), ForgeError> {
        let told = format!("gh pr edit {number}");
        let arguments: Vec<OsString> = vec![
            "pr".into(),
            "edit".into(),
            number.to_string().into(),
            format!("--title={title}").into(),
            with_path("--body-file=", body_file),
        ];
        let ended = self.call(&told, arguments)?;
        if ended.code == 0 { Ok(()) } else { Err(self.failure(&told, &ended)) }
    }
}

fn with_path(flag: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(flag);
    argument.push(path);
    argument
}
