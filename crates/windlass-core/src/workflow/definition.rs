//! A workflow file, read and checked.

use std::collections::BTreeMap;

use super::attempts;
use super::check::{self, Kind, Written};
use super::claims;
use super::foreach;
use super::grammar;
use super::input::{self, Input};
use super::mcp;
use super::network;
use super::order::{self, Order};
use super::placeholder;
use super::protect::{self, WrittenProtect};
use super::route;
use super::settings::{self, Defaults, WrittenLimits, WrittenPrepare};
use super::step;
use super::tdd_check;
use super::templates;
use crate::id::ContentHash;
use crate::mcp::McpServer;
use crate::plan::BaselinePolicy;
use crate::plan::template::{Role, Template};
use crate::platform::NONE;
use crate::source::diagnostic::{At, Diagnostic, Findings, Located, unknown_name};
use crate::source::fields::{self, Fields};
use crate::source::yaml::{self, Node, Value};

/// A workflow file that can be planned.
#[derive(Clone, Debug)]
pub struct Workflow {
    pub(super) file: String,
    pub(crate) source: ContentHash,
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) defaults: Defaults,
    pub(crate) limits: WrittenLimits,
    pub(crate) platform: Option<Located<String>>,
    pub(crate) prepare: Vec<WrittenPrepare>,
    pub(crate) carry: Vec<Located<Template>>,
    pub(crate) protect: WrittenProtect,
    pub(crate) recheck: Vec<Written>,
    pub(crate) baseline: BaselinePolicy,
    pub(crate) cold: bool,
    pub(crate) mcp: BTreeMap<String, McpServer>,
    pub(crate) order: Order,
    warnings: Vec<Diagnostic>,
}

impl Workflow {
    /// Reads the text of a workflow file; `file_name` is what findings call it.
    ///
    /// All findings of one reading come back together, in the order of the file, and at least one
    /// of them is an error.
    pub fn parse(source: &str, file_name: &str) -> Result<Self, Vec<Diagnostic>> {
        let mut findings = Findings::new(file_name);
        match read(source, file_name, &mut findings) {
            Some(workflow) if !findings.has_errors() => {
                Ok(Self { warnings: findings.into_sorted(), ..workflow })
            }
            Some(_) | None => Err(findings.into_sorted()),
        }
    }

    /// Returns the MCP servers that it offers to its agents.
    pub fn servers(&self) -> &BTreeMap<String, McpServer> {
        &self.mcp
    }

