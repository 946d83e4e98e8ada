//! A run as it is told while it goes on: a line for each step that passed, and more for what failed.

use std::collections::BTreeMap;

use super::describe;
use super::history::History;
use super::plain::plain_lines;
use super::quiet::one_line;
use crate::id::{ObjectId, StepId};
use crate::plan::StepKind;
use crate::proof::Outcome;
use crate::run::{Event, Failure, RunState, StepStatus};
use crate::time::{Span, Timestamp};

/// Names of steps that are longer do not move the columns of the others.
const WIDEST_NAME: usize = 28;

/// How many lines of a failing check are shown.
const MOST_OUTPUT: usize = 15;

/// How a line is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Tone {
    Good,
    Bad,
    Plain,
    Dim,
}

/// A line for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct StepLine {
    pub tone: Tone,
    pub text: String,
}

impl StepLine {
    fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into() }
    }
}

/// What has to be remembered of a run to tell it step by step.
#[derive(Clone, Debug, Default)]
pub struct StepLines {
    began: BTreeMap<StepId, Timestamp>,
    proven: BTreeMap<StepId, Proven>,
    commits: BTreeMap<StepId, ObjectId>,
    cold_began: Option<Timestamp>,
}

#[derive(Clone, Debug)]
struct Proven {
    at: Timestamp,
    checks: usize,
}

impl StepLines {
    /// Returns what has to be remembered of a run that went on without being told.
    pub fn after(history: &History) -> Self {
        let mut lines = Self::default();
        for (step, known) in &history.steps {
            let began = known.attempts.first().map(|attempt| attempt.started_at);
            lines.began.extend(began.map(|began| (step.clone(), began)));
            let decisive = known.proofs.iter().filter(|proof| proof.decisive);
            let (checks, at) =
                decisive.fold((0, None), |(count, _), entry| (count + 1, Some(entry.at)));
            lines.proven.extend(at.map(|at| (step.clone(), Proven { at, checks })));
            lines.commits.extend(known.commit.clone().map(|commit| (step.clone(), commit)));
        }
        lines
    }

    /// Tells one event; `state` is what followed from it.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what is on the way to a step's end is told with its end"
    )]
    pub fn tell(&mut self, at: Timestamp, event: &Event, state: &RunState) -> Vec<StepLine> {
        match event {
            Event::StepBegan { step, .. } => {
                self.began.entry(step.clone()).or_insert(at);
            }
            Event::StepProven { step, report, .. } => {
                self.proven.insert(step.clone(), Proven { at, checks: report.proofs.len() });
            }
            Event::StepCommitted { step, commit, .. } => {
                self.commits.insert(step.clone(), commit.clone());
            }
            Event::StepDone { step } => return vec![self.done(at, step, state)],
            Event::StepSkipped { step, reason, .. } => {
                return vec![StepLine::new(
                    Tone::Dim,
                    format!("– {}  skipped: {}", named(step, state), one_line(reason)),
                )];
            }
            Event::StepNotProven { step, failure, .. } => {
                return self.not_proven(at, step, failure, state);
            }
            Event::AttemptEnded { report, .. } => match &report.outcome {
                Outcome::Exited { code: 0 } | Outcome::Held { .. } => {}
                _ => return vec![other(event)],
            },
            Event::ItemOpened { item } => {
                let title = state.item(item).map(|item| item.item.title.clone());
                let title = one_line(&title.unwrap_or_default());
                return vec![StepLine::new(Tone::Plain, format!("item `{item}`: {title}"))];
            }
            // One that was approved in advance is over when it is seen.
            Event::GateOpened { gate } if state.gate().is_none_or(|open| open.id != gate.id) => {}
            Event::GateApproved { in_advance: true, .. } => {}
            Event::ColdProofBegan { .. } => self.cold_began = Some(at),
            Event::ColdProofHeld { report, .. } => {
                let took = self.cold_began.take().map(|began| at.since(began));
                let name = format!("{:width$}", "on a fresh clone", width = width(state));
                return vec![StepLine::new(
                    Tone::Good,
                    format!("✓ {name}  {}", facts(took, report.proofs.len(), None)),
                )];
            }
            Event::ColdProofFailed { step, failure, .. } => {
                let mut lines = vec![StepLine::new(
                    Tone::Bad,
                    format!("✗ {}  fails on a fresh clone", named(step, state)),
                )];
                lines.extend(failing_lines(failure));
                return lines;
            }
            _ if is_news(event) => return vec![other(event)],
            _ => {}
        }
        Vec::new()
    }

    fn done(&mut self, at: Timestamp, step: &StepId, state: &RunState) -> StepLine {
        let began = self.began.remove(step);
        let proven = self.proven.remove(step);
        let until = proven.as_ref().map_or(at, |proven| proven.at);
        let took = began.map(|began| until.since(began));
        let checks = proven.map_or(0, |proven| proven.checks);
        let commit = self.commits.remove(step);
        let index = state.plan.find(step);
        let known = index.map(|index| state.step(index));
        let name = named(step, state);
        if known.is_some_and(|step| step.waived) {
            return StepLine::new(Tone::Bad, format!("~ {name}  waived: it is not proven"));
        }
        let mut text = format!("✓ {name}  {}", facts(took, checks, commit.as_ref()));
        if let Some(attempts @ 2..) = known.map(|step| step.attempts) {
            text.push_str(&format!("  {attempts} attempts"));
        }
        StepLine::new(Tone::Good, text.trim_end())
    }

    fn not_proven(
        &self,
        at: Timestamp,
        step: &StepId,
        failure: &Failure,
        state: &RunState,
    ) -> Vec<StepLine> {
        let took = self.began.get(step).map(|began| at.since(*began).to_string());
        let tries = state.plan.find(step).map(|index| {
            let (plan, now) = (state.plan.step(index), state.step(index));
            match now.tries {
                0 => "not counted as a try".to_owned(),
                tries => format!("try {tries} of {}", plan.retries),
            }
        });
        let facts: Vec<String> = took.into_iter().chain(tries).collect();
        let mut lines = vec![StepLine::new(
            Tone::Bad,
            format!("✗ {}  {}", named(step, state), facts.join("  ")),
        )];
        lines.extend(failing_lines(failure));
        lines
    }
}

