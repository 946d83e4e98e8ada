//! The report of a run, as Markdown.

use std::fmt::Write as _;

use crate::plan::{Holds, Strength};
use crate::run::{RunState, StepStatus};
use crate::view::history::{History, StepHistory};

/// Writes the report of a run: what was done, what proves it, who decided, time and cost.
pub fn report(state: &RunState, history: &History, head: &str) -> String {
    let mut text = String::new();
    header(&mut text, state, history, head);
    steps(&mut text, state, history);
    evidence(&mut text, state, history);
    decisions(&mut text, history);
    attempts(&mut text, state, history);
    text
}

// Writing to a string cannot fail, so the results of `writeln!` are dropped throughout.

fn header(text: &mut String, state: &RunState, history: &History, head: &str) {
    let (plan, facts, spent) = (&state.plan, &state.facts, &state.spent);
    let _ = writeln!(text, "# {}\n", one_line(&plan.goal));
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "- **{name}:** {value}");
    };
    row("Run", &format!("`{}`, workflow `{}`", facts.run, plan.workflow));
    let reason = state.reason().map(|reason| format!(" ({reason})")).unwrap_or_default();
    row("Status", &format!("{}{reason}", state.status().as_str()));
    if let Some(issue) = &plan.issue {
        row("Issue", &format!("#{} {}", issue.number, one_line(&issue.title)));
    }
    row("Branch", &format!("`{}` at `{}`, from `{}`", facts.branch, state.head, facts.base));
    row("Started", &state.started_at.to_string());
    if let Some(ended) = history.ended_at {
        row("Ended", &format!("{ended}, after {}", ended.since(state.started_at)));
    }
    let limits = state.limits();
    row("Attempts", &format!("{} of at most {}", spent.attempts, limits.attempts));
    row("Working time", &format!("{} of at most {}", spent.wall, limits.wall));
    row("Cost", &cost(spent.cost_usd, spent.unknown_cost, spent.attempts));
    row("Journal head", &format!("`{head}`"));
}

fn cost(known: f64, unknown: u64, attempts: u64) -> String {
    match unknown {
        0 => format!("{known:.2} USD"),
        _ if unknown == attempts => "unknown: no attempt reported one".to_owned(),
        _ => format!("{known:.2} USD, and unknown for {unknown} of {attempts} attempts"),
    }
}

fn steps(text: &mut String, state: &RunState, history: &History) {
    text.push_str("\n## Steps\n\n");
    text.push_str("| step | status | attempts | rests on | time | cost | commit |\n");
    text.push_str("|---|---|---|---|---|---|---|\n");
    for index in state.plan.indexes() {
        let (plan, step) = (state.plan.step(index), state.step(index));
        let history = history.steps.get(&plan.id);
        let status = match (state.step_status(index), &step.note) {
            (StepStatus::Done, _) if step.waived => "**waived**".to_owned(),
            (status, Some(note)) => format!("{}: {}", status.as_str(), cell(note)),
            (status, None) => status.as_str().to_owned(),
        };
        let commit = history.and_then(|history| history.commit.as_ref());
        let commit = commit.map(|id| format!("`{}`", short(id.as_str()))).unwrap_or_default();
        let _ = writeln!(
            text,
            "| {} (`{}`) | {status} | {} | {} | {} | {} | {commit} |",
            cell(&plan.title),
            plan.id,
            step.attempts,
            rests_on(history),
            step.wall,
            if step.cost_usd > 0.0 { format!("{:.2}", step.cost_usd) } else { "–".to_owned() },
        );
    }
}

fn rests_on(history: Option<&StepHistory>) -> &'static str {
    match history.and_then(StepHistory::strength) {
        Some(Strength::Observed) => "observed",
        Some(Strength::Claimed) => "claimed only",
        None => "–",
    }
}

fn evidence(text: &mut String, state: &RunState, history: &History) {
    text.push_str("\n## Evidence\n\n");
    text.push_str("| step | check | verdict | strength | on code | evidence |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for plan in &state.plan.steps {
        let Some(history) = history.steps.get(&plan.id) else { continue };
        for entry in history.proofs.iter().filter(|entry| entry.decisive) {
            let proof = &entry.proof;
            let evidence = proof.evidence.as_ref();
            let _ = writeln!(
                text,
                "| `{}` | {} | {}{} | {} | `{}` | {} |",
                plan.id,
                cell(&proof.summary),
                verdict(proof.holds),
                if proof.cached { " (cached)" } else { "" },
                strength(proof.strength),
                short(entry.snapshot.code.as_str()),
                evidence.map(|blob| format!("`{}`", short(blob.hash.as_str()))).unwrap_or_default(),
            );
        }
    }
}

fn decisions(text: &mut String, history: &History) {
    if history.decisions.is_empty() {
        return;
    }
    text.push_str("\n## Decisions\n\n");
    for entry in &history.decisions {
        let _ = writeln!(text, "- {} {}: {}", entry.at, entry.who, one_line(&entry.what));
    }
}

fn attempts(text: &mut String, state: &RunState, history: &History) {
    text.push_str("\n## Attempts\n\n");
    let mut said: Option<String> = None;
    for plan in &state.plan.steps {
        let Some(history) = history.steps.get(&plan.id) else { continue };
        for attempt in &history.attempts {
            let took = attempt.took.map(|took| format!(" after {took}")).unwrap_or_default();
            let failure = match &attempt.failure {
                Some(failure) => format!("; not proven: {}", one_line(failure)),
                None => String::new(),
            };
            let _ = writeln!(text, "- `{}` {}{took}{failure}", attempt.id, attempt.ended);
            if attempt.left_behind > 0 {
                let _ = writeln!(
                    text,
                    "  - left {} processes behind, which were ended",
                    attempt.left_behind
                );
            }
            // The same words for every attempt would hide what differs.
            if let Some(confinement) = &attempt.confinement
                && said.as_ref() != Some(confinement)
            {
                let _ = writeln!(text, "  - confinement: {}", one_line(confinement));
                said = Some(confinement.clone());
            }
        }
    }
}

fn verdict(holds: Holds) -> &'static str {
    match holds {
        Holds::Yes => "holds",
        Holds::No => "**does not hold**",
        Holds::Unknown => "not looked at",
    }
}

fn strength(strength: Strength) -> &'static str {
    match strength {
        Strength::Observed => "observed",
        Strength::Claimed => "claimed",
    }
}

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text inside a table cell: one line, no bars.
fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}
