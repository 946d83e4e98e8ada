//! JSON objects of other programs' files, changed without touching the rest.
//!
//! Members keep their order and the bytes of their values. `serde_json::Value` sorts them, and people
//! would find their settings rearranged.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The members of an object, as they were written.
#[derive(Clone, Debug, Default)]
pub(super) struct Object(Vec<(String, Box<RawValue>)>);

/// Why a file of another program is left alone.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It is no JSON.
    #[error("it is not JSON")]
    NotJson(#[source] serde_json::Error),
    /// Something in it has another form than the program expects.
    #[error("{what} in it is not {expected}")]
    OtherForm {
        /// Where.
        what: String,
        /// What should be there.
        expected: &'static str,
    },
}

impl Object {
    /// Reads a file; one that is not there or empty has no members.
    pub(super) fn of_file(text: Option<&str>) -> Result<Self, EditError> {
        match text {
            None => Ok(Self::default()),
            Some(text) if text.trim().is_empty() => Ok(Self::default()),
            Some(text) => {
                let value: &RawValue = serde_json::from_str(text).map_err(EditError::NotJson)?;
                Self::of_value(value, "what stands")
            }
        }
    }

    fn of_value(value: &RawValue, what: &str) -> Result<Self, EditError> {
        let other = |_| EditError::OtherForm { what: what.to_owned(), expected: "an object" };
        serde_json::from_str(value.get()).map_err(other)
    }

    /// Returns the member of this name as an object; one that is not there has no members.
    pub(super) fn object(&self, name: &str) -> Result<Self, EditError> {
        match self.get(name) {
            None => Ok(Self::default()),
            Some(value) => Self::of_value(value, &format!("`{name}`")),
        }
    }

    /// Returns the member of this name as a list; one that is not there is empty.
    pub(super) fn list(&self, name: &str) -> Result<Vec<Box<RawValue>>, EditError> {
        let other = |_| EditError::OtherForm { what: format!("`{name}`"), expected: "a list" };
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(value) => serde_json::from_str(value.get()).map_err(other),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&RawValue> {
        // The last of several counts, as for other readers.
        self.0.iter().rev().find(|(each, _)| each == name).map(|(_, value)| &**value)
    }

    /// Returns whether the member of this name means the same as `value`.
    pub(super) fn has(&self, name: &str, value: &Value) -> bool {
        self.get(name).is_some_and(|raw| means(raw, value))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Puts a member in its place, or at the end where there was none. `text` is JSON.
    pub(super) fn set(&mut self, name: &str, text: String) -> Result<(), EditError> {
        let value = RawValue::from_string(text).map_err(EditError::NotJson)?;
        match self.0.iter_mut().rev().find(|(each, _)| each == name) {
            Some((_, there)) => *there = value,
            None => self.0.push((name.to_owned(), value)),
        }
        Ok(())
    }

    /// Takes a member out, and returns whether there was one.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|(each, _)| each != name);
        self.0.len() != before
    }

    /// Returns the text of the object, `depth` levels inside a file.
    pub(super) fn text(&self, depth: usize) -> String {
        let quoted = |name: &str| Value::from(name).to_string();
        let members = self.0.iter().map(|(name, value)| format!("{}: {value}", quoted(name)));
        enclosed('{', members, '}', depth)
    }
}

/// Returns the text of a list, `depth` levels inside a file.
pub(super) fn list_text(values: &[Box<RawValue>], depth: usize) -> String {
    enclosed('[', values.iter().map(ToString::to_string), ']', depth)
}

/// Returns the text of a value that windlass adds, `depth` levels inside a file.
pub(super) fn value_text(value: &Value, depth: usize) -> String {
    format!("{value:#}").replace('\n', &format!("\n{}", "  ".repeat(depth)))
}

/// Returns whether what was written means the same as `value`.
pub(super) fn means(raw: &RawValue, value: &Value) -> bool {
    serde_json::from_str::<Value>(raw.get()).is_ok_and(|there| there == *value)
}

fn enclosed(open: char, parts: impl Iterator<Item = String>, close: char, depth: usize) -> String {
    let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    let parts: Vec<String> = parts.map(|part| format!("\n{inner}{part}")).collect();
    if parts.is_empty() {
        return format!("{open}{close}");
    }
    format!("{open}{}\n{outer}{close}", parts.join(","))
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}
