//! `quality-gates.yml`: the commands that have to pass, and how often something is tried.
//!
//! The form is CC-DevFlow's own, so that files of people work as they are: keys that nothing here knows are warned
//! about and left alone. What the file does not say has the value that the form documents. Nothing runs these
//! gates yet; they are read and checked.

use serde::Serialize;

use crate::measure::Percent;
use crate::source::diagnostic::Findings;
use crate::source::fields::{self, Fields};
use crate::source::key::{Key, Mapping, Rule, Takes};
use crate::source::yaml::{self, Node, Value};
use crate::source::{At, Diagnostic, Severity};

/// Where the file may lie; the first that is there counts.
pub const PLACES: [&str; 2] = ["devflow/quality-gates.yml", ".claude/config/quality-gates.yml"];

/// What has to pass, and how often something is tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QualityGates {
    /// Commands after each attempt.
    pub verify: Vec<String>,
    /// How long a step is tried.
    pub ralph_loop: RalphLoop,
    /// What has to pass before a box is ticked.
    pub task_completed: TaskCompleted,
    /// What happens when a teammate has nothing to do.
    pub teammate_idle: TeammateIdle,
    /// How much of a checklist has to be ticked, in percent.
    pub checklist_min: Percent,
    /// Commands that publish, after a person's gate.
    pub release: Vec<String>,
}

/// How long a step is tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RalphLoop {
    /// Tries in all.
    pub max_iterations: u32,
    /// Minutes of one try.
    pub timeout_minutes: u32,
    /// The same for teams.
    pub team_mode: TeamMode,
}

/// How long a team tries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TeamMode {
    /// Whether teams may work.
    pub enabled: bool,
    /// What is counted.
    pub scope: String,
    /// Tries of one teammate.
    pub max_iterations_per_teammate: u32,
    /// Tries of all.
    pub max_global_iterations: u32,
}

/// What has to pass before a box is ticked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskCompleted {
    /// Commands.
    pub verify: Vec<String>,
    /// Whether a failure keeps the box open; otherwise the task is accepted with a warning, and never counts as proven.
    pub block_on_failure: bool,
    /// Tries before the task is blocked.
    pub max_retries: u32,
}

/// What happens when a teammate has nothing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TeammateIdle {
    /// Commands.
    pub idle_checks: Vec<String>,
    /// How the next task is chosen.
    pub assignment_strategy: String,
    /// Seconds of silence after which a task is free again.
    pub idle_timeout: u32,
}

impl Default for QualityGates {
    fn default() -> Self {
        Self {
            verify: Vec::new(),
            ralph_loop: RalphLoop {
                max_iterations: 5,
                timeout_minutes: 30,
                team_mode: TeamMode {
                    enabled: true,
                    scope: "teammate".to_owned(),
                    max_iterations_per_teammate: 3,
                    max_global_iterations: 10,
                },
            },
            task_completed: TaskCompleted {
                verify: Vec::new(),
                block_on_failure: true,
                max_retries: 3,
            },
            teammate_idle: TeammateIdle {
                idle_checks: Vec::new(),
                assignment_strategy: "priority_first".to_owned(),
                idle_timeout: 300,
            },
            checklist_min: Percent::whole(80),
            release: Vec::new(),
        }
    }
}

const COMMANDS: Takes = Takes::List { of: &Takes::Text, least: 0, most: None };

static FILE: Mapping = Mapping {
    name: "quality gates",
    of: "a file of quality gates",
    doc: "What has to pass.",
    keys: &[
        Key::new("verify", COMMANDS, "Commands after each attempt."),
        Key::new("ralph_loop", Takes::Text, "How long a step is tried."),
        Key::new("task_completed", Takes::Text, "What has to pass before a box is ticked."),
        Key::new("teammate_idle", Takes::Text, "What happens when a teammate has nothing to do."),
        Key::new("checklist", Takes::Text, "How much of a checklist has to be ticked."),
        Key::new("release", COMMANDS, "Commands that publish."),
    ],
    not_yet: &[],
    rule: Rule::None,
};

static RALPH_LOOP: Mapping = Mapping {
    name: "ralph_loop",
    of: "`ralph_loop`",
    doc: "How long a step is tried.",
    keys: &[
        Key::new("max_iterations", Takes::Text, "Tries."),
        Key::new("timeout_minutes", Takes::Text, "Minutes."),
        Key::new("team_mode", Takes::Text, "Teams."),
    ],
    not_yet: &[],
    rule: Rule::None,
};

static TEAM_MODE: Mapping = Mapping {
    name: "team_mode",
    of: "`team_mode`",
    doc: "How long a team tries.",
    keys: &[
        Key::new("enabled", Takes::Text, "Whether teams may work."),
        Key::new("scope", Takes::Text, "What is counted."),
        Key::new("max_iterations_per_teammate", Takes::Text, "Tries of one."),
        Key::new("max_global_iterations", Takes::Text, "Tries of all."),
    ],
    not_yet: &[],
    rule: Rule::None,
};

