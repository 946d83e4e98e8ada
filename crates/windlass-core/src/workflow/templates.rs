//! Texts with placeholders, as a workflow file has them.

use crate::glob;
use crate::plan::template::{Role, Template};
use crate::source::diagnostic::{At, Findings, Located};
use crate::source::fields;
use crate::source::suggest::shown;
use crate::source::yaml::Node;

/// The longest path or glob; file systems allow no longer names.
const LONGEST_PATH: usize = 1000;

/// Reads a text with placeholders; paths and globs are checked as such.
pub(super) fn template(
    node: &Node,
    role: Role,
    findings: &mut Findings,
) -> Option<Located<Template>> {
    let text = fields::filled_text(node, findings)?;
    template_of(&text.value, node.at, role, findings)
}

/// Like [`template`], for a text that is a key.
pub(super) fn template_of(
    text: &str,
    at: At,
    role: Role,
    findings: &mut Findings,
) -> Option<Located<Template>> {
    let template = match Template::parse(text, role) {
        Ok(template) => template,
        Err(bad) => {
            findings.error_with(at, bad.message, bad.help);
            return None;
        }
    };
    match role {
        Role::Task | Role::Line | Role::Setting | Role::Command => {}
        Role::Path | Role::FixedPath | Role::Written | Role::Glob | Role::FixedGlob => {
            if text.len() > LONGEST_PATH {
                findings.error(at, format!("a path has at most {LONGEST_PATH} bytes"));
                return None;
            }
            let skeleton = template.skeleton();
            if let Err(bad) = glob::stays_inside(&skeleton) {
                findings.error(at, format!("{}: {bad}", shown(text)));
                return None;
            }
            if let (true, Err(bad)) = (role.is_glob(), glob::compile(&skeleton)) {
                let message = format!("{} is not a glob: {}", shown(text), bad.kind());
                findings.error(at, message);
                return None;
            }
        }
    }
    Some(Located { value: template, at })
}

/// Reads one text with placeholders or a list of them.
pub(super) fn templates(
    node: &Node,
    role: Role,
    findings: &mut Findings,
) -> Vec<Located<Template>> {
    fields::one_or_more(node).iter().filter_map(|node| template(node, role, findings)).collect()
}
