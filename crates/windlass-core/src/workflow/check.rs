//! What proves a step, as written.

use super::grammar;
use super::measured_check;
use super::paper_check;
use super::room::{self, WrittenRoom};
use super::tdd_check::{self, WrittenSuite};
use super::templates;
use super::unsupported;
use crate::judgement::ReportKind;
use crate::measure::Percent;
use crate::plan::template::{Role, Template};
use crate::question::Phase;
use crate::source::diagnostic::{At, Findings, Located, unknown_name};
use crate::source::fields::{self, Fields};
use crate::source::yaml::{Node, Value};
use crate::time::Span;

/// How long a command of a check may take unless it says otherwise.
const RUN_TIMEOUT: Span = Span::minutes(10);

/// A tree of checks.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    All(Vec<Written>),
    Any(Vec<Written>),
    Not(Box<Written>),
    Check(Box<Check>),
}

/// One check, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) at: At,
    pub(crate) kind: Kind,
}

/// What is checked.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    File {
        glob: Located<Template>,
        stale_ok: bool,
        min_bytes: Option<u64>,
        contains: Option<String>,
    },
    Run(Command),
    Junit {
        glob: Located<Template>,
        run: Command,
        min: u64,
        failures: u64,
    },
    Coverage {
        glob: Located<Template>,
        run: Command,
        min: Min,
    },
    Red(WrittenSuite),
    Green(WrittenSuite),
    Checklist {
        file: Located<Template>,
        min: Min,
    },
    Diff {
        only: Vec<Located<Template>>,
        never: Vec<Located<Template>>,
        max_lines: Option<u64>,
        empty_ok: bool,
    },
    State(Located<String>),
    Verdict {
        expr: Located<String>,
        accept: Vec<String>,
    },
    Stories {
        file: Located<Template>,
        designed: bool,
    },
    Questions {
        file: Located<Template>,
        phase: Phase,
    },
    VerdictIn {
        file: Located<Template>,
        kind: ReportKind,
        accept: Vec<String>,
    },
    /// What the platform has a command for.
    Platform(PlatformCheck),
    /// A check that this version refuses; it stands in so that nothing else is reported for it.
    NotYet,
}

/// What of the platform is checked; the plan makes ordinary checks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlatformCheck {
    Build,
    Test,
    Lint,
    Coverage,
    Red,
    Green,
}

/// A command of a check.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub(crate) command: Located<Template>,
    pub(crate) folder: Option<Located<Template>>,
    pub(crate) timeout: Span,
    pub(crate) cache: bool,
    pub(crate) env: Vec<String>,
    pub(crate) room: WrittenRoom,
}

/// A percentage that is written, or that an input gives.
#[derive(Clone, Debug)]
pub(crate) enum Min {
    Fixed(Percent),
    Filled(Located<Template>),
}

impl Kind {
    /// Returns the command that the check runs.
    pub(crate) fn command(&self) -> Option<&Command> {
        match self {
            Self::Run(run) | Self::Junit { run, .. } | Self::Coverage { run, .. } => Some(run),
            Self::Red(suite) | Self::Green(suite) => Some(&suite.run),
            Self::File { .. }
            | Self::Diff { .. }
            | Self::Checklist { .. }
            | Self::State(_)
            | Self::Verdict { .. }
            | Self::Stories { .. }
            | Self::Questions { .. }
            | Self::VerdictIn { .. }
            | Self::Platform(_)
            | Self::NotYet => None,
        }
    }
}

impl Written {
    /// Returns the checks in the order of the file.
    pub(crate) fn checks(&self) -> Vec<&Check> {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::checks).collect(),
            Self::Not(part) => part.checks(),
            Self::Check(check) => vec![check],
        }
    }
}

/// Kinds that take a command as their option.
const WITH_RUN: [&str; 2] = ["junit", "coverage"];

/// Reads `done:`; a list means that all of it must hold.
pub(super) fn read(node: &Node, findings: &mut Findings) -> Option<Written> {
    match &node.value {
        Value::List(_) => Some(Written::All(read_parts(node, "done", findings)?)),
        Value::Map(_) => read_one(node, findings),
        Value::Null | Value::Boolean(_) | Value::Number(_) | Value::Text(_) => {
            findings.error_with_help(
                node.at,
                format!("expected a check, found {}", node.value.kind()),
                "write it as a mapping, such as `{file: \"{specs}/plan.md\"}` or `{run: make test}`",
            );
            None
        }
    }
}

fn read_parts(node: &Node, key: &str, findings: &mut Findings) -> Option<Vec<Written>> {
    let nodes = fields::list(node, "checks", findings)?;
    if nodes.is_empty() {
        findings.error(node.at, format!("`{key}` is empty: it would prove nothing"));
        return None;
    }
    // Each part is read even after one has failed: all mistakes are reported.
    let parts: Vec<_> = nodes.iter().map(|node| read(node, findings)).collect();
    parts.into_iter().collect()
}

