//! Files that judge the work, as a workflow names them.

use super::grammar;
use super::templates;
use crate::plan::template::{Role, Template};
use crate::platform::NONE;
use crate::protect::{Only, can_have_keys};
use crate::source::diagnostic::{Findings, Located};
use crate::source::fields::{self, Fields};
use crate::source::yaml::{Node, Value};

/// What stands under `protect`.
#[derive(Clone, Debug, Default)]
pub(crate) struct WrittenProtect {
    /// Whether nothing is to be protected but what always is.
    pub(crate) none: bool,
    pub(crate) rules: Vec<WrittenRule>,
}

/// One rule.
#[derive(Clone, Debug)]
pub(crate) struct WrittenRule {
    pub(crate) file: Located<Template>,
    pub(crate) keys: Vec<String>,
    pub(crate) only: Option<Only>,
}

pub(super) fn read(node: &Node, findings: &mut Findings) -> WrittenProtect {
    if matches!(&node.value, Value::Text(word) if word == NONE) {
        return WrittenProtect { none: true, rules: Vec::new() };
    }
    let nodes = fields::one_or_more(node).iter();
    WrittenProtect { none: false, rules: nodes.filter_map(|node| rule(node, findings)).collect() }
}

fn rule(node: &Node, findings: &mut Findings) -> Option<WrittenRule> {
    if !matches!(node.value, Value::Map(_)) {
        let file = templates::template(node, Role::FixedGlob, findings)?;
        return Some(WrittenRule { file, keys: Vec::new(), only: None });
    }
    let fields = Fields::read(node, &grammar::PROTECT, findings)?;
    let only = fields.get("only").and_then(|node| fields::word(node, &grammar::ONLY, findings));
    let keys = fields.get("keys").map(|node| keys(node, findings)).unwrap_or_default();
    let file = fields.required("file", grammar::PROTECT.of, findings)?;
    let file = templates::template(file, Role::FixedGlob, findings)?;
    if !keys.is_empty() {
        can_have_keys(&file.value.skeleton(), file.at, findings);
    }
    Some(WrittenRule { file, keys, only })
}

/// Reads keys, with dots between the levels.
pub(crate) fn keys(node: &Node, findings: &mut Findings) -> Vec<String> {
    let nodes = fields::one_or_more(node).iter();
    nodes.filter_map(|node| Some(fields::filled_text(node, findings)?.value)).collect()
}
