//! A workflow with its inputs filled in, frozen into a run's first event.
//!
//! Replay reads the plan from the journal and never today's workflow file, so editing a workflow
//! cannot change the past.

mod commits;
mod criterion;
mod foreach;
mod judges;
mod late;
mod request;
mod roles;
mod room;
mod shell;
pub mod slug;
mod step;
mod tdd;
pub mod template;

pub use commits::{CommitStyle, Squash};
pub use criterion::{Check, CheckCommand, CheckId, CheckKind, Criterion, Holds, Sign, Strength};
pub use foreach::{Foreach, ReportEvery};
pub use request::{PlanError, PlanRequest};
pub use room::{BaselinePolicy, RoomNetwork, RoomWishes, StepNetwork};
pub use shell::negated_command;
pub use step::{
    Backoff, CommitPolicy, Exhausted, FailedRoute, FailedTo, GatePolicy, PlanStep, Publish,
    PullRequest, Read, Rollback, Route, Skip, StepKind, ValueType,
};
pub use tdd::Suite;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::id::{ContentHash, StepId, StepIndex};
use crate::item::NewItem;
use crate::mcp::McpServer;
use crate::platform::{self, PinnedPlatform};
use crate::protect::{Protected, Rules};
use crate::role::Role;
use crate::time::Span;

/// The run pauses when the last proof failed this often; before that, the step behind it is open again.
pub const MAX_COLD_FAILURES: u32 = 3;

/// A workflow with inputs filled in and checks resolved.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The workflow's name.
    pub workflow: String,
    /// The workflow's title.
    pub title: String,
    /// Hash of the workflow file that the plan was made from.
    pub source: ContentHash,
    /// What the run is for, in the user's words.
    pub goal: String,
    /// The issue that the run is for.
    pub issue: Option<Issue>,
    /// Inputs by name: what the user gave, else the declared default.
    pub inputs: BTreeMap<String, serde_json::Value>,
    /// The budget of the run.
    pub limits: Limits,
    /// Commands that make a clean tree ready for checks.
    pub prepare: Vec<Prepare>,
    /// Ignored files that checks need, pinned when the run starts.
    pub carry: Vec<String>,
    /// Files that judge the work, besides those that always count.
    pub protect: Vec<Protected>,
    /// What has to hold before a run that a blocker kept goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recheck: Option<Criterion>,
    /// What becomes of checks that fail before the first attempt.
    #[serde(default, skip_serializing_if = "BaselinePolicy::is_strict")]
    pub baseline: BaselinePolicy,
    /// Whether what the run ends with is proven once more without any layer.
    #[serde(default = "cold_by_default", skip_serializing_if = "is_cold")]
    pub cold: bool,
    /// The most attempts that the plan can use, not counting human feedback.
    pub worst_case_attempts: u64,
    /// The roles that steps name, by name; a name without one stands for itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, Role>,
    /// The MCP servers that agents are offered, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp: BTreeMap<String, McpServer>,
    /// What the repository is built with, one entry for each root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub platforms: Vec<PinnedPlatform>,
    /// Checks that were left out because a platform has no command for them, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<String>,
    /// Steps that commands judge and for which nothing was found that these follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bare: Vec<String>,
    /// What of the commands could not be followed when it was looked what judges the work, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfollowed: Vec<String>,
    /// What the run repeats over from its start, besides what is added later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<NewItem>,
    /// The steps; every step stands after the steps it needs.
    pub steps: Vec<PlanStep>,
    /// How many steps the workflow itself has, once steps of items follow them.
    #[serde(skip)]
    written: Option<usize>,
    #[serde(skip)]
    index: OnceLock<BTreeMap<StepId, StepIndex>>,
    #[serde(skip)]
    dependents: OnceLock<Vec<Vec<StepIndex>>>,
    /// What `protect` means, read once: a run compares with it after every attempt.
    #[serde(skip)]
    rules: OnceLock<Arc<PlanRules>>,
}

/// The rules of a plan.
#[derive(Debug)]
pub struct PlanRules {
    /// All of them.
    pub all: Rules,
    /// Without those about tests that were found: a step may be about its tests.
    pub but_tests: Rules,
}

