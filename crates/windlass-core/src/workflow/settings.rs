//! What holds for the whole workflow: defaults, limits, preparation.

use super::grammar;
use super::room;
use super::templates;
use crate::plan::template::{Role, Template};
use crate::plan::{Backoff, StepNetwork};
use crate::source::diagnostic::{Findings, Located};
use crate::source::fields::{self, Fields};
use crate::source::yaml::{Node, Value};
use crate::time::Span;

/// How long a command of `prepare` may take: installing dependencies is slow.
const PREPARE_TIMEOUT: Span = Span::minutes(30);

/// What steps have unless they say otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Defaults {
    pub(crate) retries: u32,
    pub(crate) timeout: Span,
    pub(crate) idle_timeout: Span,
    pub(crate) network: StepNetwork,
    pub(crate) backoff: Backoff,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            retries: 3,
            timeout: Span::minutes(30),
            idle_timeout: Span::minutes(10),
            network: StepNetwork::On,
            backoff: Backoff { initial: Span::seconds(5), max: Span::hours(1) },
        }
    }
}

/// The budget; without a number of attempts the worst case is the limit, and never so little that
/// a person's feedback meets it at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenLimits {
    pub(crate) cost_usd: f64,
    pub(crate) wall: Span,
    pub(crate) attempts: Option<u64>,
}

impl Default for WrittenLimits {
    fn default() -> Self {
        Self { cost_usd: 25.0, wall: Span::hours(8), attempts: None }
    }
}

/// One command that makes a clean tree ready.
#[derive(Clone, Debug)]
pub(crate) struct WrittenPrepare {
    pub(crate) folder: Option<Located<Template>>,
    pub(crate) run: Located<Template>,
    pub(crate) lock: Option<Located<Template>>,
    pub(crate) timeout: Span,
    pub(crate) inputs: Vec<Located<Template>>,
    pub(crate) expose: Vec<String>,
}

pub(super) fn read_defaults(node: &Node, findings: &mut Findings) -> Defaults {
    let mut defaults = Defaults::default();
    let Some(fields) = Fields::read(node, &grammar::DEFAULTS, findings) else { return defaults };
    if let Some(retries) = fields.get("retries").and_then(|node| read_retries(node, findings)) {
        defaults.retries = retries;
    }
    if let Some(span) = fields.get("timeout").and_then(|node| fields::span(node, findings)) {
        defaults.timeout = span;
    }
    if let Some(span) = fields.get("idle_timeout").and_then(|node| fields::span(node, findings)) {
        defaults.idle_timeout = span;
    }
    if let Some(node) = fields.get("network")
        && let Some(network) = fields::word(node, &grammar::NETWORK, findings)
    {
        defaults.network = network;
    }
    if let Some(backoff) = fields.get("backoff").and_then(|node| read_backoff(node, findings)) {
        defaults.backoff = backoff;
    }
    defaults
}

/// Reads `retries`, which counts tries in all.
pub(super) fn read_retries(node: &Node, findings: &mut Findings) -> Option<u32> {
    if matches!(&node.value, Value::Number(text) if text == "0") {
        findings.error_with_help(
            node.at,
            "`retries: 0` allows no try at all",
            "`retries` counts tries, the first included: write 1 for a single one",
        );
        return None;
    }
    fields::small_count(node, 1, findings)
}

/// Reads `backoff`: a span to begin with, or both ends.
pub(super) fn read_backoff(node: &Node, findings: &mut Findings) -> Option<Backoff> {
    let standard = Defaults::default().backoff;
    if !matches!(node.value, Value::Map(_)) {
        let initial = fields::span(node, findings)?;
        return Some(Backoff { initial, max: standard.max.max(initial) });
    }
    let fields = Fields::read(node, &grammar::BACKOFF, findings)?;
    let initial = fields.get("initial").and_then(|node| fields::span(node, findings));
    let max = fields.get("max").and_then(|node| fields::span(node, findings));
    if let (Some(initial), Some(max)) = (initial, max)
        && initial > max
    {
        findings.error(node.at, "`initial` is longer than `max`");
        return None;
    }
    let initial = initial.unwrap_or(max.map_or(standard.initial, |max| max.min(standard.initial)));
    Some(Backoff { initial, max: max.unwrap_or(standard.max.max(initial)) })
}

pub(super) fn read_limits(node: &Node, findings: &mut Findings) -> WrittenLimits {
    let mut limits = WrittenLimits::default();
    let Some(fields) = Fields::read(node, &grammar::LIMITS, findings) else { return limits };
    let cost = fields.get("cost_usd").and_then(|node| fields::positive_number(node, findings));
    limits.cost_usd = cost.unwrap_or(limits.cost_usd);
    let wall = fields.get("wall").and_then(|node| fields::span(node, findings));
    limits.wall = wall.unwrap_or(limits.wall);
    limits.attempts = fields.get("attempts").and_then(|node| fields::count(node, 1, findings));
    limits
}

pub(super) fn read_prepare(node: &Node, findings: &mut Findings) -> Vec<WrittenPrepare> {
    let nodes = fields::list(node, "commands", findings).unwrap_or_default();
    nodes.iter().filter_map(|node| read_command(node, findings)).collect()
}

fn read_command(node: &Node, findings: &mut Findings) -> Option<WrittenPrepare> {
    let fields = Fields::read(node, &grammar::PREPARE, findings)?;
    let run = fields.required("run", "an entry of `prepare`", findings)?;
    let run = templates::template(run, Role::Command, findings);
    let mut path = |key: &str| {
        fields.get(key).and_then(|node| templates::template(node, Role::FixedPath, findings))
    };
    let (folder, lock) = (path("in"), path("lock"));
    let timeout = fields.get("timeout").and_then(|node| fields::span(node, findings));
    let inputs =
        fields.get("inputs").map(|node| templates::templates(node, Role::FixedGlob, findings));
    let expose = fields.get("room").map(|node| room::read_exposed(node, findings));
    Some(WrittenPrepare {
        folder,
        run: run?,
        lock,
        timeout: timeout.unwrap_or(PREPARE_TIMEOUT),
        inputs: inputs.unwrap_or_default(),
        expose: expose.unwrap_or_default(),
    })
}
