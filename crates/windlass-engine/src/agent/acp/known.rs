//! Agents by name: their command lines, variables and folders.

use std::path::PathBuf;

/// What windlass knows of an agent that speaks the protocol.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) name: &'static str,
    pub(super) argv: &'static [&'static str],
    /// The option that names the model. Without one, the session's own choice is used.
    pub(super) model_option: Option<&'static str>,
    /// Variables of the user that it gets.
    pub(super) passed: &'static [&'static str],
    /// Variables that it gets unless the user has set them.
    pub(super) set: &'static [(&'static str, &'static str)],
    /// Those of the user's variables that hold a key.
    pub(super) keys: &'static [&'static str],
    pub(super) folders: Folders,
    /// A file among its folders that is there when somebody signed in.
    pub(super) account_file: Option<&'static str>,
    pub(super) sign_in: &'static str,
    /// It goes on with an earlier conversation.
    pub(super) resumes: bool,
    pub(super) tokens: Tokens,
}

/// What an agent's figures about tokens are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tokens {
    /// They are those of the whole turn.
    OfTheTurn,
    /// They are those of the last call of the model, so the turn's are unknown.
    OfTheLastCall,
    /// Nobody has looked; what is told is taken.
    Unknown,
    /// It tells none.
    Untold,
}

/// Where an agent has its configuration, and which variable says so.
#[derive(Clone, Copy, Debug)]
pub(super) enum Folders {
    /// One folder, named by a variable or below the user's home.
    One { variable: &'static str, below_home: &'static str },
    /// One folder below another, which the variable names.
    In { variable: &'static str, folder: &'static str },
    /// A folder of this name below each of the XDG base folders.
    Xdg { folder: &'static str },
    /// Not known.
    Unknown,
}

/// The XDG base folders: variable, name, and default below the home folder.
pub(super) const XDG: [(&str, &str, &str); 4] = [
    ("XDG_CONFIG_HOME", "config", ".config"),
    ("XDG_DATA_HOME", "data", ".local/share"),
    ("XDG_STATE_HOME", "state", ".local/state"),
    ("XDG_CACHE_HOME", "cache", ".cache"),
];

/// What every agent needs to reach its provider through a user's network.
pub(super) const NETWORK: &[&str] = &[
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

const GEMINI: Known = Known {
    name: "gemini",
    argv: &["gemini", "--acp"],
    model_option: Some("-m"),
    passed: &[
        "GEMINI_API_KEY",
        "GEMINI_CLI_HOME",
        "GEMINI_MODEL",
        "GEMINI_TELEMETRY_ENABLED",
        "GOOGLE_API_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_LOCATION",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_GENAI_API_VERSION",
        "GOOGLE_GENAI_USE_GCA",
        "GOOGLE_GENAI_USE_VERTEXAI",
        "GOOGLE_VERTEX_BASE_URL",
    ],
    // A place is new each time, and nobody is there to be asked whether it is to be trusted. A
    // second process around the first only makes it harder to end.
    set: &[("GEMINI_CLI_NO_RELAUNCH", "true"), ("GEMINI_CLI_TRUST_WORKSPACE", "true")],
    keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"],
    folders: Folders::In { variable: "GEMINI_CLI_HOME", folder: ".gemini" },
    account_file: Some("oauth_creds.json"),
    sign_in: "set GEMINI_API_KEY, or run `gemini` once and sign in",
    // It keeps no conversation that was killed.
    resumes: false,
    tokens: Tokens::OfTheTurn,
};

const OPENCODE: Known = Known {
    name: "opencode",
    argv: &["opencode", "acp"],
    model_option: None,
    passed: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "DEEPSEEK_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "GROQ_API_KEY",
        "MISTRAL_API_KEY",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENCODE_API_KEY",
        "OPENCODE_CONFIG",
        "OPENCODE_CONFIG_CONTENT",
        "OPENCODE_CONFIG_DIR",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS",
        "OPENCODE_DISABLE_LSP_DOWNLOAD",
        "OPENCODE_DISABLE_MODELS_FETCH",
        "OPENROUTER_API_KEY",
        "XAI_API_KEY",
    ],
    // Its own default asks nobody. The client says yes to all that the guard lets through.
    set: &[
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_PERMISSION", r#"{"edit":"ask","bash":"ask","external_directory":"ask"}"#),
    ],
    keys: &[
        "ANTHROPIC_API_KEY",
        "DEEPSEEK_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "GROQ_API_KEY",
        "MISTRAL_API_KEY",
        "OPENAI_API_KEY",
        "OPENCODE_API_KEY",
        "OPENROUTER_API_KEY",
        "XAI_API_KEY",
    ],
    folders: Folders::Xdg { folder: "opencode" },
    account_file: Some("auth.json"),
    sign_in: "run `opencode auth login`, or set your provider's key variable",
    resumes: true,
    tokens: Tokens::OfTheLastCall,
};

const QWEN: Known = Known {
    name: "qwen",
    // Its own default, `auto`, asks the model instead of the client.
    argv: &["qwen", "--acp", "--approval-mode", "default"],
    model_option: Some("-m"),
    passed: &[
        "BAILIAN_CODING_PLAN_API_KEY",
        "DASHSCOPE_API_KEY",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENAI_MODEL",
        "QWEN_HOME",
        "QWEN_MODEL",
    ],
    set: &[],
    keys: &["BAILIAN_CODING_PLAN_API_KEY", "DASHSCOPE_API_KEY", "OPENAI_API_KEY"],
    folders: Folders::One { variable: "QWEN_HOME", below_home: ".qwen" },
    account_file: Some("oauth_creds.json"),
    sign_in: "set OPENAI_API_KEY and OPENAI_BASE_URL, or run `qwen` once and sign in",
    resumes: true,
    tokens: Tokens::Untold,
};

/// Any other agent: a user who names its command wants it to have a key.
const ANY: Known = Known {
    name: "acp",
    argv: &[],
    model_option: None,
    passed: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "GEMINI_API_KEY",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENAI_MODEL",
        "OPENROUTER_API_KEY",
    ],
    set: &[],
    keys: &[],
    folders: Folders::Unknown,
    account_file: None,
    sign_in: "sign in with the agent's own command, or set its key variable",
    resumes: false,
    tokens: Tokens::Unknown,
};

/// Returns the agent of this name; `acp` is any.
pub(super) fn find(name: &str) -> Option<&'static Known> {
    [&GEMINI, &OPENCODE, &QWEN, &ANY].into_iter().find(|known| known.name == name)
}

impl Known {
    /// Its own folders, by what the user's variables say.
    pub(super) fn folders(&self, env: &[(String, String)]) -> Vec<PathBuf> {
        let home = variable(env, "HOME").map(PathBuf::from);
        let named = |name: &str| variable(env, name).map(PathBuf::from);
        match self.folders {
            Folders::One { variable, below_home } => {
                let default = || home.clone().map(|home| home.join(below_home));
                named(variable).or_else(default).into_iter().collect()
            }
            Folders::In { variable, folder } => {
                named(variable).or(home).map(|base| base.join(folder)).into_iter().collect()
            }
            Folders::Xdg { folder } => {
                let base = |(variable, _, below): (&str, &str, &str)| {
                    named(variable).or_else(|| home.clone().map(|home| home.join(below)))
                };
                XDG.into_iter().filter_map(base).map(|base| base.join(folder)).collect()
            }
            Folders::Unknown => Vec::new(),
        }
    }
}

/// A variable's value, unless it is empty.
pub(super) fn variable<'a>(env: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = env.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_str());
    found.filter(|value| !value.is_empty())
}
