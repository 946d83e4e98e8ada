//! How things look: sixteen colours that are readable on light and on dark ground, or none.
//!
//! Nothing is said by a colour alone.

use ratatui::style::{Color, Modifier, Style};
use windlass_core::run::{RunStatus, StepStatus};

use super::pager::LineKind;

/// The styles, with or without colours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    colour: bool,
}

impl Look {
    pub(super) fn new(colour: bool) -> Self {
        Self { colour }
    }

    fn colour(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    pub(super) fn good(self) -> Style {
        self.colour(Color::Green)
    }

    pub(super) fn bad(self) -> Style {
        self.colour(Color::Red)
    }

    pub(super) fn busy(self) -> Style {
        self.colour(Color::Cyan)
    }

    /// Something waits for the person who looks.
    pub(super) fn yours(self) -> Style {
        self.colour(Color::Magenta).add_modifier(Modifier::BOLD)
    }

    pub(super) fn bold(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(super) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(super) fn step(self, status: StepStatus) -> Style {
        match status {
            StepStatus::Done => self.good(),
            StepStatus::Running | StepStatus::Verifying => self.busy(),
            StepStatus::Failed | StepStatus::Blocked => self.bad(),
            StepStatus::Ready => Style::new(),
            StepStatus::Skipped | StepStatus::Pending | StepStatus::Invalidated => self.dim(),
        }
    }

    pub(super) fn run(self, status: RunStatus) -> Style {
        match status {
            RunStatus::Active | RunStatus::Waiting => self.busy(),
            RunStatus::AwaitingApproval | RunStatus::AwaitingUser => self.yours(),
            RunStatus::Paused | RunStatus::Aborted => self.bad(),
            RunStatus::Completed => self.good(),
        }
        .add_modifier(Modifier::BOLD)
    }

    pub(super) fn line(self, kind: LineKind) -> Style {
        match kind {
            LineKind::Plain => Style::new(),
            LineKind::Heading => self.bold(),
            LineKind::Good | LineKind::Added => self.good(),
            LineKind::Bad | LineKind::Removed => self.bad(),
            LineKind::Dim => self.dim(),
        }
    }
}
