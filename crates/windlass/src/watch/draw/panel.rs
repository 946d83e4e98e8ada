//! What the selected step is about: the gate, what runs, or how it went.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use windlass_core::time::{Span as Time, Timestamp};
use windlass_core::view::{Doing, RunningView, StatusView, StepView, count};

use super::super::live::Live;
use super::super::look::Look;
use super::super::pager::wrap;
use super::super::screen::{Driven, Screen, Seen};
use super::text::{brief, bytes, cut, rule};

/// How long nothing has to happen before that is said.
const SILENCE: Time = Time::seconds(5);

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen, look: Look) {
    let Some(seen) = &screen.seen else { return };
    let lines = if screen.shows_gate() {
        gate(seen, screen, area, look)
    } else {
        let chosen = screen.chosen.as_ref();
        let running: Vec<&RunningView> = seen
            .view
            .running
            .iter()
            .filter(|running| chosen.is_none_or(|chosen| running.step == *chosen))
            .collect();
        match (running.as_slice(), chosen.and(screen.selected_step())) {
            ([], Some(step)) => about(step, area, look),
            ([], None) => standing(&seen.view, area, look),
            (running, _) => going_on(running, seen, screen, area, look),
        }
    };
    frame.render_widget(Paragraph::new(lines), area);
}

fn gate(seen: &Seen, screen: &Screen, area: Rect, look: Look) -> Vec<Line<'static>> {
    let Some(gate) = &seen.view.gate else { return Vec::new() };
    let question = match gate.kind {
        "approval" => format!("`{}` is proven: accept it?", gate.step),
        _ => format!("`{}` changed files that judge the work: accept them?", gate.step),
    };
    let mut lines = vec![rule(&question, look.yours(), area, look)];
    let keys = match screen.hears_gate() {
        true => "a approve  f feedback  r rollback  d diff  e evidence",
        false => "it has just opened: keys count in a moment",
    };
    lines.push(Line::styled(cut(keys, usize::from(area.width)), look.bold()));
    let Some((_, shown)) = &screen.gate else {
        lines.push(Line::styled("reading what changed …", look.dim()));
        return lines;
    };
    let wrapped = wrap(shown, usize::from(area.width));
    let height = usize::from(area.height).saturating_sub(lines.len());
    let top = screen.gate_top.min(wrapped.len().saturating_sub(height));
    let last = wrapped.len() > top + height;
    let room = if last { height.saturating_sub(1) } else { height };
    lines.extend(
        wrapped
            .iter()
            .skip(top)
            .take(room)
            .map(|l| Line::styled(l.text.clone(), look.line(l.kind))),
    );
    if last {
        let more = wrapped.len() - top - room;
        lines
            .push(Line::styled(format!("… {more} more lines: PgDn, or Enter for all"), look.dim()));
    }
    lines
}

/// Attempts and checks that run, each with its signs of life and its last lines.
fn going_on(
    running: &[&RunningView],
    seen: &Seen,
    screen: &Screen,
    area: Rect,
    look: Look,
) -> Vec<Line<'static>> {
    let width = usize::from(area.width);
    let each = (usize::from(area.height) / running.len()).max(2);
    let driven = matches!(seen.driver, Driven::By { .. });
    let mut lines = Vec::new();
    for view in running {
        let live = match view.doing {
            Doing::Verifying => screen.live(None),
            Doing::Running | Doing::Stopping => screen.live(view.attempt.as_ref()),
        };
        lines.push(rule(&heading(view, screen.now), look.bold(), area, look));
        let (words, well) = life(view, live, driven, screen.now);
        let style = if well { look.good() } else { look.bad() };
        lines.push(Line::styled(cut(&words, width), style));
        let tail = live.map_or(&[][..], |live| &live.tail);
        let first = tail.len().saturating_sub(each.saturating_sub(2));
        for line in &tail[first..] {
            lines.push(Line::from(vec![
                Span::styled("│ ", look.dim()),
                Span::raw(cut(line, width.saturating_sub(2))),
            ]));
        }
    }
    lines
}

fn heading(view: &RunningView, now: Timestamp) -> String {
    let elapsed = brief(now.since(view.since_moment));
    match (&view.attempt, view.doing) {
        (Some(attempt), Doing::Running) => {
            format!("{attempt} running for {elapsed}, at most {}", view.timeout)
        }
        (Some(attempt), doing) => format!("{attempt} {} for {elapsed}", doing.as_str()),
        (None, doing) => format!("{} {} for {elapsed}", view.step, doing.as_str()),
    }
}

