//! One step as written, before names are looked up.

use super::builtin;
use super::check;
use super::grammar::{self, PUBLISHED_TYPES};
use super::network;
use super::route::{self, WrittenFailed, WrittenRoute};
use super::settings;
use super::team;
use super::templates;
use super::unsupported;
use crate::plan::template::{Role, Template};
use crate::plan::{
    Backoff, CommitPolicy, Exhausted, GatePolicy, ReportEvery, Skip, StepNetwork, ValueType,
};
use crate::reach::HostRule;
use crate::source::diagnostic::{At, Findings, Located};
use crate::source::fields::{self, Fields};
use crate::source::name::is_name;
use crate::source::suggest::{nearest, shown};
use crate::source::yaml::{Node, Value};
use crate::time::Span;

/// More steps than anybody reads; the bound keeps checking quick.
pub(super) const MAX_STEPS: usize = 500;

/// The longest id of one step.
const LONGEST_ID: usize = 64;

/// Keys that a step with nested steps has only when it repeats them.
const FOREACH_KEYS: [&str; 6] = ["foreach", "max", "tasks", "stories", "report", "checkpoint"];

/// How many items there are at most unless a step says otherwise.
const MAX_ITEMS: u32 = 50;

/// A step as written.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) id: Located<String>,
    pub(crate) title: Option<String>,
    pub(crate) agent: Option<Located<String>>,
    pub(crate) backend: Option<String>,
    pub(crate) model: Option<Located<Template>>,
    pub(crate) task: Option<Located<Template>>,
    pub(crate) needs: Option<Vec<Located<String>>>,
    pub(crate) when: Option<Located<String>>,
    pub(crate) reads: Vec<Read>,
    pub(crate) publishes: Vec<(String, Publish)>,
    pub(crate) may_write: Vec<Located<Template>>,
    /// What a spoke of a team writes, and nothing else.
    pub(crate) writes: Vec<Located<Template>>,
    pub(crate) retries: Option<u32>,
    pub(crate) timeout: Option<Span>,
    pub(crate) idle_timeout: Option<Span>,
    pub(crate) network: Option<StepNetwork>,
    pub(crate) hosts: Vec<Located<HostRule>>,
    pub(crate) backoff: Option<Backoff>,
    pub(crate) gate: Option<GatePolicy>,
    pub(crate) on: Vec<WrittenRoute>,
    pub(crate) skip: Skip,
    pub(crate) exhausted: Exhausted,
    pub(crate) waive_keeps: bool,
    pub(crate) commit: CommitPolicy,
    pub(crate) done: Option<check::Written>,
    pub(crate) satisfied_ok: bool,
    pub(crate) trust_agent: bool,
    /// Whether the first part of `done` is what a try must not break.
    pub(crate) keeps: bool,
    /// The command that is the first try.
    pub(crate) fix: Option<Fix>,
    /// Where a step that windlass does itself goes back to.
    pub(crate) failed: Option<WrittenFailed>,
    /// Whether windlass does nothing but prove it.
    pub(crate) verifies: bool,
    /// The nested steps; `None` for a step that an agent works on.
    pub(crate) steps: Option<Vec<Step>>,
    /// Whether the nested steps are repeated.
    pub(crate) foreach: Option<Foreach>,
    /// The pull request, for a step that windlass does itself.
    pub(crate) pull_request: Option<builtin::PullRequest>,
}

impl Step {
    /// Returns the name of the agent that works on it.
    pub(crate) fn agent(&self) -> Option<&str> {
        self.agent.as_ref().map(|agent| agent.value.as_str())
    }
}

/// What is tried before the agent is asked.
#[derive(Clone, Debug)]
pub(crate) enum Fix {
    Command(Located<Template>),
    /// The platform's command that fixes what its linter finds.
    LintFix,
}

/// What is repeated over items.
#[derive(Clone, Debug)]
pub(crate) struct Foreach {
    pub(crate) at: At,
    pub(crate) max: u32,
    pub(crate) tasks: Option<Located<Template>>,
    pub(crate) stories: Option<Located<Template>>,
    pub(crate) report: Option<ReportEvery>,
    pub(crate) checkpoint: Option<Located<Template>>,
}

/// An entry of `reads`.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub(crate) file: Located<Template>,
    pub(crate) purpose: Option<String>,
    pub(crate) optional: bool,
}

/// A value of `publishes`.
#[derive(Clone, Debug)]
pub(crate) enum Publish {
    Path(Located<Template>),
    Value(ValueType),
}

