//! The driver's socket: a bell for other processes, and the agent's side of a run.
//!
//! One line of JSON in, one line out. A ring carries nothing: what is asked stands in the inbox.
//! What an agent says is believed only with its attempt's token *and* from a process that descends
//! from that attempt's launcher; the kernel says who is calling.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use windlass_core::id::{AttemptId, ItemId};
use windlass_core::item::{ItemChange, NewItem};
use windlass_core::run::{Category, InputKind, NewBlocker};

use super::message::Message;
use crate::process_table::ancestry;

/// The longest line that is read: a context value is a fact or a path, not a document.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// How long a caller may take to say what it wants. It does so at once, but on a busy machine that
/// can take seconds.
const HEARING: Duration = Duration::from_secs(10);

/// How long a caller waits for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// How many callers are heard at a time: an agent has one process that publishes, a person one that
/// rings.
const MAX_CALLS: usize = 16;

/// Who may speak for the attempts that are running.
pub(super) type Badges = Arc<Mutex<Vec<Badge>>>;

/// Who may speak for one running attempt.
#[derive(Clone, Debug)]
pub(super) struct Badge {
    pub(super) token: String,
    pub(super) attempt: AttemptId,
    pub(super) launcher: i32,
    pub(super) launcher_start: u64,
}

/// What a caller says.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Call {
    Ring,
    ContextSet { token: String, attempt: AttemptId, key: String, value: serde_json::Value },
    ContextGet { token: String, attempt: AttemptId },
    Item { token: String, attempt: AttemptId, call: AgentCall },
}

/// What an agent wants: to do something with items, to say something about its own, or help.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AgentCall {
    /// Add one.
    Add {
        /// The item.
        item: NewItem,
    },
    /// Change one that its step added.
    Update {
        /// The item.
        item: ItemId,
        /// What is to be different.
        change: ItemChange,
    },
    /// Ask a person for help.
    Block {
        /// What is needed.
        blocker: NewBlocker,
    },
    /// See all of them.
    List,
    /// Note a failure of what it works on.
    Note {
        /// Its item or its step.
        about: String,
        /// What kind of failure it is.
        category: Category,
        /// What happened.
        summary: String,
    },
}

/// What an agent is answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AgentAnswer {
    /// It was done.
    Done,
    /// The context.
    Context(serde_json::Value),
    /// The items.
    Items(serde_json::Value),
    /// It was refused, and why.
    Refused {
        /// The reason.
        message: String,
        /// What to do next.
        hint: Option<String>,
    },
}

/// Why the driver could not be reached.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum SocketError {
    #[error("no driver listens at `{path}`")]
    Unreachable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the driver hung up: too many are calling at once")]
    HungUp,
    #[error("the driver did not answer")]
    NoAnswer(#[source] std::io::Error),
    #[error("the driver's answer cannot be read")]
    BadAnswer(#[source] serde_json::Error),
}

/// Rings the driver's bell. Nobody there is no error: the inbox keeps what is asked.
pub(super) fn ring(socket: &Path) {
    let _ = call(socket, &Call::Ring);
}

/// Sets a context key on behalf of the running attempt.
///
/// # Errors
/// No driver answers.
pub fn context_set(
    socket: &Path,
    token: String,
    attempt: AttemptId,
    key: String,
    value: serde_json::Value,
) -> Result<AgentAnswer, SocketError> {
    call_until_heard(socket, &Call::ContextSet { token, attempt, key, value })
}

/// Reads the context on behalf of the running attempt.
///
/// # Errors
/// No driver answers.
pub fn context_get(
    socket: &Path,
    token: String,
    attempt: AttemptId,
) -> Result<AgentAnswer, SocketError> {
    call_until_heard(socket, &Call::ContextGet { token, attempt })
}

/// Adds, changes or lists items on behalf of the running attempt.
///
/// # Errors
/// No driver answers.
pub fn item_call(
    socket: &Path,
    token: String,
    attempt: AttemptId,
    item: AgentCall,
) -> Result<AgentAnswer, SocketError> {
    call_until_heard(socket, &Call::Item { token, attempt, call: item })
}

/// Calls until it is heard: a driver that hears many callers hangs up on the rest. Whatever an agent
/// may say can be said twice.
fn call_until_heard(socket: &Path, call: &Call) -> Result<AgentAnswer, SocketError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match self::call(socket, call) {
            Err(SocketError::HungUp) if Instant::now() < deadline => breathe(),
            answered => return answered,
        }
    }
}