    /// Reads the bytes of a workflow file.
    pub fn parse_bytes(source: &[u8], file_name: &str) -> Result<Self, Vec<Diagnostic>> {
        let mut findings = Findings::new(file_name);
        match findings.utf8(source) {
            Some(text) => Self::parse(text, file_name),
            None => Err(findings.into_sorted()),
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the title, which is the name where the file gives none.
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    /// Returns the platform that it asks for: a name, or the word for looking which; none for none.
    pub fn platform(&self) -> Option<&str> {
        self.platform.as_ref().map(|platform| platform.value.as_str())
    }

    /// Returns whether what judges the work may be looked for: the file does not say `protect: none`.
    pub fn protects(&self) -> bool {
        !self.protect.none
    }

    /// Returns what the file was called when it was read.
    pub fn file_name(&self) -> &str {
        &self.file
    }

    /// Returns the declared inputs in the order of the file.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Returns what the author should know although the workflow can run.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Returns the most attempts that a run can use, not counting human feedback.
    pub fn worst_case_attempts(&self) -> u64 {
        attempts::worst_case(&self.order, &self.defaults, self.cold)
    }
}

fn read(source: &str, file_name: &str, findings: &mut Findings) -> Option<Workflow> {
    let root = yaml::parse(source, findings)?;
    if let Value::Null = root.value {
        findings.error_with_help(
            At::START,
            "the file is empty",
            "a workflow begins with `workflow: NAME` and has `steps`",
        );
        return None;
    }
    let fields = Fields::read(&root, &grammar::WORKFLOW, findings)?;
    let name = fields.required("workflow", "a workflow file", findings);
    let name = name.and_then(|node| fields::filled_text(node, findings));
    if let Some(name) = &name {
        step::check_id(name, findings);
    }
    let title = fields.get("title").and_then(|node| fields::filled_text(node, findings));
    let platform = fields.get("platform").and_then(|node| fields::filled_text(node, findings));
    if let Some(platform) = &platform {
        step::check_id(platform, findings);
    }
    let inputs = fields.get("inputs").map(|node| input::read_all(node, findings));
    let defaults = fields.get("defaults").map(|node| settings::read_defaults(node, findings));
    let limits = fields.get("limits").map(|node| settings::read_limits(node, findings));
    let prepare = fields.get("prepare").map(|node| settings::read_prepare(node, findings));
    let carry = fields.get("carry");
    let carry = carry.map(|node| templates::templates(node, Role::FixedGlob, findings));
    let protect = fields.get("protect").map(|node| protect::read(node, findings));
    let recheck = fields.get("recheck").map(|node| read_recheck(node, findings));
    let baseline = fields.get("baseline");
    let baseline = baseline.and_then(|node| fields::word(node, &grammar::BASELINE, findings));
    let cold = fields.get("cold").and_then(|node| fields::boolean(node, findings));
    let mcp = fields.get("mcp").map(|node| mcp::read_all(node, findings));
    let steps = fields.required("steps", "a workflow file", findings);
    let steps = steps.and_then(|node| step::read_all(node, findings));
    let order = steps.and_then(|steps| order::order(steps, findings));
    let mut workflow = Workflow {
        file: file_name.to_owned(),
        source: ContentHash::of(source.as_bytes()),
        name: name.map(|name| name.value).unwrap_or_default(),
        title: title.map(|title| title.value),
        inputs: inputs.unwrap_or_default(),
        defaults: defaults.unwrap_or_default(),
        limits: limits.unwrap_or_default(),
        platform: platform.filter(|platform| platform.value != NONE),
        prepare: prepare.unwrap_or_default(),
        carry: carry.unwrap_or_default(),
        protect: protect.unwrap_or_default(),
        recheck: recheck.unwrap_or_default(),
        baseline: baseline.unwrap_or_default(),
        cold: cold.unwrap_or(true),
        mcp: mcp.unwrap_or_default(),
        order: order?,
        warnings: Vec::new(),
    };
    foreach::check(&workflow.order, &workflow.protect, findings);
    network::check(&workflow.order, workflow.defaults.network, findings);
    platform_is_named(&workflow, findings);
    route::resolve(&mut workflow.order, findings);
    claims::check(&workflow.order, findings);
    tdd_check::check(&workflow.order, findings);
    for (name, at) in placeholder::unknown_inputs(&workflow) {
        let known = workflow.inputs.iter().map(|input| input.name.as_str());
        unknown_name(findings, at, "input", &name, known);
    }
    for (name, at) in placeholder::items_outside(&workflow) {
        findings.error_with_help(
            at,
            format!("`{{item.{name}}}` is known only where steps are repeated"),
            "use it in the steps that are nested in a step with `foreach: items`",
        );
    }
    Some(workflow)
}

/// Reads what has to hold before a run goes on that a blocker kept: nobody has worked since, so only
/// commands can say anything.
fn read_recheck(node: &Node, findings: &mut Findings) -> Vec<Written> {
    let mut all = Vec::new();
    for node in fields::one_or_more(node) {
        let Some(written) = check::read(node, findings) else { continue };
        if written
            .checks()
            .iter()
            .any(|check| !matches!(check.kind, Kind::Platform(_)) && check.kind.command().is_none())
        {
            findings.error_with_help(
                node.at,
                "`recheck` takes commands only",
                "use `run`, or another check with a command",
            );
        }
        all.push(written);
    }
    all
}

/// Reports the first check of a platform in a workflow that has none.
fn platform_is_named(workflow: &Workflow, findings: &mut Findings) {
    if workflow.platform.is_some() {
        return;
    }
    let steps = workflow.order.steps.iter().filter_map(|step| step.step.done.as_ref());
    let mut checks = steps.flat_map(|done| done.checks());
    if let Some(check) = checks.find(|check| matches!(check.kind, Kind::Platform(_))) {
        findings.error_with_help(
            check.at,
            "this check is about the platform, and the workflow has none",
            "add `platform: detect` at the top of the file",
        );
    }
}
