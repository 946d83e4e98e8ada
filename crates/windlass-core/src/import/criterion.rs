//! What proves a phase.

use super::account::{Problem, Remark, RemarkKind};
use super::pattern::{self, Inputs};
use super::state;
use crate::plan::template::{Role, Template};
use crate::source::quote::quoted;
use crate::source::suggest::{self, shown};

/// The words that begin a part of a criterion.
const PREFIXES: [&str; 3] = ["GLOB:", "STATE:", "VERIFY:"];

/// The word that stands for the phase's own status.
const PHASE_STATUS: &str = "PHASE_STATUS";

/// A criterion in the words of a workflow.
#[derive(Debug, Default)]
pub(super) struct Criterion {
    /// The checks, each as YAML that stands on one line.
    pub(super) checks: Vec<String>,
    /// Context keys that the agent has to set, with their types.
    pub(super) publishes: Vec<(String, &'static str)>,
    pub(super) remarks: Vec<Remark>,
    /// Whether anything in it is observed.
    pub(super) observed: bool,
}

impl Criterion {
    fn remark(&mut self, kind: RemarkKind, text: impl Into<String>) {
        self.remarks.push(Remark::new(kind, text));
    }

    fn publish(&mut self, key: String, kind: &'static str) {
        match self.publishes.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) if *known != kind => *known = "any",
            Some(_) => {}
            None => self.publishes.push((key, kind)),
        }
    }
}

/// Reads a criterion; `phase` is the phase's number as part of a context key.
pub(super) fn read(
    line: u32,
    text: &str,
    phase: &str,
    inputs: &mut Inputs,
    problems: &mut Vec<Problem>,
) -> Criterion {
    let mut criterion = Criterion::default();
    for part in split(text) {
        let part = part.trim();
        if part.is_empty() {
            problems.push(Problem::new(
                line,
                "a part of the criterion is empty",
                "take out the `+` that has nothing beside it",
            ));
        } else if let Some(rest) = prefixed(part, PHASE_STATUS) {
            phase_status(rest, phase, &mut criterion);
        } else if let Some(expression) = prefixed(part, "STATE:") {
            claimed(line, expression.trim(), &mut criterion, problems);
        } else if let Some(command) = prefixed(part, "VERIFY:") {
            verify(line, command.trim(), &mut criterion, inputs, problems);
        } else if let Some(glob) = prefixed(part, "GLOB:") {
            file(line, glob.trim(), &mut criterion, inputs, problems);
        } else if let Some(word) = unknown_prefix(part) {
            let known = ["GLOB", "STATE", "VERIFY", PHASE_STATUS];
            let help = suggest::help(word, known.into_iter());
            let message = format!("{} is not a kind of criterion", shown(word));
            problems.push(Problem { line, message, help });
        } else {
            file(line, part, &mut criterion, inputs, problems);
        }
    }
    criterion
}

/// Splits at each `+` that joins: before a known word, and anywhere in globs. A `+` in a command or
/// an expression is its own.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, _) in text.match_indices('+') {
        let next = text[at + 1..].trim_start();
        let before_word = PREFIXES.iter().any(|word| prefixed(next, word).is_some())
            || prefixed(next, PHASE_STATUS).is_some();
        let current = text[begin..at].trim_start();
        let keeps = prefixed(current, "VERIFY:").is_some() || prefixed(current, "STATE:").is_some();
        if before_word || !keeps {
            parts.push(&text[begin..at]);
            begin = at + 1;
        }
    }
    parts.push(&text[begin..]);
    parts
}

/// Returns what follows a word, in whatever case it is written.
fn prefixed<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let begin = text.get(..word.len())?;
    begin.eq_ignore_ascii_case(word).then(|| &text[word.len()..])
}

/// Returns a word in capitals before a colon.
fn unknown_prefix(part: &str) -> Option<&str> {
    let (word, _) = part.split_once(':')?;
    let capitals = word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    capitals.then_some(word)
}

