//! The jq expressions of a workflow, for whoever can compile them.

use super::check::Kind;
use super::definition::Workflow;
use super::diagnostic::{At, Diagnostic, Located, Severity};
use crate::id::StepId;
use crate::plan::Rollback;

/// What an expression is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionKind {
    /// Whether the step happens.
    When,
    /// A `state` check.
    State,
    /// A `verdict` check.
    Verdict,
    /// The files of a rollback.
    Files,
}

/// One jq expression as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The step that it belongs to.
    pub step: StepId,
    /// What it is for.
    pub kind: ExpressionKind,
    /// The expression.
    pub text: String,
    /// Where it stands.
    pub at: At,
}

impl Workflow {
    /// Returns every expression, step by step.
    pub fn expressions(&self) -> Vec<Expression> {
        let mut expressions = Vec::new();
        for step in &self.order.steps {
            let mut add = |kind, text: &Located<String>| {
                let (text, at) = (text.value.clone(), text.at);
                expressions.push(Expression { step: step.id.clone(), kind, text, at });
            };
            if let Some(when) = &step.step.when {
                add(ExpressionKind::When, when);
            }
            for check in step.step.done.iter().flat_map(|done| done.checks()) {
                match &check.kind {
                    Kind::State(expr) => add(ExpressionKind::State, expr),
                    Kind::Verdict { expr, .. } => add(ExpressionKind::Verdict, expr),
                    Kind::File { .. }
                    | Kind::Run(_)
                    | Kind::Junit { .. }
                    | Kind::Coverage { .. }
                    | Kind::Red(_)
                    | Kind::Green(_)
                    | Kind::Checklist { .. }
                    | Kind::Diff { .. }
                    | Kind::Stories { .. }
                    | Kind::Questions { .. }
                    | Kind::VerdictIn { .. }
                    | Kind::Platform(_)
                    | Kind::NotYet => {}
                }
            }
            for files in step.routes.iter().flat_map(|route| route.files.iter().chain(&route.types))
            {
                if files.value != Rollback::FINDINGS {
                    add(ExpressionKind::Files, files);
                }
            }
        }
        expressions
    }

    /// Returns the finding for an expression that does not compile.
    pub fn bad_expression(&self, expression: &Expression, why: &str) -> Diagnostic {
        let At { line, column, offset, len } = expression.at;
        Diagnostic {
            severity: Severity::Error,
            message: format!("this is not a jq expression: {why}"),
            file: self.file.clone(),
            line,
            column,
            offset,
            len,
            help: None,
        }
    }
}
