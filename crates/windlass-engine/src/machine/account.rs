//! Whose limit it is.

/// What identifies an account of a backend in the user's environment.
struct Marks {
    backend: &'static str,
    /// Keys and tokens, and the provider they are for. The first that is set decides.
    keys: &'static [&'static str],
    /// Where another provider can be named.
    endpoint: &'static str,
    /// The variable that names the folder with the sign-in, and its default in the home folder.
    folder: (&'static str, &'static str),
}

const KNOWN: [Marks; 2] = [
    Marks {
        backend: "claude",
        keys: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
        endpoint: "ANTHROPIC_BASE_URL",
        folder: ("CLAUDE_CONFIG_DIR", ".claude"),
    },
    Marks {
        backend: "codex",
        keys: &["CODEX_API_KEY", "OPENAI_API_KEY"],
        endpoint: "OPENAI_BASE_URL",
        folder: ("CODEX_HOME", ".codex"),
    },
];

/// Names the account that a backend speaks for: `claude:1f0c93ab`.
///
/// It is a fingerprint of the key, or of the folder with the sign-in where no key is set, and never
/// the key itself: eight digits tell accounts of one person apart and nothing else. A backend that
/// is not known here is told apart by `command`, what stands behind it: two commands may well share
/// an account, but then each finds its limit by itself, and no run waits for a stranger's.
pub fn account_of(backend: &str, command: Option<&str>, env: &[(String, String)]) -> String {
    let set = |name: &str| {
        let value = env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        value.filter(|value| !value.is_empty())
    };
    let mut hash = blake3::Hasher::new_derive_key("windlass account");
    let mut add = |name: &str, value: &str| {
        for part in [name, value] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    };
    if let Some(marks) = KNOWN.iter().find(|marks| marks.backend == backend) {
        add("endpoint", set(marks.endpoint).unwrap_or_default());
        let key = marks.keys.iter().find_map(|name| Some((*name, set(name)?)));
        match (key, set(marks.folder.0)) {
            (Some((name, key)), _) => add(name, key),
            (None, Some(folder)) => add("folder", folder.trim_end_matches('/')),
            (None, None) => {
                let home = set("HOME").unwrap_or_default().trim_end_matches('/');
                add("folder", &format!("{home}/{}", marks.folder.1));
            }
        }
    } else {
        add("home", set("HOME").unwrap_or_default());
        add("command", command.unwrap_or_default());
    }
    let hex = hash.finalize().to_hex();
    format!("{backend}:{}", hex.get(..8).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claude(env: &[(&str, &str)]) -> String {
        let env: Vec<_> =
            env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        account_of("claude", None, &env)
    }

    #[test]
    fn the_same_key_is_the_same_account_and_is_never_shown() {
        let one = claude(&[("ANTHROPIC_API_KEY", "key-1"), ("HOME", "/a")]);
        assert_eq!(one, claude(&[("ANTHROPIC_API_KEY", "key-1"), ("HOME", "/b")]));
        assert_ne!(one, claude(&[("ANTHROPIC_API_KEY", "key-2"), ("HOME", "/a")]));
        let elsewhere = [("ANTHROPIC_API_KEY", "key-1"), ("ANTHROPIC_BASE_URL", "http://x")];
        assert_ne!(one, claude(&elsewhere));
        assert!(one.starts_with("claude:") && one.len() == 15 && !one.contains("key"), "{one}");
    }

    #[test]
    fn without_a_key_the_folder_of_the_sign_in_tells_accounts_apart() {
        let home = claude(&[("HOME", "/home/ann")]);
        assert_eq!(home, claude(&[("HOME", "/x"), ("CLAUDE_CONFIG_DIR", "/home/ann/.claude/")]));
        assert_ne!(home, claude(&[("HOME", "/home/ben")]));
        assert_eq!(home, claude(&[("HOME", "/home/ann"), ("ANTHROPIC_API_KEY", "")]));
    }

    #[test]
    fn backends_and_commands_have_accounts_of_their_own() {
        let of = |backend, command| account_of(backend, Some(command), &[]);
        assert_ne!(of("command", "a"), of("command", "b"));
        assert_ne!(of("codex", "a"), of("claude", "a"));
        assert_eq!(of("codex", "a"), of("codex", "b"));
    }
}