/// Says whether something lives, and by what that is known.
pub(in crate::watch) fn life(
    view: &RunningView,
    live: Option<&Live>,
    driven: bool,
    now: Timestamp,
) -> (String, bool) {
    let Some(live) = live else {
        return match view.doing {
            _ if !driven => ("nothing of it runs any more".to_owned(), false),
            Doing::Verifying => ("comparing files".to_owned(), true),
            Doing::Running => ("starting".to_owned(), true),
            Doing::Stopping => ("ending".to_owned(), true),
        };
    };
    let counters = counters(live, now);
    let output_at = live.activity.output_at_ms.map(Timestamp);
    let quiet = now.since(live.last_sign.max(output_at).unwrap_or(live.first));
    // Two looks at the table are a second apart; shorter silences are not silences.
    if quiet < SILENCE {
        let known = live.last_sign.is_some() || output_at.is_some_and(|at| now.since(at) < SILENCE);
        return (if known { format!("alive: {counters}") } else { counters }, true);
    }
    let bound = match view.doing {
        Doing::Running => format!(" (ends it at {})", view.idle_timeout),
        Doing::Stopping | Doing::Verifying => String::new(),
    };
    let well = view.doing != Doing::Running || quiet.0 < view.idle_timeout.0 / 2;
    (format!("no sign of life for {}{bound}: {counters}", brief(quiet)), well)
}

fn counters(live: &Live, now: Timestamp) -> String {
    let activity = &live.activity;
    let processes = match activity.processes {
        1 => "1 process".to_owned(),
        count => format!("{count} processes"),
    };
    let output = match activity.output_at_ms {
        Some(at) => format!("output {} ago", brief(now.since(Timestamp(at)))),
        None => "no output yet".to_owned(),
    };
    let (cpu, moved) = (Time(activity.cpu_ms), bytes(activity.io_bytes));
    format!("{processes}, CPU {cpu}, {moved} moved, {output}")
}

/// How a step that does not run stands.
fn about(step: &StepView, area: Rect, look: Look) -> Vec<Line<'static>> {
    let width = usize::from(area.width);
    let mut lines = vec![rule(&format!("{} ({})", step.title, step.id), look.bold(), area, look)];
    let mut say = |text: String, style| lines.push(Line::styled(cut(&text, width), style));
    let waived = if step.waived { " (waived: not proven)" } else { "" };
    say(format!("{} {}{waived}", step.sign(), step.status.as_str()), look.step(step.status));
    if let Some(note) = &step.note {
        say(note.clone(), look.dim());
    }
    if let Some(failure) = &step.failure {
        say(format!("last failure: {failure}"), look.bad());
    }
    if let Some(agent) = &step.agent {
        say(format!("agent {agent}, {} of {} tries used", step.tries, step.retries), look.dim());
    }
    if step.attempts > 0 {
        let cost =
            if step.cost_usd > 0.0 { format!(", {:.2} USD", step.cost_usd) } else { String::new() };
        let attempts = count(step.attempts as usize, "attempt");
        say(format!("{attempts} in all, {}{cost}", step.wall), look.dim());
        say("e evidence   d diff   p prompt   o output   Esc back".to_owned(), look.bold());
    }
    lines
}

/// Why nothing runs, and what to do about it.
fn standing(view: &StatusView, area: Rect, look: Look) -> Vec<Line<'static>> {
    let width = usize::from(area.width);
    let mut lines = vec![rule("now", look.bold(), area, look)];
    if let Some(detail) = &view.run.detail {
        let detail = windlass_core::view::plain_line(&detail.replace('\n', " "));
        let line = super::super::pager::PageLine::new(super::super::pager::LineKind::Plain, detail);
        lines.extend(wrap(&[line], width).into_iter().map(|line| Line::raw(line.text)));
        lines.push(Line::raw(""));
    }
    for blocker in &view.blockers {
        let what = windlass_core::view::plain_line(&blocker.description.replace('\n', " "));
        let text = format!("blocker {} ({}): {what}", blocker.id, blocker.severity.as_str());
        lines.push(Line::styled(cut(&text, width), look.bad()));
    }
    for question in &view.questions {
        let what = windlass_core::view::plain_line(&question.question.replace('\n', " "));
        let text = format!("{} (`{}` is recommended): {what}", question.id, question.recommended);
        lines.push(Line::raw(cut(&text, width)));
    }
    for blocked in &view.blocked {
        let why = windlass_core::view::plain_line(&blocked.why.replace('\n', " "));
        let text = format!("blocked: {}: {why}", blocked.step);
        lines.push(Line::styled(cut(&text, width), look.bad()));
    }
    let wide = view.next.iter().map(|next| next.command.chars().count()).max().unwrap_or(0);
    for next in view.next.iter().filter(|next| next.command != "windlass watch") {
        let text = format!("{:wide$}   {}", next.command, next.does);
        lines.push(Line::raw(cut(&text, width)));
    }
    lines
}
