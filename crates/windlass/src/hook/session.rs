//! SessionStart, SessionEnd and what else a session tells of itself.

use std::time::Duration;

use windlass_core::hook::{Answer, GuardedRun, HookEvent, transport_rules};
use windlass_core::run::{Actor, InputKind, RunState, Session};
use windlass_engine::dispatch::HostedJournal;
use windlass_engine::hosted::caller::Standing;
use windlass_engine::hosted::desk::{Desk, Live};

use super::who::{Asked, Relation};
use super::{PATIENCE, shell_file};
use crate::error::CommandError;

/// The host ends three seconds after it said so.
const AT_THE_END: Duration = Duration::from_millis(1500);

pub(super) fn start(asked: &Asked) -> Result<Answer, CommandError> {
    if asked.in_attempt {
        return Ok(Answer::Nothing);
    }
    shell_file::announce(asked);
    let session = asked.session();
    if let Ok((session, _)) = &session {
        let desk = Desk::of_machine(&asked.home);
        // The same process goes on with whatever it had planned.
        let known = desk.live(&session.id).filter(|live| live.session == *session);
        let scheduled = known.is_some_and(|live| live.scheduled);
        let live = Live { session: session.clone(), scheduled };
        desk.note_live(&live).map_err(CommandError::failure)?;
    }
    let Some(run) = &asked.run else { return Ok(Answer::Nothing) };
    let compacted = asked.call.text("source") == Some("compact");
    match asked.relation(run) {
        Relation::Owner => {
            let journal = HostedJournal::open(&asked.repository, &run.run, PATIENCE)?;
            Ok(told(asked, journal.state(), compacted))
        }
        // The same conversation in a new process, or a new one in the same: it goes on with the run.
        Relation::Heir if comes_after(run, asked, session.as_ref().ok()) => match asked.heir(run) {
            Ok((session, _)) => {
                let mut driver = asked.claim(&run.run, &session)?;
                driver.settle()?;
                Ok(told(asked, &driver.leave(), compacted))
            }
            Err(unknown) => Ok(Answer::Context(format!(
                "windlass: run {} is unfinished, and this session cannot go on with it: {unknown}. \
                 The person can continue with `windlass resume` in a terminal.",
                run.run
            ))),
        },
        Relation::Heir => Ok(Answer::Context(unowned(run))),
        Relation::Shadow | Relation::Stranger => Ok(Answer::Nothing),
    }
}

fn comes_after(run: &GuardedRun, asked: &Asked, session: Option<&(Session, Standing)>) -> bool {
    let same_process = session.is_some_and(|(session, _)| session.process == run.session.process);
    run.session.id == asked.call.session || same_process
}

fn told(asked: &Asked, state: &RunState, compacted: bool) -> Answer {
    if compacted {
        let instruction = asked.instruction(state);
        // What was being done goes on; the command that started the run is not given again.
        let next = instruction.unwrap_or_else(|| windlass_core::hook::one_line(state));
        return Answer::Context(format!("{}\n\n{next}", transport_rules()));
    }
    Answer::Context(asked.session_start(state))
}

fn unowned(run: &GuardedRun) -> String {
    format!(
        "windlass: run {} in this checkout is unfinished ({}), and the session that drove it is gone. \
         Until it ends, nothing here writes code or pushes. Tell the person: `/windlass:resume` goes on \
         with it in this session, `/windlass:abort` ends it; its work is kept either way.",
        run.run, run.status
    )
}

pub(super) fn end(asked: &Asked) -> Result<Answer, CommandError> {
    Desk::of_machine(&asked.home).end_live(&asked.call.session);
    if let Some(run) = asked.owned() {
        let mut journal = HostedJournal::open(&asked.repository, &run.run, AT_THE_END)?;
        let _ = journal.feed(InputKind::DriverLeft, Actor::engine())?;
    }
    Ok(Answer::Nothing)
}

/// Journals what changes nothing.
pub(super) fn note(asked: &Asked, event: HookEvent) -> Result<Answer, CommandError> {
    if let Some(run) = asked.owned() {
        let mut journal = HostedJournal::open(&asked.repository, &run.run, PATIENCE)?;
        let input = InputKind::SessionNoted { event: event.name().to_owned() };
        let _ = journal.feed(input, Actor::engine())?;
    }
    Ok(Answer::Nothing)
}
