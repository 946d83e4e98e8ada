//! Which variables of the user's environment an attempt gets beside those that every attempt gets.

use std::fmt;

/// Variables that let their holder act as the user at a forge, and variables that windlass sets
/// itself. Nobody passes them on.
const NEVER: &[&str] = &[
    "AZURE_DEVOPS_EXT_PAT",
    "BASH_ENV",
    "BITBUCKET_TOKEN",
    "CI_JOB_TOKEN",
    "CODEBERG_TOKEN",
    "DBUS_SESSION_BUS_ADDRESS",
    "ENV",
    "FORGEJO_TOKEN",
    "GH_CONFIG_DIR",
    "GH_ENTERPRISE_TOKEN",
    "GH_TOKEN",
    "GITEA_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITHUB_TOKEN",
    "GITLAB_ACCESS_TOKEN",
    "GITLAB_TOKEN",
    "GLAB_CONFIG_DIR",
    "HOME",
    "LD_AUDIT",
    "LD_PRELOAD",
    "OLDPWD",
    "PWD",
    "SHLVL",
    "SYSTEM_ACCESSTOKEN",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "_",
];

/// The same, by how they begin.
const NEVER_BEGINNINGS: &[&str] = &["GIT_", "GPG_", "SSH_", "WINDLASS_"];

/// Parts of names that speak of a key wherever they stand.
const KEY_PARTS: &[&str] = &["APIKEY", "CREDENTIAL", "PASSPHRASE", "PASSW", "SECRET", "TOKEN"];

/// Words that speak of a key where they stand alone between underscores.
const KEY_WORDS: &[&str] = &["COOKIE", "KEY", "KEYS", "PASS", "PAT", "PWD"];

/// Returns whether a variable must not reach an attempt, whoever asks for it.
pub fn is_never_passed(name: &str) -> bool {
    NEVER.contains(&name) || NEVER_BEGINNINGS.iter().any(|start| name.starts_with(start))
}

/// Returns whether a variable's name speaks of a key, a token or a password.
pub fn looks_like_key(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let words = || name.split(|letter: char| !letter.is_ascii_alphanumeric());
    KEY_PARTS.iter().any(|part| name.contains(part))
        || words().any(|word| KEY_WORDS.contains(&word))
        || (name.contains("AUTH") && !name.contains("AUTHOR"))
}

/// What a user lets through to attempts: one variable, or all that begin alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassEnv {
    /// The variable of this name.
    Name(String),
    /// Every variable that begins like this and does not look like a key.
    Beginning(String),
}

/// Why a variable cannot be passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassEnvError {
    /// It is not the name of a variable.
    NotAName(String),
    /// It is one that attempts never get.
    Never(String),
}

impl PassEnvError {
    /// Returns what to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NotAName(_) => "write `NAME`, or `PREFIX_*` for all that begin like this",
            Self::Never(_) => {
                "attempts hold no key of a forge, and have a home and a git of their own: \
                 windlass itself speaks to the forge"
            }
        }
    }
}

impl fmt::Display for PassEnvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAName(written) => write!(f, "`{written}` is not the name of a variable"),
            Self::Never(name) => write!(f, "`{name}` is never passed to an attempt"),
        }
    }
}

impl PassEnv {
    /// Reads `NAME` or `PREFIX_*`.
    ///
    /// # Errors
    /// It is neither, or names what no attempt may get.
    pub fn parse(written: &str) -> Result<Self, PassEnvError> {
        let name = written.strip_suffix('*').unwrap_or(written);
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
        if !is_name {
            return Err(PassEnvError::NotAName(written.to_owned()));
        }
        if is_never_passed(name) {
            return Err(PassEnvError::Never(written.to_owned()));
        }
        Ok(if written.ends_with('*') {
            Self::Beginning(name.to_owned())
        } else {
            Self::Name(name.to_owned())
        })
    }

    /// Returns whether it lets the variable through.
    ///
    /// Who writes a name out means that variable, key or not; a beginning means many, and a key
    /// among them is not what was meant.
    pub fn lets(&self, name: &str) -> bool {
        let asked_for = match self {
            Self::Name(wanted) => name == wanted,
            Self::Beginning(start) => name.starts_with(start.as_str()) && !looks_like_key(name),
        };
        asked_for && !is_never_passed(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_speak_of_keys_are_known() {
        for name in [
            "MY_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "OPENAI_API_KEY",
            "DB_PASSWORD",
            "PGPASSWORD",
            "npm_config__auth",
            "npm_config__authToken",
            "PIP_PASSWD",
            "UV_INDEX_INTERNAL_PASSWORD",
            "CARGO_REGISTRY_TOKEN",
            "DOTNET_PAT",
            "GOAUTH",
            "PYTHON_KEYRING_PASS",
        ] {
            assert!(looks_like_key(name), "{name}");
        }
        for name in ["PATH", "LC_MONETARY", "PYTHONPATH", "UV_KEYRING_PROVIDER", "SSL_CERT_FILE"] {
            assert!(!looks_like_key(name), "{name}");
        }
    }

    #[test]
    fn a_name_lets_its_variable_through_and_a_beginning_no_keys() {
        let name = PassEnv::parse("MODEL_API_KEY").unwrap();
        assert!(name.lets("MODEL_API_KEY") && !name.lets("MODEL_API_KEY_2"));
        let many = PassEnv::parse("MODEL_*").unwrap();
        assert!(many.lets("MODEL_URL") && !many.lets("MODEL_API_KEY") && !many.lets("OTHER"));
        let wide = PassEnv::parse("G*").unwrap();
        assert!(wide.lets("GOROOT") && !wide.lets("GIT_DIR") && !wide.lets("GH_CONFIG_DIR"));
    }

    #[test]
    fn what_no_attempt_may_get_is_refused_with_the_reason() {
        for name in ["GH_TOKEN", "SSH_AUTH_SOCK", "GIT_*", "GIT_SSH_COMMAND", "HOME", "LD_PRELOAD"]
        {
            assert_eq!(PassEnv::parse(name), Err(PassEnvError::Never(name.to_owned())));
        }
        for name in ["", "*", "A B", "A=b", "1A", "A**", "ä"] {
            assert_eq!(PassEnv::parse(name), Err(PassEnvError::NotAName(name.to_owned())));
        }
    }
}
