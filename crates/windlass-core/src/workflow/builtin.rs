//! A step that windlass itself does.

use super::check::{self, Written};
use super::diagnostic::{Findings, Located};
use super::fields::{self, Fields};
use super::grammar;
use super::step::{Step, template};
use super::yaml::Node;
use crate::plan::CommitPolicy;
use crate::plan::template::{Role, Template};

/// What a workflow says about the pull request that it ends in.
#[derive(Clone, Debug, Default)]
pub(crate) struct PullRequest {
    pub(crate) title: Option<Located<Template>>,
    pub(crate) base: Option<Located<Template>>,
    pub(crate) draft: bool,
}

/// Keys that a step which windlass itself does can have.
pub(super) const KEYS: [&str; 8] =
    ["id", "title", "needs", "when", "gate", "builtin", "before", "pull_request"];

/// Reports keys that belong to a step of windlass, on a step that is none; and the other way round.
pub(super) fn refuse_keys(fields: &Fields<'_>, findings: &mut Findings) {
    if fields.get("builtin").is_none() {
        for (key, at) in fields.keys().filter(|(key, _)| ["before", "pull_request"].contains(key)) {
            findings.error_with_help(
                at,
                format!("`{key}` has no meaning without `builtin`"),
                "add `builtin: pull-request`, or say under `done` what proves the step",
            );
        }
        return;
    }
    for (key, at) in fields.keys().filter(|(key, _)| !KEYS.contains(key)) {
        findings.error_with_help(
            at,
            format!("`{key}` has no meaning on a step with `builtin`"),
            "windlass does the step itself; what has to hold first stands under `before`",
        );
    }
}

/// Turns a step as written into one that windlass does: what has to hold `before` is its criterion.
pub(super) fn complete(step: Step, fields: &Fields<'_>, findings: &mut Findings) -> Step {
    let Some(node) = fields.get("builtin") else { return step };
    // After a mistake the step is still windlass's own, so that nothing else is reported of it.
    let _ = fields::word(node, &grammar::BUILTIN, findings);
    let before = fields.get("before").map(|node| read_before(node, findings)).unwrap_or_default();
    let request = fields.get("pull_request").and_then(|node| read_request(node, findings));
    Step {
        done: Some(Written::All(before)),
        pull_request: Some(request.unwrap_or_default()),
        // What earlier steps proved and did not commit belongs to what is published.
        commit: CommitPolicy::Wip,
        ..step
    }
}

fn read_before(node: &Node, findings: &mut Findings) -> Vec<Written> {
    let nodes = fields::one_or_more(node);
    nodes.iter().filter_map(|node| check::read(node, findings)).collect()
}

fn read_request(node: &Node, findings: &mut Findings) -> Option<PullRequest> {
    let fields = Fields::read(node, &grammar::PULL_REQUEST, findings)?;
    let draft = fields.get("draft").and_then(|node| fields::boolean(node, findings));
    Some(PullRequest {
        title: template(&fields, "title", Role::Line, findings),
        base: template(&fields, "base", Role::Setting, findings),
        draft: draft.unwrap_or(false),
    })
}
