//! A criterion in words.

use std::fmt::Write as _;

use super::text::one_line;
use crate::judgement::ReportKind;
use crate::plan::{CheckKind, Criterion, PlanStep, template};

/// What words about a step's checks are made with.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    context: &'a serde_json::Value,
    plan: &'a PlanStep,
}

impl<'a> Words<'a> {
    pub(super) fn new(context: &'a serde_json::Value, plan: &'a PlanStep) -> Self {
        Self { context, plan }
    }

    /// Returns one line per check, indented by depth.
    pub(super) fn criterion(self, criterion: &Criterion) -> String {
        let mut lines = String::new();
        self.write(criterion, 0, &mut lines);
        lines
    }

    fn write(self, criterion: &Criterion, depth: usize, into: &mut String) {
        let indent = "  ".repeat(depth.min(8));
        let mut group = |words: &str, parts: &[Criterion]| {
            if depth > 0 || words != "all of:" {
                let _ = writeln!(into, "{indent}- {words}");
            }
            let deeper = if depth == 0 && words == "all of:" { 0 } else { depth + 1 };
            for part in parts {
                self.write(part, deeper, into);
            }
        };
        match criterion {
            Criterion::All(parts) => group("all of:", parts),
            Criterion::Any(parts) => group("any of:", parts),
            Criterion::Not(part) => group("not:", std::slice::from_ref(part)),
            Criterion::Check(check) => {
                // A check that is cut is one that nobody can satisfy.
                let words = one_line(&self.check(&check.kind), usize::MAX);
                let _ = writeln!(into, "{indent}- {words}");
            }
        }
    }

    /// Tells one check.
    pub(super) fn check(self, check: &CheckKind) -> String {
        if let CheckKind::Verdict { expr, accept, .. } = check {
            return self.verdict(expr, accept);
        }
        describe_check(check, self.context)
    }

    /// A judge is finished with any verdict; only what it is called is fixed.
    fn verdict(self, expr: &str, accept: &[String]) -> String {
        let key = expr.strip_prefix(".context.").unwrap_or(expr);
        let refusals: Vec<&str> = self.plan.on.keys().map(String::as_str).collect();
        let accepted = accept.join(" or ");
        if refusals.is_empty() {
            return format!(
                "your verdict, with reasons, is published in `{key}`: {accepted} accepts the work, and \
                 any other word does not"
            );
        }
        format!(
            "your verdict, with reasons, is published in `{key}`: {accepted} or {}; either one \
             finishes this step",
            refusals.join(" or ")
        )
    }
}

/// Tells one check.
fn describe_check(check: &CheckKind, context: &serde_json::Value) -> String {
    match check {
        CheckKind::File { glob, stale_ok, min_bytes, contains } => {
            let glob = template::fill_context(glob, context).unwrap_or_else(|_| glob.clone());
            let mut words = format!("the file `{glob}` is there");
            if !stale_ok {
                words.push_str(" and its content is new or changed in this step");
            }
            if let Some(bytes) = min_bytes {
                let _ = write!(words, ", at least {bytes} bytes");
            }
            if let Some(contains) = contains {
                let _ = write!(words, ", containing `{contains}`");
            }
            words
        }
        CheckKind::Run { command, folder, .. } => {
            format!("`{command}` exits with 0 in {}", checkout(folder.as_deref()))
        }
        CheckKind::Junit { glob, command, folder, min, failures, .. } => {
            let tests = if *min == 1 { "test really runs" } else { "tests really run" };
            let checkout = checkout(folder.as_deref());
            let exits = if *failures == 0 { "exits with 0 and " } else { "" };
            let mut words = format!("`{command}` in {checkout} {exits}writes test reports ");
            let _ = write!(words, "`{glob}`: at least {min} {tests}, at most {failures} fail");
            words.push_str("; neither skipped tests count nor reports that were there before");
            words
        }
        CheckKind::Coverage { glob, command, folder, min, .. } => {
            let checkout = checkout(folder.as_deref());
            let mut words = format!("`{command}` in {checkout} exits with 0 and writes coverage ");
            let _ = write!(words, "reports `{glob}`: at least {min} % of the lines ran");
            words.push_str("; reports that were there before do not count");
            words
        }
        CheckKind::Red(suite) => {
            let checkout = checkout(suite.folder.as_deref());
            let tests = suite.tests.join(", ");
            let mut words =
                format!("test first: only test files ({tests}) changed, and with them ");
            let _ =
                write!(words, "`{}` fails in {checkout}, where it passed before", suite.command);
            if suite.report.is_some() {
                words.push_str("; a new test is among those that fail, and none is skipped");
            }
            words
        }
        CheckKind::Green(suite) => {
            let checkout = checkout(suite.folder.as_deref());
            let mut words = format!("`{}` exits with 0 in {checkout}, and no ", suite.command);
            words.push_str("test file of the step that wrote the failing tests is changed or gone");
            if suite.report.is_some() {
                words.push_str("; none of those tests is skipped");
            }
            words
        }
        CheckKind::Diff { only, never, max_lines, empty_ok } => {
            let mut words = match empty_ok {
                true => "whatever changed is within bounds",
                false => "something changed",
            }
            .to_owned();
            if !only.is_empty() {
                let _ = write!(words, ", only inside {}", only.join(", "));
            }
            if !never.is_empty() {
                let _ = write!(words, ", nothing of {}", never.join(", "));
            }
            if let Some(lines) = max_lines {
                let _ = write!(words, ", at most {lines} lines");
            }
            words
        }
        CheckKind::Checklist { file, min } => {
            let file = template::fill_context(file, context).unwrap_or_else(|_| file.clone());
            format!("at least {min} % of the boxes in `{file}` are ticked (`- [x]`)")
        }
        CheckKind::Stories { file, designed } => {
            let file = template::fill_context(file, context).unwrap_or_else(|_| file.clone());
            let design = if *designed { ", each with design, files and depends_on" } else { "" };
            format!("`{file}` holds valid stories{design} (`windlass schema stories`)")
        }
        CheckKind::Questions { file, phase } => {
            let file = template::fill_context(file, context).unwrap_or_else(|_| file.clone());
            format!(
                "`{file}` holds valid {phase} questions, or `questions: []` (`windlass schema questions`)"
            )
        }
        CheckKind::VerdictIn { file, kind, .. } => {
            let file = template::fill_context(file, context).unwrap_or_else(|_| file.clone());
            format!("the report `{file}`, written in this step, {}", report_words(*kind))
        }
        CheckKind::State { expr } => format!("`{expr}` is true"),
        CheckKind::Verdict { expr, accept, .. } => {
            format!("the verdict `{expr}` is {}", accept.join(" or "))
        }
    }
}

/// What a judge writes. Either verdict is as welcome: the step is finished by what it says.
fn report_words(kind: ReportKind) -> String {
    let (yes, no) = (kind.accepting(), kind.refusing());
    match kind {
        ReportKind::Review | ReportKind::Security => format!(
            "ends in a line with only {yes} or {no}, and has a line `[BLOCKING] text file:line`, \
             `[SUGGESTION] …` or `[INFO] …` for each finding; either verdict finishes this step"
        ),
        ReportKind::Tests => "has a line `AC1: PASS tests/file::name`, `AC1: FAIL` or `AC1: \
                              MANUAL_VERIFICATION_REQUIRED` for each acceptance criterion; a PASS \
                              names a test that exists. Any verdict finishes this step"
            .to_owned(),
    }
}

fn checkout(folder: Option<&str>) -> String {
    match folder {
        Some(folder) => format!("`{folder}` of a clean checkout"),
        None => "a clean checkout".to_owned(),
    }
}
