//! The grammar as a JSON Schema, for editors.
//!
//! Built from the tables in `grammar`. The schema says what each key takes; what needs the whole
//! workflow to be seen (names of steps, order, claims) only `windlass check` can say. So whatever
//! windlass accepts fits the schema, and not the other way round.

use serde_json::{Map, Value as Json, json};

use super::builtin;
use super::grammar::{CHECKS, WORKFLOW};
use super::input::MAX_INPUTS;
use super::room::{KEPT_BEGINNINGS, KEPT_NAMES};
use crate::mcp::MAX_SERVERS;
use crate::question::grammar::QUESTION_FILE;
use crate::reach::LONGEST_EXPOSED;
use crate::source::key::{Initial, Mapping, Names, Rule, Takes};
use crate::story::grammar::STORY_FILE;

/// Where the schema belongs in a repository, so that editors find it.
pub const SCHEMA_FILE: &str = ".windlass/workflow.schema.json";

/// The same, as seen from a workflow in `.windlass/workflows`.
pub const SCHEMA_BESIDE_WORKFLOWS: &str = "../workflow.schema.json";

/// Text that says something.
const FILLED: &str = "\\S";
const ID: &str = "^[a-z0-9][a-z0-9_-]{0,63}$";
const SERVER: &str = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$";
const NAME: &str = "^[A-Za-z_][A-Za-z0-9_]*$";
const DOTTED: &str = "^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*$";
const MACHINE_PATH: &str = "^~?/";
const HOST: &str = "^(\\*\\.)?[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*(:[0-9]{1,5})?$";
const TIME: &str = "^\\s*([0-9]+(ms|s|m|h|d))+\\s*$";

/// Returns the JSON Schema (draft 2020-12) of a workflow file.
pub fn schema() -> Json {
    of_file(&WORKFLOW, "workflow", "A windlass workflow")
}

/// Returns the JSON Schema of a file of stories.
pub fn stories_schema() -> Json {
    of_file(&STORY_FILE, "stories", "Stories for windlass")
}

/// Returns the JSON Schema of a file of questions.
pub fn questions_schema() -> Json {
    of_file(&QUESTION_FILE, "questions", "Questions for windlass to ask")
}

fn of_file(table: &'static Mapping, name: &str, title: &str) -> Json {
    let mut definitions = Map::new();
    let root = mapping(table, &mut definitions);
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("$id".to_owned(), format!("urn:windlass:{name}").into());
    schema.insert("title".to_owned(), title.into());
    if let Json::Object(root) = root {
        schema.extend(root);
    }
    schema.insert("$defs".to_owned(), Json::Object(definitions));
    Json::Object(schema)
}

/// Returns the schema as the text of a file.
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}

/// Returns the comment that tells editors where the schema of a workflow file is.
pub fn schema_modeline(schema: &str) -> String {
    format!("# yaml-language-server: $schema={schema}")
}

/// Returns a reference to a definition, which is made when it is first needed.
fn reference(name: &str, definitions: &mut Map<String, Json>, make: Make) -> Json {
    if !definitions.contains_key(name) {
        // Definitions refer to each other in circles: the entry stands before its content does.
        definitions.insert(name.to_owned(), Json::Null);
        let made = match make {
            Make::Mapping(table) => mapping(table, definitions),
            Make::Criterion => criterion(definitions),
            Make::Check => check(definitions),
        };
        definitions.insert(name.to_owned(), made);
    }
    json!({"$ref": format!("#/$defs/{name}")})
}