static TASK_COMPLETED: Mapping = Mapping {
    name: "task_completed",
    of: "`task_completed`",
    doc: "What has to pass before a box is ticked.",
    keys: &[
        Key::new("verify", COMMANDS, "Commands."),
        Key::new("block_on_failure", Takes::Text, "Whether a failure keeps the box open."),
        Key::new("max_retries", Takes::Text, "Tries."),
    ],
    not_yet: &[],
    rule: Rule::None,
};

static TEAMMATE_IDLE: Mapping = Mapping {
    name: "teammate_idle",
    of: "`teammate_idle`",
    doc: "What happens when a teammate has nothing to do.",
    keys: &[
        Key::new("idle_checks", COMMANDS, "Commands."),
        Key::new("assignment_strategy", Takes::Text, "How the next task is chosen."),
        Key::new("idle_timeout", Takes::Text, "Seconds."),
    ],
    not_yet: &[],
    rule: Rule::None,
};

static CHECKLIST: Mapping = Mapping {
    name: "checklist",
    of: "`checklist`",
    doc: "How much of a checklist has to be ticked.",
    keys: &[Key::new("min", Takes::Text, "Percent.")],
    not_yet: &[],
    rule: Rule::None,
};

impl QualityGates {
    /// Reads a file, with what its author should know; `file` is what findings call it.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the file.
    pub fn parse(source: &[u8], file: &str) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut findings = Findings::new(file);
        let gates =
            findings.utf8(source).map(str::to_owned).and_then(|text| read(&text, &mut findings));
        match gates {
            Some(gates) if !findings.has_errors() => Ok((gates, findings.into_sorted())),
            Some(_) | None => {
                let mut found = findings.into_sorted();
                found.retain(|finding| finding.severity == Severity::Error);
                Err(found)
            }
        }
    }
}

fn read(text: &str, findings: &mut Findings) -> Option<QualityGates> {
    let mut gates = QualityGates::default();
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Some(gates);
    }
    let root = yaml::parse(text, findings)?;
    let fields = Fields::read_kindly(&root, &FILE, findings)?;
    commands(&fields, "verify", &mut gates.verify, findings);
    commands(&fields, "release", &mut gates.release, findings);
    if let Some(of) = below(&fields, "ralph_loop", &RALPH_LOOP, findings) {
        let to = &mut gates.ralph_loop;
        count(&of, "max_iterations", &mut to.max_iterations, findings);
        count(&of, "timeout_minutes", &mut to.timeout_minutes, findings);
        if let Some(of) = below(&of, "team_mode", &TEAM_MODE, findings) {
            let to = &mut to.team_mode;
            flag(&of, "enabled", &mut to.enabled, findings);
            choice(&of, "scope", &["teammate"], &mut to.scope, findings);
            count(
                &of,
                "max_iterations_per_teammate",
                &mut to.max_iterations_per_teammate,
                findings,
            );
            count(&of, "max_global_iterations", &mut to.max_global_iterations, findings);
        }
    }
    if let Some(of) = below(&fields, "task_completed", &TASK_COMPLETED, findings) {
        let to = &mut gates.task_completed;
        commands(&of, "verify", &mut to.verify, findings);
        flag(&of, "block_on_failure", &mut to.block_on_failure, findings);
        count(&of, "max_retries", &mut to.max_retries, findings);
    }
    if let Some(of) = below(&fields, "teammate_idle", &TEAMMATE_IDLE, findings) {
        let to = &mut gates.teammate_idle;
        commands(&of, "idle_checks", &mut to.idle_checks, findings);
        choice(
            &of,
            "assignment_strategy",
            &["priority_first"],
            &mut to.assignment_strategy,
            findings,
        );
        count(&of, "idle_timeout", &mut to.idle_timeout, findings);
    }
    if let Some(of) = below(&fields, "checklist", &CHECKLIST, findings) {
        percent(&of, "min", &mut gates.checklist_min, findings);
    }
    Some(gates)
}

fn below<'n>(
    fields: &Fields<'n>,
    key: &str,
    keys: &Mapping,
    findings: &mut Findings,
) -> Option<Fields<'n>> {
    // `ralph_loop:` with nothing below it says nothing.
    let node = fields.get(key).filter(|node| !matches!(node.value, Value::Null))?;
    Fields::read_kindly(node, keys, findings)
}

fn commands(fields: &Fields<'_>, key: &str, to: &mut Vec<String>, findings: &mut Findings) {
    let Some(node) = fields.get(key) else { return };
    if matches!(node.value, Value::Null) {
        return;
    }
    *to = fields::one_or_more(node)
        .iter()
        .filter_map(|node| Some(fields::filled_text(node, findings)?.value.trim().to_owned()))
        .collect();
}

