//! Where the run stands, in the words that a session and its person are told.

use std::fmt::Write as _;

use crate::proof::ProtectedChange;
use crate::run::{Control, GateKind, HostKind, Phase, Publication, RunState, RunStatus};
use crate::view::{
    BlockerView, GateView, Lines, blocked_views, blocker_views, printable, progress_markdown,
    progress_view, status_view, story_views,
};

/// How many blocked steps a person is told of.
const MOST_BLOCKED: usize = 5;

/// What a session is, in a few lines; said at its start and again after each compaction.
pub fn transport_rules() -> &'static str {
    "You are the transport of windlass, not its engineer. Windlass decides what is next and proves what \
     is done; its instructions come when you stop. Do exactly the one thing that an instruction asks \
     for, in its words, and then stop. Do not write, read or search code, start other agents, push, \
     approve or decide; windlass refuses it. At a gate tell the person what they can answer, and stop."
}

/// Tells in one line where the run stands.
pub fn one_line(state: &RunState) -> String {
    let step = state.holding().map(|(_, plan, _)| format!(", step `{}`", plan.id));
    format!(
        "windlass: run {} is {}{}",
        state.facts.run,
        state.status().words(),
        step.unwrap_or_default()
    )
}

/// Tells a person why the session stops, and what they can answer.
pub fn let_go(state: &RunState) -> String {
    let mut text = one_line(state);
    match state.status() {
        RunStatus::AwaitingApproval => gate(&mut text, state),
        RunStatus::AwaitingUser => blocker(&mut text, state),
        RunStatus::Paused => paused(&mut text, state),
        RunStatus::Waiting => {
            if let Some((_, _, step)) = state.holding()
                && let Phase::Waiting { until, .. } = step.phase
            {
                let _ = write!(text, "\nIt waits until {until}; any message after that goes on.");
            }
        }
        RunStatus::Completed => {
            completed(&mut text, state);
            stories(&mut text, state);
            text.push_str("\n`windlass report` shows what was proven.");
        }
        RunStatus::Active | RunStatus::Aborted => {}
    }
    text
}

/// How far each story has come.
fn stories(text: &mut String, state: &RunState) {
    let Some(progress) = progress_view(state) else { return };
    let _ = write!(text, "\n{}", progress.counts.words());
    for story in story_views(state) {
        let size = story.size.map_or("-", |size| size.as_str());
        let (id, status, title) = (&story.id, story.status.as_str(), shown(&story.title));
        let _ = write!(text, "\n- {id} ({size}) {status}: {title}");
    }
}

/// Tells a person how far the stories have come; none for a run without any.
pub fn progress(state: &RunState) -> Option<String> {
    let progress = progress_view(state)?;
    Some(printable(&progress_markdown(&progress), Lines::Many))
}

/// Where the work is, and what is left to do with it.
fn completed(text: &mut String, state: &RunState) {
    let branch = &state.facts.branch;
    match &state.publication {
        Some(Publication { number: Some(number), url, .. }) => {
            let at = url.as_deref().map(|url| format!(": {}", shown(url))).unwrap_or_default();
            let _ = write!(text, "\nPull request #{number} is open{at}");
        }
        Some(Publication { remote, compare_url, body_file, .. }) => {
            let _ = write!(
                text,
                "\nThe branch `{branch}` is pushed to `{remote}`. The pull request is still to be opened"
            );
            if let Some(page) = compare_url {
                let _ = write!(text, ": {}", shown(page));
            }
            if let Some(file) = body_file {
                let _ = write!(text, "\nIts text is in {}", shown(file));
            }
        }
        None if state.head != state.facts.base => {
            let base = shown(&state.facts.base_name);
            let _ = write!(
                text,
                "\nThe work is on the branch `{branch}`; on `{base}`, `git merge {branch}` takes it."
            );
        }
        None => {}
    }
}

fn gate(text: &mut String, state: &RunState) {
    let Some(gate) = state.gate() else { return };
    match &gate.kind {
        GateKind::Approval => {
            let _ = write!(text, "\n`{}` is proven and waits for you.", gate.step);
            for line in status_view(state).gate.iter().flat_map(GateView::story_lines) {
                let _ = write!(text, "\n{line}");
            }
            if let Some(unseen) = state.asked_about(gate) {
                let paths = shown(&ProtectedChange::all_called(&unseen.changes));
                let _ = write!(text, "\nNobody has seen what changed in protected files: {paths}");
            }
        }
        GateKind::Protected { changes, late: true, .. } => {
            let paths = shown(&ProtectedChange::all_called(changes));
            let _ = write!(text, "\nNobody has seen what changed in protected files: {paths}");
        }
        GateKind::Protected { changes, .. } => {
            let paths = shown(&ProtectedChange::all_called(changes));
            let _ = write!(text, "\n`{}` changed files that judge the work: {paths}", gate.step);
        }
        GateKind::Route { verdict, target, .. } => {
            let verdict = shown(verdict);
            let _ = write!(
                text,
                "\n`{0}` said {verdict}: approve goes back to `{target}`, `/windlass:skip {0} WHY` \
                     accepts the risk and goes on.",
                gate.step
            );
        }
    }
    text.push_str(match answers_in(state) {
        AnswersIn::Session => {
            "\nAnswer `approve`, `reject`, `/windlass:feedback WHAT`, `/windlass:rollback STEP WHY`; \
             `windlass diff` and `windlass proofs` in a terminal show what was done."
        }
        AnswersIn::Terminal => {
            "\nAnswer in a terminal: `windlass approve`, `windlass feedback WHAT`, `windlass rollback STEP WHY`; \
             `windlass diff` and `windlass proofs` show what was done. Then send any message here."
        }
    });
}