#[derive(Clone, Copy)]
enum Make {
    Mapping(&'static Mapping),
    Criterion,
    Check,
}

fn mapping(table: &'static Mapping, definitions: &mut Map<String, Json>) -> Json {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in table.keys {
        let mut property = takes(key.takes, definitions);
        if let Json::Object(property) = &mut property {
            property.insert("description".to_owned(), key.doc.into());
            property.extend(key.default_value().map(|value| ("default".to_owned(), value)));
            let example = key.example.and_then(|text| serde_saphyr::from_str::<Json>(text).ok());
            property.extend(example.map(|value| ("examples".to_owned(), json!([value]))));
        }
        if matches!(key.initial, Initial::Required) {
            required.push(key.name);
        }
        properties.insert(key.name.to_owned(), property);
    }
    let mut object = json!({
        "type": "object",
        "description": table.doc,
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    rule(table, &mut object);
    object
}

/// Adds what holds between the keys.
fn rule(table: &Mapping, object: &mut Json) {
    match table.rule {
        Rule::None => {}
        Rule::AgentOrGroup => {
            let on_groups: Vec<_> =
                table.keys.iter().filter(|key| key.on_groups).map(|key| key.name).collect();
            object["if"] = json!({"required": ["steps"]});
            object["then"] = json!({"propertyNames": {"enum": on_groups}});
            let elsewhere =
                crate::workflow::team::SAID_ELSEWHERE.map(|(key, _)| (key, json!(false)));
            let of_agents: Vec<_> = table
                .keys
                .iter()
                .map(|key| key.name)
                .filter(|name| *name != "builtin" && !builtin::OWN_KEYS.contains(name))
                .collect();
            object["else"] = json!({
                "if": {"required": ["builtin"]},
                "then": {
                    "if": {"properties": {"builtin": {"const": "verify"}}},
                    "then": {
                        "propertyNames": {"enum": builtin::VERIFY_KEYS},
                        "required": ["done"],
                    },
                    "else": {"propertyNames": {"enum": builtin::PUBLISH_KEYS}},
                },
                "else": {"propertyNames": {"enum": of_agents}, "allOf": [{
                "required": ["done"],
                "if": {"required": ["team"]},
                "then": {"properties": Map::from_iter(elsewhere.map(|(k, v)| (k.to_owned(), v)))},
                "else": {"required": ["agent"]},
                }]},
            });
        }
        Rule::DefaultOfType => {
            let when = |word: &str, then: Json| {
                let matches = json!({"properties": {"type": {"const": word}}});
                json!({"if": matches, "then": then})
            };
            let default = |kind: &str| json!({"properties": {"default": {"type": kind}}});
            let mut rules: Vec<Json> = ["integer", "number", "string", "boolean"]
                .into_iter()
                .map(|word| when(word, default(word)))
                .collect();
            rules.push(json!({
                "if": {"properties": {"type": {"const": "enum"}}},
                "then": {"required": ["values"], "properties": {"default": {"type": "string"}}},
                "else": {"properties": {"values": false}},
            }));
            object["allOf"] = json!(rules);
        }
        Rule::PathsNeedFiles => {
            let looks_up = json!({"minProperties": 1});
            let needs = |table: &str, list: &str| {
                let given = json!({"required": [table], "properties": {table: looks_up}});
                json!({"if": given, "then": {"required": [list]}})
            };
            object["allOf"] = json!([needs("by_path", "files"), needs("by_type", "types")]);
        }
    }
}

fn takes(what: Takes, definitions: &mut Map<String, Json>) -> Json {
    match what {
        Takes::Text | Takes::Template | Takes::StepName | Takes::Expression | Takes::Command => {
            json!({"type": "string", "pattern": FILLED})
        }
        Takes::Path | Takes::Glob => {
            json!({"type": "string", "pattern": FILLED, "maxLength": 1000})
        }
        Takes::MachinePath => {
            json!({"type": "string", "pattern": MACHINE_PATH, "maxLength": LONGEST_EXPOSED})
        }
        Takes::Host => json!({"type": "string", "pattern": HOST}),
        Takes::Literal => json!({"type": "string"}),
        Takes::Id => json!({"type": "string", "pattern": ID}),
        Takes::Variable => json!({"type": "string", "pattern": NAME}),
        Takes::Time => json!({"type": "string", "pattern": TIME}),
        Takes::Boolean => json!({"type": "boolean"}),
        Takes::Count { least, most: u64::MAX } => json!({"type": "integer", "minimum": least}),
        Takes::Count { least, most } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Takes::Amount => json!({"type": "number", "exclusiveMinimum": 0}),
        Takes::Percent => json!({"anyOf": [
            {"type": "number", "minimum": 0, "maximum": 100},
            {"type": "string", "pattern": "\\{inputs\\."},
        ]}),
        Takes::Value => json!({"type": ["integer", "number", "string", "boolean"]}),
        Takes::Word(words) => json!({"enum": words}),
        Takes::Mapping(table) => reference(table.name, definitions, Make::Mapping(table)),
        Takes::Criterion => reference("criterion", definitions, Make::Criterion),
        Takes::OneOrMore { of, least } => {
            let one = takes(*of, definitions);
            json!({"anyOf": [one, list(&one, least, None)]})
        }
        Takes::List { of, least, most } => list(&takes(*of, definitions), least, most),
        Takes::Named { names, of } => {
            let mut object = json!({"type": "object"});
            object["additionalProperties"] = takes(*of, definitions);
            match names {
                Names::Inputs => {
                    object["propertyNames"] = json!({"pattern": NAME});
                    object["maxProperties"] = json!(MAX_INPUTS);
                }
                Names::ContextKeys => object["propertyNames"] = json!({"pattern": DOTTED}),
                Names::Globs => object["propertyNames"] = json!({"maxLength": 1000}),
                Names::Servers => {
                    object["propertyNames"] = json!({"pattern": SERVER});
                    object["maxProperties"] = json!(MAX_SERVERS);
                }
                Names::CheckVariables => {
                    object["propertyNames"] =
                        json!({"pattern": NAME, "not": {"pattern": kept_variables()}});
                }
                Names::Variables => object["propertyNames"] = json!({"pattern": NAME}),
                Names::Verdicts => {}
            }
            object
        }
        Takes::Either(choices) => {
            let choices: Vec<_> = choices.iter().map(|one| takes(*one, definitions)).collect();
            json!({"anyOf": choices})
        }
    }
}

/// The names of variables that nobody gives to a check.
fn kept_variables() -> String {
    format!("^({}|({})$)", KEPT_BEGINNINGS.join("|"), KEPT_NAMES.join("|"))
}

fn list(of: &Json, least: usize, most: Option<usize>) -> Json {
    let mut list = json!({"type": "array", "items": of});
    if least > 0 {
        list["minItems"] = json!(least);
    }
    if let Some(most) = most {
        list["maxItems"] = json!(most);
    }
    list
}

/// One check, or a list that must all hold; lists may stand in lists.
fn criterion(definitions: &mut Map<String, Json>) -> Json {
    let one = reference("check", definitions, Make::Check);
    let parts = list(&json!({"$ref": "#/$defs/criterion"}), 1, None);
    json!({
        "description": "What must hold: one check, or a list that must all hold.",
        "anyOf": [one, parts],
    })
}

fn check(definitions: &mut Map<String, Json>) -> Json {
    let kinds: Vec<_> = CHECKS
        .iter()
        .map(|table| reference(table.name, definitions, Make::Mapping(table)))
        .collect();
    json!({"description": "One check, by the word that it begins with.", "oneOf": kinds})
}
