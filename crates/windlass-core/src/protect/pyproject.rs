//! Warnings that pytest is told to ignore, apart from its other settings: one that goes makes tests stricter.

use serde_json::Value;

/// Where they are found: with `+`, only those that come count.
const IGNORED: &str = "+ignored";

/// Where `pyproject.toml` has the list.
const LISTS: [&str; 2] = ["/tool/pytest/ini_options/filterwarnings", "/tool/pytest/filterwarnings"];

/// Takes the ignored warnings out of the list. The last filter that fits counts, so each is remembered with how
/// many others stand before it.
pub(super) fn decides(mut document: Value) -> Value {
    let mut ignored = Vec::new();
    for list in LISTS {
        let Some(Value::Array(filters)) = document.pointer_mut(list) else { continue };
        let mut others = 0;
        filters.retain(|filter| match filter.as_str() {
            Some(text) if text.starts_with("ignore") => {
                ignored.push(Value::String(format!("{others} {text}")));
                false
            }
            _ => {
                others += 1;
                true
            }
        });
    }
    if let Some(tool) = document.get_mut("tool").and_then(Value::as_object_mut) {
        tool.insert(IGNORED.to_owned(), Value::Array(ignored));
    }
    document
}
