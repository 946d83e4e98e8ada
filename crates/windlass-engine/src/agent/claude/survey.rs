//! What is there of Claude Code, without using it.

use std::path::PathBuf;

use super::super::Account;
use super::super::program::{Program, value};

pub(super) const PROGRAM: Program = Program {
    name: "claude",
    variable: "WINDLASS_CLAUDE",
    // The oldest that was looked at: it has the flags, the control protocol and the messages.
    least: [2, 1, 150],
    install: "install it with `npm install -g @anthropic-ai/claude-code`, or `claude update`",
};

/// How to sign in.
pub(super) const SIGN_IN: &str =
    "sign in with `claude` (then /login), or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN";

/// Variables that each suffice to speak to a provider.
const KEYS: [&str; 5] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
];

/// The file that a sign-in leaves; whether it is there is all that is looked at.
pub(super) const CREDENTIALS: &str = ".credentials.json";

/// Looks whether it can speak to its provider.
pub(super) fn account(env: &[(String, String)]) -> Account {
    if let Some(key) = KEYS.iter().find(|key| value(env, key).is_some()) {
        return Account::SignedIn { by: (*key).to_owned() };
    }
    let Some(folder) = config_folder(env) else {
        return Account::NotSignedIn { hint: SIGN_IN.to_owned() };
    };
    if has_credentials(env) {
        return Account::SignedIn { by: folder.join(CREDENTIALS).display().to_string() };
    }
    // A helper that fetches a key is set by its name; and macOS keeps credentials elsewhere.
    let settings = fs_err::read_to_string(folder.join("settings.json")).unwrap_or_default();
    if settings.contains("apiKeyHelper") || cfg!(target_os = "macos") {
        return Account::Unknown;
    }
    Account::NotSignedIn { hint: SIGN_IN.to_owned() }
}

/// Whether it is signed in by a file that it has to write anew from time to time.
pub(super) fn has_credentials(env: &[(String, String)]) -> bool {
    config_folder(env).is_some_and(|folder| folder.join(CREDENTIALS).is_file())
}

/// Its configuration, as it would find it itself.
pub(super) fn config_folder(env: &[(String, String)]) -> Option<PathBuf> {
    let set = value(env, "CLAUDE_CONFIG_DIR").map(PathBuf::from);
    set.or_else(|| value(env, "HOME").map(|home| PathBuf::from(home).join(".claude")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_seen_by_a_key_or_by_the_file_of_a_sign_in() {
        let home = tempfile::tempdir().unwrap();
        let mut env = vec![("HOME".to_owned(), home.path().to_string_lossy().into_owned())];
        assert!(matches!(account(&env), Account::NotSignedIn { .. }));
        env.push(("ANTHROPIC_API_KEY".to_owned(), String::new()));
        assert!(matches!(account(&env), Account::NotSignedIn { .. }), "an empty key is none");
        let folder = home.path().join(".claude");
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join("settings.json"), r#"{"apiKeyHelper": "x"}"#).unwrap();
        assert_eq!(account(&env), Account::Unknown);
        // Whatever is in it: it is not read.
        fs_err::write(folder.join(".credentials.json"), [0xff, 0]).unwrap();
        assert!(matches!(account(&env), Account::SignedIn { .. }));
        env.push(("ANTHROPIC_API_KEY".to_owned(), "secret".to_owned()));
        assert_eq!(account(&env), Account::SignedIn { by: "ANTHROPIC_API_KEY".to_owned() });
    }
}
