//! Small things between the calls of a session: files that one call leaves and a later one takes.
//!
//! None of it is part of a run's history: a start that is not complete, a token for one call of a
//! subagent, a message that may become feedback, a proposal that waits for its code.

use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use windlass_core::id::{AttemptId, GateId, RunId};
use windlass_core::run::Session;

use super::guard_file::replace;
use crate::home::{Home, RepositoryHome};

/// A session that has shown that its hooks reach windlass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// The session.
    pub session: Session,
    /// Whether it sends itself prompts at some time: such a one cannot be told from its person.
    #[serde(default)]
    pub scheduled: bool,
}

/// A run that a person asked for, and that does not exist yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Starting {
    /// The session.
    pub session: Session,
    /// The workflow, where the person named one.
    pub workflow: Option<String>,
    /// What else was asked for, as arguments of `windlass run`.
    pub arguments: Vec<String>,
    /// The story that is to be built alone, by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<String>,
    /// How often the session was told that the start is not complete.
    #[serde(default)]
    pub reminded: u32,
}

/// A person's message that may become feedback or a rollback, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The run.
    pub run: RunId,
    /// The gate that was open.
    pub gate: Option<GateId>,
    /// What the person said.
    pub text: String,
}

/// An approval that the model believes was meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// The run.
    pub run: RunId,
    /// The gate.
    pub gate: GateId,
    /// What the person has to send with `approve`.
    pub code: String,
}

/// The permission of a subagent to say something for its attempt, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Badge {
    /// The run.
    pub run: RunId,
    /// The attempt.
    pub attempt: AttemptId,
}

/// The folder with these files.
#[derive(Clone, Debug)]
pub struct Desk {
    folder: PathBuf,
}

impl Desk {
    /// Returns the desk of a repository.
    pub fn of(home: &RepositoryHome) -> Self {
        Self { folder: home.state.join("hosted") }
    }

    /// Returns the file that the shell of a session in this checkout reads before each command.
    pub fn shell_file(&self, checkout: &Path) -> PathBuf {
        self.folder.join(format!("session-{}.sh", name_of(checkout)))
    }

    /// Returns the git configuration that bars pushing in that shell.
    pub fn git_configuration(&self, checkout: &Path) -> PathBuf {
        self.folder.join(format!("gitconfig-{}", name_of(checkout)))
    }

    /// Keeps what a session is told when it next stops, because its run has ended.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn say_farewell(&self, session: &str, text: &str) -> io::Result<()> {
        self.put("farewells", session, &text)
    }

    /// Takes it: it is said once.
    pub fn take_farewell(&self, session: &str) -> Option<String> {
        self.take("farewells", session)
    }

    /// Returns the folder, for files beside these.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the desk of all repositories, for what is known of sessions before there is a run.
    pub fn of_machine(home: &Home) -> Self {
        Self { folder: home.state.join("sessions") }
    }

    /// Notes that a session's hooks are live.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn note_live(&self, live: &Live) -> io::Result<()> {
        self.put("live", &live.session.id, live)
    }

    /// Returns what is known of a session.
    pub fn live(&self, session: &str) -> Option<Live> {
        self.look("live", session)
    }

    /// Forgets a session that has ended.
    pub fn end_live(&self, session: &str) {
        let _ = fs_err::remove_file(self.file("live", session));
    }

    /// Notes a start that is not complete.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn note_start(&self, starting: &Starting) -> io::Result<()> {
        self.put("starting", &starting.session.id, starting)
    }

    /// Returns the start that a session has not completed.
    pub fn starting(&self, session: &str) -> Option<Starting> {
        self.look("starting", session)
    }

    /// Forgets a start.
    pub fn end_start(&self, session: &str) {
        let _ = fs_err::remove_file(self.file("starting", session));
    }

    /// Keeps a person's message, and returns the token that takes it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep_message(&self, message: &Message) -> io::Result<String> {
        self.forget_messages();
        let token = fresh();
        self.put("messages", &token, message)?;
        Ok(token)
    }

    /// Takes a message: it is gone then.
    pub fn take_message(&self, token: &str) -> Option<Message> {
        self.take("messages", token)
    }

    /// Makes all messages void.
    pub fn forget_messages(&self) {
        let _ = fs_err::remove_dir_all(self.folder.join("messages"));
    }

    /// Notes that a message of a session is being decided on, by the name that the host gives to it; false
    /// when it was noted before. Callers take turns.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn is_first_look(&self, session: &str, prompt: &str) -> io::Result<bool> {
        if self.look::<String>("prompts", session).as_deref() == Some(prompt) {
            return Ok(false);
        }
        self.put("prompts", session, &prompt)?;
        Ok(true)
    }

    /// Notes how far the person of a session was told that a run has come; false when it was noted before.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn is_news(&self, run: &RunId, mark: &str) -> io::Result<bool> {
        if self.look::<String>("progress", run.as_str()).as_deref() == Some(mark) {
            return Ok(false);
        }
        self.put("progress", run.as_str(), &mark)?;
        Ok(true)
    }

    /// Keeps a proposal; there is one at a time.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn propose(&self, proposal: &Proposal) -> io::Result<()> {
        self.put("proposals", proposal.run.as_str(), proposal)
    }

    /// Returns the proposal for a run.
    pub fn proposal(&self, run: &RunId) -> Option<Proposal> {
        self.look("proposals", run.as_str())
    }

    /// Forgets the proposal for a run.
    pub fn end_proposal(&self, run: &RunId) {
        let _ = fs_err::remove_file(self.file("proposals", run.as_str()));
    }

    /// Makes a token with which a subagent may speak for its attempt, once.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn make_badge(&self, badge: &Badge) -> io::Result<String> {
        let token = fresh();
        self.put("badges", &token, badge)?;
        Ok(token)
    }

    /// Takes a token: it is gone then.
    pub fn take_badge(&self, token: &str) -> Option<Badge> {
        self.take("badges", token)
    }

    /// Makes all tokens void.
    pub fn forget_badges(&self) {
        let _ = fs_err::remove_dir_all(self.folder.join("badges"));
    }

    fn file(&self, kind: &str, name: &str) -> PathBuf {
        // Names come from outside: whatever they hold, they name one file of this folder.
        let name = blake3::hash(name.as_bytes()).to_hex();
        self.folder.join(kind).join(&name[..32])
    }

    fn put(&self, kind: &str, name: &str, value: &impl Serialize) -> io::Result<()> {
        fs_err::create_dir_all(self.folder.join(kind))?;
        let bytes = serde_json::to_vec(value)?;
        replace(&self.file(kind, name), &bytes)
    }

    fn look<T: DeserializeOwned>(&self, kind: &str, name: &str) -> Option<T> {
        let bytes = fs_err::read(self.file(kind, name)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Whoever removes the file has it: two takers get it once.
    fn take<T: DeserializeOwned>(&self, kind: &str, name: &str) -> Option<T> {
        let value = self.look(kind, name)?;
        fs_err::remove_file(self.file(kind, name)).ok()?;
        Some(value)
    }
}

fn name_of(checkout: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    blake3::hash(checkout.as_os_str().as_bytes()).to_hex()[..16].to_owned()
}

fn fresh() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}
