//! Test-first checks, as written: `red` and `green`.

use super::check::{Command, Kind, PlatformCheck, Written, read_command};
use super::grammar::{GREEN, RED};
use super::order::Order;
use super::templates;
use crate::plan::template::{Role, Template};
use crate::source::diagnostic::{At, Findings, Located};
use crate::source::fields::{self, Fields};
use crate::source::suggest::shown;
use crate::source::yaml::Node;

/// Which tests are meant, and the command that runs them.
#[derive(Clone, Debug)]
pub(crate) struct WrittenSuite {
    pub(crate) run: Command,
    pub(crate) tests: Vec<Located<Template>>,
    pub(crate) report: Option<Located<Template>>,
}

pub(super) fn read_red(node: &Node, findings: &mut Findings) -> Option<Kind> {
    let fields = Fields::read(node, &RED, findings)?;
    if fields.get("tests").is_none() {
        findings.error_with_help(
            fields.at,
            "a `red` check needs `tests`",
            "say with `tests` which files are tests, such as `tests: [\"tests/**\"]`: nothing else may \
             change in this step",
        );
    }
    let suite = read_suite(&fields, fields.get("red")?, findings);
    fields.get("tests")?;
    Some(Kind::Red(suite?))
}

pub(super) fn read_green(node: &Node, findings: &mut Findings) -> Option<Kind> {
    let fields = Fields::read(node, &GREEN, findings)?;
    Some(Kind::Green(read_suite(&fields, fields.get("green")?, findings)?))
}

fn read_suite(fields: &Fields<'_>, run: &Node, findings: &mut Findings) -> Option<WrittenSuite> {
    let run = read_command(fields, run, findings);
    let tests = fields.get("tests").map(|node| {
        let tests = templates::templates(node, Role::FixedGlob, findings);
        if fields::one_or_more(node).is_empty() {
            findings.error(node.at, "`tests` is empty: no file would be a test");
        }
        tests
    });
    let report =
        fields.get("report").map(|node| templates::template(node, Role::FixedGlob, findings));
    let report = match report {
        Some(report) => Some(report?),
        None => None,
    };
    Some(WrittenSuite { run: run?, tests: tests.unwrap_or_default(), report })
}

/// What a criterion says about tests: which of its checks is which, and whether it could be read
/// otherwise than that all of it has to hold.
#[derive(Default)]
struct Said {
    reds: Vec<At>,
    greens: Vec<At>,
    /// Those below `any` or `not`.
    misplaced: Vec<(&'static str, At)>,
}

impl Said {
    fn of(written: &Written) -> Self {
        let mut said = Self::default();
        said.read(written, true);
        said
    }

    fn read(&mut self, written: &Written, joined: bool) {
        match written {
            Written::All(parts) => parts.iter().for_each(|part| self.read(part, joined)),
            Written::Any(parts) => parts.iter().for_each(|part| self.read(part, false)),
            Written::Not(part) => self.read(part, false),
            Written::Check(check) => {
                let word = match &check.kind {
                    Kind::Red(_) => {
                        self.reds.push(check.at);
                        "red"
                    }
                    Kind::Green(_) => {
                        self.greens.push(check.at);
                        "green"
                    }
                    Kind::Platform(PlatformCheck::Red) => {
                        self.reds.push(check.at);
                        "red"
                    }
                    Kind::Platform(PlatformCheck::Green) => {
                        self.greens.push(check.at);
                        "green"
                    }
                    Kind::Platform(_)
                    | Kind::File { .. }
                    | Kind::Run(_)
                    | Kind::Junit { .. }
                    | Kind::Coverage { .. }
                    | Kind::Checklist { .. }
                    | Kind::Diff { .. }
                    | Kind::State(_)
                    | Kind::Verdict { .. }
                    | Kind::Stories { .. }
                    | Kind::Questions { .. }
                    | Kind::VerdictIn { .. }
                    | Kind::NotYet => return,
                };
                if !joined {
                    self.misplaced.push((word, check.at));
                }
            }
        }
    }
}

/// Reports a `green` that no `red` comes before, and both where they mean nothing.
pub(super) fn check(order: &Order, findings: &mut Findings) {
    let said: Vec<Said> = order
        .steps
        .iter()
        .map(|step| step.step.done.as_ref().map(Said::of).unwrap_or_default())
        .collect();
    for (index, step) in order.steps.iter().enumerate() {
        for (word, at) in &said[index].misplaced {
            findings.error_with_help(
                *at,
                format!("`{word}` has no meaning under `any` or `not`"),
                "it has to hold as it is: move it up, beside the others under `all`",
            );
        }
        let Some(at) = said[index].greens.first() else { continue };
        if !said[index].reds.is_empty() {
            findings.error_with_help(
                *at,
                format!("step {} has `red` and `green`", shown(step.id.as_str())),
                "tests that fail and tests that pass are two steps: `red` first, then `green`",
            );
            continue;
        }
        let before = step.needed.iter().any(|&need| {
            order.repeated_by(need) == order.repeated_by(index) && !said[need].reds.is_empty()
        });
        if !before {
            let elsewhere = (0..said.len()).find(|&other| !said[other].reds.is_empty());
            let help = match elsewhere {
                Some(other) => format!(
                    "`{}` has a `red`, but does not come before: let this step need it, on the \
                     same side of `foreach`",
                    order.steps[other].id
                ),
                None => "put a step before it whose `done` is `{red: COMMAND, tests: [GLOBS]}`"
                    .to_owned(),
            };
            let message = format!("no `red` comes before step {}", shown(step.id.as_str()));
            findings.error_with_help(*at, message, help);
        }
    }
}
