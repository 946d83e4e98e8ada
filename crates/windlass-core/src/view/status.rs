//! Where a run stands, why, since when, and what to do next.

use serde::Serialize;

use crate::id::{GateId, RunId, StepId, StepIndex};
use crate::plan::StepKind;
use crate::proof::{Outcome, ProtectedChange};
use crate::run::{
    Control, Gate, GateKind, PauseReason, Phase, Publication, RunState, RunStatus, StepStatus,
};
use crate::story::PlannedStory;
use crate::time::{Span, Timestamp};
use crate::view::blockers::{BlockedView, BlockerView, blocked_views, blocker_views};
use crate::view::items::{ItemView, item_views};
use crate::view::printable::{Lines, printable};
use crate::view::questions::{QuestionView, question_views};
use crate::view::quiet::one_line;
use crate::view::running::{GateAhead, RunningView, gate_ahead, running};

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `status --json`")]
pub struct StatusView {
    pub run: RunView,
    pub steps: Vec<StepView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemView>,
    /// What only a person can solve, as far as it is open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<BlockerView>,
    /// What agents want to know, as far as nobody has answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionView>,
    /// Steps that are blocked, with their items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<BlockedView>,
    /// What is going on at this moment.
    pub running: Vec<RunningView>,
    pub gate: Option<GateView>,
    /// The next gate of the workflow, the open one included.
    pub next_gate: Option<GateAhead>,
    pub budget: BudgetView,
    pub next: Vec<NextCommand>,
}

/// The run itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `status --json`")]
pub struct RunView {
    pub id: RunId,
    pub workflow: String,
    pub title: String,
    pub goal: String,
    pub status: RunStatus,
    pub reason: Option<&'static str>,
    /// The reason in a sentence.
    pub detail: Option<String>,
    pub branch: String,
    pub place: String,
    pub here: bool,
    pub head: String,
    pub started_at: String,
    pub since: String,
    #[serde(skip)]
    pub since_moment: Timestamp,
    /// When a wait ends.
    pub until: Option<String>,
    #[serde(skip)]
    pub until_moment: Option<Timestamp>,
    /// What of the run is outside: its branch at the remote, and its pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publication: Option<Publication>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `status --json`")]
pub struct StepView {
    pub id: StepId,
    pub title: String,
    pub status: StepStatus,
    pub attempts: u32,
    pub tries: u32,
    pub retries: u32,
    pub agent: Option<String>,
    pub depth: usize,
    pub waived: bool,
    /// Why it was skipped or is blocked.
    pub note: Option<String>,
    /// Why the last attempt failed.
    pub failure: Option<String>,
    pub cost_usd: f64,
    #[serde(rename = "wall_ms")]
    pub wall: Span,
    /// Since when the running attempt or check has been running.
    #[serde(skip)]
    pub running_since: Option<Timestamp>,
}

/// What a person is asked to decide.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `status --json`")]
pub struct GateView {
    pub id: GateId,
    pub step: StepId,
    pub title: String,
    pub kind: &'static str,
    pub code: String,
    pub papers: String,
    /// Protected files that changed.
    pub protected: Vec<String>,
    /// Steps that would be skipped after it, with the reason: approving agrees to that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skips: Vec<SkipView>,
    /// Where a verdict leads, when the gate asks whether to go there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<RouteView>,
    /// The stories that are built after it, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stories: Vec<PlannedStory>,
    /// What was asked before and nobody answered: the recommendation that is taken instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
}

impl GateView {
    /// Returns the stories and what is assumed for them, line by line; nothing for other gates.
    pub fn story_lines(&self) -> Vec<String> {
        if self.stories.is_empty() {
            return Vec::new();
        }
        let count = self.stories.len();
        let mut lines = vec![match count {
            1 => "1 story will be built:".to_owned(),
            _ => format!("{count} stories will be built, in this order:"),
        }];
        let rows = self.stories.iter().enumerate();
        lines.extend(rows.map(|(at, story)| format!("{:>3}. {}", at + 1, story.words())));
        if !self.assumed.is_empty() {
            lines.push("Assumed, because nobody answered:".to_owned());
            lines.extend(self.assumed.iter().map(|words| format!("  - {words}")));
        }
        lines.into_iter().map(|line| printable(&line, Lines::One)).collect()
    }
}

/// A step that an earlier one asks to skip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `status --json`")]
pub struct SkipView {
    pub step: StepId,
    pub reason: String,
}

/// Where a verdict leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `status --json`")]
pub struct RouteView {
    pub verdict: String,
    pub target: StepId,
    pub files: Vec<String>,
}

/// What was used of what is allowed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `status --json`")]
pub struct BudgetView {
    pub attempts: u64,
    pub attempts_limit: u64,
    pub cost_usd: f64,
    pub cost_usd_limit: f64,
    /// Attempts whose cost nobody reported.
    pub unknown_cost: u64,
    pub wall_ms: Span,
    pub wall_ms_limit: Span,
}

/// A command to paste, and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `status --json`")]
pub struct NextCommand {
    pub command: String,
    pub does: String,
}

impl RunView {
    /// Says since when the run stands as it does, given how long that is: ` for 3m`, or how long
    /// ago it ended.
    pub fn since_words(&self, since: &str) -> String {
        match self.status {
            RunStatus::Completed | RunStatus::Aborted => format!(", {since} ago"),
            RunStatus::Active
            | RunStatus::AwaitingApproval
            | RunStatus::AwaitingUser
            | RunStatus::Waiting
            | RunStatus::Paused => format!(" for {since}"),
        }
    }