fn count(fields: &Fields<'_>, key: &str, to: &mut u32, findings: &mut Findings) {
    if let Some(count) = fields.get(key).and_then(|node| fields::small_count(node, 1, findings)) {
        *to = count;
    }
}

fn flag(fields: &Fields<'_>, key: &str, to: &mut bool, findings: &mut Findings) {
    if let Some(value) = fields.get(key).and_then(|node| fields::boolean(node, findings)) {
        *to = value;
    }
}

/// Reads a word of which only some mean anything; another one is a mistake, not a silent default.
fn choice(
    fields: &Fields<'_>,
    key: &str,
    known: &[&str],
    to: &mut String,
    findings: &mut Findings,
) {
    let Some(node) = fields.get(key) else { return };
    let Some(text) = fields::filled_text(node, findings) else { return };
    match known.contains(&text.value.as_str()) {
        true => *to = text.value,
        false => findings.error_with_help(
            text.at,
            format!("`{key}` cannot be that"),
            format!("known: {}", known.join(", ")),
        ),
    }
}

fn percent(fields: &Fields<'_>, key: &str, to: &mut Percent, findings: &mut Findings) {
    let Some(node) = fields.get(key) else { return };
    let text = match &node.value {
        Value::Number(text) | Value::Text(text) => text.trim().trim_end_matches('%').trim(),
        Value::Null | Value::Boolean(_) | Value::List(_) | Value::Map(_) => "",
    };
    match text.parse() {
        Ok(value) => *to = value,
        Err(_) => wrong_percent(node, findings),
    }
}

fn wrong_percent(node: &Node, findings: &mut Findings) {
    let at: At = node.at;
    let message = format!("this is a number from 0 to 100, not {}", node.value.kind());
    findings.error_with_help(at, message, "write `min: 80`");
}

#[cfg(test)]
mod tests {
    use super::*;

    const REAL: &str = "\
verify: [npm test, npm run lint]
ralph_loop:
  max_iterations: 7
  timeout_minutes: 45
  team_mode: {enabled: false, scope: teammate, max_iterations_per_teammate: 2, max_global_iterations: 8}
task_completed:
  verify: [npm test]
  block_on_failure: false
  max_retries: 2
teammate_idle: {idle_checks: [git status], assignment_strategy: priority_first, idle_timeout: 60}
checklist: {min: 90}
release: npm publish
";

    fn mistakes(text: &str) -> Vec<String> {
        let found = QualityGates::parse(text.as_bytes(), "quality-gates.yml").unwrap_err();
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_as_people_have_it_is_read() {
        let (gates, warnings) = QualityGates::parse(REAL.as_bytes(), "quality-gates.yml").unwrap();
        assert_eq!(warnings, []);
        assert_eq!(gates.verify, ["npm test", "npm run lint"]);
        assert_eq!(gates.release, ["npm publish"]);
        assert_eq!((gates.ralph_loop.max_iterations, gates.ralph_loop.timeout_minutes), (7, 45));
        assert!(!gates.ralph_loop.team_mode.enabled);
        assert_eq!(gates.ralph_loop.team_mode.max_global_iterations, 8);
        assert!(!gates.task_completed.block_on_failure);
        assert_eq!(gates.teammate_idle.idle_timeout, 60);
        assert_eq!(gates.checklist_min, Percent::whole(90));
    }

    #[test]
    fn what_is_not_said_has_its_usual_value() {
        for text in ["", "# nothing\n", "ralph_loop:\nverify:\n"] {
            let (gates, _) = QualityGates::parse(text.as_bytes(), "quality-gates.yml").unwrap();
            assert_eq!(gates, QualityGates::default(), "{text:?}");
        }
    }

    #[test]
    fn keys_of_others_are_warned_about() {
        let (_, warnings) =
            QualityGates::parse(b"verify: a\nversion: 2\n", "quality-gates.yml").unwrap();
        assert_eq!(warnings[0].line, 2);
        assert_eq!(warnings[0].severity, Severity::Warning);
    }

    #[test]
    fn mistakes_have_their_line() {
        for (text, place) in [
            ("verify: [\n", "quality-gates.yml:"),
            ("ralph_loop: {max_iterations: 0}\n", "quality-gates.yml:1:"),
            ("\ntask_completed: {block_on_failure: maybe}\n", "quality-gates.yml:2:"),
            ("teammate_idle: {assignment_strategy: random}\n", "quality-gates.yml:1:"),
            ("checklist: {min: 101}\n", "quality-gates.yml:1:"),
            ("checklist: {min: many}\n", "quality-gates.yml:1:"),
            ("- a\n", "quality-gates.yml:1:"),
        ] {
            let found = mistakes(text);
            assert!(found[0].starts_with(place), "{text:?}: {found:?}");
        }
        assert!(mistakes("verify: a\nverify: b\n")[0].contains("given twice"));
    }
}
