//! How Codex is started for an attempt.
//!
//! - **Prompt** on standard input, named by `-`: then nothing is added to it and no shell reads it.
//! - **Sandbox**: none of its own inside windlass's confinement, where it would fail, else
//!   `workspace-write`. Approval is `never`: what it may not do is refused.
//! - **The place is not trusted**, so that settings and hooks in it do not count.
//! - **Plugins and update checks** are off: both go to the network at the start.
//! - **Commands get no keys**: their environment has those of the attempt but none of the provider.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::super::program::passed;
use super::super::sign_in::{SignIn, copy_settings};
use super::super::{AgentCommand, AttemptRequest};
use super::survey::{self, PROGRAM};

/// An argument of a program may not be longer than 128 KiB.
const MAX_ROLE_BYTES: usize = 100_000;

/// Keys of its own provider.
const KEYS: [&str; 3] = ["CODEX_ACCESS_TOKEN", "CODEX_API_KEY", "OPENAI_API_KEY"];

/// Further variables that reach the program: how it gets to its provider.
const PASSED: [&str; 13] = [
    "ALL_PROXY",
    "CODEX_CA_CERTIFICATE",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "OPENAI_BASE_URL",
    "OPENAI_ORGANIZATION",
    "OPENAI_PROJECT",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Says which program to start; else why it cannot be.
pub(super) fn command(request: &AttemptRequest<'_>) -> Result<AgentCommand, String> {
    let Some(program) = PROGRAM.find(request.env) else {
        return Err(PROGRAM.missing(request.env));
    };
    let Some(folder) = survey::folder(request.env) else {
        return Err("neither HOME nor CODEX_HOME is set, so it has no configuration".to_owned());
    };
    let users = std::path::absolute(&folder).map_err(|error| error.to_string())?;
    let (folder, sign_in) = match request.own {
        Some(own) => own_folder(&users, own).map_err(|error| error.to_string())?,
        None => {
            fs_err::create_dir_all(&users).map_err(|error| error.to_string())?;
            (users, None)
        }
    };
    let named = survey::provider_keys(request.env);
    let keys: Vec<&str> = named.iter().map(String::as_str).chain(KEYS).collect();
    let mut argv = vec![text(&program)?];
    argv.extend(arguments(request, &folder, &keys)?);
    let mut env = passed(request.env, &PASSED);
    env.extend(passed(request.env, &keys));
    env.push(("CODEX_HOME".to_owned(), text(&folder)?));
    Ok(AgentCommand {
        argv,
        env,
        stdin: Some(request.prompt_file.to_owned()),
        // Databases in its top folder are opened for writing before anything else happens.
        write: vec![folder],
        programs: vec![program],
        sign_in,
        errors_apart: true,
    })
}

fn arguments(
    request: &AttemptRequest<'_>,
    folder: &Path,
    keys: &[&str],
) -> Result<Vec<String>, String> {
    let sandbox = if request.confined { "danger-full-access" } else { "workspace-write" };
    let mut words: Vec<String> =
        ["exec", "--json", "--skip-git-repo-check", "-s", sandbox, "--disable", "plugins", "-C"]
            .map(str::to_owned)
            .to_vec();
    words.push(text(request.works_in)?);
    if let Some(model) = model_name(request.model) {
        words.extend(["-m".to_owned(), model.to_owned()]);
    }
    let mut set = |key: &str, value: &Value| {
        words.extend(["-c".to_owned(), format!("{key}={}", toml(value))]);
    };
    set("approval_policy", &json!("never"));
    set("check_for_update_on_startup", &json!(false));
    let mut untrusted = Map::new();
    untrusted.insert(text(request.works_in)?, json!({"trust_level": "untrusted"}));
    set("projects", &Value::Object(untrusted));
    // A login shell would set `PATH` anew, and the agent would not find `windlass`.
    set("allow_login_shell", &json!(false));
    // By default it leaves out whatever sounds like a secret, and with it what an agent needs to
    // publish facts.
    set("shell_environment_policy.ignore_default_excludes", &json!(true));
    set("shell_environment_policy.exclude", &json!(keys));
    if let Some(role) = request.role_text.map(str::trim).filter(|role| !role.is_empty()) {
        if role.len() > MAX_ROLE_BYTES {
            return Err(format!(
                "the text of the role has {} bytes, more than {MAX_ROLE_BYTES}: shorten its file",
                role.len()
            ));
        }
        set("developer_instructions", &json!(role));
    }
    for server in request.mcp {
        let env: Map<String, Value> =
            server.env.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let entry = json!({"command": server.command, "args": server.args, "env": env});
        set(&format!("mcp_servers.{}", bare(&server.name)?), &entry);
    }
    if let Some(thread) = request.resumes.filter(|thread| is_kept(folder, thread)) {
        words.extend(["resume".to_owned(), thread.to_owned()]);
    }
    words.push("-".to_owned());
    Ok(words)
}

/// The name of an attempt's own folder.
const OWN: &str = "codex";

/// The file of a sign-in.
const SIGN_IN: &str = "auth.json";

/// What of the user's settings holds for attempts, too.
const SETTINGS: [&str; 5] = ["config.toml", "AGENTS.md", "instructions.md", "prompts", "rules"];

/// Makes the folder of an attempt in a box: the user's settings as a copy, conversations that stay for
/// the step and the role, and the sign-in.
fn own_folder(users: &Path, kept: &Path) -> std::io::Result<(PathBuf, Option<SignIn>)> {
    let own = Path::new(OWN);
    copy_settings(users, kept, own, &SETTINGS)?;
    Ok((kept.join(own), SignIn::hold(&users.join(SIGN_IN), kept, &own.join(SIGN_IN))?))
}

/// Returns the sign-in that an attempt held whose driver died.
pub(super) fn left_sign_in(env: &[(String, String)], kept: &Path) -> Option<SignIn> {
    let users = std::path::absolute(survey::folder(env)?).ok()?;
    SignIn::left(&users.join(SIGN_IN), kept, &Path::new(OWN).join(SIGN_IN))
}

/// The neutral tiers are left to the user's own choice: names of models change too often.
fn model_name(model: Option<&str>) -> Option<&str> {
    model.filter(|model| !matches!(*model, "fast" | "smart"))
}

/// A key without quotes; others could not be told from a path of keys.
fn bare(name: &str) -> Result<&str, String> {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if plain && !name.is_empty() {
        return Ok(name);
    }
    Err(format!("`{name}` cannot be the name of a server: use letters, digits, `_` and `-`"))
}

/// Writes a value as TOML on one line.
fn toml(value: &Value) -> String {
    match value {
        // A text in JSON is a text in TOML, but for this character.
        Value::String(_) => value.to_string().replace('\u{7f}', "\\u007f"),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(","))
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{}={}", toml(&json!(name)), toml(value))
            };
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Whether a conversation is still there to go on with.
fn is_kept(folder: &Path, thread: &str) -> bool {
    let is_name = thread.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    is_name && !thread.is_empty() && find(&folder.join("sessions"), &format!("{thread}.jsonl"), 4)
}

/// Conversations lie in folders of years, months and days.
fn find(folder: &Path, ending: &str, depth: usize) -> bool {
    let Ok(entries) = fs_err::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        // In a box the agent writes here, and a link could lead to all of the machine.
        let Ok(kind) = entry.file_type() else { return false };
        let named = entry.file_name().to_str().is_some_and(|name| name.ends_with(ending));
        let below = kind.is_dir() && depth > 0;
        (named && kind.is_file()) || (below && find(&entry.path(), ending, depth - 1))
    })
}

fn text(path: &Path) -> Result<String, String> {
    let utf8 = path.to_str().map(str::to_owned);
    utf8.ok_or_else(|| format!("the path `{}` is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_toml_on_one_line() {
        let value = json!({"a b": ["x\"y\n", 1, true], "c": {"d": "\u{7f}é"}});
        assert_eq!(toml(&value), r#"{"a b"=["x\"y\n",1,true],"c"={"d"="\u007fé"}}"#);
    }

    #[test]
    fn a_server_s_name_is_a_plain_key() {
        assert!(bare("context7").is_ok() && bare("angular-cli").is_ok());
        for name in ["", "a.b", "a b", "a=\"x\""] {
            assert!(bare(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_conversation_goes_on_only_where_it_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let day = home.path().join("sessions/2026/11/15");
        fs_err::create_dir_all(&day).unwrap();
        fs_err::write(day.join("rollout-2026-11-15T23-45-52-01a1e19a-5eab.jsonl"), "").unwrap();
        assert!(is_kept(home.path(), "01a1e19a-5eab"));
        for other in ["", "01a1e19a-0000", "../x", "--last"] {
            assert!(!is_kept(home.path(), other), "{other}");
        }
    }
}
