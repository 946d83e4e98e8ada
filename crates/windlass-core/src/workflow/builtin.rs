//! A step that windlass itself does.

use super::check::{self, Written};
use super::grammar::{self, Builtin};
use super::step::{Step, template};
use crate::plan::CommitPolicy;
use crate::plan::template::{Role, Template};
use crate::source::diagnostic::{Findings, Located};
use crate::source::fields::{self, Fields};
use crate::source::yaml::Node;

/// What a workflow says about the pull request that it ends in.
#[derive(Clone, Debug, Default)]
pub(crate) struct PullRequest {
    pub(crate) title: Option<Located<Template>>,
    pub(crate) base: Option<Located<Template>>,
    pub(crate) draft: bool,
}

/// Keys of a step that publishes.
pub(super) const PUBLISH_KEYS: [&str; 9] =
    ["id", "title", "needs", "when", "gate", "builtin", "before", "pull_request", "failed"];

/// Keys of a step that only proves.
pub(super) const VERIFY_KEYS: [&str; 9] =
    ["id", "title", "needs", "when", "gate", "builtin", "done", "failed", "exhausted"];

/// Keys that only a step which windlass does itself can have.
pub(super) const OWN_KEYS: [&str; 3] = ["before", "pull_request", "failed"];

/// Which step of windlass this is; one with a mistake in its name publishes, so that nothing else is
/// reported of it.
fn which(node: &Node, findings: &mut Findings) -> Builtin {
    fields::word(node, &grammar::BUILTIN, findings).unwrap_or(Builtin::PullRequest)
}

/// Reports keys that belong to a step of windlass, on a step that is none; and the other way round.
pub(super) fn refuse_keys(fields: &Fields<'_>, findings: &mut Findings) {
    let Some(node) = fields.get("builtin") else {
        for (key, at) in fields.keys().filter(|(key, _)| OWN_KEYS.contains(key)) {
            findings.error_with_help(
                at,
                format!("`{key}` has no meaning without `builtin`"),
                "add `builtin: pull-request`, or say under `done` what proves the step",
            );
        }
        return;
    };
    // A mistake in the word is reported when it is read for good.
    let (known, help): (&[&str], _) = match which(node, &mut Findings::new("")) {
        Builtin::PullRequest => (
            &PUBLISH_KEYS,
            "windlass does the step itself; what has to hold first stands under `before`",
        ),
        Builtin::Verify => {
            (&VERIFY_KEYS, "nobody works on the step; what has to hold stands under `done`")
        }
    };
    for (key, at) in fields.keys().filter(|(key, _)| !known.contains(key)) {
        let message = format!("`{key}` has no meaning on a step with `builtin`");
        findings.error_with_help(at, message, help);
    }
}

/// Turns a step as written into one that windlass does: what has to hold `before` is its criterion.
pub(super) fn complete(step: Step, fields: &Fields<'_>, findings: &mut Findings) -> Step {
    let Some(node) = fields.get("builtin") else { return step };
    if which(node, findings) == Builtin::Verify {
        return Step { verifies: true, ..step };
    }
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
