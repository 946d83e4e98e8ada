//! Checks that look at what a tool measured, as written: `junit`, `coverage`, `checklist`.

use super::check::{Command, Kind, Min, read_command};
use super::grammar::{CHECKLIST, COVERAGE, JUNIT};
use super::templates;
use crate::measure::Percent;
use crate::plan::template::{Placeholder, Role};
use crate::source::diagnostic::Findings;
use crate::source::fields::{self, Fields};
use crate::source::yaml::{Node, Value};

pub(super) fn read_junit(node: &Node, findings: &mut Findings) -> Option<Kind> {
    let fields = Fields::read(node, &JUNIT, findings)?;
    let glob = templates::template(fields.get("junit")?, Role::FixedGlob, findings);
    let run = read_report_command(&fields, JUNIT.of, findings);
    let min = fields.get("min").map(|node| fields::count(node, 1, findings));
    let failures = fields.get("failures").map(|node| fields::count(node, 0, findings));
    let (min, failures) = (min.unwrap_or(Some(1)), failures.unwrap_or(Some(0)));
    Some(Kind::Junit { glob: glob?, run: run?, min: min?, failures: failures? })
}

pub(super) fn read_coverage(node: &Node, findings: &mut Findings) -> Option<Kind> {
    let fields = Fields::read(node, &COVERAGE, findings)?;
    let glob = templates::template(fields.get("coverage")?, Role::FixedGlob, findings);
    let run = read_report_command(&fields, COVERAGE.of, findings);
    let min = fields.required("min", COVERAGE.of, findings);
    let min = min.and_then(|node| read_min(node, findings));
    Some(Kind::Coverage { glob: glob?, run: run?, min: min? })
}

pub(super) fn read_checklist(node: &Node, findings: &mut Findings) -> Option<Kind> {
    let fields = Fields::read(node, &CHECKLIST, findings)?;
    let file = templates::template(fields.get("checklist")?, Role::Path, findings);
    let min = fields.get("min").map(|node| read_min(node, findings));
    Some(Kind::Checklist { file: file?, min: min.unwrap_or(Some(Min::Fixed(Percent::ALL)))? })
}

/// Reads the command that writes the reports of a check.
fn read_report_command(fields: &Fields<'_>, of: &str, findings: &mut Findings) -> Option<Command> {
    let Some(run) = fields.get("run") else {
        findings.error_with_help(
            fields.at,
            format!("{of} needs `run`"),
            "say with `run` which command writes the reports: a report that was there before \
             proves nothing",
        );
        return None;
    };
    read_command(fields, run, findings)
}

/// Reads a percentage: a number, or the input that gives it.
fn read_min(node: &Node, findings: &mut Findings) -> Option<Min> {
    let what = "a percentage from 0 to 100";
    match &node.value {
        Value::Number(text) if !fields::has_leading_zero(text) => {
            if let Ok(percent) = text.parse() {
                return Some(Min::Fixed(percent));
            }
        }
        Value::Text(text) if text.contains('{') => {
            let template = templates::template(node, Role::Setting, findings)?;
            let only_inputs = template
                .value
                .placeholders()
                .all(|placeholder| matches!(placeholder, Placeholder::Input(_)));
            if only_inputs {
                return Some(Min::Filled(template));
            }
            findings.error_with_help(
                node.at,
                format!("expected {what}, found {}", node.value.kind()),
                "only an input can give it: `\"{inputs.NAME}\"`",
            );
            return None;
        }
        Value::Null
        | Value::Boolean(_)
        | Value::Number(_)
        | Value::Text(_)
        | Value::List(_)
        | Value::Map(_) => {}
    }
    fields::not_a_number(node, what, findings)
}
