//! A team, which is short for a group: spokes that work side by side, then a hub.
//!
//! `plan` with a team becomes the steps `plan/SPOKE`, one for each spoke, and `plan/hub`, nested in
//! the group `plan`. What the step itself says about proof, publishing and gates is said of the hub;
//! its `needs`, `when`, `network` and `hosts` hold for all of them.

use super::check::{Check, Kind, Written};
use super::grammar;
use super::settings;
use super::step::{self, Read, Step};
use super::templates;
use crate::glob;
use crate::plan::template::{Role, Template};
use crate::plan::{CommitPolicy, Exhausted, Skip};
use crate::source::diagnostic::{Findings, Located};
use crate::source::fields::{self, Fields};
use crate::source::suggest::shown;
use crate::source::yaml::Node;

/// More agents at once than a machine or a budget is likely to bear.
pub(super) const MAX_SPOKES: usize = 16;

/// What the last step of a team is called.
const HUB: &str = "hub";

/// Keys of a step that a team says elsewhere.
pub(super) const SAID_ELSEWHERE: [(&str, &str); 11] = [
    ("agent", "name it in `hub`"),
    ("backend", "name it in `hub`"),
    ("model", "name it in `hub`"),
    ("task", "write it in `hub`"),
    ("keeps", "put a step without a team behind it"),
    ("fix", "put a step without a team behind it"),
    ("steps", "a team makes its own steps"),
    ("skip", "use `when` on the step or on a spoke"),
    ("foreach", "nest the step with the `team` in one that repeats"),
    ("max", "nest the step with the `team` in one that repeats"),
    ("tasks", "nest the step with the `team` in one that repeats"),
];

/// Reports keys that have no meaning beside a team.
pub(super) fn refuse_keys(fields: &Fields<'_>, findings: &mut Findings) {
    for (key, at) in fields.keys() {
        if let Some((_, help)) = SAID_ELSEWHERE.iter().find(|(name, _)| *name == key) {
            let message = format!("`{key}` has no meaning on a step with a `team`");
            findings.error_with_help(at, message, *help);
        }
    }
}

/// Makes the group that a step with a team stands for.
pub(super) fn expand(step: Step, node: &Node, findings: &mut Findings) -> Option<Step> {
    let fields = Fields::read(node, &grammar::TEAM, findings)?;
    let spokes = fields.required("spokes", "a `team`", findings);
    let spokes = spokes.and_then(|node| read_spokes(node, findings));
    let hub = fields.required("hub", "a `team`", findings);
    let hub = hub.and_then(|node| Fields::read(node, &grammar::HUB, findings));
    let (mut spokes, hub_fields) = (spokes?, hub?);
    let hub_title = step::text(&hub_fields, "title", findings);
    let agent = hub_fields.required("agent", "a `hub`", findings);
    let mut hub = Step {
        id: Located { value: HUB.to_owned(), at: hub_fields.at },
        title: hub_title.or_else(|| step.title.as_ref().map(|title| format!("{title}: together"))),
        agent: agent.and_then(|node| fields::filled_text(node, findings)),
        backend: step::text(&hub_fields, "backend", findings),
        model: step::template(&hub_fields, "model", Role::Setting, findings),
        task: step::template(&hub_fields, "task", Role::Task, findings),
        needs: Some(spokes.iter().map(|spoke| spoke.id.clone()).collect()),
        when: None,
        ..step.clone()
    };
    hub.reads = spokes.iter().flat_map(papers_of).collect();
    hub.reads.extend(
        hub_fields.get("reads").map(|n| step::read_reads(n, findings)).into_iter().flatten(),
    );
    hub.reads.extend(step.reads.iter().cloned());
    for spoke in &mut spokes {
        spoke.network = step.network;
        spoke.hosts.clone_from(&step.hosts);
    }
    spokes.push(hub);
    Some(Step {
        title: step.title,
        needs: step.needs,
        when: step.when,
        steps: Some(spokes),
        ..Step::empty(step.id)
    })
}

/// What the hub reads of a spoke; one that may be skipped may have written nothing.
fn papers_of(spoke: &Step) -> impl Iterator<Item = Read> {
    let purpose = format!("work of {}", spoke.id.value);
    let optional = spoke.when.is_some();
    let read = move |file: &Located<Template>| Read {
        file: used_late(file),
        purpose: Some(purpose.clone()),
        optional,
    };
    spoke.writes.iter().map(read)
}

