//! What a workflow asks for before it starts.

use serde_json::Value as Json;

use super::grammar;
use crate::source::diagnostic::{At, Findings};
use crate::source::fields::{self, Fields};
use crate::source::name::is_name;
use crate::source::suggest::{nearest, shown};
use crate::source::yaml::{Node, Value};

/// A declared input.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The name, as in `--input name=value`.
    pub name: String,
    /// What values it takes.
    pub kind: InputType,
    /// The value when the user gives none.
    pub default: Option<Json>,
    /// The question to a person.
    pub ask: Option<String>,
    pub(super) at: At,
}

/// What values an input takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputType {
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// Any text.
    String,
    /// `true` or `false`.
    Boolean,
    /// One of these words.
    Enum(Vec<String>),
}

impl InputType {
    /// Says what is expected.
    pub fn expected(&self) -> String {
        match self {
            Self::Integer => "a whole number".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::String => "text".to_owned(),
            Self::Boolean => "`true` or `false`".to_owned(),
            Self::Enum(values) => {
                let listed: Vec<_> = values.iter().map(|value| shown(value)).collect();
                format!("one of {}", listed.join(", "))
            }
        }
    }

    /// Reads a value as the user typed it.
    pub fn parse(&self, typed: &str) -> Option<Json> {
        match self {
            Self::Integer if fields::has_leading_zero(typed) => None,
            Self::Integer => typed.parse::<i64>().ok().map(Json::from),
            Self::Number if fields::has_leading_zero(typed) => None,
            Self::Number => {
                let number = typed.parse::<f64>().ok().filter(|number| number.is_finite())?;
                serde_json::Number::from_f64(number).map(Json::Number)
            }
            Self::String => Some(Json::from(typed)),
            Self::Boolean => match typed.to_ascii_lowercase().as_str() {
                "true" | "yes" | "y" => Some(Json::from(true)),
                "false" | "no" | "n" => Some(Json::from(false)),
                _ => None,
            },
            Self::Enum(values) => {
                values.iter().any(|value| value == typed).then(|| Json::from(typed))
            }
        }
    }

    /// Returns the value that `typed` was most likely meant to be.
    pub(crate) fn nearest(&self, typed: &str) -> Option<&str> {
        match self {
            Self::Enum(values) => nearest(typed, values.iter().map(String::as_str)),
            Self::Boolean => nearest(typed, ["true", "false"].into_iter()),
            Self::Integer | Self::Number | Self::String => None,
        }
    }

    /// Reads a default as it stands in the file.
    fn parse_node(&self, node: &Node) -> Option<Json> {
        match (self, &node.value) {
            (Self::Integer | Self::Number, Value::Number(text)) => self.parse(text),
            (Self::Boolean, Value::Boolean(value)) => Some(Json::from(*value)),
            (Self::String | Self::Enum(_), Value::Text(text)) => self.parse(text),
            (
                Self::Integer | Self::Number | Self::String | Self::Boolean | Self::Enum(_),
                Value::Null
                | Value::Boolean(_)
                | Value::Number(_)
                | Value::Text(_)
                | Value::List(_)
                | Value::Map(_),
            ) => None,
        }
    }
}

/// More inputs than anybody answers; the bound keeps checking quick.
pub(super) const MAX_INPUTS: usize = 200;

/// Reads `inputs:`.
pub(super) fn read_all(node: &Node, findings: &mut Findings) -> Vec<Input> {
    let declared = fields::entries(node, "`inputs`", findings).unwrap_or_default();
    let mut inputs = Vec::new();
    if declared.len() > MAX_INPUTS {
        let message = format!("there are {} inputs, more than {MAX_INPUTS}", declared.len());
        findings.error(node.at, message);
    }
    for (name, at, node) in declared.into_iter().take(MAX_INPUTS) {
        if !is_name(name) {
            findings.error_with_help(
                at,
                format!("{} cannot be the name of an input", shown(name)),
                "use letters, digits and `_`, and no digit in front",
            );
        }
        if let Some((kind, default, ask)) = read(node, findings) {
            inputs.push(Input { name: name.to_owned(), kind, default, ask, at });
        }
    }
    inputs
}

type Read = (InputType, Option<Json>, Option<String>);

fn read(node: &Node, findings: &mut Findings) -> Option<Read> {
    let fields = Fields::read(node, &grammar::INPUT, findings)?;
    let kind = fields.required("type", "an input", findings)?;
    let word = fields::word(kind, &grammar::INPUT_TYPES, findings)?;
    let values = fields.get("values");
    if let (Some(values), true) = (values, word != 4) {
        findings.error(values.at, "`values` belongs to `type: enum`");
    }
    let kind = match word {
        0 => InputType::Integer,
        1 => InputType::Number,
        2 => InputType::String,
        3 => InputType::Boolean,
        _ => InputType::Enum(read_values(&fields, findings)?),
    };
    let ask = fields.get("ask").and_then(|node| fields::filled_text(node, findings));
    let default = match fields.get("default") {
        None => None,
        Some(node) => {
            let value = kind.parse_node(node);
            if value.is_none() {
                fields::not_a_number::<()>(node, &kind.expected(), findings);
            }
            value
        }
    };
    Some((kind, default, ask.map(|ask| ask.value)))
}

fn read_values(fields: &Fields<'_>, findings: &mut Findings) -> Option<Vec<String>> {
    let node = fields.required("values", "`type: enum`", findings)?;
    let nodes = fields::list(node, "values", findings)?;
    if nodes.is_empty() {
        findings.error(node.at, "`values` is empty");
        return None;
    }
    nodes.iter().map(|node| Some(fields::text(node, findings)?.value)).collect()
}
