//! How Claude Code is started for an attempt.
//!
//! - **Settings**: only the user's (`--setting-sources user`). Those of the place can be written by
//!   an agent, and one line in them could point the program at another server, key included, switch
//!   hooks off or allow tools that the role does not have. The repository's `CLAUDE.md` is then not
//!   loaded either, so the agent is told to read it.
//! - **Permissions**: `dontAsk`, so what is not allowed by name is refused and nobody is asked.
//! - **Tools**: `--tools` is the whole set, so that there are no side doors (worktrees, timers,
//!   other agents' sessions); `--allowedTools` lets them through.
//! - **Servers**: only the declared ones (`--strict-mcp-config`).
//! - **Sandbox**: its own one is on exactly where windlass cannot confine; inside Landlock it fails.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::super::program::passed;
use super::super::sign_in::{SignIn, copy_settings, make_folder};
use super::super::{AgentCommand, AttemptRequest};
use super::survey::{self, PROGRAM};

/// What an agent uses whose role names no tools.
const TOOLS: [&str; 10] = [
    "Agent",
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "NotebookEdit",
    "Read",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// What every agent may run: it has to publish what it found.
const OWN_COMMAND: &str = "Bash(windlass *)";

/// An argument of a program may not be longer than 128 KiB.
const MAX_ROLE_BYTES: usize = 100_000;

/// Less than this the program refuses, or cannot do anything with.
const LEAST_BUDGET_USD: f64 = 0.01;

/// Variables that reach the program: how it speaks to its provider, and nothing else.
const PASSED: [&str; 38] = [
    "ALL_PROXY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_MODEL",
    "ANTHROPIC_SMALL_FAST_MODEL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "CLAUDE_CODE_MAX_RETRIES",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLOUD_ML_REGION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// An attempt neither updates the program nor sends figures about itself; and its subagents work
/// while it waits for them, so that it is over when it says so.
const FIXED: [(&str, &str); 6] = [
    // A role would write what the next one is then told to follow.
    ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
    ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_TELEMETRY", "1"),
];

/// Folders of the configuration that a session writes.
const SESSION_FOLDERS: [&str; 11] = [
    "backups",
    "cache",
    "debug",
    "file-history",
    "plans",
    "projects",
    "session-env",
    "sessions",
    "shell-snapshots",
    "tasks",
    "todos",
];

/// What of the user's configuration holds for attempts, too.
const SETTINGS: [&str; 8] = [
    ".claude.json",
    "CLAUDE.md",
    "agents",
    "commands",
    "keybindings.json",
    "output-styles",
    "settings.json",
    "skills",
];

/// The conversations, one folder per place.
const CONVERSATIONS: &str = "projects";

/// Says which program to start; else why it cannot be.
pub(super) fn command(exe: &Path, request: &AttemptRequest<'_>) -> Result<AgentCommand, String> {
    let Some(program) = PROGRAM.find(request.env) else {
        return Err(PROGRAM.missing(request.env));
    };
    let Some(config) = survey::config_folder(request.env) else {
        return Err(
            "neither HOME nor CLAUDE_CONFIG_DIR is set, so it has no configuration".to_owned()
        );
    };
    let users = std::path::absolute(&config).map_err(|error| error.to_string())?;
    let (config, sign_in) = match request.own {
        Some(own) => own_config(&users, own).map_err(|error| error.to_string())?,
        None => (users, None),
    };
    let mut argv =
        vec![text(exe)?, "__claude".to_owned(), text(request.prompt_file)?, text(&program)?];
    argv.extend(arguments(request, &config)?);
    let mut env = passed(request.env, &PASSED);
    env.extend(FIXED.map(|(name, value)| (name.to_owned(), value.to_owned())));
    env.push(("CLAUDE_CONFIG_DIR".to_owned(), text(&config)?));
    if request.confined && rustix::process::geteuid().is_root() {
        // Without it the program refuses to work as root.
        env.push(("IS_SANDBOX".to_owned(), "1".to_owned()));
    }
    let write = match request.own {
        Some(_) => vec![config.clone()],
        None => writable(&config, survey::has_credentials(request.env))?,
    };
    let programs = vec![program];
    Ok(AgentCommand { argv, env, stdin: None, write, programs, sign_in, errors_apart: true })
}

fn arguments(request: &AttemptRequest<'_>, config: &Path) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = [
        "-p",
        "--output-format",
        "stream-json",
        "--input-format",
        "stream-json",
        "--verbose",
        "--permission-mode",
        "dontAsk",
        "--setting-sources",
        "user",
        "--strict-mcp-config",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
    option("--settings", settings(request.confined).to_string());
    let (known, allowed) = tools(request);
    option("--tools", known);
    option("--allowedTools", allowed);
    if let Some(role) = instructions(request)? {
        option("--append-system-prompt", role);
    }
    if let Some(model) = request.model {
        option("--model", model_name(model).to_owned());
    }
    if let Some(left) = request.budget_usd {
        option("--max-budget-usd", format!("{:.4}", left.max(LEAST_BUDGET_USD)));
    }
    if !request.mcp.is_empty() {
        option("--mcp-config", servers(request)?);
    }
    if let Some(session) = request.resumes.filter(|session| is_kept(config, session)) {
        option("--resume", session.to_owned());
    }
    Ok(words)
}

/// The neutral tiers, and whatever the program itself understands.
fn model_name(model: &str) -> &str {
    match model {
        "fast" => "sonnet",
        "smart" => "opus",
        other => other,
    }
}

fn settings(confined: bool) -> Value {
    if confined {
        json!({"sandbox": {"enabled": false}})
    } else {
        json!({"sandbox": {"enabled": true, "allowUnsandboxedCommands": false}})
    }
}

/// The tools that there are, and those that are let through.
fn tools(request: &AttemptRequest<'_>) -> (String, String) {
    let named: Vec<&str> = match request.tools {
        Some(tools) => {
            tools.iter().map(|tool| tool.trim()).filter(|tool| !tool.is_empty()).collect()
        }
        None => TOOLS.to_vec(),
    };
    let mut known: Vec<&str> = Vec::new();
    let base = |tool: &'static str| tool;
    for tool in
        named.iter().map(|tool| tool.split('(').next().unwrap_or(tool)).chain([base("Bash")])
    {
        // Servers' tools are known by their servers.
        if !tool.starts_with("mcp__") && !known.contains(&tool) {
            known.push(tool);
        }
    }
    let mut allowed: Vec<String> = named.iter().map(|tool| (*tool).to_owned()).collect();
    allowed.push(OWN_COMMAND.to_owned());
    allowed.extend(request.mcp.iter().map(|server| format!("mcp__{}", server.name)));
    (known.join(","), allowed.join(","))
}

/// The role's own text, and where the repository's instructions are.
fn instructions(request: &AttemptRequest<'_>) -> Result<Option<String>, String> {
    let mut text = request.role_text.unwrap_or_default().trim().to_owned();
    if text.len() > MAX_ROLE_BYTES {
        return Err(format!(
            "the text of the role has {} bytes, more than {MAX_ROLE_BYTES}: shorten its file",
            text.len()
        ));
    }
    let files =
        ["CLAUDE.md", "AGENTS.md"].into_iter().filter(|file| request.place.join(file).is_file());
    let files: Vec<String> = files.map(|file| format!("`{file}`")).collect();
    if !files.is_empty() {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str("What holds for this repository is in ");
        text.push_str(&files.join(" and "));
        text.push_str(": read it before you begin.");
    }
    Ok((!text.is_empty()).then_some(text))
}

/// Writes what the servers are to a file and returns its name.
fn servers(request: &AttemptRequest<'_>) -> Result<String, String> {
    let mut servers = Map::new();
    for server in request.mcp {
        let env: Map<String, Value> =
            server.env.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let entry = json!({"command": server.command, "args": server.args, "env": env});
        servers.insert(server.name.clone(), entry);
    }
    let file = request.scratch.join("mcp.json");
    fs_err::write(&file, json!({ "mcpServers": servers }).to_string())
        .map_err(|error| error.to_string())?;
    text(&file)
}

/// The name of an attempt's own configuration.
const OWN: &str = "claude";

/// Makes the configuration of an attempt in a box: the user's settings as a copy, conversations that
/// stay for the step and the role, and the sign-in.
fn own_config(users: &Path, kept: &Path) -> std::io::Result<(PathBuf, Option<SignIn>)> {
    let own = Path::new(OWN);
    copy_settings(users, kept, own, &SETTINGS)?;
    for folder in SESSION_FOLDERS {
        make_folder(kept, &own.join(folder))?;
    }
    let (users, copy) = (users.join(survey::CREDENTIALS), own.join(survey::CREDENTIALS));
    Ok((kept.join(own), SignIn::hold(&users, kept, &copy)?))
}

/// Returns the sign-in that an attempt held whose driver died.
pub(super) fn left_sign_in(env: &[(String, String)], kept: &Path) -> Option<SignIn> {
    let users = std::path::absolute(survey::config_folder(env)?).ok()?;
    let copy = Path::new(OWN).join(survey::CREDENTIALS);
    SignIn::left(&users.join(survey::CREDENTIALS), kept, &copy)
}

/// Whether a conversation is still there to go on with.
///
/// The program refuses to start with one that is not; the attempt then begins anew.
fn is_kept(config: &Path, session: &str) -> bool {
    let is_name = session.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    if !is_name || session.is_empty() {
        return false;
    }
    let Ok(places) = fs_err::read_dir(config.join(CONVERSATIONS)) else { return false };
    let name = format!("{session}.jsonl");
    places.flatten().any(|place| place.path().join(&name).is_file())
}

/// What of its configuration the program must be able to write.
///
/// Its settings are not among it: an agent that could write them would have a command of its own
/// run in the user's next session. Signed in by a file, the program replaces that file when its
/// token is renewed, by a new file beside it, so that then the whole folder is needed.
fn writable(config: &Path, has_credentials: bool) -> Result<Vec<PathBuf>, String> {
    let folders = SESSION_FOLDERS.map(|name| config.join(name));
    for folder in &folders {
        fs_err::create_dir_all(folder).map_err(|error| error.to_string())?;
    }
    Ok(if has_credentials { vec![config.to_owned()] } else { folders.to_vec() })
}

fn text(path: &Path) -> Result<String, String> {
    let utf8 = path.to_str().map(str::to_owned);
    utf8.ok_or_else(|| format!("the path `{}` is not UTF-8", path.display()))
}

#[cfg(test)]
#[path = "command_line_tests.rs"]
mod tests;
