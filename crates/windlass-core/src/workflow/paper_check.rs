//! Checks that read what an agent wrote as data, as written: `stories`, `questions`, `verdict_in`.

use super::check::Kind;
use super::grammar::{PHASES, QUESTIONS, REPORT_KINDS, STORIES, VERDICT_IN};
use super::templates;
use crate::judgement::ReportKind;
use crate::plan::template::Role;
use crate::question::Phase;
use crate::source::diagnostic::Findings;
use crate::source::fields::{self, Fields};
use crate::source::suggest::shown;
use crate::source::yaml::Node;

pub(super) fn read_stories(node: &Node, findings: &mut Findings) -> Option<Kind> {
    let fields = Fields::read(node, &STORIES, findings)?;
    let file = templates::template(fields.get("stories")?, Role::Path, findings);
    let designed = fields.get("designed").map(|node| fields::boolean(node, findings));
    Some(Kind::Stories { file: file?, designed: designed.unwrap_or(Some(false))? })
}

pub(super) fn read_questions(node: &Node, findings: &mut Findings) -> Option<Kind> {
    let fields = Fields::read(node, &QUESTIONS, findings)?;
    let file = templates::template(fields.get("questions")?, Role::Path, findings);
    let phase = fields.get("phase").map(|node| fields::word(node, &PHASES, findings));
    Some(Kind::Questions { file: file?, phase: phase.unwrap_or(Some(Phase::Analysis))? })
}

pub(super) fn read_verdict_in(node: &Node, findings: &mut Findings) -> Option<Kind> {
    let fields = Fields::read(node, &VERDICT_IN, findings)?;
    let file = templates::template(fields.get("verdict_in")?, Role::Path, findings);
    let kind = fields.required("kind", VERDICT_IN.of, findings)?;
    let kind = fields::word(kind, &REPORT_KINDS, findings)?;
    // A mistake in `accept` is reported where it is; nothing else has to be said about it.
    let accept = fields.get("accept").and_then(|node| read_accept(node, kind, findings));
    let accept = accept.unwrap_or_else(|| vec![kind.accepting().to_owned()]);
    Some(Kind::VerdictIn { file: file?, kind, accept })
}

/// Each kind of report has one verdict that accepts; whoever names another one misunderstands it.
fn read_accept(node: &Node, kind: ReportKind, findings: &mut Findings) -> Option<Vec<String>> {
    let values = fields::one_or_more(node);
    if values.is_empty() {
        findings.error(node.at, "`accept` is empty: no verdict would ever do");
        return None;
    }
    let mut accept = Vec::new();
    for node in values {
        let value = fields::filled_text(node, findings)?.value;
        if value != kind.accepting() {
            let message =
                format!("{} is not what a {} report accepts with", shown(&value), kind.as_str());
            findings.error_with_help(node.at, message, format!("write `{}`", kind.accepting()));
            return None;
        }
        accept.push(value);
    }
    accept.dedup();
    Some(accept)
}
