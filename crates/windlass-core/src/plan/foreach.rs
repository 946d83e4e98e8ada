//! Steps that are repeated for every item.
//!
//! A plan holds them once, with `{item.…}` where an item differs. When an item comes up, its own
//! copy is added at the end of the plan: the steps as `foreach/ITEM/step`, and after them a group
//! `foreach/ITEM` that stands for the item. What an item adds follows from the plan and the item
//! alone, so a replay gives the same steps in the same places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::late::{Waits, fill_item};
use super::{
    CheckKind, CommitPolicy, Criterion, Exhausted, FailedRoute, FailedTo, Plan, PlanStep, Publish,
    Read, Rollback, Route, Skip, StepKind,
};
use crate::id::{ItemId, StepId, StepIndex};
use crate::item::Item;
use crate::story::Size;
use crate::time::Span;

/// What is repeated, over what, and how often at most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Foreach {
    /// The most items.
    pub max: u32,
    /// The task list that items come from, besides those that are added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<String>,
    /// The file of stories that items come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stories: Option<String>,
    /// How often people are told how far it has come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportEvery>,
    /// After how many items a person looks before the next comes up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<u32>,
    /// The steps of one item. `needs`, `parent` and routes count from the first of them; a step
    /// without a parent is directly inside the item.
    pub steps: Vec<PlanStep>,
}

impl Foreach {
    /// Returns the file that items are read from, besides those that are added.
    pub fn list(&self) -> Option<&str> {
        self.stories.as_deref().or(self.tasks.as_deref())
    }
}

/// How often people are told how far the items have come: whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportEvery {
    /// After so many items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<u32>,
    /// After so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Span>,
}

impl Plan {
    /// Returns what the step at `index` repeats, if it repeats anything.
    pub fn foreach(&self, index: StepIndex) -> Option<&Foreach> {
        match &self.step(index).kind {
            StepKind::Foreach(foreach) => Some(foreach),
            StepKind::Agent { .. } | StepKind::Group | StepKind::PullRequest(_) => None,
        }
    }

