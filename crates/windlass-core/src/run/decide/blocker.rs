//! Help from a person: what keeps the run, and what shows that it is solved.

use super::control;
use super::draft::Draft;
use crate::id::{AttemptId, ItemId, StepId, StepIndex};
use crate::plan::Holds;
use crate::proof::VerifyReport;
use crate::run::blocker::{
    Blocker, BlockerKind, MAX_BLOCKER_BYTES, MAX_BLOCKER_CHECK_BYTES, NewBlocker, Resolution,
    Severity,
};
use crate::run::state::{Control, Phase};
use crate::run::{Actor, Event, Raise, Rejected};
use crate::time::Timestamp;

/// How many characters of what somebody found become the message of a blocker.
const MAX_FOUND: usize = 500;

/// More open blockers than anybody reads.
const MAX_OPEN: usize = 20;

/// An agent asks for help during its attempt.
pub(super) fn asked_by_agent(
    draft: &mut Draft,
    attempt: &AttemptId,
    new: &NewBlocker,
) -> Result<(), Rejected> {
    if !draft.state.running_attempts().any(|running| running == *attempt) {
        return Err(Rejected::StaleAttempt { attempt: attempt.clone() });
    }
    let known = draft.state.open_blockers().any(|open| open.message == new.message);
    if known {
        // An attempt after a lost one says what the lost one said.
        return Ok(());
    }
    open(draft, new, BlockerKind::Help, Some(attempt.step.clone()))
}

/// A person stops the run until something is solved.
pub(super) fn asked_by_person(draft: &mut Draft, new: &NewBlocker) -> Result<(), Rejected> {
    let step = draft.state.holding().map(|(_, plan, _)| plan.id.clone());
    open(draft, new, BlockerKind::Help, step)
}

/// Opens a blocker.
pub(super) fn open(
    draft: &mut Draft,
    new: &NewBlocker,
    kind: BlockerKind,
    step: Option<StepId>,
) -> Result<(), Rejected> {
    let message = new.message.trim();
    if message.is_empty() {
        return Err(Rejected::NoReason);
    }
    let check = new.check.as_ref().map_or("", |check| check.command.as_str());
    let clean = !message.contains('\0') && !check.contains('\0');
    if message.len() > MAX_BLOCKER_BYTES || check.len() > MAX_BLOCKER_CHECK_BYTES || !clean {
        return Err(Rejected::BadBlocker);
    }
    if matches!(draft.state.control, Control::Aborting) {
        return Err(Rejected::Busy { what: "the run is being aborted".to_owned() });
    }
    if draft.state.open_blockers().count() >= MAX_OPEN {
        return Err(Rejected::TooManyBlockers { max: MAX_OPEN });
    }
    let blocker = Blocker {
        severity: new.severity,
        check: new.check.clone(),
        step,
        next_look: new.check.as_ref().map(|_| draft.now().plus(Blocker::rest(0))),
        ..new_blocker(draft, message, kind)
    };
    draft.emit(Event::BlockerOpened { blocker: Box::new(blocker) });
    Ok(())
}

/// After so many items a person looks before the next comes up.
pub(super) fn checkpoint(draft: &Draft, foreach: StepIndex) -> Option<Event> {
    let every = draft.state.plan.foreach(foreach)?.checkpoint?;
    let finished = draft.state.finished_items(foreach);
    let since = finished.saturating_sub(draft.state.step(foreach).told.looked);
    if since < every {
        return None;
    }
    let message = format!("{finished} items are finished: look at them before the next comes up");
    let mut blocker = new_blocker(draft, &message, BlockerKind::Checkpoint);
    (blocker.severity, blocker.step) = (Severity::Low, Some(draft.id(foreach)));
    Some(Event::BlockerOpened { blocker: Box::new(blocker) })
}

