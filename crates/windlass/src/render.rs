//! Views as text.

mod help;

use std::fmt::Write as _;

use windlass_core::import::{Became, Line, RemarkKind};
use windlass_core::run::{HostKind, ItemStatus, Publication, StepStatus};
use windlass_core::time::Timestamp;
use windlass_core::view::{GateView, ItemView, StatusView, StepView};

use crate::output::Verbosity;

pub(crate) use help::{blocked, blocker, question};

/// Colours that are readable on light and on dark ground: of the sixteen that every terminal's theme
/// sets itself, none of the pale ones, and never the only sign of anything.
#[derive(Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    pub(crate) fn new(on: bool) -> Self {
        Self { on }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }

    pub(crate) fn busy(self, text: &str) -> String {
        self.wrap("36", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }
}

/// Who drives a run, as far as a screen says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driving {
    /// This process.
    Process(u32),
    /// A session of this program, by this process.
    Session(HostKind, i32),
    /// Nobody.
    Nobody,
    /// The screen shows the past.
    Then,
}

/// How a screen is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) driving: Driving,
    pub(crate) now: Timestamp,
    pub(crate) paint: Paint,
    pub(crate) verbosity: Verbosity,
}

/// How many files behind a verdict are shown.
const MOST_FILES: usize = 10;

fn published(text: &mut String, publication: &Publication, paint: Paint) {
    let Publication { number, url, compare_url, body_file, remote, .. } = publication;
    let _ = match (number, url, compare_url) {
        (Some(number), Some(url), _) => {
            writeln!(text, "  pull request {}: {url}", paint.bold(&format!("#{number}")))
        }
        (Some(number), None, _) => writeln!(text, "  pull request #{number}"),
        (None, _, Some(page)) => {
            writeln!(text, "  pushed to `{remote}`; open the pull request: {page}")
        }
        (None, _, None) => writeln!(text, "  pushed to `{remote}`; open the pull request by hand"),
    };
    if let Some(file) = body_file {
        let _ = writeln!(text, "  its text is in {file}");
    }
    for note in &publication.notes {
        let _ = writeln!(text, "  {}", paint.dim(note));
    }
}

/// Writes where a run stands on one screen.
pub(crate) fn status(view: &StatusView, screen: Screen) -> String {
    let Screen { driving, now, paint, .. } = screen;
    let view = &view.clone().for_a_screen();
    let mut text = String::new();
    let run = &view.run;
    let _ = writeln!(text, "{}  {}", paint.bold(run.id.as_str()), run.goal);
    let _ = writeln!(
        text,
        "{}",
        paint.dim(&format!("workflow {}, branch {}", run.workflow, run.branch))
    );
    text.push('\n');
    for step in view.steps.iter().filter(|step| is_shown(view, step)) {
        let waits = view.gate.as_ref().is_some_and(|gate| gate.step == step.id);
        let _ = writeln!(text, "{}", step_line(step, waits, now, paint));
        if screen.verbosity == Verbosity::Verbose {
            let _ = writeln!(text, "    {}", paint.dim(&step_details(step)));
        }
    }
    if !view.items.is_empty() {
        let _ = writeln!(text, "\n  items: {}", item_counts(view));
    }
    text.push('\n');
    let since = run.since_words(&now.since(run.since_moment).to_string());
    let _ = writeln!(text, "{}{since}", paint.bold(run.status.words()));
    if let Some(detail) = &run.detail {
        let _ = writeln!(text, "  {detail}");
    }
    help::waits(&mut text, view, now);
    for line in view.gate.iter().flat_map(GateView::story_lines) {
        let _ = writeln!(text, "  {line}");
    }
    for skip in view.gate.iter().flat_map(|gate| &gate.skips) {
        let _ = writeln!(text, "  then `{}` is skipped: {}", skip.step, skip.reason);
    }
    if let Some(route) = view.gate.as_ref().and_then(|gate| gate.route.as_ref()) {
        for file in route.files.iter().take(MOST_FILES) {
            let _ = writeln!(text, "    {file}");
        }
    }
    if let Some(publication) = &run.publication {
        published(&mut text, publication, paint);
    }
    if let Some(until) = run.until_moment {
        let _ = writeln!(text, "  goes on in {}", until.since(now));
    }
    if run.wants_driver() {
        let _ = match driving {
            Driving::Process(pid) => writeln!(text, "  driven by process {pid}"),
            Driving::Session(host, pid) => {
                writeln!(text, "  driven by a session of {} (process {pid})", host.words())
            }
            Driving::Then => Ok(()),
            Driving::Nobody => writeln!(
                text,
                "  {}",
                paint.bad("the run is idle; continue with `windlass resume`")
            ),
        };
    }
    let _ = writeln!(text, "  {}", budget(view));
    if screen.verbosity == Verbosity::Verbose {
        let _ = writeln!(text, "  place: {}", run.place);
        let _ = writeln!(text, "  started: {}, head: {}", run.started_at, run.head);
    }
    if !view.next.is_empty() {
        text.push_str(match driving {
            Driving::Then => "\nwhat could be done then:\n",
            Driving::Process(_) | Driving::Session(..) | Driving::Nobody => "\nnext:\n",
        });
        let mut next: Vec<_> = view.next.iter().collect();
        if driving == Driving::Nobody && run.wants_driver() {
            // Nothing happens before somebody drives.
            next.sort_by_key(|next| !next.command.starts_with("windlass resume"));
        }
        let width = next.iter().map(|next| next.command.chars().count()).max().unwrap_or(0);
        for next in next {
            let _ = writeln!(text, "  {:width$}   {}", next.command, paint.dim(&next.does));
        }
    }
    text.trim_end().to_owned()
}

