//! What a person who is not looking should be told.

use crate::id::StepId;
use crate::run::{Event, PauseReason, RunState};

use super::describe;
use super::progress::progress_view;

/// Why somebody is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// A gate waits for a decision.
    Gate,
    /// The run stopped by itself.
    Paused,
    /// A provider's limit holds the run up; it goes on by itself.
    Waiting,
    /// A person has to put something right.
    Blocked,
    /// How far the items of a run have come.
    Progress,
    /// The run is complete.
    Completed,
    /// The run ended without being complete.
    Aborted,
}

impl NoticeKind {
    /// Returns the word that a notify command finds in `$WINDLASS_EVENT`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Paused => "paused",
            Self::Waiting => "waiting",
            Self::Blocked => "blocked",
            Self::Progress => "progress",
            Self::Completed => "completed",
            Self::Aborted => "aborted",
        }
    }
}

/// One thing to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Why.
    pub kind: NoticeKind,
    /// The step that it is about.
    pub step: Option<StepId>,
    /// What happened, in words. It may contain words of an agent.
    pub message: String,
}

/// Returns what the events of one decision are worth telling, if anything; `state` is what followed.
///
/// A gate that was approved in advance is over when it is seen, a backoff of seconds ends by itself,
/// and a pause that a person asked for is no news to them.
pub fn notice(events: &[Event], state: &RunState) -> Option<Notice> {
    let mut best: Option<(NoticeKind, Option<&StepId>, &Event)> = None;
    for event in events {
        let Some((kind, step)) = of_event(event, state) else { continue };
        // What ends a run says more than what led to its end, and all else more than how far it is.
        let is_end = matches!(kind, NoticeKind::Completed | NoticeKind::Aborted);
        let only_progress = matches!(best, Some((NoticeKind::Progress, ..)));
        if is_end || best.is_none() || only_progress {
            best = Some((kind, step, event));
        }
    }
    let (kind, step, event) = best?;
    let holding = || state.holding().map(|(_, plan, _)| plan.id.clone());
    let step = match kind {
        NoticeKind::Completed | NoticeKind::Aborted => None,
        NoticeKind::Gate
        | NoticeKind::Paused
        | NoticeKind::Waiting
        | NoticeKind::Progress
        | NoticeKind::Blocked => step.cloned().or_else(holding),
    };
    let counts = progress_view(state).filter(|_| kind == NoticeKind::Progress);
    let message = counts.map_or_else(|| describe(event), |view| view.counts.words());
    Some(Notice { kind, step, message })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all other events are nothing to be told about")]
fn of_event<'e>(event: &'e Event, state: &RunState) -> Option<(NoticeKind, Option<&'e StepId>)> {
    match event {
        Event::RunCompleted => Some((NoticeKind::Completed, None)),
        Event::RunAborted => Some((NoticeKind::Aborted, None)),
        Event::GateOpened { gate } => {
            let open = state.gate().is_some_and(|open| open.id == gate.id);
            open.then_some((NoticeKind::Gate, Some(&gate.step)))
        }
        Event::RunPaused { reason: PauseReason::User, .. } => None,
        Event::RunPaused { .. } => Some((NoticeKind::Paused, None)),
        Event::StepBlocked { step, .. } => Some((NoticeKind::Blocked, Some(step))),
        Event::BlockerRaised { .. }
        | Event::BlockerOpened { .. }
        | Event::QuestionsAsked { .. } => Some((NoticeKind::Blocked, None)),
        Event::ProgressReported { step, .. } => Some((NoticeKind::Progress, Some(step))),
        Event::WaitStarted { step, limit: true, .. } => Some((NoticeKind::Waiting, Some(step))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Exhausted;
    use crate::proof::Outcome;
    use crate::run::testing::*;

    fn told(events: &[Event], run: &Run) -> Option<(&'static str, Option<String>)> {
        let notice = notice(events, &run.state)?;
        Some((notice.kind.as_str(), notice.step.map(|step| step.to_string())))
    }

    fn about(kind: &'static str, step: &str) -> Option<(&'static str, Option<String>)> {
        Some((kind, Some(step.to_owned())))
    }

    #[test]
    fn a_gate_that_waits_is_told_and_one_that_was_approved_in_advance_is_not() {
        let mut run = Run::of([agent("code").gated()]);
        assert_eq!(told(&run.begins("code"), &run), None);
        assert_eq!(told(&run.ends("code#1", "c1"), &run), None);
        assert_eq!(told(&run.verifies(holds()), &run), about("gate", "code"));
        assert_eq!(told(&run.decides(approve(1, "c1")), &run), Some(("completed", None)));

        let mut run = Run::approved_in_advance([agent("code").gated()]);
        run.begins("code");
        run.ends("code#1", "c1");
        assert_eq!(told(&run.verifies(holds()), &run), Some(("completed", None)));
    }

    #[test]
    fn a_run_that_stops_by_itself_is_told_and_a_pause_that_was_asked_for_is_not() {
        let mut run = Run::of([agent("code").retries(1)]);
        run.begins("code");
        run.ends("code#1", "c1");
        assert_eq!(told(&run.verifies(fails("no")), &run), about("paused", "code"));
        assert_eq!(told(&run.decides(ABORT), &run), Some(("aborted", None)));

        let mut run = Run::of([agent("code")]);
        run.begins("code");
        assert_eq!(told(&run.decides(PAUSE), &run), None);
    }

    #[test]
    fn a_providers_limit_is_told_and_a_backoff_is_not() {
        let mut run = Run::of([agent("code")]);
        run.begins("code");
        let how = Outcome::ProviderLimit { resets_at: None, message: "limit".to_owned() };
        let mut events = run.ends_with("code#1", "c1", how);
        if events.iter().all(|event| !matches!(event, Event::WaitStarted { .. })) {
            events = run.verifies(fails("no"));
        }
        assert_eq!(told(&events, &run), about("waiting", "code"));

        let mut run = Run::of([agent("code")]);
        run.begins("code");
        run.ends_with("code#1", "c1", Outcome::TimedOut);
        let events = run.verifies(fails("no"));
        assert!(events.iter().any(|event| matches!(event, Event::WaitStarted { .. })));
        assert_eq!(told(&events, &run), None);
    }

    #[test]
    fn what_a_person_has_to_put_right_is_told() {
        let mut run = Run::of([agent("code").commits()]);
        run.begins("code");
        run.ends("code#1", "c1");
        run.verifies(holds());
        let events = run.refuses_commit("code", "the branch moved");
        assert_eq!(told(&events, &run), about("blocked", "code"));
        assert!(notice(&events, &run.state).unwrap().message.contains("the branch moved"));

        let mut run = Run::of([agent("code").retries(1).exhausted(Exhausted::Block)]);
        run.begins("code");
        run.ends("code#1", "c1");
        assert_eq!(told(&run.verifies(fails("no")), &run), about("blocked", "code"));
    }
}