/// Everything of a [`Plan`] but its indexes, which follow from the steps.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are those of `Plan`")]
pub struct PlanParts {
    pub workflow: String,
    pub title: String,
    pub source: ContentHash,
    pub goal: String,
    pub issue: Option<Issue>,
    pub inputs: BTreeMap<String, serde_json::Value>,
    pub limits: Limits,
    pub prepare: Vec<Prepare>,
    pub carry: Vec<String>,
    pub protect: Vec<Protected>,
    pub recheck: Option<Criterion>,
    pub baseline: BaselinePolicy,
    pub cold: bool,
    pub worst_case_attempts: u64,
    pub roles: BTreeMap<String, Role>,
    pub mcp: BTreeMap<String, McpServer>,
    pub platforms: Vec<PinnedPlatform>,
    pub unchecked: Vec<String>,
    pub items: Vec<NewItem>,
    pub steps: Vec<PlanStep>,
}

impl From<PlanParts> for Plan {
    fn from(parts: PlanParts) -> Self {
        Self {
            workflow: parts.workflow,
            title: parts.title,
            source: parts.source,
            goal: parts.goal,
            issue: parts.issue,
            inputs: parts.inputs,
            limits: parts.limits,
            prepare: parts.prepare,
            carry: parts.carry,
            protect: parts.protect,
            recheck: parts.recheck,
            baseline: parts.baseline,
            cold: parts.cold,
            worst_case_attempts: parts.worst_case_attempts,
            roles: parts.roles,
            mcp: parts.mcp,
            platforms: parts.platforms,
            unchecked: parts.unchecked,
            bare: Vec::new(),
            unfollowed: Vec::new(),
            items: parts.items,
            steps: parts.steps,
            written: None,
            index: OnceLock::new(),
            dependents: OnceLock::new(),
            rules: OnceLock::new(),
        }
    }
}

impl PartialEq for Plan {
    fn eq(&self, other: &Self) -> bool {
        // The indexes follow from the steps.
        self.workflow == other.workflow
            && self.title == other.title
            && self.source == other.source
            && self.goal == other.goal
            && self.issue == other.issue
            && self.inputs == other.inputs
            && self.limits == other.limits
            && self.prepare == other.prepare
            && self.carry == other.carry
            && self.protect == other.protect
            && self.recheck == other.recheck
            && self.baseline == other.baseline
            && self.cold == other.cold
            && self.worst_case_attempts == other.worst_case_attempts
            && self.roles == other.roles
            && self.mcp == other.mcp
            && self.platforms == other.platforms
            && self.unchecked == other.unchecked
            && self.bare == other.bare
            && self.unfollowed == other.unfollowed
            && self.items == other.items
            && self.steps == other.steps
    }
}

impl Plan {
    /// Stands in for the plan of a stored state until the real one is put back.
    pub(crate) fn empty() -> Self {
        Self::from(PlanParts {
            workflow: String::new(),
            title: String::new(),
            source: ContentHash::of(b""),
            goal: String::new(),
            issue: None,
            inputs: BTreeMap::new(),
            limits: Limits { cost_usd: 0.0, wall: Span(0), attempts: 0 },
            prepare: Vec::new(),
            carry: Vec::new(),
            protect: Vec::new(),
            recheck: None,
            baseline: BaselinePolicy::Strict,
            cold: true,
            worst_case_attempts: 0,
            roles: BTreeMap::new(),
            mcp: BTreeMap::new(),
            platforms: Vec::new(),
            unchecked: Vec::new(),
            items: Vec::new(),
            steps: Vec::new(),
        })
    }

    /// Returns the step at `index`, which must come from this plan.
    pub fn step(&self, index: StepIndex) -> &PlanStep {
        &self.steps[index.get()]
    }

    /// Returns the position of the step called `id`.
    pub fn find(&self, id: &StepId) -> Option<StepIndex> {
        self.index
            .get_or_init(|| {
                self.indexes().map(|index| (self.step(index).id.clone(), index)).collect()
            })
            .get(id)
            .copied()
    }

    /// Returns the steps that directly need the step at `index`.
    pub fn dependents(&self, index: StepIndex) -> &[StepIndex] {
        let all = self.dependents.get_or_init(|| {
            let mut dependents = vec![Vec::new(); self.steps.len()];
            for dependent in self.indexes() {
                for need in &self.step(dependent).needs {
                    dependents[need.get()].push(dependent);
                }
            }
            dependents
        });
        &all[index.get()]
    }

