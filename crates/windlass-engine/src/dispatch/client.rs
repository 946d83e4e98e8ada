//! Asking something of a run, whether or not somebody drives it.
//!
//! What is asked goes into the inbox first, so it is never lost. A living driver is woken by its
//! bell and answers. Without one, the caller takes the lock, decides once, and releases it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_core::id::RunId;
use windlass_core::run::{Actor, DecidedFrom, HostProcess, InputKind, Presence, RunState};
use windlass_core::time::Span;

use super::driver::{DriveError, DriveOptions, Driver};
use super::hosted;
use super::request::{Answer, Posted, Request, UnreadableAnswer};
use super::site::Site;
use super::socket;
use crate::clock::now;
use crate::fault;
use crate::hosted::caller;
use crate::journal::load;
use crate::process_table::ancestry::{self, AncestryError};
use crate::store::{Fault, OpenError, ReadError, Store};

/// How long a living driver may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often the answer is looked for; the driver has usually written it before the bell returns.
const INTERVAL: Duration = Duration::from_millis(10);

/// Why nothing was asked.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ClientError {
    #[error("an agent or a check cannot decide about the run it belongs to")]
    BelowLauncher,
    #[error("the session that drives run `{run}` cannot decide about it")]
    BelowHost { run: RunId },
    #[error("run `{run}` belongs to a session, and this was not called at a terminal of a person")]
    NoTerminal { run: RunId },
    #[error(
        "an attempt of run `{run}` was not boxed, and this was not called at a terminal of a person"
    )]
    Unboxed { run: RunId },
    #[error("whether this process belongs to an agent cannot be found out")]
    Ancestry(#[from] AncestryError),
    #[error("the store cannot be opened")]
    Open(#[from] OpenError),
    #[error("the request could not be left in the inbox")]
    Post(#[from] ReadError),
    #[error("the answer cannot be read")]
    Answer(#[from] Fault),
    #[error("the driver did not answer within {}s; the request stays in its inbox", PATIENCE.as_secs())]
    NoAnswer,
    #[error(transparent)]
    Unreadable(#[from] UnreadableAnswer),
    #[error(transparent)]
    Drive(Box<DriveError>),
}

/// What became of a request, and who answered.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The answer.
    pub answer: Answer,
    /// Whether a living driver took it.
    pub driven: bool,
}

/// Asks something of a run on behalf of `person`.
///
/// # Errors
/// The caller may not, or nobody answers.
pub fn send(
    site: &Arc<Site>,
    run: &RunId,
    person: &str,
    request: &Request,
) -> Result<Sent, ClientError> {
    send_shown(site, run, person, request, None)
}

/// Asks something of a run on behalf of `person`, who had what it is about before them for so long.
///
/// # Errors
/// The caller may not, or nobody answers.
pub fn send_shown(
    site: &Arc<Site>,
    run: &RunId,
    person: &str,
    request: &Request,
    shown: Option<Span>,
) -> Result<Sent, ClientError> {
    let mut store = Store::open(&site.home.state)?;
    refuse_agents(site, &store, run, Some(request))?;
    let asked = Posted { request: request.clone(), presence: Presence { shown, ..here() } };
    send_heard(site, run, person, &asked, &mut store)
}

/// Answers a gate of a run that windlass itself plays: there is no person whose word could be taken.
///
/// # Errors
/// The caller may not, or nobody answers.
pub fn send_played(
    site: &Arc<Site>,
    run: &RunId,
    person: &str,
    request: &Request,
) -> Result<Sent, ClientError> {
    let mut store = Store::open(&site.home.state)?;
    refuse_agents(site, &store, run, None)?;
    let asked = Posted { request: request.clone(), presence: here() };
    send_heard(site, run, person, &asked, &mut store)
}

/// Asks something of a run for a person whose word a hook has heard: the session that calls has it in
/// the form of a token.
///
/// # Errors
/// Nobody answers.
pub fn send_on_behalf(
    site: &Arc<Site>,
    run: &RunId,
    person: &str,
    request: &Request,
) -> Result<Sent, ClientError> {
    let mut store = Store::open(&site.home.state)?;
    let presence = Presence::from(DecidedFrom::Session);
    send_heard(site, run, person, &Posted { request: request.clone(), presence }, &mut store)
}

/// From where this process decides.
fn here() -> Presence {
    Presence::from(match caller::terminal() {
        Some(device) => DecidedFrom::Terminal(device),
        None => DecidedFrom::NoTerminal,
    })
}

/// Refuses agents and checks, and whoever may be one.
fn refuse_agents(
    site: &Site,
    store: &Store,
    run: &RunId,
    request: Option<&Request>,
) -> Result<(), ClientError> {
    let me = i32::try_from(std::process::id()).unwrap_or(-1);
    if ancestry::is_below_launcher(me, &site.home.registry())? {
        return Err(ClientError::BelowLauncher);
    }
    // A journal that cannot be read is said by whoever decides.
    let Ok(loaded) = load(store, run) else { return Ok(()) };
    refuse_host(&loaded.state, run, me)?;
    refuse_unboxed(&loaded.state, run, request)
}

/// Refuses who is not at a terminal where an attempt was outside a box: it could have left something
/// behind with a service or a multiplexer of the user's, which has no launcher above it.
fn refuse_unboxed(
    state: &RunState,
    run: &RunId,
    request: Option<&Request>,
) -> Result<(), ClientError> {
    let decides = request.is_some_and(|request| request.needs_person(state));
    if decides && state.unboxed && caller::is_nobodys() {
        return Err(ClientError::Unboxed { run: run.clone() });
    }
    Ok(())
}

/// Refuses whatever runs below the session that drives or drove the run, or may have got away from it.
fn refuse_host(state: &RunState, run: &RunId, me: i32) -> Result<(), ClientError> {
    let Some(session) = &state.session else { return Ok(()) };
    let HostProcess { pid, start } = session.process;
    match ancestry::descends_from(me, pid, start)? {
        true => Err(ClientError::BelowHost { run: run.clone() }),
        false if caller::is_nobodys() => Err(ClientError::NoTerminal { run: run.clone() }),
        false => Ok(()),
    }
}

fn send_heard(
    site: &Arc<Site>,
    run: &RunId,
    person: &str,
    asked: &Posted,
    store: &mut Store,
) -> Result<Sent, ClientError> {
    let actor = Actor::person(person);
    let item = store.post(run, now(), &actor.to_string(), &asked.bytes())?;
    fault::point("request-posted");
    let home = site.home.run(run);
    let deadline = Instant::now() + PATIENCE;
    let mut driven = true;
    loop {
        socket::ring(&home.socket());
        if let Some(answer) = store.outcome(item)? {
            let answer = Answer::read(&answer)?;
            return Ok(Sent { answer, driven });
        }
        match decide_alone(site, run, person) {
            Ok(()) => driven = false,
            Err(DriveError::Driven { .. }) => pause(),
            Err(error) => return Err(ClientError::Drive(Box::new(error))),
        }
        if Instant::now() > deadline {
            return Err(ClientError::NoAnswer);
        }
    }
}

/// Drives the run just long enough to take up its inbox. What a session has in hand stays there.
fn decide_alone(site: &Arc<Site>, run: &RunId, person: &str) -> Result<(), DriveError> {
    let options = DriveOptions::local(true);
    match Driver::take_over(site, run, person, options, Box::new(|_, _| {})) {
        Err(DriveError::Hosted { .. }) => hosted::settle_inbox(site, run, person),
        taken => taken?.settle_inbox(),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the answer is in a database, which cannot be waited for"
)]
fn pause() {
    std::thread::sleep(INTERVAL);
}

impl Driver {
    /// Takes up the inbox and leaves, without starting anything.
    fn settle_inbox(mut self) -> Result<(), DriveError> {
        // The lock is held, so any driver that the journal knows of is gone.
        if !self.is_ended() {
            self.feed(InputKind::DriverLeft, Actor::engine())?;
        }
        self.take_up_inbox()?;
        self.leave();
        Ok(())
    }

    /// Answers all that is in the inbox.
    pub(super) fn take_up_inbox(&mut self) -> Result<(), DriveError> {
        loop {
            self.read_inbox()?;
            // An attempt that died with its driver is over as soon as somebody says so.
            self.ensure_stopped()?;
            if !self.is_waiting() {
                return Ok(());
            }
            self.next_message()?;
        }
    }
}