    /// Returns whether a living driver is expected.
    pub fn wants_driver(&self) -> bool {
        matches!(self.status, RunStatus::Active | RunStatus::Waiting)
    }
}

impl StepView {
    /// Returns the sign that stands beside the step's status, for those who do not see colours.
    pub fn sign(&self) -> &'static str {
        match self.status {
            StepStatus::Done if self.waived => "~",
            StepStatus::Done => "✓",
            StepStatus::Running | StepStatus::Verifying => "▸",
            StepStatus::Failed | StepStatus::Blocked => "✗",
            StepStatus::Skipped => "–",
            StepStatus::Ready | StepStatus::Pending | StepStatus::Invalidated => "·",
        }
    }
}

impl BudgetView {
    /// Says what was spent, as far as it is known.
    pub fn cost_words(&self) -> String {
        match (self.unknown_cost, self.cost_usd) {
            (0, cost) => format!("{cost:.2} of {:.2} USD", self.cost_usd_limit),
            (unknown, cost) if unknown == self.attempts || cost == 0.0 => "cost unknown".to_owned(),
            (1, cost) => format!("{cost:.2} USD known, 1 attempt unknown"),
            (unknown, cost) => format!("{cost:.2} USD known, {unknown} attempts unknown"),
        }
    }
}

impl StatusView {
    /// Has the commands name their run: where several are unfinished, they would be refused without.
    #[must_use]
    pub fn naming_run(mut self) -> Self {
        for next in &mut self.next {
            next.command = format!("{} --run {}", next.command, self.run.id);
        }
        self
    }

    /// Makes the words of agents and people fit for a screen: control characters are shown, not
    /// obeyed. Other programs get them as they are.
    #[must_use]
    pub fn for_a_screen(mut self) -> Self {
        // Words may have come with line breaks; on a screen they flow.
        let shown = one_line;
        let maybe = |text: &Option<String>| text.as_deref().map(shown);
        self.run.goal = shown(self.run.goal.lines().next().unwrap_or_default());
        self.run.detail = maybe(&self.run.detail);
        for step in &mut self.steps {
            step.title = shown(&step.title);
            (step.note, step.failure) = (maybe(&step.note), maybe(&step.failure));
        }
        for item in &mut self.items {
            item.title = shown(&item.title);
            item.note = maybe(&item.note);
        }
        for blocker in &mut self.blockers {
            blocker.description = shown(&blocker.description);
            blocker.check_command = maybe(&blocker.check_command);
            blocker.stays = blocker.stays.as_deref().map(|why| printable(why, Lines::Many));
        }
        for question in &mut self.questions {
            question.question = shown(&question.question);
            for choice in &mut question.choices {
                choice.text = shown(&choice.text);
            }
        }
        for blocked in &mut self.blocked {
            (blocked.title, blocked.why) = (shown(&blocked.title), shown(&blocked.why));
        }
        // What agents and forges said must not draw on the screen either.
        for skip in self.gate.iter_mut().flat_map(|gate| &mut gate.skips) {
            skip.reason = shown(&skip.reason);
        }
        for file in
            self.gate.iter_mut().filter_map(|gate| gate.route.as_mut()).flat_map(|r| &mut r.files)
        {
            // A name is shown as it is: two files must not look alike.
            *file = printable(file, Lines::One);
        }
        if let Some(publication) = &mut self.run.publication {
            publication.url = maybe(&publication.url);
            publication.compare_url = maybe(&publication.compare_url);
            publication.body_file = maybe(&publication.body_file);
            publication.notes = publication.notes.iter().map(|note| shown(note)).collect();
        }
        self
    }
}