/// The steps of an item that is over fold into the line of the item.
fn is_shown(view: &StatusView, step: &StepView) -> bool {
    let over = view.items.iter().filter(|item| match item.status {
        ItemStatus::Done | ItemStatus::Skipped | ItemStatus::Pending => true,
        ItemStatus::Active | ItemStatus::Blocked => false,
    });
    let mut prefixes = over.map(|item| format!("{}/{}/", item.step, item.id));
    !prefixes.any(|prefix| step.id.as_str().starts_with(&prefix))
}

/// How many items have come how far.
fn item_counts(view: &StatusView) -> String {
    let states = [
        (ItemStatus::Done, "done"),
        (ItemStatus::Active, "active"),
        (ItemStatus::Blocked, "blocked"),
        (ItemStatus::Skipped, "skipped"),
        (ItemStatus::Pending, "to come"),
    ];
    let counts = states.into_iter().filter_map(|(status, words)| {
        let count = view.items.iter().filter(|item| item.status == status).count();
        (count > 0).then(|| format!("{count} {words}"))
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// Writes one line per item.
pub(crate) fn items(items: &[ItemView]) -> String {
    let width = items.iter().map(|item| item.id.as_str().len()).max().unwrap_or(0);
    let lines = items.iter().map(|item| {
        let waived = if item.waived { " (waived: not proven)" } else { "" };
        let note = item.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        let status = item.status.as_str();
        let (id, title, source) = (item.id.as_str(), &item.title, &item.source);
        format!("{id:width$}  {status:<8}  {title}{waived}, asked for by {source}{note}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn step_line(step: &StepView, waits: bool, now: Timestamp, paint: Paint) -> String {
    let sign = sign(step, paint);
    let indent = "  ".repeat(step.depth);
    let words = if waits { "waits for you" } else { step.status.as_str() };
    let mut line = format!("  {indent}{sign} {:<24} {words}", step.title);
    if step.waived {
        line.push_str(" (waived: not proven)");
    }
    if step.attempts > 0 {
        let _ = write!(
            line,
            ", {} {}",
            step.attempts,
            if step.attempts == 1 { "attempt" } else { "attempts" }
        );
    }
    if let Some(since) = step.running_since {
        let _ = write!(line, ", for {}", now.since(since));
    }
    if let Some(note) = &step.note {
        let _ = write!(line, ": {note}");
    }
    if let Some(failure) = &step.failure {
        let _ = write!(line, "\n    {indent}  {}", paint.bad(&format!("last failure: {failure}")));
    }
    line
}

/// Writes where a run stands in one line.
pub(crate) fn last_line(view: &StatusView) -> String {
    let view = &view.clone().for_a_screen();
    let words = view.run.status.words();
    match &view.run.detail {
        Some(detail) => format!("{} {words}: {detail}", view.run.id),
        None => format!("{} {words}", view.run.id),
    }
}

fn step_details(step: &StepView) -> String {
    let indent = "  ".repeat(step.depth);
    let agent = step.agent.as_deref().unwrap_or("the steps nested in it");
    let cost =
        if step.cost_usd > 0.0 { format!(", {:.2} USD", step.cost_usd) } else { String::new() };
    let tries = match step.tries {
        0 => String::new(),
        tries => format!(", {tries} of {} tries used", step.retries),
    };
    format!("{indent}  `{}` by {agent}{tries}, {}{cost}", step.id, step.wall)
}

fn sign(step: &StepView, paint: Paint) -> String {
    let sign = step.sign();
    match step.status {
        StepStatus::Done if step.waived => paint.bad(sign),
        StepStatus::Done => paint.good(sign),
        StepStatus::Running | StepStatus::Verifying => paint.busy(sign),
        StepStatus::Failed | StepStatus::Blocked => paint.bad(sign),
        StepStatus::Ready => sign.to_owned(),
        StepStatus::Skipped | StepStatus::Pending | StepStatus::Invalidated => paint.dim(sign),
    }
}

fn budget(view: &StatusView) -> String {
    let budget = &view.budget;
    format!(
        "used: {} of {} attempts, {} of {}, {}",
        budget.attempts,
        budget.attempts_limit,
        budget.wall_ms,
        budget.wall_ms_limit,
        budget.cost_words()
    )
}

/// A line of `windlass workflow list`.
pub(crate) struct WorkflowLine {
    pub(crate) name: String,
    pub(crate) from: &'static str,
    pub(crate) steps: String,
    pub(crate) attempts: String,
    pub(crate) title: String,
    pub(crate) remarks: Vec<String>,
}

/// Writes workflows as a table.
pub(crate) fn workflows(lines: &[WorkflowLine]) -> String {
    let width = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0).max(4);
    let mut text = format!("{:width$}  {:10}  steps  attempts  title\n", "name", "from");
    for line in lines {
        let WorkflowLine { name, from, steps, attempts, title, remarks } = line;
        let row = format!("{name:width$}  {from:10}  {steps:>5}  {attempts:>8}  {title}");
        let _ = writeln!(text, "{}", row.trim_end());
        for remark in remarks {
            let _ = writeln!(text, "{:width$}  {remark}", "");
        }
    }
    text.push_str("\nattempts: the most that a run can use, not counting human feedback");
    text
}

/// One role, for [`roles`].
pub(crate) struct RoleLine {
    pub(crate) name: String,
    pub(crate) model: String,
    pub(crate) from: String,
    pub(crate) description: String,
    pub(crate) remarks: Vec<String>,
}

/// Writes roles as a table.
pub(crate) fn roles(lines: &[RoleLine]) -> String {
    let width = |of: fn(&RoleLine) -> &str, least: usize| {
        lines.iter().map(|line| of(line).chars().count()).max().unwrap_or(0).max(least)
    };
    let name_width = width(|line| &line.name, 4);
    let model_width = width(|line| &line.model, 5);
    let from_width = width(|line| &line.from, 4);
    let mut text = String::new();
    let mut row = |name: &str, model: &str, from: &str, description: &str| {
        let row =
            format!("{name:name_width$}  {model:model_width$}  {from:from_width$}  {description}");
        let _ = writeln!(text, "{}", row.trim_end());
    };
    row("role", "model", "from", "for");
    for RoleLine { name, model, from, description, remarks } in lines {
        row(name, model, from, &shortened(description));
        for remark in remarks {
            row("", remark, "", "");
        }
    }
    text.push_str("\nmodel: `-` means that of the step, else the backend's own");
    text
}

/// How much of a description a table shows.
const SHOWN_DESCRIPTION: usize = 70;

fn shortened(text: &str) -> String {
    if text.chars().count() <= SHOWN_DESCRIPTION {
        return text.to_owned();
    }
    let cut: String = text.chars().take(SHOWN_DESCRIPTION - 1).collect();
    format!("{}…", cut.trim_end())
}

/// Writes what became of each line of an imported file.
pub(crate) fn import_account(file: &str, lines: &[Line]) -> String {
    let mut text = String::new();
    let (mut steps, mut comments, mut weaker) = (0, 0, 0);
    for line in lines {
        let became = match &line.became {
            Became::Step(id) => {
                steps += 1;
                format!("step `{id}`")
            }
            Became::Comment => {
                comments += 1;
                "a comment".to_owned()
            }
            Became::Nothing => "nothing".to_owned(),
        };
        let source: String = line.source.chars().flat_map(char::escape_debug).take(100).collect();
        let source = source.replace("\\\"", "\"").replace("\\'", "'");
        let _ = writeln!(text, "{file}:{}: {source}\n  became {became}", line.line);
        for remark in &line.remarks {
            weaker += usize::from(remark.kind == RemarkKind::Weaker);
            let words: String =
                remark.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let _ = writeln!(text, "  {:9} {words}", format!("{}:", remark.kind.as_str()));
        }
    }
    let count = |count: usize, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let _ = write!(
        text,
        "\n{} became {}, {}; {} weaker than before or than it looks",
        count(lines.len(), "line", "lines"),
        count(steps, "step", "steps"),
        count(comments, "comment", "comments"),
        count(weaker, "thing is", "things are"),
    );
    text
}
