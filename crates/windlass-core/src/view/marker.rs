//! The block that programs around windlass look for when a run ends and waits for a person.

use std::fmt::Write as _;

use crate::run::{RunState, RunStatus};
use crate::view::blockers::{blocked_views, blocker_views};
use crate::view::printable::{Lines, printable};
use crate::view::status::status_view;

/// Somebody has to put something right.
pub const HUMAN_INTERVENTION_NEEDED: &str = "HUMAN_INTERVENTION_NEEDED";

/// Some of the work could not be proven.
pub const ESCALATION_REQUIRED: &str = "ESCALATION_REQUIRED";

/// Returns the block; none where no blocker and nothing blocked is what the run waits for.
pub fn help_block(state: &RunState) -> Option<String> {
    if state.status() != RunStatus::AwaitingUser {
        return None;
    }
    let mut needed: Vec<String> = Vec::new();
    for blocker in blocker_views(state).iter().filter(|blocker| blocker.is_open()) {
        let (id, severity) = (blocker.id, blocker.severity.as_str());
        needed.push(format!("blocker {id} ({severity}): {}", shown(&blocker.description)));
    }
    let marker = match needed.is_empty() {
        false => HUMAN_INTERVENTION_NEEDED,
        true => ESCALATION_REQUIRED,
    };
    for blocked in blocked_views(state) {
        let what = blocked.item.map_or_else(|| blocked.step.to_string(), |item| item.to_string());
        needed.push(format!("blocked {what}: {}", shown(&blocked.why)));
    }
    if needed.is_empty() {
        return None;
    }
    let goal = shown(state.plan.goal.lines().next().unwrap_or_default());
    let mut text = format!("{marker}\ngoal: {goal}\nstatus: {}\n", state.status().as_str());
    let _ = writeln!(text, "run: {}", state.facts.run);
    for line in needed {
        let _ = writeln!(text, "needed: {line}");
    }
    for next in status_view(state).next {
        let _ = writeln!(text, "command: {}", next.command);
    }
    Some(text.trim_end().to_owned())
}

/// Returns the reason of the last line by which an agent says that it needs a person; none where no line
/// does.
pub fn escalation(words: &str) -> Option<String> {
    words.lines().rev().find_map(|line| {
        let line = line.trim().trim_matches(['*', '`']);
        let rest = [HUMAN_INTERVENTION_NEEDED, ESCALATION_REQUIRED]
            .iter()
            .find_map(|marker| line.strip_prefix(marker))?;
        // A longer word is another word.
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let reason = rest.trim_start_matches(['*', '`', ':', ' ']).trim();
        Some(match reason {
            "" => "an agent asks for a person and does not say why".to_owned(),
            reason => reason.to_owned(),
        })
    })
}

fn shown(text: &str) -> String {
    printable(text, Lines::One)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_begins_with_a_marker_asks_for_a_person() {
        let said = |words: &str| escalation(words);
        let reason = |text: &str| Some(text.to_owned());
        assert_eq!(said("x\nESCALATION_REQUIRED: no key\nDone."), reason("no key"));
        assert_eq!(said("  HUMAN_INTERVENTION_NEEDED no key"), reason("no key"));
        assert_eq!(said("**ESCALATION_REQUIRED**: no key"), reason("no key"));
        assert!(said("HUMAN_INTERVENTION_NEEDED").is_some());
        for words in ["", "Done.", "see ESCALATION_REQUIRED", "ESCALATION_REQUIRED_NOT: x"] {
            assert_eq!(said(words), None, "{words}");
        }
    }
}