/// Projects where a run stands.
pub fn status_view(state: &RunState) -> StatusView {
    StatusView {
        run: run_view(state),
        steps: state
            .plan
            .in_reading_order()
            .into_iter()
            .map(|index| step_view(state, index))
            .collect(),
        items: item_views(state),
        blockers: blocker_views(state).into_iter().filter(BlockerView::is_open).collect(),
        questions: question_views(state).into_iter().filter(|view| view.answer.is_none()).collect(),
        blocked: blocked_views(state),
        running: running(state),
        gate: gate_view(state),
        next_gate: gate_ahead(state),
        budget: budget_view(state),
        next: next_commands(state),
    }
}

fn run_view(state: &RunState) -> RunView {
    let until = match state.holding().map(|(_, _, step)| &step.phase) {
        Some(Phase::Waiting { until, .. }) => Some(*until),
        _ => None,
    };
    RunView {
        id: state.facts.run.clone(),
        workflow: state.plan.workflow.clone(),
        title: state.plan.title.clone(),
        goal: state.plan.goal.clone(),
        status: state.status(),
        reason: state.reason(),
        detail: detail(state),
        branch: state.facts.branch.clone(),
        place: state.facts.place.clone(),
        here: state.facts.here,
        head: state.head.as_str().to_owned(),
        started_at: state.started_at.to_string(),
        since: state.since.to_string(),
        since_moment: state.since,
        until: until.map(|at| at.to_string()),
        until_moment: until,
        publication: state.publication.clone(),
    }
}

fn detail(state: &RunState) -> Option<String> {
    match &state.control {
        Control::Paused { detail, .. } => return Some(detail.clone()),
        Control::Obstructed { message } => return Some(message.clone()),
        Control::Active | Control::Aborting | Control::Aborted | Control::Completed => {}
    }
    match state.open_questions().count() {
        0 => {}
        1 => return Some("an agent asks a question".to_owned()),
        count => return Some(format!("agents ask {count} questions")),
    }
    if let Some(gate) = state.gate() {
        return Some(match &gate.kind {
            GateKind::Approval => format!("`{}` is proven and waits for approval", gate.step),
            GateKind::Protected { changes, late, .. } => {
                let files = ProtectedChange::all_called(changes);
                match late {
                    false => format!("`{}` changed protected files: {files}", gate.step),
                    true => format!("nobody has seen what changed in protected files: {files}"),
                }
            }
            GateKind::Route { verdict, target, .. } => {
                format!("`{}` said {verdict}: approve to go back to `{target}`", gate.step)
            }
        });
    }
    if state.cold.going_on.is_some() {
        return Some("all checks run once more, on a fresh clone".to_owned());
    }
    if let Some(blocked) = state.blocked.get_min()
        && state.status() == RunStatus::AwaitingUser
    {
        let note = state.step(*blocked).note.as_deref().unwrap_or("no reason was given");
        return Some(format!("`{}` is blocked: {note}", state.plan.step(*blocked).id));
    }
    if let Some((_, plan, step)) = state.holding()
        && let Phase::Waiting { limit, .. } = step.phase
    {
        return Some(match (&step.ended, limit) {
            (Some(Outcome::Held { why, .. }), true) => format!("`{}` waits: {why}", plan.id),
            (_, true) => format!("`{}` waits for a provider's limit to end", plan.id),
            (_, false) => format!("`{}` waits before its next try", plan.id),
        });
    }
    None
}