fn call(socket: &Path, call: &Call) -> Result<AgentAnswer, SocketError> {
    let unreachable = |source| SocketError::Unreachable { path: socket.to_owned(), source };
    let mut stream =
        through_folder(socket, |path| UnixStream::connect(path)).map_err(unreachable)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(SocketError::NoAnswer)?;
    let mut line = serde_json::to_vec(call).map_err(SocketError::BadAnswer)?;
    line.push(b'\n');
    let gone = |error: std::io::Error| match error.kind() {
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => SocketError::HungUp,
        _ => SocketError::NoAnswer(error),
    };
    stream.write_all(&line).map_err(gone)?;
    let mut answer = String::new();
    BufReader::new(stream).take(MAX_LINE_BYTES).read_line(&mut answer).map_err(gone)?;
    if answer.is_empty() {
        return Err(SocketError::HungUp);
    }
    serde_json::from_str(&answer).map_err(SocketError::BadAnswer)
}

/// Opens a socket by a short path through its folder: the kernel takes at most 107 bytes, and homes
/// can be deeper than that.
fn through_folder<T>(
    socket: &Path,
    open: impl FnOnce(&Path) -> std::io::Result<T>,
) -> std::io::Result<T> {
    let folder = socket.parent().unwrap_or(Path::new("."));
    let name = socket.file_name().unwrap_or_default();
    let folder = rustix::fs::open(folder, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let number = std::os::fd::AsRawFd::as_raw_fd(&folder.as_fd());
    open(&Path::new("/proc/self/fd").join(number.to_string()).join(name))
}

/// Listens until the process ends. The driver's lock makes sure that there is one listener.
pub(super) fn listen(
    socket: &Path,
    badges: Badges,
    driver: Sender<Message>,
) -> std::io::Result<()> {
    match fs_err::remove_file(socket) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let listener = through_folder(socket, |path| UnixListener::bind(path))?;
    std::thread::Builder::new().name("socket".to_owned()).spawn(move || {
        let calls = Arc::new(AtomicUsize::new(0));
        for stream in listener.incoming() {
            let Ok(stream) = stream else {
                // Out of descriptors, most likely: they come back, and a busy loop helps nobody.
                breathe();
                continue;
            };
            if calls.load(Ordering::SeqCst) >= MAX_CALLS {
                // Who hangs up can be called again; a flood of callers must not become threads.
                continue;
            }
            calls.fetch_add(1, Ordering::SeqCst);
            let (badges, driver, open) = (Arc::clone(&badges), driver.clone(), Arc::clone(&calls));
            // A caller that says nothing holds up nobody else.
            let answering = move || {
                answer(stream, &badges, &driver);
                open.fetch_sub(1, Ordering::SeqCst);
            };
            if std::thread::Builder::new().name("call".to_owned()).spawn(answering).is_err() {
                calls.fetch_sub(1, Ordering::SeqCst);
            }
        }
    })?;
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "there is no event for a free descriptor or a free ear"
)]
fn breathe() {
    std::thread::sleep(Duration::from_millis(50));
}