fn read_one(node: &Node, findings: &mut Findings) -> Option<Written> {
    let entries = fields::entries(node, "a check", findings)?;
    let mut present: Vec<_> = entries
        .iter()
        .filter(|(key, ..)| grammar::check_kinds().any(|kind| kind == *key))
        .map(|(key, at, _)| (*key, *at))
        .collect();
    if present.iter().any(|(key, _)| WITH_RUN.contains(key)) {
        present.retain(|(key, _)| *key != "run");
    }
    let [(kind, at)] = present[..] else {
        report_kinds(node, &entries, &present, findings);
        return None;
    };
    let inner = entries.iter().find(|(key, ..)| *key == kind).map(|(.., node)| *node)?;
    if unsupported::CHECKS.contains(&kind) {
        findings.error(at, fields::not_supported_yet(kind));
        return Some(Written::Check(Box::new(Check { at: node.at, kind: Kind::NotYet })));
    }
    let check = match kind {
        "all" | "any" | "not" => {
            only_key(kind, &entries, findings);
            return match kind {
                "all" => Some(Written::All(read_parts(inner, kind, findings)?)),
                "any" => Some(Written::Any(read_parts(inner, kind, findings)?)),
                _ => Some(Written::Not(Box::new(read(inner, findings)?))),
            };
        }
        "file" => read_file(node, findings)?,
        "run" => {
            let fields = Fields::read(node, &grammar::RUN, findings)?;
            Kind::Run(read_command(&fields, fields.get("run")?, findings)?)
        }
        "junit" => measured_check::read_junit(node, findings)?,
        "coverage" => measured_check::read_coverage(node, findings)?,
        "red" => tdd_check::read_red(node, findings)?,
        "green" => tdd_check::read_green(node, findings)?,
        "checklist" => measured_check::read_checklist(node, findings)?,
        "diff" => {
            only_key(kind, &entries, findings);
            read_diff(inner, findings)?
        }
        "platform" => {
            only_key(kind, &entries, findings);
            Kind::Platform(fields::word(inner, &grammar::PLATFORM_CHECKS, findings)?)
        }
        "state" => {
            only_key(kind, &entries, findings);
            Kind::State(fields::filled_text(inner, findings)?)
        }
        "stories" => paper_check::read_stories(node, findings)?,
        "questions" => paper_check::read_questions(node, findings)?,
        "verdict_in" => paper_check::read_verdict_in(node, findings)?,
        _ => read_verdict(node, findings)?,
    };
    Some(Written::Check(Box::new(Check { at: node.at, kind: check })))
}

/// Reports a mapping that is no check, or more than one.
fn report_kinds(
    node: &Node,
    entries: &[(&str, At, &Node)],
    present: &[(&str, At)],
    findings: &mut Findings,
) {
    if let [(first, _), (second, at), ..] = present {
        findings.error_with_help(
            *at,
            format!("`{first}` and `{second}` are two checks in one mapping"),
            "give each its own mapping, under `all` or `any`",
        );
    } else if let Some((key, at, _)) = entries.first() {
        unknown_name(findings, *at, "check", key, grammar::check_kinds());
    } else {
        findings.error(node.at, "this check is empty");
    }
}

/// Reports keys beside one that takes no options.
fn only_key(kind: &str, entries: &[(&str, At, &Node)], findings: &mut Findings) {
    for (key, at, _) in entries.iter().filter(|(key, ..)| *key != kind) {
        unknown_name(findings, *at, &format!("key beside `{kind}`:"), key, std::iter::empty());
    }
}

fn read_file(node: &Node, findings: &mut Findings) -> Option<Kind> {
    let fields = Fields::read(node, &grammar::FILE, findings)?;
    let glob = templates::template(fields.get("file")?, Role::Glob, findings);
    let stale = fields.get("stale").map(|node| fields::word(node, &grammar::OK, findings));
    let min_bytes = fields.get("min_bytes").and_then(|node| fields::count(node, 0, findings));
    let contains = fields.get("contains").and_then(|node| fields::text(node, findings));
    Some(Kind::File {
        glob: glob?,
        stale_ok: stale.flatten().unwrap_or(false),
        min_bytes,
        contains: contains.map(|text| text.value),
    })
}

/// Reads a command and how it is run; `run` is its text.
pub(super) fn read_command(
    fields: &Fields<'_>,
    run: &Node,
    findings: &mut Findings,
) -> Option<Command> {
    let command = templates::template(run, Role::Command, findings);
    let folder =
        fields.get("in").and_then(|node| templates::template(node, Role::FixedPath, findings));
    let timeout = fields.get("timeout").and_then(|node| fields::span(node, findings));
    let cache = fields.get("cache").and_then(|node| fields::boolean(node, findings));
    let (env, room) = room::read(fields, findings);
    Some(Command {
        command: command?,
        folder,
        timeout: timeout.unwrap_or(RUN_TIMEOUT),
        cache: cache.unwrap_or(true),
        env,
        room,
    })
}

fn read_diff(node: &Node, findings: &mut Findings) -> Option<Kind> {
    if let Value::Text(_) = node.value {
        fields::word(node, &grammar::WHOLE_DIFF, findings)?;
        return Some(Kind::Diff {
            only: Vec::new(),
            never: Vec::new(),
            max_lines: None,
            empty_ok: false,
        });
    }
    let fields = Fields::read(node, &grammar::DIFF, findings)?;
    let mut globs = |key: &str| {
        fields
            .get(key)
            .map(|node| templates::templates(node, Role::FixedGlob, findings))
            .unwrap_or_default()
    };
    let (only, never) = (globs("only"), globs("never"));
    let max_lines = fields.get("max_lines").and_then(|node| fields::count(node, 1, findings));
    let empty = fields.get("empty").and_then(|node| fields::word(node, &grammar::OK, findings));
    Some(Kind::Diff { only, never, max_lines, empty_ok: empty.unwrap_or(false) })
}

fn read_verdict(node: &Node, findings: &mut Findings) -> Option<Kind> {
    let fields = Fields::read(node, &grammar::VERDICT, findings)?;
    let expr = fields::filled_text(fields.get("verdict")?, findings);
    let accept = fields.required("accept", "a `verdict` check", findings)?;
    let values = fields::one_or_more(accept);
    if values.is_empty() {
        findings.error(accept.at, "`accept` is empty: no verdict would ever do");
        return None;
    }
    let accept: Option<Vec<_>> =
        values.iter().map(|node| Some(fields::filled_text(node, findings)?.value)).collect();
    Some(Kind::Verdict { expr: expr?, accept: accept? })
}
