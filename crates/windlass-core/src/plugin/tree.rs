//! The files of the plugin for Claude Code.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::event::{HOOKS, Hook};
use super::{MARKETPLACE, PLUGIN};
use crate::mcp::McpServer;

/// What the files depend on.
#[derive(Clone, Debug)]
pub struct Plugin<'a> {
    /// The version of windlass.
    pub version: &'a str,
    /// The program that answers the hooks, by its whole path.
    pub binary: &'a str,
    /// How long the longest check takes, where somebody has said.
    pub longest_check: Option<Duration>,
    /// The roles that come with windlass, by name: files in Claude Code's own format.
    pub roles: &'a [(&'a str, &'a str)],
    /// The MCP servers that agents are offered.
    pub servers: BTreeMap<String, McpServer>,
}

macro_rules! command {
    ($name:literal) => {
        ($name, include_str!(concat!("text/commands/", $name, ".md")))
    };
}

/// The commands. Their text says little: the hook on the prompt has decided before the model reads it.
const COMMANDS: [(&str, &str); 13] = [
    command!("abort"),
    command!("approve"),
    command!("feature"),
    command!("feedback"),
    command!("implement"),
    command!("pause"),
    command!("resume"),
    command!("retry-reset"),
    command!("review"),
    command!("rollback"),
    command!("run"),
    command!("skip"),
    command!("workflow"),
];

const STATUS: &str = include_str!("text/commands/status.md");
const WORKER: &str = include_str!("text/worker.md");
const SKILL: &str = include_str!("text/SKILL.md");

const DESCRIPTION: &str =
    "Windlass steers this session: agents do the work, each step is accepted only on proof";

