//! What is there of Codex, without using it.

use std::path::PathBuf;
use std::sync::LazyLock;

use regex::Regex;

use super::super::Account;
use super::super::program::{Program, value};

pub(super) const PROGRAM: Program = Program {
    name: "codex",
    variable: "WINDLASS_CODEX",
    // Its events and failures are free text, known from this version.
    least: [0, 166, 0],
    install: "install it with `npm install -g @openai/codex`",
};

/// How to sign in.
pub(super) const SIGN_IN: &str =
    "sign in with `codex login`, or set CODEX_API_KEY or OPENAI_API_KEY";

/// Variables that each suffice to speak to its own provider.
const KEYS: [&str; 3] = ["CODEX_API_KEY", "OPENAI_API_KEY", "CODEX_ACCESS_TOKEN"];

/// Looks whether it can speak to its provider.
pub(super) fn account(env: &[(String, String)]) -> Account {
    let named = provider_keys(env);
    let keys = named.iter().map(String::as_str).chain(KEYS);
    if let Some(key) = keys.clone().find(|key| value(env, key).is_some()) {
        return Account::SignedIn { by: key.to_owned() };
    }
    let Some(folder) = folder(env) else {
        return Account::NotSignedIn { hint: SIGN_IN.to_owned() };
    };
    // Whether it is there is all that is looked at.
    let file = folder.join("auth.json");
    if file.is_file() {
        return Account::SignedIn { by: file.display().to_string() };
    }
    if let Some(key) = named.first() {
        let hint = format!("set {key}, as config.toml says; or {SIGN_IN}");
        return Account::NotSignedIn { hint };
    }
    Account::NotSignedIn { hint: SIGN_IN.to_owned() }
}

/// The variables that the user's own providers take their keys from: names alone.
pub(super) fn provider_keys(env: &[(String, String)]) -> Vec<String> {
    static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?m)^\s*env_key\s*=\s*["']([A-Za-z_][A-Za-z0-9_]*)["']"#).ok()
    });
    let Some(folder) = folder(env) else { return Vec::new() };
    let text = fs_err::read_to_string(folder.join("config.toml")).unwrap_or_default();
    let found = KEY.as_ref().into_iter().flat_map(|key| key.captures_iter(&text));
    found.map(|key| key[1].to_owned()).collect()
}

/// Its folder, as it would find it itself.
pub(super) fn folder(env: &[(String, String)]) -> Option<PathBuf> {
    let set = value(env, "CODEX_HOME").map(PathBuf::from);
    set.or_else(|| value(env, "HOME").map(|home| PathBuf::from(home).join(".codex")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_seen_by_a_key_a_provider_s_key_or_the_file_of_a_sign_in() {
        let home = tempfile::tempdir().unwrap();
        let mut env = vec![("CODEX_HOME".to_owned(), home.path().to_string_lossy().into_owned())];
        assert!(matches!(account(&env), Account::NotSignedIn { .. }));
        let config = "[model_providers.x]\nenv_key = \"ODD_KEY\"\n# env_key = \"OTHER\"\n";
        fs_err::write(home.path().join("config.toml"), config).unwrap();
        assert_eq!(provider_keys(&env), ["ODD_KEY"]);
        let Account::NotSignedIn { hint } = account(&env) else { panic!() };
        assert!(hint.contains("ODD_KEY"), "{hint}");
        fs_err::write(home.path().join("auth.json"), [0xff]).unwrap();
        assert!(matches!(account(&env), Account::SignedIn { by } if by.ends_with("auth.json")));
        env.push(("ODD_KEY".to_owned(), "secret".to_owned()));
        assert_eq!(account(&env), Account::SignedIn { by: "ODD_KEY".to_owned() });
    }
}
