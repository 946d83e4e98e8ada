//! Which checks have to hold at the end of a run.
//!
//! Every check that made a step's criterion hold counts, whether it had to hold or, below a `not`, had
//! to fail. Left out is what is about the way there and not about its end: `red`, what changed, claims and
//! documents of judges, and what a later step asks the opposite of.

use std::collections::BTreeMap;

use super::state::RunState;
use crate::id::{ItemId, StepIndex};
use crate::plan::{Check, CheckId, CheckKind, Sign, Suite, negated_command};
use crate::time::Span;

/// One thing that has to hold on a fresh clone, however many steps ask for it.
#[derive(Clone, Debug, PartialEq)]
pub struct ColdCheck {
    /// What is run or looked for, and what of its reports has to hold.
    pub kind: CheckKind,
    /// Whether it has to hold or to fail.
    pub sign: Sign,
    /// The first step that asks for it: what the command sees of the run is what this step sees.
    pub step: StepIndex,
    /// All who ask for it: step and check.
    pub asked_by: Vec<(StepIndex, CheckId)>,
}

impl ColdCheck {
    /// Returns whether it holds because a command fails: then it matters why the command does.
    pub fn wants_failure(&self) -> bool {
        let runs_command = matches!(self.kind, CheckKind::Run { .. });
        runs_command && (self.sign == Sign::Against || asks_opposite(&self.kind))
    }
}

impl RunState {
    /// Returns what has to hold at the end of the run as it stands: the checks of all steps that are
    /// done and proven, each once.
    pub fn cold_checks(&self) -> Vec<ColdCheck> {
        let asked = self.asked_at_the_end();
        let mut checks: Vec<ColdCheck> = Vec::new();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let last_words = LastWords::of(&asked);
        for (index, sign, check) in &asked {
            let Some(kind) = cold_kind(*sign, &check.kind) else { continue };
            if last_words.take_back(*index, *sign, check) {
                continue;
            }
            let next = checks.len();
            match checks.get_mut(*known.entry(self.name(*index, *sign, &kind)).or_insert(next)) {
                Some(same) => {
                    let longest = timeout(&same.kind).max(timeout(&kind));
                    same.kind = with_timeout(same.kind.clone(), longest);
                    same.asked_by.push((*index, check.id));
                }
                None => checks.push(ColdCheck {
                    kind,
                    sign: *sign,
                    step: *index,
                    asked_by: vec![(*index, check.id)],
                }),
            }
        }
        checks
    }

    /// The checks that made the criteria of proven steps hold, in the order of the plan.
    fn asked_at_the_end(&self) -> Vec<(StepIndex, Sign, &Check)> {
        let mut asked = Vec::new();
        for index in self.plan.indexes().filter(|index| self.counts_at_the_end(*index)) {
            let unheld = &self.step(index).unheld;
            let signed = self.plan.step(index).done.iter().flat_map(|done| done.signed());
            // What did not help, as a part of an `any` may not, was never needed.
            let helped = signed.filter(|(sign, check)| match sign {
                Sign::For => !unheld.contains(&check.id),
                Sign::Against => unheld.contains(&check.id),
            });
            asked.extend(helped.map(|(sign, check)| (index, sign, check)));
        }
        asked
    }

    /// What two checks have in common that are one.
    pub(super) fn cold_name(&self, check: &ColdCheck) -> String {
        self.name(check.step, check.sign, &check.kind)
    }

    /// What is run or looked for, and what it sees of the run. What a `green` compares with is its own
    /// step's, and so is what context a file's name holds.
    fn name(&self, index: StepIndex, sign: Sign, kind: &CheckKind) -> String {
        let own_step = match kind {
            CheckKind::Green(_) => true,
            CheckKind::File { glob, .. } => glob.contains('{'),
            CheckKind::Run { .. }
            | CheckKind::Junit { .. }
            | CheckKind::Coverage { .. }
            | CheckKind::Red(_)
            | CheckKind::Diff { .. }
            | CheckKind::Checklist { .. }
            | CheckKind::State { .. }
            | CheckKind::Verdict { .. }
            | CheckKind::Stories { .. }
            | CheckKind::Questions { .. }
            | CheckKind::VerdictIn { .. } => false,
        };
        let of = match own_step {
            true => self.plan.step(index).id.to_string(),
            false => self.sees(index, kind).map(|item| item.to_string()).unwrap_or_default(),
        };
        let not = match sign {
            Sign::For => "",
            Sign::Against => "not ",
        };
        format!("{not}{}\n{of}", words(kind))
    }

    /// The item whose variables a command sees; one that names none sees the same for every item.
    fn sees(&self, index: StepIndex, kind: &CheckKind) -> Option<ItemId> {
        let names_variables = !kind.command()?.room.variables.is_empty();
        self.plan.item_of(index).filter(|_| names_variables)
    }
}

