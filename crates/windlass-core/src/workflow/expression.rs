//! The jq expressions of a workflow, for whoever can compile them.

use super::check::{Check, Kind};
use super::definition::Workflow;
use crate::id::StepId;
use crate::plan::Rollback;
use crate::source::diagnostic::{At, Diagnostic, Located, Severity};

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
    /// A variable that a command of a check gets.
    Variable,
}

/// One jq expression as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The step that it belongs to; none for what the whole workflow says.
    pub step: Option<StepId>,
    /// What it is for.
    pub kind: ExpressionKind,
    /// The expression.
    pub text: String,
    /// Where it stands.
    pub at: At,
}

impl Workflow {
    /// Returns every expression: those of `recheck`, then step by step.
    pub fn expressions(&self) -> Vec<Expression> {
        let mut expressions = Vec::new();
        for check in self.recheck.iter().flat_map(|written| written.checks()) {
            for text in variables(check) {
                let (text, at) = (text.value.clone(), text.at);
                let kind = ExpressionKind::Variable;
                expressions.push(Expression { step: None, kind, text, at });
            }
        }
        for step in &self.order.steps {
            let mut add = |kind, text: &Located<String>| {
                let (text, at) = (text.value.clone(), text.at);
                expressions.push(Expression { step: Some(step.id.clone()), kind, text, at });
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
                variables(check).for_each(|expr| add(ExpressionKind::Variable, expr));
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

/// Returns the expressions of the variables that a check's command gets.
fn variables(check: &Check) -> impl Iterator<Item = &Located<String>> {
    check.kind.command().into_iter().flat_map(|command| command.room.variables.values())
}