    /// Returns the steps that repeat over items.
    pub fn foreaches(&self) -> impl Iterator<Item = StepIndex> + '_ {
        // Items add no such step, so what the workflow has is all there is.
        self.indexes().take(self.written_steps()).filter(|index| self.foreach(*index).is_some())
    }

    /// Returns how many steps the workflow itself has.
    pub fn written_steps(&self) -> usize {
        self.written.unwrap_or(self.steps.len())
    }

    /// Returns the group that stands for the item which the step at `index` belongs to.
    pub fn item_group(&self, index: StepIndex) -> Option<StepIndex> {
        if index.get() < self.written_steps() {
            return None;
        }
        let mut at = index;
        loop {
            let parent = self.step(at).parent?;
            if self.foreach(parent).is_some() {
                return Some(at);
            }
            at = parent;
        }
    }

    /// Returns the item which the step at `index` belongs to.
    pub fn item_of(&self, index: StepIndex) -> Option<ItemId> {
        let group = self.step(self.item_group(index)?).id.as_str();
        group.rsplit('/').next().map(ItemId::from)
    }

    /// Returns the step that repeats over the item which the step at `index` belongs to.
    pub fn repeated_by(&self, index: StepIndex) -> Option<StepIndex> {
        self.step(self.item_group(index)?).parent
    }

    /// Returns every step as people read them: a group before what is nested in it, the steps of
    /// items where the step stands that repeats over them.
    pub fn in_reading_order(&self) -> Vec<StepIndex> {
        let mut nested: BTreeMap<Option<StepIndex>, Vec<StepIndex>> = BTreeMap::new();
        let mut known = BTreeSet::new();
        for index in self.in_working_order() {
            // Groups stand where the first of their steps does.
            let mut at = Some(index);
            while let Some(step) = at.filter(|step| known.insert(*step)) {
                at = self.step(step).parent;
                nested.entry(at).or_default().push(step);
            }
        }
        let mut order = Vec::with_capacity(self.steps.len());
        let mut queue: Vec<StepIndex> =
            nested.get(&None).into_iter().flatten().rev().copied().collect();
        while let Some(index) = queue.pop() {
            order.push(index);
            queue.extend(nested.get(&Some(index)).into_iter().flatten().rev());
        }
        order
    }

    /// Returns every step as they are worked on: a group after what is nested in it, the steps of
    /// items before the step that repeats over them.
    pub fn in_working_order(&self) -> Vec<StepIndex> {
        let written = self.written_steps();
        let mut order = Vec::with_capacity(self.steps.len());
        for index in self.indexes().take(written) {
            if self.foreach(index).is_some() {
                let added = self.indexes().skip(written);
                order.extend(added.filter(|other| self.repeated_by(*other) == Some(index)));
            }
            order.push(index);
        }
        order
    }

    /// Adds the steps of an item, or puts them in the place where they already are.
    pub(crate) fn expand(&mut self, foreach: StepIndex, item: &Item, first: StepIndex) {
        let written = self.written_steps();
        let steps = self.steps_of(foreach, item, first);
        let (from, to) = (first.get(), first.get() + steps.len());
        if from == self.steps.len() {
            self.steps.extend(steps);
        } else if to <= self.steps.len() && from >= written {
            self.steps.splice(from..to, steps);
        }
        self.written = Some(written);
        (self.index, self.dependents) = (OnceLock::new(), OnceLock::new());
    }

    /// Puts other steps into the plan, to be drawn.
    pub(crate) fn replace_steps(&mut self, steps: Vec<PlanStep>) {
        (self.steps, self.written) = (steps, None);
        (self.index, self.dependents) = (OnceLock::new(), OnceLock::new());
    }

    /// Returns the plan as the workflow has it, without the steps of items.
    pub(crate) fn without_items(&self) -> Self {
        let mut plan = self.clone();
        plan.steps.truncate(self.written_steps());
        plan.written = None;
        (plan.index, plan.dependents) = (OnceLock::new(), OnceLock::new());
        plan
    }

    fn steps_of(&self, foreach: StepIndex, item: &Item, first: StepIndex) -> Vec<PlanStep> {
        let (around, Some(repeated)) = (self.step(foreach), self.foreach(foreach)) else {
            return Vec::new();
        };
        let count = u32::try_from(repeated.steps.len()).unwrap_or(u32::MAX);
        let group = StepIndex(first.0.saturating_add(count));
        let copy = Copy { prefix: format!("{}/", around.id), item, first, group };
        let mut steps: Vec<PlanStep> = repeated.steps.iter().map(|step| copy.step(step)).collect();
        let inside = (first.0..group.0).map(StepIndex).zip(&steps);
        let needs = inside.filter(|(_, step)| step.parent == Some(group)).map(|(index, _)| index);
        let needs = needs.collect();
        steps.push(PlanStep {
            id: StepId::new(format!("{}{}", copy.prefix, item.id)),
            title: item.title.clone(),
            kind: StepKind::Group,
            parent: Some(foreach),
            task: String::new(),
            needs,
            when: None,
            reads: Vec::new(),
            publishes: std::collections::BTreeMap::new(),
            may_write: Vec::new(),
            gate: None,
            on: std::collections::BTreeMap::new(),
            skip: Skip::Never,
            exhausted: Exhausted::Pause,
            waive_keeps: false,
            commit: CommitPolicy::Wip,
            done: None,
            satisfied_ok: false,
            trust_agent: false,
            keeps: false,
            fix: None,
            failed: None,
            ..around.clone()
        });
        steps
    }
}

/// One item's copy of the repeated steps in the making.
struct Copy<'i> {
    /// What stands before the ids of the repeated steps.
    prefix: String,
    item: &'i Item,
    first: StepIndex,
    group: StepIndex,
}