fn read_spokes(node: &Node, findings: &mut Findings) -> Option<Vec<Step>> {
    let nodes = fields::list(node, "spokes", findings)?;
    if nodes.is_empty() || nodes.len() > MAX_SPOKES {
        let message = format!("a team has 1 to {MAX_SPOKES} spokes, and here are {}", nodes.len());
        findings.error(node.at, message);
        return None;
    }
    let spokes: Vec<Step> = nodes.iter().filter_map(|node| read_spoke(node, findings)).collect();
    refuse_shared_files(&spokes, findings);
    Some(spokes)
}

fn read_spoke(node: &Node, findings: &mut Findings) -> Option<Step> {
    let fields = Fields::read(node, &grammar::SPOKE, findings)?;
    let agent = fields.required("agent", "a spoke", findings);
    let agent = agent.and_then(|node| fields::filled_text(node, findings));
    let id = match fields.get("id") {
        Some(node) => fields::filled_text(node, findings),
        None => agent.clone(),
    };
    if let Some(id) = &id {
        step::check_id(id, findings);
        if id.value == HUB {
            findings.error_with_help(id.at, "`hub` is the last step of a team", "use another `id`");
            return None;
        }
    }
    let writes = fields.required("writes", "a spoke", findings);
    let writes = writes.map(|node| templates::templates(node, Role::Written, findings));
    let (agent, writes) = (agent?, writes?);
    Some(Step {
        title: step::text(&fields, "title", findings),
        agent: Some(agent),
        backend: step::text(&fields, "backend", findings),
        model: step::template(&fields, "model", Role::Setting, findings),
        task: step::template(&fields, "task", Role::Task, findings),
        // Spokes wait for what the group waits for, and for nothing of each other.
        needs: Some(Vec::new()),
        when: fields.get("when").and_then(|node| fields::filled_text(node, findings)),
        reads: fields.get("reads").map(|n| step::read_reads(n, findings)).unwrap_or_default(),
        retries: fields.get("retries").and_then(|node| settings::read_retries(node, findings)),
        timeout: fields.get("timeout").and_then(|node| fields::span(node, findings)),
        idle_timeout: fields.get("idle_timeout").and_then(|node| fields::span(node, findings)),
        done: Some(Written::All(writes.iter().map(is_written).collect())),
        commit: CommitPolicy::Never,
        writes,
        ..Step::empty(id?)
    })
}

/// A spoke is done when its files are there and new.
fn is_written(file: &Located<Template>) -> Written {
    let glob = used_late(file);
    let kind = Kind::File { glob, stale_ok: false, min_bytes: Some(1), contains: None };
    Written::Check(Box::new(Check { at: file.at, kind }))
}

fn used_late(file: &Located<Template>) -> Located<Template> {
    Located { value: file.value.used_late(), at: file.at }
}

/// Two spokes that write one file would take each other's work away, and where one writes a file
/// the other cannot have a folder. Paths with placeholders are compared when they are filled in.
fn refuse_shared_files(spokes: &[Step], findings: &mut Findings) {
    let files: Vec<(&Step, &Located<Template>)> = spokes
        .iter()
        .flat_map(|spoke| spoke.writes.iter().map(move |file| (spoke, file)))
        .collect();
    for (position, (spoke, file)) in files.iter().enumerate() {
        let earlier = files[..position].iter().find(|(_, other)| {
            let fixed = (other.value.fixed(), file.value.fixed());
            let overlap = matches!(fixed, (Some(one), Some(other)) if glob::overlap(&one, &other));
            other.value == file.value || overlap
        });
        if let Some((other, _)) = earlier {
            findings.error_with_help(
                file.at,
                format!(
                    "spokes {} and {} write the same file",
                    shown(&other.id.value),
                    shown(&spoke.id.value)
                ),
                "give each spoke a file of its own",
            );
        }
    }
}

impl Step {
    /// A step that says nothing but its name.
    fn empty(id: Located<String>) -> Self {
        Self {
            id,
            title: None,
            agent: None,
            backend: None,
            model: None,
            task: None,
            needs: None,
            when: None,
            reads: Vec::new(),
            publishes: Vec::new(),
            may_write: Vec::new(),
            writes: Vec::new(),
            retries: None,
            timeout: None,
            idle_timeout: None,
            network: None,
            hosts: Vec::new(),
            backoff: None,
            gate: None,
            on: Vec::new(),
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
            verifies: false,
            foreach: None,
            pull_request: None,
            steps: None,
        }
    }
}