fn step_view(state: &RunState, index: StepIndex) -> StepView {
    let (plan, step) = (state.plan.step(index), state.step(index));
    let running_since = if let Phase::Running { since, .. }
    | Phase::Stopping { since, .. }
    | Phase::Verifying { since, .. } = step.phase
    {
        Some(since)
    } else {
        None
    };
    StepView {
        id: plan.id.clone(),
        title: plan.title.clone(),
        status: state.step_status(index),
        attempts: step.attempts,
        tries: step.tries,
        retries: plan.retries,
        agent: match &plan.kind {
            StepKind::Agent { agent, .. } => Some(agent.clone()),
            StepKind::Group | StepKind::Foreach(_) | StepKind::PullRequest(_) => None,
        },
        depth: plan.id.as_str().matches('/').count(),
        waived: step.waived,
        note: step.note.clone(),
        failure: step.failure.as_ref().map(|failure| failure.summary.clone()),
        cost_usd: step.cost_usd,
        wall: step.wall,
        running_since,
    }
}

/// Lists the steps that are still to come and would be skipped.
fn skips(state: &RunState) -> Vec<SkipView> {
    let ahead = state.plan.in_reading_order().into_iter().filter(|index| {
        matches!(state.step(*index).phase, Phase::Pending | Phase::Deciding | Phase::Ready)
    });
    ahead
        .filter_map(|index| {
            let reason = state.asked_to_skip(index)?;
            Some(SkipView { step: state.plan.step(index).id.clone(), reason })
        })
        .collect()
}

/// What nobody answered, with the recommendation that is taken.
fn assumed(state: &RunState) -> Vec<String> {
    let assumed = state.clarifications.iter().filter(|known| known.is_assumed());
    assumed
        .filter_map(|known| Some(format!("{} {}", known.question.question, known.words()?)))
        .collect()
}

fn gate_view(state: &RunState) -> Option<GateView> {
    let gate = state.gate()?;
    let index = state.plan.find(&gate.step)?;
    let kind = match &gate.kind {
        GateKind::Approval => "approval",
        GateKind::Protected { .. } => "protected",
        GateKind::Route { .. } => "route",
    };
    let asked = state.asked_about(gate).map(|asked| asked.changes).unwrap_or_default();
    let protected = asked.into_iter().map(|change| change.path).collect();
    let route = if let GateKind::Route { verdict, target, files, .. } = &gate.kind {
        let (verdict, target) = (verdict.clone(), target.clone());
        Some(RouteView { verdict, target, files: files.clone() })
    } else {
        None
    };
    Some(GateView {
        id: gate.id,
        step: gate.step.clone(),
        title: state.plan.step(index).title.clone(),
        kind,
        code: gate.snapshot.code.as_str().to_owned(),
        papers: gate.snapshot.papers.as_str().to_owned(),
        protected,
        skips: skips(state),
        route,
        stories: state.step(index).stories.clone(),
        assumed: assumed(state),
    })
}

fn budget_view(state: &RunState) -> BudgetView {
    let (limits, spent) = (state.limits(), &state.spent);
    BudgetView {
        attempts: spent.attempts,
        attempts_limit: limits.attempts,
        cost_usd: spent.cost_usd,
        cost_usd_limit: limits.cost_usd,
        unknown_cost: spent.unknown_cost,
        wall_ms: spent.wall,
        wall_ms_limit: limits.wall,
    }
}

fn next_commands(state: &RunState) -> Vec<NextCommand> {
    let command = |command: &str, does: &str| NextCommand {
        command: format!("windlass {command}"),
        does: does.to_owned(),
    };
    match state.status() {
        RunStatus::Active | RunStatus::Waiting => vec![
            command("watch", "see it live"),
            command("log -f", "follow what happens"),
            command("pause", "let the running attempt finish, then stop"),
            command("resume", "continue, if the run is idle"),
        ],
        RunStatus::AwaitingApproval => gate_commands(state, command),
        RunStatus::AwaitingUser if state.open_blockers().next().is_some() => {
            blocker_commands(state, command)
        }
        RunStatus::AwaitingUser if state.open_questions().next().is_some() => {
            question_commands(state, command)
        }
        RunStatus::AwaitingUser if state.control == Control::Active => {
            blocked_commands(state, command)
        }
        RunStatus::AwaitingUser if is_publishing(state) => vec![
            command("resume", "try again once it is solved"),
            command("rollback STEP \"…\"", "go back to an earlier step"),
            command("skip STEP --reason \"…\"", "skip the pull request"),
        ],
        RunStatus::AwaitingUser => vec![
            command("resume", "continue once the obstacle is gone"),
            command("retry-reset", "give the blocked step new tries"),
            command("skip STEP --reason \"…\"", "skip the step"),
        ],
        RunStatus::Paused => paused_commands(state, command),
        RunStatus::Completed => ended_commands(state, command),
        RunStatus::Aborted => vec![command("report", "read what was done until then")],
    }
}