impl Copy<'_> {
    fn step(&self, step: &PlanStep) -> PlanStep {
        let name = step.id.as_str();
        let name = name.strip_prefix(&self.prefix).unwrap_or(name);
        PlanStep {
            id: StepId::new(format!("{}{}/{name}", self.prefix, self.item.id)),
            parent: Some(step.parent.map_or(self.group, |parent| self.place(parent))),
            task: self.late(&step.task),
            needs: step.needs.iter().map(|need| self.place(*need)).collect(),
            reads: step
                .reads
                .iter()
                .map(|read| Read { file: self.late(&read.file), ..read.clone() })
                .collect(),
            publishes: step
                .publishes
                .iter()
                .map(|(key, publish)| {
                    let publish = match publish {
                        Publish::Path(path) => Publish::Path(self.late(path)),
                        Publish::Value(kind) => Publish::Value(*kind),
                    };
                    (key.clone(), publish)
                })
                .collect(),
            may_write: self.all(&step.may_write),
            writes: self.all(&step.writes),
            on: step.on.iter().map(|(word, route)| (word.clone(), self.route(route))).collect(),
            done: step.done.as_ref().map(|done| self.criterion(done)),
            failed: step.failed.as_ref().map(|route| self.failed(route)),
            ..step.clone()
        }
    }

    fn place(&self, index: StepIndex) -> StepIndex {
        StepIndex(self.first.0.saturating_add(index.0))
    }

    fn late(&self, text: &str) -> String {
        fill_item(text, self.item, Waits::ForContext)
    }

    fn now(&self, text: &str) -> String {
        fill_item(text, self.item, Waits::ForNothing)
    }

    fn all(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.now(text)).collect()
    }

    fn route(&self, route: &Route) -> Route {
        let (by_path, by_type) = (&route.rollback.by_path, &route.rollback.by_type);
        Route {
            rollback: Rollback {
                files: route.rollback.files.clone(),
                by_path: by_path
                    .iter()
                    .map(|(glob, step)| (self.now(glob), self.place(*step)))
                    .collect(),
                types: route.rollback.types.clone(),
                by_type: by_type
                    .iter()
                    .map(|(kind, step)| (kind.clone(), self.place(*step)))
                    .collect(),
                otherwise: self.place(route.rollback.otherwise),
            },
            max: route.max,
            block: route.block,
        }
    }

    fn failed(&self, route: &FailedRoute) -> FailedRoute {
        let to = match route.to {
            FailedTo::Step(step) => FailedTo::Step(self.place(step)),
            // No step of an item repeats anything.
            in_item @ FailedTo::InItem { .. } => in_item,
        };
        FailedRoute { to, max: route.max }
    }

    fn criterion(&self, criterion: &Criterion) -> Criterion {
        let parts = |parts: &[Criterion]| parts.iter().map(|part| self.criterion(part)).collect();
        match criterion {
            Criterion::All(all) => Criterion::All(parts(all)),
            Criterion::Any(any) => Criterion::Any(parts(any)),
            Criterion::Not(part) => Criterion::Not(Box::new(self.criterion(part))),
            Criterion::Check(check) => {
                let mut check = check.clone();
                self.fill_check(&mut check.kind);
                Criterion::Check(check)
            }
        }
    }

    fn fill_check(&self, kind: &mut CheckKind) {
        match kind {
            CheckKind::File { glob, .. } => *glob = self.late(glob),
            CheckKind::Checklist { file, .. }
            | CheckKind::Stories { file, .. }
            | CheckKind::Questions { file, .. }
            | CheckKind::VerdictIn { file, .. } => *file = self.late(file),
            CheckKind::Diff { only, never, .. } => {
                (*only, *never) = (self.all(only), self.all(never));
            }
            CheckKind::Red(suite) | CheckKind::Green(suite) => {
                suite.tests = self.all(&suite.tests);
                suite.report = suite.report.as_deref().map(|report| self.now(report));
            }
            CheckKind::Coverage { min, by_size, .. } => {
                let size = self.item.story.as_ref().map_or(Size::M, |story| story.size);
                if let Some(by_size) = by_size.take() {
                    *min = by_size.of(size);
                }
            }
            // Commands never hold words of others, and expressions find the item in the document.
            CheckKind::Run { .. }
            | CheckKind::Junit { .. }
            | CheckKind::State { .. }
            | CheckKind::Verdict { .. } => {}
        }
    }
}
