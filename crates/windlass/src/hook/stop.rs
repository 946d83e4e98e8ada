//! Stop: the session wants to end its turn. This is where it is told what is next.

use windlass_core::hook::{Answer, GuardedRun, progress, wait_for};
use windlass_core::id::AttemptId;
use windlass_core::run::{Actor, HostKind, Phase, RunState};
use windlass_engine::dispatch::HostedJournal;
use windlass_engine::hosted::desk::{Desk, Live};

use super::LONG_PATIENCE;
use super::turn::stops;
use super::who::Asked;
use crate::error::CommandError;

/// How often a session is told that its start is not complete, before it is let go.
const REMINDERS: u32 = 3;

pub(super) fn stop(asked: &Asked) -> Result<Answer, CommandError> {
    let desk = Desk::of(&asked.repository);
    let Some(run) = asked.owned() else { return Ok(not_started(asked, &desk)) };
    // What the person said before is answered by now, or never.
    desk.forget_messages();
    note_scheduled(asked)?;
    let background = asked.call.background_agents();
    let mut journal = HostedJournal::open(&asked.repository, &run.run, LONG_PATIENCE)?;
    let state = journal.state();
    if asked.host == HostKind::Codex && wait_for(state).is_some() {
        // Agents of Codex go on while the main thread stops, until its process ends.
        let _ = journal.feed(asked.stop_asked(), Actor::engine())?;
        return Ok(waits(asked, journal.state()));
    }
    if stranded(state, &background).is_empty() && journal.is_settled()? {
        if asked.instruction(journal.state()).is_none() {
            return Ok(stops(asked, journal.state()));
        }
        // A rejection means that the run is paused or being ended: then the session may stop.
        let _ = journal.feed(asked.stop_asked(), Actor::engine())?;
        return Ok(sent_on(asked, journal.state()));
    }
    drop(journal);
    drive(asked, run, &background)
}

/// Does what is outstanding first: timers, checks, commits, what was lost.
fn drive(asked: &Asked, run: &GuardedRun, background: &[&str]) -> Result<Answer, CommandError> {
    let mut driver = asked.join(&run.run, &run.session, LONG_PATIENCE)?;
    for attempt in stranded(driver.state(), background) {
        driver.lost(&attempt)?;
    }
    driver.settle()?;
    if asked.instruction(driver.state()).is_some() {
        let _ = driver.feed(asked.stop_asked())?;
    }
    let state = driver.leave();
    Ok(sent_on(asked, &state))
}

fn waits(asked: &Asked, state: &RunState) -> Answer {
    let running = matches!(state.control, windlass_core::run::Control::Active);
    match wait_for(state).filter(|_| running) {
        Some(instruction) => Answer::SendOn(instruction),
        None => sent_on(asked, state),
    }
}

fn sent_on(asked: &Asked, state: &RunState) -> Answer {
    let running = matches!(state.control, windlass_core::run::Control::Active);
    match asked.instruction(state).filter(|_| running) {
        Some(instruction) => match news(asked, state) {
            Some(news) => Answer::SendOnTelling(instruction, news),
            None => Answer::SendOn(instruction),
        },
        None => stops(asked, state),
    }
}

/// How far the stories have come, where a report is due that the session's person has not seen.
fn news(asked: &Asked, state: &RunState) -> Option<String> {
    let told = state.plan.foreaches().map(|index| state.step(index).told);
    let mark: Vec<String> = told.filter_map(|told| Some(told.at?.to_string())).collect();
    if mark.is_empty() {
        return None;
    }
    let desk = Desk::of(&asked.repository);
    // A desk that cannot be written is told about elsewhere; the report is in the place as well.
    let new = desk.is_news(&state.facts.run, &mark.join(" ")).unwrap_or(false);
    progress(state).filter(|_| new)
}

/// Returns the attempts whose subagent is gone without having stopped: the main thread would not be
/// stopping while it runs, unless it runs in the background.
fn stranded(state: &RunState, background: &[&str]) -> Vec<AttemptId> {
    let at_work = |index| {
        let step = state.step(index);
        let Phase::Running { attempt, .. } = step.phase else { return None };
        let agent = step.handover.as_ref()?.agent.as_deref()?;
        (!background.contains(&agent))
            .then(|| AttemptId { step: state.plan.step(index).id.clone(), number: attempt })
    };
    state.in_hand().filter_map(at_work).collect()
}

/// A session that was asked to start a run has to do so before it stops.
fn not_started(asked: &Asked, desk: &Desk) -> Answer {
    if let Some(farewell) = desk.take_farewell(&asked.call.session) {
        return Answer::LetGo(farewell);
    }
    let Some(mut starting) = desk.starting(&asked.call.session) else { return Answer::Nothing };
    if asked.run.is_some() || starting.reminded >= REMINDERS {
        desk.end_start(&asked.call.session);
        return Answer::LetGo(
            "windlass: the run was not started; send the command again to start it".to_owned(),
        );
    }
    starting.reminded += 1;
    let _ = desk.note_start(&starting);
    Answer::SendOn(super::start::incomplete(&starting))
}

/// A prompt that the session sends itself cannot be told from its person's.
fn note_scheduled(asked: &Asked) -> Result<(), CommandError> {
    let desk = Desk::of_machine(&asked.home);
    let scheduled = asked.call.has_scheduled_prompts();
    if let Some(live) = desk.live(&asked.call.session)
        && live.scheduled != scheduled
    {
        desk.note_live(&Live { scheduled, ..live }).map_err(CommandError::failure)?;
    }
    Ok(())
}