fn phase_status(rest: &str, phase: &str, criterion: &mut Criterion) {
    let wanted = rest.trim().trim_start_matches([':', '=']).trim().trim_matches(['"', '\'']);
    let wanted = if wanted.is_empty() { "completed" } else { wanted };
    let key = format!("phase_{phase}.status");
    let literal = serde_json::Value::from(wanted).to_string();
    let expression = format!(".context.{key} == {literal}");
    criterion.checks.push(format!("{{state: {}}}", quoted(&expression)));
    let said = "the phase's own status was kept by the orchestrator; here its agent sets";
    criterion.remark(RemarkKind::Mapped, format!("`PHASE_STATUS` to `state: {expression}`"));
    criterion.remark(RemarkKind::Weaker, format!("{said} `{key}`, which is a claim"));
    criterion.publish(key, "string");
}

fn claimed(line: u32, text: &str, criterion: &mut Criterion, problems: &mut Vec<Problem>) {
    if text.is_empty() || text.chars().any(char::is_control) {
        let message = "`STATE:` has no expression on its line";
        problems.push(Problem::new(line, message, "write what has to be true after `STATE:`"));
        return;
    }
    let mapped = state::map(text);
    criterion.checks.push(format!("{{state: {}}}", quoted(&mapped.expression)));
    let to = format!("`STATE:{text}` to `state: {}`", mapped.expression);
    criterion.remark(RemarkKind::Mapped, to);
    match mapped.publishes {
        Some((key, kind)) => criterion.publish(key, kind),
        None if mapped.is_of_the_run => {}
        None => criterion.remark(
            RemarkKind::Changed,
            "which keys the agent has to set cannot be told from this expression: \
             add them under `publishes`",
        ),
    }
    if let Some(remark) = mapped.remark {
        criterion.remark(RemarkKind::Changed, remark);
    }
}

fn verify(
    line: u32,
    text: &str,
    criterion: &mut Criterion,
    inputs: &mut Inputs,
    problems: &mut Vec<Problem>,
) {
    let command = pattern::issue_in_command(text, inputs);
    if command.is_empty() || command.contains('\0') {
        let help = "write the command after `VERIFY:`";
        problems.push(Problem::new(line, "`VERIFY:` has no command", help));
        return;
    }
    if let Err(bad) = Template::parse(&command, Role::Command) {
        let message = format!("the command of `VERIFY:` cannot be kept: {}", bad.message);
        let help = "put a blank inside braces that are the command's own, `{ print }`, or move the \
                    command into a script";
        problems.push(Problem::new(line, message, help));
        return;
    }
    criterion.observed = true;
    criterion.checks.push(format!("{{run: {}}}", quoted(&command)));
    criterion.remark(RemarkKind::Mapped, format!("`VERIFY:` to `run: {command}`"));
    criterion.remark(
        RemarkKind::Stricter,
        "it runs in a clean copy of the files, where no agent has been, for 10 minutes at most",
    );
    if swallows_failures(&command) {
        criterion.remark(
            RemarkKind::Weaker,
            "only the exit code of the last command counts: a failure before it goes unnoticed",
        );
    }
    if command.contains(['$', '`']) {
        criterion.remark(
            RemarkKind::Changed,
            "what the shell expands in it is expanded when the check runs, in your environment",
        );
    }
    if command.contains('+') {
        criterion.remark(RemarkKind::Changed, "the `+` in it is read as part of the command");
    }
}

/// Whether a part of the command may fail without the whole failing.
fn swallows_failures(command: &str) -> bool {
    let joined = command.replace("||", "\u{0}").replace("&&", " ");
    joined.contains(['|', ';', '\u{0}', '\n'])
}

fn file(
    line: u32,
    text: &str,
    criterion: &mut Criterion,
    inputs: &mut Inputs,
    problems: &mut Vec<Problem>,
) {
    let mapped = match pattern::map(text, inputs) {
        Ok(mapped) => mapped,
        Err((message, help)) => return problems.push(Problem::new(line, message, help)),
    };
    criterion.observed = true;
    criterion.checks.push(format!("{{file: {}}}", quoted(&mapped.glob)));
    criterion.remark(RemarkKind::Mapped, format!("{} to `file: {}`", shown(text), mapped.glob));
    criterion.remark(
        RemarkKind::Stricter,
        "a file that was there before does not count: its content is new or changed since the step \
         began (`stale: ok` drops that)",
    );
    if mapped.glob.contains('*') && !mapped.glob.contains("{issue}") {
        criterion.remark(RemarkKind::Weaker, "any file that the glob matches will do");
    }
    for remark in mapped.remarks {
        criterion.remark(RemarkKind::Changed, remark);
    }
}
