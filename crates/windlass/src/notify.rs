//! Telling people at gates, pauses, limits and the end.
//!
//! The driver must not wait for a notification, so a thread of its own sends them, one after the
//! other. A failed one is a line on standard error and nothing more.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use windlass_core::config::{Notify, Setting};
use windlass_core::run::{Event, RunState};
use windlass_core::view::{Notice, mentioning_nobody, notice};
use windlass_engine::dispatch::{NotifyRequest, Site, notify};

use crate::output::{bell, note};

/// How many notifications may wait for the one that is being sent; a run makes one now and then.
const MOST_WAITING: usize = 16;

/// Sends notifications until it is dropped; then it waits for those that are on their way.
pub(crate) struct Notifier {
    sender: Option<Bearer>,
    thread: Option<JoinHandle<()>>,
}

/// What the driver's observer holds.
#[derive(Clone)]
pub(crate) enum Bearer {
    Off,
    Bell,
    Command { command: String, from_repository: bool, queue: SyncSender<NotifyRequest> },
}

impl Notifier {
    pub(crate) fn start(site: &Arc<Site>, how: Option<Setting<Notify>>) -> Self {
        let from_repository = how.as_ref().is_some_and(|how| how.origin.is_repository());
        let command = match how.map(|how| how.value).unwrap_or_default() {
            Notify::Off => return Self { sender: Some(Bearer::Off), thread: None },
            Notify::Bell => return Self { sender: Some(Bearer::Bell), thread: None },
            Notify::Command(command) => command,
        };
        let (queue, waiting) = sync_channel::<NotifyRequest>(MOST_WAITING);
        let site = Arc::clone(site);
        let thread = std::thread::spawn(move || {
            for request in waiting {
                if let Err(error) = notify(&site, &request) {
                    note(&format!("warning: the notify command failed: {error}"));
                }
            }
        });
        let sender = Bearer::Command { command, from_repository, queue };
        Self { sender: Some(sender), thread: Some(thread) }
    }

    /// Returns what tells from within the driver.
    pub(crate) fn bearer(&self) -> Bearer {
        self.sender.clone().unwrap_or(Bearer::Off)
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        // The thread ends when nobody can send any more.
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Bearer {
    /// Tells what the events of one decision are worth telling.
    pub(crate) fn tell(&self, events: &[Event], state: &RunState) {
        let Some(notice) = notice(events, state) else { return };
        match self {
            Self::Off => {}
            Self::Bell if std::io::stderr().is_terminal() => bell(),
            Self::Bell => {}
            Self::Command { command, from_repository, queue } => {
                let request = NotifyRequest {
                    command: command.clone(),
                    from_repository: *from_repository,
                    variables: variables(&notice, state),
                };
                if let Err(TrySendError::Full(_)) = queue.try_send(request) {
                    note("warning: a notification was left out, too many are waiting");
                }
            }
        }
    }
}

/// What a command of the user finds in its environment. Commands pass it on to chats and mail, where
/// an agent's `@everybody` would call people.
fn variables(notice: &Notice, state: &RunState) -> Vec<(String, String)> {
    let step = notice.step.as_ref().map(ToString::to_string).unwrap_or_default();
    [
        ("WINDLASS_EVENT", notice.kind.as_str().to_owned()),
        ("WINDLASS_RUN", state.facts.run.to_string()),
        ("WINDLASS_STEP", step),
        ("WINDLASS_STATUS", state.status().as_str().to_owned()),
        ("WINDLASS_MESSAGE", mentioning_nobody(&notice.message)),
        ("WINDLASS_GOAL", mentioning_nobody(&state.plan.goal)),
        ("WINDLASS_PLACE", state.facts.place.clone()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}