/// How to get the work, and what is known about it.
fn ended_commands(
    state: &RunState,
    command: impl Fn(&str, &str) -> NextCommand,
) -> Vec<NextCommand> {
    let mut commands = Vec::new();
    if state.head != state.facts.base {
        let does =
            format!("bring the work into your checkout, as `git merge {}`", state.facts.branch);
        commands.push(command("take", &does));
        commands.push(command("diff", "see what was changed"));
    }
    commands.push(command("report", "read what was done and how it was proven"));
    commands.push(command("audit", "check the journal"));
    commands
}

/// What feedback does at a gate: where a judge's approval waits, whoever did the work does it again.
fn by_feedback(state: &RunState, gate: Option<&Gate>) -> String {
    let approval = gate.filter(|gate| gate.kind == GateKind::Approval);
    let index = approval.and_then(|gate| state.plan.find(&gate.step));
    match index.and_then(|index| state.plan.judged_by(index)) {
        Some(judged) => {
            format!("send `{}` back with a message", state.plan.step(judged).id)
        }
        None => "send the step back with a message".to_owned(),
    }
}

fn gate_commands(
    state: &RunState,
    command: impl Fn(&str, &str) -> NextCommand,
) -> Vec<NextCommand> {
    let gate = state.gate();
    let index = gate.and_then(|gate| state.plan.find(&gate.step));
    let kind = index.map(|index| &state.plan.step(index).kind);
    let mut commands = vec![
        command("watch", "look at it and answer, all on one screen"),
        command("diff", "see what was changed"),
        command("proofs", "see what was checked, with the evidence"),
    ];
    match gate.map(|gate| &gate.kind) {
        Some(GateKind::Route { target, .. }) => {
            commands.push(command("approve", &format!("go back to `{target}`")));
            commands.push(command("rollback STEP \"…\"", "go back to another step"));
            commands.push(command("feedback \"…\"", "let the step judge again, with a message"));
        }
        _ if matches!(kind, Some(StepKind::PullRequest(_))) => {
            commands.push(command("approve", "push the branch and open the pull request"));
            commands.push(command("rollback STEP \"…\"", "go back to an earlier step"));
        }
        _ => {
            commands.push(command("approve", "accept what is shown"));
            commands.push(command("feedback \"…\"", &by_feedback(state, gate)));
            commands.push(command("rollback STEP \"…\"", "go back to an earlier step"));
        }
    }
    commands
}

/// Something has to be solved first; what shows that it is, comes before going on.
fn blocker_commands(
    state: &RunState,
    command: impl Fn(&str, &str) -> NextCommand,
) -> Vec<NextCommand> {
    let mut commands = Vec::new();
    for blocker in state.open_blockers() {
        let id = blocker.id;
        if blocker.check.is_some() || state.plan.recheck.is_some() {
            let does = "check whether it is solved; this changes nothing";
            commands.push(command(&format!("blocker check {id}"), does));
        }
        let does = "continue once it is solved; the agent gets the notes";
        commands.push(command(&format!("fixed {id} --notes \"…\""), does));
    }
    commands.push(command("abort", "end the run; its work is kept"));
    commands
}

fn question_commands(
    state: &RunState,
    command: impl Fn(&str, &str) -> NextCommand,
) -> Vec<NextCommand> {
    let open = state.open_questions();
    let pairs = open.map(|open| format!("{}={}", open.question.id, open.question.recommended));
    let pairs: Vec<String> = pairs.collect();
    vec![
        command("clarify list", "see what is asked, and the choices"),
        command(
            &format!("answer {}", pairs.join(" ")),
            "answer with these choices, or with others",
        ),
        command("answer --recommended", "take all recommendations"),
        command("resume", "continue after that, if the run is idle"),
    ]
}

