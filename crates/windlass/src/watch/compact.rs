//! The compact form of the view: some lines below what `run` and `resume` print.

use std::time::{Duration, Instant};

use windlass_core::id::RunId;
use windlass_core::run::{RunState, StepStatus};
use windlass_core::time::Timestamp;
use windlass_core::view::{Doing, RunningView, StatusView, StepView, plain_line, status_view};
use windlass_engine::dispatch::Site;

use super::below::LastLine;
use super::draw::{brief, cut, life, rule_text};
use super::live::{Live, LiveWatch};
use crate::render::Paint;
use crate::spinner::frame;

/// How many steps are shown after the current one; those before it are in the lines above.
const AFTER: usize = 2;

/// How often is looked at what runs: that reads a process table.
const LOOKED: Duration = Duration::from_millis(900);

/// How many running attempts are shown with their last line.
const MOST_RUNNING: usize = 3;

/// The compact view of a run that this process drives.
pub(crate) struct Compact {
    watch: LiveWatch,
    live: Vec<Live>,
    looked: Option<Instant>,
    began: Instant,
    paint: Paint,
}

impl Compact {
    pub(crate) fn new(paint: Paint) -> Self {
        let (watch, live) = (LiveWatch::default(), Vec::new());
        Self { watch, live, looked: None, began: Instant::now(), paint }
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
        if self.looked.is_none_or(|looked| looked.elapsed() >= LOOKED) {
            let scratch = site.home.run(run).scratch;
            self.live = self.watch.look(&site.home.registry(), &scratch, now);
            self.looked = Some(Instant::now());
        }
        let turning = frame(self.began.elapsed());
        let view = status_view(state);
        let mut lines = compact(&view, &self.live, now, turning, width, self.paint);
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
    turning: &str,
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
        false => step_line(step, now, turning, width, paint),
    }));
    for running in view.running.iter().take(MOST_RUNNING) {
        lines.extend(running_lines(running, live, now, width, paint));
    }
    // What belongs to no step, such as the last look at everything on a fresh clone.
    if let (true, Some(detail)) = (view.running.is_empty(), &view.run.detail) {
        lines.push(paint.busy(&cut(&format!(" {turning} {}", plain_line(detail)), width)));
        if let Some(last) = live.iter().find_map(|live| live.tail.last()) {
            lines.push(paint.dim(&cut(&format!("   │ {last}"), width)));
        }
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

/// The steps where things happen, and some after them.
///
/// A step that other steps are nested in is busy as long as they are; what is wanted is the nested one.
fn around(view: &StatusView) -> Vec<&StepView> {
    let steps = &view.steps;
    let works = |step: &StepView| step.running_since.is_some();
    let stands = |step: &StepView| {
        matches!(step.status, StepStatus::Running | StepStatus::Verifying | StepStatus::Failed)
    };
    let first = steps.iter().position(works);
    let first = first.or_else(|| steps.iter().rposition(stands));
    let first = first.or_else(|| steps.iter().position(|step| !super::screen::is_finished(step)));
    let first = first.unwrap_or(steps.len());
    let last = steps.iter().rposition(works).unwrap_or(first).min(first + MOST_RUNNING);
    steps.iter().take(last + AFTER + 1).skip(first).collect()
}

fn step_line(step: &StepView, now: Timestamp, turning: &str, width: usize, paint: Paint) -> String {
    let indent = "  ".repeat(step.depth);
    let sign = if step.running_since.is_some() { turning } else { step.sign() };
    let mut text = format!(" {sign} {indent}{}: {}", plain_line(&step.title), step.status.as_str());
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