/// The steps that failed and are not done, with what their checks printed, for the end of a run's output.
pub fn failing(state: &RunState) -> Vec<StepLine> {
    let mut lines = Vec::new();
    for index in state.plan.in_reading_order() {
        let stands = matches!(state.step_status(index), StepStatus::Failed | StepStatus::Blocked);
        if let Some(failure) = state.step(index).failure.as_ref().filter(|_| stands) {
            lines.push(StepLine::new(Tone::Bad, format!("✗ {}", state.plan.step(index).id)));
            lines.extend(failing_lines(failure));
        }
    }
    lines
}

/// What failed, each check with the end of what it printed.
fn failing_lines(failure: &Failure) -> Vec<StepLine> {
    let mut lines = Vec::new();
    if failure.checks.iter().all(|check| check.summary != failure.summary) {
        lines.push(StepLine::new(Tone::Plain, format!("    {}", one_line(&failure.summary))));
    }
    for check in &failure.checks {
        if failure.checks.len() > 1 || check.summary == failure.summary {
            lines.push(StepLine::new(Tone::Plain, format!("    {}", one_line(&check.summary))));
        }
        let said = check.excerpt.as_deref().unwrap_or_default().trim_end();
        let said: Vec<String> = if said.is_empty() { Vec::new() } else { plain_lines(said) };
        let over = said.len().saturating_sub(MOST_OUTPUT);
        if over > 0 {
            let more = format!(
                "    │ … {} above; `windlass proofs --output` has all",
                count(over, "line")
            );
            lines.push(StepLine::new(Tone::Dim, more));
        }
        let shown = said.into_iter().skip(over);
        lines.extend(shown.map(|line| StepLine::new(Tone::Dim, format!("    │ {line}"))));
    }
    lines
}

/// Events that people want to know of beside the ends of steps.
fn is_news(event: &Event) -> bool {
    matches!(
        event,
        Event::AttemptLost { .. }
            | Event::StopRequested { .. }
            | Event::VerificationBroken { .. }
            | Event::WaitStarted { .. }
            | Event::Published { .. }
            | Event::PublishRefused { .. }
            | Event::PushSettingsAccepted { .. }
            | Event::GateOpened { .. }
            | Event::GateApproved { .. }
            | Event::GateAnswerRefused { .. }
            | Event::ProtectedPinned { .. }
            | Event::FeedbackGiven { .. }
            | Event::RolledBack { .. }
            | Event::RouteTaken { .. }
            | Event::StepTakenBack { .. }
            | Event::WorkReverted { .. }
            | Event::StepBlocked { .. }
            | Event::TasksRead { .. }
            | Event::ItemUpdated { .. }
            | Event::ItemMoved { .. }
            | Event::ItemTakenBack { .. }
            | Event::ItemGoesOn { .. }
            | Event::FailureNoted { .. }
            | Event::BlockerRaised { .. }
            | Event::BlockerOpened { .. }
            | Event::BlockerLookedAt { .. }
            | Event::BlockerStays { .. }
            | Event::BlockerResolved { .. }
            | Event::ResolutionNoted { .. }
            | Event::ProgressReported { .. }
            | Event::CheckpointMade { .. }
            | Event::DraftAsked { .. }
            | Event::QuestionsAsked { .. }
            | Event::QuestionAnswered { .. }
            | Event::ClarificationAdded { .. }
            | Event::ColdProofBroken { .. }
            | Event::ColdProofAbandoned { .. }
            | Event::ColdProofWaived { .. }
            | Event::AgentChanged { .. }
            | Event::RunPaused { .. }
            | Event::RunResumed { .. }
            | Event::RetriesReset { .. }
            | Event::AbortRequested { .. }
            | Event::RunAborted
    )
}

