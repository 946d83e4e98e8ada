//! Telling people at gates, pauses, limits and the end.
//!
//! The driver must not wait for a notification, so a thread of its own sends them, one after the
//! other. A failed one is a line on standard error and nothing more. A hook, and whoever decides without
//! a driver, has no time to come back to it, and sends at once.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use windlass_core::config::{Notify, Setting};
use windlass_core::run::{Event, RunState};
use windlass_core::view::{Notice, mentioning_nobody, notice};
use windlass_engine::dispatch::{NotifyError, NotifyRequest, Observer, Site, notify};

use crate::config;
use crate::output::{bell, note};

/// How many notifications may wait for the one that is being sent; a run makes one now and then.
const MOST_WAITING: usize = 16;

/// The command behind `desktop`. What happened is in its environment, and never part of its text.
const DESKTOP: &str =
    "notify-send --app-name=windlass -- \"windlass: $WINDLASS_EVENT\" \"$WINDLASS_MESSAGE\"";

/// By what people are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Off,
    Bell,
    Command { command: String, from_repository: bool },
}

impl Way {
    pub(crate) fn of(how: Option<Setting<Notify>>) -> Self {
        let from_repository = how.as_ref().is_some_and(|how| how.origin.is_repository());
        match how.map(|how| how.value).unwrap_or_default() {
            Notify::Off => Self::Off,
            Notify::Bell => Self::Bell,
            // These words are windlass's own, whoever chose them.
            Notify::Desktop => {
                Self::Command { command: DESKTOP.to_owned(), from_repository: false }
            }
            Notify::Command(command) => Self::Command { command, from_repository },
        }
    }

    /// Tells these variables, and waits until it is told.
    pub(crate) fn tell(
        &self,
        site: &Site,
        variables: Vec<(String, String)>,
    ) -> Result<(), NotifyError> {
        match self {
            Self::Off => Ok(()),
            Self::Bell => {
                ring();
                Ok(())
            }
            Self::Command { command, from_repository } => {
                let (command, from_repository) = (command.clone(), *from_repository);
                notify(site, &NotifyRequest { command, from_repository, variables })
            }
        }
    }
}

/// Rings the bell of the terminal that the person sits at, whatever standard error is.
fn ring() {
    if std::io::stderr().is_terminal() {
        return bell();
    }
    if let Ok(mut terminal) = fs_err::OpenOptions::new().write(true).open("/dev/tty") {
        let _ = terminal.write_all(b"\x07");
    }
}

/// An observer that tells at once, by what the files say: for a driver that lives as long as one call.
pub(crate) fn at_once(site: &Arc<Site>) -> Observer {
    let site = Arc::clone(site);
    Box::new(move |step, state| {
        if let Some(notice) = notice(&step.events, state) {
            announce(&site, &notice, state);
        }
    })
}

/// Tells one thing by what the files say. A file that cannot be read is told about elsewhere.
pub(crate) fn announce(site: &Site, notice: &Notice, state: &RunState) {
    let Ok(settings) = config::load(&site.user.top_level) else { return };
    if let Err(error) = Way::of(settings.notify).tell(site, variables(notice, state)) {
        note(&format!("warning: the notify command failed: {error}"));
    }
}

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
        let (command, from_repository) = match Way::of(how) {
            Way::Off => return Self { sender: Some(Bearer::Off), thread: None },
            Way::Bell => return Self { sender: Some(Bearer::Bell), thread: None },
            Way::Command { command, from_repository } => (command, from_repository),
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