/// A judge found what must not be worked around: a person looks before anybody goes on.
pub(super) fn security(draft: &Draft, step: StepId, message: &str) -> Event {
    let message = found(message);
    let mut blocker = new_blocker(draft, &message, BlockerKind::Security);
    (blocker.severity, blocker.step) = (Severity::High, Some(step));
    Event::BlockerOpened { blocker: Box::new(blocker) }
}

/// The beginning of what a judge found, as a reason.
pub(super) fn found(message: &str) -> String {
    beginning(message, MAX_FOUND)
}

/// An agent ended with a line that says that it needs a person; returns whether that keeps the run.
pub(super) fn escalated(draft: &mut Draft, attempt: &AttemptId, reason: &str) -> bool {
    let reason = beginning(reason.trim(), MAX_FOUND).replace('\0', " ");
    if reason.is_empty() || draft.state.open_blockers().count() >= MAX_OPEN {
        return false;
    }
    if draft.state.open_blockers().any(|open| open.message == reason) {
        return true;
    }
    let mut blocker = new_blocker(draft, &reason, BlockerKind::Help);
    blocker.step = Some(attempt.step.clone());
    blocker.by = Actor::agent(attempt).to_string();
    draft.emit(Event::BlockerOpened { blocker: Box::new(blocker) });
    true
}

/// The beginning of a text, with a sign that it goes on.
fn beginning(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns a blocker that nobody has looked at.
fn new_blocker(draft: &Draft, message: &str, kind: BlockerKind) -> Blocker {
    let id = u32::try_from(draft.state.blockers.len()).unwrap_or(u32::MAX).saturating_add(1);
    Blocker {
        id,
        message: message.to_owned(),
        kind,
        severity: Severity::default(),
        check: None,
        step: None,
        by: draft.actor(),
        at: draft.now(),
        looks: 0,
        next_look: None,
        looking: None,
        stays: None,
        resolved: None,
    }
}

/// A person says that something is solved: a blocker by its number, a blocked item or step, or
/// whatever it is that keeps the run.
pub(super) fn fixed(
    draft: &mut Draft,
    what: Option<&str>,
    notes: Option<&str>,
) -> Result<(), Rejected> {
    let notes = notes.map(str::trim).filter(|notes| !notes.is_empty());
    if let Some(id) = which(draft, what)? {
        return look(draft, id, Some(draft.actor()), notes);
    }
    if let Some(index) = blocked_step(draft, what)? {
        return try_again(draft, index, notes);
    }
    if what.is_none() && matches!(draft.state.control, Control::Obstructed { .. }) {
        return control::resume(draft, &Raise::default());
    }
    Err(Rejected::NothingBlocked { what: what.map(str::to_owned) })
}

/// Returns the blocker that is meant.
fn which(draft: &Draft, what: Option<&str>) -> Result<Option<u32>, Rejected> {
    let open: Vec<u32> = draft.state.open_blockers().map(|blocker| blocker.id).collect();
    let Some(what) = what else {
        return match open.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(*only)),
            _ => Err(Rejected::WhichBlocker { open }),
        };
    };
    let number = what.trim_start_matches(['B', 'b', '#']).parse::<u32>().ok();
    Ok(number.filter(|number| open.contains(number)))
}

/// Returns the blocked step that is meant: of an item, or by its name.
fn blocked_step(draft: &Draft, what: Option<&str>) -> Result<Option<StepIndex>, Rejected> {
    let state = &draft.state;
    let Some(what) = what else {
        return Ok(match state.blocked.iter().copied().collect::<Vec<_>>().as_slice() {
            [only] => Some(*only),
            [] => None,
            several => {
                let steps = several.iter().map(|index| draft.id(*index)).collect();
                return Err(Rejected::WhichBlocked { steps });
            }
        });
    };
    let of_item = state.item(&ItemId::from(what)).and_then(|item| {
        let mut steps = item.steps(&state.plan).into_iter();
        steps.find(|index| state.step(*index).phase == Phase::Blocked)
    });
    let by_name = || state.plan.find(&StepId::from(what));
    let step = of_item.or_else(by_name);
    Ok(step.filter(|index| state.step(*index).phase == Phase::Blocked))
}