/// The check as it is on a fresh clone; none for what is about the way there.
fn cold_kind(sign: Sign, kind: &CheckKind) -> Option<CheckKind> {
    match (kind, sign) {
        // The tests of every story still pass at the end, and are still those that failed.
        (
            CheckKind::Run { .. }
            | CheckKind::Junit { .. }
            | CheckKind::Coverage { .. }
            | CheckKind::Green(_),
            _,
        ) => Some(kind.clone()),
        // That a file did not change in a step says nothing about whether it is there at the end.
        (CheckKind::File { stale_ok: false, .. }, Sign::Against) => None,
        (CheckKind::File { .. }, _) => Some(kind.clone()),
        (
            CheckKind::Red(_)
            | CheckKind::Diff { .. }
            | CheckKind::Checklist { .. }
            | CheckKind::State { .. }
            | CheckKind::Verdict { .. }
            | CheckKind::Stories { .. }
            | CheckKind::Questions { .. }
            | CheckKind::VerdictIn { .. },
            _,
        ) => None,
    }
}

/// The last step that asks for each thing, and for its opposite. There are as many steps as items, and few
/// commands: what is asked for is compared, not who asks.
#[derive(Default)]
struct LastWords<'c> {
    /// By folder and words: commands that have to pass, and those that have to fail.
    passing: BTreeMap<(Option<&'c str>, Vec<&'c str>), StepIndex>,
    failing: BTreeMap<(Option<&'c str>, Vec<&'c str>), StepIndex>,
    /// By glob: files that have to be there, and those that must not.
    there: BTreeMap<&'c str, StepIndex>,
    gone: BTreeMap<&'c str, StepIndex>,
}

impl<'c> LastWords<'c> {
    fn of(asked: &[(StepIndex, Sign, &'c Check)]) -> Self {
        let mut last = Self::default();
        for (index, sign, check) in asked {
            if let CheckKind::File { glob, .. } = &check.kind {
                let of = if *sign == Sign::For { &mut last.there } else { &mut last.gone };
                of.insert(glob, *index);
            } else if let Some(asked) = asked_command((*sign, check)) {
                let of = match asked.sign {
                    Sign::For => &mut last.passing,
                    Sign::Against => &mut last.failing,
                };
                of.insert((asked.folder, asked.words), *index);
            }
        }
        last
    }

    /// Whether a later step asks the opposite: the later word counts. Tests that had to fail before the work
    /// are often some of those that have to pass after it, so it is enough there that one command begins
    /// with the words of the other.
    fn take_back(&self, index: StepIndex, sign: Sign, check: &'c Check) -> bool {
        let is_later = |other: Option<&StepIndex>| other.is_some_and(|other| *other > index);
        if let CheckKind::File { glob, .. } = &check.kind {
            let opposite = if sign == Sign::For { &self.gone } else { &self.there };
            return is_later(opposite.get(glob.as_str()));
        }
        let Some(asked) = asked_command((sign, check)) else { return false };
        match asked.sign {
            Sign::For => is_later(self.failing.get(&(asked.folder, asked.words))),
            Sign::Against => self.passing.iter().any(|((folder, words), other)| {
                let begins = words.starts_with(&asked.words) || asked.words.starts_with(words);
                *folder == asked.folder && begins && *other > index
            }),
        }
    }
}

/// A command, and whether it has to pass or to fail.
struct Asked<'c> {
    sign: Sign,
    folder: Option<&'c str>,
    words: Vec<&'c str>,
}

fn asked_command((sign, check): (Sign, &Check)) -> Option<Asked<'_>> {
    let command = check.kind.command()?;
    let (sign, text) = match (negated_command(command.command), sign) {
        (None, sign) => (sign, command.command),
        (Some(inner), Sign::For) => (Sign::Against, inner),
        (Some(inner), Sign::Against) => (Sign::For, inner),
    };
    Some(Asked { sign, folder: command.folder, words: text.split_whitespace().collect() })
}

fn asks_opposite(kind: &CheckKind) -> bool {
    kind.command().is_some_and(|command| negated_command(command.command).is_some())
}

/// What two checks have in common that are one: how long they may take does not matter, nor whether
/// an earlier pass counts or the file is new.
fn words(kind: &CheckKind) -> String {
    let mut kind = with_timeout(kind.clone(), Span(0));
    match &mut kind {
        CheckKind::Run { cache, .. }
        | CheckKind::Junit { cache, .. }
        | CheckKind::Coverage { cache, .. }
        | CheckKind::Green(Suite { cache, .. }) => *cache = false,
        CheckKind::File { stale_ok, .. } => *stale_ok = true,
        CheckKind::Red(_)
        | CheckKind::Diff { .. }
        | CheckKind::Checklist { .. }
        | CheckKind::State { .. }
        | CheckKind::Verdict { .. }
        | CheckKind::Stories { .. }
        | CheckKind::Questions { .. }
        | CheckKind::VerdictIn { .. } => {}
    }
    serde_json::to_string(&kind).expect("a check can be written")
}

fn timeout(kind: &CheckKind) -> Span {
    kind.command().map_or(Span(0), |command| command.timeout)
}

fn with_timeout(mut kind: CheckKind, span: Span) -> CheckKind {
    if let CheckKind::Run { timeout, .. }
    | CheckKind::Junit { timeout, .. }
    | CheckKind::Coverage { timeout, .. }
    | CheckKind::Green(Suite { timeout, .. }) = &mut kind
    {
        *timeout = span;
    }
    kind
}