/// Reads a list of steps.
pub(super) fn read_all(node: &Node, findings: &mut Findings) -> Option<Vec<Step>> {
    let nodes = fields::list(node, "steps", findings)?;
    if nodes.is_empty() {
        findings.error(node.at, "`steps` is empty: at least one step belongs there");
        return None;
    }
    if nodes.len() > MAX_STEPS {
        findings.error(node.at, format!("there are {} steps, more than {MAX_STEPS}", nodes.len()));
        return None;
    }
    Some(nodes.iter().filter_map(|node| read(node, findings)).collect())
}

fn read(node: &Node, findings: &mut Findings) -> Option<Step> {
    let fields = Fields::read(node, &grammar::STEP, findings)?;
    let id = read_id(&fields, findings);
    let name =
        id.as_ref().map_or("this step".to_owned(), |id| format!("step {}", shown(&id.value)));
    let at = id.as_ref().map_or(fields.at, |id| id.at);
    builtin::refuse_keys(&fields, findings);
    if let Some(node) = fields.get("builtin") {
        // Windlass does it, and what has to hold first is all that there is to prove.
        if matches!(&node.value, Value::Text(word) if word == "verify") {
            require_proof(&fields, &name, at, findings);
        }
    } else if fields.get("team").is_some() {
        team::refuse_keys(&fields, findings);
        require_proof(&fields, &name, at, findings);
    } else if fields.get("steps").is_some() {
        refuse_group_keys(&fields, findings);
    } else {
        require_agent_and_proof(&fields, &name, at, findings);
    }
    let step = Step {
        // A step without an id is reported; it goes on so that its other mistakes are too.
        id: id.clone().unwrap_or(Located { value: String::new(), at }),
        title: text(&fields, "title", findings),
        agent: fields.get("agent").and_then(|node| fields::filled_text(node, findings)),
        backend: text(&fields, "backend", findings),
        model: template(&fields, "model", Role::Setting, findings),
        task: template(&fields, "task", Role::Task, findings),
        needs: fields.get("needs").map(|node| names(node, findings)),
        when: fields.get("when").and_then(|node| fields::filled_text(node, findings)),
        reads: fields.get("reads").map(|node| read_reads(node, findings)).unwrap_or_default(),
        publishes: fields
            .get("publishes")
            .map(|node| read_publishes(node, findings))
            .unwrap_or_default(),
        may_write: fields
            .get("may_write")
            .map(|node| templates::templates(node, Role::FixedGlob, findings))
            .unwrap_or_default(),
        writes: Vec::new(),
        retries: fields.get("retries").and_then(|node| settings::read_retries(node, findings)),
        timeout: fields.get("timeout").and_then(|node| fields::span(node, findings)),
        idle_timeout: fields.get("idle_timeout").and_then(|node| fields::span(node, findings)),
        network: word(&fields, "network", &grammar::NETWORK, findings),
        hosts: fields
            .get("hosts")
            .map(|node| network::read_hosts(node, findings))
            .unwrap_or_default(),
        backoff: fields.get("backoff").and_then(|node| settings::read_backoff(node, findings)),
        gate: word(&fields, "gate", &grammar::GATE, findings),
        on: fields.get("on").map(|node| route::read_all(node, findings)).unwrap_or_default(),
        skip: word(&fields, "skip", &grammar::SKIP, findings).unwrap_or(Skip::Never),
        exhausted: word(&fields, "exhausted", &grammar::EXHAUSTED, findings)
            .unwrap_or(Exhausted::Pause),
        waive_keeps: read_waive(&fields, findings),
        commit: word(&fields, "commit", &grammar::COMMIT, findings).unwrap_or(CommitPolicy::Wip),
        done: read_done(&fields, findings),
        satisfied_ok: word(&fields, "satisfied", &grammar::OK, findings).unwrap_or(false),
        trust_agent: word(&fields, "trust", &grammar::TRUST, findings).unwrap_or(false),
        keeps: fields.get("keeps").is_some(),
        fix: read_fix(&fields, findings),
        failed: fields.get("failed").and_then(|node| route::read_failed(node, findings)),
        verifies: false,
        pull_request: None,
        foreach: read_foreach(&fields, findings),
        steps: match fields.get("steps") {
            Some(node) => Some(read_all(node, findings)?),
            None => None,
        },
    };
    id?;
    let step = builtin::complete(step, &fields, findings);
    match fields.get("team") {
        Some(node) => team::expand(step, node, findings),
        None => Some(step),
    }
}

/// Reads what proves a step; what it keeps has to hold as well, and comes first.
fn read_done(fields: &Fields<'_>, findings: &mut Findings) -> Option<check::Written> {
    let mut read = |key: &str| fields.get(key).map(|node| check::read(node, findings));
    let (keeps, done) = (read("keeps"), read("done"));
    match (keeps, done) {
        (Some(keeps), Some(done)) => Some(check::Written::All(vec![keeps?, done?])),
        (_, done) => done?,
    }
}