fn answer(stream: UnixStream, badges: &Mutex<Vec<Badge>>, driver: &Sender<Message>) {
    let peer = rustix::net::sockopt::socket_peercred(&stream).ok().map(|peer| peer.pid);
    let _ = stream.set_read_timeout(Some(HEARING));
    let mut line = String::new();
    let read = BufReader::new((&stream).take(MAX_LINE_BYTES)).read_line(&mut line);
    let answer = match read.map(|_| serde_json::from_str::<Call>(&line)) {
        Ok(Ok(call)) => obey(call, peer, badges, driver),
        _ => refused("the call cannot be read", None),
    };
    let mut bytes = serde_json::to_vec(&answer).unwrap_or_default();
    bytes.push(b'\n');
    let _ = (&stream).write_all(&bytes);
}

fn obey(
    call: Call,
    peer: Option<rustix::process::Pid>,
    badges: &Mutex<Vec<Badge>>,
    driver: &Sender<Message>,
) -> AgentAnswer {
    let gone = || refused("the run is not being driven any more", None);
    match call {
        Call::Ring => match driver.send(Message::Ring) {
            Ok(()) => AgentAnswer::Done,
            Err(_) => gone(),
        },
        Call::ContextSet { token, attempt, key, value } => {
            if let Err(refusal) = identify(&token, &attempt, peer, badges) {
                return refusal;
            }
            let (send, receive) = sync_channel(1);
            let message = Message::Context { attempt, key, value, answer: send };
            if driver.send(message).is_err() {
                return gone();
            }
            receive.recv_timeout(PATIENCE).unwrap_or_else(|_| gone())
        }
        Call::ContextGet { token, attempt } => {
            if let Err(refusal) = identify(&token, &attempt, peer, badges) {
                return refusal;
            }
            let (send, receive) = sync_channel(1);
            if driver.send(Message::ContextRead(attempt, send)).is_err() {
                return gone();
            }
            receive.recv_timeout(PATIENCE).map_or_else(|_| gone(), AgentAnswer::Context)
        }
        Call::Item { token, attempt, call } => {
            if let Err(refusal) = identify(&token, &attempt, peer, badges) {
                return refusal;
            }
            about_items(attempt, call, driver).unwrap_or_else(gone)
        }
    }
}

/// Passes on what an agent wants with items; none when no driver answers.
fn about_items(
    attempt: AttemptId,
    call: AgentCall,
    driver: &Sender<Message>,
) -> Option<AgentAnswer> {
    let input = match call {
        AgentCall::List => {
            let (send, receive) = sync_channel(1);
            driver.send(Message::ItemsRead(send)).ok()?;
            return receive.recv_timeout(PATIENCE).ok().map(AgentAnswer::Items);
        }
        AgentCall::Block { blocker } => InputKind::HelpAsked { attempt: attempt.clone(), blocker },
        AgentCall::Add { item } => InputKind::ItemAsked { attempt: attempt.clone(), item },
        AgentCall::Update { item, change } => {
            InputKind::ItemChanged { attempt: attempt.clone(), item, change }
        }
        AgentCall::Note { about, category, summary } => {
            InputKind::FailureNoted { attempt: attempt.clone(), about, category, summary }
        }
    };
    let (send, receive) = sync_channel(1);
    driver.send(Message::Item { attempt, input, answer: send }).ok()?;
    receive.recv_timeout(PATIENCE).ok()
}

fn identify(
    token: &str,
    attempt: &AttemptId,
    peer: Option<rustix::process::Pid>,
    badges: &Mutex<Vec<Badge>>,
) -> Result<(), AgentAnswer> {
    let badges = badges.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let fits = |badge: &Badge| badge.token == token && badge.attempt == *attempt;
    let known = badges.into_iter().find(fits);
    let Some(badge) = known else {
        return Err(refused("this is not the running attempt", None));
    };
    let below = peer.is_some_and(|peer| {
        let pid = peer.as_raw_nonzero().get();
        ancestry::descends_from(pid, badge.launcher, badge.launcher_start).unwrap_or(false)
    });
    if below {
        return Ok(());
    }
    Err(refused("the caller does not belong to the running attempt", None))
}

fn refused(message: &str, hint: Option<&str>) -> AgentAnswer {
    AgentAnswer::Refused { message: message.to_owned(), hint: hint.map(str::to_owned) }
}
