//! All that the screen knows.

use std::sync::Arc;

use windlass_core::id::{AttemptId, GateId, StepId};
use windlass_core::run::StepStatus;
use windlass_core::time::{Span, Timestamp};
use windlass_core::view::{RollbackTarget, StatusView, StepView};
use windlass_engine::dispatch::Request;

use super::live::Live;
use super::pager::{Page, PageLine, Pager, Subject};
use super::shown::{Question, Shown};
use super::text_input::TextInput;

/// The smallest terminal that something useful fits into.
pub(super) const SMALLEST: (u16, u16) = (40, 10);

/// What the source saw of the run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen {
    pub(super) view: StatusView,
    pub(super) driver: Driven,
    /// What runs at this moment, with its last lines of output.
    pub(super) live: Vec<Live>,
    pub(super) targets: Vec<RollbackTarget>,
    /// Why what is shown may be old.
    pub(super) trouble: Option<String>,
}

/// Who drives the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Driven {
    By { pid: u32 },
    Nobody { since: Timestamp },
}

/// What happened.
#[derive(Clone, Debug)]
pub(super) enum Message {
    Key(ratatui::crossterm::event::KeyEvent),
    Pasted(String),
    Resized(u16, u16),
    /// The time for people, and how long the view has been there, which no clock that is set changes.
    Tick(Timestamp, Span),
    /// All that is known was drawn, this long after the view began.
    Drawn(Span),
    Seen(Arc<Seen>),
    Page(Page),
    Answered(Notice),
    /// The terminal is gone, or somebody asked this process to end.
    Leave,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    /// Show this, and again when it changes.
    Ask(Subject),
    /// Nobody looks at a page any more.
    StopAsking,
    /// Ask this of the run; the words are for the case that it is accepted.
    Decide(Request, String),
    Suspend,
    Leave,
}

/// A line for the person, until the next key; one that is no refusal goes away by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Notice {
    pub(super) text: String,
    pub(super) bad: bool,
}

/// What is being asked of the person.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Dialog {
    Help,
    /// Bound to the gate that was shown when it was opened.
    Approve {
        gate: GateId,
        step: StepId,
        message: Option<TextInput>,
    },
    Feedback {
        /// The gate that was shown when the text was begun.
        gate: Option<GateId>,
        step: StepId,
        text: TextInput,
    },
    Rollback {
        targets: Vec<RollbackTarget>,
        at: usize,
        reset_code: bool,
        why: Option<TextInput>,
    },
    Pause,
    Resume,
}

/// All that the screen knows.
#[derive(Clone, Debug)]
pub(super) struct Screen {
    pub(super) size: (u16, u16),
    pub(super) now: Timestamp,
    /// How long the view has been there.
    pub(super) moment: Span,
    pub(super) seen: Option<Arc<Seen>>,
    /// The step that the person chose; none follows what is going on.
    pub(super) chosen: Option<StepId>,
    pub(super) pager: Option<Pager>,
    pub(super) dialog: Option<Dialog>,
    /// What is shown for the open gate: proofs and diff.
    pub(super) gate: Option<(GateId, Arc<Vec<PageLine>>)>,
    pub(super) gate_top: usize,
    pub(super) notice: Option<Notice>,
    pub(super) notice_since: Timestamp,
    /// Whether a decision is on its way.
    pub(super) deciding: bool,
    /// The open gate, as far as it was drawn.
    pub(super) gate_shown: Option<Shown<GateId>>,
    /// The question of the dialog, as far as it was drawn.
    pub(super) question_shown: Option<Shown<Question>>,
}

impl Screen {
    pub(super) fn new(size: (u16, u16), now: Timestamp) -> Self {
        Self {
            size,
            now,
            moment: Span(0),
            seen: None,
            chosen: None,
            pager: None,
            dialog: None,
            gate: None,
            gate_top: 0,
            notice: None,
            notice_since: now,
            deciding: false,
            gate_shown: None,
            question_shown: None,
        }
    }

    pub(super) fn say(&mut self, text: impl Into<String>, bad: bool) {
        self.notice = Some(Notice { text: text.into(), bad });
        self.notice_since = self.now;
    }

    pub(super) fn steps(&self) -> &[StepView] {
        self.seen.as_ref().map_or(&[], |seen| &seen.view.steps)
    }

    /// Returns the position of the step that is looked at: the chosen one, else the current one.
    pub(super) fn selected(&self) -> Option<usize> {
        let steps = self.steps();
        let chosen = self.chosen.as_ref();
        chosen
            .and_then(|chosen| steps.iter().position(|step| step.id == *chosen))
            .or_else(|| self.current())
    }

    /// Returns the step that is looked at.
    pub(super) fn selected_step(&self) -> Option<&StepView> {
        self.steps().get(self.selected()?)
    }

    /// Returns the position of the step where things happen: at a gate, running, failed; else the
    /// first that is not finished, else the last.
    pub(super) fn current(&self) -> Option<usize> {
        let seen = self.seen.as_ref()?;
        let steps = &seen.view.steps;
        let gate = seen.view.gate.as_ref().map(|gate| &gate.step);
        let by_gate = steps.iter().position(|step| Some(&step.id) == gate);
        let running = seen.view.running.first().map(|running| &running.step);
        let with = |wanted: &[StepStatus]| steps.iter().position(|s| wanted.contains(&s.status));
        by_gate
            .or_else(|| steps.iter().position(|step| Some(&step.id) == running))
            .or_else(|| with(&[StepStatus::Running, StepStatus::Verifying]))
            .or_else(|| with(&[StepStatus::Failed, StepStatus::Blocked]))
            .or_else(|| steps.iter().position(|step| !is_finished(step)))
            .or_else(|| steps.len().checked_sub(1))
    }

    /// Returns whether the open gate is what is looked at.
    pub(super) fn shows_gate(&self) -> bool {
        let gate = self.seen.as_ref().and_then(|seen| seen.view.gate.as_ref());
        gate.is_some_and(|gate| self.chosen.as_ref().is_none_or(|chosen| *chosen == gate.step))
    }

    /// Returns what is known of an attempt that runs, or of the checks when there is none.
    pub(super) fn live(&self, attempt: Option<&AttemptId>) -> Option<&Live> {
        let live = &self.seen.as_ref()?.live;
        live.iter().find(|live| live.attempt.as_ref() == attempt)
    }
}

/// Whether nothing more has to happen for a step.
pub(super) fn is_finished(step: &StepView) -> bool {
    matches!(step.status, StepStatus::Done | StepStatus::Skipped)
}
