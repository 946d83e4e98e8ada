//! What of a version catalogue of Gradle (`libs.versions.toml`) decides how the work is judged.
//!
//! Versions change with every update, and libraries are added. Which plugins there are, and which library an
//! alias stands for, is what could bring another build or another test runner.

use serde_json::{Map, Value};

/// Keeps the plugins by what they are, and what known aliases stand for.
pub(super) fn decides(tree: Value) -> Value {
    let entries = |section: &str| -> Vec<(String, Value)> {
        let all = tree.get(section).and_then(Value::as_object);
        all.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let plugins: Map<String, Value> = entries("plugins")
        .into_iter()
        .map(|(name, value)| (name, identity(&value, &["id"])))
        .collect();
    let libraries: Map<String, Value> = entries("libraries")
        .into_iter()
        .map(|(name, value)| (name, identity(&value, &["module", "group", "name"])))
        .collect();
    let mut decides = Map::new();
    decides.insert("plugins".to_owned(), Value::Object(plugins));
    // Of these only what was there counts.
    decides.insert("-libraries".to_owned(), Value::Object(libraries));
    Value::Object(decides)
}

/// What something is, without its version: `group:name:1.0`, or the fields that say it.
fn identity(value: &Value, fields: &[&str]) -> Value {
    match value {
        Value::String(text) => {
            let parts: Vec<&str> = text.split(':').collect();
            parts[..parts.len().saturating_sub(1).max(1)].join(":").into()
        }
        Value::Object(all) => {
            let kept = all.iter().filter(|(name, _)| fields.contains(&name.as_str()));
            Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => value.clone(),
    }
}
