//! One role file, read.

use super::front_matter::{self, Parts};
use super::servers;
use super::{MAX_ROLE_BYTES, Role, RoleSource, is_role_name};
use crate::id::ContentHash;
use crate::source::diagnostic::{Findings, Located};
use crate::source::fields;
use crate::source::suggest::{nearest, shown};
use crate::source::yaml::{self, Node, Value};
use crate::source::{At, Diagnostic};

/// The keys of front matter that count.
const KEYS: [&str; 6] = ["name", "description", "tools", "model", "color", "mcpServers"];

/// More tools than an agent can tell apart.
const MAX_TOOLS: usize = 200;

/// The longest text of one tool, its arguments included.
const LONGEST_TOOL: usize = 200;

/// The longest name of a model; those of clouds are long.
const LONGEST_MODEL: usize = 200;

/// Every tool, in words that people use instead of leaving the key out.
const ALL_TOOLS: &str = "*";

/// What helps with most YAML that somebody wrote as plain text.
const YAML_HELP: &str =
    "text with `: ` or ` #` in it stands in quotes, or indented below `description: >-`";

/// What helps where nothing better is known.
const ROLE_HELP: &str = "`windlass agent show developer` prints a role as it should be";

impl Role {
    /// Reads the bytes of a role file; `file_name` is what findings call it.
    pub fn parse(source: &[u8], file_name: &str) -> Result<Self, Vec<Diagnostic>> {
        Self::parse_with_warnings(source, file_name).map(|(role, _)| role)
    }

    /// Returns the name that a file claims, also where the file as a whole is no role: whoever looks for
    /// that name should hear of the file.
    pub fn claimed_name(source: &[u8]) -> Option<&str> {
        front_matter::claimed_name(std::str::from_utf8(source).ok()?)
    }

    /// Like [`Role::parse`], with what the author should know although the role can be used.
    pub fn parse_with_warnings(
        source: &[u8],
        file_name: &str,
    ) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut findings = Findings::new(file_name);
        match read(source, file_name, &mut findings) {
            Some(role) if !findings.has_errors() => Ok((role, findings.into_sorted())),
            Some(_) | None => {
                findings.help_where_missing(ROLE_HELP);
                Err(findings.into_sorted())
            }
        }
    }
}

fn read(source: &[u8], file_name: &str, findings: &mut Findings) -> Option<Role> {
    if source.len() > MAX_ROLE_BYTES {
        findings.error_with_help(
            At::START,
            format!("the file has {} bytes, more than {MAX_ROLE_BYTES}", source.len()),
            "every prompt of the role holds it: say less, or put details in a file that it names",
        );
        return None;
    }
    let hash = ContentHash::of(source);
    let source = findings.utf8(source)?;
    let parts = front_matter::cut(source, findings)?;
    let body = parts.body.trim();
    if body.is_empty() {
        findings.error_with_help(
            At::of_offset(source, parts.body_at),
            "nothing stands below the front matter",
            "say there what the agent is, what it does and what it hands over",
        );
    }
    let root = tree(&parts, file_name, findings)?;
    if let Value::Null = root.value {
        findings.error_with_help(At::START, "the front matter is empty", "give `name: NAME` there");
        return None;
    }
    let keys = known_keys(&root, findings)?;
    let get = |name: &str| keys.iter().find(|(key, _)| *key == name).map(|(_, node)| *node);
    let name = name(get("name"), root.at, findings);
    let description = get("description").and_then(|node| fields::filled_text(node, findings));
    if get("description").is_none() {
        findings.warning(
            root.at,
            "the role has no `description`",
            "say in one sentence what it is for: lists of agents show it",
        );
    }
    let tools = get("tools").and_then(|node| tools(node, findings));
    let model = get("model").and_then(|node| model(node, findings));
    let color = get("color").and_then(|node| fields::filled_text(node, findings));
    let mcp_servers = get("mcpServers").map(|node| servers::read(node, findings));
    Some(Role {
        name: name?,
        description: description.map(|text| text.value.trim().to_owned()).unwrap_or_default(),
        tools,
        model,
        color: color.map(|color| color.value),
        mcp_servers: mcp_servers.unwrap_or_default(),
        body: body.to_owned(),
        source: RoleSource::File(file_name.to_owned()),
        hash,
    })
}

