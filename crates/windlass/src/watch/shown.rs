//! What has been on the screen long enough to be answered.
//!
//! A key that was on its way when a gate or a question appeared was not meant for it. So keys that
//! decide count only when what they answer has been drawn, and nothing came too early for a moment. The
//! screen names them when they count, and not before. All of this is measured since the view began: a
//! clock that is set says nothing about how long somebody looked.

use windlass_core::id::GateId;
use windlass_core::time::Span;

use super::screen::{Dialog, Screen};

/// How long something is on the screen, and no key comes, before it can be answered: more than there is
/// between two keys of somebody who types into the wrong window.
pub(super) const SETTLE: Span = Span(400);

/// Something that was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown<T> {
    what: T,
    since: Span,
    /// Since when no key came too early.
    quiet: Span,
}

impl<T: PartialEq> Shown<T> {
    /// Notes what is on the screen at `now`: what was there before stays since when it was.
    fn note(shown: &mut Option<Self>, what: Option<T>, now: Span) {
        match (what, &shown) {
            (Some(what), Some(known)) if known.what == what => {}
            (Some(what), _) => *shown = Some(Self { what, since: now, quiet: now }),
            (None, _) => *shown = None,
        }
    }

    fn can_be_answered(shown: Option<&Self>, what: &T, now: Span) -> bool {
        shown.is_some_and(|shown| shown.what == *what && between(shown.quiet, now) >= SETTLE)
    }
}

fn between(before: Span, after: Span) -> Span {
    Span(after.0.saturating_sub(before.0))
}

/// What a dialog asks at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Approve(GateId),
    Message(GateId),
    Feedback,
    Target,
    Why,
    Pause,
    Resume,
}

impl Question {
    fn of(dialog: &Dialog) -> Option<Self> {
        Some(match dialog {
            Dialog::Help => return None,
            Dialog::Approve { gate, message: None, .. } => Self::Approve(*gate),
            Dialog::Approve { gate, message: Some(_), .. } => Self::Message(*gate),
            Dialog::Feedback { .. } => Self::Feedback,
            Dialog::Rollback { why: None, .. } => Self::Target,
            Dialog::Rollback { why: Some(_), .. } => Self::Why,
            Dialog::Pause => Self::Pause,
            Dialog::Resume => Self::Resume,
        })
    }
}

impl Screen {
    /// Notes what has just been drawn.
    pub(super) fn drawn(&mut self, moment: Span) {
        self.moment = self.moment.max(moment);
        let (gate, question) = (self.open_gate(), self.question());
        Shown::note(&mut self.gate_shown, gate, self.moment);
        Shown::note(&mut self.question_shown, question, self.moment);
    }

    /// Nothing of it is on the screen any more, or somebody else had the terminal meanwhile.
    pub(super) fn forget_shown(&mut self) {
        (self.gate_shown, self.question_shown) = (None, None);
    }

    /// The gate that is open.
    pub(super) fn open_gate(&self) -> Option<GateId> {
        Some(self.seen.as_ref()?.view.gate.as_ref()?.id)
    }

    fn question(&self) -> Option<Question> {
        self.dialog.as_ref().and_then(Question::of)
    }

    /// Whether a key that answers the gate counts; where none is open, there is nothing to wait for.
    pub(super) fn hears_gate(&self) -> bool {
        let shown = self.gate_shown.as_ref();
        self.open_gate().is_none_or(|gate| Shown::can_be_answered(shown, &gate, self.moment))
    }

    /// Whether a key that answers the question counts.
    pub(super) fn hears_question(&self) -> bool {
        let shown = self.question_shown.as_ref();
        self.question().is_none_or(|question| Shown::can_be_answered(shown, &question, self.moment))
    }

    /// A key came that answers what could not be read yet: it has to be quiet first.
    pub(super) fn too_early(&mut self) {
        let now = self.moment;
        match &mut self.question_shown {
            Some(shown) => shown.quiet = now,
            None => self.gate_shown.iter_mut().for_each(|shown| shown.quiet = now),
        }
        self.say("that key came too early to be an answer: look first", true);
    }

    /// Whether something has just appeared, and its keys are to be named in a moment.
    pub(super) fn is_settling(&self) -> bool {
        !self.hears_gate() || !self.hears_question()
    }

    /// How long the open gate has been on the screen.
    pub(super) fn gate_shown_for(&self) -> Option<Span> {
        let shown = self.gate_shown.filter(|shown| Some(shown.what) == self.open_gate())?;
        Some(between(shown.since, self.moment))
    }
}