/// A blocked step is tried again; what the person did is told to whoever works on it.
fn try_again(draft: &mut Draft, index: StepIndex, notes: Option<&str>) -> Result<(), Rejected> {
    let step = draft.id(index);
    control::retry_reset(draft, Some(&step))?;
    if let Some(notes) = notes {
        let by = draft.actor();
        draft.emit(Event::ResolutionNoted { step, by, notes: notes.to_owned() });
    }
    Ok(())
}

/// Looks whether a blocker is solved. Without anything to look at, the person's word counts.
fn look(
    draft: &mut Draft,
    id: u32,
    by: Option<String>,
    notes: Option<&str>,
) -> Result<(), Rejected> {
    let Some(blocker) = draft.state.blocker(id) else {
        return Err(Rejected::NothingBlocked { what: Some(id.to_string()) });
    };
    if blocker.looking.as_ref().is_some_and(|looking| looking.by.is_some()) {
        // Somebody said so already, and whoever drives next looks.
        return Ok(());
    }
    let nothing = blocker.check.is_none() && draft.state.plan.recheck.is_none();
    let notes = notes.map(str::to_owned);
    if nothing || blocker.kind == BlockerKind::Checkpoint {
        resolve(draft, id, by, notes);
    } else {
        draft.emit(Event::BlockerLookedAt { blocker: id, by, notes });
    }
    Ok(())
}

fn resolve(draft: &mut Draft, id: u32, by: Option<String>, notes: Option<String>) {
    let at = draft.now();
    let resolution = Resolution { by, notes, at };
    draft.emit(Event::BlockerResolved { blocker: id, resolution });
}

/// The check of a blocker was run, and what has to hold before the run continues.
pub(super) fn looked_at(
    draft: &mut Draft,
    id: u32,
    look: u32,
    report: &VerifyReport,
) -> Result<(), Rejected> {
    let known = draft.state.blocker(id).filter(|blocker| blocker.is_open());
    let Some(blocker) = known.filter(|blocker| blocker.looks == look) else {
        return Err(Rejected::NotExpected);
    };
    let Some(looking) = blocker.looking.clone() else { return Err(Rejected::NotExpected) };
    match why_it_stays(report) {
        Some(why) => draft.emit(Event::BlockerStays { blocker: id, why }),
        None => resolve(draft, id, looking.by, looking.notes),
    }
    Ok(())
}

/// Says why a look at a blocker does not let the run go on; none where it does.
pub fn why_it_stays(report: &VerifyReport) -> Option<String> {
    if report.broken.is_some() {
        return report.broken.clone();
    }
    let proof = report.proofs.iter().find(|proof| proof.holds != Holds::Yes)?;
    let excerpt = proof.excerpt.as_deref().map(str::trim).filter(|text| !text.is_empty());
    Some(match excerpt {
        Some(excerpt) => format!("{}\n{excerpt}", proof.summary),
        None => proof.summary.clone(),
    })
}

/// It is time to look again.
pub(super) fn timer_fired(draft: &mut Draft, id: u32, at: Timestamp) {
    let now = at.max(draft.state.now);
    let due = draft.state.blocker(id).is_some_and(|blocker| {
        blocker.is_open()
            && blocker.looking.is_none()
            && blocker.next_look.is_some_and(|next| next <= now)
    });
    if due {
        draft.emit(Event::BlockerLookedAt { blocker: id, by: None, notes: None });
    }
}

/// Whoever resumes says that all of it is solved.
pub(super) fn resolve_all(draft: &mut Draft) {
    let open: Vec<u32> = draft.state.open_blockers().map(|blocker| blocker.id).collect();
    for id in open {
        let by = Some(draft.actor());
        resolve(draft, id, by, None);
    }
}