/// Where a person's answer counts.
enum AnswersIn {
    Session,
    Terminal,
}

/// What is said in a session of Codex cannot be told from what its model's shell makes up.
fn answers_in(state: &RunState) -> AnswersIn {
    match state.session.as_ref().map(|session| session.host) {
        Some(HostKind::Codex) => AnswersIn::Terminal,
        Some(HostKind::Claude) | None => AnswersIn::Session,
    }
}

fn paused(text: &mut String, state: &RunState) {
    if let Control::Paused { detail, .. } = &state.control {
        let _ = write!(text, "\n{}", shown(detail));
    }
    let failed = state.holding().filter(|(_, _, step)| matches!(step.phase, Phase::Failed));
    match failed {
        Some((_, plan, _)) if matches!(answers_in(state), AnswersIn::Terminal) => {
            let _ = write!(
                text,
                "\nAnswer in a terminal: `windlass retry-reset` for new tries, `windlass skip {} \
                 --reason WHY`, `windlass feedback WHAT` or `windlass abort`. Then send any message here.",
                plan.id
            );
        }
        None if matches!(answers_in(state), AnswersIn::Terminal) => text.push_str(
            "\nAnswer in a terminal: `windlass resume`, `windlass skip STEP --reason WHY` or \
             `windlass abort`. Then send any message here.",
        ),
        Some((_, plan, _)) => {
            let _ = write!(
                text,
                "\nAnswer `/windlass:retry-reset` for new tries, `/windlass:skip {} WHY`, \
                 `/windlass:feedback WHAT` or `/windlass:abort`.",
                plan.id
            );
        }
        None => text.push_str("\nAnswer `resume`, `/windlass:skip STEP WHY` or `/windlass:abort`."),
    }
}

/// What has to be solved, or answered, and how the person says so.
fn blocker(text: &mut String, state: &RunState) {
    let open: Vec<_> = blocker_views(state).into_iter().filter(BlockerView::is_open).collect();
    for blocker in &open {
        let (id, severity) = (blocker.id, blocker.severity.as_str());
        let _ = write!(text, "\nBlocker {id} ({severity}): {}", shown(&blocker.description));
        if let Some(why) = &blocker.stays {
            let _ = write!(text, "\n  It stays: {}", shown(why));
        }
    }
    if let (Control::Obstructed { message }, true) = (&state.control, open.is_empty()) {
        let _ = write!(text, "\n{}", shown(message));
    }
    let questions: Vec<String> =
        state.open_questions().map(|open| open.question.id.clone()).collect();
    if open.is_empty() && !questions.is_empty() && state.control == Control::Active {
        let _ = write!(
            text,
            "\nAgents ask something ({}). Answer in a terminal: `windlass clarify list` shows it, `windlass \
             answer {}=…` answers. Then send any message here.",
            questions.join(", "),
            questions[0]
        );
        return;
    }
    for blocked in blocked_views(state).iter().take(MOST_BLOCKED) {
        let _ = write!(text, "\n`{}` is blocked: {}", blocked.step, shown(&blocked.why));
    }
    stories(text, state);
    text.push_str(match answers_in(state) {
        AnswersIn::Session => "\nAnswer `fixed` when it is solved, or `/windlass:abort`.",
        AnswersIn::Terminal => {
            "\nPut it right, then answer in a terminal: `windlass fixed`, or `windlass abort`."
        }
    });
}

/// Tells a session at its start where the run stands, with the one thing to do.
pub fn session_start(state: &RunState, action: Option<&str>) -> String {
    let mut text = format!("{}\n\n{}", transport_rules(), one_line(state));
    if let Some(issue) = &state.plan.issue {
        let _ = write!(text, "\nIssue #{}: {}", issue.number, shown(&issue.title));
    }
    match action {
        Some(action) => {
            let _ = write!(text, "\n\n{action}");
        }
        None => {
            let _ = write!(text, "\n\nTell the person this, and stop:\n{}", let_go(state));
        }
    }
    text
}

/// Text of others, on one line and without what a screen would act upon.
fn shown(text: &str) -> String {
    printable(text, Lines::One)
}