fn read_foreach(fields: &Fields<'_>, findings: &mut Findings) -> Option<Foreach> {
    let Some(node) = fields.get("foreach") else {
        for (key, at) in fields.keys().filter(|(key, _)| FOREACH_KEYS.contains(key)) {
            findings.error_with_help(
                at,
                format!("`{key}` has no meaning without `foreach`"),
                "add `foreach: items` to repeat the nested `steps`",
            );
        }
        return None;
    };
    let max = fields.get("max").map(|node| fields::small_count(node, 1, findings));
    let tasks = template(fields, "tasks", Role::Path, findings);
    // After a mistake the step still repeats, so that what is inside is not reported as well.
    let _ = fields::word(node, &grammar::FOREACH, findings);
    if fields.get("steps").is_none() {
        findings.error_with_help(
            node.at,
            "`foreach` has nothing to repeat",
            "nest `steps` in this step: they are done once for every item",
        );
        return None;
    }
    let stories = template(fields, "stories", Role::Path, findings);
    if let (Some(_), Some(stories)) = (&tasks, &stories) {
        findings.error_with_help(
            stories.at,
            "items come from `tasks` or from `stories`, not from both",
            "keep one of them",
        );
    }
    let report = fields.get("report").and_then(|node| read_report(node, findings));
    let checkpoint = fields.get("checkpoint").and_then(|node| {
        if let Value::Number(number) = &node.value {
            return templates::template_of(number, node.at, Role::Setting, findings);
        }
        templates::template(node, Role::Setting, findings)
    });
    let max = max.flatten().unwrap_or(MAX_ITEMS);
    Some(Foreach { at: node.at, max, tasks, stories, report, checkpoint })
}

/// Reads whether the work of a waived step stays; it needs bounds that it can be held to.
fn read_waive(fields: &Fields<'_>, findings: &mut Findings) -> bool {
    let Some(node) = fields.get("waive") else { return false };
    let keeps = fields::word(node, &grammar::WAIVE, findings).unwrap_or(false);
    let waives = fields
        .get("exhausted")
        .is_some_and(|node| matches!(&node.value, Value::Text(text) if text == "waive"));
    if !waives {
        findings.error_with_help(
            node.at,
            "`waive` has no meaning without `exhausted: waive`",
            "add `exhausted: waive`, or remove the line",
        );
    } else if fields.get("may_write").is_none() {
        findings.error_with_help(
            node.at,
            "`waive: keep` needs `may_write`",
            "say which files may stay although nothing proves them",
        );
    }
    keeps
}

fn read_fix(fields: &Fields<'_>, findings: &mut Findings) -> Option<Fix> {
    let node = fields.get("fix")?;
    if let Value::Map(_) = &node.value {
        let fields = Fields::read(node, &grammar::PLATFORM_FIX, findings)?;
        let word = fields.get("platform").map(|node| fields::word(node, &grammar::FIXES, findings));
        return word.flatten().map(|()| Fix::LintFix);
    }
    template(fields, "fix", Role::Command, findings).map(Fix::Command)
}

fn read_report(node: &Node, findings: &mut Findings) -> Option<ReportEvery> {
    let fields = Fields::read(node, &grammar::REPORT, findings)?;
    let items = fields.get("items").and_then(|node| fields::small_count(node, 1, findings));
    let time = fields.get("time").and_then(|node| fields::span(node, findings));
    Some(ReportEvery { items, time })
}

fn read_id(fields: &Fields<'_>, findings: &mut Findings) -> Option<Located<String>> {
    let id = fields::filled_text(fields.required("id", "a step", findings)?, findings)?;
    check_id(&id, findings);
    // A bad id still names the step, so that those who need it are not reported as well.
    Some(id)
}

/// Reports a name that cannot be an id.
pub(super) fn check_id(id: &Located<String>, findings: &mut Findings) {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let fits = id.value.starts_with(allowed)
        && id.value.chars().all(|c| allowed(c) || c == '_' || c == '-')
        && id.value.len() <= LONGEST_ID;
    if !fits {
        findings.error_with_help(
            id.at,
            format!("{} cannot be an id", shown(&id.value)),
            format!(
                "use lower-case letters, digits, `-` and `_`, no `-` or `_` in front, at most \
                 {LONGEST_ID}"
            ),
        );
    }
}

/// Returns whether a step that nobody works on may have this key.
fn on_groups(key: &str) -> bool {
    grammar::STEP.keys.iter().any(|known| known.name == key && known.on_groups)
}

