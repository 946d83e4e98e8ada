//! From what a script wants to the tools that a CLI has.

use std::collections::BTreeMap;
use std::path::Path;

use regex::{Captures, Regex};
use serde_json::{Value, json};

use super::reply::{Block, Protocol};
use super::turn::Act;

/// What a turn is put into words with.
#[derive(Debug)]
pub(super) struct Words<'a> {
    pub(super) protocol: Protocol,
    /// The tools that the request offers.
    pub(super) tools: &'a [String],
    pub(super) folder: Option<&'a str>,
    pub(super) captured: &'a BTreeMap<String, String>,
}

impl Words<'_> {
    pub(super) fn block(&self, act: &Act) -> Result<Block, String> {
        match act {
            Act::Say(text) => Ok(Block::Text(self.fill(text)?)),
            Act::Tool { name, namespace, input } => Ok(Block::Call {
                name: name.clone(),
                namespace: namespace.clone(),
                input: self.fill_all(input)?,
            }),
            Act::Write { path, text } => self.write(&self.fill(path)?, &self.fill(text)?),
            Act::Shell(command) => self.shell(&self.fill(command)?),
        }
    }

    fn write(&self, path: &str, text: &str) -> Result<Block, String> {
        let (name, input) = match self.protocol {
            Protocol::Anthropic => {
                ("Write", json!({"file_path": self.absolute(path)?, "content": text}))
            }
            Protocol::Responses => return self.shell(&write_by_shell(path, text)),
            Protocol::Gemini | Protocol::Chat => match self.offered(&["write_file", "write"])? {
                "write" => ("write", json!({"filePath": self.absolute(path)?, "content": text})),
                name => (name, json!({"file_path": self.absolute(path)?, "content": text})),
            },
        };
        Ok(call(name, input))
    }

    fn shell(&self, command: &str) -> Result<Block, String> {
        const WHY: &str = "A command of the script";
        Ok(match self.protocol {
            Protocol::Anthropic => call("Bash", json!({"command": command, "description": WHY})),
            Protocol::Responses => call("exec_command", json!({"cmd": command})),
            Protocol::Gemini | Protocol::Chat => {
                match self.offered(&["run_shell_command", "bash"])? {
                    // Qwen Code insists on the last one; Gemini CLI ignores it.
                    "run_shell_command" => call(
                        "run_shell_command",
                        json!({"command": command, "description": WHY, "is_background": false}),
                    ),
                    name => call(name, json!({"command": command, "description": WHY})),
                }
            }
        })
    }

    fn offered<'n>(&self, names: &[&'n str]) -> Result<&'n str, String> {
        let found = names.iter().find(|name| self.tools.iter().any(|tool| tool == *name));
        let missing =
            || format!("the request offers none of the tools {names:?}, only {:?}", self.tools);
        found.copied().ok_or_else(missing)
    }

    fn absolute(&self, path: &str) -> Result<String, String> {
        if Path::new(path).is_absolute() {
            return Ok(path.to_owned());
        }
        let unknown = || {
            format!(
                "the request does not state a working directory to write `{path}` in; name it with \
                 Lane::place"
            )
        };
        let folder = self.folder.ok_or_else(unknown)?;
        Ok(Path::new(folder).join(path).to_string_lossy().into_owned())
    }

    fn fill_all(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => Value::String(self.fill(text)?),
            Value::Array(values) => Value::Array(
                values.iter().map(|each| self.fill_all(each)).collect::<Result<_, _>>()?,
            ),
            Value::Object(object) => {
                let filled =
                    object.iter().map(|(key, each)| Ok((key.clone(), self.fill_all(each)?)));
                Value::Object(filled.collect::<Result<_, String>>()?)
            }
            other => other.clone(),
        })
    }

    /// Puts words of the request in the place of `<<name>>`.
    fn fill(&self, text: &str) -> Result<String, String> {
        let place = Regex::new(r"<<(\w+)>>").expect("a pattern");
        let mut unknown = None;
        let filled = place.replace_all(text, |found: &Captures<'_>| {
            let name = &found[1];
            let word = match name {
                "cwd" => self.folder.map(str::to_owned),
                name => self.captured.get(name).cloned(),
            };
            word.unwrap_or_else(|| {
                unknown = Some(name.to_owned());
                String::new()
            })
        });
        match unknown {
            Some(name) => Err(format!("nothing in the request was captured as `<<{name}>>`")),
            None => Ok(filled.into_owned()),
        }
    }
}

fn call(name: &str, input: Value) -> Block {
    Block::Call { name: name.to_owned(), namespace: None, input }
}

/// Exactly these bytes; a here-document would add a line break.
fn write_by_shell(path: &str, text: &str) -> String {
    let path = quoted(path);
    format!("mkdir -p -- \"$(dirname -- {path})\" && printf '%s' {} > {path}", quoted(text))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(protocol: Protocol, tools: &[String]) -> Result<Block, String> {
        let captured = BTreeMap::new();
        let words = Words { protocol, tools, folder: Some("/proj"), captured: &captured };
        words.block(&Act::Write { path: "a/b.md".to_owned(), text: "it's\n".to_owned() })
    }

    #[test]
    fn a_write_becomes_the_tool_that_the_cli_has() {
        let text = json!("it's\n");
        assert_eq!(
            words(Protocol::Anthropic, &[]),
            Ok(call("Write", json!({"file_path": "/proj/a/b.md", "content": text})))
        );
        let offered = ["bash".to_owned(), "write".to_owned()];
        assert_eq!(
            words(Protocol::Chat, &offered),
            Ok(call("write", json!({"filePath": "/proj/a/b.md", "content": text})))
        );
        let offered = ["write_file".to_owned()];
        assert_eq!(
            words(Protocol::Gemini, &offered),
            Ok(call("write_file", json!({"file_path": "/proj/a/b.md", "content": text})))
        );
        assert!(words(Protocol::Chat, &[]).is_err());
    }

    #[test]
    fn a_word_that_was_not_captured_is_an_error() {
        let captured = BTreeMap::from([("id".to_owned(), "a1".to_owned())]);
        let words =
            Words { protocol: Protocol::Chat, tools: &[], folder: Some("/p"), captured: &captured };
        assert_eq!(words.fill("<<id>> in <<cwd>>, <<EOF\n"), Ok("a1 in /p, <<EOF\n".to_owned()));
        assert!(words.fill("<<other>>").is_err());
    }
}