impl Plugin<'_> {
    /// Returns every file of the marketplace folder, by its path in it.
    pub fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        files.insert(".claude-plugin/marketplace.json".to_owned(), pretty(&self.marketplace()));
        let mut put = |path: &str, text: String| files.insert(format!("{PLUGIN}/{path}"), text);
        put(".claude-plugin/plugin.json", pretty(&self.manifest()));
        put("hooks/hooks.json", pretty(&self.hooks()));
        put("skills/windlass/SKILL.md", SKILL.to_owned());
        put("commands/status.md", self.status());
        for (name, text) in COMMANDS {
            put(&format!("commands/{name}.md"), text.to_owned());
        }
        put("agents/worker.md", WORKER.to_owned());
        for (name, text) in self.roles {
            put(&format!("agents/{name}.md"), self.role(text));
        }
        if !self.servers.is_empty() {
            put(".mcp.json", pretty(&self.mcp()));
        }
        files
    }

    /// The servers, as Claude Code reads them.
    fn mcp(&self) -> Value {
        let server = |server: &McpServer| json!({"command": server.command, "args": server.args, "env": server.env});
        let servers: serde_json::Map<String, Value> =
            self.servers.iter().map(|(name, one)| (name.clone(), server(one))).collect();
        json!({ "mcpServers": servers })
    }

    /// A role whose tools also name those of the plugin's own servers: Claude Code calls them otherwise
    /// than the ones that the user has set up.
    fn role(&self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if let Some(tools) = lines.iter_mut().find(|line| line.starts_with("tools:")) {
            for name in self.servers.keys() {
                let asked = format!("mcp__{name}");
                if tools.split([',', ' ']).any(|tool| tool == asked) {
                    tools.push_str(&format!(", mcp__plugin_{PLUGIN}_{name}"));
                }
            }
        }
        let mut text = lines.join("\n");
        text.push('\n');
        text
    }

    fn marketplace(&self) -> Value {
        json!({
            "name": MARKETPLACE,
            "owner": {"name": "windlass"},
            "metadata": {"description": "The plugin of the windlass that is installed here"},
            "plugins": [{
                "name": PLUGIN,
                "source": format!("./{PLUGIN}"),
                "description": DESCRIPTION,
                "version": self.version,
            }],
        })
    }

    fn manifest(&self) -> Value {
        json!({
            "name": PLUGIN,
            "version": self.version,
            "description": DESCRIPTION,
            "author": {"name": "windlass"},
            "license": "MIT OR Apache-2.0",
        })
    }

    fn hooks(&self) -> Value {
        let hooks: serde_json::Map<String, Value> =
            HOOKS.iter().map(|hook| (hook.event.name().to_owned(), self.hook(hook))).collect();
        json!({"description": DESCRIPTION, "hooks": hooks})
    }

    fn hook(&self, called: &Hook) -> Value {
        // Without a shell between: then the host is the hook's parent, which is how it is told from a
        // call by the model.
        let mut hook = json!({
            "type": "command",
            "command": self.binary,
            "args": ["hook", "claude", called.event.argument()],
            "timeout": called.claude_timeout(self.longest_check),
        });
        if called.is_guard() {
            hook["onFailure"] = json!("block");
        }
        let mut group = json!({"hooks": [hook]});
        if let Some(matcher) = called.matcher() {
            group["matcher"] = json!(matcher);
        }
        json!([group])
    }

    /// The status is put into the message before the model sees it, where the path of the program can
    /// stand in a permission rule as it is.
    fn status(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        let (allowed, text) = if self.binary.chars().all(plain) {
            let command = format!("{} status", self.binary);
            let allowed = format!("allowed-tools: Bash({command}:*)\n");
            (allowed, format!("`windlass status` says:\n\n!`{command}`\n\nRepeat it, and stop."))
        } else {
            (String::new(), "Run `windlass status`, repeat what it prints, and stop.".to_owned())
        };
        STATUS.replace("{allowed}", &allowed).replace("{status}", &text)
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::Role;

    fn plugin(binary: &str) -> Plugin<'_> {
        let roles = &[("writer", "---\nname: writer\n---\nWrites.\n")];
        Plugin { version: "0.1.0", binary, longest_check: None, roles, servers: BTreeMap::new() }
    }

    #[test]
    fn servers_reach_the_agents_that_ask_for_them() {
        let roles = &[
            ("writer", "---\nname: writer\ntools: Read, mcp__context7\n---\nWrites.\n"),
            ("reader", "---\nname: reader\ntools: Read\n---\nReads.\n"),
        ];
        let server = McpServer {
            command: "context7-mcp".to_owned(),
            args: vec!["--quiet".to_owned()],
            env: BTreeMap::new(),
            optional: true,
        };
        let servers = BTreeMap::from([("context7".to_owned(), server)]);
        let files = Plugin { roles, servers, ..plugin("/opt/windlass") }.files();
        let mcp: Value = serde_json::from_str(&files["windlass/.mcp.json"]).unwrap();
        assert_eq!(mcp["mcpServers"]["context7"]["command"], "context7-mcp");
        assert_eq!(mcp["mcpServers"]["context7"]["args"], json!(["--quiet"]));
        let writer = &files["windlass/agents/writer.md"];
        assert!(
            writer.contains("tools: Read, mcp__context7, mcp__plugin_windlass_context7\n"),
            "{writer}"
        );
        assert_eq!(files["windlass/agents/reader.md"], roles[1].1);
    }

    #[test]
    fn the_plugin_has_every_command_role_and_hook() {
        let files = plugin("/opt/windlass").files();
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        insta::assert_snapshot!(names.join("\n"));
        insta::assert_snapshot!(files["windlass/hooks/hooks.json"]);
    }

    #[test]
    fn no_command_can_be_called_by_the_model() {
        let files = plugin("/opt/windlass").files();
        let commands = files.iter().filter(|(path, _)| path.contains("/commands/"));
        for (path, text) in commands {
            let (front, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
            assert!(front.contains("\ndisable-model-invocation: true"), "{path}");
            assert!(front.contains("description: ") && front.contains("argument-hint: "), "{path}");
            assert!(!body.trim().is_empty(), "{path}");
        }
    }

    #[test]
    fn the_status_is_embedded_only_where_its_path_is_plain() {
        let status = |binary| plugin(binary).files()["windlass/commands/status.md"].clone();
        assert!(status("/opt/windlass").contains("\n!`/opt/windlass status`\n"));
        assert!(
            status("/opt/windlass").contains("\nallowed-tools: Bash(/opt/windlass status:*)\n")
        );
        let odd = status("/opt/my (tools)/windlass");
        assert!(!odd.contains('!') && !odd.contains("allowed-tools"), "{odd}");
    }

    #[test]
    fn the_worker_is_a_role_and_the_skill_is_short() {
        let worker = Role::parse(WORKER.as_bytes(), "worker.md").unwrap();
        assert_eq!(worker.name, "worker");
        assert!(SKILL.lines().count() <= 60, "{}", SKILL.lines().count());
    }
}