/// Nothing can go on without what is blocked: its commands can be pasted as they are.
fn blocked_commands(
    state: &RunState,
    command: impl Fn(&str, &str) -> NextCommand,
) -> Vec<NextCommand> {
    let Some(blocked) = state.blocked.get_min() else { return Vec::new() };
    let id = |index: StepIndex| state.plan.step(index).id.clone();
    let step = id(*blocked);
    let whole = state.plan.item_group(*blocked).map_or_else(|| step.clone(), id);
    let item = state.item_of(*blocked).map(|item| item.item.id.to_string());
    let what = item.clone().unwrap_or_else(|| step.to_string());
    let mut commands = vec![
        command("proofs --all", "see what failed"),
        command(
            &format!("fixed {what} --notes \"…\""),
            "give it new tries and continue; the agent gets the notes",
        ),
        command(&format!("retry-reset {step}"), "give the blocked step new tries"),
        command(&format!("skip {whole} --reason \"…\""), "do without it"),
        command("resume", "go on after that"),
    ];
    let publishes = |index: StepIndex| {
        let kind = &state.plan.step(index).kind;
        matches!(kind, StepKind::PullRequest(_)) && !state.step(index).is_finished()
    };
    if item.is_some() && state.plan.indexes().any(publishes) {
        commands.push(command("publish --draft", "open a draft pull request without it"));
    }
    commands
}

/// What has to be added so that the run can go on.
fn more(state: &RunState) -> &'static str {
    let (limits, spent) = (state.limits(), &state.spent);
    if spent.attempts >= limits.attempts {
        "attempts=20"
    } else if spent.wall >= limits.wall {
        "wall=2h"
    } else {
        "cost=10"
    }
}

/// Whether the step in hand is one that windlass does itself.
fn is_publishing(state: &RunState) -> bool {
    let holding = state.holding();
    holding.is_some_and(|(_, plan, _)| matches!(plan.kind, StepKind::PullRequest(_)))
}

fn paused_commands(
    state: &RunState,
    command: impl Fn(&str, &str) -> NextCommand,
) -> Vec<NextCommand> {
    let Control::Paused { reason, .. } = &state.control else {
        return vec![command("resume", "go on")];
    };
    match reason {
        PauseReason::Budget => vec![
            command(&format!("resume --more {}", more(state)), "continue with a larger budget"),
            command("abort", "end the run; its work is kept"),
        ],
        PauseReason::RetriesExhausted | PauseReason::RepeatedFailure
            if state.awaits_cold_proof() =>
        {
            vec![
                command("proofs --all", "see what failed on a fresh clone"),
                command("rollback STEP \"…\"", "go back to the step that has to be done again"),
                command("resume", "prove it once more, after you have solved it"),
                command("resume --no-cold \"…\"", "continue without this proof; say why"),
                command("abort", "end the run; its work is kept"),
            ]
        }
        PauseReason::RetriesExhausted if is_publishing(state) => vec![
            command("proofs", "see what failed"),
            command("rollback STEP \"…\"", "go back to the step that has to be done again"),
            command("retry-reset", "look again, after you have solved it"),
            command("skip STEP --reason \"…\"", "skip the pull request"),
        ],
        PauseReason::RetriesExhausted | PauseReason::RepeatedFailure => vec![
            command("proofs", "see what failed"),
            command("feedback \"…\"", "send the step back with a message"),
            command("retry-reset", "give the step new tries"),
            command("skip STEP --reason \"…\"", "skip the step"),
        ],
        PauseReason::RollbackLimit => vec![
            command("rollback STEP \"…\"", "go back once more"),
            command("skip STEP --reason \"…\"", "skip the step"),
        ],
        PauseReason::InternalError => vec![
            command("doctor --bundle FILE", "collect what a bug report needs"),
            command("resume", "try again, best with a newer windlass"),
            command("abort", "end the run; its work is kept"),
        ],
        PauseReason::LoopDetected
        | PauseReason::LostTooOften
        | PauseReason::ProtectedChanged
        | PauseReason::User => {
            vec![command("resume", "go on"), command("abort", "end the run; its work is kept")]
        }
    }
}
