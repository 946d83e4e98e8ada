//! A workflow and what a run is for, made into a plan.

use std::collections::{BTreeMap, BTreeSet};

use super::check::{Kind, Min, Written};
use super::tdd_check::WrittenSuite;
use super::{Workflow, claims, freeze_platform as platform, step};
use crate::glob;
use crate::id::{StepId, StepIndex};
use crate::measure::Percent;
use crate::plan::template::{FillError, Template, Values};
use crate::plan::{
    Check, CheckId, CheckKind, Criterion, FailedRoute, FailedTo, Foreach, Limits, Plan, PlanError,
    PlanParts, PlanRequest, PlanStep, Prepare, Publish, PullRequest, Read, Rollback, Route,
    StepKind, Suite,
};
use crate::platform::PinnedPlatform;
use crate::protect::Protected;
use crate::role::Role;
use crate::source::{Located, suggest};

/// The least number of attempts that is allowed by default: the worst case knows nothing of people
/// who send work back.
const ROOM_FOR_FEEDBACK: u64 = 60;

/// The first number of a check under `recheck`; the blocker's own check is before it.
const RECHECK_NUMBERS: u32 = 1;

impl Workflow {
    /// Fills in what the run is for and freezes the result; all mistakes come back together.
    pub fn plan(&self, request: PlanRequest) -> Result<Plan, Vec<PlanError>> {
        let mut errors = Vec::new();
        let inputs = fill_inputs(self, &request.inputs, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let values = Values {
            goal: &request.goal,
            issue: request.issue.as_ref(),
            inputs: &inputs,
            in_item: false,
        };
        let platforms = if self.platform.is_some() { request.platforms } else { Vec::new() };
        let mut builder = Builder {
            workflow: self,
            values,
            errors,
            platforms: &platforms,
            unchecked: BTreeSet::new(),
        };
        let mut prepare = builder.prepare();
        prepare.extend(platform::prepare(&platforms));
        let carry = builder.all(&self.carry);
        let mut protect = builder.protect();
        if self.protects() {
            protect.extend(crate::platform::protected(&platforms));
        }
        let recheck = builder.recheck();
        let steps: Vec<PlanStep> = self.order.written().map(|index| builder.step(index)).collect();
        let unchecked = builder.unchecked.into_iter().collect();
        let mut errors = builder.errors;
        if errors.is_empty() {
            // After a mistake paths are not what they would be.
            errors.extend(shared_files(&steps));
            for step in &steps {
                if let StepKind::Foreach(foreach) = &step.kind {
                    errors.extend(shared_files(&foreach.steps));
                }
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let worst_case_attempts = self.worst_case_attempts();
        Ok(Plan::from(PlanParts {
            workflow: self.name.clone(),
            title: self.title().to_owned(),
            source: self.source.clone(),
            goal: request.goal,
            issue: request.issue,
            inputs,
            limits: Limits {
                cost_usd: self.limits.cost_usd,
                wall: self.limits.wall,
                attempts: self
                    .limits
                    .attempts
                    .unwrap_or(worst_case_attempts.max(ROOM_FOR_FEEDBACK)),
            },
            prepare,
            carry,
            protect,
            recheck,
            baseline: self.baseline,
            cold: self.cold,
            worst_case_attempts,
            roles: used_roles(request.roles, &steps),
            mcp: self.mcp.clone(),
            platforms,
            unchecked,
            items: request.items,
            steps,
        }))
    }
}

/// Keeps the roles that a step names: a run depends on no other.
fn used_roles(available: BTreeMap<String, Role>, steps: &[PlanStep]) -> BTreeMap<String, Role> {
    let mut named = BTreeSet::new();
    for step in steps {
        match &step.kind {
            StepKind::Foreach(foreach) => {
                named.extend(foreach.steps.iter().filter_map(PlanStep::agent))
            }
            StepKind::Agent { .. } | StepKind::Group | StepKind::PullRequest(_) => {
                named.extend(step.agent());
            }
        }
    }
    available.into_iter().filter(|(name, _)| named.contains(name.as_str())).collect()
}

fn fill_inputs(
    workflow: &Workflow,
    given: &BTreeMap<String, String>,
    errors: &mut Vec<PlanError>,
) -> BTreeMap<String, serde_json::Value> {
    let names = || workflow.inputs.iter().map(|input| input.name.as_str());
    for name in given.keys().filter(|name| !names().any(|known| known == *name)) {
        let help = suggest::help(name, names());
        errors.push(PlanError::UnknownInput { name: name.clone(), help });
    }
    let mut filled = BTreeMap::new();
    for input in &workflow.inputs {
        let (name, expected) = (input.name.clone(), input.kind.expected());
        let value = match (given.get(&name), &input.default) {
            (Some(typed), _) => input.kind.parse(typed).ok_or_else(|| {
                let help = input.kind.nearest(typed).map(|near| format!("did you mean `{near}`?"));
                PlanError::WrongInput { name: name.clone(), value: typed.clone(), expected, help }
            }),
            (None, Some(default)) => Ok(default.clone()),
            (None, None) => {
                let ask = input.ask.clone();
                Err(PlanError::MissingInput { name: name.clone(), expected, ask })
            }
        };
        match value {
            Ok(value) => drop(filled.insert(name, value)),
            Err(error) => errors.push(error),
        }
    }
    filled
}

pub(super) struct Builder<'w> {
    pub(super) workflow: &'w Workflow,
    pub(super) values: Values<'w>,
    pub(super) errors: Vec<PlanError>,
    pub(super) platforms: &'w [PinnedPlatform],
    /// What was left out, in words.
    pub(super) unchecked: BTreeSet<String>,
}

impl Builder<'_> {
    /// Fills a text; after an error was noted the text does not matter any more.
    fn fill(&mut self, template: &Located<Template>) -> String {
        let (file, at) = (self.workflow.file_name().to_owned(), template.at);
        let filled = match template.value.fill(&self.values) {
            Ok(filled) => filled,
            Err(FillError::NoIssue) => {
                // Once is enough, however often the issue is used.
                if !self.errors.iter().any(|error| matches!(error, PlanError::NeedsIssue { .. })) {
                    self.errors.push(PlanError::NeedsIssue { file, at });
                }
                return String::new();
            }
            Err(FillError::Nul) => {
                self.errors.push(PlanError::Nul { file, at });
                return String::new();
            }
        };
        let role = template.value.role();
        if role.is_path() {
            if let Err(why) = glob::stays_inside(&filled) {
                self.errors.push(PlanError::BadPath { path: filled.clone(), why, file, at });
            } else if role.is_glob() && glob::compile(&filled).is_err() {
                self.errors.push(PlanError::BadGlob { pattern: filled.clone(), file, at });
            }
        }
        filled
    }

    fn protect(&mut self) -> Vec<Protected> {
        let rules = &self.workflow.protect.rules;
        let filled = rules.iter().map(|rule| Protected {
            file: self.fill(&rule.file),
            keys: rule.keys.clone(),
            only: rule.only,
            later: false,
            why: None,
        });
        filled.collect()
    }

    /// Fills a percentage; after an error was noted it does not matter any more.
    fn percent(&mut self, min: &Min) -> Percent {
        let template = match min {
            Min::Fixed(percent) => return *percent,
            Min::Filled(template) => template,
        };
        let value = self.fill(template);
        value.parse().unwrap_or_else(|_| {
            let (file, at) = (self.workflow.file_name().to_owned(), template.at);
            self.errors.push(PlanError::BadPercent { value, file, at });
            Percent::ALL
        })
    }

    fn count(&mut self, template: &Located<Template>) -> u32 {
        let value = self.fill(template);
        value.parse().unwrap_or_else(|_| {
            let (file, at) = (self.workflow.file_name().to_owned(), template.at);
            self.errors.push(PlanError::BadCount { value, file, at });
            0
        })
    }

    fn all(&mut self, templates: &[Located<Template>]) -> Vec<String> {
        templates.iter().map(|template| self.fill(template)).collect()
    }

    fn maybe(&mut self, template: Option<&Located<Template>>) -> Option<String> {
        template.map(|template| self.fill(template))
    }

    fn prepare(&mut self) -> Vec<Prepare> {
        let commands = &self.workflow.prepare;
        commands
            .iter()
            .map(|command| {
                let lock = self.maybe(command.lock.as_ref());
                Prepare {
                    folder: self.maybe(command.folder.as_ref()),
                    run: self.fill(&command.run),
                    inputs: with_lock(self.all(&command.inputs), lock.as_deref()),
                    lock,
                    timeout: command.timeout,
                    expose: command.expose.clone(),
                }
            })
            .collect()
    }

    /// Plans what has to hold before a run goes on that a blocker kept.
    fn recheck(&mut self) -> Option<Criterion> {
        let written = &self.workflow.recheck;
        let mut numbers = RECHECK_NUMBERS..;
        let mut left_out = Vec::new();
        let parts =
            written.iter().filter_map(|part| self.criterion(0, part, &mut numbers, &mut left_out));
        let parts: Vec<Criterion> = parts.collect();
        self.unchecked.extend(left_out);
        (!parts.is_empty()).then_some(Criterion::All(parts))
    }

    fn step(&mut self, index: usize) -> PlanStep {
        let order = &self.workflow.order;
        let ordered = &order.steps[index];
        let written = &ordered.step;
        let defaults = &self.workflow.defaults;
        let mut numbers = 0..;
        let done = written.done.as_ref().and_then(|done| self.done(index, done, &mut numbers));
        PlanStep {
            id: ordered.id.clone(),
            title: written.title.clone().unwrap_or_else(|| default_title(&ordered.id)),
            kind: match (written.agent(), &written.foreach) {
                _ if written.pull_request.is_some() => self.pull_request(written),
                (_, Some(foreach)) => StepKind::Foreach(Box::new(self.foreach(index, foreach))),
                (Some(agent), None) => StepKind::Agent {
                    agent: agent.to_owned(),
                    backend: written.backend.clone(),
                    model: self.maybe(written.model.as_ref()),
                },
                (None, None) => StepKind::Group,
            },
            parent: order.parent(index).map(step_index),
            task: self.maybe(written.task.as_ref()).unwrap_or_default(),
            needs: order.needs(index).into_iter().map(step_index).collect(),
            when: self.when(index),
            reads: written.reads.iter().map(|read| self.read(read)).collect(),
            publishes: written
                .publishes
                .iter()
                .map(|(key, publish)| (key.clone(), self.publish(publish)))
                .collect(),
            may_write: self.all(&written.may_write),
            writes: self.all(&written.writes),
            retries: written.retries.unwrap_or(defaults.retries),
            timeout: written.timeout.unwrap_or(defaults.timeout),
            idle_timeout: written.idle_timeout.unwrap_or(defaults.idle_timeout),
            network: written.network.unwrap_or(defaults.network),
            hosts: written.hosts.iter().map(|host| host.value.to_string()).collect(),
            backoff: written.backoff.unwrap_or(defaults.backoff),
            gate: written.gate,
            on: self.routes(index),
            skip: written.skip,
            exhausted: written.exhausted,
            waive_keeps: written.waive_keeps,
            commit: written.commit,
            done,
            satisfied_ok: written.satisfied_ok,
            trust_agent: written.trust_agent,
            keeps: written.keeps,
            fix: match &written.fix {
                Some(step::Fix::Command(command)) => Some(self.fill(command)),
                Some(step::Fix::LintFix) => self.lint_fix(),
                None => None,
            },
            failed: self.failed(index),
        }
    }

    fn pull_request(&mut self, written: &step::Step) -> StepKind {
        let request = written.pull_request.clone().unwrap_or_default();
        let title = self.maybe(request.title.as_ref()).unwrap_or_else(|| self.default_subject());
        let base = self.maybe(request.base.as_ref()).filter(|base| !base.is_empty());
        StepKind::PullRequest(PullRequest { title: one_line(&title), base, draft: request.draft })
    }

    /// What a pull request is called unless the workflow says otherwise.
    fn default_subject(&self) -> String {
        match self.values.issue {
            Some(issue) => format!("#{}: {}", issue.number, issue.title),
            None => self.values.goal.lines().next().unwrap_or_default().to_owned(),
        }
    }

    /// Plans the steps that are repeated for every item.
    fn foreach(&mut self, index: usize, written: &step::Foreach) -> Foreach {
        let order = &self.workflow.order;
        let tasks = self.maybe(written.tasks.as_ref());
        let stories = self.maybe(written.stories.as_ref());
        let checkpoint = written.checkpoint.as_ref().map(|count| self.count(count));
        self.values.in_item = true;
        let steps = order.repeated(index).into_iter().map(|inside| self.step(inside)).collect();
        self.values.in_item = false;
        Foreach {
            max: written.max,
            tasks,
            stories,
            report: written.report,
            checkpoint: checkpoint.filter(|count| *count > 0),
            steps,
        }
    }

    /// Joins the step's own condition with those of the groups around it: when a group is
    /// skipped, so is everything inside it. Items come up only when the step that repeats over them
    /// is not skipped, so for its steps the joining ends there.
    fn when(&self, index: usize) -> Option<String> {
        let steps = &self.workflow.order.steps;
        let mut conditions = Vec::new();
        let mut at = Some(index);
        while let Some(here) = at {
            conditions.extend(steps[here].step.when.as_ref().map(|when| when.value.clone()));
            at = steps[here].parent.filter(|parent| steps[*parent].step.foreach.is_none());
        }
        // Line breaks keep a comment at the end of one from hiding what follows.
        let mut conditions = conditions.into_iter().rev();
        let first = conditions.next()?;
        Some(conditions.fold(first, |all, next| format!("({all}\n) and ({next}\n)")))
    }

    fn read(&mut self, read: &step::Read) -> Read {
        Read { file: self.fill(&read.file), purpose: read.purpose.clone(), optional: read.optional }
    }

    fn publish(&mut self, publish: &step::Publish) -> Publish {
        match publish {
            step::Publish::Path(path) => Publish::Path(self.fill(path)),
            step::Publish::Value(value) => Publish::Value(*value),
        }
    }

    fn routes(&mut self, index: usize) -> BTreeMap<String, Route> {
        let order = &self.workflow.order;
        let place = |target: usize| step_index(order.position(target));
        let routes = &self.workflow.order.steps[index].routes;
        routes
            .iter()
            .map(|route| {
                let by_path = route
                    .by_path
                    .iter()
                    .flat_map(|(glob, step)| {
                        let globs = self.fill(glob);
                        let globs = self.route_globs(globs).into_iter();
                        globs.map(|glob| (glob, place(*step)))
                    })
                    .collect();
                let rollback = Rollback {
                    files: route.files.as_ref().map(|files| files.value.clone()),
                    by_path,
                    types: route.types.as_ref().map(|types| types.value.clone()),
                    by_type: route
                        .by_type
                        .iter()
                        .map(|(kind, step)| (kind.clone(), place(*step)))
                        .collect(),
                    otherwise: place(route.otherwise),
                };
                (route.value.clone(), Route { rollback, max: route.max, block: route.block })
            })
            .collect()
    }

    fn failed(&self, index: usize) -> Option<FailedRoute> {
        let order = &self.workflow.order;
        let (target, max) = order.steps[index].failed?;
        let step = step_index(order.position(target));
        let to = match order.repeated_by(target) {
            Some(foreach) if order.repeated_by(index).is_none() => {
                FailedTo::InItem { foreach: step_index(order.position(foreach)), step }
            }
            Some(_) | None => FailedTo::Step(step),
        };
        Some(FailedRoute { to, max })
    }

    /// Plans a step's criterion; `None` after it was noted that nothing is left of it.
    fn done(
        &mut self,
        step: usize,
        written: &Written,
        numbers: &mut std::ops::RangeFrom<u32>,
    ) -> Option<Criterion> {
        let before = self.errors.len();
        let mut left_out = Vec::new();
        let planned = self.criterion(step, written, numbers, &mut left_out);
        if left_out.is_empty() || self.errors.len() > before {
            return planned;
        }
        // What was left out may have been all that windlass sees itself.
        let ordered = &self.workflow.order.steps[step];
        let trusted = ordered.step.trust_agent || ordered.step.pull_request.is_some();
        let proven = planned.as_ref().is_some_and(|done| trusted || !done.can_be_claimed());
        if !proven {
            let unchecked = left_out.clone();
            self.errors.push(PlanError::Unproven { step: ordered.id.to_string(), unchecked });
        }
        self.unchecked.extend(left_out);
        planned
    }

    /// Plans a part; `None` when the platform has no command for any of it.
    fn criterion(
        &mut self,
        step: usize,
        written: &Written,
        numbers: &mut std::ops::RangeFrom<u32>,
        left_out: &mut Vec<String>,
    ) -> Option<Criterion> {
        let mut all = |parts: &[Written], builder: &mut Self| {
            let planned =
                parts.iter().filter_map(|part| builder.criterion(step, part, numbers, left_out));
            let planned: Vec<Criterion> = planned.collect();
            // A pull request with nothing to hold before it has an empty criterion, and keeps it.
            (parts.is_empty() || !planned.is_empty()).then_some(planned)
        };
        match written {
            Written::All(parts) => all(parts, self).map(Criterion::All),
            Written::Any(parts) => all(parts, self).map(Criterion::Any),
            Written::Not(part) => {
                let part = self.criterion(step, part, numbers, left_out)?;
                Some(Criterion::Not(Box::new(part)))
            }
            Written::Check(check) => {
                if let Kind::Platform(what) = check.kind {
                    return self.platform(what, numbers, left_out);
                }
                let id = CheckId(numbers.next().unwrap_or(u32::MAX));
                Some(Criterion::Check(Check { id, kind: self.check(step, &check.kind) }))
            }
        }
    }

    fn suite(&mut self, written: &WrittenSuite) -> Suite {
        let run = &written.run;
        Suite {
            command: self.fill(&run.command),
            folder: self.maybe(run.folder.as_ref()),
            timeout: run.timeout,
            cache: run.cache,
            env: run.env.clone(),
            room: run.room.planned(),
            tests: self.all(&written.tests),
            report: self.maybe(written.report.as_ref()),
        }
    }

    fn check(&mut self, step: usize, kind: &Kind) -> CheckKind {
        match kind {
            Kind::File { glob, stale_ok, min_bytes, contains } => CheckKind::File {
                glob: self.fill(glob),
                stale_ok: *stale_ok,
                min_bytes: *min_bytes,
                contains: contains.clone(),
            },
            Kind::Run(run) => CheckKind::Run {
                command: self.fill(&run.command),
                folder: self.maybe(run.folder.as_ref()),
                timeout: run.timeout,
                cache: run.cache,
                env: run.env.clone(),
                room: run.room.planned(),
            },
            Kind::Junit { glob, run, min, failures } => CheckKind::Junit {
                glob: self.fill(glob),
                command: self.fill(&run.command),
                folder: self.maybe(run.folder.as_ref()),
                timeout: run.timeout,
                cache: run.cache,
                env: run.env.clone(),
                room: run.room.planned(),
                min: *min,
                failures: *failures,
            },
            Kind::Coverage { glob, run, min } => CheckKind::Coverage {
                glob: self.fill(glob),
                command: self.fill(&run.command),
                folder: self.maybe(run.folder.as_ref()),
                timeout: run.timeout,
                cache: run.cache,
                env: run.env.clone(),
                room: run.room.planned(),
                min: self.percent(min),
                by_size: None,
                without: Vec::new(),
            },
            Kind::Checklist { file, min } => {
                CheckKind::Checklist { file: self.fill(file), min: self.percent(min) }
            }
            Kind::Red(suite) => CheckKind::Red(self.suite(suite)),
            Kind::Green(suite) => CheckKind::Green(self.suite(suite)),
            Kind::Diff { only, never, max_lines, empty_ok } => CheckKind::Diff {
                only: self.all(only),
                never: self.all(never),
                max_lines: *max_lines,
                empty_ok: *empty_ok,
            },
            Kind::State(expr) => CheckKind::State { expr: expr.value.clone() },
            Kind::Verdict { expr, accept } => CheckKind::Verdict {
                expr: expr.value.clone(),
                accept: accept.clone(),
                strength: claims::verdict_strength(&self.workflow.order, step),
            },
            Kind::Stories { file, designed } => {
                CheckKind::Stories { file: self.fill(file), designed: *designed }
            }
            Kind::Questions { file, phase } => {
                CheckKind::Questions { file: self.fill(file), phase: *phase }
            }
            Kind::VerdictIn { file, kind, accept } => CheckKind::VerdictIn {
                file: self.fill(file),
                kind: *kind,
                accept: accept.clone(),
                strength: claims::verdict_strength(&self.workflow.order, step),
            },
            Kind::Platform(_) => unreachable!("such a check is made into others"),
            Kind::NotYet => unreachable!("a workflow with such a check does not parse"),
        }
    }
}

/// A command that sees only some files sees its lock file as well.
fn with_lock(mut inputs: Vec<String>, lock: Option<&str>) -> Vec<String> {
    let lock = lock.map(globset::escape).filter(|_| !inputs.is_empty());
    inputs.extend(lock.filter(|lock| !inputs.contains(lock)));
    inputs
}

/// Two spokes of a team that write one file would take each other's work away, and where one
/// writes a file the other cannot have a folder.
fn shared_files(steps: &[PlanStep]) -> Vec<PlanError> {
    let mut writers: BTreeMap<Option<StepIndex>, Vec<(&str, &PlanStep)>> = BTreeMap::new();
    let mut errors = Vec::new();
    for step in steps {
        for path in &step.writes {
            let written = writers.entry(step.parent).or_default();
            let taken = written.iter().find(|(other, _)| glob::overlap(path, other));
            if let Some((_, other)) = taken {
                let (one, other) = (other.id.to_string(), step.id.to_string());
                errors.push(PlanError::SharedFile { path: path.clone(), one, other });
            }
            written.push((path, step));
        }
    }
    errors
}

/// A title has one line, whatever an issue's has.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn step_index(position: usize) -> StepIndex {
    StepIndex(u32::try_from(position).expect("a workflow has fewer than 2^32 steps"))
}

/// Returns the last part of the id with its first letter in upper case.
fn default_title(id: &StepId) -> String {
    let name = id.as_str().rsplit('/').next().unwrap_or_default();
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
