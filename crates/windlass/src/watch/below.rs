//! The compact view where it can be seen: below the lines that stay.

use std::io::IsTerminal as _;
use std::sync::Arc;

use windlass_core::id::RunId;
use windlass_core::run::RunState;
use windlass_engine::dispatch::{Site, now};

use super::compact::Compact;
use crate::commands::is_dumb;
use crate::output::{Output, Verbosity, live_size, show_live};
use crate::render::Paint;
use crate::surroundings::Surroundings;

/// The line at the bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LastLine {
    /// What can be done.
    Hint(String),
    /// What the person is asked.
    Question(String),
}

/// The compact view at a terminal, below the lines that stay.
pub(crate) struct Below {
    site: Arc<Site>,
    run: RunId,
    compact: Compact,
    state: Option<RunState>,
    last: LastLine,
}

impl Below {
    /// A view whose last line is `hint`; none where nobody would see it.
    pub(crate) fn where_it_can_be_seen(
        surroundings: &Surroundings,
        run: &RunId,
        output: &Output,
        hint: &str,
    ) -> Option<Self> {
        let wanted = !output.is_json() && output.verbosity() != Verbosity::Quiet;
        let seen = wanted && std::io::stderr().is_terminal() && !is_dumb();
        seen.then(|| Self {
            site: Arc::clone(&surroundings.site),
            run: run.clone(),
            compact: Compact::new(Paint::new(output.has_colour())),
            state: None,
            last: LastLine::Hint(hint.to_owned()),
        })
    }

    pub(crate) fn take(&mut self, state: &RunState) {
        self.state = Some(state.clone());
        self.draw();
    }

    /// Changes the line at the bottom.
    pub(crate) fn last_line(&mut self, last: LastLine) {
        if self.last != last {
            self.last = last;
            self.draw();
        }
    }

    pub(crate) fn draw(&mut self) {
        let (Some(state), Some((width, height))) = (&self.state, live_size()) else { return };
        // A full last column makes some terminals begin a new line.
        let width = width.saturating_sub(1);
        let mut lines = self.compact.lines(&self.site, &self.run, state, now(), width, &self.last);
        // What is above must stay in sight, and the cursor below.
        lines.truncate(height.saturating_sub(3));
        show_live(lines);
    }
}