    /// Returns the steps that are nested in the step at `index`, however deep.
    pub fn nested(&self, index: StepIndex) -> Vec<StepIndex> {
        let prefix = format!("{}/", self.step(index).id);
        match self.step(index).kind {
            StepKind::Group | StepKind::Foreach(_) => self
                .indexes()
                .filter(|other| self.step(*other).id.as_str().starts_with(&prefix))
                .collect(),
            StepKind::Agent { .. } | StepKind::PullRequest(_) => Vec::new(),
        }
    }

    /// Returns the steps that commands judge while nothing is protected that these follow.
    pub fn unprotected(&self) -> Vec<String> {
        if !self.bare.is_empty() {
            return self.bare.clone();
        }
        // Nothing was looked for: `protect: none`, or a journal of an earlier version.
        if self.protect.iter().any(|rule| rule.why.as_deref() != Some(OWN_FILE)) {
            return Vec::new();
        }
        self.judged_by_commands()
    }

    /// Returns the steps that commands judge, also those that are repeated.
    pub fn judged_by_commands(&self) -> Vec<String> {
        let judged = |step: &&PlanStep| {
            let checks = step.done.as_ref().map(Criterion::checks).unwrap_or_default();
            checks.iter().any(|check| check.kind.command().is_some())
        };
        let repeated = self.steps.iter().flat_map(|step| match &step.kind {
            StepKind::Foreach(foreach) => foreach.steps.as_slice(),
            StepKind::Agent { .. } | StepKind::Group | StepKind::PullRequest(_) => &[],
        });
        let all = self.steps.iter().chain(repeated).filter(judged);
        all.map(|step| step.id.to_string()).collect()
    }

    /// Takes in what was found to judge the work. A step for which there is nothing is marked, unless the
    /// workflow itself says what is protected.
    pub fn take_found(&mut self, found: crate::protect::Found) {
        let written = |rule: &Protected| rule.why.is_none() && !self.is_of_platform(rule);
        if !self.protect.iter().any(written) {
            let bare = |id: &String| !found.judged.contains(id);
            self.bare = self.judged_by_commands().into_iter().filter(bare).collect();
        }
        self.unfollowed = found.unfollowed.into_iter().collect();
        self.protect.extend(found.rules);
        self.rules = OnceLock::new();
    }

    /// Returns what is protected, ready to be compared with.
    pub fn rules(&self) -> &PlanRules {
        self.rules.get_or_init(|| {
            let but_tests: Vec<Protected> =
                self.protect.iter().filter(|rule| !rule.is_found_tests()).cloned().collect();
            let (all, but_tests) = (Rules::new(&self.protect), Rules::new(&but_tests));
            Arc::new(PlanRules { all, but_tests })
        })
    }

    fn is_of_platform(&self, rule: &Protected) -> bool {
        platform::protected(&self.platforms).contains(rule)
    }

    /// Returns the position of every step, in plan order.
    pub fn indexes(&self) -> impl Iterator<Item = StepIndex> + use<> {
        let count = u32::try_from(self.steps.len()).expect("a plan has fewer than 2^32 steps");
        (0..count).map(StepIndex)
    }
}

/// The issue that a run is for. Its text was written by others: it is shown and never obeyed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// The number in the tracker.
    pub number: u64,
    /// The title.
    pub title: String,
    /// Where people read it.
    pub url: Option<String>,
    /// The description, bounded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// The labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

impl Issue {
    /// Returns the goal of a run that is given nothing but this issue.
    pub fn goal(&self) -> String {
        match self.title.trim() {
            "" => format!("Issue #{}", self.number),
            title => title.to_owned(),
        }
    }
}

/// The budget of a run, checked before every spawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The most that agents may cost, in US dollars.
    pub cost_usd: f64,
    /// The most time that attempts and checks may take in all.
    pub wall: Span,
    /// The most attempts in all.
    pub attempts: u64,
}

/// One command that makes a clean tree ready for checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prepare {
    /// Folder below the tree's root to run in.
    #[serde(rename = "in")]
    pub folder: Option<String>,
    /// The shell command.
    pub run: String,
    /// The file whose content decides whether the command has to run again.
    pub lock: Option<String>,
    /// How long the command may take.
    pub timeout: Span,
    /// Globs of the files that the command sees; empty for the whole tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// Paths that it may read beside the usual ones: absolute, or below `~/`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expose: Vec<String>,
}

/// Why the workflow's own file is protected.
pub const OWN_FILE: &str = "it is the workflow";

/// A journal that says nothing about it is of a run that is proven cold.
fn cold_by_default() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_cold(cold: &bool) -> bool {
    *cold
}
