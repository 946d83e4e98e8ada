//! Variables in paths: the issue, or an input that has to be given.

use std::collections::BTreeMap;

use crate::glob;
use crate::plan::template::{Role, Template};
use crate::source::name::is_name;
use crate::source::suggest::shown;

/// Inputs that the workflow needs, with their types.
pub(super) type Inputs = BTreeMap<String, &'static str>;

/// What the issue's number is called.
const ISSUE: [&str; 8] = [
    "ISSUE",
    "ISSUE_NUMBER",
    "ISSUE_NUM",
    "ISSUE_NO",
    "ISSUE_NR",
    "ISSUE_ID",
    "ISSUENUMBER",
    "ISSUEID",
];

/// Beginnings that mean the repository's own folder.
const HERE: [&str; 6] =
    ["./", "$PWD/", "${PWD}/", "$(pwd)/", "$(git rev-parse --show-toplevel)/", "${REPO_ROOT}/"];

/// Placeholders that a workflow has as well.
const KNOWN: [&str; 5] = ["specs", "reports", "goal", "issue", "issue.title"];

/// A glob of a workflow.
#[derive(Debug)]
pub(super) struct Mapped {
    pub(super) glob: String,
    pub(super) remarks: Vec<String>,
}

type Bad = (String, String);

fn is_issue(name: &str) -> bool {
    ISSUE.contains(&name.to_ascii_uppercase().as_str())
}

/// Turns a glob of a legacy file into one of a workflow.
pub(super) fn map(written: &str, inputs: &mut Inputs) -> Result<Mapped, Bad> {
    let mut remarks = Vec::new();
    let mut text = written.trim_matches(['"', '\'']);
    for here in HERE {
        text = text.strip_prefix(here).unwrap_or(text);
    }
    let mut found = Inputs::new();
    let mut glob = variables(text, &mut found, &mut remarks)?;
    if glob.ends_with('/') {
        glob.push_str("**");
        remarks.push("a folder is no file: any file beneath it counts".to_owned());
    }
    if glob.contains(char::is_whitespace) {
        remarks.push("the blanks in it are read as parts of one path".to_owned());
    }
    let help = "paths of a workflow are globs relative to the repository";
    let template = Template::parse(&glob, Role::Glob).map_err(|bad| {
        (format!("{}: {}", shown(written), bad.message), bad.help.unwrap_or(help.to_owned()))
    })?;
    let skeleton = template.skeleton();
    glob::stays_inside(&skeleton)
        .map_err(|bad| (format!("{}: {bad}", shown(written)), help.to_owned()))?;
    glob::compile(&skeleton).map_err(|bad| {
        (format!("{} is not a glob: {}", shown(written), bad.kind()), help.to_owned())
    })?;
    inputs.append(&mut found);
    Ok(Mapped { glob, remarks })
}

/// Replaces variables by placeholders.
fn variables(text: &str, inputs: &mut Inputs, remarks: &mut Vec<String>) -> Result<String, Bad> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['$', '`', '{', '<']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some((name, len)) = variable(rest)? else {
            let c = rest.chars().next().map_or(1, char::len_utf8);
            out.push_str(&rest[..c]);
            rest = &rest[c..];
            continue;
        };
        let whole = &rest[..len];
        if is_issue(name) {
            out.push_str("{issue}");
            remarks.push(format!("{} is the issue: such a run needs `--issue N`", shown(whole)));
        } else if KNOWN.contains(&name) && !whole.starts_with('$') {
            out.push_str(&format!("{{{name}}}"));
        } else if name == "HOME" {
            return Err((
                format!("{} lies outside the repository", shown(text)),
                "let the step write into the repository".to_owned(),
            ));
        } else {
            out.push_str(&format!("{{inputs.{name}}}"));
            inputs.insert(name.to_owned(), "string");
            remarks.push(format!(
                "{} is not evaluated: it is an input now, `--input {name}=…`",
                shown(whole)
            ));
        }
        rest = &rest[len..];
    }
    out.push_str(rest);
    Ok(out)
}

/// Returns the name of the variable that `text` begins with, and how many bytes it takes.
fn variable(text: &str) -> Result<Option<(&str, usize)>, Bad> {
    let refused = |what: &str| {
        Err((
            format!("{} holds {what}, which is never run or expanded here", shown(text)),
            "write what it stands for".to_owned(),
        ))
    };
    if text.starts_with("$(") || text.starts_with('`') {
        return refused("a command substitution");
    }
    let enclosed = |open: &str, close: &str| {
        let inner = text.strip_prefix(open)?;
        let end = inner.find(close)?;
        let name = &inner[..end];
        name.split('.').all(is_name).then_some((name, open.len() + end + close.len()))
    };
    if text.starts_with("${") {
        return match enclosed("${", "}").filter(|(name, _)| is_name(name)) {
            Some(found) => Ok(Some(found)),
            None => refused("a shell expansion"),
        };
    }
    if let Some(after) = text.strip_prefix('$') {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let len = after.find(|c: char| !is_part(c)).unwrap_or(after.len());
        let name = &after[..len];
        return if is_name(name) { Ok(Some((name, len + 1))) } else { refused("a `$`") };
    }
    if text.starts_with('<') {
        return Ok(enclosed("<", ">").filter(|(name, _)| is_issue(name)));
    }
    let found = enclosed("{{", "}}").or_else(|| enclosed("{", "}"));
    // A dotted name is a placeholder of a workflow or a mistake, which reading it will tell.
    Ok(found.filter(|(name, _)| is_name(name) || KNOWN.contains(name)))
}

/// Commands take placeholders of inputs only, so the issue becomes one.
pub(super) fn issue_in_command(command: &str, inputs: &mut Inputs) -> String {
    let mut text = command.to_owned();
    for name in ["issue", "ISSUE", "issue_number", "ISSUE_NUMBER"] {
        let written = format!("{{{name}}}");
        let begin = text.find(&written);
        if begin.is_some_and(|at| !text[..at].ends_with(['$', '{'])) {
            text = text.replace(&written, "{inputs.issue}");
            inputs.insert("issue".to_owned(), "integer");
        }
    }
    text
}