fn refuse_group_keys(fields: &Fields<'_>, findings: &mut Findings) {
    for (key, at) in fields.keys() {
        // Keys that are not supported yet are reported already.
        if !on_groups(key) && !unsupported::STEP_KEYS.contains(&key) {
            findings.error_with_help(
                at,
                format!("`{key}` has no meaning on a step with nested `steps`"),
                "nobody works on the step itself: move the key to the steps inside it",
            );
        }
    }
}

fn require_agent_and_proof(fields: &Fields<'_>, name: &str, at: At, findings: &mut Findings) {
    if fields.get("agent").is_none() {
        findings.error_with_help(
            at,
            format!("nobody works on {name}"),
            "name an `agent` or a `team`, or nest `steps` in it",
        );
    }
    require_proof(fields, name, at, findings);
}

fn require_proof(fields: &Fields<'_>, name: &str, at: At, findings: &mut Findings) {
    if fields.get("done").is_none() {
        findings.error_with_help(
            at,
            format!("nothing proves {name}"),
            "say what must hold under `done`, such as `{run: make test}` or `{diff: any}`",
        );
    }
}

pub(super) fn text(fields: &Fields<'_>, key: &str, findings: &mut Findings) -> Option<String> {
    Some(fields::filled_text(fields.get(key)?, findings)?.value)
}

pub(super) fn template(
    fields: &Fields<'_>,
    key: &str,
    role: Role,
    findings: &mut Findings,
) -> Option<Located<Template>> {
    templates::template(fields.get(key)?, role, findings)
}

fn word<T: Copy>(
    fields: &Fields<'_>,
    key: &str,
    words: &[(&str, T)],
    findings: &mut Findings,
) -> Option<T> {
    fields::word(fields.get(key)?, words, findings)
}

fn names(node: &Node, findings: &mut Findings) -> Vec<Located<String>> {
    fields::one_or_more(node)
        .iter()
        .filter_map(|node| fields::filled_text(node, findings))
        .collect()
}

pub(super) fn read_reads(node: &Node, findings: &mut Findings) -> Vec<Read> {
    let nodes = fields::list(node, "files", findings).unwrap_or_default();
    nodes.iter().filter_map(|node| read_read(node, findings)).collect()
}

fn read_read(node: &Node, findings: &mut Findings) -> Option<Read> {
    if let Value::Text(_) = node.value {
        let file = templates::template(node, Role::Path, findings)?;
        return Some(Read { file, purpose: None, optional: false });
    }
    let fields = Fields::read(node, &grammar::READ, findings)?;
    let file = fields.required("file", "an entry of `reads`", findings)?;
    let file = templates::template(file, Role::Path, findings);
    let purpose = text(&fields, "as", findings);
    let optional = fields.get("optional").and_then(|node| fields::boolean(node, findings));
    Some(Read { file: file?, purpose, optional: optional.unwrap_or(false) })
}

/// What other languages call those types; as a path each is surely a mistake.
const TYPES_ELSEWHERE: [(&str, &str); 7] = [
    ("bool", "boolean"),
    ("int", "integer"),
    ("float", "number"),
    ("str", "string"),
    ("text", "string"),
    ("list", "array"),
    ("map", "object"),
];

fn read_publishes(node: &Node, findings: &mut Findings) -> Vec<(String, Publish)> {
    let mut publishes = Vec::new();
    for (key, at, node) in fields::entries(node, "`publishes`", findings).unwrap_or_default() {
        if !key.split('.').all(is_name) {
            findings.error_with_help(
                at,
                format!("{} cannot be a context key", shown(key)),
                "use names of letters, digits and `_`, joined with dots",
            );
            continue;
        }
        if let Some(publish) = read_publish(node, findings) {
            publishes.push((key.to_owned(), publish));
        }
    }
    publishes
}

fn read_publish(node: &Node, findings: &mut Findings) -> Option<Publish> {
    let text = fields::filled_text(node, findings)?;
    if let Some((_, value)) = PUBLISHED_TYPES.iter().find(|(word, _)| *word == text.value) {
        return Some(Publish::Value(*value));
    }
    let elsewhere = TYPES_ELSEWHERE.iter().find(|(word, _)| *word == text.value);
    let meant = elsewhere.map(|(_, word)| *word).or_else(|| {
        let is_word = text.value.chars().all(|c| c.is_ascii_alphabetic());
        nearest(&text.value, PUBLISHED_TYPES.iter().map(|(word, _)| *word)).filter(|_| is_word)
    });
    if let Some(meant) = meant {
        findings.warning(
            node.at,
            format!("{} is not a type, so it is read as a path", shown(&text.value)),
            format!("did you mean `{meant}`?"),
        );
    }
    Some(Publish::Path(templates::template(node, Role::Path, findings)?))
}
