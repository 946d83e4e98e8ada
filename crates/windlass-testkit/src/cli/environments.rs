//! Environments in which a real CLI reaches a scripted model and nothing else.

use serde_json::{Value, json};

use crate::environment::TestEnv;
use crate::model::ModelServer;

/// The key that every CLI gets. It opens nothing.
const KEY: &str = "test-key";

type Variables = Vec<(String, String)>;

/// The test's world, and a proxy that refuses for all that is not on loopback.
fn scrubbed(env: &TestEnv, server: &ModelServer, more: &[(&str, &str)]) -> Variables {
    let mut variables = env.variables();
    let mut set = |name: &str, value: &str| {
        variables.retain(|(each, _)| each != name);
        variables.push((name.to_owned(), value.to_owned()));
    };
    let proxy = server.proxy_url();
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        set(name, &proxy);
        set(&name.to_lowercase(), &proxy);
    }
    set("NO_PROXY", "127.0.0.1,localhost");
    set("no_proxy", "127.0.0.1,localhost");
    set("LANG", "C.UTF-8");
    set("TERM", "dumb");
    for (name, value) in more {
        set(name, value);
    }
    variables
}

/// Claude Code: its variables. It retries once.
pub fn environment_for_claude(env: &TestEnv, server: &ModelServer) -> Variables {
    let folder = env.home().join(".claude");
    fs_err::create_dir_all(&folder).expect("a folder for Claude Code");
    scrubbed(
        env,
        server,
        &[
            ("CLAUDE_CONFIG_DIR", &folder.to_string_lossy()),
            ("ANTHROPIC_BASE_URL", &server.url()),
            ("ANTHROPIC_API_KEY", KEY),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", "1"),
        ],
    )
}

/// Codex: its variables, and its `config.toml`. It retries once.
pub fn environment_for_codex(env: &TestEnv, server: &ModelServer) -> Variables {
    let config = format!(
        r#"model = "mock-model"
model_provider = "mock"
check_for_update_on_startup = false
[features]
plugins = false
[analytics]
enabled = false
[model_providers.mock]
name = "Mock"
base_url = "{}/v1"
wire_api = "responses"
env_key = "MOCK_API_KEY"
request_max_retries = 1
stream_max_retries = 1
stream_idle_timeout_ms = 10000
"#,
        server.url()
    );
    env.file(".codex/config.toml", config);
    let folder = env.home().join(".codex");
    scrubbed(env, server, &[("CODEX_HOME", &folder.to_string_lossy()), ("MOCK_API_KEY", KEY)])
}

/// Gemini CLI: its variables, and its settings. Name a model when you start it.
pub fn environment_for_gemini(env: &TestEnv, server: &ModelServer) -> Variables {
    settings(
        env,
        ".gemini/settings.json",
        &json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": false},
            "general": {"enableAutoUpdate": false, "maxAttempts": 1},
        }),
    );
    scrubbed(
        env,
        server,
        &[
            ("GEMINI_API_KEY", KEY),
            ("GOOGLE_GEMINI_BASE_URL", &server.url()),
            ("GEMINI_TELEMETRY_ENABLED", "false"),
        ],
    )
}

/// opencode: its variables, and its configuration. It first asks for a title, without tools.
pub fn environment_for_opencode(env: &TestEnv, server: &ModelServer) -> Variables {
    let url = format!("{}/v1", server.url());
    settings(
        env,
        ".config/opencode/opencode.json",
        &json!({
            "provider": {"mock": {
                "npm": "@ai-sdk/openai-compatible", "name": "Mock",
                "options": {"baseURL": url, "apiKey": KEY},
                "models": {"mock-model": {"name": "Mock"}},
            }},
            "model": "mock/mock-model", "small_model": "mock/mock-model",
            "share": "disabled", "autoupdate": false,
        }),
    );
    scrubbed(
        env,
        server,
        &[
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
        ],
    )
}

/// Qwen Code: its variables, and its settings.
pub fn environment_for_qwen(env: &TestEnv, server: &ModelServer) -> Variables {
    settings(
        env,
        ".qwen/settings.json",
        &json!({
            "security": {"auth": {"selectedType": "openai"}},
            "privacy": {"usageStatisticsEnabled": false},
            "general": {"disableAutoUpdate": true},
        }),
    );
    scrubbed(
        env,
        server,
        &[
            ("OPENAI_API_KEY", KEY),
            ("OPENAI_BASE_URL", &format!("{}/v1", server.url())),
            ("OPENAI_MODEL", "mock-model"),
        ],
    )
}

fn settings(env: &TestEnv, name: &str, value: &Value) {
    env.file(name, value.to_string());
}
