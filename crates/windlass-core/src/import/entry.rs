//! The four fields of an entry.

use super::account::Problem;
use crate::source::suggest::{self, shown};

/// The longest name of an agent.
const LONGEST_AGENT: usize = 100;

/// Digits that one part of a number may have.
const LONGEST_NUMBER: usize = 6;

/// Who decides after the phase, or whether it happens at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Approval,
    Auto,
    Skip,
}

/// The number of a phase.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number {
    parts: Vec<u32>,
    letter: Option<char>,
}

impl Number {
    /// Returns it as people write it.
    pub(super) fn shown(&self, between: &str) -> String {
        let parts: Vec<String> = self.parts.iter().map(ToString::to_string).collect();
        format!("{}{}", parts.join(between), self.letter.map(String::from).unwrap_or_default())
    }
}

/// One phase.
#[derive(Clone, Debug)]
pub(super) struct Phase<'e> {
    pub(super) written: &'e str,
    pub(super) number: Number,
    pub(super) agent: &'e str,
    pub(super) mode: Mode,
    pub(super) criterion: &'e str,
}

impl Phase<'_> {
    /// Whether the legacy orchestrator itself did it.
    pub(super) fn is_builtin(&self) -> bool {
        self.agent.eq_ignore_ascii_case("ORCHESTRATOR")
    }

    pub(super) fn id(&self) -> String {
        format!("phase-{}", self.number.shown("-"))
    }
}

/// Reads an entry; every field that is wrong is reported.
pub(super) fn read<'e>(line: u32, text: &'e str, problems: &mut Vec<Problem>) -> Option<Phase<'e>> {
    let fields: Vec<&str> = text.splitn(4, '|').map(str::trim).collect();
    let [written, agent, mode, criterion] = fields[..] else {
        problems.push(Problem::new(
            line,
            format!("{} has {} of 4 fields", shown(text), fields.len()),
            "write `N|agent|APPROVAL, AUTO or SKIP|CRITERION`",
        ));
        return None;
    };
    let number = number(written);
    if number.is_none() {
        problems.push(Problem::new(
            line,
            format!("{} is not a number of a phase", shown(written)),
            "write it like `2`, `02`, `1.5` or `2a`",
        ));
    }
    let named = check_agent(line, agent, problems);
    let mode = read_mode(line, mode, problems);
    let phase = Phase { written, number: number?, agent, mode: mode?, criterion };
    if criterion.is_empty() && !phase.is_builtin() {
        problems.push(Problem::new(
            line,
            "there is no criterion, so nothing would prove the step",
            "write a glob, `VERIFY:` and a command, or another criterion in the fourth field",
        ));
        return None;
    }
    named.then_some(phase)
}

fn number(written: &str) -> Option<Number> {
    let last = written.chars().last().filter(char::is_ascii_lowercase);
    let digits = &written[..written.len() - last.map_or(0, char::len_utf8)];
    let part = |part: &str| {
        let plain = part.chars().all(|c| c.is_ascii_digit()) && part.len() <= LONGEST_NUMBER;
        if plain { part.parse().ok() } else { None }
    };
    let parts: Option<Vec<u32>> = digits.split(['.', '-', '_']).map(part).collect();
    Some(Number { parts: parts.filter(|parts| parts.len() <= 4)?, letter: last })
}

fn check_agent(line: u32, agent: &str, problems: &mut Vec<Problem>) -> bool {
    let message = if agent.is_empty() {
        "no agent is named".to_owned()
    } else if agent.chars().any(char::is_control) {
        format!("the agent's name {} holds a control character", shown(agent))
    } else if agent.chars().count() > LONGEST_AGENT {
        format!("the agent's name {} is longer than {LONGEST_AGENT} characters", shown(agent))
    } else {
        return true;
    };
    problems.push(Problem::new(line, message, "name the agent in the second field"));
    false
}

fn read_mode(line: u32, written: &str, problems: &mut Vec<Problem>) -> Option<Mode> {
    match written.to_ascii_uppercase().as_str() {
        "APPROVAL" => return Some(Mode::Approval),
        "AUTO" => return Some(Mode::Auto),
        "SKIP" => return Some(Mode::Skip),
        _ => {}
    }
    let nearest = suggest::nearest(written, ["APPROVAL", "AUTO", "SKIP"].into_iter());
    let help = nearest.map_or_else(
        || "the third field is `APPROVAL`, `AUTO` or `SKIP`".to_owned(),
        |nearest| format!("did you mean `{nearest}`?"),
    );
    problems.push(Problem::new(line, format!("{} is not known here", shown(written)), help));
    None
}