/// Reads the front matter; a description that is no YAML is read as the text that it is.
fn tree(parts: &Parts<'_>, file_name: &str, findings: &mut Findings) -> Option<Node> {
    let mut wrong = Findings::new(file_name);
    let root = yaml::parse(&parts.yaml, &mut wrong);
    if root.is_some() {
        return root;
    }
    if let Some((quoted, at)) = parts.description_quoted()
        && let Some(root) = yaml::parse(&quoted, &mut Findings::new(file_name))
    {
        findings.warning(at, "the description is no YAML, so it is read as plain text", YAML_HELP);
        return Some(root);
    }
    wrong.help_where_missing(YAML_HELP);
    findings.append(wrong);
    None
}

/// Returns the keys that count. People bring files that were written for other programs, so a key
/// that windlass does not use is no mistake; that it has no effect has to be said.
fn known_keys<'n>(root: &'n Node, findings: &mut Findings) -> Option<Vec<(&'n str, &'n Node)>> {
    let mut known = Vec::new();
    for (key, at, node) in fields::entries(root, "front matter", findings)? {
        if KEYS.contains(&key) {
            known.push((key, node));
            continue;
        }
        let help = match (key, nearest(key, KEYS.into_iter())) {
            ("disallowedTools", _) => "list what the role may use under `tools`".to_owned(),
            ("permissionMode", _) => "windlass sets what an attempt may do".to_owned(),
            (_, Some(near)) => format!("did you mean `{near}`?"),
            (_, None) => "it may be there for another program".to_owned(),
        };
        findings.warning(at, format!("windlass does not use {}", shown(key)), help);
    }
    Some(known)
}

fn name(node: Option<&Node>, at: At, findings: &mut Findings) -> Option<String> {
    let Some(node) = node else {
        findings.error_with_help(
            at,
            "the role has no `name`",
            "add `name: NAME`, as steps call it",
        );
        return None;
    };
    let name = fields::filled_text(node, findings)?;
    if !is_role_name(&name.value) {
        findings.error_with_help(
            name.at,
            format!("{} cannot be the name of a role", shown(&name.value)),
            "use at most 64 letters, digits, `-` and `_`, with a letter or a digit in front",
        );
        return None;
    }
    Some(name.value)
}

/// Reads `tools`: one text with commas, or a list. `*` means all, as if the key were left out.
fn tools(node: &Node, findings: &mut Findings) -> Option<Vec<String>> {
    let written: Vec<Located<String>> = match &node.value {
        Value::Text(text) => {
            split(text).map(|tool| Located { value: tool.to_owned(), at: node.at }).collect()
        }
        Value::Null | Value::Boolean(_) | Value::Number(_) | Value::List(_) | Value::Map(_) => {
            fields::list(node, "tools, or one text with commas", findings)?
                .iter()
                .filter_map(|node| fields::filled_text(node, findings))
                .collect()
        }
    };
    if written.is_empty() {
        findings.error_with_help(
            node.at,
            "no tool is listed",
            "list the tools, or leave `tools` out to allow all of them",
        );
    }
    if written.len() > MAX_TOOLS {
        let message = format!("there are {} tools, more than {MAX_TOOLS}", written.len());
        findings.error_with_help(node.at, message, "leave `tools` out to allow all of them");
    }
    let mut tools = Vec::new();
    for tool in written.into_iter().take(MAX_TOOLS) {
        let name = tool.value.trim();
        if name == ALL_TOOLS {
            return None;
        }
        let is_tool = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.len() <= LONGEST_TOOL
            && !name.contains(char::is_control);
        if is_tool {
            tools.push(name.to_owned());
        } else {
            findings.error_with_help(
                tool.at,
                format!("{} is not the name of a tool", shown(name)),
                "write it as Claude Code does: `Read`, `Bash(git log *)`, `mcp__server__tool`",
            );
        }
    }
    Some(tools)
}

/// Cuts at commas, but not at those inside the parentheses of a tool.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    text.split(move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|tool| !tool.is_empty())
}

fn model(node: &Node, findings: &mut Findings) -> Option<String> {
    let model = fields::filled_text(node, findings)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/@[]".contains(c);
    let is_model = model.value.starts_with(|c: char| c.is_ascii_alphanumeric())
        && model.value.len() <= LONGEST_MODEL
        && model.value.chars().all(plain);
    if !is_model {
        findings.error_with_help(
            model.at,
            format!("{} is not the name of a model", shown(&model.value)),
            "write it as the backend does, or `inherit`",
        );
        return None;
    }
    Some(model.value)
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