fn other(event: &Event) -> StepLine {
    StepLine::new(Tone::Plain, format!("  {}", one_line(&describe(event))))
}

/// Time, checks and commit, as far as they are known.
fn facts(took: Option<Span>, checks: usize, commit: Option<&ObjectId>) -> String {
    let took = took.map(|took| format!("{:>6}", took.to_string()));
    let checks = (checks > 0).then(|| count(checks, "check"));
    let commit =
        commit.map(|commit| commit.as_str().get(..7).unwrap_or(commit.as_str()).to_owned());
    [took, checks, commit].into_iter().flatten().collect::<Vec<_>>().join("  ")
}

/// Returns a number with its noun: `1 check`, `2 checks`.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// The step's name, as wide as that of the others.
fn named(step: &StepId, state: &RunState) -> String {
    format!("{:width$}", step.as_str(), width = width(state))
}

fn width(state: &RunState) -> usize {
    let names = state.plan.indexes().map(|index| state.plan.step(index));
    let leaves = names.filter(|step| !matches!(step.kind, StepKind::Foreach(_)));
    let widest = leaves.map(|step| step.id.as_str().chars().count()).max();
    widest.unwrap_or(0).clamp(4, WIDEST_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::*;
    use crate::run::{Category, FailedCheck};

    /// Tells the events of one decision, a second after the one before.
    fn told(lines: &mut StepLines, events: &[Event], run: &Run) -> Vec<String> {
        let at = run.state.now;
        let told = events.iter().flat_map(|event| lines.tell(at, event, &run.state));
        told.map(|line| line.text).collect()
    }

    #[test]
    fn a_step_that_passed_is_one_line() {
        let (mut lines, mut run) = (StepLines::default(), Run::of([agent("code"), agent("docs")]));
        assert!(told(&mut lines, &run.begins("code"), &run).is_empty());
        assert!(told(&mut lines, &run.ends("code#1", "c1"), &run).is_empty());
        let passed = told(&mut lines, &run.verifies(holds()), &run);
        assert_eq!(passed.len(), 1, "{passed:?}");
        assert!(
            passed[0].starts_with("✓ code  ") && passed[0].ends_with("s  1 check"),
            "{passed:?}"
        );
    }

    #[test]
    fn a_step_that_failed_says_what_its_check_printed_at_once_and_at_the_end() {
        let (mut lines, mut run) = (StepLines::default(), Run::of([agent("code").retries(1)]));
        told(&mut lines, &run.begins("code"), &run);
        told(&mut lines, &run.ends("code#1", "c1"), &run);
        let mut report = fails("`make test` exited with 2");
        report.proofs[0].excerpt = Some("one\n\u{1b}[31mexpected 4, got 5\u{1b}[0m\n".to_owned());
        let failed = told(&mut lines, &run.verifies(report), &run);
        let joined = failed.join("\n");
        assert!(joined.starts_with("✗ code  ") && joined.contains("try 1 of 1"), "{joined}");
        assert!(joined.contains("    │ expected 4, got 5"), "{joined}");
        let end: Vec<String> = failing(&run.state).into_iter().map(|line| line.text).collect();
        assert!(
            end[0] == "✗ code" && end.contains(&"    │ expected 4, got 5".to_owned()),
            "{end:?}"
        );
    }

    #[test]
    fn long_outputs_are_cut_at_their_beginning_and_say_so() {
        let said: String = (0..MOST_OUTPUT + 1).map(|line| format!("line {line}\n")).collect();
        let summary = "a".to_owned();
        let check = FailedCheck { summary, excerpt: Some(said), evidence: None, cause: None };
        let failure = Failure::new(Category::Test, "a".to_owned(), vec![check]);
        let lines = failing_lines(&failure);
        assert_eq!(lines[1].text, "    │ … 1 line above; `windlass proofs --output` has all");
        assert_eq!(lines.len(), MOST_OUTPUT + 2);
        assert_eq!(lines.last().unwrap().text, format!("    │ line {MOST_OUTPUT}"));
    }

    #[test]
    fn a_step_that_passed_in_an_earlier_session_is_told_with_what_the_journal_knows() {
        let mut run = Run::of([agent("code").gated()]);
        let mut history = History::default();
        for events in [run.begins("code"), run.ends("code#1", "c1"), run.verifies(holds())] {
            events.iter().for_each(|event| history.add(run.state.now, "person:a", event));
        }
        let mut lines = StepLines::after(&history);
        let passed = told(&mut lines, &run.decides(approve(1, "c1")), &run);
        assert!(
            passed.iter().any(|line| line.contains("✓ code") && line.contains("1 check")),
            "{passed:?}"
        );
    }

    #[test]
    fn numbers_agree_with_their_nouns() {
        assert_eq!((count(1, "check"), count(0, "check")), ("1 check".into(), "0 checks".into()));
    }
}
