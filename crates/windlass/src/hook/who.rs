//! What a call is about, and in what capacity it comes.

use windlass_core::hook::{Answer, BadCall, GuardFile, GuardedRun, HookCall};
use windlass_core::id::RunId;
use windlass_core::run::{HostKind, HostProcess, Session};
use windlass_engine::home::{Home, RepositoryHome};
use windlass_engine::hosted::caller::{Caller, Standing, Unknown, caller};
use windlass_engine::hosted::checkout::Checkout;
use windlass_engine::hosted::guard_file::{self, Seen};
use windlass_engine::hosted::is_alive;
use windlass_engine::process_table::ancestry;

use crate::error::CommandError;

/// A call, and what is known around it.
pub(super) struct Asked {
    pub(super) host: HostKind,
    pub(super) call: HookCall,
    pub(super) checkout: Checkout,
    pub(super) home: Home,
    pub(super) repository: RepositoryHome,
    /// The unfinished run of this checkout that a session drives or drove.
    pub(super) run: Option<GuardedRun>,
    /// Whether the call comes from below an attempt that windlass itself started.
    pub(super) in_attempt: bool,
}

/// How a session stands to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// It drives the run, by this very process.
    Owner,
    /// It has the owner's name and is another process, or was started below the owner: guarded, and
    /// not heard.
    Shadow,
    /// The owner's process is gone, or has begun a new conversation: it may take over.
    Heir,
    /// Another session beside the owner: left alone.
    Stranger,
}

impl Asked {
    /// Looks at what a call is about; none when there is nothing to say to it.
    pub(super) fn about(
        host: HostKind,
        checkout: Checkout,
        home: Home,
        repository: RepositoryHome,
        seen: Seen,
        read: Result<HookCall, BadCall>,
    ) -> Result<Option<Self>, CommandError> {
        let in_attempt = std::env::var_os("WINDLASS_ATTEMPT").is_some();
        let file = match seen {
            Seen::NoStore => GuardFile::default(),
            Seen::File(file) => file,
            // Somebody removed or broke it, or it is older than this version: the journal knows.
            Seen::Unreadable => guard_file::restore(&repository).map_err(|error| {
                CommandError::usage(format!("`guard.json` is missing and cannot be made: {error}"))
            })?,
        };
        let here = checkout.top_level.to_string_lossy();
        let run = file.runs.into_iter().find(|run| run.place == here);
        let run = run.map(|run| guard_file::with_lists(&repository, run));
        let call = match read {
            Ok(call) => call,
            // Without a run there is nothing to guard, and nothing to say to whatever this is.
            Err(_) if run.is_none() && !in_attempt => return Ok(None),
            Err(bad) => return Err(CommandError::failure(bad)),
        };
        Ok(Some(Self { host, call, checkout, home, repository, run, in_attempt }))
    }

    /// Returns whether the call is worth a line in the log.
    pub(super) fn is_logged(&self, answer: &Answer) -> bool {
        // Without a run only what begins or ends one is answered at all.
        let said = *answer != Answer::Nothing && self.repository.state.exists();
        self.run.is_some() || said
    }

    /// Returns whether guards look at what the calling session does: it owns the run, was started below
    /// its owner, or nobody owns it any more. Who exactly calls is no matter, and not looked into.
    pub(super) fn is_guarded(&self, run: &GuardedRun) -> bool {
        run.session.id == self.call.session || !is_alive(&run.session) || self.is_below_owner(run)
    }

    fn is_below_owner(&self, run: &GuardedRun) -> bool {
        let HostProcess { pid, start } = run.session.process;
        let me = i32::try_from(std::process::id()).unwrap_or(-1);
        // What cannot be told is guarded.
        ancestry::descends_from(me, pid, start).unwrap_or(true)
    }

    /// Returns how the calling session stands to the run of this checkout.
    pub(super) fn relation(&self, run: &GuardedRun) -> Relation {
        if !is_alive(&run.session) {
            return Relation::Heir;
        }
        let same_name = run.session.id == self.call.session;
        let same_process = self.caller().is_ok_and(|caller| caller.process == run.session.process);
        match (same_name, same_process) {
            (true, true) => return Relation::Owner,
            // The person began a new conversation in the owner's own window.
            (false, true) => return Relation::Heir,
            (true, false) => return Relation::Shadow,
            (false, false) => {}
        }
        if self.is_below_owner(run) { Relation::Shadow } else { Relation::Stranger }
    }

    /// Finds out who calls.
    pub(super) fn caller(&self) -> Result<Caller, Unknown> {
        caller(self.host, &self.repository.registry())
    }

    /// Returns the session that calls, if that can be told.
    pub(super) fn session(&self) -> Result<(Session, Standing), Unknown> {
        let Caller { process, standing, terminal } = self.caller()?;
        let id = self.call.session.clone();
        Ok((Session { id, host: self.host, process, terminal }, standing))
    }

    /// Returns the session that calls, if it may come after the owner of a run: not one that nobody sits
    /// at where somebody sat at the owner.
    pub(super) fn heir(&self, run: &GuardedRun) -> Result<(Session, Standing), String> {
        let (session, standing) = self.session().map_err(|unknown| unknown.to_string())?;
        if run.session.terminal && !session.terminal {
            return Err(
                "the session that drove it had a terminal, and this one has none".to_owned()
            );
        }
        Ok((session, standing))
    }

    /// Returns the run that the calling session drives.
    pub(super) fn owned(&self) -> Option<&GuardedRun> {
        let run = self.run.as_ref()?;
        (!self.in_attempt && self.relation(run) == Relation::Owner).then_some(run)
    }
}

/// Returns whether a living session drives the run.
pub(crate) fn is_hosted(repository: &RepositoryHome, run: &RunId) -> bool {
    let Seen::File(file) = guard_file::read(repository) else { return false };
    file.runs.iter().any(|guarded| guarded.run == *run && is_alive(&guarded.session))
}

/// Returns the run whose session is above the calling process.
fn hosting_session(repository: &RepositoryHome) -> Option<GuardedRun> {
    let Seen::File(file) = guard_file::read(repository) else { return None };
    let me = i32::try_from(std::process::id()).unwrap_or(-1);
    file.runs.into_iter().find(|run| {
        let HostProcess { pid, start } = run.session.process;
        // Whether a session is above cannot be told: then it is.
        ancestry::descends_from(me, pid, start).unwrap_or(true)
    })
}

/// Refuses what a session's model would do in the place of its person.
pub(crate) fn below_host(repository: &RepositoryHome, act: &str) -> Result<(), CommandError> {
    match hosting_session(repository) {
        None => Ok(()),
        Some(run) => Err(CommandError::usage(format!(
            "this was called from within the session that drives run `{}`, which cannot {act}",
            run.run
        ))
        .hint("the person answers in the session (`approve`, `/windlass:feedback …`) or in a terminal of their own")),
    }
}
