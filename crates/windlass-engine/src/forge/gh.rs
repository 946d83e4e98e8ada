//! The user's `gh`: whether it is there, and what it says about an issue.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::ForgeError;
use super::program::{Answer, Call, Ended};
use super::remote::Remote;
use super::said::{Cause, cause, kept};
use crate::git::UserEnvironment;
use crate::git::UserRepository;

/// How long one call may take.
const CALL: Duration = Duration::from_secs(60);

/// The user's `gh`, for one repository.
#[derive(Clone, Debug)]
pub struct Gh {
    program: Option<PathBuf>,
    checkout: PathBuf,
    environment: UserEnvironment,
    /// Host, and host with owner and repository; none where the remote's address tells neither.
    host: Option<String>,
    slug: Option<String>,
    deadline: Duration,
}

/// What can be done with `gh` here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GhState {
    /// It is not installed.
    Absent,
    /// Nobody is signed in at this host.
    NotSignedIn {
        /// What to do.
        hint: String,
    },
    /// It can be used.
    Ready {
        /// What it calls its version.
        version: String,
    },
}

/// An issue as the tracker has it: text that others wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueText {
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its description.
    pub body: String,
    /// Its page.
    pub url: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// `OPEN` or `CLOSED`.
    pub state: String,
}

#[derive(Deserialize)]
struct IssueAnswer {
    number: u64,
    title: String,
    #[serde(default)]
    body: Option<String>,
    url: String,
    #[serde(default)]
    labels: Vec<Label>,
    state: String,
}

#[derive(Deserialize)]
struct Label {
    name: String,
}

impl Gh {
    /// Finds `gh` in the search path of this process, for the repository of `user`.
    pub fn of(user: &UserRepository, remote: Option<&Remote>) -> Self {
        Self::with(user, remote, UserEnvironment::inherited())
    }

    /// As [`Gh::of`], in another environment than that of this process.
    pub fn with(
        user: &UserRepository,
        remote: Option<&Remote>,
        environment: UserEnvironment,
    ) -> Self {
        let address = remote.and_then(|remote| remote.address.as_ref());
        Self {
            program: environment.find("gh"),
            checkout: user.top_level.clone(),
            host: address.map(|address| address.host.clone()),
            slug: address.map(super::address::Address::slug),
            environment,
            deadline: CALL,
        }
    }

    /// The `gh` with which a run is published to `remote`.
    pub(super) fn beside(remote: &Remote) -> Self {
        let environment = remote.environment.clone();
        Self {
            program: environment.find("gh"),
            checkout: remote.checkout.clone(),
            host: remote.address.as_ref().map(|address| address.host.clone()),
            slug: remote.slug(),
            environment,
            deadline: CALL,
        }
    }

    /// Gives every call another deadline.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Asks whether `gh` is there and somebody is signed in. It does not use the network, so a
    /// token that is no longer valid shows only in the call that needs it.
    pub fn state(&self) -> Result<GhState, ForgeError> {
        if self.program.is_none() {
            return Ok(GhState::Absent);
        }
        let told = self.run("gh --version", Answer::Read, vec!["--version".into()])?;
        let text = String::from_utf8_lossy(&told.stdout);
        let version = text.lines().next().and_then(|line| line.strip_prefix("gh version "));
        let Some(version) = version.and_then(|rest| rest.split(' ').next()) else {
            return Err(garbage("gh --version", "no version in it"));
        };
        // The token is printed, and not read: only whether there is one counts.
        let mut arguments: Vec<OsString> = vec!["auth".into(), "token".into()];
        arguments.extend(self.host.as_ref().map(|host| format!("--hostname={host}").into()));
        let token = self.run("gh auth token", Answer::Unread, arguments)?;
        Ok(if token.code == 0 {
            GhState::Ready { version: kept(version) }
        } else {
            let host = self.host.as_ref().map(|host| format!(" --hostname {host}"));
            GhState::NotSignedIn {
                hint: format!("sign in with `gh auth login{}`", host.unwrap_or_default()),
            }
        })
    }

    /// Reads an issue.
    pub fn issue(&self, number: u64) -> Result<IssueText, ForgeError> {
        let told = format!("gh issue view {number}");
        let arguments =
            vec!["issue".into(), "view".into(), number.to_string().into(), fields(ISSUE_FIELDS)];
        let ended = self.call(&told, arguments)?;
        if ended.code != 0 {
            let said = ended.stderr.to_ascii_lowercase();
            if said.contains("could not resolve to an issue") || said.contains("not found") {
                let said = kept(&ended.stderr);
                return Err(ForgeError::UnknownIssue { number, said });
            }
            return Err(self.failure(&told, &ended));
        }
        let answer: IssueAnswer = parsed(&told, &ended)?;
        if answer.number != number {
            return Err(garbage(&told, &format!("it is about {}", answer.number)));
        }
        Ok(IssueText {
            number,
            title: answer.title,
            body: answer.body.unwrap_or_default(),
            url: answer.url,
            labels: answer.labels.into_iter().map(|label| label.name).collect(),
            state: answer.state,
        })
    }

    /// Makes a call about the repository.
    pub(super) fn call(
        &self,
        told: &str,
        mut arguments: Vec<OsString>,
    ) -> Result<Ended, ForgeError> {
        arguments.extend(self.slug.as_ref().map(|slug| format!("--repo={slug}").into()));
        self.run(told, Answer::Read, arguments)
    }

    fn run(
        &self,
        told: &str,
        answer: Answer,
        arguments: Vec<OsString>,
    ) -> Result<Ended, ForgeError> {
        let call = Call {
            program: self.program.as_deref().ok_or(ForgeError::NoGh)?,
            folder: &self.checkout,
            environment: &self.environment,
            deadline: self.deadline,
            answer,
        };
        call.run(told, &arguments)
    }

    /// Reads from the words of `gh` why it failed.
    pub(super) fn failure(&self, told: &str, ended: &Ended) -> ForgeError {
        let said = kept(&ended.stderr);
        let remote = || self.slug.clone().unwrap_or_else(|| "gh".to_owned());
        match cause(&ended.stderr) {
            // The documented code of `gh` for "authentication required".
            _ if ended.code == 4 => ForgeError::NotSignedIn { said },
            Cause::Credentials => ForgeError::NotSignedIn { said },
            Cause::Network => ForgeError::Unreachable { remote: remote(), said },
            Cause::Repository => ForgeError::NoRepository { remote: remote(), said },
            Cause::Other => ForgeError::Gh { call: told.to_owned(), code: ended.code, said },
        }
    }
}

const ISSUE_FIELDS: &str = "number,title,body,url,labels,state";

/// The flag that asks for an answer as JSON.
pub(super) fn fields(names: &str) -> OsString {
    format!("--json={names}").into()
}

/// Reads an answer as JSON.
pub(super) fn parsed<T: DeserializeOwned>(told: &str, ended: &Ended) -> Result<T, ForgeError> {
    serde_json::from_slice(&ended.stdout).map_err(|error| garbage(told, &error.to_string()))
}

pub(super) fn garbage(told: &str, what: &str) -> ForgeError {
    ForgeError::Garbage { call: told.to_owned(), what: kept(what) }
}
