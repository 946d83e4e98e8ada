//! The compact form of the view: some lines below what `run` and `resume` print.

use windlass_core::id::RunId;
use windlass_core::run::{RunState, StepStatus};
use windlass_core::time::Timestamp;
use windlass_core::view::{Doing, RunningView, StatusView, StepView, plain_line, status_view};
use windlass_engine::dispatch::Site;

use super::below::LastLine;
use super::draw::{brief, cut, life, rule_text};
use super::live::{Live, LiveWatch};
use crate::render::Paint;

/// How many steps are shown around the current one.
const BEFORE: usize = 1;
const AFTER: usize = 2;

/// How many running attempts are shown with their last line.
const MOST_RUNNING: usize = 3;

/// The compact view of a run that this process drives.
pub(crate) struct Compact {
    watch: LiveWatch,
    paint: Paint,
}

impl Compact {
    pub(crate) fn new(paint: Paint) -> Self {
        Self { watch: LiveWatch::default(), paint }
    }

    /// Writes the lines, each as wide as the terminal at most.
    pub(crate) fn lines(
        &mut self,
        site: &Site,
        run: &RunId,
        state: &RunState,
        now: Timestamp,
        width: usize,
        last: &LastLine,
    ) -> Vec<String> {
        let scratch = site.home.run(run).scratch;
        let live = self.watch.look(&site.home.registry(), &scratch, now);
        let mut lines = compact(&status_view(state), &live, now, width, self.paint);
        lines.push(match last {
            LastLine::Hint(text) => self.paint.dim(&cut(text, width)),
            LastLine::Question(text) => self.paint.bold(&self.paint.busy(&cut(text, width))),
        });
        lines
    }
}

fn compact(
    view: &StatusView,
    live: &[Live],
    now: Timestamp,
    width: usize,
    paint: Paint,
) -> Vec<String> {
    let done = view.steps.iter().filter(|step| super::screen::is_finished(step)).count();
    let title = format!("{}: {done} of {} steps done", view.run.workflow, view.steps.len());
    let mut lines = vec![paint.dim(&rule_text(&title, width))];
    let gate = view.gate.as_ref().map(|gate| &gate.step);
    lines.extend(around(view).into_iter().map(|step| match gate == Some(&step.id) {
        true => {
            paint.busy(&cut(&format!(" ? {}: a person decides", plain_line(&step.title)), width))
        }
        false => step_line(step, now, width, paint),
    }));
    for running in view.running.iter().take(MOST_RUNNING) {
        lines.extend(running_lines(running, live, now, width, paint));
    }
    let gate = match &view.next_gate {
        Some(gate) => format!("next gate: {}", plain_line(&gate.title)),
        None => "no gate ahead".to_owned(),
    };
    let budget = &view.budget;
    let used = format!(
        "{} of {} attempts, {}, {gate}",
        budget.attempts,
        budget.attempts_limit,
        budget.cost_words()
    );
    lines.push(paint.dim(&cut(&used, width)));
    lines
}

/// The steps where things happen, and some around them.
fn around(view: &StatusView) -> Vec<&StepView> {
    let busy = |step: &StepView| {
        matches!(step.status, StepStatus::Running | StepStatus::Verifying | StepStatus::Failed)
    };
    let steps = &view.steps;
    let first = steps.iter().position(busy);
    let first = first.or_else(|| steps.iter().position(|step| !super::screen::is_finished(step)));
    let first = first.unwrap_or(steps.len());
    let last = steps.iter().rposition(busy).unwrap_or(first).min(first + MOST_RUNNING);
    let from = first.saturating_sub(BEFORE);
    steps.iter().take(last + AFTER + 1).skip(from).collect()
}

fn step_line(step: &StepView, now: Timestamp, width: usize, paint: Paint) -> String {
    let indent = "  ".repeat(step.depth);
    let mut text =
        format!(" {} {indent}{}: {}", step.sign(), plain_line(&step.title), step.status.as_str());
    if let Some(since) = step.running_since {
        text.push_str(&format!(" for {}", brief(now.since(since))));
    }
    if step.status == StepStatus::Running && step.retries > 1 {
        let number = (step.tries + 1).min(step.retries);
        text.push_str(&format!(", try {number} of {}", step.retries));
    }
    let text = cut(&text, width);
    match step.status {
        StepStatus::Done => paint.good(&text),
        StepStatus::Running | StepStatus::Verifying => paint.busy(&text),
        StepStatus::Failed | StepStatus::Blocked => paint.bad(&text),
        StepStatus::Ready => text,
        StepStatus::Skipped | StepStatus::Pending | StepStatus::Invalidated => paint.dim(&text),
    }
}

fn running_lines(
    running: &RunningView,
    live: &[Live],
    now: Timestamp,
    width: usize,
    paint: Paint,
) -> Vec<String> {
    let wanted = match running.doing {
        Doing::Verifying => None,
        Doing::Running | Doing::Stopping => running.attempt.as_ref(),
    };
    let live = live.iter().find(|live| live.attempt.as_ref() == wanted);
    let name = match &running.attempt {
        Some(attempt) => attempt.to_string(),
        None => running.step.to_string(),
    };
    let (words, _) = life(running, live, true, now);
    let mut lines = vec![cut(&format!("   {name}: {words}"), width)];
    if let Some(last) = live.and_then(|live| live.tail.last()) {
        lines.push(paint.dim(&cut(&format!("   │ {last}"), width)));
    }
    lines
}
